#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "transmuter/results.hpp"
#include "transmuter/text.hpp"

namespace transmuter {

/// The labels of a classifier, by index.
class Labels {
 public:
  /// From id2label of config.json. Parity: transformers 4.57 PretrainedConfig: without it LABEL_0, LABEL_1, ...
  static Labels from_config(const Json& config);

  std::size_t size() const { return names_.size(); }
  /// The name of label `index`; "LABEL_7" for one that the configuration does not name.
  std::string name(std::size_t index) const;

 private:
  std::vector<std::string> names_;
};

/// What the pipeline does with the logits of this model.
/// Parity: transformers 4.57 TextClassificationPipeline.postprocess.
FunctionToApply score_rule(const Json& config, const Labels& labels);

/// Applies `rule` in place.
void apply_function(FunctionToApply rule, std::span<float> logits);

/// The predictions by score, the highest first; top_k of 0 gives all.
std::vector<Prediction> top_predictions(std::span<const float> scores, const Labels& labels, std::size_t top_k);

}  // namespace transmuter
