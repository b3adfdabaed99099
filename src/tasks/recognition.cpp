#include "tasks/recognition.hpp"

#include <algorithm>

#include "repository/cross_encoder.hpp"
#include "repository/labels.hpp"
#include "repository/sentence_transformers.hpp"
#include "repository/variant.hpp"
#include "tasks/text/gliner_inputs.hpp"
#include "tasks/text/nli.hpp"
#include "text_model/text_model.hpp"

namespace transmuter {
namespace {

bool has_output(const Signature& graph, const OutputSign& sign) {
  const ValueInfo* output = graph.find_output(sign.name);
  // Some exporters leave the shape out.
  return output != nullptr && (output->dims.empty() || output->dims.size() == sign.rank);
}

bool names_class(const Json& config, std::span<const std::string_view> endings) {
  const auto classes = config.find<std::vector<std::string>>("architectures");
  return classes && std::ranges::any_of(*classes, [&](const std::string& name) {
           return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
         });
}

bool has_architecture(const Repository& repository, const Signs& signs) {
  const auto config = repository.find_json("config.json");
  return config && names_class(*config, signs.architectures);
}

bool can_run(const Signs& signs, const Repository& repository, const Signatures& graphs) {
  const auto has = [&](std::string_view file) { return repository.has(file); };
  const auto has_graph = [&](std::string_view stem) { return !variants_of(repository, stem).empty(); };
  if (!std::ranges::all_of(signs.files, has) || !std::ranges::all_of(signs.stems, has_graph)) return false;
  if (signs.fits != nullptr) {
    const auto config = repository.find_json("config.json");
    if (!config || !signs.fits(*config)) return false;
  }
  if (const auto graph = graphs.find(signs.stems.front()); graph != graphs.end()) {
    if (signs.needs_architecture && !has_architecture(repository, signs)) return false;
    return signs.takes(graph->second) &&
           std::ranges::any_of(signs.outputs, [&](const OutputSign& sign) { return has_output(graph->second, sign); });
  }
  return std::ranges::any_of(signs.marks, has) || has_architecture(repository, signs);
}

bool has_one_label(const Json& config) { return Labels::from_config(config).size() == 1; }
bool has_entailment(const Json& config) { return find_entailment(config).has_value(); }
// Other models give logits for each token, too.
bool is_masked_model(const Json& config) {
  constexpr std::string_view kEnding[] = {"ForMaskedLM"};
  return names_class(config, kEnding);
}

// A task over a text encoder alone.
Signs over_text(Signs signs) {
  signs.stems = {"model"};
  signs.files = {"tokenizer.json"};
  signs.takes = is_text_encoder;
  return signs;
}

}  // namespace

std::span<const Signs> task_signs() {
  static const std::vector<Signs> all = {
      over_text({.task = "text_embedding",
                 .outputs =
                     {{"sentence_embedding", 2}, {"text_embeds", 2}, {"last_hidden_state", 3}, {"token_embeddings", 3}},
                 .architectures = {"Model"},
                 .marks = {"modules.json", "1_Pooling/config.json"},
                 .fetch = fetch_sentence_transformer}),
      over_text(
          {.task = "text_classification", .outputs = {{"logits", 2}}, .architectures = {"ForSequenceClassification"}}),
      over_text({.task = "text_ranking",
                 .outputs = {{"logits", 2}},
                 .architectures = {"ForSequenceClassification"},
                 .fits = has_one_label,
                 .fetch = fetch_cross_encoder}),
      over_text({.task = "zero_shot_classification",
                 .outputs = {{"logits", 2}},
                 .architectures = {"ForSequenceClassification"},
                 .fits = has_entailment}),
      over_text(
          {.task = "question_answering", .outputs = {{"start_logits", 2}}, .architectures = {"ForQuestionAnswering"}}),
      over_text({.task = "token_classification",
                 .outputs = {{"logits", 3}},
                 .architectures = {"ForTokenClassification"},
                 .needs_architecture = true}),
      {.task = "zero_shot_entity_recognition",
       .stems = {"model"},
       .files = {"tokenizer.json", "gliner_config.json"},
       .takes = is_gliner,
       .outputs = {{"logits", 4}},
       .marks = {"gliner_config.json"}},
      over_text(
          {.task = "fill_mask", .outputs = {{"logits", 3}}, .architectures = {"ForMaskedLM"}, .fits = is_masked_model}),
  };
  return all;
}

std::vector<const Signs*> recognize_tasks(const Repository& repository, const Signatures& graphs) {
  std::vector<const Signs*> found;
  for (const Signs& signs : task_signs()) {
    if (can_run(signs, repository, graphs)) found.push_back(&signs);
  }
  return found;
}

}  // namespace transmuter
