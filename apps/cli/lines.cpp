#include "cli/lines.hpp"

#include <deque>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/line_reader.hpp"
#include "cli/output.hpp"
#include "cli/readable.hpp"
#include "cli/request.hpp"
#include "cli/results.hpp"

namespace transmuter::cli {
namespace {

constexpr std::size_t kMostLines = 1024;       // on their way at once
constexpr std::size_t kMostBytes = 8U << 20U;  // of their texts

class Lines {
 public:
  Lines(const Task& task, const AnyServing& serving, const RunArguments& arguments, const ProgressBars& bars)
      : arguments_(arguments),
        task_(task),
        takes_objects_(!task.inputs.empty()),
        is_for_people_(!arguments.json && isatty(STDOUT_FILENO) == 1),
        batched_(serving.start({.max_queued_rows = 0})) {
    // Results that scroll by on the same terminal show the progress better than a bar.
    if (isatty(STDOUT_FILENO) != 1) bar_ = bars.lines(remaining_bytes(STDIN_FILENO));
  }

  void run() {
    while (read_next()) {
      while (sent_.size() >= kMostLines || sent_bytes_ >= kMostBytes) print_next();
    }
    print_all();
  }

 private:
  struct Sent {
    Json input;
    std::unique_ptr<AnyBatched::Pending> result;
    std::size_t size;
    std::uint64_t end;  // of the line, in bytes
  };

  bool read_next() {
    if (reader_.would_wait()) {
      print_all();
      flush();
    }
    try {
      const auto line = reader_.next();
      if (line) send(*line);
      return line.has_value();
    } catch (...) {
      print_all();  // the lines before this one have results
      throw;
    }
  }

  void send(const std::string& line) {
    const std::string place = fmt::format("line {}", ++read_);
    Json input = within(place, [&] { return input_of(line); });
    auto result = within(place, [&] { return batched_->submit(input); });
    sent_bytes_ += line.size();
    sent_.push_back({std::move(input), std::move(result), line.size(), reader_.bytes()});
  }

  // A line of a task that takes objects may be one; where a text is all, {"text": ...} is one, too.
  Json input_of(const std::string& line) const {
    if (!task_.takes_text) return object_input(task_, line);
    if (!line.starts_with('{')) return line;
    if (!takes_objects_) return is_text_object(line) ? Json::parse(line, "input", ErrorCode::InvalidInput) : Json(line);
    return within("a line that begins with \"{\" is an input as JSON",
                  [&] { return Json::parse(line, "input", ErrorCode::InvalidInput); });
  }

  static bool is_text_object(const std::string& line) {
    try {
      const Json json = Json::parse(line, "input", ErrorCode::InvalidInput);
      return json.size() == 1 && json.find<std::string>("text").has_value();
    } catch (const Error&) {
      return false;  // a text that begins with a brace
    }
  }

  void print_all() {
    while (!sent_.empty()) print_next();
  }

  void print_next() {
    Sent sent = std::move(sent_.front());
    sent_.pop_front();
    sent_bytes_ -= sent.size;
    const std::size_t number = ++printed_;
    const auto result = within(fmt::format("line {}", number), [&] { return sent.result->get(); });
    const Json json = json_of(*result, number - 1, arguments_.save);
    print(is_for_people_ ? readable({sent.input}, {json}) : json.dump() + '\n');
    bar_.set(sent.end, printed_);
  }

  const RunArguments& arguments_;
  const Task& task_;
  const bool takes_objects_;
  const bool is_for_people_;
  std::unique_ptr<AnyBatched> batched_;
  ProgressBar bar_;
  LineReader reader_{STDIN_FILENO};
  std::deque<Sent> sent_;
  std::size_t sent_bytes_ = 0;
  std::size_t read_ = 0;
  std::size_t printed_ = 0;
};

}  // namespace

void run_lines(const Task& task, const AnyServing& serving, const RunArguments& arguments, const ProgressBars& bars) {
  Lines(task, serving, arguments, bars).run();
}

}  // namespace transmuter::cli
