#include "hub/settings.hpp"

#include <map>

#include "hub_fixture.hpp"

namespace transmuter {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

HubSettings with(const std::map<std::string, std::string>& variables) {
  return settings_from([&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(HubSettings, has_the_defaults_of_huggingface_hub) {
  const HubSettings settings = with({{"HOME", "/home/me"}});
  EXPECT_EQ(settings.cache_dir, "/home/me/.cache/huggingface/hub");
  EXPECT_EQ(settings.endpoint, "https://huggingface.co");
  EXPECT_EQ(settings.token, "");
  EXPECT_FALSE(settings.offline);
  EXPECT_TRUE(settings.symlinks);
  EXPECT_TRUE(settings.progress_bars);
  EXPECT_EQ(settings.etag_timeout, milliseconds(10'000));
  EXPECT_EQ(settings.download_timeout, milliseconds(10'000));
  EXPECT_FALSE(settings.trace);
}

TEST(HubSettings, finds_the_cache_folder) {
  const std::string home = "/home/me";
  EXPECT_EQ(with({{"HOME", home}, {"XDG_CACHE_HOME", "/x"}}).cache_dir, "/x/huggingface/hub");
  EXPECT_EQ(with({{"HOME", home}, {"HF_HOME", "~/hf"}}).cache_dir, "/home/me/hf/hub");
  EXPECT_EQ(with({{"HOME", home}, {"HF_HOME", "$DISK/${NAME}_$NONE"}, {"DISK", "/d"}, {"NAME", "n"}}).cache_dir,
            "/d/n_$NONE/hub");
  EXPECT_EQ(with({{"HOME", home}, {"HF_HOME", "/hf"}, {"HUGGINGFACE_HUB_CACHE", "/old"}}).cache_dir, "/old");
  EXPECT_EQ(with({{"HOME", home}, {"HF_HUB_CACHE", "/new"}, {"HUGGINGFACE_HUB_CACHE", "/old"}}).cache_dir, "/new");
  EXPECT_EQ(with({{"HOME", home}, {"HF_HOME", ""}}).cache_dir, "/home/me/.cache/huggingface/hub");
}

TEST(HubSettings, finds_the_token) {
  const TemporaryFolder folder;
  write_file(folder.path() / "token", " hf_file\n");
  write_file(folder.path() / "other", "hf_other");
  const std::string home = folder.path();
  EXPECT_EQ(with({{"HF_HOME", home}}).token, "hf_file");
  EXPECT_EQ(with({{"HF_HOME", home}, {"HF_TOKEN_PATH", home + "/other"}}).token, "hf_other");
  EXPECT_EQ(with({{"HF_HOME", home}, {"HF_ACCESS_TOKEN", "hf_access"}}).token, "hf_access");
  EXPECT_EQ(with({{"HF_HOME", home}, {"HF_TOKEN", " hf_\nvariable "}, {"HF_ACCESS_TOKEN", "x"}}).token, "hf_variable");
  EXPECT_EQ(with({{"HF_HOME", home}, {"HF_TOKEN", "x"}, {"HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"}}).token, "");
}

TEST(HubSettings, reads_switches_as_huggingface_hub_does) {
  for (const char* yes : {"1", "on", "Yes", "TRUE"}) EXPECT_TRUE(with({{"HF_HUB_OFFLINE", yes}}).offline) << yes;
  for (const char* no : {"0", "false", "2", ""}) EXPECT_FALSE(with({{"HF_HUB_OFFLINE", no}}).offline) << no;
  EXPECT_TRUE(with({{"TRANSFORMERS_OFFLINE", "1"}}).offline);
  EXPECT_FALSE(with({{"HF_HUB_OFFLINE", "0"}, {"TRANSFORMERS_OFFLINE", "1"}}).offline);
  EXPECT_FALSE(with({{"HF_HUB_DISABLE_SYMLINKS", "1"}}).symlinks);
  EXPECT_FALSE(with({{"HF_HUB_DISABLE_PROGRESS_BARS", "1"}}).progress_bars);
  EXPECT_TRUE(with({{"HF_DEBUG", "1"}}).trace);
  EXPECT_EQ(with({{"HF_ENDPOINT", "https://hub.example.com//"}}).endpoint, "https://hub.example.com");
  EXPECT_EQ(with({{"CURL_CA_BUNDLE", "/ca.pem"}}).certificates, "/ca.pem");
}

TEST(HubSettings, reads_timeouts_in_seconds) {
  const HubSettings settings = with({{"HF_HUB_ETAG_TIMEOUT", "3"}, {"HF_HUB_DOWNLOAD_TIMEOUT", "0"}});
  EXPECT_EQ(settings.etag_timeout, milliseconds(3'000));
  EXPECT_EQ(settings.download_timeout, milliseconds(10'000));
  for (const char* wrong : {"ten", "-1", "1.5", "99999999999"}) {
    EXPECT_THAT(error_of([&] { with({{"HF_HUB_ETAG_TIMEOUT", wrong}}); }),
                StartsWith(std::string("InvalidInput: HF_HUB_ETAG_TIMEOUT=\"") + wrong));
  }
}

TEST(HubSettings, refuses_what_can_not_work) {
  HubSettings settings = with({{"HOME", "/home/me"}});
  settings.endpoint = "ftp://example.com";
  EXPECT_THAT(error_of([&] { Hub{settings}; }), StartsWith("InvalidInput: endpoint (HF_ENDPOINT)"));
  settings.endpoint = "https://example.com";
  settings.token = "hf\r\nX-Other: 1";
  EXPECT_THAT(error_of([&] { Hub{settings}; }), HasSubstr("HF_TOKEN"));
  settings.token = "";
  settings.cache_dir = "";
  EXPECT_THAT(error_of([&] { Hub{settings}; }), HasSubstr("HF_HUB_CACHE"));
}

}  // namespace
}  // namespace transmuter
