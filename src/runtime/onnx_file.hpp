#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace transmuter {

/// An ONNX file taken apart: the graph as a small protobuf message, the large weights as views of the file.
struct OnnxFile {
  std::string skeleton;  ///< A ModelProto whose large initializers say "external data at kInFile".
  std::map<std::string, std::span<const std::byte>> weights;  ///< By the initializer's name.
};

/// The external data location that marks a weight of OnnxFile::weights.
inline constexpr std::string_view kInFile = "*";

/// Reads the wire format itself: protobuf would copy every weight. Throws InvalidModel for what is no ONNX file.
OnnxFile take_apart(std::span<const std::byte> file);

}  // namespace transmuter
