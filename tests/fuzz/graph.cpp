// An ONNX file: taken apart, parsed, and changed by every pass.
#include <cstdint>
#include <onnx-ml.pb.h>

#include "base/error.hpp"
#include "runtime/onnx_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto file = transmuter::take_apart(std::as_bytes(std::span(data, size)));
    onnx::ModelProto model;
    (void)model.ParseFromString(file.skeleton);
  } catch (const transmuter::Error&) {
  }
  return 0;
}
