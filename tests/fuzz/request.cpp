// A request: options of each task, inputs, and tensors in them.
#include <cstdint>
#include <string_view>

#include "base/describe.hpp"
#include "transmuter/text.hpp"

namespace {

template <class T>
void parse(const transmuter::Json& json) {
  try {
    T value{};
    transmuter::from_json(json, value);
  } catch (const transmuter::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto json = transmuter::Json::parse({reinterpret_cast<const char*>(data), size}, "request");
    parse<transmuter::TextEmbeddingOptions>(json);
    parse<transmuter::TextClassificationOptions>(json);
    parse<transmuter::QuestionAnsweringOptions>(json);
    parse<transmuter::TokenClassificationOptions>(json);
    parse<transmuter::TextOrPair>(json);
    parse<transmuter::TextRankingOptions>(json);
    parse<transmuter::QueryAndDocuments>(json);
    parse<transmuter::ZeroShotClassificationOptions>(json);
    parse<transmuter::ZeroShotText>(json);
    parse<transmuter::FillMaskOptions>(json);
    parse<transmuter::QuestionAndContext>(json);
    parse<transmuter::ZeroShotEntityRecognitionOptions>(json);
    parse<transmuter::TextWithLabels>(json);
    parse<transmuter::FloatTensor>(json);
  } catch (const transmuter::Error&) {
  }
  return 0;
}
