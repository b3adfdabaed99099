#include "tensor/ops.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace transmuter {

void softmax(std::span<float> values) {
  if (values.empty()) return;
  const float largest = *std::ranges::max_element(values);
  double sum = 0;
  for (float& value : values) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (float& value : values) value = static_cast<float>(value / sum);
}

void sigmoid(std::span<float> values) {
  for (float& value : values) value = 1.0F / (1.0F + std::exp(-value));
}

void l2_normalize(std::span<float> values, float epsilon) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  const double norm = std::max(std::sqrt(squares), static_cast<double>(epsilon));
  for (float& value : values) value = static_cast<float>(value / norm);
}

std::vector<std::size_t> top_k(std::span<const float> values, std::size_t k) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  if (k != 0 && k < order.size()) order.resize(k);
  return order;
}

}  // namespace transmuter
