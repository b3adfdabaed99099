#include <algorithm>

#include "base/log.hpp"
#include "repository/labels.hpp"
#include "serving/make_serving.hpp"
#include "tasks/text/entity_groups.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

struct TokenClassification {
  using Input = std::string;
  using Output = Entities;
  using RowOutput = std::vector<LabelledTokens>;
  struct Row {
    Encoding tokens;
    std::vector<TokenRole> roles;
  };

  TextModel model;
  std::string output = "logits";
  Labels labels;
  std::vector<LabelTag> tags;  // by label
  Aggregation aggregation = Aggregation::None;
  std::vector<std::string> ignored;
  std::optional<std::int64_t> unknown_id;
  std::optional<std::size_t> stride;
  OffsetUnit unit = OffsetUnit::Bytes;

  Work<Row> prepare(const Input& text) const {
    std::vector<Encoding> windows;
    if (stride) {
      windows = model.windows(text, std::nullopt, *stride, TruncationStrategy::LongestFirst);
    } else {
      windows.push_back(model.encode(text));
    }
    Work<Row> work;
    work.key = model.key(*std::ranges::max_element(windows, {}, &Encoding::length));
    work.rows.reserve(windows.size());
    for (Encoding& window : windows) {
      std::vector<TokenRole> roles = roles_of(text, window);
      work.rows.push_back({.tokens = std::move(window), .roles = std::move(roles)});
    }
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  // out: [rows, length, labels]
  std::vector<RowOutput> execute(Rows<Row> rows) const {
    const auto logits = model.run(encodings_of(rows, &Row::tokens), output, OutputKind::TokenVectors);
    std::vector<RowOutput> outputs;
    outputs.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto count = static_cast<std::size_t>(logits[i].tensor->shape().back());
      if (count > tags.size()) {
        fail(ErrorCode::InvalidModel, "{}: the model gives {} scores a token, but config.json names {} labels",
             model.file(), count, tags.size());
      }
      const auto own = logits[i].values().first(rows[i]->tokens.length() * count);  // without the padding
      outputs.push_back(label_tokens(own, rows[i]->roles, aggregation));
    }
    return outputs;
  }

  Output finish(const Input& text, std::span<const Row> rows, std::span<RowOutput> outputs) const {
    Entities result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (aggregation == Aggregation::None) {
        add_tokens(text, rows[i].tokens, outputs[i], result.entities);
      } else {
        add_groups(text, rows[i].tokens, outputs[i], result.entities);
      }
    }
    if (rows.size() == 1 && unit == OffsetUnit::Bytes) return result;
    const CodePointIndex points(text);
    if (rows.size() > 1) result.entities = without_overlaps(std::move(result.entities), points);
    if (unit == OffsetUnit::CodePoints) {
      for (Entity& entity : result.entities) {
        entity.start = points.before(entity.start);
        entity.end = points.before(entity.end);
      }
    }
    return result;
  }

 private:
  // Parity: transformers 4.57 TokenClassificationPipeline.gather_pre_entities: pieces with a prefix such as "##" are
  // not as long as their text; other tokenizers tell words by the spaces between them.
  std::vector<TokenRole> roles_of(std::string_view text, const Encoding& row) const {
    std::vector<TokenRole> roles(row.length(), TokenRole::Start);
    const bool words_matter = aggregation != Aggregation::None && aggregation != Aggregation::Simple;
    const bool has_prefix = !model.tokenizer().continuing_subword_prefix().empty();
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const auto [start, end] = row.offsets[i];
      if (row.special_tokens_mask[i] != 0) {
        roles[i] = TokenRole::Special;
      } else if (!words_matter || is_unknown(row, i)) {
        continue;
      } else if (has_prefix ? code_points(piece(text, row, i)) != code_points(text.substr(start, end - start))
                            : start > 0 && text.substr(start - 1, 2).find(' ') == std::string_view::npos) {
        roles[i] = TokenRole::Continues;
      }
    }
    return roles;
  }

  bool is_unknown(const Encoding& row, std::size_t token) const { return row.ids[token] == unknown_id; }

  // The token, or its text when the tokenizer does not know it.
  std::string piece(std::string_view text, const Encoding& row, std::size_t token) const {
    const auto [start, end] = row.offsets[token];
    if (is_unknown(row, token)) return std::string(text.substr(start, end - start));
    return model.tokenizer().find_token(row.ids[token]).value_or("");
  }

  bool is_ignored(const std::string& label) const { return std::ranges::find(ignored, label) != ignored.end(); }

  void add_tokens(std::string_view text, const Encoding& row, std::span<const LabelledTokens> tokens,
                  std::vector<Entity>& entities) const {
    for (const LabelledTokens& token : tokens) {
      const std::string label = labels.name(token.label);
      if (is_ignored(label)) continue;
      entities.push_back({.label = label,
                          .phrase = piece(text, row, token.first),
                          .start = row.offsets[token.first].start,
                          .end = row.offsets[token.first].end,
                          .score = token.score,
                          .index = static_cast<std::int64_t>(token.first)});
    }
  }

  void add_groups(std::string_view text, const Encoding& row, std::span<const LabelledTokens> spans,
                  std::vector<Entity>& entities) const {
    for (const SpanGroup& group : group_spans(spans, tags)) {
      const auto own = spans.subspan(group.first, group.last - group.first);
      const std::string& label = tags[own.front().label].group;
      if (is_ignored(label)) continue;
      entities.push_back({.label = label,
                          .phrase = phrase_of(text, row, own),
                          .start = row.offsets[own.front().first].start,
                          .end = row.offsets[own.back().last - 1].end,
                          .score = group.score});
    }
  }

  // Parity: transformers 4.57 TokenClassificationPipeline.aggregate_word and group_sub_entities: the decoder joins the
  // tokens of a word, and then the words again.
  std::string phrase_of(std::string_view text, const Encoding& row, std::span<const LabelledTokens> spans) const {
    std::vector<std::string> words;
    for (const LabelledTokens& span : spans) {
      std::vector<std::string> pieces;
      for (std::size_t i = span.first; i < span.last; ++i) pieces.push_back(piece(text, row, i));
      words.push_back(aggregation == Aggregation::Simple ? std::move(pieces.front()) : model.tokenizer().join(pieces));
    }
    return model.tokenizer().join(words);
  }
};

std::optional<std::size_t> checked_stride(const TokenClassificationOptions& options, const TextModel& model) {
  if (!options.stride) return std::nullopt;
  if (options.aggregation == Aggregation::None) {
    fail(ErrorCode::InvalidInput,
         "stride: windows that overlap need an aggregation to become one result; set aggregation to same, first, "
         "average or max");
  }
  const std::size_t room = model.max_length() - model.tokenizer().added_count();
  if (*options.stride < 0 || static_cast<std::size_t>(*options.stride) >= room) {
    fail(ErrorCode::InvalidInput, "stride: must be from 0 to {}, since a window has {} tokens of the text; it is {}",
         room - 1, room, *options.stride);
  }
  return static_cast<std::size_t>(*options.stride);
}

}  // namespace

namespace text {

Serving<std::string, Entities> token_classification(const Source& source, const TokenClassificationOptions& options) {
  const Repository repository = Repository::open(source, options.load);
  const Json config = repository.json("config.json");
  TokenClassification task{.model = TextModel::open(repository, options.compile, options.load, {}),
                           .labels = Labels::from_config(config),
                           .tags = {},
                           .aggregation = options.aggregation,
                           .ignored = options.ignore_labels,
                           .unknown_id = {},
                           .stride = {},
                           .unit = options.offset_unit};
  task.model.check_output(task.output, OutputKind::TokenVectors);
  task.unknown_id = task.model.tokenizer().special_id(SpecialToken::Unk);
  task.stride = checked_stride(options, task.model);
  const std::int64_t scores = task.model.signature().find_output(task.output)->dims.back();
  const std::size_t count = scores > 0 ? static_cast<std::size_t>(scores) : task.labels.size();
  if (config.find("id2label") && count != task.labels.size()) {
    log_warning("{}: config.json names {} labels, but the model gives {} scores", repository.name(), task.labels.size(),
                count);
  }
  for (std::size_t i = 0; i < count; ++i) task.tags.push_back(label_tag(task.labels.name(i)));
  const ServingOptions serving = task.model.serving_options(options.compile, options.load);
  return make_serving(std::move(task), serving);
}

}  // namespace text
}  // namespace transmuter
