#include "tasks/text/gliner_config.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace transmuter {
namespace {

// A key that only models of another kind set.
constexpr std::pair<std::string_view, std::string_view> kOtherKinds[] = {
    {"labels_encoder", "has an encoder of its own for labels (bi-encoder)"},
    {"labels_decoder", "writes its labels with a decoder"},
    {"relations_layer", "also extracts relations"},
};

constexpr std::pair<std::string_view, SubtokenPooling> kPoolings[] = {{"first", SubtokenPooling::First},
                                                                      {"last", SubtokenPooling::Last},
                                                                      {"mean", SubtokenPooling::All},
                                                                      {"max", SubtokenPooling::All}};

[[noreturn]] void fail_kind(const Json& json, std::string_view key, std::string_view what) {
  fail(ErrorCode::Unsupported, "{}: {}: the model {}, which is not run here; span and token models are", json.path(),
       key, what);
}

// Parity: gliner 0.2.29 GLiNER._get_gliner_class.
void check_kind(const Json& json) {
  for (const auto& [key, what] : kOtherKinds) {
    if (json.find(key)) fail_kind(json, key, what);
  }
  if (json.get_or<std::string>("model_type", "") == "gliner_streaming_span") {
    fail_kind(json, "model_type", "reads a stream with a decoder");
  }
  if (json.get_or<bool>("precomputed_prompts_mode", false)) {
    fail_kind(json, "precomputed_prompts_mode", "has its labels inside");
  }
  const auto splitter = json.get_or<std::string>("words_splitter_type", "whitespace");
  if (splitter != "whitespace") {
    fail(ErrorCode::Unsupported, "{}: words_splitter_type: the splitter \"{}\" is not run here; \"whitespace\" is",
         json.path(), splitter);
  }
}

SubtokenPooling pooling_of(const Json& json) {
  const auto wanted = json.get_or<std::string>("subtoken_pooling", "first");
  const auto found = std::ranges::find(kPoolings, wanted, &std::pair<std::string_view, SubtokenPooling>::first);
  if (found != std::end(kPoolings)) return found->second;
  json.get("subtoken_pooling").fail_here(fmt::format("\"{}\" is none of first, last, mean, max", wanted));
}

std::size_t at_least_one(const Json& json, std::string_view key, std::int64_t otherwise) {
  const auto value = json.get_or<std::int64_t>(key, otherwise);
  if (value < 1) json.get(key).fail_here("must be at least 1");
  return static_cast<std::size_t>(value);
}

}  // namespace

GlinerConfig GlinerConfig::from_json(const Json& json) {
  if (!json.is_object()) json.fail_here("must be an object");
  check_kind(json);
  GlinerConfig config;
  config.max_len = at_least_one(json, "max_len", 384);
  config.max_width = at_least_one(json, "max_width", 12);
  config.token_level = json.get_or<std::string>("span_mode", "markerV0") == "token_level";
  config.subtoken_pooling = pooling_of(json);
  config.ent_token = json.get_or<std::string>("ent_token", config.ent_token);
  config.sep_token = json.get_or<std::string>("sep_token", config.sep_token);
  return config;
}

}  // namespace transmuter
