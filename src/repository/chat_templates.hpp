#pragma once

#include "chat/chat_template.hpp"
#include "repository/repository.hpp"

namespace transmuter {

/// The chat templates of a repository: those of chat_template.jinja and additional_chat_templates/, or else of
/// tokenizer_config.json. Empty when it has none. Throws InvalidModel.
/// Parity: transformers 4.57 PreTrainedTokenizerBase._from_pretrained.
NamedTemplates read_chat_templates(const Repository& repository);

}  // namespace transmuter
