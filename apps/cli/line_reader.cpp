#include "cli/line_reader.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"

namespace transmuter::cli {

bool LineReader::would_wait() const {
  if (ended_ || buffer_.find('\n', searched_) != std::string::npos) return false;
  pollfd waiting{.fd = file_, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) == 0;
}

std::optional<std::string> LineReader::next() {
  std::size_t end = buffer_.find('\n', searched_);
  while (end == std::string::npos) {
    searched_ = buffer_.size();
    if (!read_more()) break;
    end = buffer_.find('\n', searched_);
  }
  const bool has_end = end != std::string::npos;
  if (!has_end && begin_ == buffer_.size()) return std::nullopt;
  std::string line = buffer_.substr(begin_, has_end ? end - begin_ : std::string::npos);
  begin_ = searched_ = has_end ? end + 1 : buffer_.size();
  bytes_ += line.size() + (has_end ? 1U : 0U);
  if (has_end && line.ends_with('\r')) line.pop_back();
  return line;
}

bool LineReader::read_more() {
  if (ended_) return false;
  // Given lines go, so that the buffer holds one block and the line that began before it.
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  constexpr std::size_t kBlock = 1U << 16U;
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + kBlock);
  ssize_t count = -1;
  do {
    count = read(file_, buffer_.data() + old_size, kBlock);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    fail(ErrorCode::Unavailable, "standard input cannot be read: {}", std::generic_category().message(errno));
  }
  buffer_.resize(old_size + static_cast<std::size_t>(count));
  ended_ = count == 0;
  return !ended_;
}

std::uint64_t remaining_bytes(int file) {
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  const off_t at = lseek(file, 0, SEEK_CUR);
  return at >= 0 && status.st_size > at ? static_cast<std::uint64_t>(status.st_size - at) : 0;
}

}  // namespace transmuter::cli
