// Progress bars: on a terminal only, and never on standard output.
#include <gmock/gmock.h>

#include "support/hub_server.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace transmuter::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Progress : public ::testing::Test {
 protected:
  Outcome pull() {
    hub_.commit("owner/files", {{"config.json", {"{}"}}, {"large.bin", {std::string(3'000'000, 'x'), true}}});
    Call call{.arguments = {"pull", "owner/files", "--all", "--json"}, .errors_to_terminal = is_terminal_};
    call.environment = {
        {"HF_HUB_OFFLINE", ""}, {"HF_ENDPOINT", hub_.endpoint()}, {"HF_HUB_CACHE", folder_.file("hub")}};
    return run(std::move(call));
  }

  Outcome run_lines(bool from_file) {
    const std::string lines = "a\nb\nc\n";
    write_file(folder_.file("lines.txt"), lines);
    Call call{.arguments = {"run", "text-classification", "-m", test_folder("models/text_classification/bert")},
              .errors_to_terminal = is_terminal_};
    (from_file ? call.input_file : call.input) = from_file ? folder_.file("lines.txt") : lines;
    return run(std::move(call));
  }

  Outcome run(Call call) {
    call.environment.insert(environment_.begin(), environment_.end());
    const Outcome outcome = run_program(call);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, Not(HasSubstr("\x1b")));
    return outcome;
  }

  HubServer hub_;
  TemporaryFolder folder_;
  bool is_terminal_ = true;
  std::map<std::string, std::string> environment_;
};

TEST_F(Progress, of_downloads_is_drawn_on_a_terminal) {
  const Outcome outcome = pull();
  EXPECT_THAT(outcome.errors, HasSubstr("large.bin"));
  EXPECT_THAT(outcome.errors, HasSubstr("\x1b["));
  EXPECT_EQ(outcome.json().get("files").size(), 2U);
}

TEST_F(Progress, of_lines_counts_them) {
  const Outcome file = run_lines(true);
  EXPECT_THAT(file.errors, HasSubstr("lines, "));
  EXPECT_THAT(file.errors, HasSubstr("%"));
  EXPECT_EQ(file.lines().size(), 3U);
  const Outcome pipe = run_lines(false);
  EXPECT_THAT(pipe.errors, HasSubstr("lines, "));
  EXPECT_THAT(pipe.errors, Not(HasSubstr("%")));  // nobody knows the end of a pipe
}

TEST_F(Progress, is_silent_without_a_terminal) {
  is_terminal_ = false;
  EXPECT_EQ(pull().errors, "");
  EXPECT_EQ(run_lines(true).errors, "");
}

TEST_F(Progress, is_silent_when_the_user_wants_no_bars) {
  environment_ = {{"HF_HUB_DISABLE_PROGRESS_BARS", "1"}};
  EXPECT_EQ(pull().errors, "");
  EXPECT_EQ(run_lines(true).errors, "");
}

}  // namespace
}  // namespace transmuter::testing
