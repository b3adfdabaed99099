#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace transmuter {

enum class PoolingMode { Cls, Max, Mean, MeanSqrtLen, WeightedMean, LastToken };

/// The embeddings of a text's tokens, [tokens, dimensions], without padding.
struct TokenEmbeddings {
  std::span<const float> values;
  std::size_t tokens;
  std::size_t dimensions;

  std::span<const float> token(std::size_t index) const { return values.subspan(index * dimensions, dimensions); }
};

/// Pools the tokens from `begin` on (a prompt may be left out) by each mode, one after the other into one vector.
/// Parity: sentence-transformers 5.7 Pooling._forward_padded, also where no token is left.
std::vector<float> pool(const TokenEmbeddings& embeddings, std::span<const PoolingMode> modes, std::size_t begin = 0);

}  // namespace transmuter
