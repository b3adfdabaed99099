#include "repository/variant.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/ranges.h>
#include <map>

#include "runtime/graph_header.hpp"

namespace transmuter {
namespace {

struct Suffix {
  std::string_view variant;
  std::string_view suffix;
};
// Parity: transformers.js DEFAULT_DTYPE_SUFFIX_MAPPING. The order is the one in which variants are tried last.
constexpr Suffix kSuffixes[] = {
    {"fp32", ""},  {"fp16", "_fp16"},   {"q8", "_quantized"}, {"int8", "_int8"}, {"uint8", "_uint8"},
    {"q4", "_q4"}, {"q4f16", "_q4f16"}, {"bnb4", "_bnb4"},    {"q2", "_q2"},     {"q2f16", "_q2f16"},
};
// transformers.js has the files in onnx/; optimum writes them to the root.
constexpr std::array<std::string_view, 2> kFolders = {"onnx/", ""};

constexpr std::string_view kEnding = ".onnx";

/// "model" of "onnx/model.onnx"; nothing for a file that is no graph, or lies elsewhere.
std::optional<std::string_view> graph_name(std::string_view file) {
  if (!file.ends_with(kEnding)) return std::nullopt;
  for (const std::string_view folder : kFolders) {
    if (!file.starts_with(folder)) continue;
    const std::string_view name = file.substr(folder.size(), file.size() - folder.size() - kEnding.size());
    if (name.find('/') == std::string_view::npos) return name;
  }
  return std::nullopt;
}

/// The name without the suffix of a variant.
std::string_view stem_of(std::string_view name) {
  for (const Suffix& known : kSuffixes) {
    if (!known.suffix.empty() && name.ends_with(known.suffix)) return name.substr(0, name.size() - known.suffix.size());
  }
  return name;
}

/// The variant of the graph `stem` that a file of this name is; nothing when it is another graph.
std::optional<std::string> variant_name(std::string_view name, std::string_view stem) {
  if (name == stem) return "fp32";
  if (!name.starts_with(stem)) return std::nullopt;
  const std::string_view suffix = name.substr(stem.size());
  // Optimum's decoder_model_merged.onnx is another graph than its decoder_model.onnx.
  if (!suffix.starts_with('_') || suffix.starts_with("_merged")) return std::nullopt;
  const auto known = std::ranges::find(kSuffixes, suffix, &Suffix::suffix);
  return std::string(known == std::end(kSuffixes) ? suffix.substr(1) : known->variant);
}

std::size_t rank(const ModelFile& file) {
  const auto known = std::ranges::find(kSuffixes, file.variant, &Suffix::variant);
  return static_cast<std::size_t>(known - std::begin(kSuffixes));
}

std::string listed(const std::vector<ModelFile>& files) {
  std::string all;
  for (const ModelFile& file : files) all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", file.variant, file.path);
  return all;
}

// "auto" leaves the choice open.
std::string wanted_by_config(const Repository& repository, std::string_view stem) {
  const auto config = repository.find_json("config.json");
  const auto dtype = config ? config->find("transformers.js_config.dtype") : std::nullopt;
  if (!dtype) return {};
  std::string wanted;
  if (dtype->is_string()) {
    wanted = dtype->as<std::string>();
  } else {
    wanted = dtype->get_or<std::string>(stem, "");
  }
  return wanted == "auto" ? "" : wanted;
}

}  // namespace

std::vector<ModelFile> variants_of(const Repository& repository, std::string_view stem) {
  std::vector<ModelFile> files;
  for (const std::string_view folder : kFolders) {
    const std::string start = fmt::format("{}{}", folder, stem);
    for (const std::string& file : repository.files()) {
      if (!file.starts_with(start) || !file.ends_with(kEnding)) continue;
      const std::string_view suffix =
          std::string_view(file).substr(start.size(), file.size() - start.size() - kEnding.size());
      // decoder_model_merged.onnx is another file than decoder_model.onnx, not a variant of it.
      const auto known = std::ranges::find(kSuffixes, suffix, &Suffix::suffix);
      if (known == std::end(kSuffixes)) continue;
      ModelFile found{.path = file, .variant = std::string(known->variant)};
      if (std::ranges::find(files, found.variant, &ModelFile::variant) == files.end())
        files.push_back(std::move(found));
    }
  }
  std::ranges::stable_sort(files, {}, rank);
  return files;
}

std::vector<Model> models_of(const Repository& repository) {
  std::map<std::string_view, std::string_view> names;  // of the files
  for (const std::string& file : repository.files()) {
    if (const auto name = graph_name(file)) names.emplace(file, *name);
  }
  std::map<std::string_view, Model> models;
  for (const auto& [file, name] : names) models[stem_of(name)];
  for (const auto& [file, name] : names) {
    for (auto& [stem, model] : models) {  // "model" comes before "model_O4", which is a variant of it then
      auto variant = variant_name(name, stem);
      if (!variant) continue;
      model.stem = stem;
      model.files.push_back({.path = std::string(file), .variant = *std::move(variant)});
      break;
    }
  }
  std::vector<Model> found;
  for (auto& [stem, model] : models) {
    if (model.files.empty()) continue;
    std::ranges::stable_sort(model.files, {}, rank);
    found.push_back(std::move(model));
  }
  return found;
}

std::string fetch_model_file(const Repository& repository, const std::string& file) {
  namespace fs = std::filesystem;
  std::string place = repository.path(file);
  std::vector<std::string> parts;
  for (const std::string& name : read_graph_header(place).external_files) {
    std::string part = (fs::path(file).parent_path() / name).lexically_normal().generic_string();
    if (repository.has(part)) parts.push_back(std::move(part));  // one that is missing is an error of the graph
  }
  repository.fetch(parts);
  return place;
}

void check_variant_files(const Variant& variant, std::initializer_list<std::string_view> used) {
  for (const auto& [file, name] : variant.by_file) {
    if (std::ranges::find(used, file) != used.end()) continue;
    fail(ErrorCode::InvalidInput, "variant: \"{}\" is no file of this task; it has {}", file, fmt::join(used, ", "));
  }
}

ModelFile choose_model_file(const Repository& repository, std::string_view stem, const Variant& variant,
                            std::string_view task_default) {
  const auto files = variants_of(repository, stem);
  if (files.empty()) {
    std::string others;
    for (const std::string& file : repository.files()) {
      if (file.ends_with(".onnx")) others += (others.empty() ? "" : ", ") + file;
    }
    fail(ErrorCode::NotFound, "{}: has no onnx/{}.onnx nor a variant of it; {}", repository.name(), stem,
         others.empty() ? "it has no ONNX files at all: choose a repository with ONNX files, such as Xenova/... or "
                          "onnx-community/..."
                        : "its ONNX files are " + others + ": is this a model for another task?");
  }
  const auto find = [&](std::string_view name) { return std::ranges::find(files, name, &ModelFile::variant); };
  const auto by_file = variant.by_file.find(std::string(stem));
  const std::string chosen = by_file != variant.by_file.end() ? by_file->second : variant.all;
  if (!chosen.empty()) {
    if (const auto found = find(chosen); found != files.end()) return *found;
    // A suffix of another exporter: model_O4.onnx is the variant "O4".
    for (const std::string_view folder : kFolders) {
      const std::string path = fmt::format("{}{}_{}.onnx", folder, stem, chosen);
      if (repository.has(path)) return {.path = path, .variant = chosen};
    }
    fail(ErrorCode::NotFound, "{}: variant: {} has no \"{}\"; it has {}", repository.name(), stem, chosen,
         listed(files));
  }
  const std::string by_config = wanted_by_config(repository, stem);
  for (const std::string_view name : {std::string_view(by_config), task_default, std::string_view("fp32")}) {
    if (name.empty()) continue;
    if (const auto found = find(name); found != files.end()) return *found;
  }
  return files.front();
}

}  // namespace transmuter
