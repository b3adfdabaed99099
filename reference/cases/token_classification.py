"""token_classification: the pipeline of transformers in torch, each input alone."""

import json
import shutil
from typing import Any

import numpy as np
import torch
from inputs import EDGES, draw, ten_thousand_words, varied
from kit import Kit
from models.export import eight_bit, half, run, write_json
from models.text import TextModel, make_model
from transformers import TokenClassificationPipeline, pipeline

TASK = "token_classification"
LENGTHS = [32, 128, 512]
EXACT = {"score": 1e-4}
NOISE = 1e-4  # in the logits: an input counts only when it changes no label, no phrase and no offset
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]
SCRIPTS = [
    "Hugging Face Inc. is a company based in New York City.",
    "日本の首都は東京です。大阪にも住んでいます。",
    "عاصمة مصر هي القاهرة وعدد سكانها كبير",
    "भारत की राजधानी नई दिल्ली है",
    "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย",
    "👨‍👩‍👧‍👦 moved to Paris 🎉🏳️‍🌈 in May",
    "cafe\u0301 in Zu\u0308rich, nai\u0308ve A\u030angstrom",
    "5.975,7 + 4 = 12% of $3,000.00 (approx.)",
    "don't over-do e-mail@example.org/path_one",
    "  two  spaces   and\ta tab\n",
]


def make(kit: Kit) -> None:
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    for group in (families, aggregations, label_names, windows, quantized, refused):
        group(kit)


def tagger(kit: Kit, name: str, kind: str, labels: list[str], **settings: Any) -> TextModel:
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: index for index, label in enumerate(labels)}}
    return make_model(kit, f"{TASK}/{name}", kind, "token-classification", settings=names, **settings)


class Noisy(TokenClassificationPipeline):
    """The pipeline, with noise in the logits when there is a generator for it."""

    noise: np.random.Generator | None = None

    def _forward(self, model_inputs: dict[str, Any]) -> dict[str, Any]:
        outputs = super()._forward(model_inputs)
        if self.noise:
            noise = self.noise.uniform(-NOISE, NOISE, outputs["logits"].shape)
            outputs["logits"] = outputs["logits"] + torch.tensor(noise, dtype=torch.float32)
        return outputs


def steady(tag: Noisy, text: str, expected: list[dict[str, Any]], settings: dict[str, Any]) -> bool:
    """Whether noise leaves everything but the scores as it is."""
    for seed in range(4):
        tag.noise = np.random.default_rng(seed)
        got = tag(text, **settings)
        tag.noise = None
        if [without_score(entity) for entity in got] != [without_score(entity) for entity in expected]:
            return False
    return True


def without_score(entity: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entity.items() if key != "score"}


def renamed(entity: dict[str, Any], text: str, unit: str) -> dict[str, Any]:
    """The entity with the names of the guide, its offsets in bytes."""

    def place(at: int) -> int:
        return at if unit == "codepoint" else len(text[:at].encode())

    result = {
        "label": entity["entity" if "entity" in entity else "entity_group"],
        "phrase": entity["word"],
        "start": place(entity["start"]),
        "end": place(entity["end"]),
        "score": np.float32(entity["score"]),
    }
    return result | ({"index": int(entity["index"])} if "index" in entity else {})


def write(
    kit: Kit,
    case: str,
    made: TextModel,
    inputs: list[str] | None = None,
    options: dict[str, Any] | None = None,
    note_all: bool = False,
) -> None:
    """A case with what the pipeline gives. `note_all`: no input may be left out."""
    options = options or {}
    tag = pipeline("token-classification", model=str(made.source), device="cpu", pipeline_class=Noisy)
    lengths = options.get("compile", {}).get("sequence_length", LENGTHS)
    tag.tokenizer.model_max_length = min(tag.tokenizer.model_max_length, int(np.max(lengths)))
    aggregation = options.get("aggregation", "none")
    settings = {"aggregation_strategy": "simple" if aggregation == "same" else aggregation}
    settings |= {key: options[key] for key in ("stride", "ignore_labels") if key in options}
    kept, results = [], []
    for text in inputs or [*varied(kit, case), *SCRIPTS]:
        entities = tag(text, **settings)
        if not steady(tag, text, entities, settings):
            assert not note_all, (case, text)
            continue
        kept.append(text)
        unit = options.get("offset_unit", "byte")
        results.append({"entities": [renamed(entity, text, unit) for entity in entities]})
    assert len(kept) * 2 > len(inputs or []), (case, len(kept))
    kit.write_results(f"{TASK}/{case}", made.name, kept, results, EXACT, options)


def families(kit: Kit) -> None:
    """Each kind of tokenizer, token by token and with words of one label."""
    kinds = {"bert": {}, "roberta": {}, "xlm_roberta": {}, "deberta_v2": {}, "modernbert": {"max_length": 160}}
    for kind, settings in kinds.items():
        made = tagger(kit, kind, kind.replace("_", "-"), TAGS, **settings)
        write(kit, f"{kind}_none", made)
        write(kit, f"{kind}_average", made, options={"aggregation": "average"})
        if kind != "bert":
            write(kit, f"{kind}_same", made, options={"aggregation": "same"})
            write(kit, f"{kind}_first", made, options={"aggregation": "first"})


def aggregations(kit: Kit) -> None:
    made = remake(kit, "bert", "bert")
    for aggregation in ("same", "simple", "first", "max"):
        write(kit, f"bert_{aggregation}", made, options={"aggregation": aggregation})
    write(kit, "edges", made, EDGES, {"aggregation": "same"})
    write(kit, "code_points", made, options={"aggregation": "simple", "offset_unit": "codepoint"})
    write(kit, "code_points_of_tokens", made, options={"offset_unit": "codepoint"})
    write(kit, "ignore_nothing", made, options={"ignore_labels": []})
    write(kit, "ignore_labels", made, options={"ignore_labels": ["B-PER", "PER", "I-LOC"]})
    write(kit, "ignore_groups", made, options={"ignore_labels": ["PER", "O", "I-LOC"], "aggregation": "max"})
    unequal = [text for count in (2, 1, 9, 3) for text in draw(kit, f"unequal/tags/{count}", count)]
    options = {"aggregation": "max", "compile": {"batch_size": 4, "sequence_length": [8, 64]}}
    write(kit, "batches_of_unequal_texts", made, unequal, options)
    write(kit, "one_length", made, options={"aggregation": "first", "compile": {"sequence_length": 12}})


def remake(kit: Kit, name: str, kind: str, **settings: Any) -> TextModel:
    """The same model again: the same seed gives the same files."""
    return tagger(kit, name, kind, TAGS, **settings)


def label_names(kit: Kit) -> None:
    """Names without prefix, with several hyphens, and none at all."""
    odd = ["O", "PER", "I-GPE-LOC", "B-GPE-LOC", "GPE-LOC", "b-ORG", "B-"]
    made = tagger(kit, "odd_labels", "distilbert", odd)
    write(kit, "odd_labels_none", made)
    write(kit, "odd_labels_same", made, options={"aggregation": "same", "ignore_labels": []})
    made = tagger(kit, "labels_missing", "distilbert", ["LABEL_0", "LABEL_1"])
    for folder in (made.folder, made.source):
        config = json.loads((folder / "config.json").read_text())
        write_json(folder, {"config.json": {k: v for k, v in config.items() if k not in ("id2label", "label2id")}})
    write(kit, "labels_missing", made, options={"aggregation": "same"})


def windows(kit: Kit) -> None:
    made = remake(kit, "bert", "bert")
    texts = [" ".join(draw(kit, f"windows/{count}", count)) for count in (3, 6, 12, 25)]
    mixed = " ".join([*SCRIPTS, *texts[:2], *SCRIPTS])
    inputs = [*texts, mixed, "short", "", "   "]
    for aggregation in ("same", "first", "average", "max"):
        write(kit, f"stride_{aggregation}", made, inputs, {"aggregation": aggregation, "stride": 12})
    write(kit, "stride_0", made, inputs, {"aggregation": "same", "stride": 0})
    options = {"aggregation": "simple", "stride": 5, "compile": {"sequence_length": [16]}, "offset_unit": "codepoint"}
    write(kit, "stride_code_points", made, inputs, options)
    write(kit, "stride_ignores", made, inputs, {"aggregation": "max", "stride": 20, "ignore_labels": ["PER", "LOC"]})
    made = remake(kit, "roberta", "roberta")
    write(kit, "stride_roberta", made, inputs, {"aggregation": "same", "stride": 16})
    write(kit, "ten_thousand_words_cut", made, [ten_thousand_words(kit, "tags"), "short"], {"aggregation": "simple"})
    left = tagger(kit, "left_truncation", "bert", TAGS, tokenizer_settings={})
    for folder in (left.folder, left.source):
        config = json.loads((folder / "tokenizer_config.json").read_text())
        write_json(folder, {"tokenizer_config.json": config | {"truncation_side": "left"}})
    write(kit, "left_truncation", left, inputs, {"aggregation": "same"})
    write(kit, "left_truncation_stride", left, inputs, {"aggregation": "same", "stride": 10})


def quantized(kit: Kit) -> None:
    """The pipeline with the logits that ONNX Runtime gives on the file itself."""
    made = tagger(kit, "quantized", "bert", TAGS)
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=False)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    (onnx / "model.onnx").unlink()
    for variant, file, slack in (("fp16", "model_fp16.onnx", 3e-3), ("q8", "model_quantized.onnx", 5e-3)):
        case = f"variant_{variant}"
        tag = pipeline("token-classification", model=str(made.source), device="cpu", pipeline_class=Noisy)
        inputs, results = [], []
        for text in [*varied(kit, case), *draw(kit, f"{case}/more", 20, 60)]:
            rows = made.tokenizer([text], truncation=True)
            logits = run(onnx / file, rows)["logits"].astype(np.float32)
            gaps = np.diff(np.sort(logits[0]))[:, -1]
            if (gaps < 10 * slack).any():
                continue
            tag._forward = lambda given, logits=logits: given | {"logits": torch.tensor(logits)}
            entities = tag(text, aggregation_strategy="simple")
            inputs.append(text)
            results.append({"entities": [renamed(entity, text, "byte") for entity in entities]})
        options = {"variant": variant, "aggregation": "same"}
        kit.write_results(f"{TASK}/{case}", made.name, inputs, results, {"score": slack}, options)


def refused(kit: Kit) -> None:
    valid = f"{TASK}/bert"

    def error(case: str, message: str, options: dict[str, Any], inputs: list[Any] | None = None) -> None:
        kit.write_error(f"{TASK}/{case}", valid, inputs or ["a"], "InvalidInput", message, options)

    error("unknown_option", "aggregation", {"aggregations": "same"})
    error("unknown_aggregation", "aggregation", {"aggregation": "median"})
    error("unknown_offset_unit", "offset_unit", {"offset_unit": "utf16"})
    error("ignore_labels_is_a_number", "ignore_labels", {"ignore_labels": 3})
    error("stride_without_aggregation", "aggregation", {"stride": 4})
    error("stride_too_long", "stride", {"stride": 62, "aggregation": "same"})
    error("stride_negative", "stride", {"stride": -1, "aggregation": "same"})
    error("input_is_a_number", "", {}, [3])
    encoder = make_model(kit, f"{TASK}/not_a_tagger", "distilbert", "feature-extraction", settings={"n_layers": 1})
    kit.write_error(f"{TASK}/not_a_tagger", encoder.name, ["a"], "Unsupported", "logits")
