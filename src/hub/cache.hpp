#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/snapshot.hpp"

namespace transmuter {

/// The folder of one repository in the cache of huggingface_hub:
///   models--OWNER--NAME/blobs/<etag>, snapshots/<commit>/<path> -> ../../blobs/<etag>, refs/<revision>,
///   .no_exist/<commit>/<path>, trees/<commit>.json (all files of a commit), and
///   ../.locks/models--OWNER--NAME/<etag>.lock
/// Every change is one rename or one link, so that a killed process leaves a right cache.
/// Parity: huggingface_hub 0.36 file_download; trees: 2.4 _tree_cache.
class RepoCache {
 public:
  RepoCache(std::filesystem::path cache_dir, std::string_view repo, bool symlinks);

  const std::filesystem::path& folder() const noexcept { return folder_; }
  std::filesystem::path blob(std::string_view etag) const { return folder_ / "blobs" / etag; }
  std::filesystem::path partial(std::string_view etag) const;
  std::filesystem::path lock(std::string_view etag) const;
  /// Where a file of a commit lies or would lie.
  std::filesystem::path pointer(std::string_view commit, std::string_view path) const;

  /// The commit that a branch or tag had when it was last seen.
  std::optional<std::string> find_commit(std::string_view revision) const;
  /// All files of a commit, when some program has kept the list.
  std::optional<std::vector<RepoFile>> find_listing(std::string_view commit) const;
  /// The files of a commit that are here.
  std::vector<RepoFile> cached_files(std::string_view commit) const;
  bool has_snapshot(std::string_view commit) const;
  bool is_known_absent(std::string_view commit, std::string_view path) const;

  /// Creates the folders, tags the cache for backup programs, and notes the commit of the revision and its list of
  /// files. What is there already is not written again, so that a cache that can only be read works.
  void note(const Snapshot& snapshot) const;
  /// Notes that a commit has no such file.
  void note_absent(const Snapshot& snapshot, std::string_view path) const;

  /// Makes the blob of `etag` appear as a file of the commit.
  void place(std::string_view etag, std::string_view commit, std::string_view path) const;
  /// The same for a finished download, which becomes the blob.
  void place_new(const std::filesystem::path& finished, std::string_view etag, std::string_view commit,
                 std::string_view path) const;

 private:
  void write_listing(const Snapshot& snapshot) const;
  bool link(std::string_view etag, const std::filesystem::path& pointer) const;

  std::filesystem::path cache_dir_;
  std::filesystem::path folder_;
  bool symlinks_;
};

/// "models--owner--name". Parity: huggingface_hub 0.36 repo_folder_name.
std::string repo_folder_name(std::string_view repo);

}  // namespace transmuter
