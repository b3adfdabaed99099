#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace transmuter {

/// What kind of failure an Error is; a server maps each to one HTTP status.
enum class ErrorCode {
  InvalidInput,  ///< The caller's input or option is wrong.
  NotFound,      ///< A repository, revision or file does not exist.
  Unsupported,   ///< The request is well-formed, but this is not run here.
  InvalidModel,  ///< A file of the repository is broken or contradicts another one.
  Overloaded,    ///< The queue is full; try again later.
  Unavailable,   ///< The serving has stopped, or the network or the disk does not answer.
  Cancelled,     ///< The caller asked to stop.
  Backend,       ///< ONNX Runtime failed.
  Internal,      ///< A fault of this library.
};

/// The name of a code, as in "InvalidInput".
std::string_view name(ErrorCode code);

/// The one exception type of this library. The message says what, where, and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace transmuter
#pragma GCC visibility pop
