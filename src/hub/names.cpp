#include "hub/names.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <tuple>

#include "base/edit_distance.hpp"
#include "base/error.hpp"

namespace transmuter {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }

bool is_repo_name(std::string_view name) {
  return !name.empty() && is_word(name.front()) && is_word(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

}  // namespace

std::string_view repo_id_fault(std::string_view repo) {
  constexpr std::size_t kLongestName = 96;
  const auto slash = repo.find('/');
  const std::string_view name = slash == std::string_view::npos ? repo : repo.substr(slash + 1);
  if (name.find('/') != std::string_view::npos) return "it has more than one \"/\"";
  if (slash != std::string_view::npos && !is_repo_name(repo.substr(0, slash))) {
    return "an owner is of letters, digits, \"-\", \"_\" and \".\" and neither starts nor ends with \"-\" or \".\"";
  }
  if (!is_repo_name(name) || name.size() > kLongestName) {
    return "a name is 1 to 96 letters, digits, \"-\", \"_\" and \".\" and neither starts nor ends with \"-\" or \".\"";
  }
  if (repo.find("--") != std::string_view::npos || repo.find("..") != std::string_view::npos) {
    return "it must not have \"--\" or \"..\"";
  }
  return repo.ends_with(".git") ? "it must not end with \".git\"" : "";
}

void check_repo_id(std::string_view repo) {
  const std::string_view fault = repo_id_fault(repo);
  if (!fault.empty()) {
    fail(ErrorCode::InvalidInput, "\"{}\" is not a repository id: {}; it looks like \"owner/name\"", printable(repo),
         fault);
  }
}

void check_relative_path(std::string_view path, std::string_view what, ErrorCode code) {
  constexpr std::size_t kLongestPart = 255;
  const bool has_nul = path.find('\0') != std::string_view::npos;
  bool below = !path.empty() && !has_nul;
  for (const auto part : std::views::split(path, '/')) {
    const std::string_view name(part.begin(), part.end());
    below = below && !name.empty() && name != "." && name != ".." && name.size() <= kLongestPart;
  }
  if (!below) fail(code, "{} \"{}\": not a path below its folder", what, printable(path));
}

bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_commit_hash(std::string_view revision) { return is_hexadecimal(revision, 40); }

std::string percent_encode(std::string_view text, bool keep_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_word(c) || c == '-' || c == '.' || c == '~' || (c == '/' && keep_slashes)) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return encoded;
}

std::vector<std::string> nearest_names(std::string_view wanted, std::vector<std::string> names, std::size_t count) {
  const auto last_part = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  // A file of the same name in another folder is nearer than one of another name in the same folder.
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> ranked;
  for (std::string& name : names) {
    const std::size_t last = edit_distance(last_part(wanted), last_part(name));
    const std::size_t whole = edit_distance(wanted, name);
    ranked.emplace_back(last, whole, std::move(name));
  }
  std::ranges::sort(ranked);
  names.clear();
  for (auto& entry : std::views::take(ranked, static_cast<std::ptrdiff_t>(count))) {
    names.push_back(std::move(std::get<2>(entry)));
  }
  return names;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string clean(text.substr(0, kLongest));
  std::ranges::replace_if(clean, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text.size() > kLongest ? clean + "..." : clean;
}

}  // namespace transmuter
