"""text_classification: the pipeline of transformers in torch, each input alone."""

import json
import shutil
from typing import Any

import numpy as np
import torch
from inputs import EDGES, EMOJI, draw, ten_thousand_words, varied
from kit import Kit
from models.export import eight_bit, half, run, write_json
from models.text import TextModel, make_model
from scipy.special import softmax
from transformers import pipeline

TASK = "text_classification"
LENGTHS = [32, 128, 512]
EXACT = {"score": 1e-4}
NEAR_TIE = 3e-4  # labels whose logits are nearer could change places by float noise
NAMES = ["anger", "joy", "fear", "surprise", "calm"]


def make(kit: Kit) -> None:
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    for group in (single_label, pairs, other_scores, label_names, quantized, refused):
        group(kit)


def classifier(kit: Kit, name: str, kind: str, labels: list[str] | int, **settings: Any) -> TextModel:
    problem = {"problem_type": settings.pop("problem_type")} if "problem_type" in settings else {}
    names = {"num_labels": labels} if isinstance(labels, int) else {"id2label": dict(enumerate(labels))}
    if isinstance(labels, list):
        names["label2id"] = {label: index for index, label in enumerate(labels)}
    return make_model(kit, f"{TASK}/{name}", kind, "text-classification", settings=names | problem, **settings)


def write(
    kit: Kit, case: str, made: TextModel, inputs: list[Any] | None = None, options: dict[str, Any] | None = None
) -> None:
    """A case with what the pipeline gives: all labels by score, or the `top_k` of the options."""
    options = options or {}
    lengths = options.get("compile", {}).get("sequence_length", LENGTHS)
    limit = min(made.tokenizer.model_max_length, np.max(lengths))
    classify = pipeline("text-classification", model=str(made.source), device="cpu")
    inputs = [item for item in inputs or varied(kit, case) if steady(made, item, limit)]
    settings = {"top_k": options.get("top_k"), "truncation": True, "max_length": limit}
    results = []
    for item in inputs:
        asked = item if isinstance(item, dict) else {"text": item}
        results.append({"predictions": [shorten(prediction) for prediction in classify(asked, **settings)]})
    kit.write_results(f"{TASK}/{case}", made.name, inputs, results, EXACT, options)


def steady(made: TextModel, item: str | dict[str, str], limit: int) -> bool:
    """Whether the labels stay in order when the logits are a little off."""
    texts = item if isinstance(item, dict) else {"text": item}
    rows = made.tokenizer(**texts, truncation=True, max_length=limit, return_tensors="pt")
    with torch.no_grad():
        logits = np.sort(made.model(**rows).logits[0].numpy())
    return not (np.diff(logits) < NEAR_TIE).any()


def shorten(prediction: dict[str, Any]) -> dict[str, Any]:
    return {"label": prediction["label"], "score": np.float32(prediction["score"])}


def single_label(kit: Kit) -> None:
    made = classifier(kit, "distilbert", "distilbert", ["NEGATIVE", "POSITIVE"])
    write(kit, "distilbert", made)
    write(kit, "edges", made, EDGES)
    write(kit, "emoji", made, EMOJI)
    write(kit, "ten_thousand_words", made, [ten_thousand_words(kit, "classification"), "short"])
    unequal = [text for count in (2, 1, 9, 3) for text in draw(kit, f"unequal/classes/{count}", count)]
    options = {"compile": {"batch_size": 4, "sequence_length": [8, 64]}}
    write(kit, "batches_of_unequal_texts", made, unequal, options)
    write(kit, "top_1", made, options={"top_k": 1})
    write(kit, "top_k_beyond_the_labels", made, options={"top_k": 10})
    made = classifier(kit, "bert", "bert", NAMES)
    write(kit, "bert", made)
    write(kit, "top_3", made, options={"top_k": 3})
    write(kit, "one_length", made, options={"compile": {"sequence_length": 12}})
    write(kit, "modernbert", classifier(kit, "modernbert", "modernbert", NAMES[:4], max_length=160))


def pairs(kit: Kit) -> None:
    labels = ["contradiction", "neutral", "entailment"]
    for kind in ("roberta", "deberta-v2", "bert"):
        case = f"pairs_{kind.replace('-', '_')}"
        made = classifier(kit, case, kind, labels)
        write(kit, case, made, text_pairs(kit, case))
    options = {"compile": {"sequence_length": [16]}}
    write(kit, "pairs_cut_longest_first", made, text_pairs(kit, "cut"), options)


def text_pairs(kit: Kit, case: str) -> list[Any]:
    """Pairs with equal and unequal halves, too long ones, empty ones, and texts alone between them."""
    short, other, third, alone = draw(kit, f"{case}/short", 4, 60)
    long = " ".join(draw(kit, f"{case}/long", 8))
    written = [
        (short, other),
        (long, third),
        (third, long),
        (long, long),
        ("", short),
        (short, ""),
        ("", ""),
        ("😀 ok", "ﬁn ½"),
    ]
    return [*({"text": text, "text_pair": pair} for text, pair in written), alone, {"text": alone}]


def other_scores(kit: Kit) -> None:
    """Sigmoid for one label and for several at once, logits for regression."""
    write(kit, "one_label", classifier(kit, "one_label", "bert", 1))
    multi = classifier(kit, "multi_label", "deberta-v2", NAMES, problem_type="multi_label_classification")
    write(kit, "multi_label", multi)
    write(kit, "multi_label_top_2", multi, options={"top_k": 2})
    write(kit, "regression", classifier(kit, "regression", "albert", 1, problem_type="regression"))
    many = classifier(
        kit, "regression_of_three", "xlm-roberta", ["valence", "arousal", "control"], problem_type="regression"
    )
    write(kit, "regression_of_three", many)
    single = classifier(kit, "single_label_type", "mpnet", NAMES[:3], problem_type="single_label_classification")
    write(kit, "single_label_type", single)


def label_names(kit: Kit) -> None:
    """Configurations without names, with their number only, and with names in another order than their ids."""
    changes = {
        "labels_missing": {},
        "labels_counted": {"num_labels": 3},
        "labels_out_of_order": {"id2label": {"2": "two", "0": "zero", "1": "one"}},
    }
    for name, values in changes.items():
        made = classifier(kit, name, "distilbert", 2 if name == "labels_missing" else 3)
        for folder in (made.folder, made.source):
            config = json.loads((folder / "config.json").read_text())
            named = {key: value for key, value in config.items() if key not in ("id2label", "label2id")}
            write_json(folder, {"config.json": named | values})
        write(kit, name, made)


def quantized(kit: Kit) -> None:
    """Softmax of the logits that ONNX Runtime gives on the file itself."""
    made = classifier(kit, "quantized", "bert", NAMES[:3])
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=False)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    (onnx / "model.onnx").unlink()
    for variant, file, slack in (("fp16", "model_fp16.onnx", 3e-3), ("q8", "model_quantized.onnx", 5e-3)):
        case = f"variant_{variant}"
        inputs, results = [], []
        for text in varied(kit, case):
            rows = made.tokenizer([text], truncation=True)
            logits = run(onnx / file, rows)["logits"][0].astype(np.float32)
            order = np.argsort(-logits)
            if (np.diff(logits[order]) > -10 * slack).any():
                continue
            inputs.append(text)
            scores = softmax(logits)
            labels = made.model.config.id2label
            results.append(
                {"predictions": [{"label": labels[index], "score": scores[index]} for index in order.tolist()]}
            )
        kit.write_results(f"{TASK}/{case}", made.name, inputs, results, {"score": slack}, {"variant": variant})


def refused(kit: Kit) -> None:
    valid = f"{TASK}/distilbert"
    kit.write_error(f"{TASK}/unknown_option", valid, ["a"], "InvalidInput", "top_k", {"topk": 1})
    kit.write_error(f"{TASK}/negative_top_k", valid, ["a"], "InvalidInput", "top_k", {"top_k": -1})
    kit.write_error(f"{TASK}/pair_without_text", valid, [{"text_pair": "a"}], "InvalidInput", "text")
    kit.write_error(f"{TASK}/input_is_a_number", valid, [3], "InvalidInput", "")
    encoder = make_model(kit, f"{TASK}/not_a_classifier", "distilbert", "feature-extraction", settings={"n_layers": 1})
    kit.write_error(f"{TASK}/not_a_classifier", encoder.name, ["a"], "Unsupported", "logits")
