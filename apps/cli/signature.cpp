#include "cli/signature.hpp"

#include <fmt/format.h>

namespace transmuter::cli {
namespace {

std::string open_dimension(const ValueInfo& value, std::size_t axis) {
  return value.symbols[axis].empty() ? "?" : value.symbols[axis];
}

}  // namespace

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

std::string readable(const ValueInfo& value) {
  std::string dims;
  for (std::size_t i = 0; i < value.dims.size(); ++i) {
    dims += (i == 0 ? "" : ", ") + (value.dims[i] >= 0 ? std::to_string(value.dims[i]) : open_dimension(value, i));
  }
  return fmt::format("{}: {} [{}]", value.name, value.type, dims);
}

}  // namespace transmuter::cli
