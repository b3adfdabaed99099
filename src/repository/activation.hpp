#pragma once

#include <optional>
#include <span>

#include "base/json.hpp"

namespace transmuter {

/// A module of torch that sentence-transformers files name.
enum class Activation { Identity, Tanh, Relu, Gelu, Sigmoid };

/// The activation that a file names: "torch.nn.modules.activation.Tanh", or as short as "torch.nn.Tanh". Nothing for a
/// name outside torch, which is not trusted there either. Throws Unsupported for one of torch that is not run here.
/// Parity: sentence-transformers 5.7 Dense.load, CrossEncoder._resolve_activation_fn.
std::optional<Activation> activation_of(const Json& name);

/// In place.
void apply_activation(Activation activation, std::span<float> values);

}  // namespace transmuter
