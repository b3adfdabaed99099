"""Byte-level BPE, BPE with ▁ and bytes for unknown letters, BPE of CLIP."""

from collections import Counter

from corpus import SENTENCES
from parts import (
    BERT_NAMES,
    BYTES,
    ROBERTA,
    added,
    byte_bpe,
    byte_level,
    decoder_config,
    metaspace,
    numbered,
    plain_words,
    replace,
    sequence,
    space_bpe,
    split,
    template,
    tokenizer,
)
from vocabularies import SPACE, bpe_merges, byte_letters

GPT2_SPLIT = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3_SPLIT = QWEN_SPLIT.replace(r"\p{N}|", r"\p{N}{1,3}|")
CLIP_SPLIT = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def gpt2() -> dict:
    vocabulary, model = byte_bpe([])
    parts = {
        "added_tokens": added(vocabulary, "<|endoftext|>"),
        "pre_tokenizer": byte_level(prefix=True),
        "post_processor": byte_level(prefix=True, trim=False),
        "decoder": byte_level(),
    }
    config = {"tokenizer_class": "GPT2Tokenizer", "model_max_length": 1024, "add_bos_token": False}
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def gpt_neox() -> dict:
    vocabulary, model = byte_bpe(["<|endoftext|>", "<|padding|>"])
    spaces = [(" " * count, {"normalized": True}) for count in range(12, 1, -1)]
    parts = {
        "added_tokens": added(vocabulary, "<|endoftext|>", "<|padding|>", *spaces),
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": byte_level(),
        "post_processor": byte_level(trim=True),
        "decoder": byte_level(),
    }
    config = {"tokenizer_class": "GPTNeoXTokenizer", "add_eos_token": True, "add_prefix_space": True}
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def roberta() -> dict:
    vocabulary, model = byte_bpe(ROBERTA)
    mask = ("<mask>", {"special": True, "lstrip": True})
    parts = {
        "added_tokens": added(vocabulary, *ROBERTA, mask),
        "pre_tokenizer": byte_level(),
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": ["</s>", vocabulary["</s>"]],
            "cls": ["<s>", vocabulary["<s>"]],
            "trim_offsets": True,
            "add_prefix_space": False,
        },
        "decoder": byte_level(),
    }
    config = {
        "tokenizer_class": "RobertaTokenizer",
        "add_prefix_space": True,
        "trim_offsets": True,
        "model_max_length": 512,
        "truncation_side": "left",
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def bart() -> dict:
    """The offsets keep their spaces: trim_offsets is false in the config only."""
    files = roberta()
    files["tokenizer_config.json"] = {"tokenizer_class": "BartTokenizer", "trim_offsets": False}
    return files


def bloom() -> dict:
    """add_prefix_space reaches the parts of a Sequence."""
    vocabulary, model = byte_bpe(["<unk>", "<s>", "</s>", "<pad>"])
    parts = {
        "added_tokens": added(vocabulary, "<unk>", "<s>", "</s>", "<pad>"),
        "pre_tokenizer": sequence("pretokenizers", split(r" ?[^(\s|[.,!?…。，、।۔،])]+"), byte_level(regex=False)),
        "post_processor": byte_level(trim=False, regex=False),
        "decoder": byte_level(regex=False),
    }
    config = {"tokenizer_class": "BloomTokenizer", "add_prefix_space": True, "padding_side": "left"}
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def qwen2() -> dict:
    vocabulary, model = byte_bpe([])
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", ("<think>", {"special": False, "normalized": False})]
    parts = {
        "added_tokens": added(vocabulary, *specials),
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": sequence("pretokenizers", split(QWEN_SPLIT), byte_level(trim=False, regex=False)),
        "post_processor": byte_level(trim=False, regex=False),
        "decoder": byte_level(trim=False, regex=False),
    }
    config = {
        "tokenizer_class": "Qwen2Tokenizer",
        "bos_token": None,
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "unk_token": None,
        "add_prefix_space": False,
        "model_max_length": 131072,
        "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
        "split_special_tokens": False,
        "extra_special_tokens": {"image_token": "<think>"},
    }
    config["added_tokens_decoder"] = decoder_config(parts["added_tokens"])
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def llama3() -> dict:
    vocabulary, model = byte_bpe([], ignore_merges=True)
    entries = added(vocabulary, "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>")
    bos = "<|begin_of_text|>"
    post = sequence(
        "processors", byte_level(prefix=True), template(vocabulary, f"{bos}:0 $A:0", f"{bos}:0 $A:0 {bos}:1 $B:1")
    )
    parts = {
        "added_tokens": entries,
        "post_processor": post,
        "decoder": byte_level(prefix=True),
        "pre_tokenizer": sequence("pretokenizers", split(LLAMA3_SPLIT), byte_level(regex=False)),
    }
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": bos,
        "eos_token": "<|eot_id|>",
        "clean_up_tokenization_spaces": True,
        "model_input_names": ["input_ids", "attention_mask"],
        "added_tokens_decoder": decoder_config(entries),
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def clip() -> dict:
    letters = byte_letters()
    words: Counter = Counter()
    for word, count in plain_words(lower=True).items():
        symbols = [letters[byte] for byte in word.encode()]
        words[(*symbols[:-1], symbols[-1] + "</w>")] += count
    merges = bpe_merges(words, 350)
    alphabet = sorted(BYTES)
    vocabulary = numbered([*alphabet, *(letter + "</w>" for letter in alphabet), *("".join(pair) for pair in merges)])
    entries = added(vocabulary, ("<|startoftext|>", {"special": True, "normalized": True}), "<|endoftext|>")
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<|endoftext|>",
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "</w>",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [list(pair) for pair in merges],
    }
    parts = {
        "added_tokens": entries,
        "normalizer": sequence("normalizers", {"type": "NFC"}, replace({"Regex": r"\s+"}, " "), {"type": "Lowercase"}),
        "pre_tokenizer": sequence("pretokenizers", split(CLIP_SPLIT, "Removed", invert=True), byte_level()),
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": ["<|endoftext|>", vocabulary["<|endoftext|>"]],
            "cls": ["<|startoftext|>", vocabulary["<|startoftext|>"]],
            "trim_offsets": False,
            "add_prefix_space": False,
        },
        "decoder": byte_level(),
    }
    config = {
        "tokenizer_class": "CLIPTokenizer",
        "model_max_length": 77,
        "do_lower_case": True,
        "errors": "replace",
        "pad_token": "<|endoftext|>",
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def llama() -> dict:
    vocabulary, model = space_bpe(["<unk>", "<s>", "</s>"])
    parts = {
        "added_tokens": added(vocabulary, "<unk>", "<s>", "</s>"),
        "normalizer": sequence("normalizers", {"type": "Prepend", "prepend": SPACE}, replace({"String": " "}, SPACE)),
        "post_processor": template(vocabulary, "<s>:0 $A:0", "<s>:0 $A:0 <s>:1 $B:1"),
        "decoder": sequence(
            "decoders",
            replace({"String": SPACE}, " "),
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ),
    }
    config = {
        "tokenizer_class": "LlamaTokenizer",
        "add_bos_token": True,
        "add_eos_token": True,
        "legacy": True,
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": None,
        "padding_side": "right",
        "model_max_length": 2048,
    }
    config["added_tokens_decoder"] = decoder_config(parts["added_tokens"])
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def llama_metaspace() -> dict:
    files = llama()
    files["tokenizer.json"] |= {"normalizer": None, "pre_tokenizer": metaspace("first", cut=False)}
    files["tokenizer_config.json"] |= {"legacy": False, "add_eos_token": False, "tokenizer_class": "LlamaTokenizerFast"}
    return files


def gemma() -> dict:
    vocabulary, model = space_bpe(["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"])
    lines = [("\n" * count, {"normalized": False}) for count in (2, 3, 4)]
    parts = {
        "added_tokens": added(vocabulary, "<pad>", "<eos>", "<bos>", "<unk>", *lines),
        "normalizer": replace({"String": " "}, SPACE),
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
        "post_processor": template(vocabulary, "<bos>:0 $A:0", "<bos>:0 $A:0 <bos>:1 $B:1"),
        "decoder": sequence("decoders", replace({"String": SPACE}, " "), {"type": "ByteFallback"}, {"type": "Fuse"}),
    }
    config = {
        "tokenizer_class": "GemmaTokenizer",
        "bos_token": "<bos>",
        "eos_token": "<eos>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def modernbert() -> dict:
    vocabulary, model = byte_bpe(["|||IP_ADDRESS|||"])
    spaces = [(" " * count, {"normalized": True}) for count in range(8, 1, -1)]
    mask = ("[MASK]", {"special": True, "lstrip": True})
    parts = {
        "added_tokens": added(
            vocabulary, ("|||IP_ADDRESS|||", {"normalized": True}), *spaces, "[UNK]", "[CLS]", "[SEP]", "[PAD]", mask
        ),
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": byte_level(),
        "post_processor": template(vocabulary, "[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:0 [SEP]:0"),
        "decoder": byte_level(),
    }
    config = BERT_NAMES | {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": 8192,
        "model_input_names": ["input_ids", "attention_mask"],
        "added_tokens_decoder": decoder_config(parts["added_tokens"]),
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def letters() -> dict:
    """Single letters with unknown ones fused, a BPE decoder, special tokens split like any text."""
    alphabet = sorted({letter for sentence in SENTENCES[:24] for letter in sentence})
    vocabulary = numbered(["<unk>", "<s>", *alphabet])
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<unk>",
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [],
    }
    parts = {
        "added_tokens": added(vocabulary, "<unk>", "<s>"),
        "normalizer": {"type": "NFKD"},
        "pre_tokenizer": sequence(
            "pretokenizers", split(r"\d+|[aeiou]", "Contiguous"), {"type": "CharDelimiterSplit", "delimiter": "-"}
        ),
        "post_processor": template(vocabulary, "<s>:0 $A:0 <s>:0", "<s>:0 $B:1 <s>:0 $A:2"),
        "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
    }
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>", "split_special_tokens": True}
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}
