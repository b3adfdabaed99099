#pragma once

namespace Ort {
struct Env;
}

namespace transmuter {

/// The one ONNX Runtime environment of the process: one pool of threads as wide as the cores that the process may use,
/// and one arena, both shared by all sessions.
Ort::Env& environment();

}  // namespace transmuter
