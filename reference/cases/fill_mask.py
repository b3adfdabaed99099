"""fill_mask: the pipeline of transformers in torch, each input alone."""

import shutil
from typing import Any

import numpy as np
import torch
from inputs import draw, ten_thousand_words
from kit import Kit
from models.export import eight_bit, half, run
from models.text import TextModel, make_model
from scipy.special import softmax
from transformers import pipeline

TASK = "fill_mask"
LENGTHS = [32, 128, 512]
EXACT = {"score": 1e-4}
NEAR_TIE = 3e-4  # tokens whose logits are nearer could change places by float noise
SCRIPTS = [
    "東京は日本の[MASK]です。",
    "القطة تنام على [MASK] الكبير",
    "बिल्ली [MASK] पर बैठी है",
    "แมวนั่งอยู่บน [MASK]",
    "Zoë’s café [MASK] e\u0301te\u0301",
    "I ❤️ [MASK] 😂😂😂",
]


def make(kit: Kit) -> None:
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    made = masked_model(kit, "bert")
    roberta = masked_model(kit, "roberta")
    for group in (architectures, quantized):
        group(kit)
    texts(kit, made)
    targets(kit, made, roberta)
    refused(kit, made)


def masked_model(kit: Kit, kind: str, **settings: Any) -> TextModel:
    sizes = {"n_layers": 1} if kind == "distilbert" else {}
    name = f"{TASK}/{kind.replace('-', '_')}"
    return make_model(kit, name, kind, "fill-mask", settings=sizes, limit=3e-5, **settings)  # its logits are large


def write(
    kit: Kit, case: str, made: TextModel, inputs: list[str] | None = None, options: dict[str, Any] | None = None
) -> None:
    """A case with what the pipeline gives; [MASK] stands for the tokenizer's own mask token."""
    options = options or {}
    limit = min(made.tokenizer.model_max_length, max(options.get("compile", {}).get("sequence_length", LENGTHS)))
    fill = pipeline("fill-mask", model=str(made.source), device="cpu")
    cut = {"truncation": True, "max_length": limit}
    settings = {name: options[name] for name in ("top_k", "targets") if name in options}
    kept, results = [], []
    for text in inputs or masked_texts(kit, case):
        asked = text.replace("[MASK]", made.tokenizer.mask_token)
        if steady(made, asked, limit, options):
            kept.append(text)
            results.append({"predictions": shorten(fill(asked, tokenizer_kwargs=cut, **settings))})
    assert kept, case
    kit.write_results(f"{TASK}/{case}", made.name, kept, results, EXACT, options)


def steady(made: TextModel, text: str, limit: int, options: dict[str, Any]) -> bool:
    """Whether a mask is left, and the best tokens stay in order when the logits are a little off."""
    rows = made.tokenizer(text, truncation=True, max_length=limit, return_tensors="pt")
    with torch.no_grad():
        logits = made.model(**rows).logits[0].numpy()
    masked = logits[rows["input_ids"][0].numpy() == made.tokenizer.mask_token_id]
    if "targets" in options or len(masked) == 0:
        return len(masked) > 0
    best = -np.sort(-masked, axis=1)[:, : options.get("top_k", 5) + 1]
    return not (np.diff(best) > -NEAR_TIE).any()


def shorten(answer: list[Any]) -> list[Any]:
    if isinstance(answer[0], list):
        return [shorten(one) for one in answer]
    return [
        {
            "score": np.float32(one["score"]),
            "token": one["token_str"],
            "token_id": one["token"],
            "sequence": one["sequence"],
        }
        for one in answer
    ]


def masked_texts(kit: Kit, case: str, count: int = 6) -> list[str]:
    """Sentences with a mask in the place of a word or between two."""
    choose = kit.random(f"masks/{case}")
    texts = []
    for text in draw(kit, case, count):
        words = text.split()
        words[choose.randrange(len(words))] = "[MASK]"
        texts.append(" ".join(words))
    return [*texts, "[MASK]", "a [MASK].", "[MASK], it is!"]


def architectures(kit: Kit) -> None:
    for kind in ("distilbert", "xlm-roberta", "albert", "deberta-v2", "mpnet"):
        write(kit, kind.replace("-", "_"), masked_model(kit, kind))
    write(kit, "modernbert", masked_model(kit, "modernbert", max_length=160))


def texts(kit: Kit, made: TextModel) -> None:
    write(kit, "bert", made)
    write(kit, "scripts", made, SCRIPTS)
    first, second = draw(kit, "several/masks", 2, 80)
    several = [
        f"[MASK] {first} [MASK]",
        "[MASK] [MASK] [MASK]",
        f"{second}[MASK][MASK]",
        "one [MASK] only",
        "[PAD] the [MASK] of [SEP] [PAD] the [MASK]",
    ]
    write(kit, "several_masks", made, several)
    write(kit, "spaces", made, ["  the   [MASK] \t of\nit  ", "no[MASK]space", " [MASK] "])
    long = ten_thousand_words(kit, "masks")
    write(kit, "ten_thousand_words", made, [f"The [MASK] is first. {long}", "a short [MASK]"])
    write(
        kit,
        "cut_at_the_given_length",
        made,
        options={"compile": {"sequence_length": [8, 12]}},
        inputs=["the [MASK] " * 8],
    )
    write(kit, "batches_of_unequal_texts", made, masked_texts(kit, "unequal", 12), {"compile": {"batch_size": 3}})
    write(kit, "top_1", made, options={"top_k": 1})
    write(kit, "top_12", made, options={"top_k": 12})


def targets(kit: Kit, made: TextModel, roberta: TextModel) -> None:
    write(kit, "roberta", roberta)
    write(kit, "scripts_roberta", roberta, SCRIPTS)
    spaces = ["the [MASK] of it", "the[MASK]of it", "[MASK] is it", "the  [MASK]  of it", "a [MASK] and a [MASK]."]
    write(kit, "spaces_roberta", roberta, spaces)
    own = [text.replace("[MASK]", "<mask>") for text in spaces]
    write(kit, "own_mask_token", roberta, own)
    known = sorted(word for word in made.tokenizer.get_vocab() if word.isascii() and word.isalpha() and len(word) > 2)
    words = kit.random("targets").sample(known, 4)
    texts = masked_texts(kit, "targets", 3) + ["[MASK] or [MASK]"]
    write(kit, "targets", made, texts, {"targets": words})
    write(kit, "target_as_text", made, texts, {"targets": words[0]})
    write(kit, "targets_with_top_2", made, texts, {"targets": words, "top_k": 2})
    twice = [words[0], "[SEP]", words[0], "##s", words[1]]
    write(kit, "targets_twice_and_special", made, texts, {"targets": twice})
    write(kit, "targets_without_a_token_of_their_own", made, texts, {"targets": ["unforgettable", "Lisbon!", "😀", ""]})
    pieces = ["Ġthe", "the", " the", "Lisbon", " unforgettable", "<mask>"]
    write(kit, "targets_roberta", roberta, texts, {"targets": pieces})


def quantized(kit: Kit) -> None:
    """The softmax of the logits that ONNX Runtime gives on the file itself."""
    made = make_model(kit, f"{TASK}/quantized", "bert", "fill-mask", limit=3e-5)
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=False)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    (onnx / "model.onnx").unlink()
    for variant, file, slack in (("fp16", "model_fp16.onnx", 3e-3), ("q8", "model_quantized.onnx", 5e-3)):
        inputs, results = [], []
        for text in masked_texts(kit, f"variant/{variant}", 12):
            rows = made.tokenizer([text])
            logits = run(onnx / file, rows)["logits"][0].astype(np.float32)
            place = rows["input_ids"][0].index(made.tokenizer.mask_token_id)
            best = np.argsort(-logits[place])[:4].tolist()
            if (np.diff(logits[place][best]) > -10 * slack).any():
                continue
            scores = softmax(logits[place])
            predictions = []
            for token in best[:3]:
                ids = rows["input_ids"][0][:place] + [token] + rows["input_ids"][0][place + 1 :]
                sequence = made.tokenizer.decode(ids, skip_special_tokens=True)
                text_of = made.tokenizer.decode([token])
                predictions.append({"score": scores[token], "token": text_of, "token_id": token, "sequence": sequence})
            inputs.append(text)
            results.append({"predictions": predictions})
        options = {"variant": variant, "top_k": 3}
        kit.write_results(f"{TASK}/variant_{variant}", made.name, inputs, results, {"score": slack}, options)


def refused(kit: Kit, made: TextModel) -> None:
    for case, inputs, message, options in (
        ("unknown_option", ["a [MASK]"], "top_k", {"topk": 1}),
        ("no_top_k", ["a [MASK]"], "top_k", {"top_k": 0}),
        ("no_mask", ["a [MASK]", "none here"], "[MASK]", None),
        ("no_mask_in_spaces", ["   "], "[MASK]", None),
        ("no_mask_in_nothing", [""], "[MASK]", None),
        ("mask_after_the_cut", ["the cat sat on the [MASK]"], "first 5 tokens", {"compile": {"sequence_length": 5}}),
        ("no_targets", ["a [MASK]"], "targets", {"targets": []}),
        ("targets_without_tokens", ["a [MASK]"], "targets", {"targets": ["", "   "]}),
        ("target_is_a_number", ["a [MASK]"], "targets", {"targets": [1]}),
        ("input_is_a_number", [3], "", None),
    ):
        kit.write_error(f"{TASK}/{case}", made.name, inputs, "InvalidInput", message, options)
    other = "text_classification/bert"
    kit.write_error(f"{TASK}/not_a_masked_model", other, ["a [MASK]"], "Unsupported", "logits")
    without = "text_embedding/qwen3_last_token"
    kit.write_error(f"{TASK}/no_mask_token", without, ["a [MASK]"], "Unsupported", "mask_token")
