#include "base/log.hpp"
#include "repository/labels.hpp"
#include "serving/make_serving.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

struct TextClassification {
  using Input = TextOrPair;
  using Row = Encoding;
  using RowOutput = OutputRow;
  using Output = Classification;

  TextModel model;
  std::string output = "logits";
  Labels labels;
  FunctionToApply rule = FunctionToApply::Softmax;
  std::size_t top_k = 0;

  Work<Row> prepare(const Input& input) const {
    Work<Row> work;
    // Parity: transformers 4.57 PreTrainedTokenizerFast._encode_plus: an empty second text is none.
    const bool is_pair = input.text_pair && !input.text_pair->empty();
    work.rows.push_back(model.encode(input.text, is_pair ? input.text_pair : std::nullopt));
    work.key = model.key(work.rows.front());
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  // out: [rows, labels]
  std::vector<RowOutput> execute(Rows<Row> rows) const { return model.run(rows, output, OutputKind::Vectors); }

  Output finish(const Input&, std::span<const Row>, std::span<RowOutput> outputs) const {
    const auto logits = outputs.front().values();
    std::vector<float> scores(logits.begin(), logits.end());
    apply_function(rule, scores);
    return {top_predictions(scores, labels, top_k)};
  }
};

}  // namespace

namespace text {

Serving<TextOrPair, Classification> text_classification(const Source& source,
                                                        const TextClassificationOptions& options) {
  if (options.top_k && *options.top_k < 1) {
    fail(ErrorCode::InvalidInput, "top_k: must be at least 1, is {}", *options.top_k);
  }
  const Repository repository = Repository::open(source, options.load);
  const Json config = repository.json("config.json");
  Labels labels = Labels::from_config(config);
  const FunctionToApply rule = options.function_to_apply.value_or(score_rule(config, labels));
  TextClassification task{.model = TextModel::open(repository, options.compile, options.load, {}),
                          .labels = std::move(labels),
                          .rule = rule,
                          .top_k = static_cast<std::size_t>(options.top_k.value_or(0))};
  task.model.check_output(task.output, OutputKind::Vectors);
  const std::int64_t scores = task.model.signature().find_output(task.output)->dims.back();
  if (config.find("id2label") && scores > 0 && static_cast<std::size_t>(scores) != task.labels.size()) {
    log_warning("{}: config.json names {} labels, but the model gives {} scores", repository.name(), task.labels.size(),
                scores);
  }
  const ServingOptions serving = task.model.serving_options(options.compile, options.load);
  return make_serving(std::move(task), serving);
}

}  // namespace text
}  // namespace transmuter
