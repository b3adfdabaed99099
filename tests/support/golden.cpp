#include "support/golden.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "tasks/registry.hpp"

namespace transmuter::testing {
namespace {

namespace fs = std::filesystem;

std::string compare(const Json& expected, const Json& got, const Json& tolerance, double allowed,
                    const std::string& path) {
  const auto differs = [&] {
    return fmt::format("{}: expected {}, got {}, tolerance {}", path, expected.dump().substr(0, 200),
                       got.dump().substr(0, 200), allowed);
  };
  if (expected.is_object() && got.is_object()) {
    const auto wanted = expected.members();
    if (wanted.size() != got.size()) return differs();
    for (const auto& [key, value] : wanted) {
      const auto found = got.find(key);
      const double own = tolerance.get_or<double>(key, allowed);
      const std::string difference = compare(value, found.value_or(Json()), tolerance, own, path + "." + key);
      if (!difference.empty()) return difference;
    }
    return {};
  }
  if (expected.is_array() && got.is_array()) {
    const auto wanted = expected.elements();
    const auto given = got.elements();
    if (wanted.size() != given.size())
      return fmt::format("{}: expected {} elements, got {}", path, wanted.size(), given.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string difference = compare(wanted[i], given[i], tolerance, allowed, fmt::format("{}[{}]", path, i));
      if (!difference.empty()) return difference;
    }
    return {};
  }
  if (expected.is_number() && got.is_number()) {
    return std::abs(expected.as<double>() - got.as<double>()) <= allowed ? "" : differs();
  }
  return expected.dump() == got.dump() ? "" : differs();
}

std::vector<GoldenCase> list_cases() {
  fs::current_path(fs::path(TRANSMUTER_TESTS_DIR).parent_path());
  std::vector<GoldenCase> cases;
  for (const Task& task : tasks()) {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(fs::path("tests/golden") / task.name)) files.push_back(file.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) cases.emplace_back(file);
  }
  return cases;
}

}  // namespace

std::string GoldenCase::name() const { return (file_.parent_path().filename() / file_.stem()).string(); }
Json GoldenCase::read() const { return Json::read(file_.string(), ErrorCode::InvalidInput); }
void PrintTo(const GoldenCase& golden, std::ostream* out) { *out << golden.name(); }

const std::vector<GoldenCase>& golden_cases() {
  static const std::vector<GoldenCase> cases = list_cases();
  return cases;
}

std::string test_name(const ::testing::TestParamInfo<GoldenCase>& parameter) {
  std::string name = parameter.param.name();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

std::string difference(const Json& expected, const Json& got, const Json& tolerance) {
  return compare(expected, got, tolerance, 0, "result");
}

}  // namespace transmuter::testing
