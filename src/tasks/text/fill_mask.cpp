#include <algorithm>

#include "base/log.hpp"
#include "serving/make_serving.hpp"
#include "tasks/text/best_tokens.hpp"
#include "text_model/text_model.hpp"
#include "transmuter/text.hpp"

namespace transmuter {
namespace {

constexpr std::string_view kMask = "[MASK]";  // works with every model

struct MaskedText {
  Encoding encoding;
  std::vector<std::size_t> masks;  // their positions
};

struct FillMask {
  using Input = std::string;
  using Row = MaskedText;
  using RowOutput = std::vector<std::vector<TokenScore>>;  // of each mask: the logits of all tokens would fill memory
  using Output = FilledMasks;

  TextModel model;
  std::string output = "logits";
  std::string mask_token;
  std::int64_t mask_id = 0;
  std::size_t top_k = 5;
  std::vector<std::size_t> targets;

  Work<Row> prepare(const Input& input) const {
    Row row{.encoding = model.encode(with_mask_token(input)), .masks = {}};
    const auto& ids = row.encoding.ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == mask_id) row.masks.push_back(i);
    }
    if (row.masks.empty()) {
      fail(ErrorCode::InvalidInput, "the text has no {}{} within its first {} tokens: write it where a word is missing",
           kMask, mask_token == kMask ? "" : fmt::format(" or {}", mask_token), model.max_length());
    }
    Work<Row> work;
    work.key = model.key(row.encoding);
    work.rows.push_back(std::move(row));
    return work;
  }

  std::size_t rows_at_once(const BatchKey& key) const { return model.rows_at_once(key); }

  // out: [rows, length, vocabulary]
  std::vector<RowOutput> execute(Rows<Row> rows) const {
    const auto outputs = model.run(encodings_of(rows, &Row::encoding), output, OutputKind::TokenVectors);
    std::vector<RowOutput> results(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const std::size_t mask : rows[i]->masks) results[i].push_back(best(outputs[i].token(mask)));
    }
    return results;
  }

  // Parity: transformers 4.57 FillMaskPipeline.postprocess: the other masks stay visible in the sequences.
  Output finish(const Input&, std::span<const Row> rows, std::span<RowOutput> outputs) const {
    const Row& row = rows.front();
    const RowOutput& masks = outputs.front();
    FilledMasks result;
    for (std::size_t i = 0; i < masks.size(); ++i) {
      result.predictions.emplace_back();
      for (const auto& [id, score] : masks[i]) {
        const auto token = static_cast<std::int64_t>(id);
        std::vector<std::int64_t> ids = row.encoding.ids;
        ids[row.masks[i]] = token;
        if (const auto pad = model.tokenizer().special_id(SpecialToken::Pad)) std::erase(ids, *pad);
        result.predictions.back().push_back({.score = score,
                                             .token = model.tokenizer().decode({&token, 1}),
                                             .token_id = token,
                                             .sequence = model.tokenizer().decode(ids, masks.size() == 1)});
      }
    }
    return result;
  }

  std::string with_mask_token(std::string text) const {
    if (mask_token == kMask) return text;
    for (auto at = text.find(kMask); at != std::string::npos; at = text.find(kMask, at + mask_token.size())) {
      text.replace(at, kMask.size(), mask_token);
    }
    return text;
  }

  std::vector<TokenScore> best(std::span<const float> logits) const {
    if (!targets.empty() && std::ranges::max(targets) >= logits.size()) {
      fail(ErrorCode::InvalidModel, "{}: has scores for {} tokens, but a target is token {}", model.file(),
           logits.size(), std::ranges::max(targets));
    }
    return best_tokens(logits, top_k, targets);
  }
};

// Parity: transformers 4.57 FillMaskPipeline.get_target_ids.
std::vector<std::size_t> target_ids(const std::vector<std::string>& targets, const Tokenizer& tokenizer) {
  std::vector<std::size_t> ids;
  for (const std::string& target : targets) {
    auto id = tokenizer.find_id(target);
    if (!id) {
      const auto first = tokenizer.encode(target, {.add_special_tokens = false, .max_length = 1}).ids;
      if (first.empty()) {
        log_warning("targets: \"{}\" is not in the vocabulary and has no tokens: it is left out", target);
        continue;
      }
      id = first.front();
      log_warning("targets: \"{}\" is not in the vocabulary: its first token \"{}\" is taken", target,
                  tokenizer.find_token(*id).value_or(""));
    }
    ids.push_back(static_cast<std::size_t>(*id));
  }
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  if (ids.empty()) fail(ErrorCode::InvalidInput, "targets: give at least one that has a token");
  return ids;
}

}  // namespace

namespace text {

Serving<std::string, FilledMasks> fill_mask(const Source& source, const FillMaskOptions& options) {
  if (options.top_k < 1) fail(ErrorCode::InvalidInput, "top_k: must be at least 1, is {}", options.top_k);
  const Repository repository = Repository::open(source, options.load);
  TextModel model = TextModel::open(repository, options.compile, options.load, {});
  const Tokenizer& tokenizer = model.tokenizer();
  const auto mask = tokenizer.special_token(SpecialToken::Mask);
  const auto mask_id = tokenizer.special_id(SpecialToken::Mask);
  if (!mask || !mask_id) {
    fail(ErrorCode::Unsupported, "{}: its tokenizer has no mask_token: is this a model for another task?",
         repository.name());
  }
  auto targets = options.targets ? target_ids(*options.targets, tokenizer) : std::vector<std::size_t>();
  FillMask task{.model = std::move(model),
                .mask_token = *mask,
                .mask_id = *mask_id,
                .top_k = static_cast<std::size_t>(options.top_k),
                .targets = std::move(targets)};
  task.model.check_output(task.output, OutputKind::TokenVectors);
  const ServingOptions serving = task.model.serving_options(options.compile, options.load);
  return make_serving(std::move(task), serving);
}

}  // namespace text
}  // namespace transmuter
