#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hub/snapshot.hpp"

namespace transmuter {

struct CachedRevision {
  std::string commit;
  std::vector<std::string> refs;  ///< Branches and tags that point to it.
  std::vector<RepoFile> files;    ///< Those that are here.
};

/// A model repository in the cache.
struct CachedRepo {
  std::string repo;
  std::filesystem::path folder;
  std::uint64_t size = 0;  ///< Bytes that removing it frees: shared files once, unfinished downloads too.
  std::vector<CachedRevision> revisions;
};

/// All model repositories of a cache, by name; folders that are none are passed over.
std::vector<CachedRepo> list_cached_repos(const std::filesystem::path& cache_dir);

/// Removes a repository; the order is such that a killed process leaves no name without its file. Throws NotFound.
void remove_cached_repo(const std::filesystem::path& cache_dir, const std::string& repo);

}  // namespace transmuter
