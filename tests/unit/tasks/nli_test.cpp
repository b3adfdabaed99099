#include "tasks/text/nli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace transmuter {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

std::optional<std::int64_t> entailment(std::string_view config) {
  return find_entailment(Json::parse(config, "config.json"));
}

TEST(Nli, takes_the_first_label_that_begins_with_entail) {
  EXPECT_EQ(entailment(R"({"label2id": {"not_entailment": 0, "EnTaIls": 2, "entailment": 1}})"), 2);
  EXPECT_EQ(entailment(R"({"label2id": {"entai": 0, "yes": 1}, "id2label": {"0": "entailment"}})"), std::nullopt);
  EXPECT_EQ(entailment(R"({"id2label": {"0": "no", "1": "Entailment"}})"), 1);
  EXPECT_EQ(entailment("{}"), std::nullopt);
  EXPECT_THAT(error_of([] { (void)entailment(R"({"label2id": {"entailment": "one"}})"); }), HasSubstr("integer"));
  EXPECT_THAT(error_of([] { (void)entailment(R"({"id2label": {"one": "entailment"}})"); }), HasSubstr("index"));
}

TEST(Nli, contradiction_is_the_other_end) {
  EXPECT_EQ(nli_labels(0).contradiction, -1);
  EXPECT_EQ(nli_labels(2).contradiction, 0);
  EXPECT_EQ(nli_labels(std::nullopt).entailment, -1);
  EXPECT_EQ(nli_labels(std::nullopt).contradiction, 0);
}

TEST(Nli, scores_hypotheses_together_or_alone) {
  const std::vector<NliLogits> logits = {{.entailment = 1000.0F, .contradiction = 1000.0F},
                                         {.entailment = 999.0F, .contradiction = 0.0F}};
  EXPECT_THAT(hypothesis_scores(logits, false),
              ElementsAre(FloatNear(0.7310586F, 1e-6F), FloatNear(0.2689414F, 1e-6F)));
  EXPECT_THAT(hypothesis_scores(logits, true), ElementsAre(0.5F, 1.0F));
}

}  // namespace
}  // namespace transmuter
