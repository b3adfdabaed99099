#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace transmuter {

/// A row-major tensor of floats that belongs to its holder, such as an embedding.
struct FloatTensor {
  std::vector<std::int64_t> shape = {};
  std::vector<float> values = {};
};

/// What the offsets in a text count: bytes of its UTF-8, or Unicode code points, as Python's offsets do.
enum class OffsetUnit { Bytes, CodePoints };

constexpr auto names(OffsetUnit) {
  return std::to_array<std::pair<std::string_view, OffsetUnit>>({
      {"byte", OffsetUnit::Bytes},
      {"codepoint", OffsetUnit::CodePoints},
  });
}

/// A label with its score.
struct Prediction {
  std::string label = {};
  float score = 0;
};

template <class Visit>
void describe(Prediction& r, Visit&& field) {
  field("label", r.label, "A label of the model (id2label).");
  field("score", r.score, "Its probability, or its logit for regression.");
}

/// The labels of one input, the highest score first.
struct Classification {
  std::vector<Prediction> predictions = {};
};

template <class Visit>
void describe(Classification& r, Visit&& field) {
  field("predictions", r.predictions, "The labels by score, the highest first.");
}

/// The embedding of one input: [dimensions], or [tokens, dimensions] without pooling.
struct Embedding {
  FloatTensor embedding = {};
};

template <class Visit>
void describe(Embedding& r, Visit&& field) {
  field("embedding", r.embedding, "The embedding, [dimensions]; [tokens, dimensions] when output_pool is none.");
}

/// A part of a text with a label.
struct Entity {
  std::string label = {};
  std::string phrase = {};
  std::size_t start = 0;
  std::size_t end = 0;
  float score = 0;
};

template <class Visit>
void describe(Entity& r, Visit&& field) {
  field("label", r.label, "The label.");
  field("phrase", r.phrase, "The words as the model sees them; the part of the text lies between start and end.");
  field("start", r.start, "Where it begins in the text, in the unit that offset_unit names.");
  field("end", r.end, "Where it ends; not part of it.");
  field("score", r.score, "The probability of the label.");
}

/// The entities of one text, in the order of the text.
struct Entities {
  std::vector<Entity> entities = {};
};

template <class Visit>
void describe(Entities& r, Visit&& field) {
  field("entities", r.entities, "The entities, in the order of the text.");
}

}  // namespace transmuter
#pragma GCC visibility pop
