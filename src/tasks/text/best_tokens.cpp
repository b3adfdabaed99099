#include "tasks/text/best_tokens.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace transmuter {

std::vector<TokenScore> best_tokens(std::span<const float> logits, std::size_t count,
                                    std::span<const std::size_t> targets) {
  if (logits.empty()) return {};
  std::vector<std::size_t> ids(targets.begin(), targets.end());
  if (targets.empty()) {
    ids.resize(logits.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
  }
  count = std::min(count, ids.size());
  const auto is_better = [&](std::size_t a, std::size_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  std::ranges::partial_sort(ids, ids.begin() + static_cast<std::ptrdiff_t>(count), is_better);
  const float largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  std::vector<TokenScore> best;
  best.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    best.push_back({.id = ids[i], .score = static_cast<float>(std::exp(logits[ids[i]] - largest) / sum)});
  }
  return best;
}

}  // namespace transmuter
