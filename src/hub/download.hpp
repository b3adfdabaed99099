#pragma once

#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "hub/cache.hpp"
#include "hub/settings.hpp"
#include "hub/snapshot.hpp"
#include "hub/transport.hpp"

namespace transmuter {

/// Brings single files of a snapshot into the cache: resumes what an earlier run left, checks size and hash before the
/// file gets its name, tries again what fails for a passing reason. Safe from many threads and processes.
class Downloader {
 public:
  /// Both must outlive this.
  Downloader(const HubSettings& settings, const Transport& transport) : settings_(settings), transport_(transport) {}

  /// Throws HubError: MissingFile, a network that stays away, a file whose hash stays wrong; or a full disk.
  void fetch(const RepoCache& cache, const Snapshot& snapshot, const std::string& path,
             const std::stop_token& stop) const;

 private:
  struct Source;
  Source ask(const Snapshot& snapshot, const std::string& path, const std::stop_token& stop) const;
  void download(const Source& source, const std::filesystem::path& partial, const std::stop_token& stop) const;
  bool download_once(const Source& source, const std::filesystem::path& partial, const std::stop_token& stop) const;
  void report(std::string_view file, std::uint64_t done, std::uint64_t total) const;

  const HubSettings& settings_;
  const Transport& transport_;
  mutable std::mutex progress_mutex_;
};

/// "W/\"abc\"" as "abc". Parity: huggingface_hub 0.36 _normalize_etag.
std::string normalized_etag(std::string_view header);

}  // namespace transmuter
