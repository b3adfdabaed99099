#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include "hub/hub_error.hpp"
#include "hub/settings.hpp"

namespace transmuter {

/// Runs `attempt` again while it throws a passing HubError, waiting longer each time or as long as the server asks.
class Retries {
 public:
  Retries(const RetryPolicy& policy, std::stop_token stop) : policy_(policy), stop_(std::move(stop)) {}

  template <class F>
  auto run(const F& attempt) {
    for (;;) {
      try {
        return attempt();
      } catch (const HubError& error) {
        wait_or_throw(error);
      }
    }
  }

  /// There was progress: the count starts again.
  void reset() noexcept { used_ = 0; }

 private:
  void wait_or_throw(const HubError& error);

  const RetryPolicy& policy_;
  std::stop_token stop_;
  int used_ = 0;
};

/// Waits for `duration`, or until a stop is requested.
void wait_for(std::chrono::milliseconds duration, const std::stop_token& stop);

}  // namespace transmuter
