#include "repository/labels.hpp"

#include <charconv>

#include "tensor/ops.hpp"

namespace transmuter {

Labels Labels::from_config(const Json& config) {
  Labels labels;
  const auto named = config.find("id2label");
  if (!named) {
    labels.names_.resize(config.get_or<std::size_t>("num_labels", 2));
    for (std::size_t i = 0; i < labels.names_.size(); ++i) labels.names_[i] = fmt::format("LABEL_{}", i);
    return labels;
  }
  constexpr std::size_t kMost = 1'000'000;  // an index beyond it is a broken file, not a label
  for (const auto& [key, value] : named->members()) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error != std::errc() || end != key.data() + key.size() || index >= kMost)
      value.fail_here("the key must be the index of a label");
    if (index >= labels.names_.size()) labels.names_.resize(index + 1);
    labels.names_[index] = value.is_string() ? value.as<std::string>() : value.dump();
  }
  return labels;
}

std::string Labels::name(std::size_t index) const {
  return index < names_.size() && !names_[index].empty() ? names_[index] : fmt::format("LABEL_{}", index);
}

FunctionToApply score_rule(const Json& config, const Labels& labels) {
  const auto problem = config.get_or<std::string>("problem_type", "");
  if (problem == "regression") return FunctionToApply::None;
  if (problem == "multi_label_classification" || labels.size() == 1) return FunctionToApply::Sigmoid;
  return FunctionToApply::Softmax;
}

void apply_function(FunctionToApply rule, std::span<float> logits) {
  switch (rule) {
    case FunctionToApply::Sigmoid: return sigmoid(logits);
    case FunctionToApply::Softmax: return softmax(logits);
    case FunctionToApply::None: return;
  }
  fail(ErrorCode::Internal, "no score rule {}", static_cast<int>(rule));
}

std::vector<Prediction> top_predictions(std::span<const float> scores, const Labels& labels, std::size_t top_k) {
  std::vector<Prediction> predictions;
  for (const std::size_t index : transmuter::top_k(scores, top_k))
    predictions.push_back({labels.name(index), scores[index]});
  return predictions;
}

}  // namespace transmuter
