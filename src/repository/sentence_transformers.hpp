#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repository/repository.hpp"
#include "tensor/pooling.hpp"

namespace transmuter {

enum class Activation { Identity, Tanh, Relu, Gelu, Sigmoid };

/// A linear layer on the pooled embedding, then an activation.
struct Dense {
  std::size_t in_features = 0;
  std::size_t out_features = 0;
  std::vector<float> weight;  ///< [out_features, in_features]
  std::vector<float> bias;    ///< [out_features], or empty
  Activation activation = Activation::Tanh;

  std::vector<float> operator()(std::span<const float> input) const;
};

/// What the sentence-transformers files of a repository say.
/// Parity: sentence-transformers 5.7 (modules.json, N_Pooling, N_Dense, N_Normalize, sentence_bert_config.json,
/// config_sentence_transformers.json).
struct SentenceTransformer {
  std::string origin;  ///< The repository that has the files: the model's own, or its base model.
  std::vector<PoolingMode> pooling;
  bool include_prompt = true;
  std::vector<Dense> dense;
  bool normalize = false;
  std::optional<std::int64_t> max_seq_length;
  bool do_lower_case = false;
  std::map<std::string, std::string> prompts;
  std::string default_prompt_name;
  std::optional<std::int64_t> truncate_dim;
};

/// Which modules a caller takes over, so that one that is not run here is no error.
struct ModuleOverrides {
  bool pooling = false;
  bool after_pooling = false;
};

/// Reads the files of the repository, or of its base model when it has none. Nothing when neither has any.
/// Throws Unsupported for a module that is not run here, InvalidModel for dense weights that are missing or broken.
std::optional<SentenceTransformer> read_sentence_transformer(const Repository& repository,
                                                             const ModuleOverrides& overrides);

}  // namespace transmuter
