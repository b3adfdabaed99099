#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "hub/digest.hpp"
#include "hub/disk.hpp"

namespace transmuter {

/// A file that grows while it is downloaded, and its hash.
class PartialFile {
 public:
  /// Opens what an earlier run left, or an empty file. What is longer than `expected_size` is dropped.
  PartialFile(std::filesystem::path path, std::string etag, std::uint64_t expected_size);

  std::uint64_t size() const noexcept { return size_; }
  void append(std::span<const char> bytes);
  /// Drops all bytes.
  void restart();
  /// Puts everything on the disk; false when the hash is not the etag's.
  bool finish();

 private:
  void read_existing();

  std::filesystem::path path_;
  std::string etag_;
  std::uint64_t expected_size_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  std::optional<Digest> digest_;
};

}  // namespace transmuter
