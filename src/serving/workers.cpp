#include "serving/workers.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/threads.hpp"

namespace transmuter::serving {

Workers::Workers(BatchQueue& queue, std::size_t count, std::function<void(const Batch&)> execute)
    : queue_(queue), execute_(std::move(execute)), count_(count) {
  threads_.reserve(count);
  try {
    while (threads_.size() < count) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    stop();
    fail(ErrorCode::Unavailable, "workers: {} threads cannot be started: {}", count, error.what());
  }
}

void Workers::stop() {
  queue_.stop();
  const std::scoped_lock lock(stopping_);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::execute(const Batch& batch) const {
  std::optional<SharedCores> shared;
  if (count_ > 1 && queue_.has_more()) shared.emplace();
  execute_(batch);
}

void Workers::work() {
  for (Batch batch = queue_.take(); !batch.empty(); batch = queue_.take()) {
    const Clock::time_point start = Clock::now();
    try {
      execute(batch);
      queue_.complete(batch, Clock::now() - start);
    } catch (...) {
      queue_.fail(batch, current_failure(), Clock::now() - start);
    }
  }
}

}  // namespace transmuter::serving
