#include "text_model/text_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/threads.hpp"
#include "repository/variant.hpp"
#include "tensor/float16.hpp"

namespace transmuter {
namespace {

constexpr std::string_view kTokenizerFiles[] = {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
                                                "added_tokens.json", "config.json"};
constexpr std::string_view kGraph = "model";
constexpr std::array<std::int64_t, 3> kSequenceLengths = {32, 128, 512};

// Positions of these begin after the padding id, so that two are never used.
// Parity: transformers 4.57 create_position_ids_from_input_ids.
constexpr std::string_view kPositionsAfterPadding[] = {"roberta", "xlm-roberta", "xlm-roberta-xl",      "camembert",
                                                       "mpnet",   "longformer",  "data2vec-text",       "xmod",
                                                       "esm",     "ibert",       "roberta-prelayernorm"};

// A value of an input for one token of a row, and after the row's end.
enum class Fill { Ids, Mask, TypeIds, Positions };
struct InputRule {
  std::string_view name;
  Fill fill;
};
constexpr InputRule kInputs[] = {{"input_ids", Fill::Ids},
                                 {"attention_mask", Fill::Mask},
                                 {"token_type_ids", Fill::TypeIds},
                                 {"position_ids", Fill::Positions}};

const InputRule* find_rule(std::string_view name) {
  const auto found = std::ranges::find(kInputs, name, &InputRule::name);
  return found == std::end(kInputs) ? nullptr : found;
}

bool is_cache(std::string_view name) { return name.starts_with("past_key_values"); }

// Parity: sentence-transformers 5.7 Transformer: the model's positions limit the tokenizer's length.
std::optional<std::size_t> model_limit(const std::optional<Json>& config, const Tokenizer& tokenizer,
                                       const TextModelSettings& settings) {
  if (settings.max_seq_length) return static_cast<std::size_t>(std::max<std::int64_t>(*settings.max_seq_length, 1));
  auto limit = tokenizer.model_max_length();
  if (!config) return limit;
  auto positions = config->find<std::int64_t>("max_position_embeddings");
  if (!positions || *positions <= 0) return limit;
  const auto type = config->get_or<std::string>("model_type", "");
  if (std::ranges::find(kPositionsAfterPadding, type) != std::end(kPositionsAfterPadding)) *positions -= 2;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(*positions, 1));
  return limit ? std::min(*limit, most) : most;
}

std::size_t longest(const CompileOptions& compile) {
  std::span<const std::int64_t> lengths = compile.sequence_length;
  if (lengths.empty()) lengths = kSequenceLengths;
  for (const std::int64_t length : lengths) {
    if (length < 1) fail(ErrorCode::InvalidInput, "compile.sequence_length: must be at least 1, is {}", length);
  }
  return static_cast<std::size_t>(std::ranges::max(lengths));
}

std::size_t fixed(const Shape& dims, std::size_t axis) {
  return axis < dims.size() && dims[axis] > 0 ? static_cast<std::size_t>(dims[axis]) : 0;
}

std::size_t rank_of(OutputKind kind) {
  switch (kind) {
    case OutputKind::Vectors:
    case OutputKind::TokenValues: return 2;
    case OutputKind::TokenVectors: return 3;
  }
  fail(ErrorCode::Internal, "no rank for an output of kind {}", static_cast<int>(kind));
}

std::int64_t value_at(Fill fill, const Encoding& row, std::size_t position, std::int64_t pad_id) {
  const bool inside = position < row.length();
  switch (fill) {
    case Fill::Ids: return inside ? row.ids[position] : pad_id;
    case Fill::Mask: return inside ? 1 : 0;
    case Fill::TypeIds: return inside ? row.type_ids[position] : 0;
    // The running sum of the mask minus one.
    case Fill::Positions:
      return static_cast<std::int64_t>(std::min(position, row.length() == 0 ? 0 : row.length() - 1));
  }
  fail(ErrorCode::Internal, "no rule for an input");
}

template <class T>
Tensor filled(Fill fill, Rows<Encoding> rows, std::size_t length, std::size_t row_count, std::int64_t pad_id) {
  Tensor tensor(detail::dtype_of<T>(), {static_cast<std::int64_t>(row_count), static_cast<std::int64_t>(length)});
  auto value = tensor.view<T>().begin();
  for (std::size_t r = 0; r < row_count; ++r) {
    // A graph with a fixed number of rows gets copies of the last one, which nobody reads.
    const Encoding& row = *rows[std::min(r, rows.size() - 1)];
    for (std::size_t i = 0; i < length; ++i) *value++ = static_cast<T>(value_at(fill, row, i, pad_id));
  }
  return tensor;
}

Tensor empty_cache(const ValueInfo& input, std::size_t row_count) {
  Shape shape = input.dims;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 0) shape[axis] = axis == 0 ? static_cast<std::int64_t>(row_count) : 0;
  }
  return {input.dtype.value_or(DType::Float32), std::move(shape)};
}

// The first input that neither a text nor the task fills, or null.
const ValueInfo* find_foreign_input(const Signature& signature, std::span<const OtherInput> others) {
  const auto is_foreign = [&](const ValueInfo& input) {
    if (is_cache(input.name) && input.dtype) return false;
    const auto other = std::ranges::find(others, input.name, &OtherInput::name);
    if (other != others.end()) return input.dtype != other->dtype;
    const bool is_integer = input.dtype == DType::Int64 || input.dtype == DType::Int32;
    return find_rule(input.name) == nullptr || !is_integer;
  };
  const auto found = std::ranges::find_if(signature.inputs, is_foreign);
  return found == signature.inputs.end() ? nullptr : &*found;
}

void check_inputs(const Session& session, std::span<const OtherInput> others) {
  if (const ValueInfo* input = find_foreign_input(session.signature(), others); input != nullptr) {
    fail(ErrorCode::Unsupported,
         "{}: input \"{}\" ({}) is not one of a text encoder; its inputs are {}: is this a model for another task?",
         session.path(), input->name, input->type, session.signature().input_names());
  }
  if (session.signature().find_input("input_ids") == nullptr) {
    fail(ErrorCode::Unsupported, "{}: has no input \"input_ids\"; its inputs are {}: is this a model for another task?",
         session.path(), session.signature().input_names());
  }
}

// In one go, several at a time.
void fetch_files(const Repository& repository, const std::string& model) {
  std::vector<std::string> files = {model};
  for (const std::string_view file : kTokenizerFiles) {
    if (repository.has(file)) files.emplace_back(file);
  }
  repository.fetch(files);
}

std::span<const float> checked(std::span<const float> values) {
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
    fail(ErrorCode::InvalidModel, "the model gave NaN or infinite values for this input; try another variant of it");
  }
  return values;
}

}  // namespace

bool is_text_encoder(const Signature& signature) { return is_text_encoder(signature, {}); }

bool is_text_encoder(const Signature& signature, std::span<const OtherInput> others) {
  return find_foreign_input(signature, others) == nullptr && signature.find_input("input_ids") != nullptr;
}

Tokenizer open_tokenizer(const Repository& repository, const TokenizerOptions& options) {
  if (!repository.has("tokenizer.json")) {
    fail(ErrorCode::NotFound, "{}: has no tokenizer.json, which every text task needs", repository.name());
  }
  const TokenizerFiles files = {.tokenizer = repository.text("tokenizer.json"),
                                .tokenizer_config = repository.find_text("tokenizer_config.json"),
                                .special_tokens_map = repository.find_text("special_tokens_map.json"),
                                .added_tokens = repository.find_text("added_tokens.json"),
                                .config = repository.find_text("config.json")};
  return within(repository.name(), [&] { return Tokenizer(files, options); });
}

std::span<const float> OutputRow::values() const {
  return values(static_cast<std::size_t>(tensor->size() / tensor->shape().front()));
}

std::span<const float> OutputRow::values(std::size_t count) const {
  const auto all = tensor->view<float>();
  const auto size = all.size() / static_cast<std::size_t>(tensor->shape().front());
  if (count > size) fail(ErrorCode::Internal, "a row of {} values was asked for {}", size, count);
  return checked(all.subspan(row * size, count));
}

std::span<const float> OutputRow::token(std::size_t position) const {
  const auto length = static_cast<std::size_t>(tensor->shape()[1]);
  const auto size = static_cast<std::size_t>(tensor->shape()[2]);
  return checked(tensor->view<float>().subspan((row * length + position) * size, size));
}

TextModel TextModel::open(const Repository& repository, const CompileOptions& compile, const LoadOptions& load,
                          const TextModelSettings& settings) {
  if (compile.batch_size < 0)
    fail(ErrorCode::InvalidInput, "compile.batch_size: must not be negative, is {}", compile.batch_size);
  const std::size_t wanted_length = longest(compile);
  check_variant_files(load.variant, {kGraph});
  const ModelFile file = choose_model_file(repository, kGraph, load.variant, settings.task_default);
  fetch_files(repository, file.path);
  Tokenizer tokenizer =
      open_tokenizer(repository, {.lower_case = settings.lower_case, .add_prefix_space = std::nullopt});
  auto session =
      Session::open(fetch_model_file(repository, file.path),
                    {.backend = load.backend, .threads = load.threads, .disabled_passes = load.disabled_passes});
  check_inputs(*session, settings.other_inputs);
  TextModel model(std::move(tokenizer), std::move(session));
  const Shape& dims = model.signature().find_input("input_ids")->dims;
  model.fixed_rows_ = fixed(dims, 0);
  model.padded_length_ = fixed(dims, 1);
  const auto config = repository.find_json("config.json");
  model.limit_ = model_limit(config, model.tokenizer_, settings);
  if (model.padded_length_ != 0) {
    model.limit_ = std::min(model.limit_.value_or(model.padded_length_), model.padded_length_);
  }
  model.max_length_ = std::min(wanted_length, model.limit_.value_or(wanted_length));
  if (model.max_length_ <= model.tokenizer_.added_count()) {
    const bool by_user = wanted_length <= model.tokenizer_.added_count();
    fail(by_user ? ErrorCode::InvalidInput : ErrorCode::InvalidModel,
         "{}: {} tokens leave no room for text beside the {} special ones",
         by_user ? "compile.sequence_length"
                 : "the model's length (max_seq_length, model_max_length or max_position_embeddings)",
         model.max_length_, model.tokenizer_.added_count());
  }
  model.rows_alone_ = model.session_->quantizes_activations();
  if (config) {
    const auto size = config->find<std::int64_t>("vocab_size");
    if (size && *size > 0 && static_cast<std::size_t>(*size) < model.tokenizer_.vocab_size()) model.vocab_size_ = size;
  }
  model.pad_id_ = model.tokenizer_.special_id(SpecialToken::Pad).value_or(0);
  return model;
}

Encoding TextModel::encode(const TextInput& text, const std::optional<std::string>& pair) const {
  EncodeOptions options;
  options.max_length = max_length_;
  Encoding row = pair ? tokenizer_.encode(text, *pair, options) : tokenizer_.encode(text, options);
  check(row);
  return row;
}

std::vector<Encoding> TextModel::windows(std::string_view text, std::optional<std::string_view> pair,
                                         std::size_t stride, TruncationStrategy truncation) const {
  EncodeOptions options;
  options.max_length = max_length_;
  options.stride = stride;
  options.truncation = truncation;
  std::vector<Encoding> rows = pair ? tokenizer_.windows(text, *pair, options) : tokenizer_.windows(text, options);
  for (const Encoding& row : rows) check(row);
  return rows;
}

std::vector<Encoding> TextModel::encode_pairs(std::string_view text, std::span<const std::string> pairs,
                                              TruncationStrategy truncation) const {
  constexpr std::size_t kAtOnce = 64;
  EncodeOptions options;
  options.max_length = max_length_;
  options.truncation = truncation;
  std::vector<Encoding> rows;
  rows.reserve(pairs.size());
  for (std::size_t first = 0; first < pairs.size(); first += kAtOnce) {
    const auto some = pairs.subspan(first, std::min(kAtOnce, pairs.size() - first));
    for (Encoding& row : tokenizer_.encode_pairs(text, some, options)) {
      check(row);
      if (const std::size_t most = limit_.value_or(row.length()); row.length() > most) {
        fail(ErrorCode::InvalidInput, "the two texts have {} tokens, of which the model takes {}: give a shorter one",
             row.length(), most);
      }
      Encoding kept;
      kept.ids = std::move(row.ids);
      kept.type_ids = std::move(row.type_ids);
      rows.push_back(std::move(kept));
    }
  }
  return rows;
}

void TextModel::check(const Encoding& row) const {
  if (row.length() == 0) {
    fail(ErrorCode::InvalidInput, "the text has no tokens, and this tokenizer adds none: give another text");
  }
  if (vocab_size_ && std::ranges::any_of(row.ids, [this](std::int64_t id) { return id >= *vocab_size_; })) {
    fail(ErrorCode::InvalidModel,
         "tokenizer.json has {} tokens, but the model takes {} (vocab_size of config.json), and this text has one "
         "beyond: fetch the tokenizer that belongs to the model",
         tokenizer_.vocab_size(), *vocab_size_);
  }
}

BatchKey TextModel::key(const Encoding& row) const {
  if (padded_length_ != 0) return {{static_cast<std::int64_t>(padded_length_)}};
  // Short rows have many partners of nearly their length, so that little padding is needed to fill a run.
  const std::size_t step = rows_alone_ ? 1 : row.length() <= 32 ? 2 : row.length() <= 128 ? 4 : 8;
  const std::size_t length = (row.length() + step - 1) / step * step;
  return {{static_cast<std::int64_t>(length)}};
}

std::vector<BatchKey> TextModel::keys(std::span<const Encoding> rows) const {
  std::vector<BatchKey> keys;
  keys.reserve(rows.size());
  for (const Encoding& row : rows) keys.push_back(key(row));
  return keys;
}

std::size_t TextModel::rows_at_once(const BatchKey& key) const {
  if (rows_alone_ || key.sizes.empty()) return 1;  // an input without rows has an empty key
  if (fixed_rows_ != 0) return fixed_rows_;
  constexpr std::int64_t kTokens = 256;
  return static_cast<std::size_t>(std::max<std::int64_t>(kTokens / std::max<std::int64_t>(key.sizes.front(), 1), 1));
}

ServingOptions TextModel::serving_options(const CompileOptions& compile, const LoadOptions& load) const {
  // Measured: rows side by side on one core each are faster than one row after the other on all cores.
  const std::size_t workers = load.threads > 0 ? static_cast<std::size_t>(load.threads) : available_cores();
  return {.batch_size = static_cast<std::size_t>(compile.batch_size), .workers = workers, .rows_in_flight = 2048};
}

void TextModel::check_output(std::string_view output, OutputKind kind) const { check_output(output, rank_of(kind)); }

void TextModel::check_output(std::string_view output, std::size_t rank) const {
  const ValueInfo* info = signature().find_output(output);
  const bool is_float = info != nullptr && (info->dtype == DType::Float32 || info->dtype == DType::Float16);
  if (is_float && info->dims.size() == rank) return;
  fail(ErrorCode::Unsupported,
       "{}: has no output \"{}\" of floats with {} dimensions; its outputs are {}: is this a model for another task?",
       file(), output, rank, signature().described_outputs());
}

std::size_t TextModel::padded_to(Rows<Encoding> rows) const {
  std::size_t length = padded_length_;
  if (length == 0) {
    for (const Encoding* row : rows) length = std::max(length, row->length());
  }
  return length;
}

std::vector<Tensor> TextModel::run_padded(Rows<Encoding> rows, std::span<const std::string> outputs,
                                          const FillOther& fill_other) const {
  const std::size_t length = padded_to(rows);
  const std::size_t row_count = std::max(rows.size(), fixed_rows_);
  std::vector<Tensor> tensors;
  tensors.reserve(signature().inputs.size());
  std::vector<Session::Feed> feeds;
  for (const ValueInfo& input : signature().inputs) {
    if (is_cache(input.name)) {
      tensors.push_back(empty_cache(input, row_count));
    } else if (const InputRule* rule = find_rule(input.name); rule == nullptr) {
      tensors.push_back(fill_other(input, row_count, length));
    } else {
      const Fill fill = rule->fill;
      tensors.push_back(input.dtype == DType::Int32 ? filled<std::int32_t>(fill, rows, length, row_count, pad_id_)
                                                    : filled<std::int64_t>(fill, rows, length, row_count, pad_id_));
    }
    feeds.push_back({.name = input.name.c_str(), .tensor = &tensors.back()});
  }
  std::vector<Tensor> results = session_->run(feeds, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Tensor& result = results[i];
    if (result.dtype() == DType::Float16) result = to_float32(result);
    const Shape& shape = result.shape();
    if (shape.empty() || result.size() == 0 || shape.front() != static_cast<std::int64_t>(row_count)) {
      fail(ErrorCode::InvalidModel, "{}: output {} has the shape {} for {} rows of {} tokens", file(), outputs[i],
           printed(shape), row_count, length);
    }
  }
  return results;
}

std::vector<OutputRow> TextModel::run(Rows<Encoding> rows, const std::string& output, OutputKind kind) const {
  return std::move(run(rows, {&output, 1}, kind).front());
}

std::vector<std::vector<OutputRow>> TextModel::run(Rows<Encoding> rows, std::span<const std::string> outputs,
                                                   OutputKind kind) const {
  const auto length = static_cast<std::int64_t>(padded_to(rows));
  std::vector<Tensor> results = run_padded(rows, outputs, {});
  std::vector<std::vector<OutputRow>> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = results[i].shape();
    if (shape.size() != rank_of(kind) || (kind != OutputKind::Vectors && shape[1] != length)) {
      fail(ErrorCode::InvalidModel, "{}: output {} has the shape {} for rows of {} tokens", file(), outputs[i],
           printed(shape), length);
    }
    const auto shared = std::make_shared<const Tensor>(std::move(results[i]));
    std::vector<OutputRow>& own = all.emplace_back();
    own.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) own.push_back({shared, row});
  }
  return all;
}

}  // namespace transmuter
