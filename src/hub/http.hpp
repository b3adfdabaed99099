#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transmuter {

/// The answer to one request. Of several headers of one name the last counts.
struct HttpResponse {
  long status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // unless it went to on_body
  std::string url;

  /// The value of a header, `name` in lower case.
  std::optional<std::string> header(std::string_view name) const;
  bool is_success() const { return status >= 200 && status < 300; }
  bool is_redirect() const;
};

struct HttpRequest {
  std::string url;
  bool head = false;                          ///< HEAD, else GET.
  std::vector<std::string> headers;           ///< "Name: value"
  std::chrono::milliseconds timeout{10'000};  ///< For the connection, and for each silence after it.
  std::stop_token stop;
  /// Takes the body of a success piece by piece, with the status and headers; may throw.
  std::function<void(const HttpResponse&, std::span<const char>)> on_body;
};

/// Sends single requests over libcurl and keeps connections for the next. Follows no redirect and retries nothing.
/// Safe from many threads.
class HttpClient {
 public:
  HttpClient(std::string user_agent, std::filesystem::path certificates);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Any status is an answer. Throws HubError (Network when a retry may help, Unreachable when no request was answered
  /// yet and nobody listens, else Other), Cancelled, or what on_body threw.
  HttpResponse send(const HttpRequest& request) const;

 private:
  class Connection;
  std::unique_ptr<Connection> take() const;

  std::string user_agent_;
  std::filesystem::path certificates_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Connection>> idle_;
  mutable std::atomic<bool> was_answered_ = false;
};

/// A URL fit for a message: printable and without its query, which may hold a signature that is as good as a token.
std::string url_for_message(std::string_view url);

/// "https://host:443", for deciding whether two URLs are of one server. Throws HubError when `url` is not http(s).
std::string origin_of(const std::string& url);

/// Where `location` leads from `url`. Throws HubError when that is not http(s).
std::string resolve_location(const std::string& url, const std::string& location);

}  // namespace transmuter
