#include "repository/chat_templates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ReadChatTemplates, prefers_files_to_the_configuration) {
  const TemporaryFolder folder;
  const auto read = [&] { return read_chat_templates(Repository::open(dir(folder.path().string()), {})); };
  write_file(folder.path() / "config.json", "{}");
  EXPECT_THAT(read(), IsEmpty());
  write_file(folder.path() / "tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": "c"}]})");
  EXPECT_THAT(read(), ElementsAre(Pair("rag", "c")));
  write_file(folder.path() / "chat_template.jinja", "a");
  write_file(folder.path() / "additional_chat_templates/tool_use.jinja", "b");
  EXPECT_THAT(read(), ElementsAre(Pair("default", "a"), Pair("tool_use", "b")));
}

}  // namespace
}  // namespace transmuter
