#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"

namespace transmuter {

/// An input or output of a graph. A dimension that the graph leaves open is -1, and `symbols` has its name or nothing.
struct ValueInfo {
  std::string name;
  std::optional<DType> dtype;  ///< Nothing for what is no tensor, or one of a type that is not used here.
  std::string type;            ///< As ONNX names it, for people: "float32", "string", ...
  Shape dims;
  std::vector<std::string> symbols;
};

/// The inputs and outputs of a graph, in its order.
struct Signature {
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;

  const ValueInfo* find_input(std::string_view name) const;
  const ValueInfo* find_output(std::string_view name) const;
  std::string input_names() const;        ///< "input_ids, attention_mask", for errors.
  std::string described_outputs() const;  ///< "logits: float32 [batch_size, 2]"
};

/// The name of a dimension that the graph leaves open, or "?".
std::string open_dimension(const ValueInfo& value, std::size_t axis);
/// "input_ids: int64 [batch_size, 128]"
std::string described(const ValueInfo& value);

}  // namespace transmuter
