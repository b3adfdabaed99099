#include "repository/activation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace transmuter {
namespace {

struct NamedActivation {
  std::string_view name;
  Activation activation;
};
constexpr NamedActivation kActivations[] = {
    {"Identity", Activation::Identity}, {"Tanh", Activation::Tanh},       {"ReLU", Activation::Relu},
    {"GELU", Activation::Gelu},         {"Sigmoid", Activation::Sigmoid},
};

}  // namespace

std::optional<Activation> activation_of(const Json& name) {
  const auto path = name.as<std::string>();
  if (!path.starts_with("torch.")) return std::nullopt;
  const auto found = std::ranges::find(kActivations, path.substr(path.rfind('.') + 1), &NamedActivation::name);
  if (found == std::end(kActivations) || !path.starts_with("torch.nn.")) {
    fail(ErrorCode::Unsupported, "{}: {} is not run here", name.path(), path);
  }
  return found->activation;
}

void apply_activation(Activation activation, std::span<float> values) {
  for (float& value : values) {
    switch (activation) {
      case Activation::Identity: break;
      case Activation::Tanh: value = std::tanh(value); break;
      case Activation::Relu: value = std::max(value, 0.0F); break;
      case Activation::Gelu: value = 0.5F * value * (1.0F + std::erf(value * 0.70710678F)); break;
      case Activation::Sigmoid: value = 1.0F / (1.0F + std::exp(-value)); break;
    }
  }
}

}  // namespace transmuter
