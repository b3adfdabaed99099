"""BERT and its like, and WordLevel."""

from parts import (
    BERT,
    BERT_NAMES,
    ROBERTA,
    added,
    bert,
    bert_normalizer,
    decoder_config,
    numbered,
    plain_words,
    sequence,
    tokenizer,
)


def bert_uncased() -> dict:
    _, model, parts = bert(lower=True)
    parts["truncation"] = {"direction": "Right", "max_length": 16, "strategy": "LongestFirst", "stride": 0}
    parts["padding"] = {
        "strategy": {"Fixed": 16},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    config = BERT_NAMES | {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "strip_accents": None,
        "tokenize_chinese_chars": True,
        "model_max_length": 512,
    }
    config["added_tokens_decoder"] = decoder_config(parts["added_tokens"])
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def bert_cased() -> dict:
    """tokenizer.json says lower case, tokenizer_config.json says not: the latter wins."""
    vocabulary, model, parts = bert(lower=False)
    parts["normalizer"] = bert_normalizer(lower=True)
    parts["post_processor"] = {
        "type": "BertProcessing",
        "sep": ["[SEP]", vocabulary["[SEP]"]],
        "cls": ["[CLS]", vocabulary["[CLS]"]],
    }
    config = {
        "tokenizer_class": "ElectraTokenizer",
        "do_lower_case": False,
        "tokenize_chinese_chars": False,
        "model_max_length": 1000000000000000019884624838656,
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def bert_old() -> dict:
    """Files of before added_tokens_decoder; special tokens as objects; class from config.json."""
    vocabulary, model, parts = bert(lower=True, size=500, max_input_chars_per_word=24)
    token = {"content": "[MASK]", "single_word": False, "lstrip": True, "rstrip": False, "normalized": False}
    return {
        "tokenizer.json": tokenizer(model, **parts),
        "tokenizer_config.json": {"do_lower_case": True, "max_len": 48, "clean_up_tokenization_spaces": True},
        "special_tokens_map.json": BERT_NAMES | {"mask_token": token, "additional_special_tokens": ["<think>"]},
        "added_tokens.json": {"<odd>": len(vocabulary), "<think>": len(vocabulary) + 1},
        "config.json": {"model_type": "distilbert", "vocab_size": 1},
    }


def bert_bare() -> dict:
    """Nothing but tokenizer.json."""
    _, model, parts = bert(lower=True, size=700)
    parts["normalizer"] = sequence(
        "normalizers",
        {"type": "NFD"},
        {"type": "StripAccents"},
        {"type": "Lowercase"},
        {"type": "Strip", "strip_left": True, "strip_right": False},
    )
    parts["pre_tokenizer"] = {"type": "Whitespace"}
    return {"tokenizer.json": tokenizer(model, **parts)}


def mpnet() -> dict:
    vocabulary, model, parts = bert(lower=True)
    parts["added_tokens"] = added(vocabulary, *ROBERTA, "[UNK]", ("<mask>", {"special": True, "lstrip": True}))
    parts["post_processor"] = {
        "type": "RobertaProcessing",
        "sep": ["</s>", vocabulary["</s>"]],
        "cls": ["<s>", vocabulary["<s>"]],
        "trim_offsets": True,
        "add_prefix_space": False,
    }
    config = {"tokenizer_class": "MPNetTokenizer", "strip_accents": False, "model_max_length": 384}
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def word_level() -> dict:
    words = [word for word, count in plain_words(lower=False).items() if count > 1]
    vocabulary = numbered(["<unk>", "<pad>", *sorted(words)])
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}
    parts = {
        "added_tokens": added(vocabulary, "<unk>", "<pad>"),
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Whitespace"},
    }
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "padding_side": "left",
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def odd_tokens() -> dict:
    """Added tokens with every flag, digits and punctuation apart, and a config that changes one token's flags."""
    vocabulary, model, parts = bert(lower=True, size=600)
    parts |= {
        "added_tokens": added(
            vocabulary,
            *BERT,
            ("<odd>", {"rstrip": True, "normalized": False}),
            ("<Left>", {"lstrip": True, "normalized": True}),
            ("word", {"single_word": True}),
            ("right!", {"rstrip": True, "lstrip": True, "single_word": True}),
            ("été", {"normalized": True}),
            ("the ", {"normalized": False}),
        ),
        "normalizer": sequence("normalizers", {"type": "Lowercase"}, {"type": "NFD"}, {"type": "StripAccents"}),
        "pre_tokenizer": sequence(
            "pretokenizers",
            {"type": "WhitespaceSplit"},
            {"type": "Digits", "individual_digits": True},
            {"type": "Punctuation", "behavior": "MergedWithNext"},
        ),
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
    }
    entries = decoder_config(parts["added_tokens"])
    entries[str(vocabulary["[MASK]"])] |= {"lstrip": True, "rstrip": True}
    entries[str(len(vocabulary))] = {
        "content": "ÉTÉ",
        "lstrip": False,
        "normalized": False,
        "rstrip": False,
        "single_word": False,
        "special": False,
    }
    config = BERT_NAMES | {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "added_tokens_decoder": entries,
        "additional_special_tokens": ["<think>"],
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}
