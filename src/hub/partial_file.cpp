#include "hub/partial_file.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace transmuter {

PartialFile::PartialFile(std::filesystem::path path, std::string etag, std::uint64_t expected_size)
    : path_(std::move(path)),
      etag_(std::move(etag)),
      expected_size_(expected_size),
      file_(open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW)),
      digest_(Digest::of_etag(etag_, expected_size_)) {
  read_existing();
  if (size_ > expected_size_) restart();
}

void PartialFile::append(std::span<const char> bytes) {
  write_all(file_, path_, bytes);
  if (digest_) digest_->add(bytes);
  size_ += bytes.size();
}

void PartialFile::restart() {
  if (ftruncate(file_.get(), 0) != 0 || lseek(file_.get(), 0, SEEK_SET) != 0) fail_disk(path_, "write the file", errno);
  digest_ = Digest::of_etag(etag_, expected_size_);
  size_ = 0;
}

bool PartialFile::finish() {
  sync_file(file_, path_);
  return size_ == expected_size_ && (!digest_ || digest_->hexadecimal() == etag_);
}

void PartialFile::read_existing() {
  std::vector<char> buffer(std::size_t{1} << 20U);
  for (;;) {
    const ssize_t count = read(file_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_disk(path_, "read the file", errno);
    if (count == 0) return;
    size_ += static_cast<std::uint64_t>(count);
    if (size_ > expected_size_) return;
    if (digest_) digest_->add({buffer.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace transmuter
