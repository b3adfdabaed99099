#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "serving/make_serving.hpp"

// Properties that hold for any interleaving: the result of an input is the one that it has alone, and every request
// ends.

namespace transmuter {
namespace {

struct Question {
  std::int64_t number = 0;
  std::size_t rows = 0;
  std::int64_t lane = 0;
};

/// Each row knows its input and its place, each output its row, and finish checks that they are its own. A number that
/// 97 divides fails in prepare, one that 89 divides fails the batch where it runs, and one that 83 divides in finish.
struct Checked {
  using Input = Question;
  struct Row {
    std::int64_t number, place, lane;
  };
  struct RowOutput {
    std::int64_t number, place;
    std::unique_ptr<std::string> text;  // outputs may be movable only
  };
  using Output = std::string;

  Work<Row> prepare(const Question& question) const {
    if (question.number % 97 == 0) fail(ErrorCode::InvalidInput, "prepare");
    Work<Row> work{.rows = {}, .key = {{question.lane}}};
    const bool many_lanes = question.number % 3 == 0;  // the rows then lie in all lanes
    for (std::size_t i = 0; i < question.rows; ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const std::int64_t lane = many_lanes ? (question.lane + place) % 4 : question.lane;
      work.rows.push_back({question.number, place, lane});
      if (many_lanes) work.keys.push_back({{lane}});
    }
    return work;
  }

  std::vector<RowOutput> execute(Rows<Row> rows) const {
    if (rows.empty() || rows.size() > rows_at_once({{rows.front()->lane}})) fail(ErrorCode::Internal, "batch size");
    std::vector<RowOutput> outputs;
    for (const Row* row : rows) {
      if (row->lane != rows.front()->lane) fail(ErrorCode::Internal, "lanes are mixed");
      if (row->number % 89 == 0) fail(ErrorCode::Backend, "execute");
      auto text = std::make_unique<std::string>(std::to_string(row->number * 1000 + row->place) + " ");
      outputs.push_back({row->number, row->place, std::move(text)});
    }
    return outputs;
  }

  std::string finish(const Question& question, std::span<const Row> rows, std::span<RowOutput> outputs) const {
    if (question.number % 83 == 0) fail(ErrorCode::Backend, "finish");
    std::string text;
    for (std::size_t i = 0; i < question.rows; ++i) {
      const auto place = static_cast<std::int64_t>(i);
      if (rows[i].number != question.number || rows[i].place != place || outputs[i].number != question.number ||
          outputs[i].place != place) {
        fail(ErrorCode::Internal, "rows are mixed");
      }
      text += *outputs[i].text;
    }
    return text;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return 1 + 3 * static_cast<std::size_t>(key.sizes.front()); }
};

using CheckedBatched = Batched<Question, std::string>;

std::string alone(const Question& question) {
  std::string text;
  for (std::size_t i = 0; i < question.rows; ++i) {
    text += std::to_string(question.number * 1000 + static_cast<std::int64_t>(i)) + " ";
  }
  return text;
}

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine_); }

  Question question() {
    return {.number = static_cast<std::int64_t>(below(1'000'000)) + 1,
            .rows = below(8),
            .lane = static_cast<std::int64_t>(below(4))};
  }
  std::vector<Question> questions(std::size_t count) {
    std::vector<Question> questions;
    while (questions.size() < count) questions.push_back(question());
    return questions;
  }

 private:
  std::mt19937 engine_;
};

bool fails_alone(const Question& question) {
  return question.number % 97 == 0 || question.number % 83 == 0 || (question.number % 89 == 0 && question.rows > 0);
}

/// Runs `f`, which gives the result of a question, and expects the result that the question has alone, or an error
/// that it may get: its own, a neighbour's in its batch, or what stopping and cancelling bring.
template <class F>
void expect_right(const Question& question, F&& f, bool may_stop) {
  try {
    EXPECT_EQ(f(), alone(question));
    EXPECT_FALSE(fails_alone(question));
  } catch (const Error& error) {
    const bool is_stopped = error.code() == ErrorCode::Cancelled || error.code() == ErrorCode::Unavailable ||
                            error.code() == ErrorCode::Overloaded;
    const bool is_neighbours = std::string_view(error.what()) == "execute";
    EXPECT_TRUE(fails_alone(question) || is_neighbours || (may_stop && is_stopped)) << error.what();
  }
}

/// What one caller of a started serving does.
void call(const CheckedBatched& batched, std::uint32_t seed, int calls, bool may_stop) {
  Random random(seed);
  std::vector<std::pair<Question, Pending<std::string>>> pending;
  for (int i = 0; i < calls; ++i) {
    const Question question = random.question();
    switch (random.below(6)) {
      case 0:
      case 1: expect_right(question, [&] { return batched.run(question); }, may_stop); break;
      case 2: {  // a result to wait for later
        try {
          pending.emplace_back(question, batched.submit(question));
        } catch (const Error&) {
          EXPECT_TRUE(may_stop || question.number % 97 == 0);
        }
        break;
      }
      case 3: {  // dropped, or waited for in any order
        if (pending.empty()) break;
        std::swap(pending[random.below(pending.size())], pending.back());
        if (random.below(2) == 0)
          expect_right(pending.back().first, [&] { return pending.back().second.get(); }, may_stop);
        pending.pop_back();
        break;
      }
      case 4: {  // cancelled from another thread
        std::stop_source source;
        const std::jthread canceller([&] { source.request_stop(); });
        expect_right(question, [&] { return batched.run(question, source.get_token()); }, true);
        break;
      }
      case 5: {
        std::vector<Question> questions = random.questions(random.below(20));
        std::erase_if(questions, fails_alone);
        try {
          const std::vector<std::string> results = batched.run(questions);
          EXPECT_TRUE(std::equal(questions.begin(), questions.end(), results.begin(), results.end(),
                                 [](const Question& q, const std::string& result) { return alone(q) == result; }));
        } catch (const Error& error) {
          EXPECT_TRUE(may_stop || error.code() == ErrorCode::Backend) << error.what();
        }
        break;
      }
    }
  }
  for (auto& [question, result] : pending)
    expect_right(question, [&result = result] { return result.get(); }, may_stop);
}

TEST(Interleaving, of_batched_callers_changes_no_result) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const CheckedBatched batched =
        make_serving(Checked()).start({.batch_size = 1 + random.below(12),
                                       .batch_timeout = std::chrono::milliseconds(random.below(2)),
                                       .workers = 1 + random.below(3)});
    {
      std::vector<std::jthread> callers;
      for (std::uint32_t caller = 0; caller < 6; ++caller) {
        callers.emplace_back([&, caller] { call(batched, 100 * seed + caller, 60, false); });
      }
    }
    EXPECT_EQ(batched.metrics().queued_rows, 0);
  }
}

TEST(Interleaving, of_stop_with_callers_ends_every_request) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    CheckedBatched batched = make_serving(Checked()).start({.max_queued_rows = 20, .workers = 2});
    std::atomic<int> done = 0;
    std::vector<std::jthread> callers;
    for (std::uint32_t caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        call(batched, 100 * seed + caller, 60, true);
        ++done;
      });
    }
    while (batched.metrics().batches < 10 * seed && done < 4) std::this_thread::yield();
    batched.stop();
    callers.clear();
    EXPECT_EQ(batched.metrics().queued_rows, 0);
  }
}

TEST(Interleaving, of_list_threads_changes_no_result) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const Checked program;
    std::vector<Question> questions = random.questions(random.below(400));
    const bool may_fail = seed % 4 == 0;
    if (!may_fail) std::erase_if(questions, fails_alone);
    serving::ProgramList<Checked> list(program, questions, 1 + random.below(12));
    const serving::ListOptions options{.inputs = questions.size(),
                                       .workers = 1 + random.below(3),
                                       .threads = 1 + random.below(5),
                                       .rows_in_flight = random.below(2) * (1 + random.below(100))};
    const auto first_failing = std::ranges::find_if(questions, fails_alone);
    try {
      serving::run_list(list, options, {});
      const std::vector<std::string> results = list.take();
      ASSERT_EQ(first_failing, questions.end());
      for (std::size_t i = 0; i < questions.size(); ++i) EXPECT_EQ(results[i], alone(questions[i]));
    } catch (const Error& error) {
      ASSERT_NE(first_failing, questions.end()) << error.what();
      // An input that shares the batch of a failing one may come before it.
      const auto named = static_cast<std::ptrdiff_t>(std::stoul(std::string(error.what()).substr(6)));
      EXPECT_LE(named, first_failing - questions.begin());
    }
  }
}

}  // namespace
}  // namespace transmuter
