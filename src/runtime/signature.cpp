#include "runtime/signature.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace transmuter {
namespace {

const ValueInfo* find(const std::vector<ValueInfo>& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &ValueInfo::name);
  return found == values.end() ? nullptr : &*found;
}

std::string joined(const std::vector<ValueInfo>& values) {
  std::string all;
  for (const ValueInfo& value : values) all += (all.empty() ? "" : ", ") + value.name;
  return all;
}

}  // namespace

const ValueInfo* Signature::find_input(std::string_view name) const { return find(inputs, name); }
const ValueInfo* Signature::find_output(std::string_view name) const { return find(outputs, name); }
std::string Signature::input_names() const { return joined(inputs); }

std::string Signature::described_outputs() const {
  std::string all;
  for (const ValueInfo& value : outputs) all += (all.empty() ? "" : ", ") + described(value);
  return all;
}

std::string open_dimension(const ValueInfo& value, std::size_t axis) {
  return value.symbols[axis].empty() ? "?" : value.symbols[axis];
}

std::string described(const ValueInfo& value) {
  std::string dims;
  for (std::size_t i = 0; i < value.dims.size(); ++i) {
    dims += (i == 0 ? "" : ", ") + (value.dims[i] >= 0 ? std::to_string(value.dims[i]) : open_dimension(value, i));
  }
  return fmt::format("{}: {} [{}]", value.name, value.type, dims);
}

}  // namespace transmuter
