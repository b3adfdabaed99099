#include "repository/repository.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/describe.hpp"

namespace transmuter {

namespace fs = std::filesystem;

/// Where the files come from: the one thing in which a directory and the hub differ.
class Repository::Files {
 public:
  virtual ~Files() = default;
  virtual std::string path(const std::string& file) const = 0;
  virtual void fetch(const std::vector<std::string>& files) const = 0;
  virtual std::optional<Repository> base_model() const = 0;

  std::string name;
  std::vector<std::string> files;
};

class Repository::Directory final : public Files {
 public:
  explicit Directory(const fs::path& folder, LoadOptions options) : folder_(folder), options_(std::move(options)) {
    name = folder.string();
    constexpr std::size_t kMost = 100'000;  // a home directory given by mistake
    for (fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink), end;
         entry != end; ++entry) {
      if (entry->path().filename().native().starts_with('.')) {
        if (entry->is_directory()) entry.disable_recursion_pending();
        continue;
      }
      if (entry.depth() > 8) entry.disable_recursion_pending();
      if (entry->is_regular_file()) files.push_back(fs::relative(entry->path(), folder).generic_string());
      if (files.size() > kMost)
        fail(ErrorCode::InvalidInput, "{}: holds more than {} files; is it a model?", name, kMost);
    }
    std::ranges::sort(files);
  }

  std::string path(const std::string& file) const override { return (folder_ / file).string(); }
  void fetch(const std::vector<std::string>&) const override {}
  std::optional<Repository> base_model() const override { return std::nullopt; }

 private:
  fs::path folder_;
  LoadOptions options_;
};

Repository Repository::open(const Source& source, const LoadOptions& options) {
  if (source.kind() == Source::Kind::Directory) {
    std::error_code error;
    const fs::path folder = source.place();
    if (!fs::is_directory(folder, error)) {
      fail(ErrorCode::NotFound, "{}: there is no such directory", source.place());
    }
    return Repository(std::make_shared<const Directory>(folder, options));
  }
  fail(ErrorCode::Unsupported, "the hub is not there yet");
}

const std::string& Repository::name() const { return files_->name; }
const std::vector<std::string>& Repository::files() const { return files_->files; }
bool Repository::has(std::string_view file) const { return std::ranges::binary_search(files(), file); }

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
  if (!stream) fail(ErrorCode::NotFound, "{}: cannot be read", place);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<Json> Repository::find_json(std::string_view file) const {
  if (!has(file)) return std::nullopt;
  return json(file);
}

Json Repository::json(std::string_view file) const {
  const std::string content = text(file);
  return Json::parse(content, fmt::format("{}: {}", name(), file));
}

std::optional<Repository> Repository::base_model() const { return files_->base_model(); }

}  // namespace transmuter
