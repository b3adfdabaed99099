#include "tensor/npy.hpp"

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "tensor/tensor.hpp"

namespace transmuter {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY\x01";
constexpr std::size_t kPreamble = 10;  // magic, version, length of the header

std::string header(const FloatTensor& tensor) {
  std::string shape;
  for (const std::int64_t side : tensor.shape) shape += fmt::format("{}, ", side);
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", shape);
  while ((kPreamble + text.size() + 1) % 64 != 0) text += ' ';
  return text + '\n';
}

[[noreturn]] void broken(const std::string& path, std::string_view what) {
  fail(ErrorCode::InvalidInput, "{}: {}; save it with numpy.save as a float32 array in C order", path, what);
}

Shape shape_of(std::string_view text, const std::string& path) {
  const auto open = text.find('(');
  const auto close = text.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) broken(path, "has no shape");
  Shape shape;
  const char* next = text.data() + open + 1;
  const char* end = text.data() + close;
  while (next < end) {
    if (*next == ',' || *next == ' ') {
      ++next;
      continue;
    }
    std::int64_t side = 0;
    const auto [after, error] = std::from_chars(next, end, side);
    if (error != std::errc() || side < 0) broken(path, "has an impossible shape");
    shape.push_back(side);
    next = after;
  }
  return shape;
}

}  // namespace

void write_npy(const std::string& path, const FloatTensor& tensor) {
  const std::string text = header(tensor);
  const std::string temporary = path + ".part";
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << kMagic << '\0' << static_cast<char>(text.size() & 0xFFU) << static_cast<char>(text.size() >> 8U) << text;
    file.write(reinterpret_cast<const char*>(tensor.values.data()),
               static_cast<std::streamsize>(tensor.values.size() * sizeof(float)));
    file.flush();
    if (!file) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      fail(ErrorCode::Unavailable, "{}: cannot be written: is the disk full, or the folder read-only?", path);
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) fail(ErrorCode::Unavailable, "{}: cannot be written: {}", path, error.message());
}

FloatTensor read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(ErrorCode::NotFound, "{}: cannot be read", path);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < kPreamble || !bytes.starts_with(kMagic)) broken(path, "is no .npy file of format 1.0");
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[8])) |
                      (static_cast<std::size_t>(static_cast<unsigned char>(bytes[9])) << 8U);
  if (bytes.size() < kPreamble + length) broken(path, "is cut short");
  const std::string_view text = std::string_view(bytes).substr(kPreamble, length);
  if (text.find("'<f4'") == std::string_view::npos || text.find("'fortran_order': False") == std::string_view::npos) {
    broken(path, "is not float32 in C order");
  }
  FloatTensor tensor;
  tensor.shape = shape_of(text, path);
  const std::size_t data = bytes.size() - kPreamble - length;
  if (static_cast<std::size_t>(element_count(tensor.shape)) * sizeof(float) != data)
    broken(path, "has another size than its shape");
  tensor.values.resize(data / sizeof(float));
  if (data != 0) std::memcpy(tensor.values.data(), bytes.data() + kPreamble + length, data);
  return tensor;
}

}  // namespace transmuter
