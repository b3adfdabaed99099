#include "base/threads.hpp"

#include <atomic>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace transmuter {
namespace {

namespace fs = std::filesystem;

/// Control groups made of files: own groups in "self", the mount in "mount".
class Groups : public testing::Test {
 protected:
  Groups() : root_(fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
  }
  ~Groups() override { fs::remove_all(root_); }

  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::optional<double> quota() const { return cpu_quota(root_ / "self", root_ / "mount"); }

 private:
  fs::path root_;
};

TEST_F(Groups, have_no_quota_without_files) { EXPECT_EQ(quota(), std::nullopt); }

TEST_F(Groups, of_version_2_take_the_least_quota_on_the_way_up) {
  write("self", "0::/slice/service\n");
  write("mount/slice/service/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  write("mount/slice/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("mount/slice/service/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(Groups, of_version_2_may_be_the_root_of_the_mount) {
  write("self", "0::/\n");
  write("mount/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(Groups, of_version_1_are_read_where_their_controllers_are_mounted) {
  write("self", "4:memory:/a\n3:cpu,cpuacct:/docker/id\n2:cpuset:/a\n");
  write("mount/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("mount/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  write("mount/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(Groups, of_version_1_may_have_a_link_for_the_controller_alone) {
  write("self", "3:cpuacct,cpu:/docker/id\n");
  write("mount/cpu/docker/id/cpu.cfs_quota_us", "25000\n");
  write("mount/cpu/docker/id/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(Groups, skip_lines_that_are_not_theirs) {
  write("self", "nonsense\n1:x\n\n0::/a\n");
  write("mount/a/cpu.max", "nonsense\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST(AvailableCores, are_at_least_one) { EXPECT_GE(available_cores(), 1); }

TEST(ParallelFor, calls_each_index_once) {
  std::vector<std::atomic<int>> calls(1000);
  parallel_for(calls.size(), 4, [&](std::size_t i) { ++calls[i]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(ParallelFor, runs_on_this_thread_when_it_is_the_only_one) {
  std::vector<std::size_t> order;
  parallel_for(3, 1, [&](std::size_t i) { order.push_back(i); });
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2));
  parallel_for(0, 4, [&](std::size_t) { order.clear(); });
  EXPECT_EQ(order.size(), 3);
}

TEST(ParallelFor, throws_the_exception_of_the_lowest_index) {
  std::atomic<int> calls = 0;
  const auto run = [&] {
    parallel_for(1000, 4, [&](std::size_t i) {
      ++calls;
      if (i % 3 == 2) throw std::runtime_error(std::to_string(i));
    });
  };
  EXPECT_THAT(run, testing::ThrowsMessage<std::runtime_error>("2"));
  EXPECT_LT(calls, 1000);
}

}  // namespace
}  // namespace transmuter
