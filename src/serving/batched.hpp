#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "serving/batch_queue.hpp"
#include "serving/stages.hpp"
#include "serving/workers.hpp"
#include "transmuter/serving.hpp"

namespace transmuter::serving {

/// What a started serving and its pending results share. Results may outlive the serving.
template <Program P>
struct Started {
  Started(std::shared_ptr<const P> loaded, const BatchOptions& options)
      : program(std::move(loaded)), batch_size(options.batch_size), queue(options) {}

  const std::shared_ptr<const P> program;
  const std::size_t batch_size;
  BatchQueue queue;
};

/// An input in the queue. It does not own the input. Its end cancels what has not run.
template <Program P>
class Ticket {
 public:
  using Input = typename P::Input;

  Ticket(Started<P>& started, const Input& input, const std::stop_token& stop, Room room)
      : started_(started), request_(queue(input, stop, room)), on_stop_(stop, Cancel{*this}) {}
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() { Cancel{*this}(); }

  std::size_t rows() const { return request_->size; }
  bool ended() const { return started_.queue.ended(*request_); }

  /// Waits for the model, then makes the result on this thread.
  typename P::Output get(const Input& input) {
    started_.queue.wait(*request_);
    const Clock::time_point start = Clock::now();
    try {
      typename P::Output output = finish(*started_.program, input, *request_);
      started_.queue.finish(Clock::now() - start, false);
      return output;
    } catch (...) {
      started_.queue.finish(Clock::now() - start, true);
      throw;
    }
  }

 private:
  struct Cancel {
    Ticket& ticket;
    void operator()() const { ticket.started_.queue.cancel(*ticket.request_); }
  };

  std::shared_ptr<ProgramRequest<P>> queue(const Input& input, const std::stop_token& stop, Room room) {
    started_.queue.admit(stop, room);
    const Clock::time_point start = Clock::now();
    std::shared_ptr<ProgramRequest<P>> request;
    try {
      request = prepare(*started_.program, input, started_.batch_size);
    } catch (...) {
      started_.queue.refuse();
      throw;
    }
    started_.queue.add(request, Clock::now() - start);
    return request;
  }

  Started<P>& started_;
  std::shared_ptr<ProgramRequest<P>> request_;
  std::stop_callback<Cancel> on_stop_;
};

template <Program P>
class ProgramPending final : public detail::PendingBase<typename P::Output> {
 public:
  ProgramPending(std::shared_ptr<Started<P>> started, typename P::Input input, const std::stop_token& stop)
      : started_(std::move(started)), input_(std::move(input)), ticket_(*started_, input_, stop, Room::Refuse) {}

  typename P::Output get() override { return ticket_.get(input_); }

 private:
  std::shared_ptr<Started<P>> started_;
  typename P::Input input_;
  Ticket<P> ticket_;
};

template <Program P>
class ProgramBatched final : public detail::BatchedBase<typename P::Input, typename P::Output> {
 public:
  using Input = typename P::Input;
  using Output = typename P::Output;

  /// The options are complete: `batch_size` may be 0 (no bound), `workers` not.
  ProgramBatched(std::shared_ptr<const P> program, const BatchOptions& options)
      : started_(std::make_shared<Started<P>>(std::move(program), options)),
        list_rows_(options.max_queued_rows == 0 ? BatchOptions().max_queued_rows : options.max_queued_rows),
        workers_(started_->queue, options.workers,
                 [started = started_.get()](const Batch& batch) { execute(*started->program, batch); }) {}

  Output run(const Input& input, std::stop_token stop) override {
    return Ticket<P>(*started_, input, stop, Room::Refuse).get(input);
  }

  std::vector<Output> run(std::span<const Input> inputs, std::stop_token stop) override {
    std::vector<Output> outputs;
    outputs.reserve(inputs.size());
    std::deque<Ticket<P>> tickets;  // of the inputs from outputs.size() on
    std::size_t rows = 0;
    const auto collect = [&] {
      rows -= tickets.front().rows();
      try {
        outputs.push_back(tickets.front().get(inputs[outputs.size()]));
      } catch (...) {
        current_failure().raise_at(outputs.size());
      }
      tickets.pop_front();
    };
    std::optional<Failure> refused;  // of the input after those of the tickets
    for (const Input& input : inputs) {
      while (!tickets.empty() && (rows >= list_rows_ || tickets.front().ended())) collect();
      try {
        tickets.emplace_back(*started_, input, stop, &input == &inputs[0] ? Room::Refuse : Room::Wait);
      } catch (...) {
        refused = current_failure();
        break;
      }
      rows += tickets.back().rows();
    }
    while (!tickets.empty()) collect();
    if (refused) refused->raise_at(outputs.size());
    return outputs;
  }

  std::unique_ptr<detail::PendingBase<Output>> submit(Input input, std::stop_token stop) override {
    return std::make_unique<ProgramPending<P>>(started_, std::move(input), stop);
  }

  Metrics metrics() const override { return started_->queue.metrics(); }
  void stop() override { workers_.stop(); }

 private:
  std::shared_ptr<Started<P>> started_;
  const std::size_t list_rows_;  // the most rows of a list that are in memory, but for those of the last input
  Workers workers_;
};

}  // namespace transmuter::serving
