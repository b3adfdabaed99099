#include "hub/hub.hpp"

#include <unistd.h>

#include "hub_fixture.hpp"

namespace transmuter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_F(HubTest, lists_a_repository_at_its_commit) {
  const Snapshot snapshot = Hub(settings()).snapshot(kRepo);
  EXPECT_EQ(snapshot.commit, commit_);
  EXPECT_TRUE(snapshot.is_complete);
  ASSERT_EQ(snapshot.files.size(), 5U);
  EXPECT_EQ(snapshot.find("onnx/model.onnx")->size, large_.size());
  EXPECT_EQ(snapshot.find("onnx/model.onnx")->sha256, etag_of({large_, true}));
  EXPECT_EQ(snapshot.find("nothing"), nullptr);
}

TEST_F(HubTest, lists_files_of_a_hub_that_tells_no_sizes) {
  server_.change(kRepo, [](ServedRepo& repo) { repo.tells_sizes = false; });
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  EXPECT_EQ(snapshot.find("config.json")->size, std::nullopt);
  EXPECT_EQ(read_file(hub.file(snapshot, "onnx/model.onnx")), large_);
}

TEST_F(HubTest, leaves_no_folder_for_a_repository_that_was_only_listed) {
  (void)Hub(settings()).snapshot(kRepo);
  EXPECT_FALSE(std::filesystem::exists(repo_folder()));
}

TEST_F(HubTest, stores_files_as_huggingface_hub_does) {
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  EXPECT_EQ(hub.file(snapshot, "onnx/model.onnx"), pointer("onnx/model.onnx"));
  EXPECT_EQ(read_file(pointer("onnx/model.onnx")), large_);
  EXPECT_EQ(std::filesystem::read_symlink(pointer("onnx/model.onnx")), "../../../blobs/" + etag_of({large_, true}));
  hub.file(snapshot, "config.json");
  EXPECT_THAT(std::filesystem::read_symlink(pointer("config.json")).string(), StartsWith("../../blobs/"));
  EXPECT_EQ(read_file(repo_folder() / "refs/main"), commit_);
  EXPECT_THAT(read_file(cache_.path() / "CACHEDIR.TAG"), StartsWith("Signature: 8a477f597d28d172789f06886806bc55"));
  EXPECT_TRUE(
      std::filesystem::exists(cache_.path() / ".locks/models--owner--model" / (etag_of({large_, true}) + ".lock")));
  EXPECT_FALSE(std::filesystem::exists(large_partial()));
}

TEST_F(HubTest, takes_an_empty_file) {
  const Hub hub(settings());
  EXPECT_EQ(read_file(hub.file(hub.snapshot(kRepo), "empty.txt")), "");
}

TEST_F(HubTest, asks_nothing_for_a_file_that_is_here) {
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  hub.file(snapshot, "config.json");
  server_.forget_requests();
  hub.file(snapshot, "config.json");
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(HubTest, asks_nothing_for_a_commit_that_is_here) {
  Hub(settings()).file(Hub(settings()).snapshot(kRepo), "config.json");
  server_.forget_requests();
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo, commit_);
  EXPECT_EQ(snapshot.files.size(), 5U);
  hub.file(snapshot, "config.json");
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(HubTest, sends_the_token_to_the_hub_only) {
  server_.require_token("hf_secret");
  server_.change(kRepo, [](ServedRepo& repo) { repo.is_private = true; });
  HubSettings with_token = settings();
  with_token.token = "hf_secret";
  const Hub hub(with_token);
  hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  std::size_t at_storage = 0;
  for (const SeenRequest& request : server_.requests()) {
    EXPECT_EQ(request.headers.contains("authorization"), !request.at_storage) << request.line;
    at_storage += request.at_storage ? 1 : 0;
  }
  EXPECT_EQ(at_storage, 1U);
}

TEST_F(HubTest, links_a_file_of_the_next_commit_that_did_not_change) {
  const Hub hub(settings());
  hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  const std::string next = server_.commit(kRepo, {{"config.json", {"{}"}}, {"onnx/model.onnx", {large_, true}}});
  server_.forget_requests();
  const auto path = hub.file(hub.snapshot(kRepo), "onnx/model.onnx");
  EXPECT_EQ(path, repo_folder() / "snapshots" / next / "onnx/model.onnx");
  EXPECT_EQ(read_file(path), large_);
  EXPECT_EQ(server_.count("/storage/"), 0U);
  EXPECT_EQ(read_file(repo_folder() / "refs/main"), next);
}

TEST_F(HubTest, keeps_the_loaded_commit_until_a_file_of_the_next_arrives) {
  const Hub hub(settings());
  hub.file(hub.snapshot(kRepo), "config.json");
  server_.commit(kRepo, {{"config.json", {"{}"}}});
  (void)hub.snapshot(kRepo);
  EXPECT_EQ(Hub(offline_settings()).snapshot(kRepo).commit, commit_);
}

TEST_F(HubTest, follows_a_renamed_repository) {
  server_.rename(kRepo, "new-owner/new-model");
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  EXPECT_EQ(read_file(hub.file(snapshot, "onnx/model.onnx")), large_);
  EXPECT_EQ(read_file(hub.file(snapshot, "config.json")), "{\"model_type\": \"bert\"}");
  EXPECT_TRUE(std::filesystem::exists(repo_folder()));
}

TEST_F(HubTest, takes_branches_tags_and_file_names_that_need_quoting) {
  const std::string tagged = server_.commit(kRepo, {{"a b/c+d%e\u00e9?.txt", {"odd"}}}, "refs/pr/1");
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo, "refs/pr/1");
  EXPECT_EQ(snapshot.commit, tagged);
  EXPECT_EQ(read_file(hub.file(snapshot, "a b/c+d%e\u00e9?.txt")), "odd");
  EXPECT_EQ(read_file(repo_folder() / "refs/refs/pr/1"), tagged);
}

TEST_F(HubTest, fetches_several_files_in_the_order_asked_for) {
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  const auto paths =
      hub.files(snapshot, {"onnx/model.onnx", "config.json", "onnx/model_q4.onnx", "config.json", "empty.txt"});
  ASSERT_EQ(paths.size(), 5U);
  EXPECT_EQ(read_file(paths[0]), large_);
  EXPECT_EQ(read_file(paths[2]), "four bits");
  EXPECT_EQ(paths[1], paths[3]);
  EXPECT_THAT(hub.files(snapshot, {}), IsEmpty());
}

TEST_F(HubTest, ends_several_downloads_at_the_first_error) {
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  EXPECT_THAT(error_of([&] { (void)hub.files(snapshot, {"config.json", "no.json", "onnx/model.onnx"}); }),
              AllOf(StartsWith("NotFound: "), HasSubstr("no file \"no.json\"")));
}

TEST_F(HubTest, works_offline_with_what_is_here) {
  const Hub online(settings());
  online.file(online.snapshot(kRepo), "config.json");
  server_.forget_requests();
  const Hub hub(offline_settings());
  for (const std::string& revision : {std::string("main"), commit_}) {
    const Snapshot snapshot = hub.snapshot(kRepo, revision);
    EXPECT_EQ(hub.file(snapshot, "config.json"), pointer("config.json"));
    EXPECT_EQ(hub.find_file(snapshot, "modules.json"), std::nullopt);
    EXPECT_THAT(error_of([&] { (void)hub.file(snapshot, "onnx/model.onnx"); }),
                AllOf(StartsWith("NotFound: owner/model (" + revision + "): \"onnx/model.onnx\" is not in the cache"),
                      HasSubstr("offline mode is on")));
  }
  EXPECT_THAT(
      error_of([&] { (void)hub.snapshot("owner/other"); }),
      AllOf(StartsWith("NotFound: owner/other (main): not in the cache"), HasSubstr("transmuter pull owner/other")));
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(HubTest, works_with_what_is_here_when_the_hub_does_not_answer) {
  const Hub hub(settings());
  hub.file(hub.snapshot(kRepo), "config.json");
  for (const Fault& fault : {Fault{.where = "/api/", .status = 503}, Fault{.where = "/api/", .status = 429},
                             Fault{.where = "/api/", .status = 403}, Fault{.where = "/api/", .raw = "garbage\r\n\r\n"},
                             Fault{.where = "/api/", .cut_after = 10}}) {
    server_.fail(fault);
    const Snapshot snapshot = hub.snapshot(kRepo);
    EXPECT_EQ(snapshot.commit, commit_);
    EXPECT_EQ(hub.file(snapshot, "config.json"), pointer("config.json"));
  }
  EXPECT_THAT(waits_, IsEmpty()) << "what is here is taken without trying again";
}

TEST_F(HubTest, works_with_what_python_left_when_the_hub_does_not_answer) {
  const Hub hub(settings());
  hub.file(hub.snapshot(kRepo), "config.json");
  std::filesystem::remove_all(repo_folder() / "trees");
  server_.fail({.where = "/", .times = 1000, .status = 503});
  const Snapshot snapshot = hub.snapshot(kRepo);
  EXPECT_FALSE(snapshot.is_complete);
  EXPECT_EQ(hub.file(snapshot, "config.json"), pointer("config.json"));
  EXPECT_EQ(hub.find_file(snapshot, "modules.json"), std::nullopt);
  EXPECT_THAT(waits_, IsEmpty());
  EXPECT_THAT(error_of([&] { hub.file(snapshot, "onnx/model.onnx"); }), StartsWith("Unavailable: "));
}

TEST_F(HubTest, does_not_load_a_revision_that_the_hub_has_no_more) {
  server_.commit(kRepo, {{"config.json", {"{}"}}}, "dev");
  const Hub hub(settings());
  hub.file(hub.snapshot(kRepo, "dev"), "config.json");
  server_.change(kRepo, [](ServedRepo& repo) { repo.refs.erase("dev"); });
  EXPECT_THAT(error_of([&] { (void)hub.snapshot(kRepo, "dev"); }), HasSubstr("no branch, tag or commit \"dev\""));
}

TEST_F(HubTest, says_that_nothing_listens) {
  HubSettings wrong = settings();
  for (const char* endpoint : {"http://127.0.0.1:1", "http://nowhere.invalid"}) {
    wrong.endpoint = endpoint;
    EXPECT_THAT(error_of([&] { (void)Hub(wrong).snapshot(kRepo); }),
                AllOf(StartsWith(std::string("Unavailable: ") + endpoint + "/api/models"), HasSubstr("--offline"),
                      HasSubstr("there is no directory owner/model here")));
  }
  EXPECT_TRUE(waits_.empty());
}

TEST_F(HubTest, waits_for_a_server_that_answered_before) {
  Hub hub(settings());
  (void)hub.snapshot(kRepo);
  server_.fail({.where = "GET /owner/model/resolve", .status = 302, .headers = {{"Location", "http://127.0.0.1:1/x"}}});
  EXPECT_EQ(read_file(hub.file(hub.snapshot(kRepo), "config.json")), "{\"model_type\": \"bert\"}");
  EXPECT_EQ(waits_.size(), 1U);
}

TEST_F(HubTest, tells_missing_things_apart) {
  const Hub hub(settings());
  EXPECT_THAT(error_of([&] { (void)hub.snapshot("owner/nothing"); }),
              AllOf(StartsWith("NotFound: owner/nothing: no such repository"), HasSubstr("set HF_TOKEN")));
  EXPECT_THAT(error_of([&] { (void)hub.snapshot(kRepo, "v9"); }),
              StartsWith("NotFound: owner/model: no branch, tag or commit \"v9\""));
  EXPECT_THAT(
      error_of([&] { (void)hub.file(hub.snapshot(kRepo), "onnx/model_q8.onnx"); }),
      StartsWith(
          "NotFound: owner/model (main): no file \"onnx/model_q8.onnx\"; it has onnx/model_q4.onnx, onnx/model.onnx"));
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(HubTest, tells_what_to_do_about_a_gated_repository_and_a_bad_token) {
  server_.require_token("hf_right");
  server_.change(kRepo, [](ServedRepo& repo) { repo.is_gated = true; });
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  EXPECT_THAT(
      error_of([&] { (void)hub.file(snapshot, "config.json"); }),
      AllOf(StartsWith("NotFound: owner/model: gated; accept its conditions at " + server_.endpoint() + "/owner/model"),
            HasSubstr("HF_TOKEN"), HasSubstr("(the hub says: Access to this model is restricted)")));
  HubSettings wrong = settings();
  wrong.token = "hf_wrong";
  EXPECT_THAT(error_of([&] { (void)Hub(wrong).snapshot(kRepo); }), HasSubstr("does not accept the token"));
}

TEST_F(HubTest, notes_files_that_do_not_exist) {
  const Hub hub(settings());
  const Snapshot snapshot = hub.snapshot(kRepo);
  server_.forget_requests();
  EXPECT_EQ(hub.find_file(snapshot, "1_Pooling/config.json"), std::nullopt);
  EXPECT_TRUE(std::filesystem::exists(repo_folder() / ".no_exist" / commit_ / "1_Pooling/config.json"));
  EXPECT_THAT(server_.requests(), IsEmpty());
  EXPECT_EQ(Hub(offline_settings()).snapshot(kRepo).commit, commit_) << "the absence is known offline too";
}

TEST_F(HubTest, reads_base_models_of_the_card_and_of_the_readme) {
  const Hub hub(settings());
  EXPECT_THAT(hub.base_models(hub.snapshot(kRepo)), ElementsAre("owner/base"));
  const Hub offline(offline_settings());
  EXPECT_THAT(offline.base_models(offline.snapshot(kRepo)), ElementsAre("owner/base"));
  server_.change(kRepo, [](ServedRepo& repo) { repo.card = R"({"base_model": ["a/b", "c/d", 3]})"; });
  EXPECT_THAT(hub.base_models(hub.snapshot(kRepo)), ElementsAre("a/b", "c/d"));
}

TEST_F(HubTest, lists_and_removes_cached_repositories) {
  const Hub hub(settings());
  EXPECT_THAT(hub.cached(), IsEmpty());
  hub.files(hub.snapshot(kRepo), {"config.json", "onnx/model.onnx"});
  write_file(cache_.path() / "datasets--a--b/snapshots/x/y", "not a model");
  write_file(cache_.path() / "models--broken/nothing", "");
  const auto repos = hub.cached();
  ASSERT_EQ(repos.size(), 1U);
  EXPECT_EQ(repos[0].repo, kRepo);
  EXPECT_EQ(repos[0].size, large_.size() + 22);
  ASSERT_EQ(repos[0].revisions.size(), 1U);
  EXPECT_EQ(repos[0].revisions[0].commit, commit_);
  EXPECT_THAT(repos[0].revisions[0].refs, ElementsAre("main"));
  ASSERT_EQ(repos[0].revisions[0].files.size(), 2U);
  EXPECT_EQ(repos[0].revisions[0].files[1].size, large_.size());
  hub.remove(kRepo);
  EXPECT_THAT(hub.cached(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(repo_folder()));
  EXPECT_THAT(error_of([&] { hub.remove(kRepo); }), StartsWith("NotFound: owner/model: not in the cache"));
}

}  // namespace
}  // namespace transmuter
