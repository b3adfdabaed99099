#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "transmuter/error.hpp"

#pragma GCC visibility push(default)
namespace transmuter {

/// How a started serving puts the inputs of concurrent callers into batches.
struct BatchOptions {
  /// The most rows of one run of the model. A serving that knows how many rows make one good run (many short texts, one
  /// long one) takes fewer. 0: the serving's choice.
  std::size_t batch_size = 0;
  /// How long a batch that is not full waits for more rows, from the arrival of its first row, while a worker is free.
  /// A batch grows anyway while no worker is. 0: it does not wait.
  std::chrono::milliseconds batch_timeout{0};
  /// An input that arrives when this many rows wait is refused with Overloaded. An input that is admitted may add more
  /// rows than there was room for, so one that makes many rows runs too. 0: no limit.
  std::size_t max_queued_rows = 4096;
  /// How many batches run at the same time, each on its own thread. 0: the serving's choice.
  std::size_t workers = 0;
};

/// What a started serving has done since its start. Times are sums over requests or batches, in seconds.
struct Metrics {
  std::uint64_t requests = 0;   ///< Inputs given, whatever became of them.
  std::uint64_t failures = 0;   ///< Requests that ended with an error, refused ones too; cancelled ones are not in it.
  std::uint64_t cancelled = 0;  ///< Requests that their caller gave up.
  std::uint64_t batches = 0;    ///< Runs of the model.
  std::uint64_t rows = 0;       ///< Rows of those runs; rows / batches is the mean batch.
  std::size_t queued_rows = 0;  ///< Rows that wait now.
  double prepare_seconds = 0;   ///< From input to rows, on the callers' threads.
  double queue_seconds = 0;     ///< From the arrival of a request's rows until the last of them is in a batch.
  double execute_seconds = 0;   ///< In the model, on the workers' threads.
  double finish_seconds = 0;    ///< From the model's outputs to the result, on the callers' threads.
  /// Element i counts the batches of 2^i up to 2^(i+1) - 1 rows; the last one those of more rows, too.
  std::array<std::uint64_t, 12> batches_by_rows{};
};

namespace detail {

template <class Out>
class PendingBase {
 public:
  virtual ~PendingBase() = default;
  virtual Out get() = 0;
};

template <class In, class Out>
class BatchedBase {
 public:
  virtual ~BatchedBase() = default;
  virtual Out run(const In& input, std::stop_token stop) = 0;
  virtual std::vector<Out> run(std::span<const In> inputs, std::stop_token stop) = 0;
  virtual std::unique_ptr<PendingBase<Out>> submit(In input, std::stop_token stop) = 0;
  virtual Metrics metrics() const = 0;
  virtual void stop() = 0;
};

template <class In, class Out>
class ServingBase {
 public:
  virtual ~ServingBase() = default;
  virtual Out run(const In& input, std::stop_token stop) const = 0;
  virtual std::vector<Out> run(std::span<const In> inputs, std::stop_token stop) const = 0;
  virtual std::unique_ptr<BatchedBase<In, Out>> start(const BatchOptions& options) const = 0;
};

}  // namespace detail

/// The result of an input that was submitted. Dropped before get(), it cancels the input. It may outlive its Batched.
template <class Out>
class Pending {
 public:
  explicit Pending(std::unique_ptr<detail::PendingBase<Out>> base) : base_(std::move(base)) {}

  /// Waits for the model and makes the result on this thread. Call it once: the result moves out.
  /// Throws what Batched::run throws.
  Out get() {
    if (!base_) throw Error(ErrorCode::InvalidInput, "the result of this input was taken before; call get() once");
    const std::unique_ptr<detail::PendingBase<Out>> base = std::move(base_);
    return base->get();
  }

 private:
  std::unique_ptr<detail::PendingBase<Out>> base_;
};

/// A started serving: the inputs of all callers go into common batches, and worker threads run them. A result does not
/// depend on the inputs that share its batch. Every function may be called from any thread.
template <class In, class Out>
class Batched {
 public:
  explicit Batched(std::unique_ptr<detail::BatchedBase<In, Out>> base) : base_(std::move(base)) {}
  Batched(Batched&&) noexcept = default;
  Batched& operator=(Batched&&) noexcept = default;
  /// As stop().
  ~Batched() = default;

  /// Runs one input and waits for its result. The input is checked and the result is made on this thread.
  /// When `stop` is requested the call returns at once.
  /// Throws InvalidInput, Overloaded (the queue is full), Unavailable (stopped), Cancelled, Backend.
  Out run(const In& input, std::stop_token stop = {}) const { return base_->run(input, std::move(stop)); }

  /// Runs inputs and gives their results in the same order. A list is refused with Overloaded only at its start; later
  /// inputs wait for room. The error of the first input that fails is thrown, as "input 3: ...", counted from 0.
  std::vector<Out> run(std::span<const In> inputs, std::stop_token stop = {}) const {
    return base_->run(inputs, std::move(stop));
  }
  std::vector<Out> run(std::initializer_list<In> inputs, std::stop_token stop = {}) const {
    return run(std::span<const In>(inputs.begin(), inputs.size()), std::move(stop));
  }

  /// Checks and queues one input and returns without waiting for the model. Throws as run() does.
  Pending<Out> submit(In input, std::stop_token stop = {}) const {
    return Pending<Out>(base_->submit(std::move(input), std::move(stop)));
  }

  Metrics metrics() const { return base_->metrics(); }

  /// Refuses new inputs, fails those that wait with Unavailable, lets running batches end, and joins the workers.
  void stop() { base_->stop(); }

 private:
  std::unique_ptr<detail::BatchedBase<In, Out>> base_;
};

/// A loaded task, ready to run. A value: copies share the model. Every function may be called from any thread.
template <class In, class Out>
class Serving {
 public:
  using Input = In;
  using Output = Out;

  explicit Serving(std::shared_ptr<const detail::ServingBase<In, Out>> base) : base_(std::move(base)) {}

  /// Runs one input on this thread. `stop` is looked at between two runs of the model.
  /// Throws InvalidInput, Cancelled, Backend.
  Out run(const In& input, std::stop_token stop = {}) const { return base_->run(input, std::move(stop)); }

  /// Runs inputs and gives their results in the same order. This is the fastest way to run many inputs: rows of equal
  /// shape share a run, and several threads prepare, run and finish; memory is held for a part of the list at a time.
  /// The error of the first input that fails is thrown, as "input 3: ...", counted from 0; then the rest is dropped.
  std::vector<Out> run(std::span<const In> inputs, std::stop_token stop = {}) const {
    return base_->run(inputs, std::move(stop));
  }
  /// A braced list is always a list of inputs, of one input too.
  std::vector<Out> run(std::initializer_list<In> inputs, std::stop_token stop = {}) const {
    return run(std::span<const In>(inputs.begin(), inputs.size()), std::move(stop));
  }

  /// Starts worker threads that run the inputs of many callers in common batches. Throws InvalidInput.
  Batched<In, Out> start(const BatchOptions& options = {}) const { return Batched<In, Out>(base_->start(options)); }

 private:
  std::shared_ptr<const detail::ServingBase<In, Out>> base_;
};

}  // namespace transmuter
#pragma GCC visibility pop
