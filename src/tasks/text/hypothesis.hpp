#pragma once

#include <string>
#include <string_view>

namespace transmuter {

/// `hypothesis_template` with `label` where {} or {0} stands; {{ and }} are braces. Throws InvalidInput for what
/// Python refuses, and for conversions and format specifications other than !s and :s, which labels do not need.
/// Parity: Python 3.11 str.format with one text.
std::string format_hypothesis(std::string_view hypothesis_template, std::string_view label);

}  // namespace transmuter
