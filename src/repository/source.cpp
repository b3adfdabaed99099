#include "transmuter/source.hpp"

#include <dlfcn.h>
#include <filesystem>

#include "base/error.hpp"

namespace transmuter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuiltinModel = "all-MiniLM-L6-v2";

// Beside the installed program or library, else where the source tree has it.
fs::path builtin_folder() {
  Dl_info here{};
  std::vector<fs::path> places;
  if (dladdr(reinterpret_cast<const void*>(&builtin_model), &here) != 0 && here.dli_fname != nullptr) {
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(here.dli_fname, error).parent_path();
    places.push_back(folder.parent_path() / "share/transmuter/models");
    places.push_back(folder.parent_path().parent_path() / "share/transmuter/models");
  }
  places.emplace_back(TRANSMUTER_SOURCE_MODELS);
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::is_directory(place / kBuiltinModel, error)) return place / kBuiltinModel;
  }
  fail(ErrorCode::NotFound, "the built-in model {} is not in {}: install the models folder, or name a model",
       kBuiltinModel, places.front().string());
}

}  // namespace

Source hf(std::string_view repository, std::string_view revision) {
  if (const auto at = repository.find('@'); at != std::string_view::npos && revision.empty()) {
    revision = repository.substr(at + 1);
    repository = repository.substr(0, at);
  }
  return {Source::Kind::Hub, std::string(repository), std::string(revision)};
}

Source dir(std::string_view path) { return {Source::Kind::Directory, std::string(path)}; }

Source source_of(std::string_view repository_or_path) {
  std::error_code error;
  const bool is_path = fs::is_directory(repository_or_path, error) || repository_or_path.starts_with('/') ||
                       repository_or_path.starts_with('.') || repository_or_path.starts_with('~');
  return is_path ? dir(repository_or_path) : hf(repository_or_path);
}

Source builtin_model() { return dir(builtin_folder().string()); }

}  // namespace transmuter
