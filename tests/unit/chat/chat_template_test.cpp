#include "chat/chat_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace transmuter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Json json(std::string_view text) { return Json::parse(text, "request", ErrorCode::InvalidInput); }

const Json kHello = json(R"([{"role": "user", "content": "Hello"}])");

TEST(ChatTemplate, has_messages_special_tokens_and_variables) {
  const ChatTemplate chat_template(
      "{{ bos_token }}{% for m in messages %}{{ m.role }}: {{ m['content'] }}{% endfor %}{{ mood }}",
      {{"bos_token", "<s>"}, {"mood", "calm"}});
  EXPECT_EQ(chat_template.apply({.messages = kHello}), "<s>user: Hellocalm");
  EXPECT_EQ(chat_template.apply({.messages = kHello, .variables = {{"mood", "glad"}}}), "<s>user: Helloglad");
}

TEST(ChatTemplate, says_what_the_template_raises_and_nothing_else) {
  const ChatTemplate chat_template("{{ raise_exception('Roles must alternate') }}");
  EXPECT_EQ(error_of([&] { (void)chat_template.apply({.messages = kHello}); }),
            "InvalidInput: chat template: Roles must alternate");
}

TEST(ChatTemplate, says_where_a_template_is_broken) {
  EXPECT_THAT(error_of([] { const ChatTemplate broken("{{ a }}\n{% for %}"); }),
              AllOf(StartsWith("InvalidModel: chat template: "), HasSubstr("line 2")));
}

TEST(ChatTemplate, says_what_is_missing) {
  const ChatTemplate chat_template("\n{{ messages[0].content.parts.first }}");
  EXPECT_THAT(error_of([&] { (void)chat_template.apply({.messages = kHello}); }),
              AllOf(StartsWith("InvalidInput: chat template: "), HasSubstr("line 2")));
}

TEST(ChatTemplate, ends_programs_that_run_away) {
  for (const std::string_view source : {"{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) "
                                        "%}{% endfor %}{% endfor %}{% endfor %}",
                                        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
                                        "{{ 'x' * 10 ** 12 }}", "{{ 'x'.ljust(10 ** 12) }}"}) {
    const ChatTemplate chat_template(source);
    EXPECT_THAT(error_of([&] { (void)chat_template.apply({.messages = kHello}); }), StartsWith("InvalidInput"))
        << source;
  }
}

TEST(ChatTemplate, continues_the_final_message) {
  const std::string_view source = "{% for m in messages %}[{{ m.content }}]{% endfor %}";
  const Json messages = json(R"([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "I think "}])");
  EXPECT_EQ(ChatTemplate(source).apply({.messages = messages, .continue_final_message = true}), "[Hi][I think ");
  const ChatTemplate trims("{% for m in messages %}[{{ m.content | trim }}]{% endfor %}");
  EXPECT_EQ(trims.apply({.messages = messages, .continue_final_message = true}), "[Hi][I think");
  const Json parts = json(R"([{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image"}]}])");
  const ChatTemplate by_parts("{% for m in messages %}{% for p in m.content %}<{{ p.text }}>{% endfor %}{% endfor %}");
  EXPECT_EQ(by_parts.apply({.messages = parts, .continue_final_message = true}), "<one");
}

TEST(ChatTemplate, says_when_the_final_message_cannot_be_continued) {
  const auto continued = [](std::string_view source, const Json& messages, bool generation = false) {
    return error_of([&] {
      (void)ChatTemplate(source).apply(
          {.messages = messages, .add_generation_prompt = generation, .continue_final_message = true});
    });
  };
  EXPECT_THAT(continued("no messages", kHello), HasSubstr("leaves parts of the last message out"));
  EXPECT_THAT(continued("{{ messages }}", kHello, true), HasSubstr("exclude each other"));
  EXPECT_THAT(continued("{{ messages }}", json("[]")), HasSubstr("no message to continue"));
  EXPECT_THAT(continued("{{ messages }}", json(R"([{"role": "user", "content": [{"type": "image"}]}])")),
              HasSubstr("no text"));
}

TEST(ChatTemplate, writes_the_time_that_it_is_given) {
  const ChatTemplate chat_template("{{ strftime_now('%d %b %Y, %H:%M:%S %f|%j %A%z') }}");
  EXPECT_EQ(chat_template.apply({.messages = kHello, .now = "2024-07-26T13:45:01.25"}),
            "26 Jul 2024, 13:45:01 250000|208 Friday");
  EXPECT_THAT(error_of([&] { (void)chat_template.apply({.messages = kHello, .now = "2024-02-30T00:00:00"}); }),
              HasSubstr("2024-02-30T00:00:00"));
  EXPECT_THAT(chat_template.apply({.messages = kHello}), HasSubstr(" 20"));
}

TEST(ChatTemplate, is_chosen_by_name) {
  EXPECT_EQ(choose_template(templates_of(json(R"({"chat_template": "one"})")), true), "one");
  const auto named = templates_of(
      json(R"({"chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]})"));
  EXPECT_EQ(choose_template(named, false), "a");
  EXPECT_EQ(choose_template(named, true), "b");
  EXPECT_THAT(error_of([] { (void)choose_template({}, false); }), AllOf(StartsWith("NotFound"), HasSubstr("messages")));
  EXPECT_THAT(error_of([] { (void)choose_template({{"rag", "x"}}, false); }), HasSubstr("it has rag"));
}

}  // namespace
}  // namespace transmuter
