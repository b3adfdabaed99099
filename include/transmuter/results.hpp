#pragma once

#include <array>
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

/// What positions in a text count.
enum class OffsetUnit { Bytes, CodePoints };

constexpr auto names(OffsetUnit) {
  return std::to_array<std::pair<std::string_view, OffsetUnit>>({
      {"byte", OffsetUnit::Bytes},
      {"codepoint", OffsetUnit::CodePoints},
  });
}

/// A part of a text that a model has found.
struct Entity {
  std::string label = {};
  std::string phrase = {};
  std::int64_t start = 0;
  std::int64_t end = 0;
  float score = 0;
};

template <class Visit>
void describe(Entity& r, Visit&& field) {
  field("label", r.label, "What the part is.");
  field("phrase", r.phrase, "The part itself.");
  field("start", r.start, "Where it begins in the text, in bytes or code points (offset_unit).");
  field("end", r.end, "Where it ends (excluded).");
  field("score", r.score, "Its probability.");
}

/// The entities of one text, in their order in it.
struct Entities {
  std::vector<Entity> entities = {};
};

template <class Visit>
void describe(Entities& r, Visit&& field) {
  field("entities", r.entities, "The entities, in their order in the text.");
}

/// The embedding of one input: [dimensions], or [tokens, dimensions] without pooling.
struct Embedding {
  FloatTensor embedding = {};
};

template <class Visit>
void describe(Embedding& r, Visit&& field) {
  field("embedding", r.embedding, "The embedding, [dimensions]; [tokens, dimensions] when output_pool is none.");
}

}  // namespace transmuter
#pragma GCC visibility pop
