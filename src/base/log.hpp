#pragma once

#include <fmt/core.h>
#include <string_view>
#include <utility>

namespace transmuter {

/// One line on standard error.
void log_warning_line(std::string_view line);

template <class... Args>
void log_warning(fmt::format_string<Args...> text, Args&&... args) {
  log_warning_line(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace transmuter
