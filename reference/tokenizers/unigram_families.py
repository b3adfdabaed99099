"""Unigram, as sentencepiece makes it."""

from parts import (
    BERT_NAMES,
    BERT_PAIR,
    BERT_SINGLE,
    ROBERTA,
    added,
    decoder_config,
    metaspace,
    precompiled,
    replace,
    sequence,
    template,
    tokenizer,
    unigram_model,
)
from vocabularies import SPACE


def xlm_roberta() -> dict:
    vocabulary, model = unigram_model(ROBERTA, "<unk>", ["<mask>"])
    mask = ("<mask>", {"special": True, "lstrip": True})
    parts = {
        "added_tokens": added(vocabulary, *ROBERTA, mask),
        "normalizer": sequence("normalizers", precompiled(), replace({"Regex": " {2,}"}, " ")),
        "pre_tokenizer": sequence("pretokenizers", {"type": "WhitespaceSplit"}, metaspace()),
        "post_processor": template(vocabulary, "<s>:0 $A:0 </s>:0", "<s>:0 $A:0 </s>:0 </s>:0 $B:0 </s>:0"),
        "decoder": metaspace(),
    }
    config = {
        "tokenizer_class": "XLMRobertaTokenizer",
        "model_max_length": 512,
        "bos_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "cls_token": "<s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": "<mask>",
        "clean_up_tokenization_spaces": True,
    }
    config["added_tokens_decoder"] = decoder_config(parts["added_tokens"])
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def albert() -> dict:
    specials = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary, model = unigram_model(specials, "<unk>")
    parts = {
        "added_tokens": added(vocabulary, *specials),
        "normalizer": sequence(
            "normalizers",
            replace({"String": "``"}, '"'),
            replace({"String": "''"}, '"'),
            {"type": "NFKD"},
            {"type": "StripAccents"},
            {"type": "Lowercase"},
            precompiled(),
        ),
        "pre_tokenizer": sequence("pretokenizers", {"type": "WhitespaceSplit"}, metaspace()),
        "post_processor": template(vocabulary, BERT_SINGLE, BERT_PAIR),
        "decoder": metaspace(),
    }
    config = {
        "tokenizer_class": "AlbertTokenizer",
        "model_max_length": 512,
        "remove_space": True,
        "unk_token": "<unk>",
        "pad_token": "<pad>",
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def t5() -> dict:
    extra = [f"<extra_id_{index}>" for index in range(99, -1, -1)]
    vocabulary, model = unigram_model(["<pad>", "</s>", "<unk>"], "<unk>", extra)
    parts = {
        "added_tokens": added(vocabulary, "<pad>", "</s>", "<unk>", *extra),
        "normalizer": precompiled(),
        "pre_tokenizer": sequence("pretokenizers", {"type": "WhitespaceSplit"}, metaspace()),
        "post_processor": template(vocabulary, "$A:0 </s>:0", "$A:0 </s>:0 $B:0 </s>:0"),
        "decoder": metaspace(),
    }
    config = {
        "tokenizer_class": "T5Tokenizer",
        "extra_ids": 100,
        "additional_special_tokens": sorted(extra),
        "model_max_length": 512,
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def deberta_v2() -> dict:
    specials = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    vocabulary, model = unigram_model(specials, "[UNK]", ["[MASK]"], byte_fallback=False)
    parts = {
        "added_tokens": added(vocabulary, *specials[:3], ("[UNK]", {"special": True, "normalized": True}), "[MASK]"),
        "normalizer": sequence(
            "normalizers",
            {"type": "Strip", "strip_left": True, "strip_right": True},
            precompiled(),
            replace({"Regex": " {2,}"}, " "),
        ),
        "pre_tokenizer": sequence("pretokenizers", metaspace()),
        "post_processor": template(vocabulary, BERT_SINGLE, BERT_PAIR),
        "decoder": metaspace(),
    }
    config = {"tokenizer_class": "DebertaV2Tokenizer", "do_lower_case": False, "split_by_punct": False} | BERT_NAMES
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def nllb() -> dict:
    """The post-processor is made anew from the language, whatever tokenizer.json has."""
    languages = ["eng_Latn", "fra_Latn", "zho_Hans"]
    vocabulary, model = unigram_model(ROBERTA, "<unk>", [*languages, "<mask>"])
    mask = ("<mask>", {"special": True, "lstrip": True, "normalized": True})
    parts = {
        "added_tokens": added(vocabulary, *ROBERTA, *languages, mask),
        "normalizer": sequence("normalizers", precompiled(), replace({"Regex": " {2,}"}, " ")),
        "pre_tokenizer": metaspace(),
        "post_processor": template(vocabulary, "$A:0 </s>:0", "$A:0 $B:0 </s>:0"),
        "decoder": metaspace(),
    }
    config = {
        "tokenizer_class": "NllbTokenizer",
        "src_lang": "fra_Latn",
        "tgt_lang": None,
        "additional_special_tokens": languages,
        "model_max_length": 1024,
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def nllb_old() -> dict:
    files = nllb()
    files["tokenizer_config.json"] |= {"legacy_behaviour": True, "src_lang": "eng_Latn"}
    return files


def seamless() -> dict:
    """The language has underscores around it that the config leaves out."""
    languages = ["__eng__", "__fra__"]
    vocabulary, model = unigram_model(["<pad>", "<unk>", "<s>", "</s>"], "<unk>", languages)
    parts = {
        "added_tokens": added(vocabulary, "<pad>", "<unk>", "<s>", "</s>", *languages),
        "normalizer": sequence("normalizers", precompiled(), replace({"Regex": " {2,}"}, SPACE)),
        "pre_tokenizer": metaspace("first"),
        "post_processor": None,
        "decoder": metaspace("first"),
    }
    config = {
        "tokenizer_class": "SeamlessM4TTokenizer",
        "src_lang": "fra",
        "tgt_lang": "eng",
        "additional_special_tokens": languages,
    }
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}


def unigram_bytes() -> dict:
    """Bytes for unknown letters, split by scripts."""
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    vocabulary, model = unigram_model(["<unk>", "<s>", "</s>", *bytes_], "<unk>", byte_fallback=True)
    parts = {
        "added_tokens": added(vocabulary, "<unk>", "<s>", "</s>"),
        "normalizer": sequence("normalizers", {"type": "Nmt"}, {"type": "NFKC"}, replace({"String": " "}, SPACE)),
        "pre_tokenizer": {"type": "UnicodeScripts"},
        "post_processor": template(vocabulary, "$A:0 </s>:1", "$A:0 $B:1 </s>:1"),
        "decoder": sequence(
            "decoders",
            replace({"String": SPACE}, " "),
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ),
    }
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>", "eos_token": "</s>"}
    return {"tokenizer.json": tokenizer(model, **parts), "tokenizer_config.json": config}
