#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "hub/hub.hpp"
#include "repository/repository.hpp"
#include "repository/variant.hpp"
#include "tasks/recognition.hpp"

namespace transmuter::cli {
namespace {

constexpr std::size_t kShortCommit = 8;

Source hub_source(const RepositoryArguments& arguments, std::string_view command) {
  Source source = source_of(arguments.repository);
  if (source.kind() != Source::Kind::Hub) {
    fail(ErrorCode::InvalidInput, "{}: {} is a directory; name a repository of the hub, as owner/name", command,
         source.place());
  }
  return source;
}

HubSettings hub_settings(const RepositoryArguments& arguments) {
  HubSettings settings = settings_from_environment();
  const LoadOptions load = load_options(arguments.settings);
  if (!load.cache_dir.empty()) settings.cache_dir = load.cache_dir;
  return settings;
}

// Small files of the root that say how the model is used: configurations, the tokenizer, templates, the model card.
bool is_configuration(const std::string& file) {
  if (file.find('/') != std::string::npos || file.ends_with(".index.json")) return false;
  return file.ends_with(".json") || file.ends_with(".jinja") || file == "README.md";
}

std::vector<std::string> configurations(const Repository& repository) {
  std::vector<std::string> files;
  std::ranges::copy_if(repository.files(), std::back_inserter(files), is_configuration);
  return files;
}

std::vector<std::string> chosen_graphs(const Repository& repository, const LoadOptions& load) {
  std::vector<std::string> files;
  for (const Signs* signs : recognize_tasks(repository)) {
    for (const std::string_view stem : signs->stems) {
      std::string file = choose_model_file(repository, stem, load.variant).path;
      if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
    }
  }
  if (files.empty()) {
    fail(ErrorCode::Unsupported,
         "{}: no task here runs it (its files and config.json say so), so that it is not known what to fetch; --all "
         "fetches everything, --file NAME one file",
         repository.name());
  }
  return files;
}

void fetch_needed(const Repository& repository, const LoadOptions& load) {
  repository.fetch(configurations(repository));
  const auto graphs = chosen_graphs(repository, load);
  repository.fetch(graphs);
  for (const std::string& graph : graphs) fetch_model_file(repository, graph);
  for (const Signs* signs : recognize_tasks(repository)) {
    if (signs->fetch != nullptr) signs->fetch(repository);
  }
}

std::string revisions_of(const CachedRepo& repo) {
  std::string all;
  for (const CachedRevision& revision : repo.revisions) {
    const std::string commit = revision.commit.substr(0, kShortCommit);
    const std::string name =
        revision.refs.empty() ? commit : fmt::format("{} ({})", fmt::join(revision.refs, ", "), commit);
    all += (all.empty() ? "" : "; ") + name;
  }
  return all;
}

Json json_of(const CachedRepo& repo) {
  std::vector<Json> revisions;
  for (const CachedRevision& revision : repo.revisions) {
    const std::vector<Json> refs(revision.refs.begin(), revision.refs.end());
    std::vector<Json> files;
    for (const RepoFile& file : revision.files) files.emplace_back(file.path);
    revisions.push_back(
        Json::object({{"commit", revision.commit}, {"refs", Json::array(refs)}, {"files", Json::array(files)}}));
  }
  return Json::object({{"repository", repo.repo},
                       {"size", static_cast<std::int64_t>(repo.size)},
                       {"path", repo.folder.string()},
                       {"revisions", Json::array(revisions)}});
}

}  // namespace

void pull(const RepositoryArguments& arguments) {
  ProgressBars bars;
  LoadOptions load = load_options(arguments.settings);
  load.progress = bars.downloads();
  if (arguments.all && !arguments.files.empty()) fail(ErrorCode::InvalidInput, "pull: give --all or --file, not both");
  const Repository repository = Repository::open(hub_source(arguments, "pull"), load);
  for (const std::string& file : arguments.files) repository.path(file);
  if (arguments.all) {
    repository.fetch(repository.files());
  } else if (arguments.files.empty()) {
    fetch_needed(repository, load);
  }

  std::uint64_t size = 0;
  std::vector<Json> files;
  for (const std::string& file : repository.files()) {
    const auto place = repository.find_fetched(file);
    if (!place) continue;
    const std::uint64_t bytes = std::filesystem::file_size(*place);
    size += bytes;
    files.push_back(Json::object({{"file", file}, {"size", static_cast<std::int64_t>(bytes)}, {"path", *place}}));
  }
  if (arguments.json) {
    print(Json::object({{"repository", repository.name()}, {"files", Json::array(files)}}).dump() + '\n');
  } else {
    print(fmt::format("{}: {} files, {}, are on this disk\n", repository.name(), files.size(), readable_size(size)));
  }
}

void list(const RepositoryArguments& arguments) {
  const Hub hub(hub_settings(arguments));
  const auto repos = hub.cached();
  const std::string cache = hub.settings().cache_dir.string();
  if (arguments.json) {
    std::vector<Json> all;
    for (const CachedRepo& repo : repos) all.push_back(json_of(repo));
    return print(Json::object({{"cache", cache}, {"repositories", Json::array(all)}}).dump() + '\n');
  }
  if (repos.empty()) return print(fmt::format("{} holds no models; transmuter pull REPO fetches one\n", cache));
  std::size_t width = 0;
  std::uint64_t size = 0;
  for (const CachedRepo& repo : repos) {
    width = std::max(width, repo.repo.size());
    size += repo.size;
  }
  std::string text;
  for (const CachedRepo& repo : repos) {
    text += fmt::format("{}  {:>10}  {}\n", padded(repo.repo, width), readable_size(repo.size), revisions_of(repo));
  }
  print(text + fmt::format("{} of {} in {}\n", readable_size(size),
                           repos.size() == 1 ? "1 model" : fmt::format("{} models", repos.size()), cache));
}

void remove(const RepositoryArguments& arguments) {
  const Source source = hub_source(arguments, "rm");
  if (!source.revision().empty()) {
    fail(ErrorCode::InvalidInput, "rm: a repository goes with all its revisions; name it without @{}",
         source.revision());
  }
  const Hub hub(hub_settings(arguments));
  const auto repos = hub.cached();
  const auto found = std::ranges::find(repos, source.place(), &CachedRepo::repo);
  const std::uint64_t freed = found == repos.end() ? 0 : found->size;
  hub.remove(source.place());
  if (arguments.json) {
    print(Json::object({{"repository", source.place()}, {"freed", static_cast<std::int64_t>(freed)}}).dump() + '\n');
  } else {
    print(fmt::format("{}: removed, {} freed\n", source.place(), readable_size(freed)));
  }
}

}  // namespace transmuter::cli
