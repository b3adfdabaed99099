#include "hub/download.hpp"

#include <algorithm>
#include <thread>

#include "hub_fixture.hpp"

namespace transmuter {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Downloads : public HubTest {
 protected:
  std::string fetch(const std::string& path = "onnx/model.onnx") {
    const Hub hub(settings());
    return read_file(hub.file(hub.snapshot(kRepo), path));
  }
  std::string error(const std::string& path = "onnx/model.onnx") {
    return error_of([&] { (void)fetch(path); });
  }
  std::vector<std::string> ranges() const {
    std::vector<std::string> found;
    for (const SeenRequest& request : server_.requests()) {
      if (const auto range = request.headers.find("range"); range != request.headers.end() && request.at_storage) {
        found.push_back(range->second);
      }
    }
    return found;
  }
};

TEST_F(Downloads, resume_where_the_connection_was_cut) {
  server_.fail({.where = "/storage/", .cut_after = 100'000});
  server_.fail({.where = "/storage/", .cut_after = 50'000});
  EXPECT_EQ(fetch(), large_);
  EXPECT_THAT(ranges(), ElementsAre("bytes=100000-", "bytes=150000-"));
  EXPECT_EQ(waits_, (std::vector<milliseconds>{milliseconds(1000), milliseconds(1000)}));
}

TEST_F(Downloads, survive_a_cut_at_any_byte) {
  for (const std::uint64_t bytes : {0UL, 1UL, 2UL, 4095UL, 65'536UL, 299'999UL, 300'000UL}) {
    server_.fail({.where = "/storage/", .cut_after = bytes});
    EXPECT_EQ(fetch(), large_) << bytes;
    std::filesystem::remove_all(repo_folder());
  }
  for (const std::uint64_t bytes : {0UL, 1UL, 21UL}) {
    server_.fail({.where = "GET /owner/model/resolve", .cut_after = bytes});
    EXPECT_EQ(fetch("config.json"), "{\"model_type\": \"bert\"}") << bytes;
    std::filesystem::remove_all(repo_folder());
  }
}

TEST_F(Downloads, resume_what_an_earlier_run_left) {
  write_file(large_partial(), large_.substr(0, 123'456));
  EXPECT_EQ(fetch(), large_);
  EXPECT_THAT(ranges(), ElementsAre("bytes=123456-"));
}

TEST_F(Downloads, take_a_partial_file_that_is_whole) {
  write_file(large_partial(), large_);
  EXPECT_EQ(fetch(), large_);
  EXPECT_EQ(server_.count("/storage/"), 0U);
}

TEST_F(Downloads, drop_a_partial_file_with_other_bytes) {
  for (const std::size_t size : {std::size_t{10}, large_.size(), large_.size() + 1}) {
    write_file(large_partial(), std::string(size, 'x'));
    EXPECT_EQ(fetch(), large_) << size;
    std::filesystem::remove_all(repo_folder());
  }
}

TEST_F(Downloads, begin_again_when_the_server_refuses_the_range) {
  write_file(large_partial(), large_.substr(0, 1000));
  server_.fail({.where = "/storage/", .status = 416});
  EXPECT_EQ(fetch(), large_);
  EXPECT_THAT(ranges(), ElementsAre("bytes=1000-"));
}

TEST_F(Downloads, begin_again_when_the_server_ignores_the_range) {
  write_file(large_partial(), large_.substr(0, 1000));
  server_.fail({.where = "/storage/", .ignores_range = true});
  EXPECT_EQ(fetch(), large_);
}

TEST_F(Downloads, begin_again_when_the_server_sends_another_range) {
  write_file(large_partial(), large_.substr(0, 1000));
  server_.fail({.where = "/storage/", .headers = {{"Content-Range", "bytes 999-299999/300000"}}});
  EXPECT_EQ(fetch(), large_);
  EXPECT_EQ(server_.count("/storage/"), 2U);
}

TEST_F(Downloads, end_when_every_range_is_refused) {
  write_file(large_partial(), large_.substr(0, 1000));
  server_.fail({.where = "/storage/", .times = 100, .status = 416});
  EXPECT_THAT(error(), StartsWith("Unavailable: http://localhost"));
  EXPECT_EQ(server_.count("/storage/"), 2U);
}

TEST_F(Downloads, end_when_a_server_without_ranges_always_cuts) {
  server_.fail({.where = "/storage/", .times = 1000, .cut_after = 5000, .ignores_range = true});
  EXPECT_THAT(error(), AllOf(StartsWith("Unavailable: http://localhost"), HasSubstr("check the network"),
                             Not(HasSubstr("secret"))));
  EXPECT_LE(server_.count("/storage/"), 10U);
}

TEST_F(Downloads, try_a_file_with_a_wrong_hash_once_more) {
  server_.fail({.where = "/storage/", .flips_a_byte = true});
  EXPECT_EQ(fetch(), large_);
  EXPECT_EQ(server_.count("/storage/"), 2U);
  server_.fail({.where = "GET /owner/model/resolve", .flips_a_byte = true});
  EXPECT_EQ(fetch("config.json"), "{\"model_type\": \"bert\"}");
}

TEST_F(Downloads, refuse_a_file_whose_hash_stays_wrong) {
  server_.fail({.where = "/storage/", .times = 2, .flips_a_byte = true});
  EXPECT_THAT(error(), AllOf(StartsWith("Unavailable: owner/model: \"onnx/model.onnx\": twice came other bytes"),
                             HasSubstr(etag_of({large_, true}))));
  EXPECT_FALSE(std::filesystem::exists(large_blob()));
  EXPECT_FALSE(std::filesystem::exists(large_partial()));
  EXPECT_FALSE(std::filesystem::exists(pointer("onnx/model.onnx")));
  EXPECT_EQ(fetch(), large_);
}

TEST_F(Downloads, refuse_more_bytes_than_the_file_has) {
  server_.fail({.where = "/storage/", .longer = 1});
  EXPECT_EQ(fetch(), large_);
  std::filesystem::remove_all(repo_folder());
  server_.fail({.where = "/storage/", .times = 2, .longer = 100});
  HubSettings watched = settings();
  watched.progress = [](const FileProgress& progress) { EXPECT_LE(progress.done, progress.total); };
  const Hub hub(watched);
  const Snapshot snapshot = hub.snapshot(kRepo);
  EXPECT_THAT(error_of([&] { hub.file(snapshot, "onnx/model.onnx"); }), HasSubstr("twice came other bytes"));
  EXPECT_FALSE(std::filesystem::exists(large_partial()));
}

TEST_F(Downloads, ask_for_the_rest_of_a_body_that_is_too_short) {
  server_.fail({.where = "/storage/", .longer = -1});
  EXPECT_EQ(fetch(), large_);
  EXPECT_THAT(ranges(), ElementsAre("bytes=299999-"));
}

TEST_F(Downloads, wait_longer_from_try_to_try) {
  server_.fail({.where = "HEAD ", .times = 5, .status = 503});
  EXPECT_EQ(fetch(), large_);
  EXPECT_EQ(waits_, (std::vector<milliseconds>{milliseconds(1000), milliseconds(2000), milliseconds(4000),
                                               milliseconds(8000), milliseconds(8000)}));
}

TEST_F(Downloads, wait_as_long_as_the_server_asks) {
  server_.fail({.where = "/api/", .status = 429, .headers = {{"Retry-After", "17"}}});
  server_.fail({.where = "/storage/", .status = 503, .headers = {{"Retry-After", "0"}}});
  EXPECT_EQ(fetch(), large_);
  EXPECT_EQ(waits_, (std::vector<milliseconds>{milliseconds(17'000), milliseconds(0)}));
}

TEST_F(Downloads, do_not_wait_for_hours) {
  for (const char* wait : {"86400", "99999999999999999999"}) {
    server_.fail({.where = "/api/", .status = 429, .headers = {{"Retry-After", wait}}});
    EXPECT_THAT(error(), AllOf(StartsWith("Unavailable: "), HasSubstr("too many requests"), HasSubstr("HF_TOKEN")));
  }
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(Downloads, give_up_on_a_server_that_stays_busy) {
  server_.fail({.where = "/storage/", .times = 100, .status = 502});
  EXPECT_THAT(error(), AllOf(StartsWith("Unavailable: "), HasSubstr("status 502"), Not(HasSubstr("secret"))));
  EXPECT_EQ(server_.count("/storage/"), 6U);
}

TEST_F(Downloads, end_a_silent_connection) {
  server_.fail({.where = "/storage/", .cut_after = 1000, .stalls = true});
  server_.fail({.where = "HEAD ", .stalls = true});
  HubSettings hasty = settings();
  hasty.etag_timeout = hasty.download_timeout = milliseconds(300);
  const Hub hub(hasty);
  EXPECT_EQ(read_file(hub.file(hub.snapshot(kRepo), "onnx/model.onnx")), large_);
  EXPECT_EQ(waits_.size(), 2U);
}

TEST_F(Downloads, end_in_a_circle_of_redirects) {
  server_.rename("x/a", "x/b");
  server_.rename("x/b", "x/a");
  const Hub hub(settings());
  EXPECT_THAT(error_of([&] { (void)hub.snapshot("x/a"); }), AllOf(StartsWith("Unavailable: "), HasSubstr("redirects")));
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(Downloads, follow_no_redirect_to_another_protocol) {
  for (const char* location : {"file:///etc/passwd", "ftp://localhost/x", "http://", "http://[::1"}) {
    server_.fail({.where = "GET /owner/model/resolve", .status = 302, .headers = {{"Location", location}}});
    EXPECT_THAT(error("config.json"), StartsWith("Unavailable: ")) << location;
  }
}

TEST_F(Downloads, refuse_an_answer_that_is_not_a_hubs) {
  const std::vector<std::pair<std::map<std::string, std::string>, std::string>> cases{
      {{{"X-Repo-Commit", ""}}, "no commit"},
      {{{"X-Repo-Commit", std::string(40, 'a')}}, "another commit"},
      {{{"ETag", ""}}, "no etag"},
      {{{"ETag", "\"../../../x\""}}, "an etag that can't be one"},
      {{{"ETag", "\".hidden\""}}, "an etag that can't be one"},
      {{{"ETag", '"' + std::string(1000, 'a') + '"'}}, "an etag that can't be one"},
      {{{"X-Linked-Size", "-5"}}, "no size"},
      {{{"X-Linked-Size", "99999999999999999999999"}}, "no size"},
      {{{"X-Linked-Size", "18446744073709551615"}}, "no size"},
      {{{"X-Linked-Size", "12x"}}, "no size"},
  };
  for (const auto& [headers, why] : cases) {
    server_.fail({.where = "HEAD /owner/model/resolve", .times = 6, .headers = headers});
    EXPECT_THAT(error("config.json"), StartsWith("Unavailable: owner/model: \"config.json\": " + why));
    EXPECT_FALSE(std::filesystem::exists(pointer("config.json")));
    server_.forget_faults();
  }
}

TEST_F(Downloads, refuse_headers_without_end) {
  server_.fail({.where = "HEAD ",
                .times = 6,
                .headers = {{"X-Large", std::string(90'000, 'a')},
                            {"X-Large-2", std::string(90'000, 'a')},
                            {"X-Large-3", std::string(90'000, 'a')}}});
  EXPECT_THAT(error(), AllOf(StartsWith("Unavailable: "), HasSubstr("headers are too large")));
}

TEST_F(Downloads, refuse_garbage) {
  for (const char* raw : {"garbage", "HTTP/1.1 200 OK\r\n\r\n<html>log in</html>", "HTTP/9.9 999 \r\n\r\n"}) {
    server_.fail({.where = "/api/", .times = 6, .raw = raw});
    EXPECT_THAT(error(), StartsWith("Unavailable: ")) << raw;
  }
}

TEST_F(Downloads, refuse_hostile_lists_of_files) {
  const Hub hub(settings());
  using namespace std::string_literals;
  for (const std::string& path : {"../x"s, "/etc/passwd"s, ""s, "a/../../x"s, "a\0b"s}) {
    server_.commit("x/hostile", {{path, {"evil"}}});
    EXPECT_THAT(error_of([&] { (void)hub.snapshot("x/hostile"); }),
                StartsWith("InvalidModel: the hub lists the file \""))
        << path;
  }
}

TEST_F(Downloads, do_without_symbolic_links) {
  HubSettings plain = settings();
  plain.symlinks = false;
  const Hub hub(plain);
  const auto path = hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  EXPECT_EQ(read_file(path), large_);
  EXPECT_FALSE(std::filesystem::exists(large_blob()));
  EXPECT_EQ(hub.cached().at(0).size, large_.size());
}

TEST_F(Downloads, copy_a_blob_that_is_here_when_links_are_off) {
  fetch();
  server_.commit(kRepo, {{"same.onnx", {large_, true}}});
  HubSettings plain = settings();
  plain.symlinks = false;
  const Hub hub(plain);
  server_.forget_requests();
  const auto path = hub.file(hub.snapshot(kRepo), "same.onnx");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  EXPECT_EQ(read_file(path), large_);
  EXPECT_EQ(server_.count("/storage/"), 0U);
}

TEST_F(Downloads, repair_a_broken_link_and_a_cut_blob) {
  fetch();
  std::filesystem::remove(large_blob());
  EXPECT_EQ(fetch(), large_);
  std::filesystem::resize_file(large_blob(), 1000);
  EXPECT_EQ(fetch(), large_);
  std::filesystem::remove(pointer("onnx/model.onnx"));
  write_file(repo_folder() / "blobs/other", "of another file");
  std::filesystem::create_symlink("../../../blobs/other", pointer("onnx/model.onnx"));
  EXPECT_EQ(fetch(), large_);
}

TEST_F(Downloads, report_progress_in_order) {
  server_.fail({.where = "/storage/", .cut_after = 100'000});
  HubSettings watched = settings();
  std::vector<std::uint64_t> seen;
  watched.progress = [&seen](const FileProgress& progress) {
    EXPECT_EQ(progress.file, "onnx/model.onnx");
    EXPECT_EQ(progress.total, 300'000U);
    seen.push_back(progress.done);
  };
  const Hub hub(watched);
  hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  EXPECT_EQ(seen.front(), 0U);
  EXPECT_EQ(seen.back(), 300'000U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST_F(Downloads, stop_when_asked_to) {
  std::stop_source stop;
  HubSettings stoppable = settings();
  stoppable.stop = stop.get_token();
  const Hub hub(stoppable);
  const Snapshot snapshot = hub.snapshot(kRepo);
  server_.fail({.where = "/storage/", .times = 100, .stalls = true});
  const std::jthread stopper([&] {
    server_.wait_for("/storage/");
    stop.request_stop();
  });
  EXPECT_THAT(error_of([&] { (void)hub.files(snapshot, {"onnx/model.onnx", "config.json"}); }),
              StartsWith("Cancelled: "));
}

TEST_F(Downloads, stop_while_waiting_for_another_try) {
  std::stop_source stop;
  HubSettings stoppable = settings();
  stoppable.stop = stop.get_token();
  stoppable.retry.wait = [&stop](milliseconds, const std::stop_token&) { stop.request_stop(); };
  server_.fail({.where = "/api/", .status = 503});
  EXPECT_THAT(error_of([&] { (void)Hub(stoppable).snapshot(kRepo); }), StartsWith("Cancelled: "));
}

TEST_F(Downloads, say_that_the_cache_can_not_be_written) {
  write_file(cache_.path() / "file", "");
  HubSettings wrong = settings();
  wrong.cache_dir = cache_.path() / "file" / "cache";
  const Hub hub(wrong);
  EXPECT_THAT(error_of([&] { (void)hub.file(hub.snapshot(kRepo), "config.json"); }),
              AllOf(StartsWith("Unavailable: " + wrong.cache_dir.string()), HasSubstr("cannot create the folder")));
}

TEST_F(Downloads, trace_requests_without_secrets) {
  std::string lines;
  HubSettings traced = settings();
  server_.require_token("hf_secret");
  traced.token = "hf_secret";
  traced.trace = [&lines](std::string_view line) { lines += std::string(line) + "\n"; };
  const Hub hub(traced);
  hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  EXPECT_THAT(lines, AllOf(HasSubstr("GET " + server_.endpoint() + "/api/models/owner/model/revision/main 200"),
                           HasSubstr("HEAD "), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace transmuter
