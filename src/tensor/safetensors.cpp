#include "tensor/safetensors.hpp"

#include <bit>
#include <cstring>

#include "base/json.hpp"
#include "tensor/float16.hpp"

namespace transmuter {
namespace {

template <class Stored, class Convert>
void read_all(std::string_view bytes, std::span<float> values, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored{};
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = convert(stored);
  }
}

float of_bfloat16(std::uint16_t value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16U); }

struct Stored {
  std::string_view dtype;
  std::size_t size;
  void (*read)(std::string_view, std::span<float>);
};
constexpr Stored kStored[] = {
    {"F32", 4, [](std::string_view b, std::span<float> v) { read_all<float>(b, v, [](float x) { return x; }); }},
    {"F16", 2, [](std::string_view b, std::span<float> v) { read_all<std::uint16_t>(b, v, float_of_half); }},
    {"BF16", 2, [](std::string_view b, std::span<float> v) { read_all<std::uint16_t>(b, v, of_bfloat16); }},
    {"F64", 8,
     [](std::string_view b, std::span<float> v) {
       read_all<double>(b, v, [](double x) { return static_cast<float>(x); });
     }},
};

Tensor read_tensor(const Json& entry, std::string_view data) {
  const auto dtype = entry.get<std::string>("dtype");
  const auto stored = std::ranges::find(kStored, dtype, &Stored::dtype);
  if (stored == std::end(kStored)) entry.fail_here(fmt::format("dtype {} is not read here", dtype));
  Shape shape = entry.get<std::vector<std::int64_t>>("shape");
  const auto offsets = entry.get<std::vector<std::int64_t>>("data_offsets");
  if (offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0] ||
      static_cast<std::uint64_t>(offsets[1]) > data.size()) {
    entry.fail_here("data_offsets lie outside the file: fetch it again");
  }
  const std::string_view bytes =
      data.substr(static_cast<std::size_t>(offsets[0]), static_cast<std::size_t>(offsets[1] - offsets[0]));
  std::size_t count = 1;
  for (const std::int64_t side : shape) {
    if (side < 0 || __builtin_mul_overflow(count, static_cast<std::size_t>(side), &count))
      entry.fail_here("impossible shape");
  }
  if (count > bytes.size() || count * stored->size != bytes.size())
    entry.fail_here("shape and data_offsets contradict each other");
  Tensor tensor(DType::Float32, std::move(shape));
  stored->read(bytes, tensor.view<float>());
  return tensor;
}

}  // namespace

std::map<std::string, Tensor, std::less<>> read_safetensors(std::string_view file, std::string_view name) {
  std::uint64_t header_size = 0;
  if (file.size() < sizeof header_size)
    fail(ErrorCode::InvalidModel, "{}: not a safetensors file: fetch it again", name);
  std::memcpy(&header_size, file.data(), sizeof header_size);  // little-endian, as all machines this runs on
  if (header_size > file.size() - sizeof header_size)
    fail(ErrorCode::InvalidModel, "{}: cut short: fetch it again", name);
  const Json header = Json::parse(file.substr(sizeof header_size, header_size), name);
  const std::string_view data = file.substr(sizeof header_size + header_size);
  std::map<std::string, Tensor, std::less<>> tensors;
  for (const auto& [key, entry] : header.members()) {
    if (key != "__metadata__") tensors.emplace(key, read_tensor(entry, data));
  }
  return tensors;
}

}  // namespace transmuter
