"""zero_shot_classification: the pipeline of transformers in torch, each input alone."""

import json
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
from inputs import EDGES, EMOJI, draw, ten_thousand_words
from kit import Kit
from models.export import eight_bit, half, run, write_json
from models.text import TextModel, make_model
from scipy.special import softmax
from transformers import pipeline

TASK = "zero_shot_classification"
LENGTHS = [32, 128, 512]
EXACT = {"score": 1e-4}
NEAR_TIE = 5e-5  # labels whose scores are nearer could change places by float noise
NLI = ["contradiction", "neutral", "entailment"]
LABELS = ["travel", "cooking", "animals", "politics", "a computer program"]
SCRIPTS = [
    "東京は日本の首都です。",
    "القطة تنام على السرير الكبير",
    "बिल्ली चटाई पर बैठी है",
    "แมวนั่งอยู่บนเสื่อ",
    "Zoë’s café naïveté e\u0301te\u0301",
]


def make(kit: Kit) -> None:
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    for group in (architectures, label_rules, quantized):
        group(kit)
    made = nli_model(kit, "distilbert")
    for group in (texts, templates, other_labels, refused):
        group(kit, made)


def nli_model(kit: Kit, name: str, kind: str = "distilbert", labels: list[str] = NLI, **settings: Any) -> TextModel:
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: index for index, label in enumerate(labels)}}
    sizes = {"n_layers": 1} if kind == "distilbert" else {}
    return make_model(kit, f"{TASK}/{name}", kind, "text-classification", settings=names | sizes, **settings)


def write(
    kit: Kit,
    case: str,
    made: TextModel,
    inputs: list[Any] | None = None,
    options: dict[str, Any] | None = None,
    equal: bool = False,
) -> None:
    """A case with what the pipeline gives. `equal` lets labels of one score stay."""
    options = {"labels": LABELS} | (options or {})
    classify = pipeline("zero-shot-classification", model=str(made.source), device="cpu")
    limit = int(np.max(options.get("compile", {}).get("sequence_length", LENGTHS)))
    classify.tokenizer.model_max_length = min(classify.tokenizer.model_max_length, limit)
    settings = {name: options[name] for name in ("hypothesis_template", "multi_label") if name in options}
    kept, results = [], []
    for item in inputs or varied_texts(kit, case):
        asked = item if isinstance(item, dict) else {"text": item}
        answer = classify(asked["text"], candidate_labels=asked.get("labels", options["labels"]), **settings)
        if not equal and (np.abs(np.diff(answer["scores"])) < NEAR_TIE).any():
            continue
        kept.append(item)
        pairs = zip(answer["labels"], answer["scores"], strict=True)
        results.append({"predictions": [{"label": label, "score": np.float32(score)} for label, score in pairs]})
    assert kept, case
    kit.write_results(f"{TASK}/{case}", made.name, kept, results, EXACT, options)


def varied_texts(kit: Kit, case: str) -> list[str]:
    words = " ".join(draw(kit, f"{case}/long", 12))
    return [*draw(kit, case, 4), *kit.random(f"edges/{case}").sample(EDGES[2:], 3), "   ", words]


def architectures(kit: Kit) -> None:
    for kind in ("bert", "roberta", "xlm-roberta", "deberta-v2"):
        name = kind.replace("-", "_")
        write(kit, name, nli_model(kit, name, kind))
    made = nli_model(kit, "modern_bert", "modernbert", max_length=160)
    write(kit, "modernbert", made)
    # It has tokens for every script.
    write(kit, "script_labels", made, [*draw(kit, "script/labels", 3), *SCRIPTS], {"labels": SCRIPTS})


def label_rules(kit: Kit) -> None:
    """Which labels are entailment and contradiction."""
    first = nli_model(kit, "entailment_first", labels=["ENTAILMENT", "NEUTRAL", "CONTRADICTION"])
    write(kit, "entailment_first", first)
    write(kit, "entailment_first_multi_label", first, options={"multi_label": True})
    two = nli_model(kit, "two_labels", labels=["not_entailment", "Entails", "entailment"])
    write(kit, "first_that_begins_so", two, options={"multi_label": True})
    # Without label2id transformers has no way to say it; the repository with it is the measure.
    unnamed = nli_model(kit, "label2id_missing")
    config = json.loads((unnamed.folder / "config.json").read_text())
    (unnamed.folder / "config.json").unlink()
    write_json(unnamed.folder, {"config.json": {key: value for key, value in config.items() if key != "label2id"}})
    write(kit, "label2id_missing", unnamed)


def texts(kit: Kit, made: TextModel) -> None:
    write(kit, "distilbert", made)
    write(kit, "multi_label", made, options={"multi_label": True})
    write(kit, "scripts", made, SCRIPTS)
    write(kit, "emoji", made, EMOJI)
    write(kit, "ten_thousand_words", made, [ten_thousand_words(kit, "zero shot"), "short"])
    write(kit, "cut_at_the_given_length", made, options={"compile": {"sequence_length": [16, 24]}})
    # The hypothesis alone is as long as the limit: then nothing is cut.
    some = draw(kit, "without/room", 4, 30)
    write(kit, "hypothesis_without_room", made, some, {"compile": {"sequence_length": 12}})
    short = {"labels": ["x", "a label that leaves no room"]}
    write(kit, "one_hypothesis_without_room", made, some, short | {"compile": {"sequence_length": 24}})
    many = [f"{name} and {other}" for name in LABELS for other in LABELS[:4]]
    write(kit, "twenty_labels", made, draw(kit, "many/labels", 30, 80), {"labels": many, "compile": {"batch_size": 6}})


def templates(kit: Kit, made: TextModel) -> None:
    for case, template in (
        ("template", "The text is about {}, I think."),
        ("template_with_braces", "{{{0}}} is {0} !"),
        ("template_is_the_label", "{}"),
        ("template_with_format", "About {!s:s}."),
        ("template_of_braces_only", "{{x}}"),
    ):
        write(kit, case, made, options={"hypothesis_template": template}, equal=case == "template_of_braces_only")


def other_labels(kit: Kit, made: TextModel) -> None:
    texts = draw(kit, "other/labels", 3)
    write(kit, "one_label", made, texts, {"labels": ["cooking"]})
    write(kit, "one_label_as_text", made, texts, {"labels": "cooking"})
    write(kit, "labels_as_text", made, texts, {"labels": " travel, cooking,, animals , "})
    write(kit, "labels_with_commas", made, texts, {"labels": ["travel, by train", "cooking, for six", ""]})
    write(kit, "equal_labels", made, texts, {"labels": ["animals", "travel", "animals", "cooking"]}, equal=True)
    own = [{"text": text, "labels": labels} for text, labels in zip(texts, (["yes", "no"], "a, b", ["x"]), strict=True)]
    write(kit, "labels_of_the_input", made, [*own, texts[0], {"text": texts[1]}])


def quantized(kit: Kit) -> None:
    """The softmax of the entailment logits that ONNX Runtime gives on the file itself."""
    made = nli_model(kit, "quantized", "bert")
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=False)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    (onnx / "model.onnx").unlink()
    for variant, file, slack in (("fp16", "model_fp16.onnx", 3e-3), ("q8", "model_quantized.onnx", 5e-3)):
        inputs, results = [], []
        for text in draw(kit, f"variant/{variant}", 8):
            logits = []
            for label in LABELS:
                rows = made.tokenizer([[text, f"This example is {label}."]], truncation="only_first")
                logits.append(run(onnx / file, rows)["logits"][0, 2].astype(np.float32))
            scores = softmax(np.array(logits))
            order = np.argsort(-scores)
            if (np.diff(scores[order]) > -3 * slack).any():
                continue
            inputs.append(text)
            results.append({"predictions": [{"label": LABELS[index], "score": scores[index]} for index in order]})
        options = {"labels": LABELS, "variant": variant}
        kit.write_results(f"{TASK}/variant_{variant}", made.name, inputs, results, {"score": slack}, options)


def refused(kit: Kit, made: TextModel) -> None:
    valid = made.name
    for case, inputs, message, options in (
        ("unknown_option", ["a"], "multi_label", {"labels": ["a"], "multilabel": True}),
        ("labels_missing", ["a"], "labels", None),
        ("no_labels", ["a"], "labels", {"labels": []}),
        ("labels_of_commas", ["a"], "labels", {"labels": " , "}),
        ("no_labels_of_the_input", [{"text": "a", "labels": []}], "labels", {"labels": ["a"]}),
        ("label_is_a_number", ["a"], "labels[1]", {"labels": ["a", 1]}),
        ("empty_text", [""], "text", {"labels": ["a"]}),
        ("text_missing", [{"labels": ["a"]}], "text", None),
        ("template_without_label", ["a"], "hypothesis_template", {"labels": ["a"], "hypothesis_template": "no place"}),
        ("template_is_its_label", ["a"], "hypothesis_template", {"labels": ["{}"], "hypothesis_template": "{}"}),
        ("template_with_name", ["a"], "hypothesis_template", {"labels": ["a"], "hypothesis_template": "{label}"}),
        ("template_with_two", ["a"], "twice", {"labels": ["a"], "hypothesis_template": "{} and {}"}),
        ("template_with_both", ["a"], "both", {"labels": ["a"], "hypothesis_template": "{} and {0}"}),
        ("template_not_closed", ["a"], "without", {"labels": ["a"], "hypothesis_template": "is {"}),
        ("template_not_opened", ["a"], "without", {"labels": ["a"], "hypothesis_template": "is {} }"}),
    ):
        kit.write_error(f"{TASK}/{case}", valid, inputs, "InvalidInput", message, options)
    outside = replace(made, name=f"{TASK}/entailment_outside", folder=kit.models / TASK / "entailment_outside")
    shutil.copytree(made.folder, outside.folder)
    config = json.loads((outside.folder / "config.json").read_text())
    write_json(outside.folder, {"config.json": config | {"label2id": {"entailment": 7}}})
    kit.write_error(f"{TASK}/entailment_outside", outside.name, ["a"], "InvalidModel", "label 7", {"labels": ["a"]})
    encoder = "text_classification/not_a_classifier"
    kit.write_error(f"{TASK}/not_a_classifier", encoder, ["a"], "Unsupported", "last_hidden_state", {"labels": ["a"]})
    # Longer than the model takes, and nothing may be cut.
    words = " ".join(["much"] * 80)
    kit.write_error(f"{TASK}/hypothesis_too_long", valid, ["a"], "InvalidInput", "64", {"labels": [words]})
