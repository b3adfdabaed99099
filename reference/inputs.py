"""Texts that cases run on: some drawn by the seed, some that every task must get right."""

from kit import Kit
from models.sentences import sentences

EDGES = [
    "",
    "   ",
    "a",
    "😀👍🏽 👨‍👩‍👧 ok",
    "Crème brûlée, naïve ΩMEGA ½ ﬁn",
    "tab\tand\nnew line",
    "日本語とعربي mixed",
]
EMOJI = ["🎉", "I ❤️ it 😂😂😂", "👨‍👩‍👧‍👦🏳️‍🌈", "no emoji here"]


def draw(kit: Kit, case: str, count: int, longest: int = 200) -> list[str]:
    """Sentences of up to `longest` characters, others for each case."""
    return kit.random(f"inputs/{case}").sample([text for text in sentences() if len(text) <= longest], count)


def varied(kit: Kit, case: str) -> list[str]:
    """Ten texts from empty to longer than any tiny model takes."""
    words = " ".join(draw(kit, f"{case}/long", 12))
    return [
        *draw(kit, case, 3),
        *kit.random(f"edges/{case}").sample(EDGES[2:], 3),
        "",
        "   ",
        draw(kit, case + "/last", 1)[0],
        words,
    ]


def ten_thousand_words(kit: Kit, case: str) -> str:
    words = " ".join(draw(kit, case, 30)).split()
    return " ".join(kit.random(f"words/{case}").choices(words, k=10_000))
