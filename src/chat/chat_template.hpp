#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace transmuter {

/// What a chat template is applied to. All JSON values are as transformers takes them.
struct Chat {
  Json messages;
  std::optional<Json> tools = {};       ///< Objects, as JSON schemas of functions.
  std::optional<Json> documents = {};   ///< Objects, with title and text.
  bool add_generation_prompt = false;   ///< Ends with the beginning of an answer.
  bool continue_final_message = false;  ///< Ends where the last message does, so that the model goes on with it.
  Json::Members variables = {};         ///< Others of the template (enable_thinking); they win over special tokens.
  std::string now = {};                 ///< What strftime_now writes, "2024-07-26T00:00:00"; the clock when empty.
};

/// Reads messages, tools, documents, kwargs (the arguments of apply_chat_template) and now of a JSON object; its other
/// keys are the caller's. Throws with the path of what is missing or of another type.
Chat chat_of(const Json& request);

/// A Jinja chat template, ready to be applied from any number of threads.
/// Parity: transformers 4.57 PreTrainedTokenizerBase.apply_chat_template.
class ChatTemplate {
 public:
  /// `special_tokens` ("bos_token" and so on) are variables of the template.
  /// Throws InvalidModel with the line when the template is broken.
  explicit ChatTemplate(std::string_view source, std::vector<std::pair<std::string, std::string>> special_tokens = {});

  /// The prompt. Throws InvalidInput with what the template raises, when it lacks something, and when the final message
  /// cannot be continued.
  std::string apply(const Chat& chat) const;

 private:
  struct Compiled;

  std::shared_ptr<const Compiled> compiled_;
  std::vector<std::pair<std::string, std::string>> special_tokens_;
};

/// The templates of a repository by name: chat_template.jinja and additional_chat_templates/, or those of
/// tokenizer_config.json.
using NamedTemplates = std::vector<std::pair<std::string, std::string>>;

/// The one to use: tool_use when there are tools and it is there, else default, or the only one without a name.
/// Throws NotFound when there is none.
/// Parity: transformers 4.57 PreTrainedTokenizerBase.get_chat_template.
const std::string& choose_template(const NamedTemplates& templates, bool has_tools);

/// `chat_template` of tokenizer_config.json: a text, or a list of objects with name and template.
NamedTemplates templates_of(const Json& tokenizer_config);

}  // namespace transmuter
