#include "hub/hub.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/ranges.h>
#include <thread>

#include "base/json.hpp"
#include "hub/disk.hpp"
#include "hub/model_card.hpp"
#include "hub/names.hpp"
#include "hub/retry.hpp"

namespace transmuter {
namespace {

constexpr std::size_t kNearNames = 5;

std::vector<std::string> paths_of(const std::vector<RepoFile>& files) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const RepoFile& file : files) paths.push_back(file.path);
  return paths;
}

RepoFile parse_sibling(const Json& sibling) {
  RepoFile file;
  file.path = sibling.get<std::string>("rfilename");
  check_relative_path(file.path, "the hub lists the file", ErrorCode::InvalidModel);
  if (const auto size = sibling.find<std::int64_t>("size")) {
    if (*size < 0) sibling.fail_here("a file has a negative size");
    file.size = static_cast<std::uint64_t>(*size);
  }
  file.blob_id = sibling.get_or<std::string>("blobId", "");
  file.sha256 = sibling.get_or<std::string>("lfs.sha256", "");
  return file;
}

/// For who meant a directory of that name.
std::string no_directory(const std::string& name) {
  return fmt::format("; there is no directory {} here, either", name);
}

/// Parity: huggingface_hub 0.36 ModelInfo.
Snapshot parse_model_info(const HttpResponse& response, const std::string& repo, const std::string& revision) {
  const Json info = Json::parse(response.body, repo + ": the hub's answer", ErrorCode::Unavailable);
  Snapshot snapshot{.repo = repo,
                    .revision = revision,
                    .commit = info.get<std::string>("sha"),
                    .files = {},
                    .is_complete = true,
                    .base_models = {}};
  if (!is_commit_hash(snapshot.commit)) info.fail_here("\"sha\" is not a commit");
  for (const Json& sibling : info.get("siblings").elements()) snapshot.files.push_back(parse_sibling(sibling));
  std::ranges::sort(snapshot.files, {}, &RepoFile::path);
  if (const auto card = info.find("cardData")) snapshot.base_models = base_models_of_card(*card);
  return snapshot;
}

}  // namespace

Hub::Hub(HubSettings settings)
    : settings_(std::move(settings)), transport_(settings_), downloader_(settings_, transport_) {
  if (settings_.cache_dir.empty()) fail(ErrorCode::InvalidInput, "cache_dir is empty; set it or HF_HUB_CACHE");
  settings_.cache_dir = std::filesystem::absolute(settings_.cache_dir);
}

RepoCache Hub::cache_of(const std::string& repo) const { return {settings_.cache_dir, repo, settings_.symlinks}; }

Snapshot Hub::snapshot(const std::string& repo, const std::string& revision) const {
  check_repo_id(repo);
  check_relative_path(revision, "revision", ErrorCode::InvalidInput);
  auto cached = cached_snapshot(repo, revision);
  if (settings_.offline) {
    if (cached) return *std::move(cached);
    fail(ErrorCode::NotFound,
         "{} ({}): not in the cache {}, and offline mode is on; load it once online (transmuter pull {}), without "
         "HF_HUB_OFFLINE and --offline{}",
         repo, revision, settings_.cache_dir.string(), repo, no_directory(repo));
  }
  if (cached && cached->is_complete && is_commit_hash(revision)) return *std::move(cached);
  try {
    return ask(repo, revision, !cached);
  } catch (const HubError& error) {
    // As in Python, whatever keeps the hub from answering, a repository that was loaded once still loads; only a
    // revision that the hub knows to be gone is gone.
    if (cached && error.failure() != HubFailure::MissingRevision) return *std::move(cached);
    const bool may_be_a_directory =
        error.failure() == HubFailure::MissingRepo || error.failure() == HubFailure::Unreachable;
    throw Error(error.code(), fmt::format("{}{}", error.what(), may_be_a_directory ? no_directory(repo) : ""));
  }
}

std::optional<Snapshot> Hub::cached_snapshot(const std::string& repo, const std::string& revision) const {
  const RepoCache cache = cache_of(repo);
  const auto commit = is_commit_hash(revision) ? std::optional(revision) : cache.find_commit(revision);
  if (!commit || !cache.has_snapshot(*commit)) return std::nullopt;
  auto listing = cache.find_listing(*commit);
  const bool is_complete = listing.has_value();
  return Snapshot{.repo = repo,
                  .revision = revision,
                  .commit = *commit,
                  .files = is_complete ? *std::move(listing) : cache.cached_files(*commit),
                  .is_complete = is_complete,
                  .base_models = {}};
}

/// A patient question is tried again; one that the cache can answer is not.
Snapshot Hub::ask(const std::string& repo, const std::string& revision, bool is_patient) const {
  const std::string path = fmt::format("/api/models/{}/revision/{}?blobs=true", repo, percent_encode(revision, false));
  const Subject subject{.repo = repo, .revision = revision, .file = {}};
  RetryPolicy policy = settings_.retry;
  if (!is_patient) policy.retries = 0;
  return Retries(policy, settings_.stop).run([&] {
    const HttpResponse response = transport_.get(path, subject);
    try {
      return parse_model_info(response, repo, revision);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Unavailable) throw;
      throw HubError(HubFailure::Network, error.code(), error.what());  // the login page of some network
    }
  });
}

std::optional<std::filesystem::path> Hub::find_cached(const Snapshot& snapshot, const std::string& path) const {
  auto pointer = cache_of(snapshot.repo).pointer(snapshot.commit, path);
  std::error_code error;
  if (!std::filesystem::is_regular_file(pointer, error)) return std::nullopt;
  // A file of another size was cut by a crash of the machine; the download replaces it.
  const RepoFile* listed = snapshot.find(path);
  if (listed != nullptr && listed->size && std::filesystem::file_size(pointer, error) != *listed->size)
    return std::nullopt;
  return pointer;
}

std::filesystem::path Hub::fetch(const Snapshot& snapshot, const std::string& path, const std::stop_token& stop) const {
  check_relative_path(path, snapshot.repo + ": file", ErrorCode::InvalidInput);
  const RepoCache cache = cache_of(snapshot.repo);
  if (auto here = find_cached(snapshot, path)) {
    if (!settings_.offline) cache.note(snapshot);
    return *std::move(here);
  }
  if (snapshot.is_complete && snapshot.find(path) == nullptr) fail_missing(snapshot, path);
  if (settings_.offline) fail_offline(snapshot, path);
  try {
    downloader_.fetch(cache, snapshot, path, stop);
    cache.note(snapshot);
  } catch (const HubError& error) {
    if (error.failure() == HubFailure::MissingFile) {
      cache.note_absent(snapshot, path);
      fail_missing(snapshot, path);
    }
    throw Error(error.code(), error.what());
  }
  return cache.pointer(snapshot.commit, path);
}

std::filesystem::path Hub::file(const Snapshot& snapshot, const std::string& path) const {
  return fetch(snapshot, path, settings_.stop);
}

std::optional<std::filesystem::path> Hub::find_file(const Snapshot& snapshot, const std::string& path) const {
  check_relative_path(path, snapshot.repo + ": file", ErrorCode::InvalidInput);
  if (snapshot.find(path) != nullptr || find_cached(snapshot, path)) return file(snapshot, path);
  if (snapshot.is_complete && !settings_.offline) {
    const RepoCache cache = cache_of(snapshot.repo);
    cache.note(snapshot);
    cache.note_absent(snapshot, path);
  }
  return std::nullopt;
}

std::vector<std::filesystem::path> Hub::files(const Snapshot& snapshot, const std::vector<std::string>& paths) const {
  std::vector<std::filesystem::path> found(paths.size());
  std::stop_source stop;
  const std::stop_callback pass_on(settings_.stop, [&stop] { stop.request_stop(); });
  std::mutex mutex;
  std::exception_ptr first_error;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size() && !stop.stop_requested(); i = next++) {
      try {
        found[i] = fetch(snapshot, paths[i], stop.get_token());
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!first_error) first_error = std::current_exception();
        stop.request_stop();
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    const std::size_t count = std::min(paths.size(), settings_.connections);
    for (std::size_t i = 1; i < count; ++i) workers.emplace_back(work);
    work();
  }
  if (first_error) std::rethrow_exception(first_error);
  if (settings_.stop.stop_requested()) fail(ErrorCode::Cancelled, "{}: cancelled", snapshot.repo);
  return found;
}

std::vector<std::string> Hub::base_models(const Snapshot& snapshot) const {
  if (snapshot.base_models && snapshot.base_models->empty()) return {};
  const auto readme = find_file(snapshot, "README.md");
  if (snapshot.base_models) return *snapshot.base_models;
  return base_models_of_readme(readme ? read_small_file(*readme).value_or("") : "");
}

void Hub::fail_missing(const Snapshot& snapshot, const std::string& path) const {
  const auto near = nearest_names(path, paths_of(snapshot.files), kNearNames);
  fail(ErrorCode::NotFound, "{} ({}): no file \"{}\"; {}", snapshot.repo, snapshot.revision, path,
       near.empty() ? "the repository is empty" : fmt::format("it has {}", fmt::join(near, ", ")));
}

void Hub::fail_offline(const Snapshot& snapshot, const std::string& path) const {
  fail(ErrorCode::NotFound,
       "{} ({}): \"{}\" is not in the cache {}, and offline mode is on; load it once online (transmuter pull {}), "
       "without "
       "HF_HUB_OFFLINE and --offline",
       snapshot.repo, snapshot.revision, path, cache_of(snapshot.repo).folder().string(), snapshot.repo);
}

}  // namespace transmuter
