#pragma once

#include <functional>
#include <string>

#include "transmuter/error.hpp"

namespace transmuter {

/// The Error that `f` throws, as "Code: message", or "no error".
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.what();
  }
  return "no error";
}

}  // namespace transmuter
