#pragma once

#include <functional>
#include <string>

#include "hub/http.hpp"
#include "hub/hub_error.hpp"
#include "hub/settings.hpp"

namespace transmuter {

/// What a request is about, for the messages of its errors.
struct Subject {
  std::string repo;
  std::string revision;
  std::string file;  ///< Empty for the repository itself.
};

/// Requests to the hub and to where it redirects: the token goes to the endpoint only. Safe from many threads.
class Transport {
 public:
  /// Throws InvalidInput for an endpoint that is no URL and a token that can't be one. `settings` must outlive this.
  explicit Transport(const HubSettings& settings);

  /// GET of `path` (begins with a slash), through all redirects. Throws HubError for any status but success.
  HttpResponse get(const std::string& path, const Subject& subject) const;

  using OnBody = std::function<void(const HttpResponse&, std::span<const char>)>;
  /// The same with the body, from byte `from` on if the server can, given to `on_body`.
  void download(const std::string& path, const Subject& subject, std::uint64_t from, const OnBody& on_body,
                const std::stop_token& stop) const;

  /// HEAD of a file: the headers that tell its etag and size, which the hub itself sends and not the host that it
  /// redirects to. Parity: huggingface_hub 0.36 get_hf_file_metadata.
  HttpResponse head(const std::string& path, const Subject& subject, const std::stop_token& stop) const;

 private:
  HttpResponse follow(HttpRequest request, bool stop_at_metadata, const Subject& subject) const;
  HttpResponse send(const HttpRequest& request) const;
  [[noreturn]] void fail_status(const HttpResponse& response, const Subject& subject) const;

  const HubSettings& settings_;
  std::string origin_;
  HttpClient client_;
};

}  // namespace transmuter
