// A hypothesis template and a label, one after the other with a zero byte between them.
#include "tasks/text/hypothesis.hpp"

#include <cstdint>
#include <string_view>

#include "transmuter/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  try {
    (void)transmuter::format_hypothesis(text.substr(0, end),
                                        end == std::string_view::npos ? "label" : text.substr(end + 1));
  } catch (const transmuter::Error&) {
  }
  return 0;
}
