#include "runtime/signature.hpp"

#include <algorithm>

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
std::string Signature::output_names() const { return joined(outputs); }

}  // namespace transmuter
