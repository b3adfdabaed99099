"""What Python's `re` takes for words: the table of the C++ word splitter, and strings that it is tested with.

python reference/tokenizers/words.py

Writes src/tasks/text/word_characters.cpp and tests/golden/words.json. GLiNER splits texts with the pattern below; what
`\\w` is depends on the Unicode version of Python, which both files name.
"""

import json
import platform
import random
import re
import sys
import unicodedata
from pathlib import Path

from corpus import SENTENCES

ROOT = Path(__file__).resolve().parents[2]
PATTERN = re.compile(r"\w+(?:[-_]\w+)*|\S")  # gliner 0.2.29 WhitespaceTokenSplitter
SURROGATES = range(0xD800, 0xE000)  # UTF-8 has none
PIECES = [*"aZ9_-é", "--", "-_", "_-", "ß", "ǅ", "\u0301", "न", "\u092e\u093e", "ก็", "日本", "한", "½", "²", "Ⅷ", "①"]
PIECES += [
    "\u00a0",
    "\u3000",
    "\u200b",
    "\u2028",
    "\u0085",
    "\x1c",
    "\x1f",
    "\ufeff",
    "\u180e",
    "😀",
    "👨\u200d👩",
    "𝟏",
    "🄰",
]
PIECES += [
    *" \t\n.,'’/·‿﹍＿－‐–\u2011",
    "http://a-b.c_d",
    "e-mail",
    "A_-B",
    "-x-",
    "٣",
    "१२",
    "\U00010107",
    "\U000e0100",
]
RANGES = [(0x21, 0x17F), (0x300, 0x600), (0x600, 0xE80), (0xE80, 0x1700), (0x1E00, 0x2100), (0x2100, 0x2C00)]
RANGES += [(0x2E80, 0x3400), (0x4E00, 0x4F00), (0xA000, 0xAC00), (0xF900, 0x10000), (0x10000, 0x12000)]
RANGES += [(0x1D000, 0x1F800), (0x20000, 0x20100), (0x30000, 0x32400), (0xE0000, 0xE0200)]


def is_word(point: int) -> bool:
    return re.match(r"\w", chr(point)) is not None


def ranges_of_words() -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for point in range(sys.maxunicode + 1):
        if not is_word(point):
            continue
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return ranges


def table() -> str:
    cells = [f"{{0x{first:X}, 0x{last:X}}}," for first, last in ranges_of_words()]
    lines, line = [], "   "
    for cell in cells:
        if len(line) + 1 + len(cell) > 120:
            lines.append(line)
            line = "   "
        line += " " + cell
    body = "\n".join([*lines, line])
    made = f"Python {platform.python_version()}, Unicode {unicodedata.unidata_version}"
    return f"""// Made by reference/tokenizers/words.py with {made}. Do not edit.
#include "tasks/text/words.hpp"

namespace transmuter {{
namespace {{

// clang-format off
constexpr CodePointRange kWordCharacters[] = {{
{body}
}};
// clang-format on

}}  // namespace

std::span<const CodePointRange> word_characters() {{ return kWordCharacters; }}

}}  // namespace transmuter
"""


def strings() -> list[str]:
    """Sentences of many scripts; pieces that meet in every way; characters of every block."""
    random_ = random.Random(7)
    made = ["", " ", "-", "_", "a-", "-a", "a--b", "a-_b", "a_-b", "__", "a-b-c_d", *SENTENCES]
    made += ["".join(random_.choices(PIECES, k=random_.randint(1, 12))) for _ in range(400)]
    for first, last in RANGES * 10:
        points = random_.sample([point for point in range(first, last) if point not in SURROGATES], 24)
        made.append("".join(chr(point) + random_.choice(["", "", " ", "-", "_"]) for point in points))
    return made


def fingerprint() -> str:
    """FNV-1a over a letter for each code point: w for word characters, s for spaces, o for all others."""
    value = 0xCBF29CE484222325
    for point in range(sys.maxunicode + 1):
        if point in SURROGATES:
            continue
        letter = "w" if is_word(point) else "o" if re.match(r"\S", chr(point)) else "s"
        value = (value ^ ord(letter)) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def main() -> None:
    (ROOT / "src/tasks/text/word_characters.cpp").write_text(table())
    cases = [json.dumps([text, [list(word.span()) for word in PATTERN.finditer(text)]]) for text in strings()]
    head = {"python": platform.python_version(), "unicode": unicodedata.unidata_version, "classes": fingerprint()}
    lines = [f'"{key}": {json.dumps(value)},\n' for key, value in head.items()]
    body = ",\n".join(cases)
    (ROOT / "tests/golden/words.json").write_text("{\n" + "".join(lines) + f'"cases": [\n{body}\n]\n}}\n')


if __name__ == "__main__":
    main()
