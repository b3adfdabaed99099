#include "hub/transport.hpp"

#include <algorithm>
#include <charconv>

#include "base/json.hpp"
#include "hub/names.hpp"

namespace transmuter {
namespace {

constexpr int kMostRedirects = 10;

const std::string& checked_endpoint(const HubSettings& settings) {
  try {
    (void)origin_of(settings.endpoint);
  } catch (const HubError& error) {
    fail(ErrorCode::InvalidInput, "endpoint (HF_ENDPOINT): {}", error.what());
  }
  return settings.endpoint;
}

std::string user_agent(const HubSettings& settings) {
  std::string agent = "transmuter/" TRANSMUTER_VERSION;
  if (!settings.user_agent_origin.empty()) agent += "; origin/" + printable(settings.user_agent_origin);
  return agent;
}

/// Seconds only, as the hub sends it. Parity: huggingface_hub 2.4 _parse_retry_after.
std::optional<std::chrono::milliseconds> retry_after(const HttpResponse& response) {
  const std::string text = response.header("retry-after").value_or("");
  unsigned int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  return error == std::errc{} ? std::chrono::seconds(seconds) : std::chrono::milliseconds::max();
}

/// What the server itself says about an error, as " (the hub says: ...)".
std::string server_words(const HttpResponse& response) {
  std::string words = response.header("x-error-message").value_or("");
  if (words.empty()) {
    try {
      words = Json::parse(response.body, "answer").get_or<std::string>("error", "");
    } catch (const Error&) {
      words.clear();  // a page for people
    }
  }
  return words.empty() ? "" : fmt::format(" (the hub says: {})", printable(words));
}

}  // namespace

Transport::Transport(const HubSettings& settings)
    : settings_(settings),
      origin_(origin_of(checked_endpoint(settings))),
      client_(user_agent(settings), settings.certificates) {
  if (std::ranges::any_of(settings.token, [](char c) { return c <= ' ' || c > '~'; })) {
    fail(ErrorCode::InvalidInput, "the token (HF_TOKEN) has spaces or characters that no token has");
  }
}

HttpResponse Transport::get(const std::string& path, const Subject& subject) const {
  HttpRequest request;
  request.url = settings_.endpoint + path;
  request.timeout = settings_.etag_timeout;
  request.stop = settings_.stop;
  return follow(std::move(request), false, subject);
}

void Transport::download(const std::string& path, const Subject& subject, std::uint64_t from, const OnBody& on_body,
                         const std::stop_token& stop) const {
  HttpRequest request;
  request.url = settings_.endpoint + path;
  request.timeout = settings_.download_timeout;
  request.stop = stop;
  request.on_body = on_body;
  if (from > 0) request.headers.push_back(fmt::format("Range: bytes={}-", from));
  follow(std::move(request), false, subject);
}

HttpResponse Transport::head(const std::string& path, const Subject& subject, const std::stop_token& stop) const {
  HttpRequest request;
  request.url = settings_.endpoint + path;
  request.head = true;
  request.timeout = settings_.etag_timeout;
  request.stop = stop;
  return follow(std::move(request), true, subject);
}

HttpResponse Transport::follow(HttpRequest request, bool stop_at_metadata, const Subject& subject) const {
  request.headers.emplace_back("Accept-Encoding: identity");  // sizes and hashes are of the file as it is
  const std::vector<std::string> plain = request.headers;
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    request.headers = plain;
    const bool at_hub = origin_of(request.url) == origin_;
    if (at_hub && !settings_.token.empty()) request.headers.push_back("Authorization: Bearer " + settings_.token);
    HttpResponse response = send(request);
    if (!response.is_redirect()) {
      if (!response.is_success()) fail_status(response, subject);
      return response;
    }
    const auto location = response.header("location");
    if (!location) {
      throw HubError(HubFailure::Network, ErrorCode::Unavailable,
                     fmt::format("{}: a redirect ({}) to nowhere", url_for_message(request.url), response.status));
    }
    std::string next = resolve_location(request.url, *location);
    // A redirect on the hub itself is a renamed repository or an inner route; one to elsewhere is the storage, which
    // knows nothing of commits.
    const bool has_metadata =
        response.header("x-linked-etag") || (response.header("x-repo-commit") && response.header("etag"));
    if (stop_at_metadata && origin_of(next) != origin_ && has_metadata) return response;
    request.url = std::move(next);
  }
  throw HubError(HubFailure::Other, ErrorCode::Unavailable,
                 fmt::format("{}{}: more than {} redirects, which lead in a circle", settings_.endpoint,
                             subject.repo.empty() ? "" : "/" + subject.repo, kMostRedirects));
}

HttpResponse Transport::send(const HttpRequest& request) const {
  HttpResponse response = client_.send(request);
  if (settings_.trace) {
    settings_.trace(
        fmt::format("{} {} {}", request.head ? "HEAD" : "GET", url_for_message(request.url), response.status));
  }
  return response;
}

void Transport::fail_status(const HttpResponse& response, const Subject& subject) const {
  const std::string code = response.header("x-error-code").value_or("");
  const std::string message = response.header("x-error-message").value_or("");
  const std::string page = settings_.endpoint + "/" + subject.repo;
  const bool with_token = !settings_.token.empty();
  const auto answer = [&](HubFailure failure, ErrorCode error, const std::string& text) {
    throw HubError(failure, error, text + server_words(response), retry_after(response));
  };
  if (code == "RevisionNotFound") {
    answer(HubFailure::MissingRevision, ErrorCode::NotFound,
           fmt::format("{}: no branch, tag or commit \"{}\"; see {}/tree/main", subject.repo, subject.revision, page));
  }
  if (code == "EntryNotFound") {
    answer(HubFailure::MissingFile, ErrorCode::NotFound,
           fmt::format("{} ({}): no file \"{}\"", subject.repo, subject.revision, subject.file));
  }
  if (code == "GatedRepo") {
    answer(HubFailure::Refused, ErrorCode::NotFound,
           fmt::format("{}: gated; accept its conditions at {} and set HF_TOKEN to a token of {} account", subject.repo,
                       page, with_token ? "that" : "your"));
  }
  if (response.status == 401 && message.starts_with("Invalid credentials")) {
    answer(HubFailure::Refused, ErrorCode::NotFound,
           fmt::format("{}: the hub does not accept the token; set HF_TOKEN to a valid one or unset it", subject.repo));
  }
  // The hub answers 401 for what does not exist as for what is private.
  if (code == "RepoNotFound" || response.status == 401) {
    answer(HubFailure::MissingRepo, ErrorCode::NotFound,
           fmt::format("{}: no such repository at {}, or a private one; check the name, {}", subject.repo,
                       settings_.endpoint,
                       with_token ? "or use a token that may read it" : "or set HF_TOKEN to a token that may read it"));
  }
  if (response.status == 403) {
    answer(
        HubFailure::Refused, ErrorCode::NotFound,
        fmt::format("{}: access is forbidden; {}", page,
                    with_token ? "the token needs the right to read it" : "set HF_TOKEN to a token that may read it"));
  }
  if (response.status == 404) {
    answer(subject.file.empty() ? HubFailure::MissingRepo : HubFailure::MissingFile, ErrorCode::NotFound,
           fmt::format("{}: not found; check the name and HF_ENDPOINT", url_for_message(response.url)));
  }
  if (response.status == 416) {
    answer(HubFailure::Range, ErrorCode::Unavailable,
           fmt::format("{}: the server refuses the range", url_for_message(response.url)));
  }
  if (response.status == 429) {
    answer(HubFailure::Busy, ErrorCode::Unavailable,
           fmt::format("{}: too many requests; wait a while{}", settings_.endpoint,
                       with_token ? "" : ", or set HF_TOKEN, which allows more"));
  }
  if (response.status >= 500 || response.status == 408) {
    answer(HubFailure::Busy, ErrorCode::Unavailable,
           fmt::format("{}: the server fails with status {}; try again later", settings_.endpoint, response.status));
  }
  answer(HubFailure::Other, ErrorCode::Unavailable,
         fmt::format("{}: unexpected status {}", url_for_message(response.url), response.status));
  fail(ErrorCode::Internal, "no error for status {}", response.status);
}

}  // namespace transmuter
