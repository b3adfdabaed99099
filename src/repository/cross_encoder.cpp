#include "repository/cross_encoder.hpp"

#include "base/log.hpp"

namespace transmuter {
namespace {

constexpr std::string_view kConfig = "config_sentence_transformers.json";

[[noreturn]] void fail_causal(const Repository& repository, std::string_view where) {
  fail(ErrorCode::Unsupported,
       "{}: {}: a causal language model that scores with LogitScore is not run here; choose a reranker with one label, "
       "such as Xenova/ms-marco-MiniLM-L-6-v2",
       repository.name(), where);
}

// Reads the modules of a repository that was saved as a CrossEncoder; others are loaded by their config.json alone.
bool read_saved(const Repository& repository, CrossEncoder& model) {
  const auto config = repository.has("modules.json") ? repository.find_json(kConfig) : std::nullopt;
  if (!config || config->get_or<std::string>("model_type", "") != "CrossEncoder") return false;
  for (const Module& module : read_modules(repository)) {
    if (module.is("LogitScore")) fail_causal(repository, "modules.json");
    if (!module.is("Transformer")) {
      fail(ErrorCode::Unsupported, "{}: modules.json: module \"{}\" is not run by text_ranking", repository.name(),
           module.type);
    }
    const TransformerSettings settings = read_transformer_settings(repository, module.folder);
    if (settings.task == "text-generation") fail_causal(repository, "transformer_task");
    model.max_seq_length = settings.max_seq_length;
    model.do_lower_case = settings.do_lower_case;
  }
  model.prompts = read_prompts(*config);
  if (const auto name = config->find("activation_fn")) model.activation = activation_of(*name);
  return true;
}

// Parity: sentence-transformers 5.7 CrossEncoder.get_default_activation_fn: the newer key counts even when it is null.
bool read_config(const Repository& repository, CrossEncoder& model) {
  const auto config = repository.find_json("config.json");
  if (!config) return false;
  const auto newer = config->find("sentence_transformers");
  for (const auto& [key, name] : newer ? newer->members() : Json::Members()) {
    if (key != "activation_fn") continue;
    if (!name.is_null() && !model.activation) model.activation = activation_of(name);
    return true;
  }
  const auto older = config->find("sbert_ce_default_activation_function");
  if (older && !model.activation) model.activation = activation_of(*older);
  return older.has_value();
}

bool read_from(const Repository& repository, CrossEncoder& model) {
  const bool is_saved = read_saved(repository, model);
  const bool is_named = read_config(repository, model);
  return is_saved || is_named;
}

}  // namespace

CrossEncoder read_cross_encoder(const Repository& repository, bool needed) {
  CrossEncoder model;
  if (read_from(repository, model) || !needed) return model;
  try {
    if (const auto base = repository.base_model()) read_from(*base, model);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Unsupported || error.code() == ErrorCode::InvalidModel) throw;
    throw Error(error.code(), fmt::format("{} (set raw_scores to do without its files)", error.what()));
  }
  return model;
}

void fetch_cross_encoder(const Repository& repository) {
  try {
    (void)read_cross_encoder(repository, true);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::NotFound) throw;
    log_warning("text-ranking will not find all it reads: {}", error.what());
  }
}

}  // namespace transmuter
