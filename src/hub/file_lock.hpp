#pragma once

#include <filesystem>
#include <stop_token>

#include "hub/disk.hpp"

namespace transmuter {

/// Holds an exclusive lock on a file between processes, and between threads. The file stays when the lock goes.
/// Where the file system has no locks this holds nothing: the hash check and the rename keep the cache right.
/// Parity: filelock 4.3 UnixFileLock (flock), so that Python and this program wait for each other.
class FileLock {
 public:
  /// Waits as long as another holds it; throws Cancelled when a stop is requested.
  FileLock(const std::filesystem::path& path, const std::stop_token& stop);

 private:
  FileDescriptor file_;  // closing it unlocks
};

}  // namespace transmuter
