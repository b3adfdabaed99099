#include <algorithm>

#include "base/log.hpp"
#include "serving/make_serving.hpp"
#include "tasks/text/hypothesis.hpp"
#include "tasks/text/nli.hpp"
#include "tensor/ops.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

struct ZeroShotClassification {
  using Input = ZeroShotText;
  using Row = Encoding;
  using RowOutput = NliLogits;
  using Output = Classification;

  TextModel model;
  std::string output = "logits";
  NliLabels nli;
  std::vector<std::string> labels;
  std::string hypothesis_template;
  bool multi_label = false;

  const std::vector<std::string>& labels_of(const Input& input) const {
    return input.labels ? input.labels->names : labels;
  }

  Work<Row> prepare(const Input& input) const {
    const auto& names = labels_of(input);
    if (names.empty()) fail(ErrorCode::InvalidInput, "labels: give at least one, as an option or with the text");
    if (input.text.empty()) fail(ErrorCode::InvalidInput, "text: is empty: give a text to classify");
    std::vector<std::string> hypotheses;
    hypotheses.reserve(names.size());
    for (const std::string& label : names) hypotheses.push_back(format_hypothesis(hypothesis_template, label));
    check_has_label(hypotheses.front(), hypothesis_template);
    Work<Row> work;
    // Parity: transformers 4.57 ZeroShotClassificationPipeline._parse_and_tokenize: only the text is cut, and nothing
    // where the hypothesis alone leaves no room.
    work.rows = model.encode_pairs(input.text, hypotheses, TruncationStrategy::OnlyFirstOrNone);
    work.keys = model.keys(work.rows);
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  // out: [rows, labels of the model]
  std::vector<RowOutput> execute(Rows<Row> rows) const {
    std::vector<NliLogits> logits;
    logits.reserve(rows.size());
    for (const OutputRow& row : model.run(rows, output, OutputKind::Vectors)) {
      const auto values = row.values();
      logits.push_back({.entailment = at(values, nli.entailment), .contradiction = at(values, nli.contradiction)});
    }
    return logits;
  }

  // Parity: transformers 4.57 ZeroShotClassificationPipeline.postprocess: of equal scores the later label comes first.
  Output finish(const Input& input, std::span<const Row>, std::span<RowOutput> logits) const {
    const auto& names = labels_of(input);
    std::vector<float> scores = hypothesis_scores(logits, multi_label || names.size() == 1);
    std::ranges::reverse(scores);
    Classification result;
    for (const std::size_t index : top_k(scores, 0)) {
      result.predictions.push_back({.label = names[names.size() - 1 - index], .score = scores[index]});
    }
    return result;
  }

  static void check_has_label(std::string_view hypothesis, std::string_view hypothesis_template) {
    if (hypothesis != hypothesis_template) return;
    fail(ErrorCode::InvalidInput,
         "hypothesis_template: \"{}\" has no place for the label; write {{}} where it goes, as in \"This example is "
         "{{}}.\"",
         hypothesis_template);
  }

  float at(std::span<const float> values, std::int64_t label) const {
    const auto size = static_cast<std::int64_t>(values.size());
    const std::int64_t index = label < 0 ? size + label : label;
    if (index < 0 || index >= size) {
      fail(ErrorCode::InvalidModel, "{}: config.json says that label {} is entailment, but the model gives {} scores",
           model.file(), label, size);
    }
    return values[static_cast<std::size_t>(index)];
  }
};

}  // namespace

namespace text {

Serving<ZeroShotText, Classification> zero_shot_classification(const Source& source,
                                                               const ZeroShotClassificationOptions& options) {
  ZeroShotClassification::check_has_label(format_hypothesis(options.hypothesis_template, "label"),
                                          options.hypothesis_template);
  const Repository repository = Repository::open(source, options.load);
  const auto entailment = find_entailment(repository.json("config.json"));
  ZeroShotClassification task{.model = TextModel::open(repository, options.compile, options.load, {}),
                              .nli = nli_labels(entailment),
                              .labels = options.labels.names,
                              .hypothesis_template = options.hypothesis_template,
                              .multi_label = options.multi_label};
  task.model.check_output(task.output, OutputKind::Vectors);
  if (!entailment) {
    log_warning(
        "{}: config.json names no label that begins with \"entail\", so the model's last label is taken for it; is "
        "this a model for natural language inference?",
        repository.name());
  }
  const ServingOptions serving = task.model.serving_options(options.compile, options.load);
  return make_serving(std::move(task), serving);
}

}  // namespace text
}  // namespace transmuter
