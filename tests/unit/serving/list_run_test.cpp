#include <algorithm>
#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "base/threads.hpp"
#include "serving/make_serving.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"

namespace transmuter {
namespace {

using serving::ListOptions;
using serving::ProgramList;
using testing::Contains;
using testing::ElementsAre;
using testing::Le;
using testing::Not;

/// A program whose stages a test may look into. Input n has the rows that `rows` says, n of its own by default.
struct Probe {
  using Input = int;
  using Row = int;
  using RowOutput = int;
  using Output = int;

  std::function<std::vector<int>(int)> rows = [](int input) { return std::vector<int>{input}; };
  std::function<std::int64_t(int)> key = [](int) { return 0; };
  std::function<std::int64_t(int)> key_of_row = nullptr;
  std::function<void(int)> on_prepare = [](int) {};
  std::function<void(const std::vector<int>&)> on_execute = [](const std::vector<int>&) {};
  std::function<void(int)> on_finish = [](int) {};

  Work<int> prepare(const int& input) const {
    on_prepare(input);
    Work<int> work{.rows = rows(input), .key = {{key(input)}}};
    if (key_of_row) {
      for (const int row : work.rows) work.keys.push_back({{key_of_row(row)}});
    }
    return work;
  }
  std::vector<int> execute(Rows<int> rows_of_run) const {
    std::vector<int> values;
    for (const int* row : rows_of_run) values.push_back(*row);
    on_execute(values);
    for (int& value : values) value *= 10;
    return values;
  }
  int finish(const int& input, std::span<const int>, std::span<int> outputs) const {
    on_finish(input);
    return std::accumulate(outputs.begin(), outputs.end(), 0);
  }
};

std::vector<int> numbers(int count) {
  std::vector<int> inputs(static_cast<std::size_t>(count));
  std::iota(inputs.begin(), inputs.end(), 0);
  return inputs;
}

std::vector<int> times_ten(std::vector<int> values) {
  for (int& value : values) value *= 10;
  return values;
}

/// Runs numbers 0 to count - 1 with exact numbers of threads and workers, whatever this machine has.
std::vector<int> run(const Probe& probe, int count, std::size_t batch_size, ListOptions options,
                     const std::stop_token& stop = {}) {
  const std::vector<int> inputs = numbers(count);
  ProgramList<Probe> list(probe, inputs, batch_size);
  options.inputs = inputs.size();
  serving::run_list(list, options, stop);
  return list.take();
}

TEST(ListRun, gives_results_in_the_order_of_the_inputs) {
  for (const std::size_t threads : {1, 2, 5}) {
    EXPECT_EQ(run(Probe(), 1000, 7, {.workers = 2, .threads = threads}), times_ten(numbers(1000)));
  }
}

TEST(ListRun, batches_equal_keys_across_the_list) {
  std::vector<std::vector<int>> batches;
  Probe probe;
  probe.key = [](int input) { return input % 3; };
  probe.on_execute = [&](const std::vector<int>& rows) { batches.push_back(rows); };
  (void)run(probe, 10, 3, {.workers = 1, .threads = 1, .rows_in_flight = 100});
  EXPECT_THAT(batches, ElementsAre(ElementsAre(0, 3, 6), ElementsAre(1, 4, 7), ElementsAre(2, 5, 8), ElementsAre(9)));
}

TEST(ListRun, runs_the_fullest_lane_when_no_more_rows_may_be_prepared) {
  std::vector<std::vector<int>> batches;
  Probe probe;
  probe.key = [](int input) { return input % 4 == 0 ? 0 : 1; };
  probe.on_execute = [&](const std::vector<int>& rows) { batches.push_back(rows); };
  (void)run(probe, 7, 8, {.workers = 1, .threads = 1, .rows_in_flight = 4});
  EXPECT_THAT(batches, ElementsAre(ElementsAre(1, 2, 3), ElementsAre(0, 4), ElementsAre(5, 6)));
}

TEST(ListRun, splits_inputs_of_many_rows_and_finishes_those_of_none) {
  Probe probe;
  probe.rows = [](int input) { return std::vector<int>(static_cast<std::size_t>(input % 5), input); };
  probe.on_execute = [](const std::vector<int>& rows) { EXPECT_THAT(rows.size(), Le(3)); };
  const std::vector<int> results = run(probe, 100, 3, {.workers = 2, .threads = 3});
  for (int input = 0; input < 100; ++input) {
    EXPECT_EQ(results[static_cast<std::size_t>(input)], input % 5 * input * 10);
  }
}

TEST(ListRun, batches_rows_by_their_own_keys) {
  std::vector<std::vector<int>> batches;
  Probe probe;
  probe.rows = [](int input) { return std::vector<int>{input, input + 10, input + 21}; };
  probe.key_of_row = [](int row) { return row % 2; };
  probe.on_execute = [&](const std::vector<int>& rows) { batches.push_back(rows); };
  EXPECT_THAT(run(probe, 4, 3, {.workers = 1, .threads = 1, .rows_in_flight = 100}), ElementsAre(310, 340, 370, 400));
  EXPECT_THAT(batches, ElementsAre(ElementsAre(0, 10, 22), ElementsAre(21, 1, 11), ElementsAre(2, 12, 24),
                                   ElementsAre(23, 3, 13)));
}

TEST(ListRun, prepares_while_the_model_runs) {
  Channel<int> prepared;
  Probe probe;
  probe.on_prepare = [&](int input) {
    if (input == 1) prepared.send(input);
  };
  probe.on_execute = [&](const std::vector<int>& rows) {
    if (rows.front() == 0) (void)prepared.receive();
  };
  EXPECT_EQ(run(probe, 2, 1, {.workers = 1, .threads = 2}), times_ten(numbers(2)));
}

TEST(ListRun, finishes_while_the_model_runs) {
  Channel<int> finished;
  std::atomic<int> runs = 0;
  Probe probe;
  probe.on_finish = [&](int input) { finished.send(input); };
  probe.on_execute = [&](const std::vector<int>&) {  // each run ends only when the input of the last one was finished
    if (runs++ > 0) (void)finished.receive();
  };
  EXPECT_EQ(run(probe, 200, 1, {.workers = 1, .threads = 2, .rows_in_flight = 2}), times_ten(numbers(200)));
}

TEST(ListRun, shares_the_cores_for_as_long_as_more_runs_follow) {
  std::vector<bool> shared;
  Probe probe;
  probe.on_execute = [&](const std::vector<int>&) { shared.push_back(SharedCores::any()); };
  (void)run(probe, 3, 1, {.workers = 2, .threads = 1, .rows_in_flight = 1});
  EXPECT_THAT(shared, ElementsAre(true, true, false));
  shared.clear();
  (void)run(probe, 3, 1, {.workers = 1, .threads = 1});
  EXPECT_THAT(shared, ElementsAre(false, false, false));
  EXPECT_FALSE(SharedCores::any());
}

TEST(ListRun, runs_the_batches_of_one_input_on_all_workers) {
  std::latch both(2);
  Probe probe;
  probe.rows = [](int) { return std::vector<int>{1, 2}; };
  probe.on_execute = [&](const std::vector<int>&) { both.arrive_and_wait(); };
  EXPECT_THAT(run(probe, 1, 1, {.workers = 2, .threads = 2}), ElementsAre(30));
}

TEST(ListRun, runs_no_more_batches_at_once_than_it_has_workers) {
  std::atomic<int> running = 0;
  Probe probe;
  probe.on_execute = [&](const std::vector<int>&) {
    EXPECT_LE(++running, 2);
    std::this_thread::yield();
    --running;
  };
  (void)run(probe, 500, 2, {.workers = 2, .threads = 4});
}

TEST(ListRun, holds_a_bounded_part_of_a_long_list) {
  std::atomic<int> in_flight = 0;
  std::atomic<int> most = 0;
  Probe probe;
  probe.key = [](int input) { return input % 10; };
  probe.on_prepare = [&](int) {
    const int now = ++in_flight;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
  };
  probe.on_finish = [&](int) { --in_flight; };
  EXPECT_EQ(run(probe, 200'000, 16, {.workers = 2, .threads = 3, .rows_in_flight = 300}), times_ten(numbers(200'000)));
  EXPECT_LE(most, 300);
  most = 0;
  (void)run(probe, 20'000, 4, {.workers = 2, .threads = 3});
  EXPECT_LE(most, 4 * 3 * 4) << "four full runs a thread";
}

TEST(ListRun, drops_the_inputs_after_one_that_fails) {
  std::vector<int> ran;
  Probe probe;
  probe.on_execute = [&](const std::vector<int>& rows) {
    ran.push_back(rows.front());
    if (rows.front() == 2) fail(ErrorCode::Backend, "no");
  };
  EXPECT_EQ(error_of([&] { (void)run(probe, 100, 1, {.workers = 1, .threads = 1}); }), "Backend: input 2: no");
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
}

TEST(ListRun, drops_rows_that_wait_after_a_failure) {
  int runs = 0;
  Probe probe;
  probe.key = [](int input) { return input % 2; };
  probe.on_execute = [&](const std::vector<int>& rows) {
    ++runs;
    EXPECT_THAT(rows, ElementsAre(0, 2));
    fail(ErrorCode::Backend, "no");
  };
  EXPECT_EQ(error_of([&] { (void)run(probe, 100, 2, {.workers = 1, .threads = 1}); }), "Backend: input 0: no");
  EXPECT_EQ(runs, 1);
}

TEST(ListRun, throws_the_error_of_the_first_input_though_a_later_one_fails_sooner) {
  Channel<int> later;
  Probe probe;
  probe.on_prepare = [&](int input) {
    if (input != 5) return;
    later.send(5);
    fail(ErrorCode::InvalidInput, "later");
  };
  probe.on_execute = [&](const std::vector<int>& rows) {
    if (rows.front() != 2) return;
    (void)later.receive();
    throw std::runtime_error("first");
  };
  EXPECT_EQ(error_of([&] { (void)run(probe, 9, 1, {.workers = 1, .threads = 2}); }), "Internal: input 2: first");
}

TEST(ListRun, goes_on_with_the_inputs_before_one_that_fails) {
  std::vector<int> finished;
  Probe probe;
  probe.on_prepare = [](int input) {
    if (input == 5) fail(ErrorCode::InvalidInput, "five");
    EXPECT_LT(input, 5);
  };
  probe.on_finish = [&](int input) {
    finished.push_back(input);
    if (input == 3) fail(ErrorCode::Backend, "three");
  };
  EXPECT_EQ(error_of([&] { (void)run(probe, 100, 10, {.workers = 1, .threads = 1}); }), "Backend: input 3: three");
  EXPECT_THAT(finished, ElementsAre(0, 1, 2, 3));
}

TEST(ListRun, stops_when_asked_while_it_runs) {
  std::stop_source source;
  std::vector<int> ran;
  std::vector<int> finished;
  Probe probe;
  probe.on_execute = [&](const std::vector<int>& rows) {
    ran.push_back(rows.front());
    if (rows.front() == 2) source.request_stop();
  };
  probe.on_finish = [&](int input) { finished.push_back(input); };
  EXPECT_EQ(error_of([&] { (void)run(probe, 100, 1, {.workers = 1, .threads = 1}, source.get_token()); }),
            "Cancelled: cancelled by the caller");
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
  EXPECT_THAT(finished, Not(Contains(2)));
}

}  // namespace
}  // namespace transmuter
