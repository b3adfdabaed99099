"""Small tokenizers of every family, trained on our own sentences. They do not depend on the seed."""

import functools
import itertools
import json
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path

import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import (
    AlbertTokenizerFast,
    BertTokenizerFast,
    DebertaV2TokenizerFast,
    DistilBertTokenizerFast,
    MPNetTokenizerFast,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen2TokenizerFast,
    RobertaTokenizerFast,
    T5TokenizerFast,
    XLMRobertaTokenizerFast,
)

from models.sentences import sentences

WORDPIECE_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDPIECES = 300
MPNET_SPECIALS = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]


def train_wordpiece(texts: list[str], specials: list[str], size: int) -> list[str]:
    """Merges the most frequent pair of pieces again and again; ties by spelling, so the result is always the same."""
    words = Counter(word for text in texts for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text))
    pieces = {word: [word[0], *("##" + letter for letter in word[1:])] for word in words}
    vocabulary = sorted({piece for parts in pieces.values() for piece in parts})
    while len(specials) + len(vocabulary) < size:
        pairs = Counter()
        for word, parts in pieces.items():
            for pair in itertools.pairwise(parts):
                pairs[pair] += words[word]
        first, second = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merged = first + second.removeprefix("##")
        vocabulary.append(merged)
        pieces = {word: merge(parts, first, second, merged) for word, parts in pieces.items()}
    return specials + vocabulary


def merge(parts: list[str], first: str, second: str, merged: str) -> list[str]:
    result = []
    for part in parts:
        if result and result[-1] == first and part == second:
            result[-1] = merged
        else:
            result.append(part)
    return result


@functools.cache
def wordpiece_file(lower: bool, specials: tuple[str, ...], size: int) -> str:
    texts = [text.lower() if lower else text for text in sentences()]
    vocabulary = train_wordpiece(texts, list(specials), size)
    path = Path(tempfile.mkdtemp()) / "vocab.txt"
    path.write_text("\n".join(dict.fromkeys(vocabulary)) + "\n")
    return str(path)


def bert(
    max_length: int, lower: bool = True, size: int = WORDPIECES, cls: type = BertTokenizerFast
) -> PreTrainedTokenizerBase:
    path = wordpiece_file(lower, tuple(WORDPIECE_SPECIALS), size)
    return cls(vocab_file=path, do_lower_case=lower, model_max_length=max_length)


def distilbert(max_length: int, lower: bool = True) -> PreTrainedTokenizerBase:
    return bert(max_length, lower, cls=DistilBertTokenizerFast)


def mpnet(max_length: int) -> PreTrainedTokenizerBase:
    path = wordpiece_file(True, tuple(MPNET_SPECIALS), WORDPIECES)
    return MPNetTokenizerFast(vocab_file=path, model_max_length=max_length)


@functools.cache
def byte_bpe(specials: tuple[str, ...], size: int, prefix_space: bool = False) -> Tokenizer:
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=size, special_tokens=list(specials), initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(sentences(), trainer)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def vocabulary_and_merges(tokenizer: Tokenizer) -> tuple[str, str]:
    folder = Path(tempfile.mkdtemp())
    model = json.loads(tokenizer.to_str())["model"]
    (folder / "vocab.json").write_text(json.dumps(model["vocab"], ensure_ascii=False))
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]) + "\n")
    return str(folder / "vocab.json"), str(folder / "merges.txt")


def roberta(max_length: int) -> PreTrainedTokenizerBase:
    tokenizer = byte_bpe(("<s>", "<pad>", "</s>", "<unk>", "<mask>"), 500)
    vocabulary, merges = vocabulary_and_merges(tokenizer)
    return RobertaTokenizerFast(vocab_file=vocabulary, merges_file=merges, model_max_length=max_length)


def modernbert(max_length: int) -> PreTrainedTokenizerBase:
    tokenizer = byte_bpe(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), 500)
    tokenizer = Tokenizer.from_str(tokenizer.to_str())
    tokenizer.normalizer = normalizers.NFC()
    ids = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ids
    )
    names = {
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    }
    inputs = ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=max_length, model_input_names=inputs, **names
    )


def qwen(max_length: int, padding_side: str = "left") -> PreTrainedTokenizerBase:
    """Ends every text with <|endoftext|>, as the tokenizer of Qwen3-Embedding does."""
    specials = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    vocabulary, merges = vocabulary_and_merges(byte_bpe(specials, 500))
    tokenizer = Qwen2TokenizerFast(
        vocab_file=vocabulary,
        merges_file=merges,
        model_max_length=max_length,
        padding_side=padding_side,
        pad_token="<|endoftext|>",
        eos_token="<|im_end|>",
    )
    end = ("<|endoftext|>", tokenizer.convert_tokens_to_ids("<|endoftext|>"))
    template = processors.TemplateProcessing(
        single="$A <|endoftext|>", pair="$A <|endoftext|> $B:1 <|endoftext|>:1", special_tokens=[end]
    )
    byte_level = processors.ByteLevel(trim_offsets=False)
    tokenizer.backend_tokenizer.post_processor = processors.Sequence([byte_level, template])
    return tokenizer


def gemma(max_length: int) -> PreTrainedTokenizerBase:
    """BPE on characters with a byte for what is unknown, and no word boundaries but the sign for a space."""
    specials = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>", "<end_of_turn>"]
    tokenizer = Tokenizer(BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("(?=▁)"), "isolated")
    letters = Counter(letter for text in sentences() for letter in text)
    known = set(
        sorted(letters, key=lambda letter: (-letters[letter], letter))[:100]
    )  # the trainer's own limit is not stable
    texts = ["".join(letter for letter in text if letter in known) for text in sentences()]
    bytes_ = [f"<0x{value:02X}>" for value in range(256)]
    trainer = BpeTrainer(vocab_size=700, special_tokens=specials + bytes_, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    content = json.loads(tokenizer.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] in specials]
    content["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"String": " "},
        "behavior": "MergedWithPrevious",
        "invert": False,
    }
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    ids = [(token, tokenizer.token_to_id(token)) for token in ("<bos>", "<eos>")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A <eos>", pair="<bos> $A <eos> <bos>:1 $B:1 <eos>:1", special_tokens=ids
    )
    names = {
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "bos_token": "<bos>",
        "eos_token": "<eos>",
        "mask_token": "<mask>",
    }
    inputs = ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=max_length, model_input_names=inputs, **names
    )


def compatibility_rules() -> str:
    """Some hundred rules of NFKC as sentencepiece reads them: the whole table takes 320 kB in each tokenizer.json."""
    ranges = [(0xA0, 0x180), (0x2000, 0x2030), (0x2070, 0x20A0), (0x2150, 0x2180), (0x3000, 0x3001), (0xFB00, 0xFB07)]
    ranges += [(0xFF01, 0xFF5F), (0xFF66, 0xFF9E)]
    lines = []
    for start, end in ranges:
        for point in range(start, end):
            target = unicodedata.normalize("NFKC", chr(point))
            if target != chr(point):
                lines.append(f"{point:04X}\t{' '.join(f'{ord(letter):04X}' for letter in target)}")
    return "\n".join(lines) + "\n"


@functools.cache
def unigram_file(size: int, **settings: int | str) -> str:
    folder = Path(tempfile.mkdtemp())
    (folder / "texts.txt").write_text("\n".join(sentences()) + "\n")
    (folder / "rules.tsv").write_text(compatibility_rules())
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "texts.txt"),
        model_prefix=str(folder / "spiece"),
        vocab_size=size,
        model_type="unigram",
        character_coverage=1.0,
        normalization_rule_tsv=str(folder / "rules.tsv"),
        num_threads=1,
        minloglevel=2,
        **settings,
    )
    return str(folder / "spiece.model")


def from_slow(cls: type, file: str, **settings: object) -> PreTrainedTokenizerBase:
    """The fast tokenizer that transformers converts from a sentencepiece model."""
    slow = cls.slow_tokenizer_class(file, **settings)
    folder = tempfile.mkdtemp()
    slow.save_pretrained(folder)
    tokenizer = cls.from_pretrained(folder, from_slow=True)
    for name in ("from_slow", "add_prefix_space"):  # either would ask for the sentencepiece model at each load
        tokenizer.init_kwargs.pop(name, None)
    return tokenizer


def xlm_roberta(max_length: int) -> PreTrainedTokenizerBase:
    return from_slow(XLMRobertaTokenizerFast, unigram_file(500), model_max_length=max_length)


def albert(max_length: int) -> PreTrainedTokenizerBase:
    file = unigram_file(450, pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols="[CLS],[SEP],[MASK]")
    return from_slow(AlbertTokenizerFast, file, model_max_length=max_length)


def deberta(max_length: int) -> PreTrainedTokenizerBase:
    names = {"pad_piece": "[PAD]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "unk_piece": "[UNK]"}
    file = unigram_file(450, pad_id=0, bos_id=1, eos_id=2, unk_id=3, **names)
    return from_slow(DebertaV2TokenizerFast, file, do_lower_case=False, model_max_length=max_length)


def t5(max_length: int) -> PreTrainedTokenizerBase:
    file = unigram_file(450, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    return from_slow(T5TokenizerFast, file, extra_ids=10, model_max_length=max_length)
