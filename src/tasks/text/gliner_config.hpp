#pragma once

#include <cstddef>
#include <string>

#include "base/json.hpp"

namespace transmuter {

/// Which tokens of a word stand for it.
enum class SubtokenPooling { First, Last, All };

/// What gliner_config.json says that inference needs. The defaults are those of old files, which have few keys.
/// Parity: gliner 0.2.29 BaseGLiNERConfig.
struct GlinerConfig {
  std::size_t max_len = 384;   ///< Words of a text.
  std::size_t max_width = 12;  ///< Words of an entity, for models that score spans.
  bool token_level = false;    ///< The model scores the words that entities begin, end and go on with.
  SubtokenPooling subtoken_pooling = SubtokenPooling::First;
  std::string ent_token = "<<ENT>>";  ///< Before each label of the prompt.
  std::string sep_token = "<<SEP>>";  ///< After the prompt.

  /// Throws InvalidModel (a wrong value) and Unsupported (a kind of GLiNER model or a word splitter that is not run
  /// here).
  static GlinerConfig from_json(const Json& json);
};

}  // namespace transmuter
