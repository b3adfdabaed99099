#include "hub/cached_repos.hpp"

#include <algorithm>
#include <map>
#include <system_error>

#include "hub/cache.hpp"
#include "hub/disk.hpp"
#include "hub/names.hpp"

namespace transmuter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "models--";

/// Calls `visit` for all that is below a folder; a folder that is not there or goes away has nothing.
template <class Visit>
void walk(const fs::path& folder, const Visit& visit) {
  std::error_code error;
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(folder, error); !error && entry != end; entry.increment(error))
    visit(*entry);
}

std::uint64_t size_on_disk(const fs::path& folder) {
  std::uint64_t size = 0;
  walk(folder, [&](const fs::directory_entry& entry) {
    std::error_code error;
    if (!entry.is_symlink(error) && entry.is_regular_file(error)) {
      const std::uint64_t bytes = entry.file_size(error);
      if (!error) size += bytes;
    }
  });
  return size;
}

std::map<std::string, std::vector<std::string>> refs_by_commit(const fs::path& folder) {
  std::map<std::string, std::vector<std::string>> refs;
  walk(folder / "refs", [&](const fs::directory_entry& entry) {
    std::error_code error;
    if (!entry.is_regular_file(error)) return;
    auto commit = read_small_file(entry.path());
    while (commit && commit->ends_with('\n')) commit->pop_back();
    if (commit) refs[*commit].push_back(entry.path().lexically_relative(folder / "refs").generic_string());
  });
  for (auto& [commit, names] : refs) std::ranges::sort(names);
  return refs;
}

/// "owner/name" of "models--owner--name"; empty for anything else.
std::string repo_of_folder(const fs::path& folder) {
  std::string name = folder.filename().string();
  if (!name.starts_with(kPrefix)) return {};
  name.erase(0, kPrefix.size());
  if (const auto dashes = name.find("--"); dashes != std::string::npos) name.replace(dashes, 2, "/");
  return repo_id_fault(name).empty() ? name : std::string();
}

}  // namespace

std::vector<CachedRepo> list_cached_repos(const fs::path& cache_dir) {
  std::vector<CachedRepo> repos;
  std::error_code error;
  for (fs::directory_iterator entry(cache_dir, error), end; !error && entry != end; entry.increment(error)) {
    CachedRepo found{.repo = repo_of_folder(entry->path()), .folder = entry->path(), .size = 0, .revisions = {}};
    std::error_code no_folder;
    if (found.repo.empty() || !fs::is_directory(entry->path() / "snapshots", no_folder)) continue;
    const RepoCache cache(cache_dir, found.repo, true);
    found.size = size_on_disk(found.folder / "blobs") + size_on_disk(found.folder / "snapshots");
    auto refs = refs_by_commit(found.folder);
    for (fs::directory_iterator commit(found.folder / "snapshots", no_folder); !no_folder && commit != end;
         commit.increment(no_folder)) {
      const std::string hash = commit->path().filename().string();
      if (!is_commit_hash(hash)) continue;
      found.revisions.push_back({.commit = hash, .refs = refs[hash], .files = cache.cached_files(hash)});
    }
    std::ranges::sort(found.revisions, {}, &CachedRevision::commit);
    repos.push_back(std::move(found));
  }
  std::ranges::sort(repos, {}, &CachedRepo::repo);
  return repos;
}

void remove_cached_repo(const fs::path& cache_dir, const std::string& repo) {
  check_repo_id(repo);
  const fs::path folder = cache_dir / repo_folder_name(repo);
  if (!fs::is_directory(folder)) {
    fail(ErrorCode::NotFound, "{}: not in the cache {}; transmuter list shows what is", repo, cache_dir.string());
  }
  for (const fs::path& part : {folder / "refs", folder / "snapshots", folder}) {
    std::error_code error;
    fs::remove_all(part, error);
    if (error) fail_disk(part, "remove the folder", error.value());
  }
}

}  // namespace transmuter
