#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace transmuter {

/// A file in memory, read-only, paged in as it is read.
class MappedFile {
 public:
  /// Throws NotFound when it cannot be opened, Unavailable when it cannot be mapped.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// The file itself: absolute, without links.
  const std::string& path() const { return path_; }
  /// Gives the pages back to the system; reading them again pages them in again.
  void release_pages() const;

 private:
  MappedFile(std::string path, std::span<const std::byte> bytes) : path_(std::move(path)), bytes_(bytes) {}

  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace transmuter
