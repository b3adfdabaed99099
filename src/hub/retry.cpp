#include "hub/retry.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace transmuter {

void Retries::wait_or_throw(const HubError& error) {
  if (!error.is_passing() || used_ >= policy_.retries) throw error;
  auto backoff = std::min(policy_.first_wait, policy_.longest_wait);
  for (int i = 0; i < used_; ++i) backoff = std::min(2 * backoff, policy_.longest_wait);
  const auto wait = error.retry_after().value_or(backoff);
  if (wait > std::max(policy_.longest_retry_after, policy_.longest_wait)) throw error;
  ++used_;
  if (policy_.wait) {
    policy_.wait(wait, stop_);
  } else {
    wait_for(wait, stop_);
  }
  if (stop_.stop_requested()) fail(ErrorCode::Cancelled, "cancelled");
}

void wait_for(std::chrono::milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
}

}  // namespace transmuter
