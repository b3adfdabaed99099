#include "base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace transmuter {
namespace {

namespace fs = std::filesystem;

std::size_t allowed_cores() {
  // The kernel refuses a mask that is too small for it, so we try larger ones.
  for (std::size_t bits = 1024; bits <= 1'048'576; bits *= 2) {
    std::vector<cpu_set_t> mask(bits / (8 * sizeof(cpu_set_t)));
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) {
      return static_cast<std::size_t>(std::max(CPU_COUNT_S(bytes, mask.data()), 1));
    }
  }
  return std::max(std::thread::hardware_concurrency(), 1U);
}

// Version 2: cpu.max holds "quota period", or "max period".
std::optional<double> quota_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  if (file >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// Version 1: a quota of -1 means none.
std::optional<double> quota_v1(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (quota_file >> quota && period_file >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

std::atomic<int> sharers{0};

// Whether the comma separated list of controllers, such as "cpu,cpuacct", has "cpu".
bool has_cpu(const std::string& controllers) { return ("," + controllers + ",").find(",cpu,") != std::string::npos; }

}  // namespace

std::optional<double> cpu_quota(const fs::path& own_groups, const fs::path& mount) {
  std::optional<double> least;
  // The group's own folder, those above it, and the root. In a container the root of the mount may be the group itself,
  // whose path as the host sees it does not exist.
  const auto look = [&](const fs::path& root, fs::path group, auto quota_of) {
    for (group = group.relative_path();; group = group.parent_path()) {
      if (const std::optional<double> quota = quota_of(root / group)) least = std::min(least.value_or(*quota), *quota);
      if (group.empty()) return;
    }
  };
  std::ifstream file(own_groups);
  for (std::string line; std::getline(file, line);) {  // "hierarchy:controllers:/path/of/the/group"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) {
      look(mount, group, quota_v2);
      look(mount / "unified", group, quota_v2);
    } else if (has_cpu(controllers)) {
      look(mount / controllers, group, quota_v1);
      look(mount / "cpu", group, quota_v1);
    }
  }
  return least;
}

std::size_t available_cores() {
  static const std::size_t cores = [] {
    const std::size_t allowed = allowed_cores();
    const std::optional<double> quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    if (!quota) return allowed;
    const double whole = std::clamp(std::ceil(*quota), 1.0, static_cast<double>(allowed));
    return static_cast<std::size_t>(whole);
  }();
  return cores;
}

SharedCores::SharedCores() { sharers.fetch_add(1, std::memory_order_relaxed); }
SharedCores::~SharedCores() { sharers.fetch_sub(1, std::memory_order_relaxed); }
bool SharedCores::any() { return sharers.load(std::memory_order_relaxed) > 0; }

void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& body) {
  std::mutex mutex;  // guards the three below
  std::size_t next = 0;
  std::size_t failed = std::numeric_limits<std::size_t>::max();
  std::exception_ptr exception;

  const auto claim = [&]() -> std::optional<std::size_t> {
    const std::scoped_lock lock(mutex);
    if (next >= count || exception) return std::nullopt;
    return next++;
  };
  const auto work = [&] {
    while (const std::optional<std::size_t> i = claim()) {
      try {
        body(*i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (*i < failed) {
          failed = *i;
          exception = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t most = std::min(threads, count); others.size() + 1 < most;) {
      try {
        others.emplace_back(work);
      } catch (const std::system_error&) {
        most = 0;  // the system gives no more threads; those that run are enough
      }
    }
    work();
  }
  if (exception) std::rethrow_exception(exception);
}

}  // namespace transmuter
