#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transmuter/results.hpp"
#include "transmuter/serving.hpp"
#include "transmuter/source.hpp"

#pragma GCC visibility push(default)
namespace transmuter {

/// A text, or two texts that the model reads as one pair.
struct TextOrPair {
  std::string text = {};
  std::optional<std::string> text_pair = {};

  TextOrPair() = default;
  TextOrPair(const char* one) : text(one) {}
  TextOrPair(std::string one) : text(std::move(one)) {}
  TextOrPair(std::string one, std::string two) : text(std::move(one)), text_pair(std::move(two)) {}
};

template <class Visit>
void describe(TextOrPair& o, Visit&& field) {
  field("text", o.text, "The text.");
  field("text_pair", o.text_pair, "The second text of a pair.");
}

/// How the embeddings of the tokens become the embedding of the text.
enum class OutputPool {
  MeanPooling,
  ClsTokenPooling,
  MaxPooling,
  MeanSqrtLenPooling,
  WeightedMeanPooling,
  LastTokenPooling,
  None,
};

constexpr auto names(OutputPool) {
  return std::to_array<std::pair<std::string_view, OutputPool>>({
      {"mean_pooling", OutputPool::MeanPooling},
      {"cls_token_pooling", OutputPool::ClsTokenPooling},
      {"max_pooling", OutputPool::MaxPooling},
      {"mean_sqrt_len_pooling", OutputPool::MeanSqrtLenPooling},
      {"weighted_mean_pooling", OutputPool::WeightedMeanPooling},
      {"last_token_pooling", OutputPool::LastTokenPooling},
      {"none", OutputPool::None},
  });
}

/// What happens to an embedding after the pooling.
enum class EmbeddingProcessor { L2Norm, None };

constexpr auto names(EmbeddingProcessor) {
  return std::to_array<std::pair<std::string_view, EmbeddingProcessor>>({
      {"l2_norm", EmbeddingProcessor::L2Norm},
      {"none", EmbeddingProcessor::None},
  });
}

/// Options of text::text_embedding. What is not set comes from the repository's sentence-transformers files.
struct TextEmbeddingOptions {
  std::optional<OutputPool> output_pool = {};
  std::optional<EmbeddingProcessor> embedding_processor = {};
  std::string prompt_name = {};
  std::optional<std::string> prompt = {};
  std::optional<std::int64_t> dimensions = {};
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(TextEmbeddingOptions& o, Visit&& field) {
  field("output_pool", o.output_pool,
        "How token embeddings become one; by default what the repository says, else the mean.");
  field("embedding_processor", o.embedding_processor, "l2_norm or none; by default what the repository says.");
  field("prompt_name", o.prompt_name, "A prompt of config_sentence_transformers.json to put before each text.");
  field("prompt", o.prompt, "A text to put before each text; an empty one switches the default prompt off.");
  field("dimensions", o.dimensions,
        "Keep this many dimensions (matryoshka models); an embedding of length 1 is normalized again.");
  field("compile", o.compile, "How inputs become batches.");
  describe(o.load, field);
}

/// What turns logits into scores.
enum class FunctionToApply { Sigmoid, Softmax, None };

constexpr auto names(FunctionToApply) {
  return std::to_array<std::pair<std::string_view, FunctionToApply>>({
      {"sigmoid", FunctionToApply::Sigmoid},
      {"softmax", FunctionToApply::Softmax},
      {"none", FunctionToApply::None},
  });
}

/// Options of text::text_classification.
struct TextClassificationOptions {
  std::optional<std::int64_t> top_k = {};
  std::optional<FunctionToApply> function_to_apply = {};
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(TextClassificationOptions& o, Visit&& field) {
  field("top_k", o.top_k, "How many predictions to return; all by default.");
  field("function_to_apply", o.function_to_apply, "sigmoid, softmax or none; by default by the kind of the model.");
  field("compile", o.compile, "How inputs become batches.");
  describe(o.load, field);
}

/// A query and the documents to put in order.
struct QueryAndDocuments {
  std::string query = {};
  std::vector<std::string> documents = {};
};

template <class Visit>
void describe(QueryAndDocuments& o, Visit&& field) {
  field("query", o.query, "What is looked for.");
  field("documents", o.documents, "The texts to put in order.");
}

/// Options of text::text_ranking.
struct TextRankingOptions {
  std::optional<std::int64_t> top_k = {};
  bool return_documents = false;
  bool raw_scores = false;
  std::string prompt_name = {};
  std::optional<std::string> prompt = {};
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(TextRankingOptions& o, Visit&& field) {
  field("top_k", o.top_k, "How many documents to return; all by default.");
  field("return_documents", o.return_documents, "Whether each result has the text of its document.");
  field("raw_scores", o.raw_scores, "Give the logits: leave out the activation, and the base model that may name it.");
  field("prompt_name", o.prompt_name, "A prompt of config_sentence_transformers.json to put before the query.");
  field("prompt", o.prompt, "A text to put before the query; an empty one switches the default prompt off.");
  field("compile", o.compile, "How documents become batches.");
  describe(o.load, field);
}

/// Labels to choose from. As JSON they are a list, or one text with commas between them.
struct CandidateLabels {
  std::vector<std::string> names = {};

  CandidateLabels() = default;
  CandidateLabels(std::initializer_list<std::string> labels) : names(labels) {}
  CandidateLabels(std::vector<std::string> labels) : names(std::move(labels)) {}
};

/// A text, and its labels where they are not those of the serving.
struct ZeroShotText {
  std::string text = {};
  std::optional<CandidateLabels> labels = {};

  ZeroShotText() = default;
  ZeroShotText(const char* one) : text(one) {}
  ZeroShotText(std::string one) : text(std::move(one)) {}
  ZeroShotText(std::string one, CandidateLabels own) : text(std::move(one)), labels(std::move(own)) {}
};

template <class Visit>
void describe(ZeroShotText& o, Visit&& field) {
  field("text", o.text, "The text.");
  field("labels", o.labels, "The labels of this text; those of the options by default.");
}

/// Options of text::zero_shot_classification.
struct ZeroShotClassificationOptions {
  CandidateLabels labels = {};
  std::string hypothesis_template = "This example is {}.";
  bool multi_label = false;
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(ZeroShotClassificationOptions& o, Visit&& field) {
  field("labels", o.labels, "The labels to choose from: a list, or one text with commas between them.");
  field("hypothesis_template", o.hypothesis_template, "What is said of each label, with {} in its place.");
  field("multi_label", o.multi_label, "Score each label alone, so that several can be right.");
  field("compile", o.compile, "How inputs become batches; each label is a row.");
  describe(o.load, field);
}

/// A question, and the text that holds the answer.
struct QuestionAndContext {
  std::string question = {};
  std::string context = {};
};

template <class Visit>
void describe(QuestionAndContext& o, Visit&& field) {
  field("question", o.question, "The question.");
  field("context", o.context, "The text that holds the answer, of any length.");
}

/// Options of text::question_answering.
struct QuestionAnsweringOptions {
  std::int64_t top_k = 1;
  std::int64_t max_answer_len = 15;
  bool handle_impossible_answer = false;
  bool align_to_words = true;
  OffsetUnit offset_unit = OffsetUnit::Bytes;
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(QuestionAnsweringOptions& o, Visit&& field) {
  field("top_k", o.top_k, "The most answers to return; 1 by default.");
  field("max_answer_len", o.max_answer_len, "The most tokens of an answer; 15 by default.");
  field("handle_impossible_answer", o.handle_impossible_answer,
        "Whether an empty answer is a candidate too, for questions that the context does not answer.");
  field("align_to_words", o.align_to_words,
        "Whether answers grow to whole words; true by default, better off for languages without spaces.");
  field("offset_unit", o.offset_unit, "What start and end count; byte by default.");
  field("compile", o.compile,
        "How inputs become batches; the largest sequence_length (384 by default) is the length of a window.");
  describe(o.load, field);
}

/// How the labels of tokens become entities.
enum class Aggregation { None, Simple, First, Average, Max };

constexpr auto names(Aggregation) {
  return std::to_array<std::pair<std::string_view, Aggregation>>({
      {"none", Aggregation::None},
      {"same", Aggregation::Simple},
      {"simple", Aggregation::Simple},
      {"first", Aggregation::First},
      {"average", Aggregation::Average},
      {"max", Aggregation::Max},
  });
}

/// Options of text::token_classification.
struct TokenClassificationOptions {
  Aggregation aggregation = Aggregation::None;
  std::vector<std::string> ignore_labels = {"O"};
  std::optional<std::int64_t> stride = {};
  OffsetUnit offset_unit = OffsetUnit::Bytes;
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(TokenClassificationOptions& o, Visit&& field) {
  field("aggregation", o.aggregation,
        "none: each token is an entity; same or simple: neighbours of one label are; first, average, max: likewise, "
        "and a word has the label of its first token, of the mean of its tokens, or of the surest one.");
  field("ignore_labels", o.ignore_labels, "Labels that are no entities; O by default.");
  field("stride", o.stride,
        "Run all of a longer text, in windows that share this many tokens; without it the text is cut.");
  field("offset_unit", o.offset_unit, "What start and end count; byte by default.");
  field("compile", o.compile, "How inputs become batches.");
  describe(o.load, field);
}

/// A text and the labels of the entities to find in it.
struct TextWithLabels {
  std::string text = {};
  std::optional<std::vector<std::string>> labels = {};  ///< Those of the options when there are none.

  TextWithLabels() = default;
  TextWithLabels(const char* one) : text(one) {}
  TextWithLabels(std::string one) : text(std::move(one)) {}
  TextWithLabels(std::string one, std::vector<std::string> own) : text(std::move(one)), labels(std::move(own)) {}
};

template <class Visit>
void describe(TextWithLabels& o, Visit&& field) {
  field("text", o.text, "The text.");
  field("labels", o.labels, "What to find, as in [\"person\", \"city\"]; by default the labels of the options.");
}

/// Options of text::zero_shot_entity_recognition.
struct ZeroShotEntityRecognitionOptions {
  std::optional<std::vector<std::string>> labels = {};
  double threshold = 0.5;
  bool flat_ner = true;
  bool multi_label = false;
  OffsetUnit offset_unit = OffsetUnit::Bytes;
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(ZeroShotEntityRecognitionOptions& o, Visit&& field) {
  field("labels", o.labels, "What to find in inputs without labels of their own, as in [\"person\", \"city\"].");
  field("threshold", o.threshold, "Entities have scores above this, from 0 to 1 (0.5).");
  field("flat_ner", o.flat_ner, "Whether no entity may be inside another one (true).");
  field("multi_label", o.multi_label, "Whether the same words may have several labels (false).");
  field("offset_unit", o.offset_unit, "What start and end count: byte or codepoint (byte).");
  field("compile", o.compile, "How inputs become batches.");
  describe(o.load, field);
}

/// Options of text::fill_mask.
struct FillMaskOptions {
  std::int64_t top_k = 5;
  std::optional<std::vector<std::string>> targets = {};
  CompileOptions compile = {};
  LoadOptions load = {};
};

template <class Visit>
void describe(FillMaskOptions& o, Visit&& field) {
  field("top_k", o.top_k, "How many tokens to return for each mask (5).");
  field("targets", o.targets, "Score only these tokens; of a text that is none, its first token is taken.");
  field("compile", o.compile, "How inputs become batches.");
  describe(o.load, field);
}

namespace text {

/// Embeddings of texts, equal to those of sentence-transformers.
///
///     auto serving = transmuter::text::text_embedding(transmuter::hf("Xenova/bge-small-en-v1.5"));
///     std::vector<float> embedding = serving.run("The cat sat on the mat.").embedding.values;
///
/// Pooling, normalization, dense layers and the longest input come from the sentence-transformers files of the
/// repository, or of the `base_model` in its model card. Without them the embedding is the mean of the token
/// embeddings. Throws Error: NotFound, InvalidModel, Unsupported (a module that is not run here), InvalidInput (an
/// option).
Serving<std::string, Embedding> text_embedding(const Source& source, const TextEmbeddingOptions& options = {});

/// Labels of texts or pairs of texts, equal to the text-classification pipeline of transformers.
///
///     auto serving = transmuter::text::text_classification(transmuter::hf("Xenova/ms-marco-MiniLM-L-6-v2"));
///     serving.run(transmuter::TextOrPair("How many people live in Berlin?", "Berlin has 3,520,031 inhabitants."));
///
/// The scores are a softmax, a sigmoid for one label or multi-label models, and the logits for regression.
/// Throws Error: NotFound, InvalidModel, InvalidInput (an option).
Serving<TextOrPair, Classification> text_classification(const Source& source,
                                                        const TextClassificationOptions& options = {});

/// The documents of a query, the best first, equal to CrossEncoder.rank of sentence-transformers.
///
///     auto serving = transmuter::text::text_ranking(transmuter::hf("Xenova/ms-marco-MiniLM-L-6-v2"));
///     serving.run({.query = "How many people live in Berlin?",
///                  .documents = {"New York City is famous for a museum.", "Berlin has 3,520,031 inhabitants."}});
///
/// The activation of the scores comes from the sentence-transformers files of the repository, or of the `base_model`
/// in its model card; without them it is a sigmoid. A query may have any number of documents: those of like length
/// share a run. Throws Error: NotFound, InvalidModel, Unsupported (several labels, a causal language model),
/// InvalidInput (an option).
Serving<QueryAndDocuments, Ranking> text_ranking(const Source& source, const TextRankingOptions& options = {});

/// Labels of your choice for texts, equal to the zero-shot-classification pipeline of transformers.
///
///     auto serving = transmuter::text::zero_shot_classification(
///         transmuter::hf("Xenova/distilbert-base-uncased-mnli"), {"urgent", "phone", "tablet"});
///     serving.run("My iphone is broken and I need it fixed today!");
///
/// A model for natural language inference compares the text with the hypothesis of each label; each label is one row.
/// The scores add up to 1, or with `multi_label` each stands alone. Throws Error: NotFound, InvalidModel, Unsupported,
/// InvalidInput (an option).
Serving<ZeroShotText, Classification> zero_shot_classification(const Source& source,
                                                               const ZeroShotClassificationOptions& options);
inline Serving<ZeroShotText, Classification> zero_shot_classification(const Source& source, CandidateLabels labels,
                                                                      ZeroShotClassificationOptions options = {}) {
  options.labels = std::move(labels);
  return zero_shot_classification(source, options);
}

/// Answers to questions, each a part of a context, equal to the question-answering pipeline of transformers.
///
///     auto serving = transmuter::text::question_answering(
///         transmuter::hf("Xenova/distilbert-base-cased-distilled-squad"));
///     serving.run({.question = "Where is the Eiffel Tower?", .context = "The Eiffel Tower is a tower in Paris."});
///
/// A long context becomes windows of 384 tokens (the largest `compile.sequence_length`, limited by the model) that
/// share 128 tokens, or half a window; each window is a row. Equal texts add up their scores. Throws Error: NotFound,
/// InvalidModel, Unsupported (a model of another task), InvalidInput (an option; an empty question or context; a
/// question that leaves no room for the context).
Serving<QuestionAndContext, Answers> question_answering(const Source& source,
                                                        const QuestionAnsweringOptions& options = {});

/// Named entities and other labels of tokens, equal to the token-classification pipeline of transformers.
///
///     auto serving = transmuter::text::token_classification(
///         transmuter::hf("Xenova/bert-base-NER"), {.aggregation = transmuter::Aggregation::Simple});
///     serving.run("Hugging Face Inc. is a company based in New York City.");
///
/// Throws Error: NotFound, InvalidModel, Unsupported (a model of another task), InvalidInput (an option).
Serving<std::string, Entities> token_classification(const Source& source,
                                                    const TokenClassificationOptions& options = {});

/// Entities of labels that the caller names, equal to predict_entities of gliner.
///
///     auto serving =
///     transmuter::text::zero_shot_entity_recognition(transmuter::hf("onnx-community/gliner_small-v2.1"));
///     serving.run(transmuter::TextWithLabels("Cristiano Ronaldo plays for Al Nassr.", {"person", "organization"}));
///
/// Span models and token models of GLiNER. Each input may have its own labels; an empty list gives no entities. A text
/// is cut after the model's longest number of words (max_len of gliner_config.json), and, with the labels, at the
/// longest of compile.sequence_length. Throws Error: NotFound, InvalidModel, Unsupported (another kind of GLiNER model,
/// another word splitter), InvalidInput (an option, no labels, labels that leave no room).
Serving<TextWithLabels, Entities> zero_shot_entity_recognition(const Source& source,
                                                               const ZeroShotEntityRecognitionOptions& options = {});

/// The words that fit in the place of each [MASK], equal to the fill-mask pipeline of transformers.
///
///     auto serving = transmuter::text::fill_mask(transmuter::hf("Xenova/bert-base-uncased"));
///     serving.run("Paris is the capital of [MASK].").predictions.front().front().token;
///
/// The tokenizer's own mask token works too. Throws Error: NotFound, InvalidModel, Unsupported (no masked language
/// model), InvalidInput (an option).
Serving<std::string, FilledMasks> fill_mask(const Source& source, const FillMaskOptions& options = {});

}  // namespace text
}  // namespace transmuter
#pragma GCC visibility pop
