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

/// A field that JSON leaves out when there is no value, where an std::optional is null.
template <class T>
struct OptionalField : std::optional<T> {
  using std::optional<T>::optional;
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

/// A document with how well it fits the query.
struct RankedDocument {
  std::int64_t index = 0;
  float score = 0;
  OptionalField<std::string> text = {};
};

template <class Visit>
void describe(RankedDocument& r, Visit&& field) {
  field("index", r.index, "Its place among the documents, from 0.");
  field("score", r.score, "Its score, or its logit with raw_scores.");
  field("text", r.text, "The document itself, with return_documents.");
}

/// The documents of one query, the best first; equal scores keep the order of the documents.
struct Ranking {
  std::vector<RankedDocument> results = {};
};

template <class Visit>
void describe(Ranking& r, Visit&& field) {
  field("results", r.results, "The documents by score, the best first.");
}

/// A token for a mask.
struct FilledToken {
  float score = 0;
  std::string token = {};
  std::int64_t token_id = 0;
  std::string sequence = {};
};

template <class Visit>
void describe(FilledToken& r, Visit&& field) {
  field("score", r.score, "Its probability.");
  field("token", r.token, "Its text, with the leading space where it has one.");
  field("token_id", r.token_id, "Its id.");
  field("sequence", r.sequence, "The whole text with it.");
}

/// The tokens for each mask of one input, the most likely first.
struct FilledMasks {
  std::vector<std::vector<FilledToken>> predictions = {};
};

template <class Visit>
void describe(FilledMasks& r, Visit&& field) {
  if (r.predictions.size() == 1) {
    field("predictions", r.predictions.front(), "The tokens for the mask, the most likely first.");
  } else {
    field("predictions", r.predictions, "The tokens for each mask, the most likely first.");
  }
}

/// The embedding of one input: [dimensions], or [tokens, dimensions] without pooling.
struct Embedding {
  FloatTensor embedding = {};
};

template <class Visit>
void describe(Embedding& r, Visit&& field) {
  field("embedding", r.embedding, "The embedding, [dimensions]; [tokens, dimensions] when output_pool is none.");
}

/// An answer to a question: a part of the context.
struct Answer {
  std::string text = {};
  std::size_t start = 0;
  std::size_t end = 0;
  float score = 0;
};

template <class Visit>
void describe(Answer& r, Visit&& field) {
  field("text", r.text, "The answer, as it stands in the context; empty when the context has none.");
  field("start", r.start, "Where it begins in the context, in the unit that offset_unit names.");
  field("end", r.end, "Where it ends; not part of it.");
  field("score", r.score, "Its probability; the sum of the windows and places where this text is an answer.");
}

/// The answers to one question, the highest score first.
struct Answers {
  std::vector<Answer> results = {};
};

template <class Visit>
void describe(Answers& r, Visit&& field) {
  field("results", r.results, "The answers by score, the highest first.");
}

/// A part of a text with a label.
struct Entity {
  std::string label = {};
  std::string phrase = {};
  std::size_t start = 0;
  std::size_t end = 0;
  float score = 0;
  OptionalField<std::int64_t> index = {};
};

template <class Visit>
void describe(Entity& r, Visit&& field) {
  field("label", r.label, "The label.");
  field("phrase", r.phrase, "The words as the model sees them; the part of the text lies between start and end.");
  field("start", r.start, "Where it begins in the text, in the unit that offset_unit names.");
  field("end", r.end, "Where it ends; not part of it.");
  field("score", r.score, "The probability of the label.");
  field("index", r.index, "The token's place in the row, when each token is an entity.");
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
