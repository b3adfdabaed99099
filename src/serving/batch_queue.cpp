#include "serving/batch_queue.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace transmuter::serving {
namespace {

constexpr std::chrono::milliseconds kLongestTimeout = std::chrono::hours(24 * 365);  // now + timeout must not overflow

Clock::duration checked(std::chrono::milliseconds timeout) {
  if (timeout.count() < 0) {
    fail(ErrorCode::InvalidInput, "batch_timeout: must be 0 or more milliseconds, is {}", timeout.count());
  }
  return std::min(timeout, kLongestTimeout);
}

Failure stopped() { return {ErrorCode::Unavailable, "the serving has stopped; start it again"}; }

}  // namespace

BatchQueue::BatchQueue(const BatchOptions& options)
    : max_queued_rows_(options.max_queued_rows), batch_timeout_(checked(options.batch_timeout)) {}

bool BatchQueue::has_room() const { return max_queued_rows_ == 0 || lanes_.rows() + admitted_ < max_queued_rows_; }

void BatchQueue::admit(const std::stop_token& stop, Room room) {
  std::unique_lock lock(mutex_);
  ++metrics_.requests;
  if (room == Room::Wait) room_.wait(lock, stop, [&] { return stopped_ || has_room(); });
  if (stop.stop_requested()) {
    ++metrics_.cancelled;
    cancelled().raise();
  }
  if (stopped_) {
    ++metrics_.failures;
    stopped().raise();
  }
  if (!has_room()) {
    ++metrics_.failures;
    transmuter::fail(
        ErrorCode::Overloaded,
        "the queue is full: {} rows wait and {} inputs are being prepared, max_queued_rows is {}; try again later",
        lanes_.rows(), admitted_, max_queued_rows_);
  }
  ++admitted_;
}

void BatchQueue::refuse() {
  const std::scoped_lock lock(mutex_);
  --admitted_;
  ++metrics_.failures;
  room_.notify_all();
}

void BatchQueue::add(const std::shared_ptr<Request>& request, Seconds prepare) {
  const std::scoped_lock lock(mutex_);
  --admitted_;
  metrics_.prepare_seconds += prepare.count();
  request->arrival = Clock::now();
  if (stopped_) return end_with(*request, stopped());
  if (request->size == 0) return room_.notify_all();

  // A worker that waits is told once a lane, not once a row; it tells the next one when it leaves rows behind.
  bool news = lanes_.empty();
  for (std::size_t part = 0; part < request->parts.size(); ++part) {
    const auto before = lanes_.find(request->parts[part].key);
    const bool was_ready = before != lanes_.end() && ready(before->second, request->arrival);
    const auto lane = lanes_.add(request, part);
    news = news || (!was_ready && ready(lane->second, request->arrival));
  }
  if (news && idle_workers_ > 0) changed_.notify_one();
}

bool BatchQueue::ended(const Request& request) const {
  const std::scoped_lock lock(mutex_);
  return request.ended();
}

void BatchQueue::wait(Request& request) {
  std::unique_lock lock(mutex_);
  request.end.wait(lock, [&] { return request.ended(); });
  if (request.failure) request.failure->raise();
}

void BatchQueue::cancel(Request& request) {
  const std::scoped_lock lock(mutex_);
  end_with(request, cancelled());
}

void BatchQueue::finish(Seconds duration, bool failed) {
  const std::scoped_lock lock(mutex_);
  metrics_.finish_seconds += duration.count();
  if (failed) ++metrics_.failures;
}

Batch BatchQueue::take() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (const auto lane = oldest_ready(Clock::now())) {
      Batch batch = lanes_.take(*lane);
      count(batch);
      if (idle_workers_ > 0 && !lanes_.empty()) changed_.notify_one();
      room_.notify_all();
      return batch;
    }
    ++idle_workers_;
    if (lanes_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, oldest_arrival() + batch_timeout_);
    }
    --idle_workers_;
  }
  return {};
}

bool BatchQueue::has_more() const {
  const std::scoped_lock lock(mutex_);
  return !lanes_.empty() || admitted_ > 0;
}

void BatchQueue::complete(const Batch& batch, Seconds execute) {
  const std::scoped_lock lock(mutex_);
  metrics_.execute_seconds += execute.count();
  for (const auto& [request, first, rows] : batch) {
    request->completed += rows;
    if (request->ended()) request->end.notify_all();
  }
}

void BatchQueue::fail(const Batch& batch, const Failure& failure, Seconds execute) {
  const std::scoped_lock lock(mutex_);
  metrics_.execute_seconds += execute.count();
  for (const Slice& slice : batch) end_with(*slice.request, failure);
}

void BatchQueue::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  while (!lanes_.empty()) {
    const std::shared_ptr<Request> request = lanes_.begin()->second.waiting.front().request;
    end_with(*request, stopped());
  }
  changed_.notify_all();
  room_.notify_all();
}

Metrics BatchQueue::metrics() const {
  const std::scoped_lock lock(mutex_);
  Metrics metrics = metrics_;
  metrics.queued_rows = lanes_.rows();
  return metrics;
}

// A full queue can't fill a lane any further, so there is nothing to wait for.
bool BatchQueue::ready(const Lane& lane, Clock::time_point now) const {
  const bool queue_is_full = max_queued_rows_ != 0 && lanes_.rows() >= max_queued_rows_;
  return lane.full() || queue_is_full || now - lane.arrival() >= batch_timeout_;
}

std::optional<Lanes::Iterator> BatchQueue::oldest_ready(Clock::time_point now) {
  std::optional<Lanes::Iterator> oldest;
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
    if (!ready(lane->second, now)) continue;
    if (!oldest || lane->second.arrival() < (*oldest)->second.arrival()) oldest = lane;
  }
  return oldest;
}

Clock::time_point BatchQueue::oldest_arrival() {
  Clock::time_point oldest = Clock::time_point::max();
  for (const auto& [key, lane] : lanes_) oldest = std::min(oldest, lane.arrival());
  return oldest;
}

void BatchQueue::end_with(Request& request, const Failure& failure) {
  if (request.ended()) return;
  request.failure = failure;
  ++(failure.code == ErrorCode::Cancelled ? metrics_.cancelled : metrics_.failures);
  request.end.notify_all();
  lanes_.remove(request);
  room_.notify_all();
}

void BatchQueue::count(const Batch& batch) {
  const std::size_t rows = rows_of(batch);
  const Clock::time_point now = Clock::now();
  ++metrics_.batches;
  metrics_.rows += rows;
  const auto bucket = static_cast<std::size_t>(std::bit_width(rows)) - 1;
  ++metrics_.batches_by_rows[std::min(bucket, metrics_.batches_by_rows.size() - 1)];
  for (const Slice& slice : batch) {
    if (slice.request->taken != slice.request->size) continue;
    metrics_.queue_seconds += Seconds(now - slice.request->arrival).count();
  }
}

}  // namespace transmuter::serving
