#include "transmuter/serving.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "serving/make_serving.hpp"
#include "support/errors.hpp"

namespace transmuter {
namespace {

using testing::ElementsAre;

/// Makes a row of each letter and gives it back in upper case. Remembers what ran together.
struct Letters {
  using Input = std::string;
  using Row = char;
  using RowOutput = char;
  using Output = std::string;

  std::shared_ptr<std::vector<std::string>> batches = std::make_shared<std::vector<std::string>>();

  Work<char> prepare(const std::string& input) const {
    if (input == "bad") fail(ErrorCode::InvalidInput, "not a text");
    return {.rows = {input.begin(), input.end()}};
  }
  std::vector<char> execute(Rows<char> rows) const {
    std::string batch;
    for (const char* row : rows) batch += *row;
    batches->push_back(batch);
    std::vector<char> outputs;
    for (const char letter : batch) outputs.push_back(static_cast<char>(letter - 'a' + 'A'));
    return outputs;
  }
  std::string finish(const std::string& input, std::span<const char> rows, std::span<char> outputs) const {
    return input + "/" + std::string(rows.begin(), rows.end()) + "/" + std::string(outputs.begin(), outputs.end());
  }
};

/// As Letters, but it knows that two rows make one good run.
struct Pairs : Letters {
  std::size_t rows_at_once(const BatchKey&) const { return 2; }
};

TEST(Serving, runs_one_input_in_chunks_of_batch_size) {
  const Letters letters;
  const auto serving = make_serving(letters, {.batch_size = 3});
  EXPECT_EQ(serving.run("abcdefg"), "abcdefg/abcdefg/ABCDEFG");
  EXPECT_THAT(*letters.batches, ElementsAre("abc", "def", "g"));
}

TEST(Serving, runs_rows_alone_when_nobody_says_more) {
  const Letters letters;
  EXPECT_EQ(make_serving(letters).run("ab"), "ab/ab/AB");
  EXPECT_THAT(*letters.batches, ElementsAre("a", "b"));
}

TEST(Serving, takes_the_smaller_of_batch_size_and_rows_at_once) {
  const Pairs pairs;
  (void)make_serving(pairs).run("abcde");
  EXPECT_THAT(*pairs.batches, ElementsAre("ab", "cd", "e"));
  pairs.batches->clear();
  (void)make_serving(pairs, {.batch_size = 8}).run("abc");
  EXPECT_THAT(*pairs.batches, ElementsAre("ab", "c"));
  pairs.batches->clear();
  (void)make_serving(pairs, {.batch_size = 1}).run("ab");
  EXPECT_THAT(*pairs.batches, ElementsAre("a", "b"));
}

/// Small and capital letters do not share a run.
struct Cases : Pairs {
  Work<char> prepare(const std::string& input) const {
    Work<char> work{.rows = {input.begin(), input.end()}};
    for (const char letter : input) work.keys.push_back({{letter < 'a' ? 0 : 1}});
    return work;
  }
};

TEST(Serving, runs_the_rows_of_one_input_by_their_keys) {
  const Cases cases;
  EXPECT_EQ(make_serving(cases).run("aBcdEFg").substr(0, 16), "aBcdEFg/aBcdEFg/");
  EXPECT_THAT(*cases.batches, ElementsAre("BE", "F", "ac", "dg"));
}

TEST(Serving, finishes_an_input_without_rows) {
  const Letters letters;
  EXPECT_EQ(make_serving(letters).run(""), "//");
  EXPECT_THAT(make_serving(letters).run({"", ""}), ElementsAre("//", "//"));
  EXPECT_THAT(*letters.batches, ElementsAre());
}

TEST(Serving, takes_lists_as_braces_vectors_and_spans) {
  const auto serving = make_serving(Letters());
  const std::vector<std::string> inputs{"a", "b"};
  EXPECT_THAT(serving.run({"a", "b"}), ElementsAre("a/a/A", "b/b/B"));
  EXPECT_THAT(serving.run({"a"}), ElementsAre("a/a/A"));
  EXPECT_THAT(serving.run(inputs), ElementsAre("a/a/A", "b/b/B"));
  EXPECT_THAT(serving.run(std::span(inputs).first(1)), ElementsAre("a/a/A"));
  EXPECT_THAT(serving.run(std::vector<std::string>()), ElementsAre());
}

TEST(Serving, throws_what_the_program_throws) {
  EXPECT_EQ(error_of([] { (void)make_serving(Letters()).run("bad"); }), "InvalidInput: not a text");
}

TEST(Serving, stops_when_asked) {
  std::stop_source source;
  source.request_stop();
  const Letters letters;
  const auto serving = make_serving(letters);
  EXPECT_EQ(error_of([&] { (void)serving.run("a", source.get_token()); }), "Cancelled: cancelled by the caller");
  EXPECT_EQ(error_of([&] { (void)serving.run({"a", "b"}, source.get_token()); }), "Cancelled: cancelled by the caller");
  EXPECT_THAT(*letters.batches, ElementsAre());
}

}  // namespace
}  // namespace transmuter
