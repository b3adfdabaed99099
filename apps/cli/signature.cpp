#include "cli/signature.hpp"

namespace transmuter::cli {

Json json_of(const std::vector<ValueInfo>& values) {
  std::vector<Json> all;
  for (const ValueInfo& value : values) {
    std::vector<Json> dims;
    for (std::size_t i = 0; i < value.dims.size(); ++i) {
      dims.push_back(value.dims[i] >= 0 ? Json(value.dims[i]) : Json(open_dimension(value, i)));
    }
    all.push_back(Json::object({{"name", value.name}, {"type", value.type}, {"shape", Json::array(dims)}}));
  }
  return Json::array(all);
}

}  // namespace transmuter::cli
