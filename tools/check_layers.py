#!/usr/bin/env python3
"""Checks the includes of src/ and apps/ against tools/layers.toml, and that public headers include only std headers."""

import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = tomllib.loads((ROOT / "tools/layers.toml").read_text())
LAYERS: dict[str, int] = SETTINGS["layers"]
THIRD_PARTIES: dict[str, list[str]] = SETTINGS["third_parties"]
INCLUDE = re.compile(r'^\s*#include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
SIZE_LIMIT = 600


def layer_of(path: str) -> str | None:
    """The longest name in the table that the path begins with."""
    names = [name for name in LAYERS if path.startswith(name + "/")]
    return max(names, key=len, default=None)


def check_source(file: pathlib.Path, place: str) -> list[str]:
    layer = layer_of(place)
    shown = file.relative_to(ROOT)
    if layer is None:
        return [f"{shown}: its folder is not in tools/layers.toml"]
    problems = []
    for _, name in INCLUDE.findall(file.read_text()):
        for start, allowed in THIRD_PARTIES.items():
            if name.startswith(start) and layer.split("/")[0] not in allowed:
                problems.append(f"{shown}: <{name}> belongs to {', '.join(allowed)}")
        other = layer_of(name)
        if other is not None and other != layer and LAYERS[other] >= LAYERS[layer]:
            problems.append(
                f'{shown}: {layer} ({LAYERS[layer]}) must not include "{name}" of {other} ({LAYERS[other]})'
            )
    return problems


def check_public(file: pathlib.Path) -> list[str]:
    return [
        f"{file}: a public header includes only std headers and transmuter/, not {name}"
        for bracket, name in INCLUDE.findall(file.read_text())
        if not name.startswith("transmuter/") and ("/" in name or name.endswith((".h", ".hpp")) or bracket == '"')
    ]


def main() -> int:
    problems = []
    for file in sorted([*ROOT.glob("src/**/*.[ch]pp"), *ROOT.glob("apps/**/*.[ch]pp")]):
        relative = file.relative_to(ROOT).as_posix()
        place = relative.removeprefix("src/")
        problems += check_source(file, place)
    for file in sorted(ROOT.glob("include/**/*.hpp")):
        problems += check_public(file.relative_to(ROOT))
    sized = ("src/**/*.[ch]pp", "apps/**/*.[ch]pp", "include/**/*.hpp", "tests/**/*.[ch]pp", "rust/src/*.rs", "**/*.py")
    for file in (file for pattern in sized for file in ROOT.glob(pattern)):
        ours = not any(part.startswith((".", "build")) for part in file.relative_to(ROOT).parts)
        if ours and file.read_text().count("\n") > SIZE_LIMIT:
            problems.append(f"{file.relative_to(ROOT)}: longer than {SIZE_LIMIT} lines: it is two things")
    print("\n".join(problems) or "layers: all good")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
