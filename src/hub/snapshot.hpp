#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transmuter {

/// A file of a repository as the hub lists it.
struct RepoFile {
  std::string path;                   ///< With "/" between folders.
  std::optional<std::uint64_t> size;  ///< Bytes; hubs other than Hugging Face's may not tell.
  std::string blob_id;                ///< git's sha1; empty when unknown.
  std::string sha256;                 ///< Of a file in large file storage; else empty.
};

/// A repository at one commit. A value: it never changes, and everything fetched through it is of that commit.
struct Snapshot {
  std::string repo;
  std::string revision;         ///< As asked: a branch, a tag or a commit.
  std::string commit;           ///< 40 hexadecimal digits.
  std::vector<RepoFile> files;  ///< By path.
  bool is_complete = false;     ///< Whether `files` is all that the commit has, or only what the cache holds of it.
  /// `base_model` of the model card; nothing when the hub was not asked, or told nothing of the card.
  std::optional<std::vector<std::string>> base_models;

  /// The listed file at `path`, or null.
  const RepoFile* find(std::string_view path) const;
};

}  // namespace transmuter
