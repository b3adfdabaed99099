#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace transmuter::testing {

/// One file of tests/golden/<task>/: inputs, and what the Python reference gives for them.
class GoldenCase {
 public:
  explicit GoldenCase(std::filesystem::path file) : file_(std::move(file)) {}

  std::string name() const;  ///< "text_embedding/bert_mean"
  Json read() const;

 private:
  std::filesystem::path file_;
};

void PrintTo(const GoldenCase& golden, std::ostream* out);

/// All cases of the tasks that the program has, by name; nothing is read yet. The working folder becomes the
/// repository's root, as the paths in the cases begin there.
const std::vector<GoldenCase>& golden_cases();

/// What GoogleTest calls the test of a case.
std::string test_name(const ::testing::TestParamInfo<GoldenCase>& parameter);

/// "" when equal, else the first difference: path, expected, got, tolerance. Numbers below a field named in `tolerance`
/// may differ by its value (absolute); all else must be equal.
std::string difference(const Json& expected, const Json& got, const Json& tolerance);

}  // namespace transmuter::testing
