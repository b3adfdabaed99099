#include "runtime/device.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnxruntime_cxx_api.h>

#include "base/error.hpp"
#include "runtime/library.hpp"

namespace transmuter {
namespace {

using Append = void (*)(Ort::SessionOptions& options);

void append_cuda(Ort::SessionOptions& options) {
  OrtCUDAProviderOptionsV2* cuda = nullptr;
  Ort::ThrowOnError(Ort::GetApi().CreateCUDAProviderOptions(&cuda));
  const std::unique_ptr<OrtCUDAProviderOptionsV2, void (*)(OrtCUDAProviderOptionsV2*)> owner(
      cuda, Ort::GetApi().ReleaseCUDAProviderOptions);
  options.AppendExecutionProvider_CUDA_V2(*cuda);
}

void append_tensorrt(Ort::SessionOptions& options) {
  OrtTensorRTProviderOptionsV2* tensorrt = nullptr;
  Ort::ThrowOnError(Ort::GetApi().CreateTensorRTProviderOptions(&tensorrt));
  const std::unique_ptr<OrtTensorRTProviderOptionsV2, void (*)(OrtTensorRTProviderOptionsV2*)> owner(
      tensorrt, Ort::GetApi().ReleaseTensorRTProviderOptions);
  options.AppendExecutionProvider_TensorRT_V2(*tensorrt);
  append_cuda(options);  // what TensorRT leaves over
}

struct Backend {
  std::string_view name;
  std::string_view provider;  // as ONNX Runtime lists it
  Append append;
};
constexpr Backend kBackends[] = {
    {"cpu", "CPUExecutionProvider", [](Ort::SessionOptions&) {}},
    {"cuda", "CUDAExecutionProvider", append_cuda},
    {"tensorrt", "TensorrtExecutionProvider", append_tensorrt},
    {"openvino", "OpenVINOExecutionProvider",
     [](Ort::SessionOptions& options) { options.AppendExecutionProvider_OpenVINO_V2({}); }},
    {"webgpu", "WebGpuExecutionProvider",
     [](Ort::SessionOptions& options) { options.AppendExecutionProvider("WebGPU"); }},
    {"coreml", "CoreMLExecutionProvider",
     [](Ort::SessionOptions& options) { options.AppendExecutionProvider("CoreML"); }},
    {"xnnpack", "XnnpackExecutionProvider",
     [](Ort::SessionOptions& options) { options.AppendExecutionProvider("XNNPACK"); }},
};

}  // namespace

std::vector<std::string> available_backends() {
  onnxruntime_version();
  const auto providers = Ort::GetAvailableProviders();
  std::vector<std::string> names;
  for (const Backend& backend : kBackends) {
    if (std::ranges::find(providers, backend.provider) != providers.end()) names.emplace_back(backend.name);
  }
  return names;
}

void check_backend(std::string_view backend) {
  const auto names = available_backends();
  if (std::ranges::find(names, backend) == names.end()) {
    fail(ErrorCode::InvalidInput,
         "backend: this ONNX Runtime ({}) has no \"{}\"; it has {}. Name another library in ONNXRUNTIME_LIB for more",
         onnxruntime_version(), backend, fmt::join(names, ", "));
  }
}

void use_backend(Ort::SessionOptions& options, std::string_view backend) {
  check_backend(backend);
  std::ranges::find(kBackends, backend, &Backend::name)->append(options);
}

}  // namespace transmuter
