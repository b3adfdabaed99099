#include "hub/file_lock.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "hub/retry.hpp"

namespace transmuter {
namespace {

FileDescriptor open_lock(const std::filesystem::path& path) {
  constexpr mode_t kMode = 0666;
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
  // The lock file of another user of a shared cache can be locked without being writable.
  if (!file.is_open() && errno == EACCES) return open_file(path, O_RDONLY);
  if (!file.is_open()) fail_disk(path, "open the lock", errno);
  return file;
}

/// Whether the file that was locked is still the one that others find under its name.
bool is_linked(const FileDescriptor& file) {
  struct stat status{};
  return fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPoll{50};  // a waiting flock() could not be cancelled
  make_folders(path.parent_path());
  file_ = open_lock(path);
  for (;;) {
    if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_linked(file_)) return;
      file_ = open_lock(path);
      continue;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return;
    wait_for(kPoll, stop);
    if (stop.stop_requested()) fail(ErrorCode::Cancelled, "{}: cancelled while another process held it", path.string());
  }
}

}  // namespace transmuter
