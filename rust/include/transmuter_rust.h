/* The Rust crates behind a C interface: the tokenizers crate of Hugging Face, Jinja templates with minijinja, and the
 * progress bars of indicatif.
 *
 * Every function that returns tmr_status fills *error with a message when it does not return TMR_OK, and then leaves
 * its other results alone. A panic never crosses this border. Free what you were given: texts with tmr_text_free,
 * encodings with tmr_encoding_free, tokenizers with tmr_tokenizer_free,
 * templates with tmr_template_free. Texts are UTF-8 and may hold zero bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TMR_OK = 0,
  TMR_INVALID_INPUT = 1, /* the caller's text or option is wrong */
  TMR_INVALID_MODEL = 2, /* a file of the model is broken */
  TMR_INTERNAL = 3       /* a panic that no file explains */
} tmr_status;

/* A text of the caller. */
typedef struct {
  const char* data;
  size_t size;
} tmr_view;

/* A text that was given to the caller. */
typedef struct {
  char* data;
  size_t size;
} tmr_text;

void tmr_text_free(tmr_text text);

/* ---- tokenizer ---- */

typedef struct tmr_tokenizer tmr_tokenizer;

/* Reads the bytes of a tokenizer.json. Its truncation and padding are not applied (see TMR_TRUNCATION). */
tmr_status tmr_tokenizer_load(tmr_view json, tmr_tokenizer** tokenizer, tmr_text* error);
void tmr_tokenizer_free(tmr_tokenizer* tokenizer);

typedef enum {
  TMR_NORMALIZER = 0,
  TMR_PRE_TOKENIZER = 1,
  TMR_POST_PROCESSOR = 2,
  TMR_DECODER = 3,
  TMR_MODEL = 4,        /* read only: its settings, without vocabulary and merges */
  TMR_ADDED_TOKENS = 5, /* read only: a list of objects as in tokenizer.json, by id */
  TMR_TRUNCATION = 6,   /* read only: as tokenizer.json has it */
  TMR_PADDING = 7       /* read only: as tokenizer.json has it */
} tmr_part;

/* A part as JSON; null when the tokenizer has none. */
tmr_status tmr_tokenizer_part(const tmr_tokenizer* tokenizer, tmr_part part, tmr_text* json, tmr_text* error);

/* These three change the tokenizer: nobody else may use it at the same time. */
tmr_status tmr_tokenizer_set_part(tmr_tokenizer* tokenizer, tmr_part part, tmr_view json, tmr_text* error);
/* json: a list of objects with content, single_word, lstrip, rstrip, normalized and special. */
tmr_status tmr_tokenizer_add_tokens(tmr_tokenizer* tokenizer, tmr_view json, tmr_text* error);
/* Whether a special token inside a text is split like any other text. */
tmr_status tmr_tokenizer_split_special_tokens(tmr_tokenizer* tokenizer, bool split, tmr_text* error);

/* All functions below leave the tokenizer as it is: any number of threads may use it at the same time. */

/* A second tokenizer that shares everything but the post-processor with the first. */
tmr_status tmr_tokenizer_with_post_processor(const tmr_tokenizer* tokenizer, tmr_view json, tmr_tokenizer** result,
                                             tmr_text* error);

size_t tmr_tokenizer_vocab_size(const tmr_tokenizer* tokenizer, bool with_added_tokens);
/* -1 when there is no such token. */
int64_t tmr_tokenizer_token_to_id(const tmr_tokenizer* tokenizer, tmr_view token);
/* False when there is no such id. */
bool tmr_tokenizer_id_to_token(const tmr_tokenizer* tokenizer, uint32_t id, tmr_text* token);
/* How many special tokens are added to one text or to a pair. */
size_t tmr_tokenizer_added_count(const tmr_tokenizer* tokenizer, bool pair);

/* One text of an input: one part, or several words of a text that was split already. */
typedef struct {
  const tmr_view* parts;
  size_t count;
  bool split;
} tmr_sequence;

typedef enum {
  TMR_LONGEST_FIRST = 0,
  TMR_ONLY_FIRST = 1,
  TMR_ONLY_SECOND = 2,
  TMR_ONLY_FIRST_OR_NONE = 3 /* nothing is cut where the second text alone leaves no room */
} tmr_strategy;

typedef struct {
  bool add_special_tokens;
  bool code_points; /* offsets count code points instead of bytes */
  bool truncate;    /* to max_length tokens, the special ones included */
  bool left;        /* the cut takes tokens off the beginning */
  bool windows;     /* also give the tokens that were cut off, in windows that overlap by stride tokens */
  tmr_strategy strategy;
  size_t max_length;
  size_t stride;
} tmr_encode_options;

enum {
  TMR_IDS = 0,
  TMR_TYPE_IDS = 1,
  TMR_SPECIAL = 2, /* 1 for a token that was added */
  TMR_STARTS = 3,  /* where the token begins in its text, or in its word when the text came split */
  TMR_ENDS = 4,
  TMR_WORDS = 5,     /* -1 for none */
  TMR_SEQUENCES = 6, /* 0 the first text, 1 the second, -1 neither */
  TMR_COLUMNS = 7
};

/* Window w has lengths[w] tokens. Its columns follow each other in values, lengths[w] numbers each, in the order of the
 * enumeration above; the windows follow each other too. */
typedef struct {
  const size_t* lengths;
  size_t windows;
  const int64_t* values;
  size_t size;
} tmr_encoding;

void tmr_encoding_free(tmr_encoding encoding);

/* second may be null. */
tmr_status tmr_tokenizer_encode(const tmr_tokenizer* tokenizer, const tmr_sequence* first, const tmr_sequence* second,
                                const tmr_encode_options* options, tmr_encoding* encoding, tmr_text* error);

/* One text as the first of many pairs; its tokens are looked for once. Window w is the first one of pair w, whatever
 * options->windows says. */
tmr_status tmr_tokenizer_encode_pairs(const tmr_tokenizer* tokenizer, const tmr_sequence* first,
                                      const tmr_sequence* seconds, size_t count, const tmr_encode_options* options,
                                      tmr_encoding* encoding, tmr_text* error);

/* Ids that the vocabulary does not have are left out. */
tmr_status tmr_tokenizer_decode(const tmr_tokenizer* tokenizer, const uint32_t* ids, size_t count,
                                bool skip_special_tokens, tmr_text* text, tmr_text* error);

/* Joins tokens to a text, as the decoder does. */
tmr_status tmr_tokenizer_join(const tmr_tokenizer* tokenizer, const tmr_view* tokens, size_t count, tmr_text* text,
                              tmr_text* error);

/* ---- text ---- */

/* Every letter in lower case, as in Python's str.lower(). */
tmr_status tmr_lowercase(tmr_view text, tmr_text* lower, tmr_text* error);

/* ---- chat template ---- */

typedef struct tmr_template tmr_template;

/* Reads a Jinja template. Any number of threads may render it at the same time. */
tmr_status tmr_template_compile(tmr_view source, tmr_template** result, tmr_text* error);
void tmr_template_free(tmr_template* chat_template);

/* context: a JSON object with the template's variables. now: what strftime_now writes, as "2024-07-26T00:00:00"; the
 * clock when it is empty. TMR_INVALID_INPUT also for what the template itself raises. */
tmr_status tmr_template_render(const tmr_template* chat_template, tmr_view context, tmr_view now, tmr_text* text,
                               tmr_text* error);

/* ---- progress bars on standard error ---- */

/* Bars below each other. They are drawn a few times a second, however often they move, and not at all when standard
 * error is no terminal. Any thread may call. Nothing here fails: where something breaks there is no bar, which is null,
 * and every function takes null. */
typedef struct tmr_bars tmr_bars;
typedef struct tmr_bar tmr_bar;

tmr_bars* tmr_bars_new(void);
void tmr_bars_free(tmr_bars* bars);

/* A file of `total` bytes. */
tmr_bar* tmr_bars_add_download(const tmr_bars* bars, tmr_view file, uint64_t total);
/* Lines of a text of `total` bytes; 0 when its end is not known. */
tmr_bar* tmr_bars_add_lines(const tmr_bars* bars, uint64_t total);
/* How far it has come, in bytes and (for lines) in lines. */
void tmr_bar_set(const tmr_bar* bar, uint64_t bytes, uint64_t lines);
/* Wipes it off the screen. Bars may outlive the tmr_bars that they were added to. */
void tmr_bar_free(tmr_bar* bar);

#ifdef __cplusplus
}
#endif
