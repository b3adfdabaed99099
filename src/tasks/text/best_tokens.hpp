#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace transmuter {

/// A token of the vocabulary with its probability.
struct TokenScore {
  std::size_t id = 0;
  float score = 0;

  bool operator==(const TokenScore&) const = default;
};

/// The `count` most likely tokens under a softmax over all `logits`, the best first; equal ones by id. With `targets`
/// only those compete, but the softmax stays that of the whole vocabulary. Targets must be ids, each once.
/// Parity: transformers 4.57 FillMaskPipeline.postprocess.
std::vector<TokenScore> best_tokens(std::span<const float> logits, std::size_t count,
                                    std::span<const std::size_t> targets = {});

}  // namespace transmuter
