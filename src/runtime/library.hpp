#pragma once

#include <string>

namespace transmuter {

/// Opens the ONNX Runtime library, once a process, before any object of it is made. Tried in order: the path in
/// ONNXRUNTIME_LIB, beside the program or the library that holds this code, ../lib of that place, the path that was
/// found at build time, the loader's own search.
/// Returns the release, as in "1.32.0". Throws Unavailable with every place that was tried and why it failed.
const std::string& onnxruntime_version();

}  // namespace transmuter
