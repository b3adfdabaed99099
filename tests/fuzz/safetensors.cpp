// The weights of a dense layer.
#include "tensor/safetensors.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)transmuter::read_safetensors({reinterpret_cast<const char*>(data), size}, "model.safetensors");
  } catch (const transmuter::Error&) {
  }
  return 0;
}
