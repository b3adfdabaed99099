#include "runtime/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"

namespace transmuter {

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  std::error_code unresolved;
  const std::string whole = std::filesystem::canonical(path, unresolved).string();
  if (unresolved) fail(ErrorCode::NotFound, "{}: cannot be opened: {}", path, unresolved.message());
  const int descriptor = ::open(whole.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(ErrorCode::NotFound, "{}: cannot be opened: {}", path, std::strerror(errno));
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    fail(ErrorCode::NotFound, "{}: is not a file", path);
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  if (data == MAP_FAILED) fail(ErrorCode::Unavailable, "{}: cannot be mapped: {}", path, std::strerror(error));
  return std::shared_ptr<const MappedFile>(new MappedFile(whole, {static_cast<const std::byte*>(data), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_pages() const {
  if (!bytes_.empty()) madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace transmuter
