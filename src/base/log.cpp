#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace transmuter {
namespace {

spdlog::logger& logger() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("transmuter", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%n: %l: %v");
    return made;
  }();
  return *logger;
}

}  // namespace

void log_warning_line(std::string_view line) { logger().warn(line); }

}  // namespace transmuter
