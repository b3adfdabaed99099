#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

namespace transmuter {

/// How many threads of this process can run at the same time: the cores that it may use (sched_getaffinity), but no
/// more than the CPU quota of its control group, rounded up. At least 1. Read once.
std::size_t available_cores();

/// The CPU quota of this process's control group and of the groups above it, in cores; absent when there is none.
/// `own_groups` is /proc/self/cgroup, `mount` is /sys/fs/cgroup; versions 1 and 2 are read.
std::optional<double> cpu_quota(const std::filesystem::path& own_groups, const std::filesystem::path& mount);

/// While one lives, anywhere in the process, there is work for the other cores too: a model run takes one core.
class SharedCores {
 public:
  SharedCores();
  ~SharedCores();
  SharedCores(const SharedCores&) = delete;
  SharedCores& operator=(const SharedCores&) = delete;

  static bool any();
};

/// Calls body(i) for each i below `count`, on this thread and up to `threads` - 1 others, and returns when all are
/// done. When calls throw, no new ones start, and the exception of the lowest i is thrown.
void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& body);

}  // namespace transmuter
