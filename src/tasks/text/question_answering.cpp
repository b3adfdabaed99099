#include <algorithm>
#include <functional>
#include <tuple>

#include "base/utf8.hpp"
#include "serving/make_serving.hpp"
#include "tasks/text/answer_spans.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

// Parity: transformers 4.57 QuestionAnsweringPipeline.preprocess.
constexpr std::int64_t kWindow = 384;
constexpr std::size_t kMostShared = 128;

struct QuestionAnswering {
  using Input = QuestionAndContext;
  using Row = Encoding;
  using RowOutput = WindowAnswers;
  using Output = Answers;

  TextModel model;
  std::vector<std::string> outputs = {"start_logits", "end_logits"};
  PairLayout layout;
  SpanLimits limits;
  QuestionAnsweringOptions options;

  std::size_t shared() const { return std::min(model.max_length() / 2, kMostShared); }

  Work<Row> prepare(const Input& input) const {
    if (input.question.empty()) fail(ErrorCode::InvalidInput, "question: must not be empty");
    if (input.context.empty()) fail(ErrorCode::InvalidInput, "context: must not be empty");
    Work<Row> work;
    work.rows = windows(input);
    work.key = model.key(*std::ranges::max_element(work.rows, {}, &Encoding::length));
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  // out: start_logits and end_logits, [rows, length] each
  std::vector<RowOutput> execute(Rows<Row> rows) const {
    const auto logits = model.run(rows, outputs, OutputKind::TokenValues);
    std::vector<RowOutput> answers;
    answers.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto own = [&](const std::vector<OutputRow>& all) { return all[i].values().first(rows[i]->length()); };
      answers.push_back(answer_spans(own(logits[0]), own(logits[1]), allowed_tokens(*rows[i], layout), limits));
    }
    return answers;
  }

  Output finish(const Input& input, std::span<const Row> rows, std::span<RowOutput> windows) const {
    AnswerSums sums(input.context);
    float null_score = 1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      null_score = std::min(null_score, windows[i].null_score);
      for (const AnswerSpan& span : windows[i].spans) {
        sums.add(context_range(rows[i], span, layout, options.align_to_words, input.question, input.context),
                 span.score);
      }
    }
    std::vector<AnswerSums::Sum> answers = sums.take();
    if (options.handle_impossible_answer) answers.push_back({.range = {}, .score = null_score});
    std::ranges::stable_sort(answers, std::greater(), &AnswerSums::Sum::score);
    answers.resize(std::min(answers.size(), static_cast<std::size_t>(options.top_k)));
    return result_of(input.context, answers);
  }

 private:
  std::vector<Encoding> windows(const Input& input) const {
    const Tokenizer& tokenizer = model.tokenizer();
    const std::size_t question = tokenizer.encode(input.question, {.add_special_tokens = false}).length();
    const std::size_t taken = question + tokenizer.added_count(true);
    const auto& [first, second] =
        layout.question_first ? std::tie(input.question, input.context) : std::tie(input.context, input.question);
    // A window must bring new tokens of the context, unless all of it fits into one.
    if (taken + shared() >= model.max_length()) {
      const std::size_t all = tokenizer.encode(first, second).length();
      if (all > model.max_length()) {
        fail(ErrorCode::InvalidInput,
             "question: has {} tokens, which leaves no room for the context: a window has {} tokens, {} of them "
             "special ones and {} shared with the next window; ask a shorter question",
             question, model.max_length(), tokenizer.added_count(true), shared());
      }
    }
    return model.windows(first, second, shared(),
                         layout.question_first ? TruncationStrategy::OnlySecond : TruncationStrategy::OnlyFirst);
  }

  Output result_of(std::string_view context, std::span<const AnswerSums::Sum> answers) const {
    Answers result;
    std::optional<CodePointIndex> points;
    if (options.offset_unit == OffsetUnit::CodePoints) points.emplace(context);
    const auto unit = [&](std::size_t at) { return points ? points->before(at) : at; };
    for (const auto& [range, score] : answers) {
      const std::size_t size = range.end > range.start ? range.end - range.start : 0;
      result.results.push_back({.text = std::string(context.substr(range.start, size)),
                                .start = unit(range.start),
                                .end = unit(range.end),
                                .score = static_cast<float>(score)});
    }
    return result;
  }
};

std::size_t at_least_one(std::string_view name, std::int64_t value) {
  if (value < 1) fail(ErrorCode::InvalidInput, "{}: must be at least 1, is {}", name, value);
  return static_cast<std::size_t>(value);
}

}  // namespace

namespace text {

Serving<QuestionAndContext, Answers> question_answering(const Source& source, const QuestionAnsweringOptions& options) {
  const std::size_t top_k = at_least_one("top_k", options.top_k);
  const std::size_t max_tokens = at_least_one("max_answer_len", options.max_answer_len);
  // Parity: transformers 4.57 QuestionAnsweringPipeline.postprocess: spans of one word become one answer.
  constexpr std::size_t kMost = 1U << 20U;
  const std::size_t count = options.align_to_words ? std::min(top_k, kMost) * 2 + 10 : top_k;
  const Repository repository = Repository::open(source, options.load);
  CompileOptions compile = options.compile;
  if (compile.sequence_length.empty()) compile.sequence_length = {kWindow};
  QuestionAnswering task{.model = TextModel::open(repository, compile, options.load, {}),
                         .layout = {},
                         .limits = {.max_tokens = max_tokens, .count = count},
                         .options = options};
  for (const std::string& output : task.outputs) task.model.check_output(output, OutputKind::TokenValues);
  const Tokenizer& tokenizer = task.model.tokenizer();
  task.layout = {.question_first = tokenizer.padding_side() == Side::Right,
                 .cls_id = tokenizer.special_id(SpecialToken::Cls),
                 .pad_id = tokenizer.special_id(SpecialToken::Pad)};
  const ServingOptions serving = task.model.serving_options(compile, options.load);
  return make_serving(std::move(task), serving);
}

}  // namespace text
}  // namespace transmuter
