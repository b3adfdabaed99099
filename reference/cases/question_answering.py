"""question_answering: the pipeline of transformers in torch, each question alone."""

import json
import shutil
from typing import Any

import numpy as np
import torch
from inputs import EDGES, draw, ten_thousand_words
from kit import Kit
from models.export import eight_bit, half, run, write_json
from models.text import TextModel, make_model
from transformers import QuestionAnsweringPipeline, pipeline

TASK = "question_answering"
EXACT = {"score": 1e-4}
NOISE = 1e-4  # in the logits: a question counts only when it changes no answer and no order
SCRIPTS = [
    ("Where is the company based?", "Hugging Face Inc. is a company based in New York City. NEW YORK CITY is large."),
    ("首都はどこですか。", "日本の首都は東京です。大阪にも住んでいます。"),
    ("ما هي عاصمة مصر؟", "عاصمة مصر هي القاهرة وعدد سكانها كبير"),
    ("राजधानी क्या है?", "भारत की राजधानी नई दिल्ली है"),
    ("เมืองหลวงคืออะไร", "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย"),
    ("who moved? 🎉", "👨‍👩‍👧‍👦 moved to Paris 🎉🏳️‍🌈 in May, and café owners in ΩMEGA moved too"),
    ("Cafe\u0301?", "cafe\u0301 in Zu\u0308rich, nai\u0308ve A\u030angstrom, İstanbul and ΣΑΣ σας"),
    ("How much is it?", "5.975,7 + 4 = 12% of $3,000.00 (approx.), don't over-do e-mail@example.org/path_one"),
    ("  spaces \t ?", "  two  spaces   and\ta tab\n"),
    ("?", "word"),
    (" ", "the question is blank"),
]


def make(kit: Kit) -> None:
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    for group in (families, options, windows, padding, quantized, refused):
        group(kit)


def reader(kit: Kit, name: str, kind: str, **settings: Any) -> TextModel:
    return make_model(kit, f"{TASK}/{name}", kind, "question-answering", **settings)


class Noisy(QuestionAnsweringPipeline):
    """The pipeline, with noise in the logits when there is a generator for it."""

    noise: np.random.Generator | None = None

    def _forward(self, inputs: dict[str, Any]) -> dict[str, Any]:
        outputs = super()._forward(inputs)
        if self.noise:
            for name in ("start", "end"):
                noise = self.noise.uniform(-NOISE, NOISE, outputs[name].shape)
                outputs[name] = outputs[name] + torch.tensor(noise, dtype=torch.float32)
        return outputs


def asked(question: str, context: str) -> dict[str, str]:
    return {"question": question, "context": context}


def answers(read: Noisy, item: dict[str, str], settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Without the answers of probability 0: Python fills a short list up with such spans, and which ones depends on the
    processor (numpy's argpartition)."""
    found = read(**item, **settings)
    found = found if isinstance(found, list) else [found]
    return [answer for answer in found if answer["score"] > 0]


def fits(made: TextModel, item: dict[str, str], window: int) -> bool:
    """Whether the question leaves room for more than what two windows share; else Python panics."""
    if len(made.tokenizer(item["question"], item["context"])["input_ids"]) <= window:
        return True
    question = made.tokenizer(item["question"], add_special_tokens=False)["input_ids"]
    return window - len(question) - made.tokenizer.num_special_tokens_to_add(pair=True) > min(window // 2, 128)


def steady(read: Noisy, item: dict[str, str], expected: list[dict[str, Any]], settings: dict[str, Any]) -> bool:
    """Whether noise leaves everything but the scores as it is."""
    for seed in range(2):
        read.noise = np.random.default_rng(seed)
        got = answers(read, item, settings)
        read.noise = None
        if [without_score(answer) for answer in got] != [without_score(answer) for answer in expected]:
            return False
    return True


def without_score(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "score"}


def renamed(answer: dict[str, Any], context: str, unit: str) -> dict[str, Any]:
    """The answer with the names of the guide, its offsets in bytes."""

    def place(at: int) -> int:
        return at if unit == "codepoint" else len(context[:at].encode())

    return {
        "text": answer["answer"],
        "start": place(answer["start"]),
        "end": place(answer["end"]),
        "score": np.float32(answer["score"]),
    }


def some(kit: Kit, case: str) -> list[dict[str, str]]:
    """Contexts from a word to many windows of a tiny model."""
    questions = draw(kit, f"{case}/questions", 8, 50)
    contexts = [" ".join(draw(kit, f"{case}/{count}/{index}", count)) for index, count in enumerate((1, 1, 2, 4, 9))]
    drawn = [asked(question, context) for question, context in zip(questions, contexts, strict=False)]
    edges = [asked(questions[5], text) for text in EDGES[2:]]
    return [*drawn, *edges, asked("Who?", "   "), *(asked(*pair) for pair in SCRIPTS)]


def write(
    kit: Kit,
    case: str,
    made: TextModel,
    inputs: list[dict[str, str]] | None = None,
    options: dict[str, Any] | None = None,
) -> None:
    options = options or {}
    read = pipeline("question-answering", model=str(made.source), device="cpu", pipeline_class=Noisy)
    settings = {
        key: options[key]
        for key in ("top_k", "max_answer_len", "handle_impossible_answer", "align_to_words")
        if key in options
    }
    if lengths := options.get("compile", {}).get("sequence_length"):
        settings["max_seq_len"] = min(int(np.max(lengths)), made.tokenizer.model_max_length)
    window = settings.get("max_seq_len", min(made.tokenizer.model_max_length, 384))
    inputs = [item for item in inputs or some(kit, case) if fits(made, item, window)]
    kept, results = [], []
    for item in inputs:
        found = answers(read, item, settings)
        if not steady(read, item, found, settings):
            continue
        kept.append(item)
        unit = options.get("offset_unit", "byte")
        results.append({"results": [renamed(answer, item["context"], unit) for answer in found]})
    print(f"    {case}: {len(kept)} of {len(inputs)}")
    assert len(kept) * 3 > len(inputs), case
    kit.write_results(f"{TASK}/{case}", made.name, kept, results, EXACT, options)


def families(kit: Kit) -> None:
    """Each kind of tokenizer: words of one piece and of several, texts without spaces."""
    for kind in ("bert", "roberta", "xlm_roberta", "deberta_v2"):
        made = reader(kit, kind, kind.replace("_", "-"))
        write(kit, kind, made)
        write(kit, f"{kind}_top_4", made, options={"top_k": 4})
        if kind != "bert":
            write(kit, f"{kind}_tokens", made, options={"top_k": 2, "align_to_words": False})


def options(kit: Kit) -> None:
    made = reader(kit, "bert", "bert")
    write(kit, "tokens_not_words", made, options={"align_to_words": False})
    write(kit, "tokens_not_words_top_3", made, options={"align_to_words": False, "top_k": 3})
    write(kit, "impossible", made, options={"handle_impossible_answer": True})
    write(kit, "impossible_top_5", made, options={"handle_impossible_answer": True, "top_k": 5})
    for length in (1, 3, 1000):
        write(kit, f"max_answer_len_{length}", made, options={"max_answer_len": length, "top_k": 2})
    write(kit, "code_points", made, options={"offset_unit": "codepoint", "top_k": 2})
    few = [asked("Which?", "one two three"), asked("Who?", "word"), asked("Where?", "ok, so")]
    write(kit, "top_k_beyond_the_answers", made, few, {"top_k": 200, "max_answer_len": 2})
    special = [
        asked("What is [CLS] here?", "The mark [CLS] begins a row and [SEP] ends it."),
        asked("[SEP]", "[CLS] [CLS] word [PAD] and [MASK]"),
        asked("[CLS][CLS] of a harbour?", "two letters"),
    ]
    write(kit, "special_tokens_in_text", made, special, {"top_k": 2})


def windows(kit: Kit) -> None:
    made = reader(kit, "bert", "bert")
    long = [
        asked(question, " ".join(draw(kit, f"windows/{count}", count)))
        for question, count in zip(draw(kit, "windows/questions", 4, 50), (5, 10, 20, 30), strict=True)
    ]
    # The same words in windows far apart, in other cases too.
    again = [asked(item["question"], f"{item['context'].upper()} {item['context']}") for item in long[:3]]
    write(kit, "windows", made, long)
    write(kit, "windows_with_equal_texts", made, again, {"top_k": 2, "max_answer_len": 2})
    # Few different answers, so that the empty one is among them.
    repeated = [asked(item["question"], "the mayor bakes bread " * count) for item in again for count in (20, 31, 45)]
    write(
        kit, "windows_impossible", made, repeated, {"top_k": 9, "max_answer_len": 1, "handle_impossible_answer": True}
    )
    brief = [asked("Who?", item["context"]) for item in long]
    write(kit, "windows_of_32", made, brief, {"compile": {"sequence_length": [16, 32]}})
    write(kit, "windows_beyond_the_model", made, long, {"compile": {"sequence_length": 512}})
    unequal = [*long[2:], *some(kit, "unequal")[:6], *long[:2]]
    write(kit, "batches_of_unequal_texts", made, unequal, {"compile": {"batch_size": 4}})
    made = reader(kit, "long", "distilbert", max_length=512)
    words = ten_thousand_words(kit, "answers").split()
    far = [asked(item["question"], " ".join(words[index * 500 : index * 500 + 700])) for index, item in enumerate(long)]
    write(kit, "windows_of_384", made, far, {"top_k": 3})
    write(kit, "windows_of_512", made, far, {"compile": {"sequence_length": [128, 512]}})
    write(kit, "ten_thousand_words", made, [asked("Where?", " ".join(words)), asked("Who?", "short text")])
    longest = " ".join(words[:100])  # more than a window of 384 has room for beside the 128 that two share
    write(kit, "question_longer_than_the_context", made, [asked(longest, "It is in the harbour."), asked(longest, "a")])


def padding(kit: Kit) -> None:
    """A tokenizer that pads on the left: the context comes first, and its question may be part of the answer."""
    made = reader(kit, "left_padding", "bert")
    for folder in (made.folder, made.source):
        config = json.loads((folder / "tokenizer_config.json").read_text())
        write_json(folder, {"tokenizer_config.json": config | {"padding_side": "left"}})
    inputs = [
        *some(kit, "left"),
        *some(kit, "left/more"),
        asked("Where is [PAD] now?", "The harbour is [PAD] near [PAD] the new library."),
        asked("[PAD][PAD][PAD][PAD]", "word"),
    ]
    write(kit, "left_padding", made, inputs)
    write(kit, "left_padding_top_3", made, inputs, {"top_k": 3})
    write(kit, "left_padding_tokens", made, inputs, {"top_k": 2, "align_to_words": False})
    made = reader(kit, "no_cls", "roberta")
    for folder in (made.folder, made.source):
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        tokenizer["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")))
    write(kit, "no_special_tokens", made, options={"top_k": 2})


def quantized(kit: Kit) -> None:
    """The pipeline with the logits that ONNX Runtime gives on the file itself."""
    made = reader(kit, "quantized", "bert")
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=False)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    (onnx / "model.onnx").unlink()
    for variant, file, slack in (("fp16", "model_fp16.onnx", 3e-3), ("q8", "model_quantized.onnx", 5e-3)):
        case = f"variant_{variant}"
        read = pipeline("question-answering", model=str(made.source), device="cpu", pipeline_class=Noisy)

        def forward(inputs: dict[str, Any], file: str = file, slack: float = slack) -> dict[str, Any]:
            rows = {name: inputs[name].numpy() for name in made.tokenizer.model_input_names}
            logits = run(onnx / file, rows)
            sides = {}
            for side in ("start", "end"):
                values = logits[f"{side}_logits"].astype(np.float32)
                if read.noise:
                    values = values + read.noise.uniform(-slack, slack, values.shape).astype(np.float32)
                sides[side] = torch.tensor(values)
            return sides | inputs

        read._forward = forward
        kept, results = [], []
        for item in some(kit, case):
            if not fits(made, item, made.tokenizer.model_max_length):
                continue
            found = answers(read, item, {})
            if steady(read, item, found, {}):
                kept.append(item)
                results.append({"results": [renamed(answer, item["context"], "byte") for answer in found]})
        kit.write_results(f"{TASK}/{case}", made.name, kept, results, {"score": slack}, {"variant": variant})


def refused(kit: Kit) -> None:
    valid = f"{TASK}/bert"
    good = asked("a?", "b")

    def error(case: str, message: str, item: Any = good, options: dict[str, Any] | None = None) -> None:
        kit.write_error(f"{TASK}/{case}", valid, [item], "InvalidInput", message, options)

    error("empty_question", "question", asked("", "b"))
    error("empty_context", "context", asked("a?", ""))
    error("no_context", "context", {"question": "a?"})
    error("context_is_null", "context", {"question": "a?", "context": None})
    error("context_is_a_number", "context", {"question": "a?", "context": 3})
    error("unknown_key", "contexts", good | {"contexts": "b"})
    error("input_is_a_text", "object", "a?")
    error("unknown_option", "top_k", options={"topk": 1})
    error("top_k_of_0", "top_k", options={"top_k": 0})
    error("max_answer_len_of_0", "max_answer_len", options={"max_answer_len": 0})
    long = " ".join(draw(kit, "long question", 4))
    error("question_too_long", "question", asked(long, " ".join(draw(kit, "refused", 6))))
    classifier = make_model(
        kit, f"{TASK}/not_a_reader", "distilbert", "text-classification", settings={"n_layers": 1, "num_labels": 3}
    )
    kit.write_error(f"{TASK}/not_a_reader", classifier.name, [good], "Unsupported", "start_logits")
