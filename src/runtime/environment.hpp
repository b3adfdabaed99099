#pragma once

#include <string>
#include <vector>

namespace Ort {
struct Env;
}

namespace transmuter {

/// The one ONNX Runtime environment of the process: one pool of threads as wide as the cores that the process may use,
/// and one arena, both shared by all sessions.
Ort::Env& environment();

/// The execution providers that this build of ONNX Runtime offers, by the names of the `backend` option ("cpu", ...).
std::vector<std::string> available_backends();

}  // namespace transmuter
