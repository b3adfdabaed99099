#include "hub/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/json.hpp"
#include "hub/disk.hpp"
#include "hub/names.hpp"

namespace transmuter {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kListingVersion = 1;

// https://bford.info/cachedir/ fixes the first line.
constexpr std::string_view kCacheTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder is a cache of files from the Hugging Face hub; they can be downloaded again.\n";

void rename_file(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0) fail_disk(to, "rename a finished download to it", errno);
}

/// Notes only save questions to the hub, and a cache that can't be written has none of them. A file that can't be
/// written is an error where it is.
template <class F>
bool if_possible(const F& write_notes) {
  try {
    write_notes();
    return true;
  } catch (const Error&) {
    return false;
  } catch (const fs::filesystem_error&) {
    return false;
  }
}

RepoFile parse_entry(const std::string& path, const Json& entry) {
  check_relative_path(path, "file", ErrorCode::InvalidModel);
  return {.path = path,
          .size = entry.get<std::size_t>("size"),
          .blob_id = entry.get<std::string>("blob_id"),
          .sha256 = entry.get_or<std::string>("lfs_sha256", "")};
}

std::string listing_text(const std::vector<RepoFile>& files) {
  Json::Members members;
  for (const RepoFile& file : files) {
    const std::size_t size = file.size.value_or(0);
    Json::Members entry{{"size", size}, {"blob_id", file.blob_id}};
    if (!file.sha256.empty()) entry.insert(entry.end(), {{"lfs_sha256", file.sha256}, {"lfs_size", size}});
    members.emplace_back(file.path, Json::object(entry));
  }
  return Json::object({{"format_version", kListingVersion}, {"files", Json::object(members)}}).dump(1);
}

}  // namespace

std::string repo_folder_name(std::string_view repo) {
  std::string name = "models--";
  for (const char c : repo) name += c == '/' ? std::string("--") : std::string(1, c);
  return name;
}

RepoCache::RepoCache(fs::path cache_dir, std::string_view repo, bool symlinks)
    : cache_dir_(std::move(cache_dir)), folder_(cache_dir_ / repo_folder_name(repo)), symlinks_(symlinks) {}

fs::path RepoCache::partial(std::string_view etag) const {
  return folder_ / "blobs" / fmt::format("{}.incomplete", etag);
}

fs::path RepoCache::lock(std::string_view etag) const {
  return cache_dir_ / ".locks" / folder_.filename() / fmt::format("{}.lock", etag);
}

fs::path RepoCache::pointer(std::string_view commit, std::string_view path) const {
  return folder_ / "snapshots" / commit / path;
}

std::optional<std::string> RepoCache::find_commit(std::string_view revision) const {
  auto commit = read_small_file(folder_ / "refs" / revision);
  if (!commit) return std::nullopt;
  while (commit->ends_with('\n')) commit->pop_back();
  return is_commit_hash(*commit) ? commit : std::nullopt;
}

std::optional<std::vector<RepoFile>> RepoCache::find_listing(std::string_view commit) const {
  const fs::path path = folder_ / "trees" / fmt::format("{}.json", commit);
  const auto text = read_small_file(path);
  if (!text) return std::nullopt;
  try {
    const Json json = Json::parse(*text, path.string());
    if (json.get<std::int64_t>("format_version") != kListingVersion) return std::nullopt;
    std::vector<RepoFile> files;
    for (const auto& [name, entry] : json.get("files").members()) files.push_back(parse_entry(name, entry));
    std::ranges::sort(files, {}, &RepoFile::path);
    return files;
  } catch (const Error&) {
    return std::nullopt;  // of another version, or broken: the hub is asked again
  }
}

std::vector<RepoFile> RepoCache::cached_files(std::string_view commit) const {
  const fs::path root = folder_ / "snapshots" / commit;
  std::vector<RepoFile> files;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(root, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code no_file;
    if (!entry->is_regular_file(no_file)) continue;  // follows links: a broken one is no file
    const std::uint64_t size = entry->file_size(no_file);
    files.push_back(
        {.path = entry->path().lexically_relative(root).generic_string(), .size = size, .blob_id = {}, .sha256 = {}});
  }
  std::ranges::sort(files, {}, &RepoFile::path);
  return files;
}

bool RepoCache::has_snapshot(std::string_view commit) const {
  std::error_code error;
  return fs::is_directory(folder_ / "snapshots" / commit, error);
}

bool RepoCache::is_known_absent(std::string_view commit, std::string_view path) const {
  std::error_code error;
  return fs::is_regular_file(folder_ / ".no_exist" / commit / path, error);
}

void RepoCache::note(const Snapshot& snapshot) const {
  if_possible([&] {
    make_folders(folder_ / "snapshots" / snapshot.commit);
    if (const fs::path tag = cache_dir_ / "CACHEDIR.TAG"; !fs::exists(tag)) write_atomically(tag, kCacheTag, folder_);
    write_listing(snapshot);
    if (snapshot.revision != snapshot.commit && find_commit(snapshot.revision) != snapshot.commit) {
      write_atomically(folder_ / "refs" / snapshot.revision, snapshot.commit, folder_);
    }
  });
}

void RepoCache::write_listing(const Snapshot& snapshot) const {
  const fs::path path = folder_ / "trees" / fmt::format("{}.json", snapshot.commit);
  const bool is_whole = snapshot.is_complete && std::ranges::all_of(snapshot.files, [](const RepoFile& file) {
                          return file.size.has_value() && !file.blob_id.empty();
                        });
  if (is_whole && !fs::exists(path)) write_atomically(path, listing_text(snapshot.files), folder_);
}

void RepoCache::note_absent(const Snapshot& snapshot, std::string_view path) const {
  if (is_known_absent(snapshot.commit, path)) return;
  if_possible([&] { write_atomically(folder_ / ".no_exist" / snapshot.commit / path, "", folder_); });
}

void RepoCache::place(std::string_view etag, std::string_view commit, std::string_view path) const {
  const fs::path target = pointer(commit, path);
  make_folders(target.parent_path());
  if (symlinks_ && link(etag, target)) return;
  const fs::path copy = folder_ / ("tmp_" + random_suffix());
  std::error_code error;
  fs::copy_file(blob(etag), copy, error);
  if (!error) fs::rename(copy, target, error);
  if (error) {
    unlink(copy.c_str());
    fail_disk(target, "write the file", error.value());
  }
}

void RepoCache::place_new(const fs::path& finished, std::string_view etag, std::string_view commit,
                          std::string_view path) const {
  const fs::path target = pointer(commit, path);
  make_folders(target.parent_path());
  if (!symlinks_) return rename_file(finished, target);
  rename_file(finished, blob(etag));
  if (!link(etag, target)) rename_file(blob(etag), target);
}

/// False where the disk has no symbolic links.
bool RepoCache::link(std::string_view etag, const fs::path& target) const {
  const fs::path relative = blob(etag).lexically_relative(target.parent_path());
  for (int attempts = 0; attempts < 2; ++attempts) {
    if (symlink(relative.c_str(), target.c_str()) == 0) return true;
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) return false;
    if (errno != EEXIST) break;
    std::error_code error;
    if (fs::equivalent(target, blob(etag), error)) return true;
    unlink(target.c_str());  // a broken link, or one to another blob
  }
  fail_disk(target, "link the file", errno);
}

}  // namespace transmuter
