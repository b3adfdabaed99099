#include "tasks/registry.hpp"

#include <algorithm>

#include "transmuter/text.hpp"

namespace transmuter {
namespace {

// A described struct is an object; one text stands for a struct whose other fields may be absent.
template <class In>
In input_of(const Json& json) {
  In input{};
  if constexpr (std::is_same_v<In, std::string>) {
    // The object of the tasks that take more than a text.
    if (const auto text = json.find("text"); text && json.size() == 1) return text->as<std::string>();
  }
  if constexpr (std::is_convertible_v<std::string, In>) {
    if (json.is_string()) return In(json.as<std::string>());
  }
  if constexpr (Described<In>) {
    if (!json.is_object()) {
      constexpr bool kTakesText = std::is_convertible_v<std::string, In>;
      json.fail_here(kTakesText ? "must be a text or an object" : "must be an object");
    }
    require_all<In>(json);
  }
  from_json(json, input);
  return input;
}

template <class Out>
class JsonResult final : public AnyResult {
 public:
  explicit JsonResult(Out result) : result_(std::move(result)) {}
  Json json(const TensorWriter& writer) const override { return to_json("", result_, writer); }

 private:
  Out result_;
};

template <class Out>
std::unique_ptr<const AnyResult> erased(Out result) {
  return std::make_unique<const JsonResult<Out>>(std::move(result));
}

template <class In, class Out>
class JsonBatched final : public AnyBatched {
 public:
  explicit JsonBatched(Batched<In, Out> batched) : batched_(std::move(batched)) {}

  std::unique_ptr<Pending> submit(const Json& input, std::stop_token stop) override {
    return std::make_unique<JsonPending>(batched_.submit(input_of<In>(input), std::move(stop)));
  }
  Metrics metrics() const override { return batched_.metrics(); }

 private:
  class JsonPending final : public Pending {
   public:
    explicit JsonPending(transmuter::Pending<Out> pending) : pending_(std::move(pending)) {}
    std::unique_ptr<const AnyResult> get() override { return erased(pending_.get()); }

   private:
    transmuter::Pending<Out> pending_;
  };

  Batched<In, Out> batched_;
};

template <class In, class Out>
class JsonServing final : public AnyServing {
 public:
  explicit JsonServing(Serving<In, Out> serving) : serving_(std::move(serving)) {}

  std::unique_ptr<const AnyResult> run(const Json& input) const override {
    return erased(serving_.run(input_of<In>(input)));
  }

  std::vector<std::unique_ptr<const AnyResult>> run(std::span<const Json> inputs) const override {
    std::vector<In> typed;
    typed.reserve(inputs.size());
    for (const Json& input : inputs) typed.push_back(input_of<In>(input));
    std::vector<std::unique_ptr<const AnyResult>> results;
    results.reserve(inputs.size());
    for (Out& result : serving_.run(std::span<const In>(typed))) results.push_back(erased(std::move(result)));
    return results;
  }

  std::unique_ptr<AnyBatched> start(const BatchOptions& options) const override {
    return std::make_unique<JsonBatched<In, Out>>(serving_.start(options));
  }

 private:
  Serving<In, Out> serving_;
};

template <auto function>
struct Opened;
template <class In, class Out, class Options, Serving<In, Out> (*function)(const Source&, const Options&)>
struct Opened<function> {
  static std::unique_ptr<AnyServing> open(const Source& source, const Json& json, const Progress& progress) {
    Options options{};
    from_json(json, options);
    options.load.progress = progress;
    return std::make_unique<JsonServing<In, Out>>(function(source, options));
  }
  static constexpr bool kTakesText = std::is_convertible_v<std::string, In>;
  static std::vector<FieldHelp> options() { return help_of<Options>(); }
  static std::vector<FieldHelp> inputs() {
    if constexpr (Described<In>) {
      return help_of<In>();
    } else {
      return {};
    }
  }
};

// Input, options and result are those of the public function.
template <auto function>
Task task(std::string_view name, std::string_view modality, std::string_view description,
          const std::vector<std::string_view>& aliases, std::string_view default_repository) {
  return {.name = name,
          .modality = modality,
          .description = description,
          .aliases = aliases,
          .default_repository = default_repository,
          .options = Opened<function>::options(),
          .inputs = Opened<function>::inputs(),
          .takes_text = Opened<function>::kTakesText,
          .open = Opened<function>::open};
}

// The overload whose labels are an option like any other.
constexpr Serving<ZeroShotText, Classification> (*kZeroShot)(const Source&, const ZeroShotClassificationOptions&) =
    text::zero_shot_classification;

std::string with_underscores(std::string_view name) {
  std::string result(name);
  std::ranges::replace(result, '-', '_');
  return result;
}

}  // namespace

std::span<const Task> tasks() {
  static const std::vector<Task> all = {
      task<text::text_embedding>("text_embedding", "text",
                                 "A vector for each text; texts of like meaning get like vectors.",
                                 {"feature-extraction", "sentence-similarity"}, ""),
      task<text::text_classification>("text_classification", "text",
                                      "Labels with scores for a text or a pair of texts.", {"sentiment-analysis"},
                                      "Xenova/distilbert-base-uncased-finetuned-sst-2-english"),
      task<text::text_ranking>("text_ranking", "text", "The documents of a query, the best first.", {"reranking"},
                               "Xenova/ms-marco-MiniLM-L-6-v2"),
      task<kZeroShot>("zero_shot_classification", "text", "Which of your own labels fit a text.", {},
                      "Xenova/distilbert-base-uncased-mnli"),
      task<text::question_answering>("question_answering", "text", "The part of a text that answers a question.", {},
                                     "Xenova/distilbert-base-cased-distilled-squad"),
      task<text::token_classification>("token_classification", "text",
                                       "Names of people, places and so on in a text, or a label for each token.",
                                       {"ner"}, "Xenova/bert-base-multilingual-cased-ner-hrl"),
      task<text::zero_shot_entity_recognition>("zero_shot_entity_recognition", "text",
                                               "The entities of a text that have the labels you name.", {},
                                               "onnx-community/gliner_small-v2.1"),
      task<text::fill_mask>("fill_mask", "text", "The words that fit where a text has [MASK].", {},
                            "Xenova/bert-base-uncased"),
  };
  return all;
}

const Task& find_task(std::string_view name) {
  const std::string wanted = with_underscores(name);
  std::vector<std::string> known;
  for (const Task& task : tasks()) {
    if (task.name == wanted) return task;
    known.push_back(command_name(task));
    for (const std::string_view alias : task.aliases) {
      if (with_underscores(alias) == wanted) return task;
      known.emplace_back(alias);
    }
  }
  if (const auto near = nearest(name, known)) {
    fail(ErrorCode::InvalidInput, "there is no task \"{}\"; did you mean {}?", name, *near);
  }
  std::string all;
  for (const Task& task : tasks()) all += (all.empty() ? "" : ", ") + command_name(task);
  fail(ErrorCode::InvalidInput, "there is no task \"{}\"; there are {}", name, all);
}

std::string command_name(const Task& task) {
  std::string result(task.name);
  std::ranges::replace(result, '_', '-');
  return result;
}

}  // namespace transmuter
