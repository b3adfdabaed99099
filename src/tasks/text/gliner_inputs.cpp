#include "tasks/text/gliner_inputs.hpp"

#include <algorithm>

namespace transmuter {
namespace {

constexpr OtherInput kInputs[] = {{"words_mask", DType::Int64},
                                  {"text_lengths", DType::Int64},
                                  {"span_idx", DType::Int64},
                                  {"span_mask", DType::Bool}};

struct Padded {
  std::span<const GlinerRow* const> rows;
  std::size_t row_count;
  std::size_t length;
  std::size_t words;
  std::size_t max_width;

  // A graph with a fixed number of rows gets copies of the last one.
  const GlinerRow& row(std::size_t index) const { return *rows[std::min(index, rows.size() - 1)]; }
};

template <class T>
Tensor zeros(const Padded& run, std::initializer_list<std::size_t> dims) {
  Shape shape{static_cast<std::int64_t>(run.row_count)};
  for (const std::size_t dim : dims) shape.push_back(static_cast<std::int64_t>(dim));
  return {detail::dtype_of<T>(), std::move(shape)};
}

Tensor words_masks(const Padded& run) {
  Tensor tensor = zeros<std::int64_t>(run, {run.length});
  for (std::size_t r = 0; r < run.row_count; ++r) {
    std::ranges::copy(run.row(r).words_mask, tensor.view<std::int64_t>().subspan(r * run.length).begin());
  }
  return tensor;
}

Tensor text_lengths(const Padded& run) {
  Tensor tensor = zeros<std::int64_t>(run, {1});
  for (std::size_t r = 0; r < run.row_count; ++r) {
    tensor.view<std::int64_t>()[r] = static_cast<std::int64_t>(run.row(r).words.size());
  }
  return tensor;
}

// Spans of each width from each word of the row, also past its end; [0, 0] after its last word.
Tensor span_indices(const Padded& run) {
  Tensor tensor = zeros<std::int64_t>(run, {run.words * run.max_width, 2});
  for (std::size_t r = 0; r < run.row_count; ++r) {
    auto value = tensor.view<std::int64_t>().subspan(r * run.words * run.max_width * 2).begin();
    for (std::size_t first = 0; first < run.row(r).words.size(); ++first) {
      for (std::size_t width = 0; width < run.max_width; ++width) {
        *value++ = static_cast<std::int64_t>(first);
        *value++ = static_cast<std::int64_t>(first + width);
      }
    }
  }
  return tensor;
}

Tensor span_masks(const Padded& run) {
  Tensor tensor = zeros<bool>(run, {run.words * run.max_width});
  for (std::size_t r = 0; r < run.row_count; ++r) {
    const auto mask = tensor.view<bool>().subspan(r * run.words * run.max_width);
    const std::size_t words = run.row(r).words.size();
    for (std::size_t first = 0; first < words; ++first) {
      for (std::size_t width = 0; width < std::min(run.max_width, words - first); ++width) {
        mask[first * run.max_width + width] = true;
      }
    }
  }
  return tensor;
}

}  // namespace

std::span<const OtherInput> gliner_inputs() { return kInputs; }

bool is_gliner(const Signature& signature) {
  return is_text_encoder(signature, kInputs) && signature.find_input("words_mask") != nullptr;
}

std::size_t most_words(std::span<const GlinerRow* const> rows) {
  std::size_t most = 0;
  for (const GlinerRow* row : rows) most = std::max(most, row->words.size());
  return most;
}

Tensor fill_gliner_input(std::string_view name, std::span<const GlinerRow* const> rows, std::size_t row_count,
                         std::size_t length, std::size_t max_width) {
  const Padded run{rows, row_count, length, most_words(rows), max_width};
  if (name == "words_mask") return words_masks(run);
  if (name == "text_lengths") return text_lengths(run);
  if (name == "span_idx") return span_indices(run);
  if (name == "span_mask") return span_masks(run);
  fail(ErrorCode::Internal, "no rule for the input {}", name);
}

}  // namespace transmuter
