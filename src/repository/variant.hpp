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

/// One ONNX graph of a repository, in all its files.
struct Model {
  std::string stem;  ///< "model", "encoder_model", "decoder_model_merged"
  std::vector<ModelFile> files;
};

/// All ONNX files of a repository, by graph. A suffix of another exporter is a variant, too: model_O4.onnx is "O4".
std::vector<Model> models_of(const Repository& repository);

/// Where an ONNX file is on disk, after a fetch of it and of the external data files that the graph names.
std::string fetch_model_file(const Repository& repository, const std::string& file);

/// Throws InvalidInput when `variant` names a graph that is none of `used`, which would do nothing.
void check_variant_files(const Variant& variant, std::initializer_list<std::string_view> used);

/// Chooses the file: the `variant` option, transformers.js_config.dtype of config.json, the task's default, fp32, then
/// the first of the others. Throws NotFound with what there is.
ModelFile choose_model_file(const Repository& repository, std::string_view stem, const Variant& variant,
                            std::string_view task_default = "fp32");

}  // namespace transmuter
