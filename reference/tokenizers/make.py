"""Makes tests/golden/tokenizer/ with Python's transformers and tokenizers.

    python reference/tokenizers/make.py                      all of it
    python reference/tokenizers/make.py --show roberta 17    what Python makes of one string
    python reference/tokenizers/make.py --case roberta 17    and of one cut

Every string and every cut is stored as a hash of `canonical`; a few are stored in full, so that a failing test can show
what was expected."""

import argparse
import json
import random
import shutil
from pathlib import Path

import tokenizers
import transformers
from corpus import corpus
from families import FAMILIES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "golden" / "tokenizer"
MODELS = {"all-minilm-l6-v2": "models/all-MiniLM-L6-v2"}  # tokenizers that stand elsewhere in the repository
SPECIAL_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


def fnv1a(text: str) -> str:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def load(name: str):
    tokenizer = load_from(ROOT / MODELS[name] if name in MODELS else FOLDER / name)
    tokenizer._switch_to_input_mode()  # translation models begin with the target's special tokens, calls don't
    tokenizer.add_prefix_space = True  # what some classes ask before they take words; nothing else reads it after load
    return tokenizer


def load_from(folder: Path):
    if [file.name for file in folder.glob("*.json") if file.name != "expected.json"] == ["tokenizer.json"]:
        return transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    return transformers.AutoTokenizer.from_pretrained(folder)


def byte_at(text: str, index: int) -> int:
    return len(text[:index].encode())


def rows(tokenizer, encoding, texts: list) -> list[list[int]]:
    """Id, type id, start and end in bytes and in code points, word, sequence, special."""

    def text_of(index: int) -> str:
        if encoding.special_tokens_mask[index]:
            return ""
        # Without a post-processor, the sequence ids of further windows are not to be trusted.
        plain = tokenizer.backend_tokenizer.post_processor is None
        text = texts[encoding.type_ids[index] if plain else encoding.sequence_ids[index]]
        return text if isinstance(text, str) else text[encoding.word_ids[index]]

    result = []
    for index, token in enumerate(encoding.ids):
        word, sequence = encoding.word_ids[index], encoding.sequence_ids[index]
        start, end = encoding.offsets[index]
        text = text_of(index)
        result.append(
            [
                token,
                encoding.type_ids[index],
                byte_at(text, start),
                byte_at(text, end),
                start,
                end,
                -1 if word is None else word,
                -1 if sequence is None else sequence,
                encoding.special_tokens_mask[index],
            ]
        )
    return result


def canonical(windows: list[list[list[int]]]) -> str:
    return "".join("".join(" ".join(map(str, row)) + "\n" for row in window) + "--\n" for window in windows)


def encode(tokenizer, texts: list, **options) -> list[list[list[int]]]:
    # The class itself may pad (SeamlessM4T).
    batch = transformers.PreTrainedTokenizerFast.__call__(tokenizer, *texts, **options)
    return [rows(tokenizer, encoding, texts) for encoding in batch.encodings]


def decoded(tokenizer, ids: list[int]) -> str:
    texts = [
        tokenizer.decode(ids),
        tokenizer.decode(ids, skip_special_tokens=True),
        tokenizer.decode(ids, clean_up_tokenization_spaces=True),
    ]
    return "".join(text + "\n" for text in texts)


def string_text(tokenizer, text: str) -> str:
    windows = encode(tokenizer, [text])
    return canonical(windows) + decoded(tokenizer, [row[0] for row in windows[0]])


def make_cases(strings: list[str], count: int = 500, seed: int = 7) -> list[dict]:
    rng = random.Random(seed)
    whole = [index for index, string in enumerate(strings) if string.strip()]
    short = [index for index in whole if len(strings[index]) < 12]
    cases = []
    for _ in range(count):
        strategy = rng.choice(("longest_first", "longest_first", "only_first", "only_second"))
        pools = {"longest_first": [whole, whole], "only_first": [whole, short], "only_second": [short, whole]}[strategy]
        if strategy != "only_second" and rng.random() < 0.4:
            pools = pools[:1]
        if rng.random() < 0.03:
            pools = [whole] * rng.randint(1, 2)
        max_length = rng.choice((None, 4, 5, 6, 8, 9, 12, 16, 17, 24, 33, 48)[0 if len(pools) == 1 else 5 :])
        cases.append(
            {
                "texts": [rng.choice(pool) for pool in pools],
                "split": rng.random() < 0.15,
                "special": rng.random() < 0.8,
                "strategy": strategy,
                "max_length": max_length,
                "side": rng.choice(("right", "right", "left")),
                "stride": rng.choice([stride for stride in (0, 0, 1, 2, 3, 7) if stride < (max_length or 99) / 4]),
                "windows": rng.random() < 0.5,
            }
        )
    return cases


def case_text(tokenizer, strings: list[str], case: dict) -> str:
    texts = [strings[index] for index in case["texts"]]
    if case["split"]:
        texts = [[word for word in text.split(" ") if word] for text in texts]
    tokenizer.truncation_side = case["side"]
    cut = case["max_length"] is not None
    try:
        windows = encode(
            tokenizer,
            texts,
            add_special_tokens=case["special"],
            is_split_into_words=case["split"],
            truncation=case["strategy"] if cut else False,
            max_length=case["max_length"] if cut else None,
            stride=case["stride"] if case["windows"] and cut else 0,
            return_overflowing_tokens=case["windows"],
        )
    except BaseException as error:  # the tokenizers package panics for some strides
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"error: {str(error).splitlines()[0]}"
    return canonical(windows)


def settings(tokenizer) -> dict:
    limit = tokenizer.model_max_length
    names = {
        name: str(token)
        for name, token in tokenizer.special_tokens_map_extended.items()
        if isinstance(name, str) and name != "additional_special_tokens"
    }
    return {
        "vocab_size": len(tokenizer),
        "model_max_length": limit if limit < 1e15 else None,
        "padding_side": tokenizer.padding_side,
        "truncation_side": tokenizer.truncation_side,
        "model_input_names": tokenizer.model_input_names,
        "special_tokens": names,
        "special_ids": sorted({index for index in tokenizer.all_special_ids if index is not None}),
        "added_counts": [tokenizer.num_special_tokens_to_add(pair) for pair in (False, True)],
        "added_tokens": [
            [index, token.content, token.single_word, token.lstrip, token.rstrip, token.normalized, token.special]
            for index, token in sorted(tokenizer.added_tokens_decoder.items())
        ],
    }


def samples(tokenizer, strings: list[str], count: int = 20) -> list[dict]:
    """Some short strings in full."""
    short = [index for index, string in enumerate(strings) if len(string.encode()) < 48]
    chosen = short[:8] + short[8 :: max(1, len(short) // (count - 8))][: count - 8]
    return [
        {"string": index, "rows": encode(tokenizer, [strings[index]])[0], "text": tokenizer.decode(ids)}
        for index in chosen
        for ids in [transformers.PreTrainedTokenizerFast.__call__(tokenizer, strings[index]).input_ids]
    ]


def write(path: Path, value, indent=None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=None if indent else (",", ":"))
    path.write_text(text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n", encoding="utf-8")


def make_family(name: str, strings: list[str], cases: list[dict]) -> None:
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if name not in MODELS:
        for file, value in FAMILIES[name]().items():
            write(folder / file, value)
    tokenizer = load(name)
    expected = {"model": MODELS[name]} if name in MODELS else {}
    expected |= {"settings": settings(tokenizer), "samples": samples(tokenizer, strings)}
    expected["strings"] = "".join(fnv1a(string_text(tokenizer, string)) for string in strings)
    texts = [case_text(tokenizer, strings, case) for case in cases]
    expected["cases"] = "".join("error".rjust(16) if text.startswith("error") else fnv1a(text) for text in texts)
    small = [index for index, text in enumerate(texts) if len(text) < 400]
    expected["case_samples"] = [{"case": index, "rows": texts[index]} for index in small[::10]]
    write(folder / "expected.json", expected)
    errors = sum(text.startswith("error") for text in texts)
    print(f"{name}: {type(tokenizer).__name__}, {len(tokenizer)} tokens, {errors} of {len(texts)} cuts are errors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", help="only these")
    parser.add_argument("--show", nargs=2, metavar=("FAMILY", "STRING"))
    parser.add_argument("--case", nargs=2, metavar=("FAMILY", "CUT"))
    arguments = parser.parse_args()
    strings = corpus()
    cases = make_cases(strings)
    if arguments.show:
        name, index = arguments.show
        print(repr(strings[int(index)]))
        print(string_text(load(name), strings[int(index)]))
    elif arguments.case:
        name, index = arguments.case
        print(cases[int(index)])
        print(case_text(load(name), strings, cases[int(index)]))
    else:
        FOLDER.mkdir(parents=True, exist_ok=True)
        write(
            FOLDER / "corpus.json",
            {
                "made_by": {"transformers": transformers.__version__, "tokenizers": tokenizers.__version__},
                "strings": strings,
                "cases": cases,
            },
        )
        for name in arguments.families or [*FAMILIES, *MODELS]:
            make_family(name, strings, cases)


if __name__ == "__main__":
    main()
