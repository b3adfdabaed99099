#include <csignal>
#include <fcntl.h>
#include <future>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hub/disk.hpp"
#include "hub_fixture.hpp"

namespace transmuter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Another process that runs `f`; it ends with 0, or with 1 when `f` throws.
class Child {
 public:
  explicit Child(const std::function<void()>& f) : pid_(fork()) {
    if (pid_ != 0) return;
    try {
      f();
      _exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      _exit(1);
    }
  }
  ~Child() { wait(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  /// The status of waitpid.
  int wait() {
    if (!waited_) waitpid(pid_, &status_, 0);
    waited_ = true;
    return status_;
  }

 private:
  pid_t pid_;
  bool waited_ = false;
  int status_ = 0;
};

class Processes : public HubTest {
 protected:
  std::filesystem::path fetch() {
    const Hub hub(settings());
    return hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  }

  /// The cache is whole after whatever happened: the download ends it, and offline it serves.
  void expect_right_cache() {
    EXPECT_EQ(read_file(fetch()), large_);
    EXPECT_FALSE(std::filesystem::exists(large_partial()));
    const Hub offline(offline_settings());
    const Snapshot snapshot = offline.snapshot(kRepo);
    EXPECT_TRUE(snapshot.is_complete);
    EXPECT_EQ(read_file(offline.file(snapshot, "onnx/model.onnx")), large_);
  }
};

TEST_F(Processes, leave_a_right_cache_when_killed_at_any_byte) {
  for (const std::uint64_t bytes : {0UL, 1UL, 1000UL, 65'536UL, 150'000UL, 299'999UL, 300'000UL}) {
    std::promise<pid_t> pid;
    server_.fail({.where = "/storage/", .cut_after = bytes, .then = [&] { kill(pid.get_future().get(), SIGKILL); }});
    Child child([&] { fetch(); });
    pid.set_value(child.pid());
    EXPECT_TRUE(WIFSIGNALED(child.wait())) << bytes;
    expect_right_cache();
    std::filesystem::remove_all(cache_.path() / "models--owner--model");
  }
}

TEST_F(Processes, leave_a_right_cache_when_killed_after_the_last_byte) {
  Child child([&] {
    HubSettings deadly = settings();
    deadly.progress = [](const FileProgress& progress) {
      if (progress.done == progress.total) kill(getpid(), SIGKILL);
    };
    const Hub hub(deadly);
    hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  });
  EXPECT_TRUE(WIFSIGNALED(child.wait()));
  EXPECT_EQ(read_file(large_partial()), large_);
  server_.forget_requests();
  expect_right_cache();
  EXPECT_EQ(server_.count("/storage/"), 0U);
}

TEST_F(Processes, go_on_from_every_step_that_a_killed_one_has_done) {
  const auto folder = repo_folder();
  const std::vector<std::pair<std::string, std::function<void()>>> steps{
      {"folders", [&] { std::filesystem::create_directories(folder / "blobs"); }},
      {"a lock file",
       [&] { write_file(cache_.path() / ".locks/models--owner--model" / (etag_of({large_, true}) + ".lock"), ""); }},
      {"an empty download", [&] { write_file(large_partial(), ""); }},
      {"a part", [&] { write_file(large_partial(), large_.substr(0, 5000)); }},
      {"all bytes", [&] { write_file(large_partial(), large_); }},
      {"a blob", [&] { std::filesystem::rename(large_partial(), large_blob()); }},
      {"a link",
       [&] {
         std::filesystem::create_directories(pointer("onnx"));
         std::filesystem::create_symlink("../../../blobs/" + etag_of({large_, true}), pointer("onnx/model.onnx"));
       }},
      {"half a note", [&] { write_file(folder / "tmp_12345678", commit_.substr(0, 7)); }},
      {"an empty list", [&] { write_file(folder / "trees" / (commit_ + ".json"), ""); }},
      {"an empty ref", [&] { write_file(folder / "refs/main", ""); }},
  };
  for (std::size_t done = 1; done <= steps.size(); ++done) {
    SCOPED_TRACE(steps[done - 1].first);
    for (std::size_t i = 0; i < done; ++i) steps[i].second();
    EXPECT_EQ(read_file(fetch()), large_);
    const Hub offline(offline_settings());
    EXPECT_EQ(read_file(offline.file(offline.snapshot(kRepo), "onnx/model.onnx")), large_);
    std::filesystem::remove_all(folder);
  }
}

TEST_F(Processes, download_a_file_once) {
  server_.fail({.where = "/storage/", .cut_after = 150'000, .then = [this] { server_.wait_for("HEAD ", 2); }});
  Child first([&] { fetch(); });
  Child second([&] { fetch(); });
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_EQ(server_.count("/storage/"), 2U) << "the first half and the rest";
  expect_right_cache();
}

TEST_F(Processes, wait_for_the_lock_of_another_program) {
  const auto lock = cache_.path() / ".locks/models--owner--model" / (etag_of({large_, true}) + ".lock");
  write_file(lock, "");
  FileDescriptor held = open_file(lock, O_RDWR);
  ASSERT_EQ(flock(held.get(), LOCK_EX), 0);
  std::stop_source stop;
  HubSettings stoppable = settings();
  stoppable.stop = stop.get_token();
  const Hub hub(stoppable);
  const Snapshot snapshot = hub.snapshot(kRepo);
  {
    const std::jthread stopper([&] {
      server_.wait_for("HEAD ");
      stop.request_stop();
    });
    EXPECT_THAT(error_of([&] { hub.file(snapshot, "onnx/model.onnx"); }), StartsWith("Cancelled: "));
  }
  EXPECT_EQ(server_.count("/storage/"), 0U);
  std::filesystem::remove(lock);  // as a clean-up of the cache may do
  held = FileDescriptor();
  expect_right_cache();
}

TEST_F(Processes, say_that_the_disk_is_full_and_go_on_later) {
  Child child([&] {
    const Hub hub(settings());
    const Snapshot snapshot = hub.snapshot(kRepo);
    std::signal(SIGXFSZ, SIG_IGN);
    constexpr rlimit kLimit{.rlim_cur = 100'000, .rlim_max = 100'000};
    setrlimit(RLIMIT_FSIZE, &kLimit);
    const std::string error = error_of([&] { hub.file(snapshot, "onnx/model.onnx"); });
    const std::string partial = large_partial().string();
    if (!error.starts_with("Unavailable: " + partial) || error.find("free space") == std::string::npos)
      throw std::runtime_error(error);
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(std::filesystem::file_size(large_partial()), 100'000U);
  EXPECT_FALSE(std::filesystem::exists(large_blob()));
  EXPECT_FALSE(std::filesystem::exists(pointer("onnx/model.onnx")));
  expect_right_cache();
}

}  // namespace
}  // namespace transmuter
