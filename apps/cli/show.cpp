#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "cli/signature.hpp"
#include "hub/settings.hpp"
#include "repository/variant.hpp"
#include "runtime/graph_header.hpp"
#include "tasks/recognition.hpp"

namespace transmuter::cli {
namespace {

// A larger graph is not fetched only to look at its inputs.
constexpr std::uint64_t kLargestToFetch = 64'000'000;

struct ShownFile {
  ModelFile file;
  std::optional<std::uint64_t> size;  // with its external data
  bool is_fetched = false;
  bool is_chosen = false;
};

struct ShownModel {
  std::string stem;
  std::vector<ShownFile> files;
  std::optional<GraphHeader> graph;
};

// External data is named after its graph: model.onnx_data, model.onnx_data_1, model.onnx.data.
std::optional<std::uint64_t> size_with_data(const Repository& repository, const std::string& path) {
  std::uint64_t total = 0;
  for (const std::string& file : repository.files()) {
    if (!file.starts_with(path)) continue;
    const auto size = repository.find_size(file);
    if (!size) return std::nullopt;
    total += *size;
  }
  return total;
}

/// The file whose inputs are shown, the chosen one first: one that is here, else the smallest that is worth a fetch.
const ShownFile* file_to_read(const Repository& repository, const ShownModel& model, bool is_online) {
  const auto best = [&](auto is_good, auto rank) {
    const ShownFile* found = nullptr;
    for (const ShownFile& file : model.files) {
      if (is_good(file) && (found == nullptr || rank(file) < rank(*found))) found = &file;
    }
    return found;
  };
  const ShownFile* here = best([](const ShownFile& file) { return file.is_fetched; },
                               [](const ShownFile& file) { return !file.is_chosen; });
  if (here != nullptr || !is_online) return here;
  const auto own_size = [&](const ShownFile& file) { return repository.find_size(file.file.path); };
  return best([&](const ShownFile& file) { return own_size(file).value_or(kLargestToFetch + 1) <= kLargestToFetch; },
              [&](const ShownFile& file) { return std::pair(!file.is_chosen, own_size(file)); });
}

ShownModel look_at(const Repository& repository, const Model& model, bool is_online) {
  ShownModel shown{.stem = model.stem, .files = {}, .graph = {}};
  const bool has_choice = !variants_of(repository, model.stem).empty();
  const std::string chosen = has_choice ? choose_model_file(repository, model.stem, {}).path : "";
  for (const ModelFile& file : model.files) {
    shown.files.push_back({.file = file,
                           .size = size_with_data(repository, file.path),
                           .is_fetched = repository.find_fetched(file.path).has_value(),
                           .is_chosen = file.path == chosen});
  }
  if (const ShownFile* file = file_to_read(repository, shown, is_online); file != nullptr) {
    shown.graph = read_graph_header(repository.path(file->file.path));
  }
  return shown;
}

Json json_model(const ShownModel& model) {
  std::vector<Json> files;
  for (const ShownFile& file : model.files) {
    files.push_back(Json::object({{"variant", file.file.variant},
                                  {"file", file.file.path},
                                  {"size", file.size ? Json(static_cast<std::int64_t>(*file.size)) : Json()},
                                  {"on_disk", file.is_fetched},
                                  {"chosen", file.is_chosen}}));
  }
  Json::Members members = {{"name", model.stem}, {"files", Json::array(files)}};
  members.emplace_back("inputs", model.graph ? json_of(model.graph->signature.inputs) : Json());
  members.emplace_back("outputs", model.graph ? json_of(model.graph->signature.outputs) : Json());
  return Json::object(members);
}

std::string readable_model(const ShownModel& model) {
  std::string text = fmt::format("\n{}\n", model.stem);
  std::size_t name_width = 0;
  std::size_t path_width = 0;
  for (const ShownFile& file : model.files) {
    name_width = std::max(name_width, file.file.variant.size());
    path_width = std::max(path_width, file.file.path.size());
  }
  for (const ShownFile& file : model.files) {
    text += fmt::format("  {:<{}}  {:<{}}  {:>10}{}{}\n", file.file.variant, name_width, file.file.path, path_width,
                        file.size ? readable_size(*file.size) : "?", file.is_chosen ? "  chosen" : "",
                        file.is_fetched ? "  on this disk" : "");
  }
  if (!model.graph) return text + "  inputs and outputs: known after transmuter pull\n";
  for (const auto& [title, values] :
       {std::pair{"in ", &model.graph->signature.inputs}, {"out", &model.graph->signature.outputs}}) {
    for (const ValueInfo& value : *values) text += fmt::format("  {}  {}\n", title, described(value));
  }
  return text;
}

}  // namespace

void show(const RepositoryArguments& arguments) {
  ProgressBars bars;
  LoadOptions load = load_options(arguments.settings);
  load.progress = bars.downloads();
  const bool is_online = !load.offline && !settings_from_environment().offline;
  const Repository repository = Repository::open(source_of(arguments.repository), load);
  std::vector<ShownModel> models;
  for (const Model& model : models_of(repository)) models.push_back(look_at(repository, model, is_online));

  Signatures graphs;
  for (const ShownModel& model : models) {
    if (model.graph) graphs.emplace(model.stem, model.graph->signature);
  }
  std::vector<Json> names;
  std::string listed;
  for (const Signs* signs : recognize_tasks(repository, graphs)) {
    const std::string name = command_name(find_task(signs->task));
    names.emplace_back(name);
    listed += fmt::format("  transmuter run {} -m {} INPUT...\n", name, arguments.repository);
  }
  if (arguments.json) {
    std::vector<Json> all;
    for (const ShownModel& model : models) all.push_back(json_model(model));
    print(Json::object({{"repository", repository.name()}, {"tasks", Json::array(names)}, {"models", Json::array(all)}})
              .dump() +
          '\n');
    return;
  }
  std::string text = fmt::format("{}\n{}", repository.name(), listed.empty() ? "  no task here runs it\n" : listed);
  for (const ShownModel& model : models) text += readable_model(model);
  print(text + (models.empty() ? "\nIt has no ONNX files.\n" : ""));
}

}  // namespace transmuter::cli
