#include "hub/download.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unistd.h>

#include "hub/file_lock.hpp"
#include "hub/names.hpp"
#include "hub/partial_file.hpp"
#include "hub/retry.hpp"

namespace transmuter {
namespace {

std::optional<std::uint64_t> parse_size(const std::optional<std::string>& text) {
  std::uint64_t value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc{} && end == text->data() + text->size() ? std::optional(value) : std::nullopt;
}

[[noreturn]] void fail_answer(const Snapshot& snapshot, const std::string& path, std::string_view why) {
  throw HubError(HubFailure::Network, ErrorCode::Unavailable,
                 fmt::format("{}: \"{}\": {}: this is not the answer of a hub; check HF_ENDPOINT, the proxy and the "
                             "network",
                             snapshot.repo, path, why));
}

/// An etag becomes a file name.
void check_etag(const Snapshot& snapshot, const std::string& path, const std::string& etag) {
  constexpr std::size_t kLongest = 200;
  const bool is_name =
      !etag.empty() && etag.size() <= kLongest && etag.front() != '.' && std::ranges::all_of(etag, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
               c == '.' || c == '+' || c == '=';
      });
  if (!is_name) fail_answer(snapshot, path, etag.empty() ? "no etag" : "an etag that can't be one");
}

std::optional<std::uint64_t> size_of(const HttpResponse& head, const RepoFile* listed) {
  if (const auto linked = head.header("x-linked-size")) return parse_size(linked);
  // The length of a redirect is that of its own page.
  if (head.is_success()) return parse_size(head.header("content-length"));
  return listed != nullptr ? listed->size : std::nullopt;
}

/// Where a 206 begins: "bytes 100-199/200".
std::optional<std::uint64_t> range_start(const HttpResponse& response) {
  const std::string range = response.header("content-range").value_or("");
  constexpr std::string_view kUnit = "bytes ";
  const auto dash = range.find('-');
  if (!range.starts_with(kUnit) || dash == std::string::npos) return std::nullopt;
  return parse_size(range.substr(kUnit.size(), dash - kUnit.size()));
}

}  // namespace

struct Downloader::Source {
  Subject subject;
  std::string url_path;
  std::string etag;
  std::uint64_t size;
};

std::string normalized_etag(std::string_view header) {
  header.remove_prefix(std::min(header.find_first_not_of("W/"), header.size()));
  const auto first = header.find_first_not_of('"');
  if (first == std::string_view::npos) return {};
  return std::string(header.substr(first, header.find_last_not_of('"') - first + 1));
}

void Downloader::fetch(const RepoCache& cache, const Snapshot& snapshot, const std::string& path,
                       const std::stop_token& stop) const {
  const Source source = ask(snapshot, path, stop);
  make_folders(cache.folder() / "blobs");
  const FileLock lock(cache.lock(source.etag), stop);
  std::error_code error;
  if (const auto here = cache.pointer(snapshot.commit, path);
      std::filesystem::file_size(here, error) == source.size && !error) {
    return;  // another process was faster
  }
  if (std::filesystem::file_size(cache.blob(source.etag), error) == source.size && !error) {
    return cache.place(source.etag, snapshot.commit, path);
  }
  const auto partial = cache.partial(source.etag);
  download(source, partial, stop);
  cache.place_new(partial, source.etag, snapshot.commit, path);
}

Downloader::Source Downloader::ask(const Snapshot& snapshot, const std::string& path,
                                   const std::stop_token& stop) const {
  Source source;
  source.subject = {.repo = snapshot.repo, .revision = snapshot.revision, .file = path};
  source.url_path = fmt::format("/{}/resolve/{}/{}", snapshot.repo, snapshot.commit, percent_encode(path, true));
  Retries retries(settings_.retry, stop);
  const HttpResponse head = retries.run([&] {
    HttpResponse response = transport_.head(source.url_path, source.subject, stop);
    const auto commit = response.header("x-repo-commit");
    if (!commit) fail_answer(snapshot, path, "no commit");
    if (*commit != snapshot.commit) fail_answer(snapshot, path, "another commit than asked for");
    return response;
  });
  const auto linked = head.header("x-linked-etag");
  source.etag = normalized_etag(linked && !linked->empty() ? *linked : head.header("etag").value_or(""));
  check_etag(snapshot, path, source.etag);
  const auto size = size_of(head, snapshot.find(path));
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!size || *size > kLargest) fail_answer(snapshot, path, "no size");
  source.size = *size;
  return source;
}

void Downloader::download(const Source& source, const std::filesystem::path& partial,
                          const std::stop_token& stop) const {
  constexpr int kAttempts = 2;  // a wrong file is dropped and fetched once more
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (download_once(source, partial, stop)) return;
    unlink(partial.c_str());
  }
  throw HubError(
      HubFailure::Other, ErrorCode::Unavailable,
      fmt::format("{}: \"{}\": twice came other bytes than the hub's hash {} says; try again later or check the "
                  "proxy",
                  source.subject.repo, source.subject.file, source.etag));
}

/// False when the file that came is wrong.
bool Downloader::download_once(const Source& source, const std::filesystem::path& partial,
                               const std::stop_token& stop) const {
  PartialFile file(partial, source.etag, source.size);
  Retries retries(settings_.retry, stop);
  bool is_too_long = false;
  bool is_restarted = false;
  std::uint64_t farthest = file.size();
  const auto take = [&](const HttpResponse& response, std::span<const char> bytes, bool& is_first) {
    if (is_first) {
      constexpr long kPartialContent = 206;
      if (response.status != kPartialContent) {
        file.restart();  // the server sends all of it
      } else if (range_start(response) != file.size()) {
        throw HubError(HubFailure::Range, ErrorCode::Unavailable, "the server sends another range than asked for");
      }
      is_first = false;
    }
    if (bytes.size() > source.size - file.size()) {
      is_too_long = true;
      throw HubError(HubFailure::Other, ErrorCode::Unavailable, "the server sends more than the file has");
    }
    file.append(bytes);
    if (file.size() > farthest) retries.reset();  // a server that begins anew each time makes no progress
    farthest = std::max(farthest, file.size());
    report(source.subject.file, file.size(), source.size);
  };
  report(source.subject.file, file.size(), source.size);
  while (file.size() < source.size && !is_too_long) {
    try {
      retries.run([&] {
        bool is_first = true;
        transport_.download(
            source.url_path, source.subject, file.size(),
            [&](const HttpResponse& response, std::span<const char> bytes) { take(response, bytes, is_first); }, stop);
        if (file.size() < source.size) {
          throw HubError(HubFailure::Network, ErrorCode::Unavailable,
                         fmt::format("{}: \"{}\": the server ended after {} of {} bytes", source.subject.repo,
                                     source.subject.file, file.size(), source.size));
        }
      });
    } catch (const HubError& error) {
      if (is_too_long) break;
      if (error.failure() != HubFailure::Range || is_restarted) throw;
      file.restart();  // what an earlier run left does not fit this file any more
      is_restarted = true;
    }
  }
  return !is_too_long && file.finish();
}

void Downloader::report(std::string_view file, std::uint64_t done, std::uint64_t total) const {
  if (!settings_.progress) return;
  const std::scoped_lock lock(progress_mutex_);
  settings_.progress({.file = file, .done = done, .total = total});
}

}  // namespace transmuter
