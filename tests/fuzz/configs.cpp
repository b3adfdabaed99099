// config.json, gliner_config.json and the model card.
#include <cstdint>
#include <string_view>

#include "hub/model_card.hpp"
#include "repository/labels.hpp"
#include "tasks/text/gliner_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)transmuter::base_models_of_readme(text);
  try {
    const auto config = transmuter::Json::parse(text, "config.json");
    (void)transmuter::base_models_of_card(config);
    const auto labels = transmuter::Labels::from_config(config);
    (void)transmuter::score_rule(config, labels);
  } catch (const transmuter::Error&) {
  }
  try {
    (void)transmuter::GlinerConfig::from_json(transmuter::Json::parse(text, "gliner_config.json"));
  } catch (const transmuter::Error&) {
  }
  return 0;
}
