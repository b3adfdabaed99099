#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace transmuter {

/// Why the hub gave no answer; what the code of this folder branches on.
enum class HubFailure {
  Unreachable,      ///< The server never answered, and no connection comes about: no network, no such host.
  Network,          ///< No connection, a cut one, silence, or an answer that is not the hub's.
  Busy,             ///< 429 or 5xx: the hub asks to come again later.
  MissingRepo,      ///< 404 or 401: not there, or private.
  MissingRevision,  ///< The repository has no such branch, tag or commit.
  MissingFile,      ///< The revision has no such file.
  Refused,          ///< Gated, forbidden, a bad token.
  Range,            ///< 416: the partial file does not fit the file any more.
  Other,
};

/// An Error that says to the code of this folder what kind it is. It leaves the folder as a plain Error.
class HubError : public Error {
 public:
  HubError(HubFailure failure, ErrorCode code, const std::string& message,
           std::optional<std::chrono::milliseconds> retry_after = std::nullopt)
      : Error(code, message), failure_(failure), retry_after_(retry_after) {}

  HubFailure failure() const noexcept { return failure_; }
  /// Whether the same request may work later.
  bool is_passing() const noexcept { return failure_ == HubFailure::Network || failure_ == HubFailure::Busy; }
  /// How long the server asked to wait.
  std::optional<std::chrono::milliseconds> retry_after() const noexcept { return retry_after_; }

 private:
  HubFailure failure_;
  std::optional<std::chrono::milliseconds> retry_after_;
};

}  // namespace transmuter
