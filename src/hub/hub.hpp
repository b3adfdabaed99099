#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hub/cache.hpp"
#include "hub/cached_repos.hpp"
#include "hub/download.hpp"
#include "hub/settings.hpp"
#include "hub/snapshot.hpp"
#include "hub/transport.hpp"

namespace transmuter {

/// The Hugging Face hub and its cache on this disk, which Python's huggingface_hub shares. The cache comes first, the
/// network after it. Safe from many threads; other processes may work in the same cache.
///
/// Errors: NotFound (repository, revision or file; or not cached while offline; a gated repository or a bad token),
/// Unavailable (network, server, disk), InvalidModel (a hostile list of files), InvalidInput (a wrong id or setting),
/// Cancelled.
class Hub {
 public:
  explicit Hub(HubSettings settings);
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  const HubSettings& settings() const noexcept { return settings_; }

  /// The commit that `revision` is now and its files. Asks the hub once; nothing is asked for a commit whose list of
  /// files is cached, or offline. When the hub does not answer, what the cache has of the revision counts.
  /// Parity: huggingface_hub 0.36 snapshot_download.
  Snapshot snapshot(const std::string& repo, const std::string& revision = "main") const;

  /// Where a file of the snapshot lies, after a download if it was not there. An error names files that are near.
  /// Parity: huggingface_hub 0.36 hf_hub_download.
  std::filesystem::path file(const Snapshot& snapshot, const std::string& path) const;

  /// The same; nothing when the snapshot has no such file. When only what the cache holds is known (offline or without
  /// a network, and Python filled the cache), a file that is not in the cache counts as one that is not there.
  std::optional<std::filesystem::path> find_file(const Snapshot& snapshot, const std::string& path) const;

  /// Where a file of the snapshot lies in the cache; nothing when it is not there. Asks nobody.
  std::optional<std::filesystem::path> find_cached(const Snapshot& snapshot, const std::string& path) const;

  /// Several files, several at once, in the order asked for. The first error stops the others.
  std::vector<std::filesystem::path> files(const Snapshot& snapshot, const std::vector<std::string>& paths) const;

  /// Repositories that `base_model` of the model card names. README.md comes into the cache, so that the answer stays
  /// the same offline.
  std::vector<std::string> base_models(const Snapshot& snapshot) const;

  /// What the cache holds.
  std::vector<CachedRepo> cached() const { return list_cached_repos(settings_.cache_dir); }
  /// Removes a repository from the cache.
  void remove(const std::string& repo) const { remove_cached_repo(settings_.cache_dir, repo); }

 private:
  RepoCache cache_of(const std::string& repo) const;
  std::optional<Snapshot> cached_snapshot(const std::string& repo, const std::string& revision) const;
  Snapshot ask(const std::string& repo, const std::string& revision, bool is_patient) const;
  std::filesystem::path fetch(const Snapshot& snapshot, const std::string& path, const std::stop_token& stop) const;
  [[noreturn]] void fail_missing(const Snapshot& snapshot, const std::string& path) const;
  [[noreturn]] void fail_offline(const Snapshot& snapshot, const std::string& path) const;

  HubSettings settings_;
  Transport transport_;
  Downloader downloader_;
};

}  // namespace transmuter
