#pragma once

#include "repository/activation.hpp"
#include "repository/repository.hpp"
#include "repository/sentence_transformers.hpp"

namespace transmuter {

/// What the files of a repository say about a CrossEncoder of sentence-transformers.
/// Parity: sentence-transformers 5.7 CrossEncoder (modules.json, config_sentence_transformers.json,
/// sentence_bert_config.json, config.json).
struct CrossEncoder {
  /// Nothing: no file names one, or not one of torch; then it is Sigmoid for one label and Identity for several.
  std::optional<Activation> activation;
  std::optional<std::int64_t> max_seq_length;
  bool do_lower_case = false;
  Prompts prompts;  ///< Put before the query.
};

/// Reads the files of the repository, or of its base model when they say nothing of a CrossEncoder. The base model is
/// left alone unless it is `needed`. Throws Unsupported for a module that is not run here, InvalidModel for broken
/// files, and what opening the base model throws.
CrossEncoder read_cross_encoder(const Repository& repository, bool needed);

/// Fetches all that read_cross_encoder reads. A base model that is not there is a warning: other tasks may do without.
void fetch_cross_encoder(const Repository& repository);

}  // namespace transmuter
