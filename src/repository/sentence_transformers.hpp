#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repository/activation.hpp"
#include "repository/repository.hpp"
#include "tensor/pooling.hpp"

namespace transmuter {

/// A linear layer on the pooled embedding, then an activation.
struct Dense {
  std::size_t in_features = 0;
  std::size_t out_features = 0;
  std::vector<float> weight;  ///< [out_features, in_features]
  std::vector<float> bias;    ///< [out_features], or empty
  Activation activation = Activation::Tanh;

  std::vector<float> operator()(std::span<const float> input) const;
};

/// An entry of modules.json.
struct Module {
  std::string type;    ///< A Python class, as "sentence_transformers.models.Dense".
  std::string folder;  ///< Its files.

  bool is(std::string_view name) const;  ///< By the class's name without its package.
};

/// The entries of modules.json, which must be there.
std::vector<Module> read_modules(const Repository& repository);

/// What sentence_bert_config.json says, or an older file of that kind.
struct TransformerSettings {
  std::optional<std::int64_t> max_seq_length;
  bool do_lower_case = false;
  std::string task;  ///< transformer_task; only new files have it.
};
TransformerSettings read_transformer_settings(const Repository& repository, const std::string& folder);

/// The texts that config_sentence_transformers.json lets one put before an input.
struct Prompts {
  std::map<std::string, std::string> by_name;
  std::string default_name;  ///< Empty: none.
};
Prompts read_prompts(const Json& config);

/// The text to put before an input: `prompt` or the one of `name`, as the user says, else the default one, else none.
/// Throws InvalidInput or InvalidModel for a name that is not there.
std::string choose_prompt(const Prompts& prompts, const std::optional<std::string>& prompt, const std::string& name);

/// What the sentence-transformers files of a repository say.
/// Parity: sentence-transformers 5.7 (modules.json, N_Pooling, N_Dense, N_Normalize, sentence_bert_config.json,
/// config_sentence_transformers.json).
struct SentenceTransformer {
  std::optional<Repository> files;  ///< The repository that has them: the model's own, or its base model.
  std::vector<PoolingMode> pooling;
  bool include_prompt = true;
  std::vector<Module> after_pooling;
  std::optional<std::int64_t> max_seq_length;
  bool do_lower_case = false;
  std::string transformer_folder;  ///< Of the Transformer module; old files have "0_Transformer".
  Prompts prompts;
  std::optional<std::int64_t> truncate_dim;
};

/// Reads the files of the repository, or of its base model when it has none. Nothing when neither has any, or when they
/// are not `needed` and are not in the repository itself. Throws InvalidModel for broken files.
std::optional<SentenceTransformer> read_sentence_transformer(const Repository& repository, bool needed);

/// Fetches all that read_sentence_transformer and read_after_pooling read, also modules that are not run here.
void fetch_sentence_transformer(const Repository& repository);

/// What runs on the pooled embedding.
struct EmbeddingSteps {
  std::vector<Dense> dense;
  bool normalize = false;
};

/// Reads the modules after the pooling. Throws Unsupported for one that is not run here, NotFound or InvalidModel for
/// dense weights that are missing or broken.
EmbeddingSteps read_after_pooling(const SentenceTransformer& model);

}  // namespace transmuter
