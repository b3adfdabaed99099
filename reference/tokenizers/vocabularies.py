"""Small vocabularies learned with plain, deterministic code: the trainers of the tokenizers package number what they
learn in the order of a hash map, so their files differ from run to run."""

import io
import itertools
import math
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

SPACE = "▁"


def by_count(counter: Counter) -> list:
    return [key for key, _ in sorted(counter.items(), key=lambda item: (-item[1], item[0]))]


def substrings(words: Counter, longest: int) -> Counter:
    found: Counter = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 2, min(len(word), start + longest) + 1):
                found[word[start:end]] += count
    return found


def word_piece(words: Counter, specials: list[str], size: int) -> dict[str, int]:
    """Letters, then whole words, word beginnings and `##` pieces by their count."""
    letters = Counter("".join(word for word, count in words.items() for _ in range(count)))
    pieces: Counter = Counter()
    for word, count in words.items():
        for end in range(2, min(len(word), 8) + 1):
            pieces[word[:end]] += count * end
            pieces["##" + word[-end:]] += count * end
    tokens = list(specials) + by_count(letters) + [f"##{letter}" for letter in by_count(letters)]
    for piece in by_count(pieces):
        if len(tokens) >= size:
            break
        tokens.append(piece)
    return {token: index for index, token in enumerate(dict.fromkeys(tokens))}


def bpe_merges(words: Counter, count: int) -> list[tuple[str, str]]:
    """The most frequent pairs, ties by text; words are tuples of symbols."""
    merges = []
    while len(merges) < count:
        pairs: Counter = Counter()
        for word, times in words.items():
            for pair in itertools.pairwise(word):
                pairs[pair] += times
        if not pairs:
            break
        best = by_count(pairs)[0]
        merges.append(best)
        merged: Counter = Counter()
        for word, times in words.items():
            symbols, index = [], 0
            while index < len(word):
                if word[index : index + 2] == best:
                    symbols.append("".join(best))
                    index += 2
                else:
                    symbols.append(word[index])
                    index += 1
            merged[tuple(symbols)] += times
        words = merged
    return merges


def byte_letters() -> dict[int, str]:
    """The letter that stands for each byte in byte-level BPE."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = {byte: chr(byte) for byte in printable}
    for byte in range(256):
        letters.setdefault(byte, chr(256 + len(letters) - len(printable)))
    return letters


def unigram(words: Counter, specials: list[tuple[str, float]], size: int) -> list[tuple[str, float]]:
    """Pieces of words that begin with ▁, scored by the logarithm of their share."""
    letters = Counter("".join(word for word, count in words.items() for _ in range(count)))
    pieces = substrings(words, 7)
    for piece in list(pieces):
        pieces[piece] *= len(piece)
    chosen = list(dict.fromkeys(by_count(letters) + by_count(pieces)))[:size]
    total = sum(letters.values()) + sum(pieces.values())
    scored = [(piece, math.log((letters[piece] + pieces[piece]) / total)) for piece in chosen]
    return specials + sorted(scored, key=lambda item: (-item[1], item[0]))


def charsmap(limit: int = 420) -> bytes:
    """A compiled normalization map of sentencepiece with a part of NFKC."""
    rules = {}
    for code in [
        *range(0xA0, 0x180),
        *range(0x2000, 0x2140),
        *range(0x3000, 0x3200),
        *range(0xFB00, 0xFB10),
        *range(0xFF01, 0xFFA0),
    ]:
        letter = chr(code)
        for source in {letter, unicodedata.normalize("NFD", letter)}:
            target = unicodedata.normalize("NFKC", source)
            if target != source and unicodedata.category(letter) != "Cn":
                rules[source] = target
    for code in (0x9, 0xA, 0xD, 0x85, 0x2028, 0x3000):
        rules[chr(code)] = " "
    for code in (0x7, 0x1B, 0x200B, 0x200E, 0xFEFF):
        rules[chr(code)] = ""
    lines = [
        " ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target)
        for source, target in sorted(rules.items())[:limit] + sorted(rules.items())[limit::7]
    ]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "rules.tsv")
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c d e f g a b c d"] * 20),
            model_writer=model,
            vocab_size=16,
            model_type="unigram",
            normalization_rule_tsv=str(table),
            num_threads=1,
            minloglevel=2,
            hard_vocab_limit=False,
        )
        proto = sentencepiece_model_pb2.ModelProto()
        proto.ParseFromString(model.getvalue())
        return proto.normalizer_spec.precompiled_charsmap
