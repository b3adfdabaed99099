#pragma once

#include <fmt/core.h>
#include <string>
#include <string_view>
#include <utility>

#include "transmuter/error.hpp"

namespace transmuter {

/// Throws an Error whose message is the formatted text.
template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

/// Runs `f`; an Error that leaves it gets "place: " in front of its message.
template <class F>
decltype(auto) within(std::string_view place, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", place, error.what()));
  }
}

}  // namespace transmuter
