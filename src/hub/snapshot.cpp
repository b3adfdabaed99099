#include "hub/snapshot.hpp"

#include <algorithm>

namespace transmuter {

const RepoFile* Snapshot::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(files, path, {}, &RepoFile::path);
  return found != files.end() && found->path == path ? &*found : nullptr;
}

}  // namespace transmuter
