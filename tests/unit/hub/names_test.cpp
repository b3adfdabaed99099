#include "hub/names.hpp"

#include "hub/digest.hpp"
#include "hub/download.hpp"
#include "hub/model_card.hpp"
#include "hub_fixture.hpp"

namespace transmuter {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(RepoId, takes_what_huggingface_hub_takes) {
  for (const char* repo : {"foo", "foo/bar", "123", "Foo-BAR_foo.bar123", "_a/b_", "a/b.c-d"}) {
    EXPECT_EQ(error_of([&] { check_repo_id(repo); }), "no error") << repo;
  }
}

TEST(RepoId, refuses_what_huggingface_hub_refuses) {
  for (const std::string repo :
       {"", "datasets/foo/bar", ".repo", "foo--bar", "foo..bar", "foo.git", "foo/", "/foo", "a b", "foo/bar-", "-a/b",
        "a./b", "../b", "a/..", "https://huggingface.co/a", "a\n", "\u00e9"}) {
    EXPECT_THAT(error_of([&] { check_repo_id(repo); }), StartsWith("InvalidInput: ")) << repo;
  }
  EXPECT_EQ(error_of([] { check_repo_id("a/" + std::string(96, 'b')); }), "no error");
  EXPECT_NE(error_of([] { check_repo_id("a/" + std::string(97, 'b')); }), "no error");
}

TEST(RelativePath, must_stay_below_its_folder) {
  const auto error = [](std::string_view path) {
    return error_of([&] { check_relative_path(path, "file", ErrorCode::InvalidModel); });
  };
  for (const std::string_view path : {"a", "a/b.txt", ".gitattributes", "a..b/c", "...", "a/b/c/d e"}) {
    EXPECT_EQ(error(path), "no error") << path;
  }
  using namespace std::string_view_literals;
  for (const std::string_view path :
       {""sv, "/a"sv, "../a"sv, "a/../b"sv, "a/.."sv, "."sv, "./a"sv, "a//b"sv, "a/"sv, "a\0b"sv}) {
    EXPECT_THAT(error(path), StartsWith("InvalidModel: file \"")) << path;
  }
  EXPECT_THAT(error(std::string(256, 'a')), StartsWith("InvalidModel: "));
}

TEST(Names, are_quoted_for_urls) {
  EXPECT_EQ(percent_encode("refs/pr/1", false), "refs%2Fpr%2F1");
  EXPECT_EQ(percent_encode("a b/c+d%e\u00e9?#~.txt", true), "a%20b/c%2Bd%25e%C3%A9%3F%23~.txt");
}

TEST(Names, are_sorted_by_nearness) {
  EXPECT_THAT(nearest_names("model.onnx", {"config.json", "onnx/model_q4.onnx", "onnx/model.onnx"}, 2),
              ElementsAre("onnx/model.onnx", "onnx/model_q4.onnx"));
  EXPECT_THAT(nearest_names("a", {}, 2), IsEmpty());
}

TEST(Names, of_servers_are_printed_on_one_short_line) {
  EXPECT_EQ(printable("a\r\n\x1b[31mb"), "a   [31mb");
  EXPECT_EQ(printable(std::string(300, 'a')), std::string(200, 'a') + "...");
}

TEST(Etag, is_stripped_as_huggingface_hub_does) {
  EXPECT_EQ(normalized_etag("\"abc\""), "abc");
  EXPECT_EQ(normalized_etag("W/\"abc\""), "abc");
  EXPECT_EQ(normalized_etag("abc"), "abc");
  EXPECT_EQ(normalized_etag(""), "");
  EXPECT_EQ(normalized_etag("W/\"\""), "");
}

std::string digest(const std::string& content, std::size_t digits) {
  auto digest = Digest::of_etag(std::string(digits, 'a'), content.size()).value();
  digest.add(content);
  return digest.hexadecimal();
}

TEST(Digest, is_sha256_or_that_of_a_git_blob) {
  EXPECT_EQ(digest("abc", 64), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("hello\n", 40), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(digest("", 40), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_FALSE(Digest::of_etag("abc", 3));
  EXPECT_FALSE(Digest::of_etag(std::string(40, 'X'), 3));
}

TEST(ModelCard, names_base_models_of_json) {
  const auto models = [](const char* card) { return base_models_of_card(Json::parse(card, "card")); };
  EXPECT_THAT(models(R"({"base_model": "BAAI/bge-small-en-v1.5"})"), ElementsAre("BAAI/bge-small-en-v1.5"));
  EXPECT_THAT(models(R"({"base_model": ["a/b", 3, "./local", "c"]})"), ElementsAre("a/b", "c"));
  EXPECT_THAT(models(R"({"base_model": null})"), IsEmpty());
  EXPECT_THAT(models(R"([])"), IsEmpty());
}

TEST(ModelCard, names_base_models_of_yaml) {
  const auto models = [](const std::string& yaml) {
    return base_models_of_readme("---\n" + yaml + "\n---\n# Title\n");
  };
  EXPECT_THAT(models("license: mit\nbase_model: a/b"), ElementsAre("a/b"));
  EXPECT_THAT(models("base_model: \"a/b\"  # why\ntags: [x]"), ElementsAre("a/b"));
  EXPECT_THAT(models("base_model: 'a/b'\r"), ElementsAre("a/b"));
  EXPECT_THAT(models("base_model: a/b # why"), ElementsAre("a/b"));
  EXPECT_THAT(models("base_model:\n- a/b\n- \"c/d\"\nlicense: mit"), ElementsAre("a/b", "c/d"));
  EXPECT_THAT(models("base_model: # two\n  - a/b\n\n  # and\n  - c/d"), ElementsAre("a/b", "c/d"));
  EXPECT_THAT(models("base_model: [a/b, 'c/d']"), ElementsAre("a/b", "c/d"));
  EXPECT_THAT(models("base_model: [\n  a/b,\n  c/d\n]\nx: y"), ElementsAre("a/b", "c/d"));
  EXPECT_THAT(models("base_model:\nlicense: mit"), IsEmpty());
  EXPECT_THAT(models("base_model_relation: quantized\nx:\n  base_model: a/b"), IsEmpty());
  EXPECT_THAT(models("base_model: ./my model"), IsEmpty());
}

TEST(ModelCard, has_no_base_model_outside_the_front_matter) {
  EXPECT_THAT(base_models_of_readme(""), IsEmpty());
  EXPECT_THAT(base_models_of_readme("# Title\n---\nbase_model: a/b\n---\n"), IsEmpty());
  EXPECT_THAT(base_models_of_readme("---\nlicense: mit\n---\nbase_model: a/b\n"), IsEmpty());
  EXPECT_THAT(base_models_of_readme("---\nbase_model: a/b\n"), IsEmpty());
  EXPECT_THAT(base_models_of_readme("\xEF\xBB\xBF---\r\nbase_model: a/b\r\n---\r\n"), ElementsAre("a/b"));
}

TEST(ModelCard, survives_broken_yaml) {
  for (const char* yaml : {"base_model: [", "base_model: \"", "base_model: '", "base_model: [a/b", "base_model: ]["}) {
    (void)base_models_of_readme(std::string("---\n") + yaml + "\n---\n");
  }
}

}  // namespace
}  // namespace transmuter
