#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "transmuter/source.hpp"

namespace transmuter {

/// The files of a model, on the hub or in a directory. A file of the hub is fetched when it is first asked for.
class Repository {
 public:
  /// Throws NotFound (no such repository, revision or directory), Unavailable (network, offline), InvalidInput (a name
  /// that can be no repository).
  static Repository open(const Source& source, const LoadOptions& options);

  /// What the user called it, for errors.
  const std::string& name() const;
  /// The paths of all files in it, sorted.
  const std::vector<std::string>& files() const;
  bool has(std::string_view file) const;

  /// In bytes; nothing when there is no such file or the hub does not tell.
  std::optional<std::uint64_t> find_size(std::string_view file) const;
  /// Where the file is on disk; nothing when it is not in the repository, or not fetched yet.
  std::optional<std::string> find_fetched(std::string_view file) const;

  /// Where the file is on disk, fetched if it was not there. Throws NotFound with the names of the files that exist.
  std::string path(std::string_view file) const;
  /// Fetches the files that are not on disk yet, several at a time.
  void fetch(const std::vector<std::string>& files) const;
  std::optional<std::string> find_text(std::string_view file) const;
  std::string text(std::string_view file) const;
  std::optional<Json> find_json(std::string_view file) const;
  Json json(std::string_view file) const;

  /// The repository of the hub that the model card names as `base_model` (the first one of a list), opened with the
  /// same options. Nothing when the card names none; what opening a repository throws.
  std::optional<Repository> base_model() const;

 private:
  class Files;
  class Directory;
  class HubFiles;
  explicit Repository(std::shared_ptr<const Files> files) : files_(std::move(files)) {}

  std::shared_ptr<const Files> files_;
};

}  // namespace transmuter
