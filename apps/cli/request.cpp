#include "cli/request.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <system_error>

namespace transmuter::cli {
namespace {

Json nested(std::string_view key, Json value) {
  const auto dot = key.find('.');
  if (dot == std::string_view::npos) return Json::object({{std::string(key), std::move(value)}});
  return Json::object({{std::string(key.substr(0, dot)), nested(key.substr(dot + 1), std::move(value))}});
}

Json value_of(const std::string& key, const std::string& text, const std::vector<FieldHelp>& known) {
  const auto field = std::ranges::find(known, key, &FieldHelp::name);
  const bool structured = text.starts_with('{') || text.starts_with('[');
  const bool is_text = field != known.end() && (field->type == "text" || field->type == "list of text");
  if (is_text && !structured) return text;
  try {
    return Json::parse(text, key, ErrorCode::InvalidInput);
  } catch (const Error&) {
    if (structured) throw;
    if (field != known.end() && field->type == "integer or list" && text.find(',') != std::string::npos) {
      fail(ErrorCode::InvalidInput, "--set {}: a list is written [{}]", key, text);
    }
    return text;  // a word such as cls_token_pooling
  }
}

[[noreturn]] void fail_file(const std::string& file) {
  fail(ErrorCode::NotFound, "{}: cannot be read: {}", file, std::generic_category().message(errno));
}

}  // namespace

std::string read_all(const std::string& file) {
  const auto close = [](std::FILE* stream) { return stream == stdin ? 0 : std::fclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> stream(file == "-" ? stdin : std::fopen(file.c_str(), "rb"), close);
  if (!stream) fail_file(file);
  std::string text;
  std::array<char, 1U << 16U> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), stream.get())) {
    text.append(block.data(), count);
  }
  if (std::ferror(stream.get()) != 0) fail_file(file);
  return text;
}

Request read_request(const std::string& file) {
  const Json json = Json::parse(read_all(file), "request", ErrorCode::InvalidInput);
  Request request;
  for (const auto& [key, value] : json.members()) {
    if (key == "options") {
      request.options = value;
    } else if (key == "inputs") {
      request.inputs = value.elements();
    } else {
      fail_unknown(json, "key", key, {"options", "inputs"});
    }
  }
  if (!json.find("inputs")) json.fail_here("\"inputs\" is missing: give a list of inputs");
  if (request.options.is_null()) request.options = Json::object({});
  return request;
}

Json object_input(const Task& task, const std::string& text) {
  return within(
      fmt::format("an input of {} is an object, as {{\"{}\": ...}}", command_name(task), task.inputs.front().name),
      [&] { return Json::parse(text, "input", ErrorCode::InvalidInput); });
}

Json options_of(const std::vector<std::string>& settings, const std::vector<FieldHelp>& known) {
  Json options = Json::object({});
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail(ErrorCode::InvalidInput, "--set {}: must be key=value, as in --set top_k=3", setting);
    }
    const std::string key = setting.substr(0, equals);
    options = merged(options, nested(key, value_of(key, setting.substr(equals + 1), known)));
  }
  return Json::parse(options.dump(), "--set", ErrorCode::InvalidInput);
}

LoadOptions load_options(const std::vector<std::string>& settings) {
  LoadOptions load;
  from_json(options_of(settings, help_of<LoadOptions>()), load);
  return load;
}

Json merged(const Json& under, const Json& over) {
  if (!under.is_object() || !over.is_object()) return over;
  Json::Members members = under.members();
  for (const auto& [key, value] : over.members()) {
    const auto found = std::ranges::find(members, key, &std::pair<std::string, Json>::first);
    if (found == members.end()) {
      members.emplace_back(key, value);
    } else {
      found->second = merged(found->second, value);
    }
  }
  return Json::object(members);
}

}  // namespace transmuter::cli
