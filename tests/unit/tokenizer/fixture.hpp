#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "tokenizer/tokenizer.hpp"

namespace transmuter {

inline std::string tokenizer_file(const std::string& name) {
  return std::string(TRANSMUTER_TESTS_DIR) + "/golden/tokenizer/" + name;
}

inline std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// The files of a tokenizer in tests/golden/tokenizer/, or of the model that its expected.json names.
inline TokenizerFiles tokenizer_files(const std::string& family) {
  const auto model = Json::read(tokenizer_file(family + "/expected.json")).find<std::string>("model");
  const std::string folder = model ? std::string(TRANSMUTER_TESTS_DIR) + "/../" + *model : tokenizer_file(family);
  const auto read = [&](const char* name) { return text_of_file(folder + "/" + name); };
  return {.tokenizer = read("tokenizer.json").value(),
          .tokenizer_config = read("tokenizer_config.json"),
          .special_tokens_map = read("special_tokens_map.json"),
          .added_tokens = read("added_tokens.json"),
          .config = read("config.json")};
}

inline std::vector<std::string> tokenizer_families() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(tokenizer_file(""))) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace transmuter
