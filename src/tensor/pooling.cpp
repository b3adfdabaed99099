#include "tensor/pooling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace transmuter {
namespace {

// The sum of the tokens from `begin` on, each times weight(position).
template <class Weight>
std::vector<float> weighted_sum(const TokenEmbeddings& embeddings, std::size_t begin, Weight weight) {
  std::vector<float> sum(embeddings.dimensions, 0.0F);
  for (std::size_t i = begin; i < embeddings.tokens; ++i) {
    const auto token = embeddings.token(i);
    const float factor = weight(i);
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += factor * token[d];
  }
  return sum;
}

void divide(std::vector<float>& values, float divisor) {
  for (float& value : values) value /= std::max(divisor, 1e-9F);
}

std::vector<float> pool_one(const TokenEmbeddings& embeddings, PoolingMode mode, std::size_t begin) {
  const bool none_left = begin >= embeddings.tokens;
  const auto count = none_left ? 0.0F : static_cast<float>(embeddings.tokens - begin);
  const auto one = [](std::size_t) { return 1.0F; };
  switch (mode) {
    case PoolingMode::Cls: {
      const auto token = embeddings.token(none_left ? 0 : begin);
      return {token.begin(), token.end()};
    }
    case PoolingMode::LastToken: {
      if (none_left) return std::vector<float>(embeddings.dimensions, 0.0F);
      const auto token = embeddings.token(embeddings.tokens - 1);
      return {token.begin(), token.end()};
    }
    case PoolingMode::Max: {
      std::vector<float> largest(embeddings.dimensions, -std::numeric_limits<float>::infinity());
      for (std::size_t i = begin; i < embeddings.tokens; ++i) {
        const auto token = embeddings.token(i);
        for (std::size_t d = 0; d < largest.size(); ++d) largest[d] = std::max(largest[d], token[d]);
      }
      return largest;
    }
    case PoolingMode::Mean:
    case PoolingMode::MeanSqrtLen: {
      auto sum = weighted_sum(embeddings, begin, one);
      divide(sum, mode == PoolingMode::Mean ? count : std::sqrt(count));
      return sum;
    }
    case PoolingMode::WeightedMean: {
      const auto position = [](std::size_t i) { return static_cast<float>(i + 1); };
      auto sum = weighted_sum(embeddings, begin, position);
      float weights = 0;
      for (std::size_t i = begin; i < embeddings.tokens; ++i) weights += position(i);
      divide(sum, weights);
      return sum;
    }
  }
  fail(ErrorCode::Internal, "no pooling mode {}", static_cast<int>(mode));
}

}  // namespace

std::vector<float> pool(const TokenEmbeddings& embeddings, std::span<const PoolingMode> modes, std::size_t begin) {
  std::vector<float> all;
  for (const PoolingMode mode : modes) {
    const auto one = pool_one(embeddings, mode, begin);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace transmuter
