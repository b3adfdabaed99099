#include "repository/repository.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/describe.hpp"
#include "base/file_content.hpp"
#include "hub/hub.hpp"
#include "hub/model_card.hpp"

namespace transmuter {

namespace fs = std::filesystem;

/// Where the files come from: the one thing in which a directory and the hub differ.
class Repository::Files {
 public:
  virtual ~Files() = default;
  virtual std::string path(const std::string& file) const = 0;
  virtual void fetch(const std::vector<std::string>& files) const = 0;
  virtual std::optional<std::uint64_t> find_size(const std::string& file) const = 0;
  virtual std::optional<std::string> find_fetched(const std::string& file) const = 0;
  virtual std::vector<std::string> base_models() const = 0;  ///< Of the model card.
  virtual const LoadOptions& options() const = 0;

  std::string name;
  std::vector<std::string> files;
};

class Repository::Directory final : public Files {
 public:
  Directory(const fs::path& folder, LoadOptions options) : folder_(folder), options_(std::move(options)) {
    name = folder.string();
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink, error);
    for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
      std::error_code unknown;  // a link that leads nowhere or round is no file
      const bool hidden = entry->path().filename().native().starts_with('.');
      if (entry->is_directory(unknown) && (hidden || entry.depth() >= kDeepest)) entry.disable_recursion_pending();
      if (hidden || !entry->is_regular_file(unknown)) continue;
      files.push_back(entry->path().lexically_relative(folder).generic_string());
      if (files.size() > kMostFiles)
        fail(ErrorCode::InvalidInput, "{}: holds more than {} files; is it a model?", name, kMostFiles);
    }
    if (error) fail(ErrorCode::Unavailable, "{}: cannot be listed: {}", name, error.message());
    std::ranges::sort(files);
  }

  std::string path(const std::string& file) const override { return (folder_ / file).string(); }
  void fetch(const std::vector<std::string>&) const override {}
  std::optional<std::uint64_t> find_size(const std::string& file) const override {
    std::error_code error;
    const auto size = fs::file_size(folder_ / file, error);
    return error ? std::nullopt : std::optional<std::uint64_t>(size);
  }
  std::optional<std::string> find_fetched(const std::string& file) const override { return path(file); }
  std::vector<std::string> base_models() const override {
    std::ifstream card(folder_ / "README.md", std::ios::binary);
    return base_models_of_readme(std::string{std::istreambuf_iterator<char>(card), {}});
  }
  const LoadOptions& options() const override { return options_; }

 private:
  static constexpr int kDeepest = 8;
  static constexpr std::size_t kMostFiles = 100'000;  // more are a home directory that was given by mistake

  fs::path folder_;
  LoadOptions options_;
};

class Repository::HubFiles final : public Files {
 public:
  HubFiles(const Source& source, LoadOptions options)
      : options_(std::move(options)),
        hub_(settings(options_)),
        snapshot_(hub_.snapshot(source.place(), revision(source, options_))) {
    name = source.place();
    for (const RepoFile& file : snapshot_.files) files.push_back(file.path);
    std::ranges::sort(files);
  }

  std::string path(const std::string& file) const override { return hub_.file(snapshot_, file).string(); }
  void fetch(const std::vector<std::string>& wanted) const override { hub_.files(snapshot_, wanted); }
  std::optional<std::uint64_t> find_size(const std::string& file) const override {
    const RepoFile* listed = snapshot_.find(file);
    return listed == nullptr ? std::nullopt : listed->size;
  }
  std::optional<std::string> find_fetched(const std::string& file) const override {
    const auto place = hub_.find_cached(snapshot_, file);
    return place ? std::optional(place->string()) : std::nullopt;
  }
  std::vector<std::string> base_models() const override { return hub_.base_models(snapshot_); }
  const LoadOptions& options() const override { return options_; }

 private:
  static HubSettings settings(const LoadOptions& options) {
    HubSettings settings = settings_from_environment();
    if (!options.cache_dir.empty()) settings.cache_dir = options.cache_dir;
    settings.offline = settings.offline || options.offline;
    if (options.progress) {
      settings.progress = [progress = options.progress](const FileProgress& file) {
        progress({.file = file.file, .done = file.done, .total = file.total});
      };
    }
    return settings;
  }

  static std::string revision(const Source& source, const LoadOptions& options) {
    if (!source.revision().empty() && !options.revision.empty() && source.revision() != options.revision) {
      fail(ErrorCode::InvalidInput, "revision: {} is asked for, but {}@{} names another one", options.revision,
           source.place(), source.revision());
    }
    if (!source.revision().empty()) return source.revision();
    return options.revision.empty() ? "main" : options.revision;
  }

  LoadOptions options_;
  Hub hub_;
  Snapshot snapshot_;
};

namespace {

constexpr std::string_view kHow = "write owner/name, owner/name@revision or the model's directory";

// What people give for a model: its page, or one of its files.
void check_is_no_file(const std::string& place) {
  if (place.find("://") != std::string::npos) fail(ErrorCode::InvalidInput, "{}: is a URL: {}", place, kHow);
  std::error_code error;
  if (fs::is_regular_file(place, error)) {
    fail(ErrorCode::InvalidInput, "{}: is a file: {}, and choose the ONNX file with variant", place, kHow);
  }
}

// The folder of the graphs alone has no tokenizer; the model is around it.
void check_is_whole(const Repository& repository) {
  constexpr std::string_view kConfig = "config.json";
  const fs::path given = fs::absolute(repository.name()).lexically_normal();
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  const fs::path whole = folder.parent_path();
  std::error_code error;
  if (folder.filename() == "onnx" && !repository.has(kConfig) && fs::is_regular_file(whole / kConfig, error)) {
    fail(ErrorCode::InvalidInput, "{}: is a folder of a model: write the model's directory {}", repository.name(),
         whole.string());
  }
}

}  // namespace

Repository Repository::open(const Source& source, const LoadOptions& options) {
  if (source.kind() == Source::Kind::Hub) {
    check_is_no_file(source.place());
    return Repository(std::make_shared<const HubFiles>(source, options));
  }
  std::error_code error;
  if (!fs::is_directory(source.place(), error)) {
    check_is_no_file(source.place());
    fail(ErrorCode::NotFound, "{}: there is no such directory", source.place());
  }
  if (!options.revision.empty()) {
    fail(ErrorCode::InvalidInput, "revision: {} is a directory, which has no revisions", source.place());
  }
  Repository repository(std::make_shared<const Directory>(source.place(), options));
  check_is_whole(repository);
  return repository;
}

const std::string& Repository::name() const { return files_->name; }
const std::vector<std::string>& Repository::files() const { return files_->files; }
bool Repository::has(std::string_view file) const { return std::ranges::binary_search(files(), file); }

std::optional<std::uint64_t> Repository::find_size(std::string_view file) const {
  return has(file) ? files_->find_size(std::string(file)) : std::nullopt;
}

std::optional<std::string> Repository::find_fetched(std::string_view file) const {
  return has(file) ? files_->find_fetched(std::string(file)) : std::nullopt;
}

std::string Repository::path(std::string_view file) const {
  if (!has(file)) {
    const auto near = nearest(file, files());
    fail(ErrorCode::NotFound, "{}: has no {}{}", name(), file, near ? fmt::format("; there is {}", *near) : "");
  }
  return files_->path(std::string(file));
}

void Repository::fetch(const std::vector<std::string>& files) const { files_->fetch(files); }

std::optional<std::string> Repository::find_text(std::string_view file) const {
  if (!has(file)) return std::nullopt;
  return text(file);
}

std::string Repository::text(std::string_view file) const {
  const std::string place = path(file);
  std::ifstream stream(place, std::ios::binary);
  if (!stream) fail(ErrorCode::NotFound, "{}: cannot be read: {}", place, std::generic_category().message(errno));
  std::string content{std::istreambuf_iterator<char>(stream), {}};
  within(place, [&] { check_file_content(content); });
  return content;
}

std::optional<Json> Repository::find_json(std::string_view file) const {
  if (!has(file)) return std::nullopt;
  return json(file);
}

Json Repository::json(std::string_view file) const {
  const std::string content = text(file);
  return Json::parse(content, fmt::format("{}: {}", name(), file));
}

std::optional<Repository> Repository::base_model() const {
  const auto names = files_->base_models();
  if (names.empty()) return std::nullopt;
  LoadOptions options = files_->options();
  options.revision.clear();  // it is of this repository
  return within(fmt::format("{}: base_model {}", name(), names.front()),
                [&] { return open(hf(names.front()), options); });
}

}  // namespace transmuter
