#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace transmuter {

/// How far the download of one file has come; `done` starts at what an earlier, interrupted download left.
struct FileProgress {
  std::string_view file;  ///< Its path in the repository.
  std::uint64_t done;     ///< Bytes on disk.
  std::uint64_t total;    ///< Bytes in all.
};

/// When and how often a request that failed for a passing reason is sent again.
struct RetryPolicy {
  int retries = 5;                             ///< Without a new byte in between; a new byte starts the count again.
  std::chrono::milliseconds first_wait{1000};  ///< Doubles from retry to retry.
  std::chrono::milliseconds longest_wait{8000};
  std::chrono::milliseconds longest_retry_after{60'000};  ///< A server that asks for more gets no retry.
  /// Waits, or returns early when a stop is requested. Tests put their own here.
  std::function<void(std::chrono::milliseconds, const std::stop_token&)> wait;
};

/// Where the hub and its cache are and how to reach them. The defaults are those of an empty environment.
struct HubSettings {
  std::filesystem::path cache_dir;                  ///< Holds models--OWNER--NAME folders; shared with huggingface_hub.
  std::string endpoint = "https://huggingface.co";  ///< No slash at the end.
  std::string token;                                ///< Sent to the endpoint only; empty for none.
  bool offline = false;                             ///< Nothing but the cache.
  bool symlinks = true;                             ///< Off: files lie in the snapshots themselves.
  bool progress_bars = true;                        ///< Whether the user wants bars at all; for whoever draws them.
  std::chrono::milliseconds etag_timeout{10'000};   ///< Longest silence while asking about a repository or a file.
  std::chrono::milliseconds download_timeout{10'000};  ///< Longest silence while downloading.
  std::size_t connections = 8;                         ///< Files downloaded at once.
  std::string user_agent_origin;                       ///< Added to the user agent.
  std::filesystem::path certificates;                  ///< CA file or folder; empty for the system's.
  RetryPolicy retry;

  /// Called while files download, from any thread but never by two at once.
  std::function<void(const FileProgress&)> progress;
  /// Called with one line a request (no token in it); set by HF_DEBUG to write on standard error.
  std::function<void(std::string_view)> trace;
  /// Ends everything that runs with ErrorCode::Cancelled.
  std::stop_token stop;
};

/// The value of a variable, or null, as std::getenv gives it.
using Environment = std::function<const char*(const char* name)>;

/// Reads HF_HOME, XDG_CACHE_HOME, HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_TOKEN, HUGGING_FACE_HUB_TOKEN,
/// HF_ACCESS_TOKEN, HF_TOKEN_PATH, HF_HUB_DISABLE_IMPLICIT_TOKEN, HF_ENDPOINT, HF_HUB_OFFLINE, TRANSFORMERS_OFFLINE,
/// HF_HUB_ETAG_TIMEOUT, HF_HUB_DOWNLOAD_TIMEOUT (seconds), HF_HUB_DISABLE_PROGRESS_BARS, HF_HUB_DISABLE_SYMLINKS,
/// HF_HUB_USER_AGENT_ORIGIN, HF_DEBUG, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and SSL_CERT_FILE. Nothing is ever sent that
/// HF_HUB_DISABLE_TELEMETRY could turn off. An empty variable counts as unset. Fields may be overwritten afterwards.
/// Parity: huggingface_hub 0.36 constants (HF_HUB_DISABLE_SYMLINKS: 2.4).
HubSettings settings_from_environment();
HubSettings settings_from(const Environment& environment);

/// Whether HF_HUB_DISABLE_PROGRESS_BARS leaves the user his bars.
bool wants_progress_bars(const Environment& environment);

}  // namespace transmuter
