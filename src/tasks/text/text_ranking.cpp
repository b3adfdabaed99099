#include "base/utf8.hpp"
#include "repository/cross_encoder.hpp"
#include "serving/make_serving.hpp"
#include "tensor/ops.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

// By name, so that one bad document of thousands can be found.
void check_texts(const QueryAndDocuments& input) {
  const auto check = [](std::string_view text, auto&& name) {
    if (const auto at = invalid_utf8_at(text)) {
      fail(ErrorCode::InvalidInput, "{}: the text is not valid UTF-8 at byte {}", name(), *at);
    }
  };
  check(input.query, [] { return std::string("query"); });
  for (std::size_t i = 0; i < input.documents.size(); ++i) {
    check(input.documents[i], [&] { return fmt::format("documents[{}]", i); });
  }
}

// Parity: sentence-transformers 5.7 CrossEncoder.rank.
void check_is_one(std::size_t scores, const std::string& model) {
  if (scores == 1) return;
  fail(ErrorCode::Unsupported,
       "{}: the model gives {} scores for a pair, and only models with one label can rank (as CrossEncoder.rank has "
       "it); use text-classification with pairs",
       model, scores);
}

struct TextRanking {
  using Input = QueryAndDocuments;
  using Row = Encoding;
  using RowOutput = float;
  using Output = Ranking;

  TextModel model;
  std::string output = "logits";
  std::string prompt;
  Activation activation = Activation::Sigmoid;
  std::size_t top_k = 0;
  bool return_documents = false;

  // Parity: sentence-transformers 5.7 Transformer.preprocess: pairs are cut longest_first, a prompt is the query's.
  Work<Row> prepare(const Input& input) const {
    check_texts(input);
    Work<Row> work;
    work.rows = model.encode_pairs(prompt + input.query, input.documents, TruncationStrategy::LongestFirst);
    work.keys = model.keys(work.rows);
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  // out: [rows, 1]
  std::vector<RowOutput> execute(Rows<Row> rows) const {
    std::vector<float> scores;
    scores.reserve(rows.size());
    for (const OutputRow& row : model.run(rows, output, OutputKind::Vectors)) {
      check_is_one(row.values().size(), model.file());
      scores.push_back(row.values().front());
    }
    return scores;
  }

  // Parity: sentence-transformers 5.7 CrossEncoder.rank: documents of one score keep their order.
  Output finish(const Input& input, std::span<const Row>, std::span<RowOutput> scores) const {
    apply_activation(activation, scores);
    Ranking ranking;
    for (const std::size_t index : transmuter::top_k(scores, top_k)) {
      ranking.results.push_back({.index = static_cast<std::int64_t>(index), .score = scores[index], .text = {}});
      if (return_documents) ranking.results.back().text = input.documents[index];
    }
    return ranking;
  }
};

}  // namespace

namespace text {

Serving<QueryAndDocuments, Ranking> text_ranking(const Source& source, const TextRankingOptions& options) {
  if (options.top_k && *options.top_k < 1) {
    fail(ErrorCode::InvalidInput, "top_k: must be at least 1, is {}", *options.top_k);
  }
  const Repository repository = Repository::open(source, options.load);
  const CrossEncoder files = read_cross_encoder(repository, !options.raw_scores);
  const Activation activation = files.activation.value_or(Activation::Sigmoid);
  TextRanking task{
      .model = TextModel::open(repository, options.compile, options.load,
                               {.max_seq_length = files.max_seq_length, .lower_case = files.do_lower_case}),
      .prompt = choose_prompt(files.prompts, options.prompt, options.prompt_name),
      .activation = options.raw_scores ? Activation::Identity : activation,
      .top_k = static_cast<std::size_t>(options.top_k.value_or(0)),
      .return_documents = options.return_documents};
  task.model.check_output(task.output, OutputKind::Vectors);
  const std::int64_t scores = task.model.signature().find_output(task.output)->dims.back();
  if (scores > 0) check_is_one(static_cast<std::size_t>(scores), task.model.file());
  const ServingOptions serving = task.model.serving_options(options.compile, options.load);
  return make_serving(std::move(task), serving);
}

}  // namespace text
}  // namespace transmuter
