#include <algorithm>
#include <array>
#include <numeric>

#include "base/describe.hpp"
#include "base/log.hpp"
#include "repository/sentence_transformers.hpp"
#include "serving/make_serving.hpp"
#include "tensor/ops.hpp"
#include "tensor/pooling.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

// Outputs that are embeddings already, and outputs that hold the tokens' embeddings.
constexpr std::array<std::string_view, 2> kPooledOutputs = {"sentence_embedding", "text_embeds"};
constexpr std::array<std::string_view, 2> kTokenOutputs = {"last_hidden_state", "token_embeddings"};

std::vector<PoolingMode> modes_of(OutputPool pool) {
  switch (pool) {
    case OutputPool::MeanPooling: return {PoolingMode::Mean};
    case OutputPool::ClsTokenPooling: return {PoolingMode::Cls};
    case OutputPool::MaxPooling: return {PoolingMode::Max};
    case OutputPool::MeanSqrtLenPooling: return {PoolingMode::MeanSqrtLen};
    case OutputPool::WeightedMeanPooling: return {PoolingMode::WeightedMean};
    case OutputPool::LastTokenPooling: return {PoolingMode::LastToken};
    case OutputPool::None: return {};
  }
  fail(ErrorCode::Internal, "no modes for output_pool {}", static_cast<int>(pool));
}

/// What happens between the model's output and the embedding.
struct Steps {
  bool pooled_by_graph = false;
  std::vector<PoolingMode> modes;  ///< Empty: the tokens stay apart.
  EmbeddingSteps after;
  std::optional<std::size_t> stored_dimensions;  ///< truncate_dim of the repository: cut as it is.
  std::optional<std::size_t> dimensions;         ///< The user's: cut, then of length 1 again if it was before.
  bool has_length_one = false;                   ///< Whether the whole embedding has.
  std::size_t prompt_tokens = 0;                 ///< Left out of the pooling.
};

std::vector<float> finished(std::vector<float> embedding, const Steps& steps) {
  for (const Dense& layer : steps.after.dense) embedding = layer(embedding);
  if (steps.after.normalize) l2_normalize(embedding);
  if (steps.dimensions) {
    if (*steps.dimensions > embedding.size()) {
      fail(ErrorCode::InvalidInput, "dimensions: the embedding has only {}, {} were asked for", embedding.size(),
           *steps.dimensions);
    }
    embedding.resize(*steps.dimensions);
    if (steps.has_length_one) l2_normalize(embedding);
  } else if (steps.stored_dimensions && *steps.stored_dimensions < embedding.size()) {
    embedding.resize(*steps.stored_dimensions);
  }
  return embedding;
}

struct TextEmbedding {
  using Input = std::string;
  using Row = Encoding;
  using RowOutput = OutputRow;
  using Output = Embedding;

  TextModel model;
  std::string output;
  std::string prompt;
  Steps steps;

  Work<Row> prepare(const Input& input) const {
    Encoding row = prompt.empty() ? model.encode(input) : model.encode(prompt + input);
    Work<Row> work;
    work.key = model.key(row);
    work.rows.push_back(std::move(row));
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  OutputKind kind() const { return steps.pooled_by_graph ? OutputKind::Vectors : OutputKind::TokenVectors; }

  // out: [rows, length, dimensions], or [rows, dimensions] when the graph pools
  std::vector<RowOutput> execute(Rows<Row> rows) const { return model.run(rows, output, kind()); }

  Output finish(const Input&, std::span<const Row> rows, std::span<RowOutput> outputs) const {
    const auto values = outputs.front().values();
    if (steps.pooled_by_graph) return whole(finished({values.begin(), values.end()}, steps));
    const auto dimensions = static_cast<std::size_t>(outputs.front().tensor->shape().back());
    const TokenEmbeddings tokens{.values = values, .tokens = rows.front().length(), .dimensions = dimensions};
    if (!steps.modes.empty()) return whole(finished(pool(tokens, steps.modes, steps.prompt_tokens), steps));
    Embedding result;
    for (std::size_t i = 0; i < tokens.tokens; ++i) {
      const auto token = tokens.token(i);
      const auto one = finished({token.begin(), token.end()}, steps);
      result.embedding.values.insert(result.embedding.values.end(), one.begin(), one.end());
    }
    const auto count = static_cast<std::int64_t>(tokens.tokens);
    result.embedding.shape = {count,
                              count == 0 ? 0 : static_cast<std::int64_t>(result.embedding.values.size()) / count};
    return result;
  }

  static Embedding whole(std::vector<float> values) {
    Embedding result;
    result.embedding.shape = {static_cast<std::int64_t>(values.size())};
    result.embedding.values = std::move(values);
    return result;
  }
};

// The output to read, and whether the graph has pooled it.
std::pair<std::string, bool> choose_output(const TextModel& model, bool wants_tokens) {
  const Signature& signature = model.signature();
  if (!wants_tokens) {
    for (const std::string_view name : kPooledOutputs) {
      if (signature.find_output(name) != nullptr) return {std::string(name), true};
    }
  }
  for (const std::string_view name : kTokenOutputs) {
    if (signature.find_output(name) != nullptr) return {std::string(name), false};
  }
  fail(ErrorCode::Unsupported,
       "{}: has no output \"last_hidden_state\" or \"token_embeddings\"{}; its outputs are {}: {}", model.file(),
       wants_tokens ? ", which output_pool needs" : " nor \"sentence_embedding\"", signature.described_outputs(),
       wants_tokens ? "leave output_pool out" : "is this a model for another task?");
}

// Parity: sentence-transformers 5.7 Transformer._get_prompt_length: a special token at the end is not part of it.
std::size_t count_prompt_tokens(const TextModel& model, const std::string& prompt) {
  if (prompt.empty()) return 0;
  const Encoding row = model.encode(prompt);
  if (row.ids.empty()) return 0;
  const auto& special = model.tokenizer().special_ids();
  return row.length() - (std::ranges::binary_search(special, row.ids.back()) ? 1U : 0U);
}

Steps choose_steps(const TextEmbeddingOptions& options, const SentenceTransformer& files, bool pooled_by_graph) {
  Steps steps;
  steps.pooled_by_graph = pooled_by_graph;
  steps.modes = options.output_pool ? modes_of(*options.output_pool) : files.pooling;
  if (steps.modes.empty() && !options.output_pool) steps.modes = {PoolingMode::Mean};
  // A graph that pools has run the modules after the pooling, too; both options together leave them out.
  const bool left_out = pooled_by_graph || options.output_pool == OutputPool::None ||
                        (options.output_pool && options.embedding_processor);
  if (!left_out) steps.after = read_after_pooling(files);
  steps.has_length_one = steps.after.normalize;
  if (pooled_by_graph) {
    steps.has_length_one = std::ranges::any_of(files.after_pooling, [](const Module& m) { return m.is("Normalize"); });
  }
  if (options.embedding_processor) {
    steps.after.normalize = *options.embedding_processor == EmbeddingProcessor::L2Norm;
    steps.has_length_one = steps.after.normalize;
  }
  if (files.truncate_dim && *files.truncate_dim > 0) {
    steps.stored_dimensions = static_cast<std::size_t>(*files.truncate_dim);
  }
  if (options.dimensions) steps.dimensions = static_cast<std::size_t>(*options.dimensions);
  return steps;
}

}  // namespace

namespace text {

Serving<std::string, Embedding> text_embedding(const Source& source, const TextEmbeddingOptions& options) {
  if (options.dimensions && *options.dimensions < 1) {
    fail(ErrorCode::InvalidInput, "dimensions: must be at least 1, is {}", *options.dimensions);
  }
  const Repository repository = Repository::open(source, options.load);
  const auto read = read_sentence_transformer(repository, !(options.output_pool && options.embedding_processor));
  const SentenceTransformer files = read.value_or(SentenceTransformer{});
  TextModel model = TextModel::open(repository, options.compile, options.load,
                                    {.max_seq_length = files.max_seq_length, .lower_case = files.do_lower_case});
  const auto [output, pooled] = choose_output(model, options.output_pool.has_value());
  if (!read && !pooled && !options.output_pool) {
    log_warning(
        "{}: no pooling configuration found (1_Pooling/config.json, base_model of the model card): the embedding "
        "is the mean of the token embeddings; set output_pool to choose",
        repository.name());
  }
  Steps steps = choose_steps(options, files, pooled);
  model.check_output(output, pooled ? OutputKind::Vectors : OutputKind::TokenVectors);
  std::string prompt = choose_prompt(files.prompts, options.prompt, options.prompt_name);
  if (!files.include_prompt) steps.prompt_tokens = count_prompt_tokens(model, prompt);
  const ServingOptions serving = model.serving_options(options.compile, options.load);
  return make_serving(TextEmbedding{std::move(model), output, std::move(prompt), std::move(steps)}, serving);
}

}  // namespace text
}  // namespace transmuter
