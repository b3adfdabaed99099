#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repository/repository.hpp"

namespace transmuter {

/// One ONNX file of a repository and the variant that it is.
struct ModelFile {
  std::string path;     ///< "onnx/model_q4.onnx"
  std::string variant;  ///< "q4"
};

/// The variants of an ONNX file that a repository has: `stem` is its name without folder, suffix and ".onnx".
std::vector<ModelFile> variants_of(const Repository& repository, std::string_view stem);

/// Chooses the file: the `variant` option, transformers.js_config.dtype of config.json, the task's default, fp32, then
/// the first of the others. Throws NotFound with what there is.
ModelFile choose_model_file(const Repository& repository, std::string_view stem, const Variant& variant,
                            std::string_view task_default = "fp32");

}  // namespace transmuter
