#include "hub/retry.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace transmuter {

void Retries::wait_or_throw(const HubError& error) {
  if (!error.is_passing() || used_ >= policy_.retries) throw error;
  const auto doubled = policy_.first_wait * (std::int64_t{1} << std::min(used_, 20));
  const auto wait = error.retry_after().value_or(std::min(doubled, policy_.longest_wait));
  if (wait > std::max(policy_.longest_retry_after, policy_.longest_wait)) throw error;
  ++used_;
  policy_.wait ? policy_.wait(wait, stop_) : wait_for(wait, stop_);
  if (stop_.stop_requested()) fail(ErrorCode::Cancelled, "cancelled");
}

void wait_for(std::chrono::milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
}

}  // namespace transmuter
