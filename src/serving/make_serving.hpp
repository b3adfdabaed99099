#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "serving/batched.hpp"
#include "serving/list_run.hpp"
#include "serving/program.hpp"
#include "serving/stages.hpp"
#include "transmuter/serving.hpp"

namespace transmuter {
namespace serving {

template <Program P>
class ProgramList final : public ListStages {
 public:
  using Input = typename P::Input;
  using Output = typename P::Output;

  ProgramList(const P& program, std::span<const Input> inputs, std::size_t batch_size)
      : program_(program), inputs_(inputs), batch_size_(batch_size), outputs_(inputs.size()) {}

  std::shared_ptr<Request> prepare(std::size_t input) override {
    return serving::prepare(program_, inputs_[input], batch_size_);
  }
  void execute(const Batch& batch) override { serving::execute(program_, batch); }
  void finish(Request& request) override {
    auto& own = static_cast<ProgramRequest<P>&>(request);
    outputs_[request.input].emplace(serving::finish(program_, inputs_[request.input], own));
  }

  std::vector<Output> take() {
    std::vector<Output> outputs;
    outputs.reserve(outputs_.size());
    for (std::optional<Output>& output : outputs_) {
      if (!output) fail(ErrorCode::Internal, "input {} was not finished", outputs.size());
      outputs.push_back(std::move(*output));
    }
    return outputs;
  }

 private:
  const P& program_;
  const std::span<const Input> inputs_;
  const std::size_t batch_size_;
  std::vector<std::optional<Output>> outputs_;
};

template <Program P>
class ProgramServing final : public detail::ServingBase<typename P::Input, typename P::Output> {
 public:
  using Input = typename P::Input;
  using Output = typename P::Output;

  ProgramServing(P program, const ServingOptions& options)
      : program_(std::make_shared<const P>(std::move(program))), options_(options) {
    options_.workers = std::max<std::size_t>(options_.workers, 1);
  }

  Output run(const Input& input, std::stop_token stop) const override {
    const auto check = [&] {
      if (stop.stop_requested()) cancelled().raise();
    };
    check();
    const std::shared_ptr<ProgramRequest<P>> request = prepare(*program_, input, options_.batch_size);
    for (const Part& part : request->parts) {
      for (std::size_t place = part.next; place < part.end; place += part.most_rows) {
        check();
        execute(*program_, Batch{{request, place, std::min(part.most_rows, part.end - place)}});
      }
    }
    check();
    return finish(*program_, input, *request);
  }

  std::vector<Output> run(std::span<const Input> inputs, std::stop_token stop) const override {
    ProgramList<P> list(*program_, inputs, options_.batch_size);
    run_list(list,
             {.inputs = inputs.size(),
              .workers = options_.workers,
              .threads = std::max<std::size_t>(options_.workers, 1),
              .rows_in_flight = options_.rows_in_flight},
             stop);
    return list.take();
  }

  std::unique_ptr<detail::BatchedBase<Input, Output>> start(const BatchOptions& options) const override {
    BatchOptions complete = options;
    if (complete.batch_size == 0) complete.batch_size = options_.batch_size;
    if (complete.workers == 0) complete.workers = options_.workers;
    return std::make_unique<ProgramBatched<P>>(program_, complete);
  }

 private:
  const std::shared_ptr<const P> program_;
  ServingOptions options_;
};

}  // namespace serving

/// Makes a serving of a program. `Serving::run` of one input uses neither a queue nor a thread.
template <Program P>
Serving<typename P::Input, typename P::Output> make_serving(P program, const ServingOptions& options = {}) {
  return Serving<typename P::Input, typename P::Output>(
      std::make_shared<const serving::ProgramServing<P>>(std::move(program), options));
}

}  // namespace transmuter
