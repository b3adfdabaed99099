#include "repository/sentence_transformers.hpp"

#include <algorithm>
#include <filesystem>

#include "tensor/safetensors.hpp"

namespace transmuter {
namespace {

struct Mode {
  std::string_view legacy_key;
  std::string_view name;
  PoolingMode mode;
};
// In the order in which several old flags are concatenated.
constexpr Mode kModes[] = {
    {"pooling_mode_cls_token", "cls", PoolingMode::Cls},
    {"pooling_mode_max_tokens", "max", PoolingMode::Max},
    {"pooling_mode_mean_tokens", "mean", PoolingMode::Mean},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", PoolingMode::MeanSqrtLen},
    {"pooling_mode_weightedmean_tokens", "weightedmean", PoolingMode::WeightedMean},
    {"pooling_mode_lasttoken", "lasttoken", PoolingMode::LastToken},
};

constexpr std::string_view kModuleConfig = "config.json";
constexpr std::string_view kModuleWeights = "model.safetensors";

std::string file_in(const std::string& folder, std::string_view file) {
  return folder.empty() ? std::string(file) : fmt::format("{}/{}", folder, file);
}

[[noreturn]] void fail_unsupported(const Repository& repository, const Module& module) {
  fail(ErrorCode::Unsupported,
       "{}: modules.json: module \"{}\" is not run here; set output_pool and embedding_processor to use the model "
       "without it",
       repository.name(), module.type);
}

PoolingMode mode_of(const Json& value) {
  const auto name = value.as<std::string>();
  const auto found = std::ranges::find(kModes, name, &Mode::name);
  if (found == std::end(kModes)) value.fail_here(fmt::format("no pooling mode \"{}\"", name));
  return found->mode;
}

void read_pooling(const Json& config, SentenceTransformer& model) {
  model.include_prompt = config.get_or("include_prompt", true);
  if (const auto mode = config.find("pooling_mode")) {
    const auto modes = mode->is_array() ? mode->elements() : std::vector<Json>{*mode};
    for (const Json& one : modes) model.pooling.push_back(mode_of(one));
  } else {
    for (const Mode& one : kModes) {
      if (config.get_or(one.legacy_key, false)) model.pooling.push_back(one.mode);
    }
  }
  if (model.pooling.empty()) model.pooling.push_back(PoolingMode::Mean);
}

Activation activation_of_dense(const Json& config) {
  const auto name = config.find("activation_function");
  return name ? activation_of(*name).value_or(Activation::Tanh) : Activation::Tanh;
}

Dense read_dense(const Repository& repository, const std::string& folder) {
  const Json config = repository.json(file_in(folder, kModuleConfig));
  Dense dense{.in_features = config.get<std::size_t>("in_features"),
              .out_features = config.get<std::size_t>("out_features"),
              .weight = {},
              .bias = {},
              .activation = activation_of_dense(config)};
  const std::string weights = file_in(folder, kModuleWeights);
  if (!repository.has(weights)) {
    fail(ErrorCode::NotFound,
         "{}: {} is missing, so the Dense module of modules.json cannot be run; set output_pool and "
         "embedding_processor to use "
         "the model without it",
         repository.name(), weights);
  }
  const auto tensors = read_safetensors(repository.text(weights), weights);
  const auto take = [&](std::string_view name, const Shape& shape) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) fail(ErrorCode::InvalidModel, "{}: has no {}", weights, name);
    if (found->second.shape() != shape) {
      fail(ErrorCode::InvalidModel, "{}: {} has the shape {}, {} is expected", weights, name,
           printed(found->second.shape()), printed(shape));
    }
    const auto values = found->second.view<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  const auto in = static_cast<std::int64_t>(dense.in_features);
  const auto out = static_cast<std::int64_t>(dense.out_features);
  dense.weight = take("linear.weight", {out, in});
  if (config.get_or("bias", true)) dense.bias = take("linear.bias", {out});
  return dense;
}

void check_folder(const Json& entry, const std::string& folder) {
  const auto path = std::filesystem::path(folder).lexically_normal();
  if (path.is_absolute() || path.native().starts_with("..")) {
    entry.get("path").fail_here(fmt::format("\"{}\" is not a folder of the model", folder));
  }
}

void sort_modules(const Repository& repository, SentenceTransformer& model) {
  bool pooled = false;
  for (Module& module : read_modules(repository)) {
    if (module.is("Pooling")) {
      read_pooling(repository.json(file_in(module.folder, kModuleConfig)), model);
      pooled = true;
    } else if (module.is("Transformer")) {
      model.transformer_folder = module.folder;
    } else if (!module.is("Dropout")) {                   // it does nothing when a model runs
      if (!pooled) fail_unsupported(repository, module);  // it would run on the tokens
      model.after_pooling.push_back(std::move(module));
    }
  }
}

// The newest name comes last in sentence-transformers; the older ones are of models of that time.
constexpr std::string_view kTransformerConfigs[] = {
    "sentence_bert_config.json",      "sentence_roberta_config.json", "sentence_distilbert_config.json",
    "sentence_camembert_config.json", "sentence_albert_config.json",  "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json",
};

SentenceTransformer read_from(const Repository& repository) {
  SentenceTransformer model;
  model.files = repository;
  if (repository.has("modules.json")) {
    sort_modules(repository, model);
    if (const auto config = repository.find_json("config_sentence_transformers.json")) {
      model.prompts = read_prompts(*config);
      model.truncate_dim = config->find<std::int64_t>("truncate_dim");
    }
  } else {
    read_pooling(repository.json("1_Pooling/config.json"), model);
  }
  const TransformerSettings settings = read_transformer_settings(repository, model.transformer_folder);
  model.max_seq_length = settings.max_seq_length;
  model.do_lower_case = settings.do_lower_case;
  return model;
}

bool has_files(const Repository& repository) {
  return repository.has("modules.json") || repository.has("1_Pooling/config.json");
}

}  // namespace

std::vector<float> Dense::operator()(std::span<const float> input) const {
  if (input.size() != in_features) {
    fail(ErrorCode::InvalidModel, "the Dense module takes {} dimensions, the embedding has {}", in_features,
         input.size());
  }
  std::vector<float> output(out_features);
  for (std::size_t o = 0; o < out_features; ++o) {
    const float* row = weight.data() + o * in_features;
    float sum = bias.empty() ? 0.0F : bias[o];
    for (std::size_t i = 0; i < in_features; ++i) sum += row[i] * input[i];
    output[o] = sum;
  }
  apply_activation(activation, output);
  return output;
}

bool Module::is(std::string_view name) const {
  const auto dot = type.rfind('.');
  return (dot == std::string::npos ? std::string_view(type) : std::string_view(type).substr(dot + 1)) == name;
}

std::vector<Module> read_modules(const Repository& repository) {
  std::vector<Module> modules;
  for (const Json& entry : repository.json("modules.json").elements()) {
    modules.push_back({.type = entry.get<std::string>("type"), .folder = entry.get_or<std::string>("path", "")});
    check_folder(entry, modules.back().folder);
  }
  return modules;
}

TransformerSettings read_transformer_settings(const Repository& repository, const std::string& folder) {
  for (const std::string_view file : kTransformerConfigs) {
    const auto config = repository.find_json(file_in(folder, file));
    if (!config) continue;
    return {.max_seq_length = config->find<std::int64_t>("max_seq_length"),
            .do_lower_case = config->get_or("do_lower_case", false),
            .task = config->get_or<std::string>("transformer_task", "")};
  }
  return {};
}

Prompts read_prompts(const Json& config) {
  Prompts prompts;
  if (const auto named = config.find("prompts")) {
    for (const auto& [name, prompt] : named->members()) {
      if (!prompt.is_null()) prompts.by_name[name] = prompt.as<std::string>();
    }
  }
  prompts.default_name = config.get_or<std::string>("default_prompt_name", "");
  return prompts;
}

std::string choose_prompt(const Prompts& prompts, const std::optional<std::string>& prompt, const std::string& wanted) {
  if (prompt) return *prompt;
  const bool by_user = !wanted.empty();
  const std::string& name = by_user ? wanted : prompts.default_name;
  if (name.empty()) return "";
  const auto found = prompts.by_name.find(name);
  if (found == prompts.by_name.end()) {
    std::string known;
    for (const auto& [each, text] : prompts.by_name) known += (known.empty() ? "" : ", ") + each;
    fail(by_user ? ErrorCode::InvalidInput : ErrorCode::InvalidModel, "{}: there is no prompt \"{}\"; {}",
         by_user ? "prompt_name" : "config_sentence_transformers.json: default_prompt_name", name,
         known.empty() ? "this model has none: give the text itself as prompt" : "there are " + known);
  }
  return found->second;
}

std::optional<SentenceTransformer> read_sentence_transformer(const Repository& repository, bool needed) {
  if (has_files(repository)) return read_from(repository);
  if (!needed) return std::nullopt;
  try {
    const auto base = repository.base_model();
    if (base && has_files(*base)) return read_from(*base);
    return std::nullopt;
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} (set output_pool and embedding_processor to do without its files)", error.what()));
  }
}

void fetch_sentence_transformer(const Repository& repository) {
  const auto model = read_sentence_transformer(repository, true);
  if (!model || !model->files) return;
  std::vector<std::string> files;
  for (const Module& module : model->after_pooling) {
    for (const std::string_view name : {kModuleConfig, kModuleWeights}) {
      std::string file = file_in(module.folder, name);
      if (model->files->has(file)) files.push_back(std::move(file));
    }
  }
  model->files->fetch(files);
}

EmbeddingSteps read_after_pooling(const SentenceTransformer& model) {
  EmbeddingSteps steps;
  if (!model.files) return steps;
  for (const Module& module : model.after_pooling) {
    if (module.is("Dense")) {
      steps.dense.push_back(read_dense(*model.files, module.folder));
    } else if (module.is("Normalize")) {
      steps.normalize = true;
    } else {
      fail_unsupported(*model.files, module);
    }
  }
  return steps;
}

}  // namespace transmuter
