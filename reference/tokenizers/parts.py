"""What the tokenizers of all families are put together from: the parts of a tokenizer.json and small models."""

import base64
import re
import unicodedata
from collections import Counter

from corpus import SENTENCES
from vocabularies import SPACE, bpe_merges, byte_letters, charsmap, unigram, word_piece

BYTES = {letter: byte for byte, letter in byte_letters().items()}


def added(vocabulary: dict[str, int], *tokens) -> list[dict]:
    """Tokens as text (special) or as (text, flags)."""
    entries = []
    for token in tokens:
        text, flags = (token, {"special": True}) if isinstance(token, str) else token
        entry = {
            "id": vocabulary.setdefault(text, len(vocabulary)),
            "content": text,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": not flags.get("special"),
            "special": False,
        }
        entries.append(entry | flags)
    return sorted(entries, key=lambda entry: entry["id"])


def tokenizer(model: dict, **parts) -> dict:
    names = ("truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    empty = {"added_tokens": []}
    return {"version": "1.0"} | {name: parts.get(name, empty.get(name)) for name in names} | {"model": model}


def sequence(kind: str, *items) -> dict:
    return {"type": "Sequence", kind: list(items)}


def split(pattern: str, behavior: str = "Isolated", invert: bool = False) -> dict:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def replace(pattern: dict, content: str) -> dict:
    return {"type": "Replace", "pattern": pattern, "content": content}


def byte_level(prefix: bool = False, trim: bool = True, regex: bool = True) -> dict:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": regex}


def metaspace(scheme: str = "always", cut: bool = True) -> dict:
    return {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": scheme, "split": cut}


def template(vocabulary: dict[str, int], single: str, pair: str) -> dict:
    """Pieces as in "[CLS]:0 $A:0 [SEP]:0"."""

    def piece(text: str) -> dict:
        name, type_id = text.rsplit(":", 1)
        kind = "Sequence" if name[0] == "$" else "SpecialToken"
        return {kind: {"id": name.lstrip("$"), "type_id": int(type_id)}}

    names = {text.rsplit(":", 1)[0] for text in f"{single} {pair}".split() if text[0] != "$"}
    tokens = {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in sorted(names)}
    return {
        "type": "TemplateProcessing",
        "single": [piece(text) for text in single.split()],
        "pair": [piece(text) for text in pair.split()],
        "special_tokens": tokens,
    }


def numbered(tokens) -> dict[str, int]:
    return {token: index for index, token in enumerate(dict.fromkeys(tokens))}


def plain_words(lower: bool) -> Counter:
    words: Counter = Counter()
    for sentence in SENTENCES:
        text = unicodedata.normalize("NFD", sentence.lower()) if lower else sentence
        if lower:
            text = "".join(letter for letter in text if unicodedata.category(letter) != "Mn")
        words.update(re.findall(r"\w+|[^\w\s]", text))
    return words


def byte_words() -> Counter:
    letters = byte_letters()
    words: Counter = Counter()
    for sentence in SENTENCES:
        words.update(re.findall(r" ?\w+| ?[^\s\w]+|\s+", sentence))
    return Counter({tuple(letters[b] for b in word.encode()): count for word, count in words.items()})


def space_words() -> Counter:
    return Counter(SPACE + word for sentence in SENTENCES for word in sentence.split(" ") if word)


def byte_bpe(first: list[str], count: int = 350, **settings) -> tuple[dict[str, int], dict]:
    merges = bpe_merges(byte_words(), count)
    vocabulary = numbered([*first, *sorted(BYTES), *("".join(pair) for pair in merges)])
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [list(pair) for pair in merges],
    }
    return vocabulary, model | settings


def space_bpe(first: list[str]) -> tuple[dict[str, int], dict]:
    """BPE on ▁ and letters, with bytes for letters that it does not know."""
    words = Counter({tuple(word): count for word, count in space_words().items()})
    common = {letter for letter, count in Counter("".join(space_words().elements())).items() if count > 2}
    words = Counter({word: count for word, count in words.items() if set(word) <= common})
    merges = bpe_merges(words, 300)
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    vocabulary = numbered([*first, *bytes_, *sorted(common), *("".join(pair) for pair in merges), "\n"])
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<unk>",
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": True,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [list(pair) for pair in merges],
    }
    return vocabulary, model


def unigram_model(specials: list[str], unknown: str, last: list[str] = (), **settings) -> tuple[dict[str, int], dict]:
    pieces = unigram(space_words(), [(token, 0.0) for token in specials], 700) + [(token, 0.0) for token in last]
    model = {
        "type": "Unigram",
        "unk_id": specials.index(unknown),
        "vocab": [list(piece) for piece in pieces],
        "byte_fallback": False,
    }
    return numbered(piece for piece, _ in pieces), model | settings


def precompiled() -> dict:
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap()).decode()}


BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BERT_SINGLE, BERT_PAIR = "[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"
BERT_NAMES = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>"]


def bert_normalizer(lower: bool = True, chinese: bool = True, strip: bool | None = None) -> dict:
    return {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": chinese,
        "strip_accents": strip,
        "lowercase": lower,
    }


def bert(lower: bool, size: int = 900, **settings) -> tuple[dict[str, int], dict, dict]:
    vocabulary = word_piece(plain_words(lower), BERT, size)
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": vocabulary,
    }
    parts = {
        "added_tokens": added(vocabulary, *BERT),
        "normalizer": bert_normalizer(lower),
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": template(vocabulary, BERT_SINGLE, BERT_PAIR),
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    }
    return vocabulary, model | settings, parts


def decoder_config(entries: list[dict]) -> dict:
    """added_tokens_decoder of tokenizer_config.json."""
    return {str(entry["id"]): {key: value for key, value in entry.items() if key != "id"} for entry in entries}
