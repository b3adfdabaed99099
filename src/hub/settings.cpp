#include "hub/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <pwd.h>
#include <unistd.h>

#include "base/error.hpp"

namespace transmuter {
namespace {

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  /// The first of `names` that is set and not empty.
  std::optional<std::string> find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const char* value = environment_(name);
      if (value != nullptr && *value != '\0') return value;
    }
    return std::nullopt;
  }

  bool is_true(std::initializer_list<const char*> names) const {
    std::string value = find(names).value_or("");
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    constexpr std::array<std::string_view, 4> kTrue{"1", "ON", "YES", "TRUE"};
    return std::ranges::find(kTrue, value) != kTrue.end();
  }

  std::chrono::milliseconds seconds(const char* name, std::chrono::milliseconds otherwise) const {
    const auto text = find({name});
    if (!text) return otherwise;
    int value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    constexpr int kDay = 24 * 60 * 60;
    if (error != std::errc{} || end != text->data() + text->size() || value < 0 || value > kDay) {
      fail(ErrorCode::InvalidInput, "{}=\"{}\": must be a whole number of seconds from 1 to {}", name, *text, kDay);
    }
    return value == 0 ? otherwise : std::chrono::seconds(value);  // as Python: 0 means the default
  }

  std::string home() const {
    if (const auto home = find({"HOME"})) return *home;
    const passwd* user = getpwuid(getuid());
    return user != nullptr ? user->pw_dir : "/";
  }

  /// "~" and "$NAME" or "${NAME}" as os.path.expanduser and expandvars replace them.
  std::filesystem::path path(std::string text) const {
    if (text == "~" || text.starts_with("~/")) text.replace(0, 1, home());
    std::string expanded;
    for (std::size_t i = 0; i < text.size();) {
      const auto [name, length] = text[i] == '$' ? variable_at(text, i) : std::pair<std::string, std::size_t>{};
      const char* value = name.empty() ? nullptr : environment_(name.c_str());
      expanded += value != nullptr ? std::string(value) : text.substr(i, std::max<std::size_t>(length, 1));
      i += std::max<std::size_t>(length, 1);
    }
    return expanded;
  }

 private:
  /// The name that the "$" at `start` refers to and the length of the whole reference; empty when it refers to none.
  static std::pair<std::string, std::size_t> variable_at(const std::string& text, std::size_t start) {
    const bool braces = text.compare(start, 2, "${") == 0;
    const std::size_t first = start + (braces ? 2 : 1);
    std::size_t end = first;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    if (end == first || (braces && text.compare(end, 1, "}") != 0)) return {};
    return {text.substr(first, end - first), end - start + (braces ? 1 : 0)};
  }

  const Environment& environment_;
};

/// Parity: huggingface_hub 0.36 _clean_token.
std::string clean_token(std::string token) {
  std::erase_if(token, [](char c) { return c == '\r' || c == '\n'; });
  constexpr std::string_view kSpace = " \t\v\f";
  const auto first = token.find_first_not_of(kSpace);
  if (first == std::string::npos) return {};
  return token.substr(first, token.find_last_not_of(kSpace) - first + 1);
}

std::string token_of(const Variables& variables, const std::filesystem::path& home) {
  if (variables.is_true({"HF_HUB_DISABLE_IMPLICIT_TOKEN"})) return {};
  if (const auto token = variables.find({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_ACCESS_TOKEN"})) {
    return clean_token(*token);
  }
  const auto named = variables.find({"HF_TOKEN_PATH"});
  std::ifstream file(named ? variables.path(*named) : home / "token");
  return clean_token({std::istreambuf_iterator<char>(file), {}});
}

void trace_to_stderr(std::string_view line) {
  std::fprintf(stderr, "hub: %.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace

bool wants_progress_bars(const Environment& environment) {
  return !Variables(environment).is_true({"HF_HUB_DISABLE_PROGRESS_BARS"});
}

HubSettings settings_from(const Environment& environment) {
  const Variables variables(environment);
  const auto xdg = variables.find({"XDG_CACHE_HOME"});
  const auto named_home = variables.find({"HF_HOME"});
  const std::filesystem::path home = named_home
                                         ? variables.path(*named_home)
                                         : variables.path(xdg.value_or(variables.home() + "/.cache")) / "huggingface";
  const auto cache = variables.find({"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"});

  HubSettings settings;
  settings.cache_dir = cache ? variables.path(*cache) : home / "hub";
  settings.endpoint = variables.find({"HF_ENDPOINT"}).value_or(settings.endpoint);
  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  settings.token = token_of(variables, home);
  // The first variable that is set decides, also when it says no.
  settings.offline = variables.find({"HF_HUB_OFFLINE"}) ? variables.is_true({"HF_HUB_OFFLINE"})
                                                        : variables.is_true({"TRANSFORMERS_OFFLINE"});
  settings.symlinks = !variables.is_true({"HF_HUB_DISABLE_SYMLINKS"});
  settings.progress_bars = wants_progress_bars(environment);
  settings.etag_timeout = variables.seconds("HF_HUB_ETAG_TIMEOUT", settings.etag_timeout);
  settings.download_timeout = variables.seconds("HF_HUB_DOWNLOAD_TIMEOUT", settings.download_timeout);
  settings.user_agent_origin = variables.find({"HF_HUB_USER_AGENT_ORIGIN"}).value_or("");
  settings.certificates = variables.find({"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}).value_or("");
  if (variables.is_true({"HF_DEBUG"})) settings.trace = trace_to_stderr;
  return settings;
}

HubSettings settings_from_environment() {
  return settings_from([](const char* name) { return std::getenv(name); });
}

}  // namespace transmuter
