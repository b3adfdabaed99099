#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace Ort {
struct SessionOptions;
}

namespace transmuter {

/// The names of the `backend` option that this build of ONNX Runtime can serve; "cpu" is always one.
std::vector<std::string> available_backends();

/// Throws InvalidInput, with the backends that are there, for any other name.
void check_backend(std::string_view backend);

/// Makes sessions run on a backend. Throws as check_backend.
void use_backend(Ort::SessionOptions& options, std::string_view backend);

}  // namespace transmuter
