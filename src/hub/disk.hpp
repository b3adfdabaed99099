#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace transmuter {

/// Closes its file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor();

  int get() const noexcept { return value_; }
  bool is_open() const noexcept { return value_ >= 0; }

 private:
  int value_ = -1;
};

/// Throws Unavailable for an errno: the path, what could not be done with it, why, and what to do.
[[noreturn]] void fail_disk(const std::filesystem::path& path, std::string_view action, int error);

void make_folders(const std::filesystem::path& folder);
/// Opens with O_CLOEXEC and, where it creates, mode 0666 less the umask.
FileDescriptor open_file(const std::filesystem::path& path, int flags);
void write_all(const FileDescriptor& file, const std::filesystem::path& path, std::span<const char> bytes);
/// Makes sure that the bytes of a file are on the disk.
void sync_file(const FileDescriptor& file, const std::filesystem::path& path);

/// Replaces `path` by a file of this text in one step, through a temporary file in `temporary_folder` (same disk).
/// For notes that can be lost: a crash of the machine may leave the file empty.
void write_atomically(const std::filesystem::path& path, std::string_view text,
                      const std::filesystem::path& temporary_folder);
/// The text of a small file; nothing when it is not there or can't be read.
std::optional<std::string> read_small_file(const std::filesystem::path& path);

/// Eight random hexadecimal digits, for names of temporary files.
std::string random_suffix();

}  // namespace transmuter
