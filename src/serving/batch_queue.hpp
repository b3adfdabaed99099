#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "serving/lanes.hpp"
#include "transmuter/serving.hpp"

namespace transmuter::serving {

/// What an input does in front of a full queue.
enum class Room { Refuse, Wait };

/// Where the requests of a started serving meet its workers. Callers admit, add and wait; workers take and complete.
/// Workers pull: a batch forms only when a worker is free, so it grows while none is, without a timer thread.
class BatchQueue {
 public:
  /// Throws InvalidInput for a negative batch_timeout.
  explicit BatchQueue(const BatchOptions& options);

  /// Before an input is prepared: throws Cancelled, Unavailable (stopped), or Overloaded when the queue is full; with
  /// Room::Wait it waits for room instead. The place it gives is used up by add() or refuse().
  void admit(const std::stop_token& stop, Room room);

  /// The admitted input is not valid.
  void refuse();

  /// Queues the rows of an admitted input. One without rows has ended; in a stopped queue it fails.
  void add(const std::shared_ptr<Request>& request, Seconds prepare);

  bool ended(const Request& request) const;

  /// Waits until a request has all its outputs. Throws its failure.
  void wait(Request& request);

  /// Ends a request with Cancelled, unless it has ended; its waiting rows leave the queue.
  void cancel(Request& request);

  /// The result of a request was made, or could not be.
  void finish(Seconds duration, bool failed);

  /// For a worker: waits for a batch that is ready. No rows means that the queue has stopped.
  Batch take();

  /// Whether rows wait or are being prepared.
  bool has_more() const;

  /// For a worker: the rows of a batch have their outputs.
  void complete(const Batch& batch, Seconds execute);

  /// For a worker: every request with a row in this batch fails; its other rows leave the queue.
  void fail(const Batch& batch, const Failure& failure, Seconds execute);

  /// Refuses new inputs and fails those that wait. Workers get no more batches.
  void stop();

  Metrics metrics() const;

 private:
  bool has_room() const;
  bool ready(const Lane& lane, Clock::time_point now) const;
  std::optional<Lanes::Iterator> oldest_ready(Clock::time_point now);
  Clock::time_point oldest_arrival();
  void end_with(Request& request, const Failure& failure);
  void count(const Batch& batch);

  const std::size_t max_queued_rows_;
  const Clock::duration batch_timeout_;

  mutable std::mutex mutex_;  // guards all below, and the requests
  std::condition_variable changed_;
  std::condition_variable_any room_;
  Lanes lanes_;
  std::size_t admitted_ = 0;      // inputs being prepared, each counted as one row
  std::size_t idle_workers_ = 0;  // waiting for changed_
  bool stopped_ = false;
  Metrics metrics_;
};

}  // namespace transmuter::serving
