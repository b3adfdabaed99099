#include "chat/chat_template.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "rust_border/border.hpp"

namespace transmuter {
namespace {

constexpr std::string_view kTag = "CONTINUE_FINAL_MESSAGE_TAG ";
constexpr std::string_view kTagWithoutSpace = kTag.substr(0, kTag.size() - 1);
Json with_member(const Json& object, std::string_view key, const Json& value) {
  Json::Members members = object.members();
  const auto found = std::ranges::find(members, key, &Json::Members::value_type::first);
  if (found == members.end()) {
    members.emplace_back(key, value);
  } else {
    found->second = value;
  }
  return Json::object(members);
}

/// Messages whose last text ends with a tag, and that text.
struct Tagged {
  Json messages;
  std::string final_text;
};

// The last part of the content that is a text; the content itself when it has no parts.
Tagged tag_final_message(const Json& messages) {
  std::vector<Json> all = messages.elements();
  if (all.empty()) messages.fail_here("has no message to continue");
  const Json content = all.back().get("content");
  Tagged tagged;
  if (content.is_string()) {
    tagged.final_text = content.as<std::string>();
    all.back() = with_member(all.back(), "content", tagged.final_text + std::string(kTag));
  } else {
    std::vector<Json> parts = content.elements();
    const auto last = std::find_if(parts.rbegin(), parts.rend(), [](const Json& part) { return part.find("text"); });
    if (last == parts.rend()) content.fail_here("has no text that continue_final_message could continue");
    tagged.final_text = last->get<std::string>("text");
    *last = with_member(*last, "text", tagged.final_text + std::string(kTag));
    all.back() = with_member(all.back(), "content", Json::array(parts));
  }
  tagged.messages = Json::array(all);
  return tagged;
}

std::string cut_at_tag(std::string text, std::string_view final_text) {
  const std::size_t tag = text.rfind(kTagWithoutSpace);
  if (tag == std::string::npos || text.find(stripped(final_text)) == std::string::npos) {
    fail(ErrorCode::InvalidInput,
         "continue_final_message: the chat template leaves parts of the last message out, so that it cannot be "
         "continued");
  }
  const bool keeps_spaces = text.compare(tag, kTag.size(), kTag) == 0;
  text.resize(tag);
  if (keeps_spaces) return text;
  text.insert(0, 1, '|');  // so that only the end is stripped
  return std::string(stripped(text).substr(1));
}

}  // namespace

Chat chat_of(const Json& request) {
  Chat chat{.messages = request.get("messages"),
            .tools = request.find("tools"),
            .documents = request.find("documents"),
            .now = request.get_or<std::string>("now", "")};
  for (const auto& [key, value] : request.find("kwargs").value_or(Json::object({})).members()) {
    if (key == "add_generation_prompt") {
      chat.add_generation_prompt = value.as<bool>();
    } else if (key == "continue_final_message") {
      chat.continue_final_message = value.as<bool>();
    } else {
      chat.variables.emplace_back(key, value);
    }
  }
  return chat;
}

struct ChatTemplate::Compiled {
  explicit Compiled(std::string_view source) {
    rust_border::call([&](tmr_text* error) { return tmr_template_compile(rust_border::view(source), &handle, error); });
  }
  ~Compiled() { tmr_template_free(handle); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  tmr_template* handle = nullptr;
};

ChatTemplate::ChatTemplate(std::string_view source, std::vector<std::pair<std::string, std::string>> special_tokens)
    : special_tokens_(std::move(special_tokens)) {
  compiled_ = within("chat template", [&] { return std::make_shared<const Compiled>(source); });
}

std::string ChatTemplate::apply(const Chat& chat) const {
  if (chat.add_generation_prompt && chat.continue_final_message) {
    fail(ErrorCode::InvalidInput,
         "continue_final_message and add_generation_prompt exclude each other: the first continues the last message, "
         "the second begins a new one");
  }
  Tagged tagged{.messages = chat.messages, .final_text = {}};
  if (chat.continue_final_message) tagged = tag_final_message(chat.messages);
  Json::Members context;
  const auto set = [&](const std::string& key, const Json& value) {
    const auto found = std::ranges::find(context, key, &Json::Members::value_type::first);
    if (found == context.end()) {
      context.emplace_back(key, value);
    } else {
      found->second = value;
    }
  };
  for (const auto& [name, token] : special_tokens_) set(name, token);
  for (const auto& [name, value] : chat.variables) set(name, value);
  set("messages", tagged.messages);
  set("tools", chat.tools.value_or(Json()));
  set("documents", chat.documents.value_or(Json()));
  set("add_generation_prompt", chat.add_generation_prompt);
  const std::string json = Json::object(context).dump();
  rust_border::Text text;
  within("chat template", [&] {
    rust_border::call([&](tmr_text* error) {
      return tmr_template_render(compiled_->handle, rust_border::view(json), rust_border::view(chat.now), text.place(),
                                 error);
    });
  });
  return chat.continue_final_message ? cut_at_tag(text.str(), tagged.final_text) : text.str();
}

const std::string& choose_template(const NamedTemplates& templates, bool has_tools) {
  const auto named = [&](std::string_view name) {
    return std::ranges::find(templates, name, &NamedTemplates::value_type::first);
  };
  for (const std::string_view name : {has_tools ? "tool_use" : "default", "default"}) {
    if (const auto found = named(name); found != templates.end()) return found->second;
  }
  std::string known;
  for (const auto& [name, source] : templates) known += (known.empty() ? "" : ", ") + name;
  if (known.empty()) {
    fail(ErrorCode::NotFound,
         "this model has no chat template (chat_template.jinja, or chat_template in tokenizer_config.json): give a "
         "text in the place of messages");
  }
  fail(ErrorCode::NotFound, "this model has no chat template named default; it has {}", known);
}

NamedTemplates templates_of(const Json& tokenizer_config) {
  NamedTemplates templates;
  const auto value = tokenizer_config.find("chat_template");
  if (!value) return templates;
  if (value->is_string()) return {{"default", value->as<std::string>()}};
  for (const Json& each : value->elements()) {
    templates.emplace_back(each.get<std::string>("name"), each.get<std::string>("template"));
  }
  return templates;
}

}  // namespace transmuter
