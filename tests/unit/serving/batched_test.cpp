#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/threads.hpp"
#include "serving/make_serving.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"

namespace transmuter {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

using GatedBatched = Batched<GatedInput, std::vector<int>>;
using Result = std::vector<int>;

/// A started Gated program. Its options default to batches of 4, without a timeout.
struct BatchedTest : testing::Test {
  GatedBatched start(BatchOptions options = {}) const {
    if (options.batch_size == 0) options.batch_size = 4;
    return make_serving(program).start(options);
  }

  /// Runs an input on a thread of its own.
  static std::future<Result> run(const GatedBatched& batched, GatedInput input, std::stop_token stop = {}) {
    return std::async(std::launch::async, [&batched, input = std::move(input), stop = std::move(stop)] {
      return batched.run(input, stop);
    });
  }

  Gated program;
  Gate& gate = *program.gate;
};

TEST_F(BatchedTest, runs_an_input_at_once_without_a_timeout) {
  const GatedBatched batched = start();
  auto result = batched.submit({{1}});
  EXPECT_THAT(gate.pass(), ElementsAre(1));
  EXPECT_THAT(result.get(), ElementsAre(10));
}

TEST_F(BatchedTest, grows_a_batch_while_the_worker_is_busy) {
  const GatedBatched batched = start();
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  auto second = batched.submit({{2}});
  auto third = batched.submit({{3}});
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(2, 3));
  EXPECT_THAT(first.get(), ElementsAre(10));
  EXPECT_THAT(second.get(), ElementsAre(20));
  EXPECT_THAT(third.get(), ElementsAre(30));
}

TEST_F(BatchedTest, starts_a_full_batch_before_its_timeout) {
  const GatedBatched batched = start({.batch_size = 2, .batch_timeout = 1h});
  auto first = batched.submit({{1}});
  EXPECT_EQ(batched.metrics().queued_rows, 1);
  auto second = batched.submit({{2}});
  EXPECT_THAT(gate.pass(), ElementsAre(1, 2));
  EXPECT_THAT(first.get(), ElementsAre(10));
}

TEST_F(BatchedTest, starts_a_part_of_a_batch_after_its_timeout) {
  const GatedBatched batched = start({.batch_timeout = 1ms});
  auto result = batched.submit({{1}});
  EXPECT_THAT(gate.pass(), ElementsAre(1));
  EXPECT_THAT(result.get(), ElementsAre(10));
}

TEST_F(BatchedTest, splits_an_input_of_many_rows) {
  const GatedBatched batched = start({.batch_size = 2});
  auto result = batched.submit({{1, 2, 3, 4, 5}});
  EXPECT_THAT(gate.pass(), ElementsAre(1, 2));
  EXPECT_THAT(gate.pass(), ElementsAre(3, 4));
  EXPECT_THAT(gate.pass(), ElementsAre(5));
  EXPECT_THAT(result.get(), ElementsAre(10, 20, 30, 40, 50));
}

TEST_F(BatchedTest, shares_the_cores_while_more_rows_wait) {
  const GatedBatched batched = start({.batch_size = 1, .workers = 2});
  auto alone = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  EXPECT_FALSE(SharedCores::any());
  auto more = batched.submit({{2, 3}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(2));
  EXPECT_TRUE(SharedCores::any());
  for (int i = 0; i < 2; ++i) gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(3));
  (void)alone.get();
  (void)more.get();
  EXPECT_FALSE(SharedCores::any());
}

TEST_F(BatchedTest, fills_a_batch_with_a_part_of_the_next_input) {
  const GatedBatched batched = start({.batch_size = 4, .batch_timeout = 1h});
  auto first = batched.submit({{1, 2, 3}});
  auto second = batched.submit({{4, 5, 6, 7, 8}});
  EXPECT_THAT(gate.pass(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(gate.pass(), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(second.get(), ElementsAre(40, 50, 60, 70, 80));
  EXPECT_THAT(first.get(), ElementsAre(10, 20, 30));
}

TEST_F(BatchedTest, finishes_an_input_without_rows_at_once) {
  const GatedBatched batched = start({.batch_timeout = 1h});
  EXPECT_THAT(batched.run(GatedInput{}), ElementsAre());
}

TEST_F(BatchedTest, keeps_rows_of_different_keys_apart) {
  const GatedBatched batched = start();
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  auto a = batched.submit({{2}, 7});
  auto b = batched.submit({{3}, 5});
  auto c = batched.submit({{4}, 7});
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(2, 4));
  EXPECT_THAT(gate.pass(), ElementsAre(3));
  EXPECT_THAT(c.get(), ElementsAre(40));
}

TEST_F(BatchedTest, puts_each_row_of_an_input_into_its_own_lane) {
  const GatedBatched batched = start({.batch_size = 2});
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  auto mixed = batched.submit({{2, 3, 4, 5, 6}, 0, {9, 7, 9, 7, 7}});
  auto other = batched.submit({{8}, 9});
  auto last = batched.submit({{10}, 7});
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(3, 5));
  EXPECT_THAT(gate.pass(), ElementsAre(6, 10));
  EXPECT_THAT(gate.pass(), ElementsAre(2, 4));
  EXPECT_THAT(mixed.get(), ElementsAre(20, 30, 40, 50, 60));
  EXPECT_THAT(gate.pass(), ElementsAre(8));
  EXPECT_THAT(last.get(), ElementsAre(100));
  EXPECT_EQ(batched.metrics().rows, 8);
}

TEST_F(BatchedTest, drops_the_rows_of_all_lanes_of_a_cancelled_input) {
  const GatedBatched batched = start({.batch_size = 2});
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  std::stop_source source;
  auto mixed = batched.submit({{2, 3, 4}, 0, {1, 2, 3}}, source.get_token());
  auto other = batched.submit({{5}, 2});
  source.request_stop();
  EXPECT_EQ(batched.metrics().queued_rows, 1);
  EXPECT_EQ(error_of([&] { (void)mixed.get(); }), "Cancelled: cancelled by the caller");
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(5));
}

TEST_F(BatchedTest, drops_the_other_lanes_of_an_input_whose_batch_crashes) {
  const GatedBatched batched = start({.batch_size = 2});
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  auto mixed = batched.submit({{2, 3, 4}, 0, {1, 2, 1}});
  auto other = batched.submit({{5}, 2});
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(Verdict::Crash), ElementsAre(2, 4));
  EXPECT_THAT(gate.pass(), ElementsAre(5));
  EXPECT_EQ(error_of([&] { (void)mixed.get(); }), "Backend: crash asked by the test");
}

TEST_F(BatchedTest, stop_fails_an_input_with_rows_in_several_lanes) {
  GatedBatched batched = start({.batch_size = 2, .batch_timeout = 1h});
  auto mixed = batched.submit({{1, 2, 3}, 0, {1, 2, 3}});
  batched.stop();
  EXPECT_THAT(error_of([&] { (void)mixed.get(); }), HasSubstr("Unavailable"));
  EXPECT_EQ(batched.metrics().queued_rows, 0);
}

TEST_F(BatchedTest, starts_the_lane_of_an_input_that_became_full) {
  const GatedBatched batched = start({.batch_size = 2, .batch_timeout = 1h});
  auto mixed = batched.submit({{1, 2, 3}, 0, {1, 2, 2}});
  EXPECT_THAT(gate.pass(), ElementsAre(2, 3));
  auto other = batched.submit({{4}, 1});
  EXPECT_THAT(gate.pass(), ElementsAre(1, 4));
  EXPECT_THAT(mixed.get(), ElementsAre(10, 20, 30));
}

TEST_F(BatchedTest, refuses_keys_that_are_not_one_a_row) {
  const GatedBatched batched = start();
  EXPECT_EQ(error_of([&] { (void)batched.run({{1, 2}, 0, {1}}); }), "Internal: the task made 1 keys for 2 rows");
}

TEST_F(BatchedTest, serves_the_lane_with_the_oldest_head_first) {
  const GatedBatched batched = start({.batch_size = 2});
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  std::vector<Pending<Result>> results;
  for (const auto& [row, lane] : {std::pair(2, 9), {3, 1}, {4, 1}, {5, 1}, {6, 9}, {7, 9}}) {
    results.push_back(batched.submit({{row}, lane}));
  }
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(2, 6));
  EXPECT_THAT(gate.pass(), ElementsAre(3, 4));
  EXPECT_THAT(gate.pass(), ElementsAre(5));
  EXPECT_THAT(gate.pass(), ElementsAre(7));
}

TEST_F(BatchedTest, runs_as_many_batches_at_once_as_it_has_workers) {
  const GatedBatched batched = start({.batch_size = 1, .workers = 2});
  auto first = batched.submit({{1}});
  auto second = batched.submit({{2}});
  std::vector<int> running{gate.started.receive().front(), gate.started.receive().front()};
  EXPECT_THAT(running, testing::UnorderedElementsAre(1, 2));
  gate.allowed.send(Verdict::Pass);
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(first.get(), ElementsAre(10));
  EXPECT_THAT(second.get(), ElementsAre(20));
}

TEST_F(BatchedTest, wakes_a_second_worker_for_the_timeout_of_another_lane) {
  const GatedBatched batched = start({.batch_timeout = 1ms, .workers = 2});
  auto first = batched.submit({{1}, 1});
  auto second = batched.submit({{2}, 2});
  std::vector<int> running{gate.started.receive().front(), gate.started.receive().front()};
  EXPECT_THAT(running, testing::UnorderedElementsAre(1, 2));
  gate.allowed.send(Verdict::Pass);
  gate.allowed.send(Verdict::Pass);
}

TEST_F(BatchedTest, runs_the_batches_of_one_input_on_all_workers) {
  const GatedBatched batched = start({.batch_size = 1, .workers = 3});
  for (int round = 0; round < 20; ++round) {
    auto result = batched.submit({{1, 2, 3}});
    for (int i = 0; i < 3; ++i) (void)gate.started.receive();
    for (int i = 0; i < 3; ++i) gate.allowed.send(Verdict::Pass);
    EXPECT_THAT(result.get(), ElementsAre(10, 20, 30));
  }
}

TEST_F(BatchedTest, fails_only_the_inputs_of_a_batch_that_crashes) {
  const GatedBatched batched = start({.batch_size = 2});
  auto first = batched.submit({{1, 2}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1, 2));
  auto second = batched.submit({{3}});
  auto third = batched.submit({{4, 5, 6}});
  auto fourth = batched.submit({{7}});
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(Verdict::Crash), ElementsAre(3, 4));
  EXPECT_THAT(gate.pass(), ElementsAre(7));  // the other rows of the third left the queue
  EXPECT_THAT(first.get(), ElementsAre(10, 20));
  EXPECT_EQ(error_of([&] { (void)second.get(); }), "Backend: crash asked by the test");
  EXPECT_EQ(error_of([&] { (void)third.get(); }), "Backend: crash asked by the test");
  EXPECT_THAT(fourth.get(), ElementsAre(70));
  EXPECT_EQ(batched.metrics().failures, 2);
}

TEST_F(BatchedTest, takes_no_memory_for_unavailable) {
  const GatedBatched batched = start();
  auto result = batched.submit({{1}});
  (void)gate.pass(Verdict::ThrowOther);
  EXPECT_THAT(error_of([&] { (void)result.get(); }), HasSubstr("Unavailable: out of memory"));
}

TEST_F(BatchedTest, refuses_a_batch_with_a_wrong_number_of_outputs) {
  const GatedBatched batched = start();
  auto result = batched.submit({{1, 2}});
  (void)gate.pass(Verdict::LoseOutput);
  EXPECT_EQ(error_of([&] { (void)result.get(); }), "Internal: the task made 1 outputs for a batch of 2 rows");
}

TEST_F(BatchedTest, throws_from_prepare_before_queueing) {
  const GatedBatched batched = start({.batch_timeout = 1h});
  EXPECT_EQ(error_of([&] { (void)batched.submit({{13}}); }), "InvalidInput: 13 is not a row");
  EXPECT_EQ(error_of([&] { (void)batched.run({{13}}); }), "InvalidInput: 13 is not a row");
  EXPECT_EQ(batched.metrics().queued_rows, 0);
}

TEST_F(BatchedTest, throws_from_finish_to_its_caller_only) {
  const GatedBatched batched = start({.batch_size = 2, .batch_timeout = 1h});
  auto first = batched.submit({{99}});
  auto second = batched.submit({{1}});
  EXPECT_THAT(gate.pass(), ElementsAre(99, 1));
  EXPECT_EQ(error_of([&] { (void)first.get(); }), "Backend: 99 has no result");
  EXPECT_THAT(second.get(), ElementsAre(10));
}

TEST_F(BatchedTest, refuses_a_cancelled_input) {
  const GatedBatched batched = start();
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(error_of([&] { (void)batched.run({{1}}, source.get_token()); }), "Cancelled: cancelled by the caller");
  EXPECT_EQ(batched.metrics().cancelled, 1);
}

TEST_F(BatchedTest, drops_the_rows_of_an_input_cancelled_in_the_queue) {
  const GatedBatched batched = start();
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  std::stop_source source;
  auto second = batched.submit({{2, 3}}, source.get_token());
  auto third = batched.submit({{4}});
  source.request_stop();
  EXPECT_EQ(batched.metrics().queued_rows, 1);
  EXPECT_EQ(error_of([&] { (void)second.get(); }), "Cancelled: cancelled by the caller");
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(4));
  EXPECT_THAT(third.get(), ElementsAre(40));
}

TEST_F(BatchedTest, returns_at_once_when_cancelled_while_its_batch_runs) {
  const GatedBatched batched = start();
  std::stop_source source;
  std::future<Result> cancelled = run(batched, {{1, 2}}, source.get_token());
  EXPECT_THAT(gate.started.receive(), ElementsAre(1, 2));
  source.request_stop();
  EXPECT_EQ(error_of([&] { (void)cancelled.get(); }), "Cancelled: cancelled by the caller");
  gate.allowed.send(Verdict::Pass);  // the batch ends and writes its outputs after the caller has gone
  auto next = batched.submit({{3}});
  EXPECT_THAT(gate.pass(), ElementsAre(3));
  EXPECT_THAT(next.get(), ElementsAre(30));
}

TEST_F(BatchedTest, gives_a_result_that_came_before_the_cancel) {
  const GatedBatched batched = start();
  std::stop_source source;
  auto result = batched.submit({{1}}, source.get_token());
  auto other = batched.submit({{2}, 2});
  EXPECT_THAT(gate.pass(), ElementsAre(1));
  EXPECT_THAT(gate.pass(), ElementsAre(2));
  source.request_stop();
  EXPECT_THAT(result.get(), ElementsAre(10));
}

TEST_F(BatchedTest, cancels_a_pending_result_that_is_dropped) {
  const GatedBatched batched = start();
  auto first = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  {
    const auto dropped = batched.submit({{2}});
  }
  auto third = batched.submit({{3}});
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(3));
  EXPECT_THAT(third.get(), ElementsAre(30));
  EXPECT_EQ(batched.metrics().cancelled, 1);
}

TEST_F(BatchedTest, gives_a_result_only_once) {
  const GatedBatched batched = start();
  auto result = batched.submit({{1}});
  (void)gate.pass();
  (void)result.get();
  EXPECT_THAT(error_of([&] { (void)result.get(); }), HasSubstr("InvalidInput: the result of this input was taken"));
}

TEST_F(BatchedTest, stop_fails_waiting_inputs_and_lets_running_ones_end) {
  GatedBatched batched = start({.batch_size = 2});
  auto running = batched.submit({{1, 2}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1, 2));
  auto half = batched.submit({{3}});
  std::future<Result> waiting = run(batched, {{4}});
  wait_until([&] { return batched.metrics().queued_rows == 2; });
  std::thread stopping([&] { batched.stop(); });
  EXPECT_THAT(error_of([&] { (void)waiting.get(); }), HasSubstr("Unavailable: the serving has stopped"));
  EXPECT_THAT(error_of([&] { (void)half.get(); }), HasSubstr("Unavailable"));
  EXPECT_THAT(error_of([&] { (void)batched.submit({{5}}); }), HasSubstr("Unavailable"));
  gate.allowed.send(Verdict::Pass);
  stopping.join();
  EXPECT_THAT(running.get(), ElementsAre(10, 20));
  batched.stop();
}

TEST_F(BatchedTest, stop_fails_an_input_that_is_being_prepared) {
  GatedBatched batched = start();
  gate.on_prepare = [&](const std::vector<int>&) { batched.stop(); };
  EXPECT_THAT(error_of([&] { (void)batched.run({{1}}); }), HasSubstr("Unavailable: the serving has stopped"));
}

TEST_F(BatchedTest, stop_fails_an_input_whose_rows_run_only_in_part) {
  GatedBatched batched = start({.batch_size = 2});
  auto result = batched.submit({{1, 2, 3}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1, 2));
  std::thread stopping([&] { batched.stop(); });
  EXPECT_THAT(error_of([&] { (void)result.get(); }), HasSubstr("Unavailable"));
  gate.allowed.send(Verdict::Pass);
  stopping.join();
}

TEST_F(BatchedTest, pending_results_outlive_their_serving) {
  std::vector<Pending<Result>> results;
  {
    const GatedBatched batched = start({.batch_size = 1});
    results.push_back(batched.submit({{1}}));
    EXPECT_THAT(gate.started.receive(), ElementsAre(1));
    results.push_back(batched.submit({{2}}));
    results.push_back(batched.submit({{3}}));
    gate.allowed.send(Verdict::Pass);
    EXPECT_THAT(gate.started.receive(), ElementsAre(2));
    gate.allowed.send(Verdict::Pass);
    EXPECT_THAT(gate.started.receive(), ElementsAre(3));
    gate.allowed.send(Verdict::Crash);
  }
  EXPECT_THAT(results[0].get(), ElementsAre(10));
  results.erase(results.begin() + 1);
  EXPECT_THAT(error_of([&] { (void)results[1].get(); }), HasSubstr("crash"));
}

TEST_F(BatchedTest, refuses_an_input_before_preparing_it_when_the_queue_is_full) {
  const GatedBatched batched = start({.batch_size = 1, .max_queued_rows = 2});
  auto running = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  auto second = batched.submit({{2}});
  auto third = batched.submit({{3}});
  EXPECT_EQ(error_of([&] { (void)batched.submit({{13}}); }),
            "Overloaded: the queue is full: 2 rows wait and 0 inputs are being prepared, max_queued_rows is 2; "
            "try again later");
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.started.receive(), ElementsAre(2));
  auto fourth = batched.submit({{4}});
  for (int i = 0; i < 3; ++i) gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(fourth.get(), ElementsAre(40));
}

TEST_F(BatchedTest, counts_an_input_that_is_being_prepared_as_a_row_of_the_queue) {
  const GatedBatched batched = start({.max_queued_rows = 1});
  std::string refused;
  gate.on_prepare = [&](const std::vector<int>& rows) {
    if (rows.front() == 1) refused = error_of([&] { (void)batched.submit({{2}}); });
  };
  auto result = batched.submit({{1}});
  EXPECT_THAT(refused, HasSubstr("Overloaded: the queue is full: 0 rows wait and 1 inputs are being prepared"));
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  EXPECT_EQ(error_of([&] { (void)batched.submit({{13}}); }).substr(0, 12), "InvalidInput");
  auto next = batched.submit({{3}});  // the place of the refused input is free again
  gate.allowed.send(Verdict::Pass);
  EXPECT_THAT(gate.pass(), ElementsAre(3));
}

TEST_F(BatchedTest, runs_an_input_with_more_rows_than_the_queue_may_hold) {
  const GatedBatched batched = start({.batch_size = 2, .max_queued_rows = 1});
  auto result = batched.submit({{1, 2, 3}});
  EXPECT_THAT(gate.pass(), ElementsAre(1, 2));
  EXPECT_THAT(gate.pass(), ElementsAre(3));
  EXPECT_THAT(result.get(), ElementsAre(10, 20, 30));
}

TEST_F(BatchedTest, does_not_wait_for_a_batch_that_the_full_queue_keeps_small) {
  const GatedBatched batched = start({.batch_size = 4, .batch_timeout = 1h, .max_queued_rows = 2});
  auto first = batched.submit({{1}, 1});
  auto second = batched.submit({{2}, 2});
  EXPECT_THAT(gate.pass(), ElementsAre(1));
  auto third = batched.submit({{3}, 3});
  EXPECT_THAT(gate.pass(), ElementsAre(2));
  EXPECT_THAT(first.get(), ElementsAre(10));
}

TEST_F(BatchedTest, runs_a_list_in_order) {
  const GatedBatched batched = start({.batch_size = 2});
  std::future<std::vector<Result>> results =
      std::async(std::launch::async, [&] { return batched.run({{{1}, 1}, {{2}, 2}, {}, {{3, 4}, 1}}); });
  for (std::size_t rows = 0; rows < 4;) rows += gate.pass().size();
  EXPECT_THAT(results.get(), ElementsAre(ElementsAre(10), ElementsAre(20), ElementsAre(), ElementsAre(30, 40)));
  EXPECT_THAT(batched.run(std::vector<GatedInput>()), ElementsAre());
}

TEST_F(BatchedTest, a_list_waits_for_room_in_the_queue) {
  const GatedBatched batched = start({.batch_size = 1, .max_queued_rows = 1});
  std::future<std::vector<Result>> results =
      std::async(std::launch::async, [&] { return batched.run({{{1}}, {{2}}, {{3}}, {{4}}}); });
  for (int row = 1; row <= 4; ++row) EXPECT_THAT(gate.pass(), ElementsAre(row));
  EXPECT_THAT(results.get(), ElementsAre(ElementsAre(10), ElementsAre(20), ElementsAre(30), ElementsAre(40)));
}

TEST_F(BatchedTest, a_list_waits_for_the_room_that_others_take) {
  const GatedBatched batched = start({.batch_size = 1, .max_queued_rows = 3});
  auto running = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  auto second = batched.submit({{2}});
  auto third = batched.submit({{3}});
  std::future<std::vector<Result>> results =
      std::async(std::launch::async, [&] { return batched.run({{{4}}, {{5}}}); });
  wait_until([&] { return batched.metrics().requests == 5; });
  EXPECT_EQ(batched.metrics().queued_rows, 3);
  gate.allowed.send(Verdict::Pass);
  for (int row = 2; row <= 5; ++row) EXPECT_THAT(gate.pass(), ElementsAre(row));
  EXPECT_THAT(results.get(), ElementsAre(ElementsAre(40), ElementsAre(50)));
}

TEST_F(BatchedTest, a_list_is_refused_at_its_start_only) {
  const GatedBatched batched = start({.batch_size = 1, .max_queued_rows = 1});
  auto running = batched.submit({{1}});
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  auto second = batched.submit({{2}});
  EXPECT_THAT(error_of([&] { (void)batched.run({{{3}}, {{4}}}); }),
              HasSubstr("Overloaded: input 0: the queue is full"));
  gate.allowed.send(Verdict::Pass);
  (void)gate.pass();
}

TEST_F(BatchedTest, a_list_names_its_first_input_that_fails) {
  const GatedBatched batched = start();
  for (int i = 0; i < 4; ++i) gate.allowed.send(Verdict::Pass);
  EXPECT_EQ(error_of([&] { (void)batched.run({{{1}}, {{99}}, {{2}}, {{13}}}); }), "Backend: input 1: 99 has no result");
  EXPECT_EQ(error_of([&] { (void)batched.run({{{1}}, {{13}}}); }), "InvalidInput: input 1: 13 is not a row");
}

TEST_F(BatchedTest, a_list_stops_when_asked) {
  const GatedBatched batched = start({.batch_size = 1, .max_queued_rows = 1});
  std::stop_source source;
  std::future<std::vector<Result>> results =
      std::async(std::launch::async, [&] { return batched.run({{{1}}, {{2}}, {{3}}}, source.get_token()); });
  EXPECT_THAT(gate.started.receive(), ElementsAre(1));
  source.request_stop();
  EXPECT_EQ(error_of([&] { (void)results.get(); }), "Cancelled: input 0: cancelled by the caller");
  EXPECT_EQ(batched.metrics().queued_rows, 0);
  gate.allowed.send(Verdict::Pass);
}

TEST_F(BatchedTest, counts_what_it_does) {
  const GatedBatched batched = start({.batch_size = 4, .batch_timeout = 1h});
  auto first = batched.submit({{1, 2, 3}});
  auto second = batched.submit({{4, 99}});
  EXPECT_THAT(gate.pass(), ElementsAre(1, 2, 3, 4));
  (void)first.get();
  auto third = batched.submit({{5, 6, 7}});
  EXPECT_THAT(gate.pass(), ElementsAre(99, 5, 6, 7));
  EXPECT_THAT(error_of([&] { (void)second.get(); }), HasSubstr("Backend"));
  const Metrics metrics = batched.metrics();
  EXPECT_EQ(metrics.requests, 3);
  EXPECT_EQ(metrics.batches, 2);
  EXPECT_EQ(metrics.rows, 8);
  EXPECT_EQ(metrics.failures, 1);
  EXPECT_EQ(metrics.cancelled, 0);
  EXPECT_EQ(metrics.queued_rows, 0);
  EXPECT_EQ(metrics.batches_by_rows[2], 2);
  EXPECT_GT(metrics.queue_seconds, 0);
  EXPECT_GT(metrics.execute_seconds, 0);
}

TEST_F(BatchedTest, refuses_a_negative_timeout) {
  EXPECT_EQ(error_of([&] { (void)start({.batch_timeout = -1ms}); }),
            "InvalidInput: batch_timeout: must be 0 or more milliseconds, is -1");
}

}  // namespace
}  // namespace transmuter
