#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <system_error>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace transmuter::cli {
namespace {

[[noreturn]] void fail_output() {
  const int error = errno;
  if (error == EPIPE) {
    // SIGPIPE itself is ignored, since a connection to the hub may bring it, too.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  fail(ErrorCode::Unavailable, "standard output cannot be written: {}", std::generic_category().message(error));
}

}  // namespace

void print(std::string_view text) {
  // The buffer is given out between two texts only, so that a program that is killed leaves whole lines.
  if (__fpending(stdout) + text.size() > __fbufsize(stdout)) flush();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output();
}

void flush() {
  if (std::fflush(stdout) != 0) fail_output();
}

std::string readable_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  constexpr double kStep = 1000;
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= kStep && unit + 1 < kUnits.size()) {
    size /= kStep;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} {}", bytes, kUnits[0]) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, code_points(text)), ' ');
}

}  // namespace transmuter::cli
