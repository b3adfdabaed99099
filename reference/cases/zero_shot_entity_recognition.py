"""zero_shot_entity_recognition: predict_entities of gliner on the ONNX files, each input alone."""

import json
import shutil
import warnings
from typing import Any

import numpy as np
from gliner.model import BaseEncoderGLiNER
from inputs import EDGES, EMOJI, draw, ten_thousand_words, varied
from kit import Kit
from models.export import eight_bit, half, write_json
from models.gliner_models import LABELS, LONGEST, GlinerModel, make_gliner

TASK = "zero_shot_entity_recognition"
EXACT = {"score": 1e-4}
SETTINGS = ("threshold", "flat_ner", "multi_label")
SCRIPTS = [
    "東京タワーは日本の東京都港区芝公園にある。",
    "عاصمة مصر هي القاهرة، وفيها نهر النيل.",
    "दिल्ली भारत की राजधानी है और वहाँ बहुत लोग रहते हैं।",
    "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย",
    "Ça va, Zoe\u0308? Le cafe\u0301 d'Anaïs – état-major, sous_sol, 42e–43e.",
    "서울은 대한민국의 수도이다. Анна живёт в Москве.",
    "Mail a_b-c@x-y.org or call +49-(0)30/123-45; it's 3.5 ½ € -- soon…",
    "\u200bzero\u200dwidth\u00a0and\u3000wide\u2028spaces\x1cin\x85lines",
]


def make(kit: Kit) -> None:
    warnings.filterwarnings("ignore")
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    for group in (spans, lists_of_labels, lengths, words, poolings, old_files, variants, refused):
        group(kit)


def gliner(kit: Kit, name: str, kind: str, token_level: bool = False, **settings: Any) -> GlinerModel:
    return make_gliner(kit, f"{TASK}/{name}", kind, token_level, **settings)


def write(
    kit: Kit,
    case: str,
    made: GlinerModel,
    inputs: list[Any] | None = None,
    options: dict[str, Any] | None = None,
    slack: float = 1e-4,
) -> None:
    """A case with what gliner gives; inputs whose entities hang on less than `slack` are left out."""
    options = options or {}
    longest = max(options.get("compile", {}).get("sequence_length", [LONGEST]))
    model = made.load(longest)
    settings = {key: options[key] for key in SETTINGS if key in options}
    unit = options.get("offset_unit", "byte")
    kept, results = [], []
    for item in inputs if inputs is not None else with_labels(varied(kit, case)):
        asked = item if isinstance(item, dict) else {"text": item}
        labels = asked.get("labels", options.get("labels"))
        found = entities(model, asked["text"], labels, settings, unit) if labels else []
        if labels and not steady(kit, case, model, asked["text"], labels, settings, slack):
            continue
        kept.append(item)
        results.append({"entities": found})
    print(f"  {case}: {len(kept)} inputs, {sum(len(result['entities']) for result in results)} entities")
    kit.write_results(f"{TASK}/{case}", made.name, kept, results, {"score": slack}, options)


def entities(
    model: BaseEncoderGLiNER, text: str, labels: list[str], settings: dict[str, Any], unit: str
) -> list[dict[str, Any]]:
    found = []
    for entity in model.predict_entities(text, labels, **settings):
        ends = entity["start"], entity["end"]
        start, end = ends if unit == "codepoint" else (len(text[:end].encode()) for end in ends)
        score = np.float32(entity["score"])
        found.append({"label": entity["label"], "phrase": entity["text"], "start": start, "end": end, "score": score})
    return found


def steady(
    kit: Kit,
    case: str,
    model: BaseEncoderGLiNER,
    text: str,
    labels: list[str],
    settings: dict[str, Any],
    slack: float,
) -> bool:
    """Whether the entities stay the same when the logits are a little off."""
    noise = np.random.default_rng(kit.number(case))
    exact = model.model.run_inference
    shapes = []
    for amount in (0.0, slack, slack, slack, slack):

        def noisy(inputs: dict[str, np.ndarray], amount: float = amount) -> dict[str, np.ndarray]:
            logits = exact(inputs)["logits"]
            return {"logits": logits + noise.uniform(-amount, amount, logits.shape).astype(np.float32)}

        model.model.run_inference = noisy
        found = model.predict_entities(text, labels, **settings)
        shapes.append([(entity["start"], entity["end"], entity["label"]) for entity in found])
    model.model.run_inference = exact
    return all(shape == shapes[0] for shape in shapes)


def with_labels(texts: list[str], labels: list[str] | None = None) -> list[Any]:
    """Texts with the same labels, or each with other ones of LABELS."""
    return [{"text": text, "labels": labels or LABELS[index % 2 : 2 + index % 3]} for index, text in enumerate(texts)]


def spans(kit: Kit) -> None:
    """Models that score spans and models that score words, and each option of the decoders."""
    texts = [text for count in ("one", "two", "three") for text in draw(kit, f"decoders/{count}", 4)]
    for name, made in {
        "span": gliner(kit, "span", "deberta-v2", max_width=4, max_len=40),
        "token": gliner(kit, "token", "deberta-v2", token_level=True, max_len=40),
    }.items():
        write(kit, name, made)
        write(kit, f"{name}_edges", made, with_labels(EDGES, LABELS))
        write(kit, f"{name}_emoji", made, with_labels(EMOJI, LABELS), {"threshold": 0.05})
        write(kit, f"{name}_scripts", made, with_labels(SCRIPTS), {"threshold": 0.03})
        asked = {"threshold": 0.03, "offset_unit": "codepoint"}
        write(kit, f"{name}_code_points", made, with_labels(SCRIPTS), asked)
        for threshold in (0.05, 0.3, 0.9):
            asked = {"threshold": threshold}
            write(kit, f"{name}_threshold_{str(threshold).replace('.', '_')}", made, with_labels(texts), asked)
        nested = {"flat_ner": False, "threshold": 0.3}
        write(kit, f"{name}_nested", made, with_labels(texts), nested)
        write(kit, f"{name}_multi_label", made, with_labels(texts, LABELS), {"multi_label": True, "threshold": 0.3})
        write(kit, f"{name}_nested_multi_label", made, with_labels(texts, LABELS), nested | {"multi_label": True})
    shallow = gliner(kit, "without_lstm", "bert", max_width=3, num_rnn_layers=0, span_mode="markerV1")
    write(kit, "span_without_lstm", shallow)


def lists_of_labels(kit: Kit) -> None:
    made = GlinerModel(f"{TASK}/span", kit.models / TASK / "span")
    text, other, third = draw(kit, "labels", 3)
    lists = [
        ["person"],
        ["place", "food", "place", "place", "food"],
        ["a label of many words, with a comma", "ville où l'on habite", "人"],
        ["food", "", "place"],
        ["food", "   ", "place"],
        ["<<ENT>>", "food", "food <<SEP>> <<ENT>> place", "[SEP]"],
        ["😀", "e\u0301", "a-b_c"],
        [f"label {index}" for index in range(12)],
    ]
    asked = [{"text": each, "labels": labels} for each in (text, other) for labels in lists]
    write(kit, "labels", made, asked, {"threshold": 0.3})
    asked = [text, {"text": other}, {"text": third, "labels": LABELS[:2]}, {"text": text, "labels": []}, ""]
    write(kit, "labels_of_the_options", made, asked, {"labels": LABELS, "threshold": 0.3})
    write(kit, "one_label_as_a_text", made, [text, other], {"labels": ["food"], "threshold": 0.2})
    write(kit, "no_labels", made, [text, {"text": other, "labels": ["food"]}], {"labels": []})


def lengths(kit: Kit) -> None:
    """Texts that are cut after max_len words, or at the longest row of tokens, and rows of unequal length."""
    for name in ("span", "token"):
        made = GlinerModel(f"{TASK}/{name}", kit.models / TASK / name)
        long = [" ".join(draw(kit, f"{name}/long/{count}", count)) for count in (4, 6, 9, 12)]
        write(kit, f"{name}_too_many_words", made, with_labels([*long, ten_thousand_words(kit, name)]))
        write(kit, f"{name}_cut_tokens", made, with_labels(long, LABELS[:2]), {"compile": {"sequence_length": [32]}})
        unequal = [text for count in (2, 1, 6, 3) for text in draw(kit, f"{name}/unequal/{count}", count)]
        asked = with_labels([*unequal, *long[:2]])
        compiled = {"batch_size": 4, "sequence_length": [64, 160]}
        write(kit, f"{name}_batches", made, asked, {"compile": compiled, "threshold": 0.3})


def words(kit: Kit) -> None:
    """Words that have no token, in the text and in the prompt: WordPiece drops control characters."""
    made = gliner(kit, "bert", "bert", max_width=5, max_len=60)
    empty = ["one \x07 two three \u200b four", "\u0007\u0001 \u0002", "Anna \ufeff lives\x07in Berlin.", "\x7f"]
    write(kit, "words_without_tokens", made, with_labels([*empty, *draw(kit, "words", 4)], LABELS), {"threshold": 0.3})
    asked = [
        {"text": text, "labels": labels}
        for text in draw(kit, "labels/bert", 4)
        for labels in (["food", " ", "place"], ["\x07"], ["\u200b", "food"], ["", ""])
    ]
    write(kit, "labels_without_tokens", made, asked, {"threshold": 0.3})


def poolings(kit: Kit) -> None:
    """The ways to make one vector of the tokens of a word, and the other families of tokenizers."""
    made = gliner(kit, "pooling_mean", "bert", token_level=True, subtoken_pooling="mean", num_rnn_layers=0)
    write(kit, "pooling_mean", made, options={"threshold": 0.4})
    made = gliner(kit, "pooling_last", "modernbert", subtoken_pooling="last", max_width=4)
    write(kit, "pooling_last", made, options={"threshold": 0.4})
    made = gliner(kit, "pooling_max", "xlm-roberta", subtoken_pooling="max", max_width=3, embed_ent_token=False)
    write(kit, "pooling_max", made, options={"threshold": 0.4})


def old_files(kit: Kit) -> None:
    """A configuration without the keys that came later, and with one that is gone."""
    made = gliner(kit, "old_configuration", "distilbert", subtoken_pooling="first")
    old = {
        "lr_encoder": "1e-5",
        "hidden_size": 24,
        "dropout": 0.4,
        "model_name": "tiny/distilbert",
        "name": "span level gliner",
        "span_mode": "markerV0",
        "subtoken_pooling": "first",
        "root_dir": "gliner_logs",
    }
    write_json(made.folder, {"gliner_config.json": old})
    write(kit, "old_configuration", made)
    other = gliner(kit, "other_tokens", "deberta-v2", ent_token="[E]", sep_token="[S]", max_width=3)
    write(kit, "other_tokens", other, options={"threshold": 0.4})


def variants(kit: Kit) -> None:
    """gliner on the files of lower precision."""
    made = gliner(kit, "variants", "bert", max_width=3)
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=True)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    (onnx / "model.onnx").unlink()
    for variant, file, slack in (("fp16", "model_fp16.onnx", 3e-3), ("q8", "model_quantized.onnx", 5e-3)):
        texts = [text for part in "abc" for text in draw(kit, f"variants/{variant}/{part}", 6)]
        asked = GlinerModel(made.name, made.folder, f"onnx/{file}")
        write(kit, f"variant_{variant}", asked, with_labels(texts, LABELS[:3]), {"variant": variant}, slack)


def refused(kit: Kit) -> None:
    valid = f"{TASK}/span"
    one = [{"text": "a", "labels": ["b"]}]

    def error(case: str, inputs: list[Any], code: str, message: str, **options: Any) -> None:
        kit.write_error(f"{TASK}/{case}", valid, inputs, code, message, options)

    error("labels_missing", [{"text": "a"}], "InvalidInput", "labels: give what to find")
    error("labels_missing_for_blanks", [""], "InvalidInput", "labels: give what to find")
    error("labels_are_a_number", [{"text": "a", "labels": 3}], "InvalidInput", "labels")
    error("a_label_is_a_number", [{"text": "a", "labels": ["b", 3]}], "InvalidInput", "labels")
    error("labels_are_an_object", [{"text": "a", "labels": {"b": "c"}}], "InvalidInput", "labels")
    error("text_missing", [{"labels": ["a"]}], "InvalidInput", "text")
    error("text_is_a_number", [{"text": 3, "labels": ["a"]}], "InvalidInput", "text")
    error("input_is_a_number", [3], "InvalidInput", "must be a text or an object")
    error("input_with_another_key", [one[0] | {"label": "c"}], "InvalidInput", "labels")
    error("labels_that_do_not_fit", [{"text": "a", "labels": [f"l {n}" for n in range(99)]}], "InvalidInput", "of 99")
    error("unknown_option", one, "InvalidInput", "flat_ner", flat_nre=True)
    error("threshold_above_one", one, "InvalidInput", "threshold", threshold=50)
    error("threshold_is_a_text", one, "InvalidInput", "threshold", threshold="high")
    error("unknown_offset_unit", one, "InvalidInput", "byte, codepoint", offset_unit="character")
    error("flat_ner_is_a_number", one, "InvalidInput", "flat_ner", flat_ner=1)

    changes = {
        "splitter": ({"words_splitter_type": "spacy"}, "Unsupported", '"spacy"'),
        "bi_encoder": ({"labels_encoder": "tiny/bert"}, "Unsupported", "labels_encoder"),
        "label_decoder": ({"labels_decoder": "tiny/gpt2"}, "Unsupported", "labels_decoder"),
        "relations": ({"relations_layer": "biaffine"}, "Unsupported", "relations_layer"),
        "streaming": ({"model_type": "gliner_streaming_span"}, "Unsupported", "model_type"),
        "fixed_labels": ({"precomputed_prompts_mode": True}, "Unsupported", "precomputed_prompts_mode"),
        "pooling": ({"subtoken_pooling": "median"}, "InvalidModel", "subtoken_pooling"),
        "max_width": ({"max_width": 0}, "InvalidModel", "max_width"),
        "max_len": ({"max_len": "many"}, "InvalidModel", "max_len"),
    }
    config = json.loads((kit.models / valid / "gliner_config.json").read_text())
    for name, (change, code, message) in changes.items():
        folder = f"{TASK}/refused/{name}"
        write_json(kit.models / folder, {"gliner_config.json": config | change})
        kit.write_error(f"{TASK}/refused_{name}", folder, one, code, message)
    write_json(kit.models / TASK / "refused" / "broken", {"gliner_config.json": "{"})
    kit.write_error(f"{TASK}/refused_broken", f"{TASK}/refused/broken", one, "InvalidModel", "gliner_config.json")
    write_json(kit.models / TASK / "refused" / "other_task", {"config.json": {"model_type": "bert"}})
    kit.write_error(f"{TASK}/refused_other_task", f"{TASK}/refused/other_task", one, "NotFound", "gliner_config.json")
