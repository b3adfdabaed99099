#include "hub/disk.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace transmuter {

FileDescriptor::~FileDescriptor() {
  if (value_ >= 0) close(value_);
}

void fail_disk(const std::filesystem::path& path, std::string_view action, int error) {
  const auto remedy = [error]() -> std::string_view {
    switch (error) {
      case ENOSPC:
      case EDQUOT:
      case EFBIG: return "; free space (transmuter list, transmuter rm) or set HF_HUB_CACHE to another disk";
      case EACCES:
      case EPERM:
      case EROFS: return "; make it writable or set HF_HUB_CACHE to a folder that is";
      default: return "";
    }
  };
  fail(ErrorCode::Unavailable, "{}: cannot {}: {}{}", path.string(), action,
       std::error_code(error, std::generic_category()).message(), remedy());
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error && !std::filesystem::is_directory(folder)) fail_disk(folder, "create the folder", error.value());
}

FileDescriptor open_file(const std::filesystem::path& path, int flags) {
  constexpr mode_t kMode = 0666;
  // NOLINTNEXTLINE(bugprone-signed-bitwise): open() takes its flags as int
  FileDescriptor file(open(path.c_str(), flags | O_CLOEXEC, kMode));
  if (!file.is_open()) fail_disk(path, "open the file", errno);
  return file;
}

void write_all(const FileDescriptor& file, const std::filesystem::path& path, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_disk(path, "write the file", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void sync_file(const FileDescriptor& file, const std::filesystem::path& path) {
  // Some file systems of the network can't, and say EINVAL.
  if (fsync(file.get()) != 0 && errno != EINVAL) fail_disk(path, "write the file", errno);
}

void write_atomically(const std::filesystem::path& path, std::string_view text,
                      const std::filesystem::path& temporary_folder) {
  make_folders(path.parent_path());
  const auto temporary = temporary_folder / ("tmp_" + random_suffix());
  try {
    const FileDescriptor file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL);
    write_all(file, temporary, text);
    if (rename(temporary.c_str(), path.c_str()) != 0) fail_disk(path, "write the file", errno);
  } catch (const Error&) {
    unlink(temporary.c_str());
    throw;
  }
}

std::optional<std::string> read_small_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return file.bad() ? std::nullopt : std::optional(std::move(text));
}

std::string random_suffix() { return fmt::format("{:08x}", std::random_device{}()); }

}  // namespace transmuter
