#include "cli/results.hpp"

#include <fmt/format.h>

#include "tensor/npy.hpp"

namespace transmuter::cli {
namespace {

/// Writes the tensors of input number `index` into a folder; the result names the file.
class NpyWriter final : public TensorWriter {
 public:
  NpyWriter(std::string folder, std::size_t index) : folder_(std::move(folder)), index_(index) {}

  Json write(std::string_view field, const FloatTensor& tensor) const override {
    const std::string path = fmt::format("{}/{}-{}.npy", folder_, index_, field);
    write_npy(path, tensor);
    const std::vector<Json> shape(tensor.shape.begin(), tensor.shape.end());
    return Json::object({{"npy", path}, {"shape", Json::array(shape)}, {"dtype", "float32"}});
  }

 private:
  std::string folder_;
  std::size_t index_;
};

}  // namespace

Json json_of(const AnyResult& result, std::size_t index, const std::string& folder) {
  return folder.empty() ? result.json(TensorWriter()) : result.json(NpyWriter(folder, index));
}

}  // namespace transmuter::cli
