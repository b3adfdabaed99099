#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace transmuter {

/// The hash that an etag of the hub is: sha256 for large files (64 digits), git's sha1 of a blob for small ones (40).
class Digest {
 public:
  /// For a file of `size` bytes; nothing when the etag is of another kind, as a private hub's may be.
  static std::optional<Digest> of_etag(std::string_view etag, std::uint64_t size);

  void add(std::span<const char> bytes);
  /// Lower case hexadecimal; ends the digest.
  std::string hexadecimal();

 private:
  struct Free {
    void operator()(void* context) const noexcept;
  };
  explicit Digest(const char* algorithm);
  std::unique_ptr<void, Free> context_;
};

}  // namespace transmuter
