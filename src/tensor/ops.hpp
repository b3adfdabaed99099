#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace transmuter {

/// In place; the largest value is subtracted first, so that nothing overflows. Sums in double.
void softmax(std::span<float> values);

void sigmoid(std::span<float> values);

/// In place: divides by max(L2 norm, epsilon). Parity: torch.nn.functional.normalize.
void l2_normalize(std::span<float> values, float epsilon = 1e-12F);

/// The indices of the `k` largest values, the largest first; equal values keep their order. k of 0 is all.
std::vector<std::size_t> top_k(std::span<const float> values, std::size_t k);

}  // namespace transmuter
