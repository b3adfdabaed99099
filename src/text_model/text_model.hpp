#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repository/repository.hpp"
#include "runtime/session.hpp"
#include "serving/program.hpp"
#include "tokenizer/tokenizer.hpp"
#include "transmuter/source.hpp"

namespace transmuter {

/// The tokenizer of a repository. Throws NotFound, InvalidModel.
Tokenizer open_tokenizer(const Repository& repository, const TokenizerOptions& options);

/// An input that no text fills, but the task.
struct OtherInput {
  std::string_view name;
  DType dtype;
};

/// Whether a text can fill all inputs of a graph, but for `others`.
bool is_text_encoder(const Signature& signature);
bool is_text_encoder(const Signature& signature, std::span<const OtherInput> others);

/// How a task wants its model opened.
struct TextModelSettings {
  std::string_view task_default = "fp32";           ///< The variant when neither the user nor the repository says.
  std::optional<std::int64_t> max_seq_length = {};  ///< Of sentence-transformers; takes the place of the tokenizer's.
  bool lower_case = false;
  std::span<const OtherInput> other_inputs = {};  ///< Of static storage.
};

/// The encodings of a task's rows, as TextModel::run takes them.
template <class Row>
std::vector<const Encoding*> encodings_of(Rows<Row> rows, Encoding Row::* encoding) {
  std::vector<const Encoding*> encodings;
  encodings.reserve(rows.size());
  for (const Row* row : rows) encodings.push_back(&(row->*encoding));
  return encodings;
}

/// A row of an output tensor that the rows of a batch share.
struct OutputRow {
  std::shared_ptr<const Tensor> tensor;
  std::size_t row = 0;

  /// The values of this row: all that follows the first dimension. Throws InvalidModel unless all are finite.
  std::span<const float> values() const;
  /// The first `count` of them, where the rest is padding. Throws Internal when there are fewer.
  std::span<const float> values(std::size_t count) const;
  /// The values of one token; the others are not looked at.
  std::span<const float> token(std::size_t position) const;
};

/// What the rows of an output are: one vector, one for each token, or one number for each token.
enum class OutputKind { Vectors, TokenVectors, TokenValues };

/// A tokenizer and an encoder graph: what the encoder tasks for text share.
class TextModel {
 public:
  /// Throws NotFound, InvalidModel, Unsupported (inputs that no text fills), InvalidInput (an option).
  static TextModel open(const Repository& repository, const CompileOptions& compile, const LoadOptions& load,
                        const TextModelSettings& settings);

  const Tokenizer& tokenizer() const { return tokenizer_; }
  const Signature& signature() const { return session_->signature(); }
  const std::string& file() const { return session_->path(); }
  std::size_t max_length() const { return max_length_; }

  /// The row of a text or a pair, cut at max_length(). Throws InvalidInput for a text without any token,
  /// InvalidModel for one with a token that the model does not have.
  Encoding encode(const TextInput& text, const std::optional<std::string>& pair = std::nullopt) const;

  /// As encode(), but with all of a text that is longer than max_length(), in rows that share `stride` tokens; of a
  /// pair, `truncation` says which text. Throws what Tokenizer::windows throws, too.
  std::vector<Encoding> windows(std::string_view text, std::optional<std::string_view> pair, std::size_t stride,
                                TruncationStrategy truncation) const;

  /// The row of `text` and each of `pairs`. They hold only what run() reads, since there may be thousands.
  /// Throws InvalidInput when a row stays longer than the model takes, as OnlyFirstOrNone allows; else as encode().
  std::vector<Encoding> encode_pairs(std::string_view text, std::span<const std::string> pairs,
                                     TruncationStrategy truncation) const;

  /// Rows of one key may share a run. Short rows of nearly one length do: the padding is masked. Rows of a graph that
  /// quantizes whole activations run alone, since a neighbour would change the scale.
  BatchKey key(const Encoding& row) const;
  /// The key of each row.
  std::vector<BatchKey> keys(std::span<const Encoding> rows) const;
  std::size_t rows_at_once(const BatchKey& key) const;

  /// Throws Unsupported unless the graph has this output, with numbers and of this kind.
  void check_output(std::string_view output, OutputKind kind) const;
  void check_output(std::string_view output, std::size_t rank) const;

  /// Runs the rows, padded to the longest, and gives one output row by row: float32, [rows, n], [rows, length, n] or
  /// [rows, length]. Throws Backend; InvalidModel when the output has another shape.
  std::vector<OutputRow> run(Rows<Encoding> rows, const std::string& output, OutputKind kind) const;
  /// The same for several outputs of one kind: a list for each.
  std::vector<std::vector<OutputRow>> run(Rows<Encoding> rows, std::span<const std::string> outputs,
                                          OutputKind kind) const;

  /// Makes the value of one of the other inputs for a run of `row_count` rows, padded to `length` tokens. A graph with
  /// a fixed number of rows has more of them than were given; what those hold does not matter.
  using FillOther = std::function<Tensor(const ValueInfo& input, std::size_t row_count, std::size_t length)>;

  /// As run(), for graphs with other inputs, and for outputs of other kinds: float32, [rows, ...] of any shape.
  std::vector<Tensor> run_padded(Rows<Encoding> rows, std::span<const std::string> outputs,
                                 const FillOther& fill_other) const;

  /// How a serving runs rows of this model: each worker a run of its own on one core.
  ServingOptions serving_options(const CompileOptions& compile, const LoadOptions& load) const;

 private:
  TextModel(Tokenizer tokenizer, std::shared_ptr<const Session> session)
      : tokenizer_(std::move(tokenizer)), session_(std::move(session)) {}
  void check(const Encoding& row) const;
  std::size_t padded_to(Rows<Encoding> rows) const;

  Tokenizer tokenizer_;
  std::shared_ptr<const Session> session_;
  std::size_t max_length_ = 0;
  std::optional<std::size_t> limit_;  // of the model, where max_length_ may be less
  std::size_t padded_length_ = 0;     // of a graph with a fixed length, else 0
  std::size_t fixed_rows_ = 0;        // of a graph with a fixed number of rows, else 0
  bool rows_alone_ = false;
  std::int64_t pad_id_ = 0;
  std::optional<std::int64_t> vocab_size_;  // of the graph, when the tokenizer has more
};

}  // namespace transmuter
