// The promise of batching: an input's result does not depend on the inputs beside it. Every golden case runs alone, as
// a list, as a shuffled list, and from many threads at once in batches of every size.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <thread>

#include "support/golden.hpp"
#include "tasks/registry.hpp"

namespace transmuter {
namespace {

using testing::GoldenCase;

// What an input gives: a result, or the code of an error.
Json outcome(const std::function<std::unique_ptr<const AnyResult>()>& run) {
  try {
    return run()->json(TensorWriter());
  } catch (const Error& error) {
    return name(error.code());
  }
}

class Batching : public ::testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override {
    const Json golden = GetParam().read();
    inputs_ = golden.get("inputs").elements();
    const Task& task = find_task(golden.get<std::string>("task"));
    try {
      serving_ = task.open(source_of(golden.get<std::string>("model")), golden.get("options"), {});
    } catch (const Error& error) {
      ASSERT_TRUE(golden.find("error")) << error.what();
      return;  // golden_test checks the error; there is nothing to batch
    }
    for (const Json& input : inputs_) alone_.push_back(outcome([&] { return serving_->run(input); }));
  }

  // Float kernels may round the last bits differently for another number of rows.
  void expect_equal(const Json& got, std::size_t input) const {
    EXPECT_EQ(testing::difference(alone_[input], got, tolerance_), "") << "input " << input;
  }

  std::unique_ptr<AnyServing> serving_;
  std::vector<Json> inputs_;
  std::vector<Json> alone_;
  const Json tolerance_ = Json::object({{"embedding", 5e-6}, {"score", 5e-6}});
};

TEST_P(Batching, gives_each_input_its_own_result_in_lists) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < alone_.size() * 3; ++i) {
    if (alone_[i % alone_.size()].is_object()) order.push_back(i % alone_.size());
  }
  std::mt19937 random(7);
  for (int round = 0; round < 2 && !order.empty(); ++round) {
    std::vector<Json> shuffled;
    for (const std::size_t input : order) shuffled.push_back(inputs_[input]);
    const auto results = serving_->run(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) expect_equal(results[i]->json(TensorWriter()), order[i]);
    std::ranges::shuffle(order, random);
  }
}

TEST_P(Batching, gives_each_input_its_own_result_from_many_threads) {
  for (const std::size_t batch_size : {1UL, 3UL, 32UL}) {
    if (!serving_) break;
    const auto started =
        serving_->start({.batch_size = batch_size, .batch_timeout = std::chrono::milliseconds(1), .workers = 2});
    std::vector<std::jthread> callers;
    for (unsigned caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        std::mt19937 random(caller);
        std::vector<std::size_t> order(alone_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, random);
        for (const std::size_t input : order) {
          expect_equal(outcome([&] { return started->submit(inputs_[input])->get(); }), input);
        }
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(cases, Batching, ::testing::ValuesIn(testing::golden_cases()), testing::test_name);

}  // namespace
}  // namespace transmuter
