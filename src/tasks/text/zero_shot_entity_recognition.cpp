#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/log.hpp"
#include "base/utf8.hpp"
#include "serving/make_serving.hpp"
#include "tasks/text/gliner_config.hpp"
#include "tasks/text/gliner_decoder.hpp"
#include "tasks/text/gliner_inputs.hpp"
#include "tasks/text/gliner_prompt.hpp"
#include "tasks/text/words.hpp"
#include "tensor/ops.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

constexpr std::size_t kTokenParts = 3;  // begin, end, inside

void check_labels(std::span<const std::string> labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (const auto at = invalid_utf8_at(labels[i])) {
      fail(ErrorCode::InvalidInput, "labels[{}]: is not valid UTF-8 at byte {}", i, *at);
    }
  }
}

struct ZeroShotEntityRecognition {
  using Input = TextWithLabels;
  using Row = GlinerRow;
  using RowOutput = OutputRow;
  using Output = Entities;

  TextModel model;
  GlinerConfig config;
  std::int64_t class_token = 0;
  ZeroShotEntityRecognitionOptions options;
  std::string output = "logits";
  std::shared_ptr<std::once_flag> cut_warning = std::make_shared<std::once_flag>();

  // Parity: gliner 0.2.29 BaseEncoderGLiNER.inference: a text of spaces only, or no label, gives nothing.
  Work<Row> prepare(const Input& input) const {
    const auto& labels = input.labels ? input.labels : options.labels;
    if (!labels) fail(ErrorCode::InvalidInput, "labels: give what to find, with the input or as an option");
    check_labels(*labels);
    Work<Row> work;
    Row row{.encoding = {}, .words_mask = {}, .words = words_of(input.text), .labels = without_repeats(*labels)};
    if (row.words.empty() || row.labels.empty()) return work;
    const GlinerWords words = words_with_prompt(row.labels, input.text, row.words, config);
    Encoding encoding = model.encode(words.words);
    row.words_mask = words_mask(encoding.word_ids, words.prompt_size, config.subtoken_pooling);
    // Many rows are in memory at a time: they hold only what the model reads.
    row.encoding.ids = std::move(encoding.ids);
    row.encoding.type_ids = std::move(encoding.type_ids);
    // The rows of a run have the same number of classes, so that none gets scores for the padding of its prompt.
    work.key = model.key(row.encoding);
    work.key.sizes.push_back(static_cast<std::int64_t>(count_classes(row)));
    work.rows.push_back(std::move(row));
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  // out: [rows, words, widths, classes], or [rows, words, classes, 3] of token models
  std::vector<RowOutput> execute(Rows<Row> rows) const {
    const auto encodings = encodings_of(rows, &Row::encoding);
    const auto fill = [&](const ValueInfo& input, std::size_t row_count, std::size_t length) {
      return fill_gliner_input(input.name, rows, row_count, length, config.max_width);
    };
    const auto logits =
        std::make_shared<const Tensor>(std::move(model.run_padded(encodings, {&output, 1}, fill).front()));
    check_shape(*logits, rows);
    std::vector<RowOutput> outputs;
    for (std::size_t row = 0; row < rows.size(); ++row) outputs.push_back({logits, row});
    return outputs;
  }

  Output finish(const Input& input, std::span<const Row> rows, std::span<RowOutput> outputs) const {
    if (rows.empty()) return {};
    const Row& row = rows.front();
    const auto found = greedy_search(candidates(row, outputs.front()), options.flat_ner, options.multi_label);
    std::optional<CodePointIndex> points;
    if (options.offset_unit == OffsetUnit::CodePoints) points.emplace(input.text);
    const auto place = [&](std::size_t byte) { return points ? points->before(byte) : byte; };
    Output result;
    for (const LabelledWords& span : found) {
      const std::size_t start = row.words[span.first].start;
      const std::size_t end = row.words[span.last].end;
      result.entities.push_back({.label = row.labels[span.label],
                                 .phrase = input.text.substr(start, end - start),
                                 .start = place(start),
                                 .end = place(end),
                                 .score = span.score});
    }
    return result;
  }

 private:
  // Parity: gliner 0.2.29 UniEncoderSpanProcessor.preprocess_example: the words after max_len are not read.
  std::vector<ByteRange> words_of(std::string_view text) const {
    std::vector<ByteRange> words = split_words(text, config.max_len + 1);
    if (words.size() <= config.max_len) return words;
    std::call_once(*cut_warning, [&] {
      log_warning(
          "{}: a text has more words than the {} that the model reads (max_len of gliner_config.json); they "
          "are left out, here and in further texts",
          model.file(), config.max_len);
    });
    words.pop_back();
    return words;
  }

  std::size_t count_classes(const Row& row) const {
    const auto count = static_cast<std::size_t>(std::ranges::count(row.encoding.ids, class_token));
    if (count < row.labels.size()) {
      fail(ErrorCode::InvalidInput,
           "labels: only {} of {} fit into the {} tokens of an input; give fewer labels, or a larger "
           "compile.sequence_length where the model allows it",
           count, row.labels.size(), model.max_length());
    }
    return count;
  }

  void check_shape(const Tensor& logits, Rows<Row> rows) const {
    const Shape& shape = logits.shape();
    std::size_t labels = 0;
    for (const Row* row : rows) labels = std::max(labels, row->labels.size());
    const auto is = [&](std::size_t axis, std::size_t size) { return shape[axis] == static_cast<std::int64_t>(size); };
    if (shape.size() == 4 && is(1, most_words(rows)) && shape[classes_axis()] >= static_cast<std::int64_t>(labels) &&
        (config.token_level ? is(3, kTokenParts) : is(2, config.max_width))) {
      return;
    }
    fail(ErrorCode::InvalidModel,
         "{}: output {} has the shape {} for {} rows of {} words and {} labels (max_width of gliner_config.json is {})",
         model.file(), output, printed(shape), rows.size(), most_words(rows), labels, config.max_width);
  }

  std::size_t classes_axis() const { return config.token_level ? 2 : 3; }

  std::vector<LabelledWords> candidates(const Row& row, const RowOutput& logits) const {
    const Shape& shape = logits.tensor->shape();
    const auto inner = static_cast<std::size_t>(shape[2] * shape[3]);
    const auto own = logits.values(row.words.size() * inner);
    std::vector<float> scores(own.begin(), own.end());
    sigmoid(scores);
    const GlinerScores given{.scores = scores,
                             .words = row.words.size(),
                             .classes = static_cast<std::size_t>(shape[classes_axis()]),
                             .labels = row.labels.size()};
    return config.token_level ? token_spans_above(given, options.threshold)
                              : spans_above(given, static_cast<std::size_t>(shape[2]), options.threshold);
  }
};

GlinerConfig read_config(const Repository& repository) {
  constexpr std::string_view kFile = "gliner_config.json";
  if (!repository.has(kFile)) {
    fail(ErrorCode::NotFound, "{}: has no {}, as GLiNER models do: is this a model for another task?",
         repository.name(), kFile);
  }
  return within(repository.name(), [&] { return GlinerConfig::from_json(repository.json(kFile)); });
}

void check_graph(const TextModel& model, const GlinerConfig& config, std::string_view output) {
  const Signature& signature = model.signature();
  if (signature.find_input("words_mask") == nullptr) {
    fail(ErrorCode::Unsupported,
         "{}: has no input \"words_mask\"; its inputs are {}: is this a model for another task?", model.file(),
         signature.input_names());
  }
  model.check_output(output, 4);
  if (config.token_level == (signature.find_input("span_idx") != nullptr)) {
    fail(ErrorCode::InvalidModel,
         "{}: its inputs are {}, but by span_mode of gliner_config.json it is a model that scores {}", model.file(),
         signature.input_names(), config.token_level ? "words" : "spans");
  }
}

std::int64_t class_token_of(const TextModel& model, const GlinerConfig& config) {
  if (const auto id = model.tokenizer().find_id(config.ent_token)) return *id;
  fail(ErrorCode::InvalidModel,
       "tokenizer.json: has no token \"{}\", which begins each label (ent_token of gliner_config.json): fetch the "
       "tokenizer that belongs to the model",
       config.ent_token);
}

}  // namespace

namespace text {

Serving<TextWithLabels, Entities> zero_shot_entity_recognition(const Source& source,
                                                               const ZeroShotEntityRecognitionOptions& options) {
  if (!(options.threshold >= 0 && options.threshold <= 1)) {
    fail(ErrorCode::InvalidInput, "threshold: must be from 0 to 1, is {}", options.threshold);
  }
  const Repository repository = Repository::open(source, options.load);
  const GlinerConfig config = read_config(repository);
  ZeroShotEntityRecognition task{
      .model = TextModel::open(repository, options.compile, options.load, {.other_inputs = gliner_inputs()}),
      .config = config,
      .options = options};
  check_graph(task.model, config, task.output);
  task.class_token = class_token_of(task.model, config);
  const ServingOptions serving = task.model.serving_options(options.compile, options.load);
  return make_serving(std::move(task), serving);
}

}  // namespace text
}  // namespace transmuter
