#pragma once

#include <string>
#include <vector>

#include "runtime/signature.hpp"

namespace transmuter {

/// What an ONNX file says of itself, read without its weights and without ONNX Runtime.
struct GraphHeader {
  Signature signature;
  std::vector<std::string> external_files;  ///< The files beside it that hold its weights, each once.
};

/// Throws NotFound, InvalidModel.
GraphHeader read_graph_header(const std::string& path);

}  // namespace transmuter
