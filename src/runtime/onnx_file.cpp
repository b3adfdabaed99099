#include "runtime/onnx_file.hpp"

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "base/file_content.hpp"

namespace transmuter {
namespace {

// Field numbers of onnx-ml.proto.
constexpr std::uint32_t kModelGraph = 7;
constexpr std::uint32_t kGraphInitializer = 5;
constexpr std::uint32_t kTensorName = 8;
constexpr std::uint32_t kTensorRawData = 9;
constexpr std::uint32_t kTensorExternalData = 13;
constexpr std::uint32_t kTensorDataLocation = 14;
constexpr std::uint32_t kEntryKey = 1;
constexpr std::uint32_t kEntryValue = 2;
constexpr std::uint64_t kExternal = 1;

constexpr std::size_t kLarge = 4096;  // smaller ones may be shapes and scalars, which passes and ONNX Runtime read

enum Wire : std::uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

[[noreturn]] void broken() { fail(ErrorCode::InvalidModel, "not an ONNX file, or a damaged one: fetch it again"); }

struct Field {
  std::uint32_t number = 0;
  std::uint32_t wire = 0;
  std::string_view content;  // of a Bytes field
  std::string_view whole;    // with its tag
};

class Reader {
 public:
  explicit Reader(std::string_view message) : rest_(message) {}

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const std::string_view begin = rest_;
    const std::uint64_t tag = varint();
    Field field{.number = static_cast<std::uint32_t>(tag >> 3U),
                .wire = static_cast<std::uint32_t>(tag & 7U),
                .content = {},
                .whole = {}};
    if (field.number == 0 || (tag >> 32U) != 0) broken();
    switch (field.wire) {
      case Varint: varint(); break;
      case Fixed64: take(8); break;
      case Fixed32: take(4); break;
      case Bytes: field.content = take(varint()); break;
      default: broken();
    }
    field.whole = begin.substr(0, begin.size() - rest_.size());
    return field;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    broken();
  }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) broken();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80U) {
    out += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

void put_bytes(std::string& out, std::uint32_t number, std::string_view content) {
  put_varint(out, (number << 3U) | Bytes);
  put_varint(out, content.size());
  out += content;
}

std::string entry(std::string_view key, std::string_view value) {
  std::string out;
  put_bytes(out, kEntryKey, key);
  put_bytes(out, kEntryValue, value);
  return out;
}

// The tensor without its bytes, which go to `weights`; a small one as it is.
void put_initializer(std::string& out, std::string_view tensor, OnnxFile& file) {
  std::string_view name;
  std::string_view raw_data;
  std::string without;
  for (Reader reader(tensor); const auto field = reader.next();) {
    if (field->number == kTensorName && field->wire == Bytes) name = field->content;
    if (field->number == kTensorRawData && field->wire == Bytes) {
      raw_data = field->content;
    } else {
      without += field->whole;
    }
  }
  if (raw_data.size() < kLarge) return put_bytes(out, kGraphInitializer, tensor);
  put_bytes(without, kTensorExternalData, entry("location", kInFile));
  put_varint(without, (kTensorDataLocation << 3U) | Varint);
  put_varint(without, kExternal);
  put_bytes(out, kGraphInitializer, without);
  file.weights[std::string(name)] = std::as_bytes(std::span(raw_data));
}

std::string graph_without_weights(std::string_view graph, OnnxFile& file) {
  std::string out;
  for (Reader reader(graph); const auto field = reader.next();) {
    if (field->number == kGraphInitializer && field->wire == Bytes) {
      put_initializer(out, field->content, file);
    } else {
      out += field->whole;
    }
  }
  return out;
}

}  // namespace

OnnxFile take_apart(std::span<const std::byte> bytes) {
  OnnxFile file;
  bool has_graph = false;
  const std::string_view model(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  check_file_content(model);
  for (Reader reader(model); const auto field = reader.next();) {
    if (field->number == kModelGraph && field->wire == Bytes) {
      put_bytes(file.skeleton, kModelGraph, graph_without_weights(field->content, file));
      has_graph = true;
    } else {
      file.skeleton += field->whole;
    }
  }
  if (!has_graph) broken();
  return file;
}

}  // namespace transmuter
