#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/json.hpp"

namespace transmuter {

/// Which of a model's labels say yes and no; -1 is its last one.
struct NliLabels {
  std::int64_t entailment = -1;
  std::int64_t contradiction = 0;
};

/// The first label of label2id (or else of id2label) that begins with "entail" in any case.
/// Parity: transformers 4.57 ZeroShotClassificationPipeline.entailment_id.
std::optional<std::int64_t> find_entailment(const Json& config);

/// Parity: transformers 4.57 ZeroShotClassificationPipeline.postprocess: contradiction is the first label, or the last
/// one where that is entailment; a model without an entailment label says yes with its last one.
NliLabels nli_labels(const std::optional<std::int64_t>& entailment);

/// What a model says about one hypothesis.
struct NliLogits {
  float entailment = 0;
  float contradiction = 0;
};

/// The scores of several hypotheses about one text: they add up to 1, or, `alone`, each is its own chance against
/// contradiction. Parity: transformers 4.57 ZeroShotClassificationPipeline.postprocess.
std::vector<float> hypothesis_scores(std::span<const NliLogits> logits, bool alone);

}  // namespace transmuter
