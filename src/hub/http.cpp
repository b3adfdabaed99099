#include "hub/http.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <curl/curl.h>
#include <exception>
#include <ranges>

#include "hub/hub_error.hpp"
#include "hub/names.hpp"

namespace transmuter {
namespace {

using Clock = std::chrono::steady_clock;

// Limits on what a server may make us keep: far above what the hub sends.
constexpr std::size_t kLargestHead = std::size_t{256} << 10U;
constexpr std::size_t kLargestBody = std::size_t{64} << 20U;
constexpr std::size_t kLargestErrorBody = std::size_t{64} << 10U;

[[noreturn]] void fail_network(const std::string& url, std::string_view why, HubFailure failure = HubFailure::Network) {
  throw HubError(failure, ErrorCode::Unavailable,
                 fmt::format("{}: {}; check the network, the proxy (https_proxy) and HF_ENDPOINT; without a network, "
                             "use a cached model (--offline, HF_HUB_OFFLINE=1) or a directory",
                             url_for_message(url), printable(why)));
}

/// No connection came about. After an answer this may pass, as when a server starts again; before, waiting is in vain.
bool is_unreachable(CURLcode code) { return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT; }

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) fail(ErrorCode::Internal, "libcurl does not start: {}", curl_easy_strerror(started));
}

/// Whether a failure may pass; the others are faults of the set-up that the user has to see at once.
bool is_passing(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_OUT_OF_MEMORY: return false;
    default: return true;
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// What libcurl's callbacks work on: they note an exception, since none may pass through C.
struct Exchange {
  const HttpRequest* request = nullptr;
  HttpResponse response;
  Clock::time_point last_sign = Clock::now();
  std::size_t head_size = 0;
  std::exception_ptr thrown;

  void take_header(std::string_view line) {
    last_sign = Clock::now();
    head_size += line.size();
    if (head_size > kLargestHead) fail_network(request->url, "the answer's headers are too large");
    if (line.starts_with("HTTP/")) return start_head(line);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string name(trimmed(line.substr(0, colon)));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    response.headers.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
  }

  /// "HTTP/1.1 206 Partial Content"; a head after "100 Continue" replaces the first.
  void start_head(std::string_view line) {
    response.headers.clear();
    response.status = 0;
    const std::string_view code = line.substr(std::min(line.find(' '), line.size() - 1) + 1);
    std::from_chars(code.data(), code.data() + code.size(), response.status);
  }

  void take_body(std::span<const char> bytes) {
    last_sign = Clock::now();
    if (request->on_body && response.is_success()) return request->on_body(response, bytes);
    const std::size_t limit = response.is_success() ? kLargestBody : kLargestErrorBody;
    const std::size_t room = limit - std::min(limit, response.body.size());
    if (bytes.size() > room && response.is_success()) fail_network(request->url, "the answer is too large");
    response.body.append(bytes.data(), std::min(room, bytes.size()));
  }

  template <class F>
  bool guarded(const F& f) noexcept {
    try {
      f();
      return true;
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }
};

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  return exchange.guarded([&] { exchange.take_header({data, size * count}); }) ? size * count : 0;
}

}  // namespace

/// One libcurl transfer at a time; its multi handle keeps the connections and can be woken from another thread.
class HttpClient::Connection {
 public:
  Connection() : multi_(curl_multi_init()), easy_(curl_easy_init()) {
    if (multi_ == nullptr || easy_ == nullptr) fail(ErrorCode::Internal, "libcurl gives no handle");
  }
  ~Connection() {
    curl_easy_cleanup(easy_);
    curl_multi_cleanup(multi_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  HttpResponse send(const HttpRequest& request, const std::string& user_agent,
                    const std::filesystem::path& certificates, bool was_answered) {
    Exchange exchange;
    exchange.request = &request;
    exchange.response.url = request.url;
    const auto headers = set_up(request, exchange, user_agent, certificates);
    const CURLcode result = perform(request, exchange);
    if (exchange.thrown) std::rethrow_exception(exchange.thrown);
    if (result != CURLE_OK) fail_transfer(request, result, was_answered);
    return std::move(exchange.response);
  }

 private:
  using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

  Headers set_up(const HttpRequest& request, Exchange& exchange, const std::string& user_agent,
                 const std::filesystem::path& certificates) {
    Headers headers(nullptr, curl_slist_free_all);
    for (const std::string& line : request.headers) {
      curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
      if (longer == nullptr) throw std::bad_alloc();
      if (!headers) headers.reset(longer);  // later ones are appended to the first
    }
    curl_easy_reset(easy_);
    error_[0] = '\0';
    const auto set = [this](CURLoption option, auto value) { curl_easy_setopt(easy_, option, value); };
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOBODY, request.head ? 1L : 0L);
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_USERAGENT, user_agent.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.timeout.count()));
    set(CURLOPT_BUFFERSIZE, 262'144L);
    if (std::filesystem::is_directory(certificates)) {
      set(CURLOPT_CAPATH, certificates.c_str());
    } else if (!certificates.empty()) {
      set(CURLOPT_CAINFO, certificates.c_str());
    }
    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
    set(
        CURLOPT_WRITEFUNCTION, +[](char* data, std::size_t size, std::size_t count, void* user) -> std::size_t {
          auto& target = *static_cast<Exchange*>(user);
          return target.guarded([&] { target.take_body({data, size * count}); }) ? size * count : size * count + 1;
        });
    set(CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
    // The silence is counted from the moment the request goes out.
    set(
        CURLOPT_PREREQFUNCTION, +[](void* user, char*, char*, int, int) -> int {
          static_cast<Exchange*>(user)->last_sign = Clock::now();
          return CURL_PREREQFUNC_OK;
        });
    set(CURLOPT_PREREQDATA, static_cast<void*>(&exchange));
    return headers;
  }

  CURLcode perform(const HttpRequest& request, Exchange& exchange) {
    struct Added {  // takes the transfer out of the multi handle however this ends
      CURLM* multi;
      CURL* easy;
      Added(CURLM* m, CURL* e) : multi(m), easy(e) { curl_multi_add_handle(multi, easy); }
      ~Added() { curl_multi_remove_handle(multi, easy); }
      Added(const Added&) = delete;
      Added& operator=(const Added&) = delete;
    } const added(multi_, easy_);
    const std::stop_callback wake(request.stop, [this] { curl_multi_wakeup(multi_); });

    exchange.last_sign = Clock::now();
    for (;;) {
      int running = 0;
      curl_multi_perform(multi_, &running);
      if (running == 0) return result();
      if (request.stop.stop_requested()) fail(ErrorCode::Cancelled, "{}: cancelled", url_for_message(request.url));
      const auto silence = Clock::now() - exchange.last_sign;
      if (silence >= request.timeout) {
        fail_network(request.url,
                     fmt::format("no answer for {} s", std::chrono::duration<double>(request.timeout).count()));
      }
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(request.timeout - silence);
      curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::min(rest, std::chrono::milliseconds(1000)).count()),
                      nullptr);
    }
  }

  CURLcode result() {
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(multi_, &left);
    return message != nullptr && message->msg == CURLMSG_DONE ? message->data.result : CURLE_FAILED_INIT;
  }

  [[noreturn]] void fail_transfer(const HttpRequest& request, CURLcode code, bool was_answered) const {
    const std::string why = error_[0] != '\0' ? error_ : curl_easy_strerror(code);
    if (is_unreachable(code) && !was_answered) fail_network(request.url, why, HubFailure::Unreachable);
    if (is_passing(code)) fail_network(request.url, why);
    throw HubError(HubFailure::Other, ErrorCode::Unavailable,
                   fmt::format("{}: {}; check the certificates (REQUESTS_CA_BUNDLE) and the proxy (https_proxy)",
                               url_for_message(request.url), printable(why)));
  }

  CURLM* multi_;
  CURL* easy_;
  char error_[CURL_ERROR_SIZE] = {};
};

std::optional<std::string> HttpResponse::header(std::string_view name) const {
  const auto reversed = std::views::reverse(headers);
  const auto found = std::ranges::find(reversed, name, &std::pair<std::string, std::string>::first);
  return found == reversed.end() ? std::nullopt : std::optional(found->second);
}

bool HttpResponse::is_redirect() const {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

HttpClient::HttpClient(std::string user_agent, std::filesystem::path certificates)
    : user_agent_(std::move(user_agent)), certificates_(std::move(certificates)) {
  start_curl();
}

HttpClient::~HttpClient() = default;

std::unique_ptr<HttpClient::Connection> HttpClient::take() const {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<Connection>();
  auto connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

HttpResponse HttpClient::send(const HttpRequest& request) const {
  auto connection = take();
  HttpResponse response = connection->send(request, user_agent_, certificates_, was_answered_);
  was_answered_ = true;
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(connection));  // one that failed is not kept
  return response;
}

namespace {

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

Url parse_url(const std::string& text) {
  Url url(curl_url(), curl_url_cleanup);
  if (!url) throw std::bad_alloc();
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    throw HubError(HubFailure::Other, ErrorCode::Unavailable,
                   fmt::format("\"{}\" is not a URL", url_for_message(text)));
  }
  return url;
}

std::string part(const Url& url, CURLUPart which, unsigned int flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return text;
}

void check_scheme(const Url& url) {
  const std::string scheme = part(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    throw HubError(HubFailure::Other, ErrorCode::Unavailable,
                   fmt::format("\"{}\": only http and https are followed", url_for_message(part(url, CURLUPART_URL))));
  }
}

}  // namespace

std::string url_for_message(std::string_view url) { return printable(url.substr(0, url.find('?'))); }

std::string origin_of(const std::string& text) {
  const Url url = parse_url(text);
  check_scheme(url);
  std::string host = part(url, CURLUPART_HOST);
  std::ranges::transform(host, host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return fmt::format("{}://{}:{}", part(url, CURLUPART_SCHEME), host, part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT));
}

std::string resolve_location(const std::string& text, const std::string& location) {
  const Url url = parse_url(text);
  if (curl_url_set(url.get(), CURLUPART_URL, location.c_str(), 0) != CURLUE_OK) {
    throw HubError(
        HubFailure::Other, ErrorCode::Unavailable,
        fmt::format("{}: redirects to \"{}\", which is not a URL", url_for_message(text), url_for_message(location)));
  }
  check_scheme(url);
  return part(url, CURLUPART_URL);
}

}  // namespace transmuter
