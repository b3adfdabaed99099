"""Texts for the benchmark: made from the vocabulary of a model with a fixed seed, one text a line."""

import json
import random
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Corpus:
    """A number of texts with a range of lengths in words."""

    name: str
    texts: int
    shortest: int
    longest: int


CORPORA = (
    Corpus("short", 512, 6, 24),
    Corpus("mixed", 128, 8, 380),
    Corpus("long", 32, 380, 380),
)


def whole_words(tokenizer: Path) -> list[str]:
    """Words of letters that are one token each, as most words of real texts are."""
    vocabulary = json.loads(tokenizer.read_text())["model"]["vocab"]
    return sorted(word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 1)


def make(corpus: Corpus, words: list[str], seed: int) -> list[str]:
    """A pure function of its arguments. Lengths are uniform between the shortest and the longest."""
    choose = random.Random(f"{seed} {corpus.name}")
    texts = []
    for _ in range(corpus.texts):
        length = choose.randint(corpus.shortest, corpus.longest)
        texts.append(" ".join(choose.choices(words, k=length)) + ".")
    return texts


def write(folder: Path, tokenizer: Path, scale: float, seed: int) -> dict[str, Path]:
    """Writes one file a corpus, and gives their paths."""
    words = whole_words(tokenizer)
    paths = {}
    for corpus in CORPORA:
        scaled = Corpus(corpus.name, max(round(corpus.texts * scale), 4), corpus.shortest, corpus.longest)
        paths[corpus.name] = folder / f"{corpus.name}.txt"
        paths[corpus.name].write_text("\n".join(make(scaled, words, seed)) + "\n")
    return paths
