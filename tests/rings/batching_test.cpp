// The promise of batching: an input's result does not depend on the inputs beside it. Every golden case runs alone, as a
// list, as a shuffled list, and from many threads at once in batches of every size.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "support/golden.hpp"
#include "tasks/registry.hpp"

namespace transmuter {
namespace {

using testing::GoldenCase;

std::vector<GoldenCase> cases_with_results() {
  std::vector<GoldenCase> cases;
  for (const GoldenCase& golden : testing::golden_cases()) {
    if (!golden.expects_error()) cases.push_back(golden);
  }
  return cases;
}

class Batching : public ::testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override {
    serving_ = find_task(GetParam().task()).open(source_of(GetParam().model()), GetParam().options(), {});
    inputs_ = GetParam().inputs();
    for (const Json& input : inputs_) alone_.push_back(serving_->run(input)->json(TensorWriter()));
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
  std::vector<std::size_t> order(inputs_.size() * 3);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i % inputs_.size();
  std::mt19937 random(7);
  for (int round = 0; round < 2; ++round) {
    std::vector<Json> shuffled;
    for (const std::size_t input : order) shuffled.push_back(inputs_[input]);
    const auto results = serving_->run(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) expect_equal(results[i]->json(TensorWriter()), order[i]);
    std::ranges::shuffle(order, random);
  }
}

TEST_P(Batching, gives_each_input_its_own_result_from_many_threads) {
  for (const std::size_t batch_size : {1UL, 3UL, 32UL}) {
    const auto started = serving_->start({.batch_size = batch_size, .batch_timeout = std::chrono::milliseconds(1), .workers = 2});
    std::vector<std::jthread> callers;
    for (unsigned caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        std::mt19937 random(caller);
        std::vector<std::size_t> order(inputs_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, random);
        std::vector<std::unique_ptr<AnyBatched::Pending>> pending;
        for (const std::size_t input : order) pending.push_back(started->submit(inputs_[input]));
        for (std::size_t i = 0; i < order.size(); ++i) expect_equal(pending[i]->get()->json(TensorWriter()), order[i]);
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(cases, Batching, ::testing::ValuesIn(cases_with_results()), testing::test_name);

}  // namespace
}  // namespace transmuter
