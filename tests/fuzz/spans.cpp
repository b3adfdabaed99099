// From logits and tokens of any kind to answers and entities.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "tasks/text/answer_spans.hpp"
#include "tasks/text/entity_groups.hpp"

namespace {

/// Values from the bytes of the input; zeros when they are used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : byte() % limit; }
  float number() { return static_cast<float>(static_cast<int>(byte()) - 128) / 8; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

void answer(Bytes& bytes) {
  const std::string question = "日本 or Überlingen?";
  const std::string context = "é日😀 a context İ";
  const std::size_t length = bytes.below(24);
  transmuter::Encoding row;
  std::vector<float> starts;
  std::vector<float> ends;
  for (std::size_t i = 0; i < length; ++i) {
    const auto sequence = static_cast<std::int32_t>(bytes.below(3)) - 1;
    const std::string& text = sequence == 0 ? question : context;
    // As a tokenizer gives them: between letters of their own text.
    const auto place = [&] {
      return transmuter::first_code_points(text, bytes.below(transmuter::code_points(text) + 1)).size();
    };
    row.ids.push_back(bytes.byte());
    row.offsets.push_back({place(), place()});
    row.word_ids.push_back(static_cast<std::int32_t>(bytes.below(8)) - 1);
    row.sequence_ids.push_back(sequence);
    starts.push_back(bytes.number());
    ends.push_back(bytes.number());
  }
  const transmuter::PairLayout layout{.question_first = bytes.below(2) == 0, .cls_id = 3, .pad_id = bytes.byte()};
  const bool align_to_words = bytes.below(2) == 0;
  const transmuter::SpanLimits limits{.max_tokens = bytes.below(9) + 1, .count = bytes.below(40) + 1};
  // A row of the context first has its context in sequence 0; offsets must lie in it either way.
  if (!layout.question_first) {
    for (std::int32_t& sequence : row.sequence_ids) sequence = sequence < 0 ? -1 : 1 - sequence;
  }
  const auto answers = transmuter::answer_spans(starts, ends, transmuter::allowed_tokens(row, layout), limits);
  transmuter::AnswerSums sums(context);
  for (const auto& span : answers.spans) {
    sums.add(transmuter::context_range(row, span, layout, align_to_words, question, context), span.score);
  }
  for (const auto& sum : sums.take()) {
    if (sum.range.start > context.size() || sum.range.end > context.size()) __builtin_trap();
  }
}

void tag(Bytes& bytes) {
  const std::string text = "é日😀 a text of some words";
  const std::size_t labels = bytes.below(5) + 1;
  std::vector<transmuter::TokenRole> roles(bytes.below(24));
  std::vector<float> logits;
  for (auto& role : roles) {
    role = static_cast<transmuter::TokenRole>(bytes.below(3));
    for (std::size_t i = 0; i < labels; ++i) logits.push_back(bytes.number());
  }
  std::vector<transmuter::LabelTag> tags;
  for (std::size_t i = 0; i < labels; ++i) {
    tags.push_back(transmuter::label_tag(std::string(bytes.below(2) == 0 ? "B-" : "I-") + (i < 2 ? "PER" : "")));
  }
  const auto aggregation = static_cast<transmuter::Aggregation>(bytes.below(5));
  const auto spans = transmuter::label_tokens(logits, roles, aggregation);
  std::vector<transmuter::Entity> entities;
  for (const auto& group : transmuter::group_spans(spans, tags)) {
    entities.push_back({.start = bytes.below(text.size()), .end = bytes.below(text.size()), .score = group.score});
  }
  (void)transmuter::without_overlaps(std::move(entities), transmuter::CodePointIndex(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.below(2) == 0) {
    answer(bytes);
  } else {
    tag(bytes);
  }
  return 0;
}
