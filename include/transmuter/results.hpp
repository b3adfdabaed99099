#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
