#include <algorithm>
#include <fmt/format.h>

#include "base/describe.hpp"
#include "chat/chat_template.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "cli/signature.hpp"
#include "repository/chat_templates.hpp"
#include "repository/repository.hpp"
#include "repository/variant.hpp"
#include "runtime/graph.hpp"
#include "runtime/passes/passes.hpp"
#include "runtime/session.hpp"
#include "text_model/text_model.hpp"

namespace transmuter::cli {
namespace {

Repository open(const Json& request, const Progress& progress) {
  LoadOptions load;
  load.progress = progress;
  return Repository::open(source_of(request.get<std::string>("model")), load);
}

void allow(const Json& request, const std::vector<std::string>& known) {
  for (const auto& [key, value] : request.members()) {
    if (std::ranges::find(known, key) == known.end()) fail_unknown(request, "key", key, known);
  }
}

Json tokenize(const Json& request, const Progress& progress) {
  allow(request, {"model", "text", "text_pair", "add_special_tokens", "max_length"});
  const Tokenizer tokenizer = open_tokenizer(open(request, progress), {});
  EncodeOptions options;
  options.add_special_tokens = request.get_or("add_special_tokens", true);
  options.max_length = request.find<std::size_t>("max_length");
  const auto text = request.get<std::string>("text");
  const auto pair = request.find<std::string>("text_pair");
  const Encoding row = pair ? tokenizer.encode(text, *pair, options) : tokenizer.encode(text, options);
  std::vector<Json> tokens;
  std::vector<Json> offsets;
  for (std::size_t i = 0; i < row.length(); ++i) {
    tokens.push_back(tokenizer.find_token(row.ids[i]).value_or(""));
    offsets.push_back(Json::array({row.offsets[i].start, row.offsets[i].end}));
  }
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(row.length())};
  return Json::object({{"ids", Json::nested(std::span<const std::int64_t>(row.ids), shape)},
                       {"tokens", Json::array(tokens)},
                       {"offsets", Json::array(offsets)},
                       {"type_ids", Json::nested(std::span<const std::int64_t>(row.type_ids), shape)}});
}

Json graph(const Json& request, const Progress& progress) {
  allow(request, {"model", "file"});
  const Repository repository = open(request, progress);
  const auto file = request.get_or<std::string>("file", "");
  const std::string path =
      fetch_model_file(repository, file.empty() ? choose_model_file(repository, "model", {}).path : file);
  Graph loaded = Graph::load(path);
  Json::Members operators;
  for (const auto& [name, count] : loaded.operator_counts()) operators.emplace_back(name, count);
  Json::Members applied;
  for (const Applied& pass : rewrite(loaded, "cpu", {})) applied.emplace_back(std::string(pass.name), pass.places);
  const auto session = Session::open(path);
  return Json::object({{"file", path},
                       {"inputs", json_of(session->signature().inputs)},
                       {"outputs", json_of(session->signature().outputs)},
                       {"operators", Json::object(operators)},
                       {"passes", Json::object(applied)}});
}

using Tokens = std::vector<std::pair<std::string, std::string>>;

// A template given as text has the special tokens that the request names; that of a model has the model's, too.
ChatTemplate chat_template_of(const Json& request, bool has_tools, const Progress& progress) {
  Tokens tokens;
  if (const auto given = request.find("special_tokens")) {
    for (const auto& [name, token] : given->members()) tokens.emplace_back(name, token.as<std::string>());
  }
  if (const auto source = request.find<std::string>("template")) return ChatTemplate(*source, tokens);
  const Repository repository = open(request, progress);
  const NamedTemplates templates = read_chat_templates(repository);
  const std::string& source =
      within(repository.name(), [&]() -> const std::string& { return choose_template(templates, has_tools); });
  Tokens all = open_tokenizer(repository, {}).special_tokens_map();
  all.insert(all.end(), tokens.begin(), tokens.end());
  return ChatTemplate(source, all);
}

Json chat_template(const Json& request, const Progress& progress) {
  allow(request, {"template", "model", "messages", "tools", "documents", "kwargs", "special_tokens", "now"});
  const Chat chat = chat_of(request);
  return Json::object({{"text", chat_template_of(request, chat.tools.has_value(), progress).apply(chat)}});
}

struct Part {
  std::string_view name;
  Json (*answer)(const Json& request, const Progress& progress);
};
constexpr Part kParts[] = {{"tokenize", tokenize}, {"chat-template", chat_template}, {"graph", graph}};

}  // namespace

void inspect(const InspectArguments& arguments) {
  const auto part = std::ranges::find(kParts, arguments.part, &Part::name);
  if (part == std::end(kParts)) {
    std::string known;
    for (const Part& each : kParts) known += (known.empty() ? "" : ", ") + std::string(each.name);
    fail(ErrorCode::InvalidInput, "inspect: there is no part \"{}\"; there are {}", arguments.part, known);
  }
  const Json request = Json::parse(read_all(arguments.request), "request", ErrorCode::InvalidInput);
  ProgressBars bars;
  print(part->answer(request, bars.downloads()).dump() + '\n');
}

}  // namespace transmuter::cli
