#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace transmuter::testing {

/// One file of tests/golden/<task>/: inputs, and what the Python reference gives for them.
struct GoldenCase {
  std::string name;  ///< "text_embedding/bert_mean"
  Json json;

  std::string task() const { return json.get<std::string>("task"); }
  std::string model() const { return json.get<std::string>("model"); }
  Json options() const { return json.get("options"); }
  std::vector<Json> inputs() const { return json.get("inputs").elements(); }
  bool expects_error() const { return json.find("error").has_value(); }
};

/// All cases of the tasks that the program has. The working folder becomes the repository's root, as the paths in the
/// cases begin there.
const std::vector<GoldenCase>& golden_cases();

/// What GoogleTest calls the test of a case.
std::string test_name(const ::testing::TestParamInfo<GoldenCase>& parameter);

/// "" when equal, else the first difference: path, expected, got, tolerance. Numbers below a field named in `tolerance`
/// may differ by its value (absolute); all else must be equal.
std::string difference(const Json& expected, const Json& got, const Json& tolerance);

}  // namespace transmuter::testing
