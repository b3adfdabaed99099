"""text_ranking: CrossEncoder.rank of sentence-transformers in torch."""

import json
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from inputs import EDGES, EMOJI, draw, ten_thousand_words
from kit import Kit
from models.export import eight_bit, half, run, write_json
from models.text import TextModel, make_model
from sentence_transformers import CrossEncoder

TASK = "text_ranking"
LENGTHS = [32, 128, 512]
EXACT = {"score": 1e-4}
NEAR_TIE = 3e-4  # documents whose logits are nearer could change places by float noise
IDENTITY, SIGMOID = "torch.nn.modules.linear.Identity", "torch.nn.modules.activation.Sigmoid"
SCRIPTS = [
    "東京は日本の首都です。人口は約1400万人。",
    "القطة تنام على السرير الكبير",
    "बिल्ली चटाई पर बैठी है",
    "แมวนั่งอยู่บนเสื่อ",
    "Zoë’s café naïveté e\u0301te\u0301",
    "Привет, мир",
]


def make(kit: Kit) -> None:
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    for group in (architectures, documents, activations, saved, base_models, quantized, refused):
        group(kit)


def reranker(kit: Kit, name: str, kind: str = "distilbert", **settings: Any) -> TextModel:
    sizes = {"n_layers": 1} if kind == "distilbert" else {}
    return make_model(
        kit, f"{TASK}/{name}", kind, "text-classification", settings={"num_labels": 1} | sizes, **settings
    )


def load(made: TextModel) -> CrossEncoder:
    return CrossEncoder(str(made.source), device="cpu", local_files_only=True)


def write(
    kit: Kit,
    case: str,
    made: TextModel,
    inputs: list[dict[str, Any]] | None = None,
    options: dict[str, Any] | None = None,
    reference: CrossEncoder | None = None,
) -> None:
    options = options or {}
    encoder = reference or load(made)
    encoder.max_seq_length = min(
        encoder.max_seq_length, max(options.get("compile", {}).get("sequence_length", LENGTHS))
    )
    prompts = {name: options[name] for name in ("prompt", "prompt_name") if name in options}
    inputs = [steady(encoder, item, prompts) for item in inputs or [queries(kit, case)]]
    settings = prompts | {name: options[name] for name in ("top_k", "return_documents") if name in options}
    if options.get("raw_scores"):
        settings["activation_fn"] = torch.nn.Identity()
    results = []
    for item in inputs:
        ranked = encoder.rank(**item, batch_size=1, **settings)
        results.append({"results": [shorten(document) for document in ranked]})
    kit.write_results(f"{TASK}/{case}", made.name, inputs, results, EXACT, options)


def shorten(document: dict[str, Any]) -> dict[str, Any]:
    text = {"text": document["text"]} if "text" in document else {}
    return {"index": document["corpus_id"], "score": np.float32(document["score"])} | text


def steady(encoder: CrossEncoder, item: dict[str, Any], prompts: dict[str, str]) -> dict[str, Any]:
    """Without the documents whose logits are nearly those of one before; equal texts stay, as their order is known."""
    if not item["documents"]:
        return item
    pairs = [[item["query"], document] for document in item["documents"]]
    logits = encoder.predict(pairs, batch_size=1, activation_fn=torch.nn.Identity(), **prompts)
    kept: dict[str, float] = {}
    documents = []
    for document, logit in zip(item["documents"], logits.tolist(), strict=True):
        near = [text for text, other in kept.items() if abs(other - logit) < NEAR_TIE]
        if near in ([], [document]):
            kept[document] = logit
            documents.append(document)
    return item | {"documents": documents}


def queries(kit: Kit, case: str, count: int = 8) -> dict[str, Any]:
    """A query with documents from empty to longer than any tiny model takes."""
    query, *short = draw(kit, case, count)
    words = " ".join(draw(kit, f"{case}/long", 12))
    edges = kit.random(f"edges/{case}").sample(EDGES[2:], 3)
    return {"query": query, "documents": [*short, *edges, "", "   ", words]}


def architectures(kit: Kit) -> None:
    for kind in ("bert", "roberta", "xlm-roberta", "deberta-v2", "mpnet", "albert"):
        name = kind.replace("-", "_")
        write(kit, name, reranker(kit, name, kind))
    write(kit, "modernbert", reranker(kit, "modernbert", "modernbert", max_length=160))


def documents(kit: Kit) -> None:
    """What a query may come with."""
    made = replace(reranker(kit, "distilbert"))
    write(kit, "distilbert", made, [queries(kit, "one"), queries(kit, "two", 3), queries(kit, "three", 20)])
    query = draw(kit, "documents/query", 1)[0]
    write(kit, "scripts", made, [{"query": text, "documents": SCRIPTS} for text in SCRIPTS[:4]])
    write(kit, "emoji", made, [{"query": "🎉 party", "documents": EMOJI}])
    write(kit, "edges", made, [{"query": edge, "documents": EDGES} for edge in ("", "   ", "a")])
    same = draw(kit, "documents/same", 3)
    write(kit, "equal_documents_keep_their_order", made, [{"query": query, "documents": same + same[::-1] + same}])
    write(kit, "no_documents", made, [{"query": query, "documents": []}, {"query": query, "documents": same}])
    long = ten_thousand_words(kit, "ranking")
    # Python fills the memory where both texts of a pair are so long.
    cut = [{"query": query, "documents": [long, "short", long[:600]]}, {"query": long, "documents": ["short", query]}]
    write(kit, "ten_thousand_words", made, [*cut, {"query": long[:400], "documents": [long[:500], long[300:900]]}])
    write(kit, "cut_at_the_given_length", made, options={"compile": {"sequence_length": [8, 24]}})
    lengths = [text for count in (1, 2, 3, 5, 9, 1, 4) for text in draw(kit, f"mixed/{count}", count)]
    options = {"compile": {"batch_size": 4}}
    write(kit, "batches_of_unequal_documents", made, [{"query": query, "documents": lengths * 2}], options)
    write(kit, "top_3", made, options={"top_k": 3})
    write(kit, "top_k_beyond_the_documents", made, options={"top_k": 100})
    write(kit, "with_documents", made, options={"return_documents": True, "top_k": 5})
    write(kit, "raw_scores", made, options={"raw_scores": True})
    write(kit, "prompt", made, options={"prompt": "query: "})


def copy_model(kit: Kit, made: TextModel, name: str, config: dict[str, Any] | None = None) -> TextModel:
    """Other files beside the same weights."""
    copy = replace(made, name=f"{TASK}/{name}", folder=kit.models / TASK / name, source=kit.scratch / TASK / name)
    for old, new in ((made.folder, copy.folder), (made.source, copy.source)):
        shutil.copytree(old, new)
        content = json.loads((new / "config.json").read_text())
        write_json(new, {"config.json": content | (config or {})})
    return copy


def write_saved(made: TextModel, settings: dict[str, Any], bert: dict[str, Any] | None = None) -> None:
    """The files of a CrossEncoder that was saved by sentence-transformers 5.4 or later."""
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"}
    ]
    transformer = {
        "transformer_task": "sequence-classification",
        "modality_config": {"text": {"method": "forward", "method_output_name": "logits"}},
        "module_output_name": "scores",
    }
    config = {"__version__": {"sentence_transformers": "5.4.0"}, "model_type": "CrossEncoder"} | settings
    files = {"modules.json": modules, "sentence_bert_config.json": transformer | (bert or {})}
    for folder in (made.folder, made.source):
        write_json(folder, files | {"config_sentence_transformers.json": config})


def activations(kit: Kit) -> None:
    """Where config.json names the activation: the newer key even when it is null, and only names of torch."""
    plain = reranker(kit, "plain")
    changes = {
        "config_identity": {"sentence_transformers": {"activation_fn": IDENTITY, "version": "4.1.0"}},
        "config_short_name": {"sentence_transformers": {"activation_fn": "torch.nn.Tanh"}},
        "older_key": {"sbert_ce_default_activation_function": IDENTITY},
        "newer_key_wins": {
            "sentence_transformers": {"activation_fn": SIGMOID},
            "sbert_ce_default_activation_function": IDENTITY,
        },
        "newer_key_is_null": {
            "sentence_transformers": {"activation_fn": None},
            "sbert_ce_default_activation_function": IDENTITY,
        },
        "untrusted_name": {"sentence_transformers": {"activation_fn": "my.own.Function"}},
    }
    for name, config in changes.items():
        write(kit, name, copy_model(kit, plain, name, config))
    shutil.rmtree(plain.folder)


def saved(kit: Kit) -> None:
    plain = reranker(kit, "plain", tokenizer_settings={"lower": False})
    key = {"sentence_transformers": {"activation_fn": SIGMOID}}
    made = copy_model(kit, plain, "saved", key)
    prompts = {"prompts": {"web": "search the web: ", "law": "find the law: "}, "default_prompt_name": "web"}
    write_saved(made, {"activation_fn": IDENTITY} | prompts, {"max_seq_length": 40, "do_lower_case": True})
    write(kit, "saved", made)
    write(kit, "prompt_name", made, options={"prompt_name": "law"})
    write(kit, "prompt_switched_off", made, options={"prompt": ""})
    kit.write_error(
        f"{TASK}/unknown_prompt", made.name, [queries(kit, "p")], "InvalidInput", "law, web", {"prompt_name": "x"}
    )
    untrusted = copy_model(kit, plain, "saved_untrusted", {"sentence_transformers": {"activation_fn": IDENTITY}})
    write_saved(untrusted, {"activation_fn": "my.own.Function"})
    write(kit, "saved_untrusted", untrusted)
    # Saved as another kind of model: only config.json counts.
    other = copy_model(
        kit, plain, "saved_as_an_embedder", {"sbert_ce_default_activation_function": "torch.nn.Identity"}
    )
    write_saved(other, {"activation_fn": SIGMOID, "model_type": "SentenceTransformer"}, {"max_seq_length": 12})
    write(kit, "saved_as_an_embedder", other)
    for name, type_, message in (
        ("logit_score", "sentence_transformers.cross_encoder.modules.logit_score.LogitScore", "LogitScore"),
        ("other_module", "sentence_transformers.base.modules.dense.Dense", "modules.dense.Dense"),
    ):
        refused = copy_model(kit, plain, name)
        write_saved(refused, {})
        modules = json.loads((refused.folder / "modules.json").read_text())
        modules.append({"idx": 1, "name": "1", "path": "1_Other", "type": type_})
        write_json(refused.folder, {"modules.json": modules})
        shutil.rmtree(refused.folder / "onnx")
        kit.write_error(f"{TASK}/{name}", refused.name, [queries(kit, name)], "Unsupported", message)
    shutil.rmtree(plain.folder)


def base_models(kit: Kit) -> None:
    cache = {"cache_dir": f"tests/models/{TASK}/hub", "offline": True}
    write_json(kit.models / TASK / "hub", {"CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n"})
    plain = reranker(kit, "plain")
    bases = {
        "tiny/base-config": {"config.json": {"sentence_transformers": {"activation_fn": IDENTITY}}},
        "tiny/base-saved": {
            "config.json": {},
            "modules.json": [{"type": "sentence_transformers.base.modules.transformer.Transformer", "path": ""}],
            "config_sentence_transformers.json": {"model_type": "CrossEncoder", "activation_fn": IDENTITY},
            "sentence_bert_config.json": {"max_seq_length": 24},
        },
        "tiny/base-embedder": {
            "config.json": {},
            "modules.json": [{"type": "sentence_transformers.models.LSTM", "path": ""}],
            "config_sentence_transformers.json": {"activation_fn": IDENTITY},
        },
    }
    for repository, files in bases.items():
        write_json(hub_folder(kit, repository), files)
    for case, base, config, settings in (
        ("base_model_config", "tiny/base-config", {}, {"activation_fn": torch.nn.Identity()}),
        ("base_model_saved", "tiny/base-saved", {}, {"activation_fn": torch.nn.Identity(), "max_length": 24}),
        ("base_model_is_an_embedder", "tiny/base-embedder", {}, {}),
        ("own_config_before_base_model", "tiny/base-config", {"sbert_ce_default_activation_function": SIGMOID}, {}),
    ):
        made = copy_model(kit, plain, case, config)
        write_card(made, base)
        reference = CrossEncoder(str(made.source), device="cpu", local_files_only=True, **settings)
        write(kit, case, made, options=cache, reference=reference)
    missing = copy_model(kit, plain, "base_model_missing")
    write_card(missing, "tiny/nowhere")
    kit.write_error(
        f"{TASK}/base_model_missing", missing.name, [queries(kit, "m")], "NotFound", "set raw_scores", cache
    )
    write(kit, "base_model_not_needed", missing, options=cache | {"raw_scores": True})
    shutil.rmtree(plain.folder)


def hub_folder(kit: Kit, repository: str) -> Any:
    """The snapshot of `repository` in a cache laid out as huggingface_hub does."""
    folder = kit.models / TASK / "hub" / f"models--{repository.replace('/', '--')}"
    revision = f"{kit.number(repository):040x}"
    write_json(folder, {"refs/main": revision})
    return folder / "snapshots" / revision


def write_card(made: TextModel, base_model: str) -> None:
    write_json(made.folder, {"README.md": f"---\nbase_model: {base_model}\n---\n\n# A tiny model\n"})


def quantized(kit: Kit) -> None:
    """The sigmoid of the logits that ONNX Runtime gives on the file itself."""
    made = reranker(kit, "quantized", "bert")
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=False)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    (onnx / "model.onnx").unlink()
    for variant, file, slack in (("fp16", "model_fp16.onnx", 3e-3), ("q8", "model_quantized.onnx", 5e-3)):
        item = queries(kit, f"variant_{variant}", 12)
        logits: list[float] = []
        documents = []
        for document in item["documents"]:
            rows = made.tokenizer([[item["query"], document]], truncation=True)
            logit = float(run(onnx / file, rows)["logits"][0, 0])
            if all(abs(logit - other) > 10 * slack for other in logits):
                logits.append(logit)
                documents.append(document)
        scores = torch.sigmoid(torch.tensor(logits)).numpy()
        results = [{"index": index, "score": scores[index]} for index in np.argsort(-scores).tolist()]
        inputs = [item | {"documents": documents}]
        options = {"variant": variant}
        kit.write_results(
            f"{TASK}/variant_{variant}", made.name, inputs, [{"results": results}], {"score": slack}, options
        )


def refused(kit: Kit) -> None:
    valid = f"{TASK}/distilbert"
    item = {"query": "a", "documents": ["b"]}
    for case, inputs, message, options in (
        ("unknown_option", [item], "top_k", {"topk": 1}),
        ("no_top_k", [item], "top_k", {"top_k": 0}),
        ("top_k_is_a_text", [item], "top_k", {"top_k": "many"}),
        ("query_missing", [{"documents": ["b"]}], "query", None),
        ("documents_missing", [{"query": "a"}], "documents", None),
        ("document_is_a_number", [{"query": "a", "documents": ["b", 3]}], "documents[1]", None),
        ("input_is_a_text", ["a"], "must be an object", None),
        ("unknown_key", [item | {"docs": []}], "documents", None),
    ):
        kit.write_error(f"{TASK}/{case}", valid, inputs, "InvalidInput", message, options)
    kit.write_error(f"{TASK}/several_labels", "text_classification/pairs_bert", [item], "Unsupported", "3 scores")
    kit.write_error(
        f"{TASK}/not_a_reranker", "text_classification/not_a_classifier", [item], "Unsupported", "last_hidden_state"
    )
