#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace transmuter::cli {

/// The lines of a file descriptor, without "\n" or "\r\n" at their ends. A last line may have no end.
class LineReader {
 public:
  explicit LineReader(int file) : file_(file) {}

  /// Whether next() would have to wait for whoever writes.
  bool would_wait() const;
  /// Nothing at the end. Throws Unavailable when the file can't be read.
  std::optional<std::string> next();
  /// Bytes of all lines that were given, with their ends.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  bool read_more();

  int file_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the next line in the buffer
  std::size_t searched_ = 0;  // before this there is no end of a line
  bool ended_ = false;
  std::uint64_t bytes_ = 0;
};

/// How many bytes a file still has; 0 when it is a pipe or another thing without an end.
std::uint64_t remaining_bytes(int file);

}  // namespace transmuter::cli
