#include "tasks/text/nli.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "tensor/ops.hpp"

namespace transmuter {
namespace {

bool begins_with_entail(std::string_view label) {
  constexpr std::string_view kBeginning = "entail";
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
  return label.size() >= kBeginning.size() && std::ranges::equal(label.substr(0, kBeginning.size()), kBeginning, same);
}

}  // namespace

std::optional<std::int64_t> find_entailment(const Json& config) {
  if (const auto ids = config.find("label2id")) {
    for (const auto& [label, id] : ids->members()) {
      if (begins_with_entail(label)) return id.as<std::int64_t>();
    }
    return std::nullopt;
  }
  const auto labels = config.find("id2label");
  for (const auto& [key, label] : labels ? labels->members() : Json::Members()) {
    if (!label.is_string() || !begins_with_entail(label.as<std::string>())) continue;
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size()) label.fail_here("the key must be the index of a label");
    return id;
  }
  return std::nullopt;
}

NliLabels nli_labels(const std::optional<std::int64_t>& entailment) {
  return {.entailment = entailment.value_or(-1), .contradiction = entailment == 0 ? -1 : 0};
}

std::vector<float> hypothesis_scores(std::span<const NliLogits> logits, bool alone) {
  std::vector<float> scores;
  scores.reserve(logits.size());
  if (!alone) {
    for (const NliLogits& one : logits) scores.push_back(one.entailment);
    softmax(scores);
    return scores;
  }
  for (const NliLogits& one : logits) {
    std::array<float, 2> both = {one.contradiction, one.entailment};
    softmax(both);
    scores.push_back(both[1]);
  }
  return scores;
}

}  // namespace transmuter
