#include "tasks/text/gliner_prompt.hpp"

#include <unordered_set>

namespace transmuter {

std::vector<std::string> without_repeats(std::span<const std::string> labels) {
  std::vector<std::string> unique;
  std::unordered_set<std::string_view> seen;
  for (const std::string& label : labels) {
    if (seen.insert(label).second) unique.push_back(label);
  }
  return unique;
}

GlinerWords words_with_prompt(std::span<const std::string> labels, std::string_view text,
                              std::span<const ByteRange> words, const GlinerConfig& config) {
  GlinerWords made;
  made.words.reserve(2 * labels.size() + 1 + words.size());
  for (const std::string& label : labels) {
    made.words.push_back(config.ent_token);
    if (!label.empty()) made.words.push_back(label);
  }
  made.words.push_back(config.sep_token);
  made.prompt_size = made.words.size();
  for (const ByteRange& word : words) made.words.emplace_back(text.substr(word.start, word.end - word.start));
  return made;
}

std::vector<std::int64_t> words_mask(std::span<const std::int32_t> word_ids, std::size_t prompt_size,
                                     SubtokenPooling pooling) {
  constexpr std::int32_t kNone = -1;
  std::vector<std::int64_t> mask(word_ids.size(), 0);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < word_ids.size(); ++i) {
    const std::int32_t word = word_ids[i];
    if (word == kNone) continue;
    const bool is_first = i == 0 || word_ids[i - 1] != word;
    const bool is_last = i + 1 == word_ids.size() || word_ids[i + 1] != word;
    if (is_first) ++seen;
    const bool stands_for_word = pooling == SubtokenPooling::All || (pooling == SubtokenPooling::First && is_first) ||
                                 (pooling == SubtokenPooling::Last && is_last);
    if (seen > prompt_size && stands_for_word) mask[i] = static_cast<std::int64_t>(seen - prompt_size);
  }
  return mask;
}

}  // namespace transmuter
