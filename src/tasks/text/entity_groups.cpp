#include "tasks/text/entity_groups.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "tensor/ops.hpp"

namespace transmuter {
namespace {

/// The label of a token or word with the highest of `scores`; the first one of equals.
LabelledTokens best(std::size_t first, std::size_t last, std::span<const float> scores) {
  const auto highest = std::ranges::max_element(scores);
  return {.first = first, .last = last, .label = static_cast<std::size_t>(highest - scores.begin()), .score = *highest};
}

std::vector<float> mean(std::span<const std::vector<float>> rows) {
  std::vector<float> result(rows.front().size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0;
    for (const auto& row : rows) sum += row[i];
    result[i] = static_cast<float>(sum / static_cast<double>(rows.size()));
  }
  return result;
}

/// The label of the word whose tokens begin with `first` and have these scores.
LabelledTokens label_word(std::size_t first, std::span<const std::vector<float>> scores, Aggregation aggregation) {
  const std::size_t last = first + scores.size();
  switch (aggregation) {
    case Aggregation::None:
    case Aggregation::Simple: break;
    case Aggregation::First: return best(first, last, scores.front());
    case Aggregation::Average: return best(first, last, mean(scores));
    case Aggregation::Max: {
      const auto highest = [](const std::vector<float>& token) { return std::ranges::max(token); };
      return best(first, last, *std::ranges::max_element(scores, {}, highest));
    }
  }
  fail(ErrorCode::Internal, "aggregation {} does not make words", static_cast<int>(aggregation));
}

bool makes_words(Aggregation aggregation) {
  return aggregation != Aggregation::None && aggregation != Aggregation::Simple;
}

}  // namespace

std::vector<LabelledTokens> label_tokens(std::span<const float> logits, std::span<const TokenRole> roles,
                                         Aggregation aggregation) {
  std::vector<LabelledTokens> spans;
  if (roles.empty()) return spans;
  const std::size_t labels = logits.size() / roles.size();
  const auto scores_of = [&](std::size_t token) {
    const auto own = logits.subspan(token * labels, labels);
    std::vector<float> scores(own.begin(), own.end());
    softmax(scores);
    return scores;
  };
  std::vector<std::vector<float>> word;
  for (std::size_t token = 0; token < roles.size();) {
    const std::size_t first = token++;
    if (roles[first] == TokenRole::Special) continue;
    if (!makes_words(aggregation)) {
      spans.push_back(best(first, token, scores_of(first)));
      continue;
    }
    word.assign(1, scores_of(first));
    for (; token < roles.size() && roles[token] == TokenRole::Continues; ++token) word.push_back(scores_of(token));
    spans.push_back(label_word(first, word, aggregation));
  }
  return spans;
}

LabelTag label_tag(const std::string& name) {
  const bool begins = name.starts_with("B-");
  const auto hyphen = name.find('-');
  return {.begins = begins,
          .tag = begins || name.starts_with("I-") ? name.substr(2) : name,
          .group = hyphen == std::string::npos ? name : name.substr(hyphen + 1)};
}

std::vector<SpanGroup> group_spans(std::span<const LabelledTokens> spans, std::span<const LabelTag> tags) {
  std::vector<SpanGroup> groups;
  for (std::size_t first = 0; first < spans.size();) {
    const std::string& tag = tags[spans[first].label].tag;
    double sum = spans[first].score;
    std::size_t last = first + 1;
    for (; last < spans.size(); ++last) {
      const LabelTag& next = tags[spans[last].label];
      if (next.begins || next.tag != tag) break;
      sum += spans[last].score;
    }
    groups.push_back(
        {.first = first, .last = last, .score = static_cast<float>(sum / static_cast<double>(last - first))});
    first = last;
  }
  return groups;
}

std::vector<Entity> without_overlaps(std::vector<Entity> entities, const CodePointIndex& points) {
  if (entities.empty()) return entities;
  std::ranges::stable_sort(entities, {}, &Entity::start);
  const auto length = [&](const Entity& entity) {
    return static_cast<std::ptrdiff_t>(points.before(entity.end)) -
           static_cast<std::ptrdiff_t>(points.before(entity.start));
  };
  std::vector<Entity> kept;
  Entity previous = entities.front();
  // The first one meets itself: without a length it does not overlap and is there twice, as in Python.
  for (Entity& entity : entities) {
    if (previous.start <= entity.start && entity.start < previous.end) {
      const auto own = length(entity);
      const auto other = length(previous);
      if (own > other || (own == other && entity.score > previous.score)) previous = std::move(entity);
    } else {
      kept.push_back(std::exchange(previous, std::move(entity)));
    }
  }
  kept.push_back(std::move(previous));
  return kept;
}

}  // namespace transmuter
