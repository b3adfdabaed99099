"""text_embedding: sentence-transformers in torch, each text alone; ONNX Runtime where the file is quantized."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from inputs import EDGES, EMOJI, draw, ten_thousand_words, varied
from kit import Kit
from models.export import eight_bit, external_data, four_bit, half, run, write_json
from models.sentence_files import IDENTITY, Dense, SentenceFiles, drop_max_length, write_sentence_files
from models.text import HIDDEN, TextModel, make_model
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling
from transformers import pipeline

from models import embedding_graphs

TASK = "text_embedding"
LENGTHS = [32, 128, 512]
ONE_LAYER = {"n_layers": 1}  # for models whose weights matter little
EXACT = {"embedding": 1e-5}
HALF = {"embedding": 3e-3}
QUANTIZED = {"embedding": 1.5e-3}  # rows that share a run differ by more: each must run alone


def make(kit: Kit) -> None:
    for folder in (kit.models / TASK, kit.golden / TASK):
        shutil.rmtree(folder, ignore_errors=True)
    for group in (bert, encoders, decoders, dense_modules, graph_outputs, plain_models, base_models, variants, refused):
        group(kit)


def embedding_model(kit: Kit, name: str, kind: str, files: SentenceFiles | None = None, **settings: Any) -> TextModel:
    made = make_model(kit, f"{TASK}/{name}", kind, "feature-extraction", **settings)
    if files:
        add_files(kit, made, files)
    return made


def add_files(kit: Kit, made: TextModel, files: SentenceFiles) -> TextModel:
    write_sentence_files(kit, made.name, files, made.hidden_size, made.folder, made.source)
    return made


def encode(
    modules: SentenceTransformer,
    texts: list[str],
    lengths: list[int] | None = None,
    limit: int | None = None,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Each text alone, cut at the largest of the lengths or at what the model takes."""
    modules.max_seq_length = min(modules.max_seq_length, max(lengths or LENGTHS), limit or 10**6)
    return [{"embedding": modules.encode([text], show_progress_bar=False, **settings)[0]} for text in texts]


def load(made: TextModel) -> SentenceTransformer:
    return SentenceTransformer(str(made.source), device="cpu")


def write(
    kit: Kit,
    case: str,
    made: TextModel,
    texts: list[str] | None = None,
    options: dict[str, Any] | None = None,
    reference: SentenceTransformer | None = None,
    limit: int | None = None,
    **settings: Any,
) -> None:
    """A case whose expectation is `encode` of the model's own modules, or of `reference`."""
    texts = varied(kit, case) if texts is None else texts
    lengths = (options or {}).get("compile", {}).get("sequence_length", LENGTHS)
    lengths = lengths if isinstance(lengths, list) else [lengths]
    results = encode(reference or load(made), texts, lengths, limit, **settings)
    kit.write_results(f"{TASK}/{case}", made.name, texts, results, EXACT, options)


def bert(kit: Kit) -> None:
    made = embedding_model(kit, "bert_mean", "bert", SentenceFiles(max_seq_length=48))
    write(kit, "bert_mean", made)
    write(kit, "edges", made, EDGES)
    write(kit, "emoji", made, EMOJI)
    write(kit, "one_text", made, draw(kit, "one", 1))
    write(kit, "special_tokens_in_text", made, ["a [SEP] b", "[CLS] [PAD] [PAD] [MASK]", "[UNK]"])
    write(kit, "ten_thousand_words", made, [ten_thousand_words(kit, "bert"), "short"])
    for case, lengths in {"two_lengths": [8, 16], "one_length": 16, "lengths_beyond_the_model": [16, 4096]}.items():
        write(kit, case, made, options={"compile": {"sequence_length": lengths}})
    unequal = [text for count in (1, 3, 2, 9, 1, 5) for text in draw(kit, f"unequal/{count}", count)]
    write(
        kit, "batches_of_unequal_texts", made, unequal, {"compile": {"batch_size": 4, "sequence_length": [16, 32, 64]}}
    )
    write(kit, "dimensions", made, options={"dimensions": 12}, truncate_dim=12, normalize_embeddings=True)
    modes = {
        "mean_pooling": "mean",
        "cls_token_pooling": "cls",
        "max_pooling": "max",
        "mean_sqrt_len_pooling": "mean_sqrt_len_tokens",
        "weighted_mean_pooling": "weightedmean",
        "last_token_pooling": "lasttoken",
    }
    for option, mode in modes.items():
        options = {"output_pool": option, "embedding_processor": "none"}
        write(kit, f"override_{option}", made, options=options, reference=with_pooling(made, mode, normalize=False))
    write(
        kit,
        "override_pool_keeps_normalize",
        made,
        options={"output_pool": "max_pooling"},
        reference=with_pooling(made, "max", True),
    )
    options = {"embedding_processor": "none"}
    write(kit, "override_processor_keeps_pool", made, options=options, reference=with_pooling(made, "mean", False))
    plain = embedding_model(kit, "bert_cls", "bert", SentenceFiles("cls", normalize=False))
    write(kit, "bert_cls", plain)
    write(kit, "dimensions_without_normalize", plain, options={"dimensions": 7}, truncate_dim=7)
    options = {"embedding_processor": "l2_norm"}
    write(kit, "override_processor_l2_norm", plain, options=options, reference=with_pooling(plain, "cls", True))


def with_pooling(made: TextModel, mode: str, normalize: bool) -> SentenceTransformer:
    modules = [load(made)[0], Pooling(made.hidden_size, mode)]
    return SentenceTransformer(modules=[*modules, *([Normalize()] if normalize else [])], device="cpu")


def encoders(kit: Kit) -> None:
    write(
        kit,
        "distilbert_max",
        embedding_model(kit, "distilbert_max", "distilbert", SentenceFiles("max", short_pooling=True)),
    )
    files = SentenceFiles("mean_sqrt_len_tokens", normalize=False)
    roberta = embedding_model(kit, "roberta_mean_sqrt_len", "roberta", files)
    drop_max_length(
        roberta.folder, roberta.source
    )  # then sentence-transformers overruns the positions, which start at 2
    write(kit, "roberta_mean_sqrt_len", roberta, limit=64)
    files = SentenceFiles("weightedmean", new=True)
    write(kit, "xlm_roberta_weighted_mean", embedding_model(kit, "xlm_roberta_weighted_mean", "xlm-roberta", files))
    write(kit, "mpnet_mean", embedding_model(kit, "mpnet_mean", "mpnet", SentenceFiles(max_seq_length=40)))
    files = SentenceFiles(["max", "mean", "cls"])  # the old format has its own order: cls, max, mean
    write(kit, "albert_three_poolings", embedding_model(kit, "albert_three_poolings", "albert", files))
    files = SentenceFiles(["mean", "cls"], new=True, normalize=False)
    write(kit, "distilbert_two_poolings", embedding_model(kit, "distilbert_two_poolings", "distilbert", files))
    modern = embedding_model(kit, "modernbert_cls", "modernbert", SentenceFiles("cls", new=True), max_length=160)
    write(kit, "modernbert_cls", modern)
    files = SentenceFiles(do_lower_case=True, max_seq_length=64)
    write(kit, "deberta_lower_case", embedding_model(kit, "deberta_lower_case", "deberta-v2", files))
    files = SentenceFiles(config={"prompts": {"query": "search query: ", "passage": "passage: "}}, include_prompt=False)
    prompted = embedding_model(kit, "prompt_outside_pooling", "bert", files)
    write(kit, "prompt_outside_pooling", prompted, options={"prompt_name": "query"}, prompt_name="query")
    files = SentenceFiles(max_seq_length=48, config={"truncate_dim": 12})
    write(kit, "truncate_dim_of_the_repository", embedding_model(kit, "truncate_dim", "bert", files))


def decoders(kit: Kit) -> None:
    prompts = {"query": "Instruct: Find texts that answer the question\nQuery:", "document": ""}
    files = SentenceFiles("lasttoken", config={"prompts": prompts, "default_prompt_name": None})
    made = embedding_model(kit, "qwen3_last_token", "qwen3", files)
    write(kit, "qwen3_last_token", made)
    write(kit, "qwen3_query", made, options={"prompt_name": "query"}, prompt_name="query")
    write(kit, "qwen3_document", made, options={"prompt_name": "document"}, prompt_name="document")
    options = {"compile": {"batch_size": 3, "sequence_length": [16, 64]}}
    write(kit, "qwen3_left_padding", made, options=options)
    right = embedding_model(kit, "qwen3_right_padding", "qwen3", files, tokenizer_settings={"padding_side": "right"})
    write(kit, "qwen3_right_padding", right, options=options)
    cached = add_files(kit, embedding_graphs.qwen3_with_cache(kit, f"{TASK}/qwen3_with_cache"), files)
    write(kit, "qwen3_with_cache", cached)
    kit.write_error(
        f"{TASK}/unknown_prompt_name", made.name, ["a"], "InvalidInput", "passage", {"prompt_name": "passage"}
    )


def dense_modules(kit: Kit) -> None:
    projection = [Dense(HIDDEN, 16, bias=False, activation=IDENTITY)]
    t5 = embedding_graphs.t5_encoder(kit, f"{TASK}/t5_dense")
    write(kit, "t5_dense", add_files(kit, t5, SentenceFiles(dense=projection)))
    files = SentenceFiles(
        dense=[Dense(HIDDEN, 64, bias=False, activation=IDENTITY), Dense(64, HIDDEN, bias=False, activation=IDENTITY)],
        config={
            "prompts": {"query": "task: search result | query: ", "document": "title: none | text: "},
            "default_prompt_name": "document",
        },
    )
    gemma = add_files(kit, embedding_graphs.gemma3(kit, f"{TASK}/gemma3_two_dense"), files)
    write(kit, "gemma3_default_prompt", gemma)
    write(kit, "gemma3_query", gemma, options={"prompt_name": "query"}, prompt_name="query")
    options = {"prompt_name": "query", "dimensions": 16}
    write(
        kit,
        "gemma3_dimensions",
        gemma,
        options=options,
        prompt_name="query",
        truncate_dim=16,
        normalize_embeddings=True,
    )
    files = SentenceFiles(dense=[Dense(HIDDEN, 20)], normalize=False)
    write(kit, "dense_tanh", embedding_model(kit, "dense_tanh", "distilbert", files))
    files = SentenceFiles(dense=[replace(projection[0], weights=False)])
    missing = make_model(kit, f"{TASK}/dense_without_weights", "distilbert", "feature-extraction", settings=ONE_LAYER)
    write_sentence_files(kit, missing.name, files, HIDDEN, missing.folder)
    kit.write_error(f"{TASK}/dense_without_weights", missing.name, ["a"], "NotFound", "2_Dense")


def graph_outputs(kit: Kit) -> None:
    """The graph pools: `sentence_embedding` is the result, whatever the files say; the tokens serve the overrides."""
    files = SentenceFiles("cls", dense=[Dense(HIDDEN, 16)])
    made = add_files(kit, make_model(kit, f"{TASK}/graph_pools", "distilbert", "feature-extraction"), files)
    embedding_graphs.export_pooled(load(made), made.folder / "onnx" / "model.onnx", "token_embeddings")
    for path in ("1_Pooling", "2_Dense"):
        shutil.rmtree(made.folder / path)
    (made.folder / "modules.json").unlink()
    write(kit, "graph_pools", made)
    options = {"output_pool": "mean_pooling", "embedding_processor": "none"}
    write(kit, "graph_pools_override", made, options=options, reference=with_pooling(made, "mean", False))
    made = add_files(
        kit, make_model(kit, f"{TASK}/graph_pools_with_modules", "distilbert", "feature-extraction"), files
    )
    embedding_graphs.export_pooled(load(made), made.folder / "onnx" / "model.onnx", "last_hidden_state")
    (made.folder / "2_Dense" / "model.safetensors").unlink()
    write(kit, "graph_pools_with_modules", made)


def plain_models(kit: Kit) -> None:
    """Without files of sentence-transformers: the mean of the tokens, or all of them."""
    made = embedding_model(kit, "bert_plain", "bert")
    write(kit, "no_files_mean", made, reference=with_pooling(made, "mean", False))
    texts = [*draw(kit, "features", 2, 60), "", EMOJI[1]]
    extract = pipeline("feature-extraction", model=str(made.source), device="cpu")
    results = [{"embedding": np.float32(extract(text, truncation=True, max_length=64)[0])} for text in texts]
    kit.write_results(f"{TASK}/no_pooling", made.name, texts, results, EXACT, {"output_pool": "none"})
    root = embedding_model(kit, "file_in_the_root", "albert", SentenceFiles(), file="model.onnx")
    write(kit, "file_in_the_root", root)


def base_models(kit: Kit) -> None:
    """ONNX repositories without the files, whose card names a base model that is in the cache of the hub."""
    cache = {"cache_dir": f"tests/models/{TASK}/hub", "offline": True}
    files = SentenceFiles("cls", max_seq_length=24)
    for name, card in {"base_model": "tiny/st-base", "base_model_in_a_list": ["tiny/st-base"]}.items():
        made = embedding_model(kit, name, "bert")
        write_sentence_files(kit, made.name, files, HIDDEN, made.source, hub_folder(kit, "tiny/st-base"))
        write_card(made.folder, card)
        write(kit, name, made, options=cache)
    made = embedding_model(kit, "base_model_with_dense", "distilbert")
    files = SentenceFiles(dense=[Dense(HIDDEN, 16, bias=False, activation=IDENTITY)])
    write_sentence_files(kit, made.name, files, HIDDEN, made.source, hub_folder(kit, "tiny/st-dense"))
    write_card(made.folder, "tiny/st-dense")
    write(kit, "base_model_with_dense", made, options=cache)
    repository = hub_folder(kit, "tiny/onnx-embedder")
    whole = add_files(kit, embedding_model(kit, "cached", "distilbert"), SentenceFiles("cls"))
    shutil.copytree(whole.folder, repository, dirs_exist_ok=True)
    shutil.rmtree(whole.folder)
    write(kit, "repository_in_the_cache", replace(whole, name="tiny/onnx-embedder"), options=cache)


def hub_folder(kit: Kit, repository: str) -> Path:
    """The snapshot of `repository` in a cache laid out as huggingface_hub does."""
    folder = kit.models / TASK / "hub" / f"models--{repository.replace('/', '--')}"
    revision = f"{kit.number(repository):040x}"
    write_json(folder, {"refs/main": revision})
    (folder / "snapshots" / revision).mkdir(parents=True, exist_ok=True)
    return folder / "snapshots" / revision


def write_card(folder: Path, base_model: str | list[str]) -> None:
    named = f" {base_model}" if isinstance(base_model, str) else "".join(f"\n- {name}" for name in base_model)
    write_json(
        folder, {"README.md": f"---\nlibrary_name: transformers.js\nbase_model:{named}\n---\n\n# A tiny model\n"}
    )


def variants(kit: Kit) -> None:
    files = SentenceFiles(max_seq_length=48)
    made = embedding_model(kit, "all_variants", "bert", files, settings={"hidden_size": 32})
    onnx = made.folder / "onnx"
    half(onnx / "model.onnx", onnx / "model_fp16.onnx", keep_io=True)
    eight_bit(onnx / "model.onnx", onnx / "model_quantized.onnx")
    four_bit(onnx / "model.onnx", onnx / "model_q4.onnx")
    write(kit, "fp32_is_the_default", made)
    for variant, suffix, tolerance in (("fp16", "_fp16", HALF), ("q8", "_quantized", QUANTIZED), ("q4", "_q4", EXACT)):
        write_from_file(kit, f"variant_{variant}", made, f"model{suffix}.onnx", tolerance, {"variant": variant})
    kit.write_error(f"{TASK}/variant_missing", made.name, ["a"], "NotFound", "q4f16", {"variant": "q4f16"})
    for name, dtype, suffix, tolerance in (
        ("dtype_of_the_repository", "q4", "_q4", EXACT),
        ("dtype_by_file", {"model": "fp16", "decoder_model_merged": "q4"}, "_fp16", HALF),
    ):
        copy = copy_model(kit, made, name)
        keep_files(copy.folder, "model.onnx", f"model{suffix}.onnx")
        set_config(copy.folder, {"transformers.js_config": {"dtype": dtype}})
        write_from_file(kit, name, copy, f"model{suffix}.onnx", tolerance)
        write(kit, f"{name}_overridden", copy, options={"variant": "fp32"})
    only = copy_model(kit, made, "only_q8")
    keep_files(only.folder, "model_quantized.onnx")
    write_from_file(kit, "only_q8", only, "model_quantized.onnx", QUANTIZED, {"compile": {"batch_size": 4}})
    pure = embedding_model(kit, "only_fp16", "distilbert", SentenceFiles())
    half(pure.folder / "onnx" / "model.onnx", pure.folder / "onnx" / "model_fp16.onnx", keep_io=False)
    keep_files(pure.folder, "model_fp16.onnx")
    write_from_file(kit, "only_fp16_with_fp16_outputs", pure, "model_fp16.onnx", HALF)
    apart = embedding_model(kit, "external_data", "bert", files)
    external_data(apart.folder / "onnx" / "model.onnx")
    write(kit, "external_data", apart)


def copy_model(kit: Kit, made: TextModel, name: str) -> TextModel:
    copy = replace(made, name=f"{TASK}/{name}", folder=kit.models / TASK / name)
    shutil.copytree(made.folder, copy.folder)
    return copy


def keep_files(folder: Path, *names: str) -> None:
    for path in (folder / "onnx").iterdir():
        if path.name not in names:
            path.unlink()


def set_config(folder: Path, values: dict[str, Any]) -> None:
    config = json.loads((folder / "config.json").read_text())
    write_json(folder, {"config.json": config | values})


def write_from_file(
    kit: Kit, case: str, made: TextModel, file: str, tolerance: dict[str, float], options: dict[str, Any] | None = None
) -> None:
    """The mean of the tokens and its normalization after ONNX Runtime on the file itself, each text alone."""
    texts = varied(kit, case)
    results = []
    for text in texts:
        rows = made.tokenizer([text], truncation=True, max_length=load(made).max_seq_length)
        tokens = run(made.folder / "onnx" / file, rows)["last_hidden_state"].astype(np.float32)
        mean = torch.nn.functional.normalize(torch.from_numpy(tokens.mean(1)), dim=1)
        results.append({"embedding": mean[0].numpy()})
    kit.write_results(f"{TASK}/{case}", made.name, texts, results, tolerance, options)


def refused(kit: Kit) -> None:
    files = SentenceFiles(other_module="LSTM")
    made = make_model(kit, f"{TASK}/unsupported_module", "distilbert", "feature-extraction", settings=ONE_LAYER)
    write_sentence_files(kit, made.name, files, HIDDEN, made.folder)
    kit.write_error(f"{TASK}/unsupported_module", made.name, ["a"], "Unsupported", "sentence_transformers.models.LSTM")
    options = {"output_pool": "mean_pooling", "embedding_processor": "l2_norm"}
    write(kit, "unsupported_module_overridden", made, options=options, reference=with_pooling(made, "mean", True))
    valid = f"{TASK}/bert_mean"
    kit.write_error(
        f"{TASK}/unknown_option", valid, ["a"], "InvalidInput", "output_pool", {"output_pol": "mean_pooling"}
    )
    kit.write_error(f"{TASK}/unknown_pooling", valid, ["a"], "InvalidInput", "output_pool", {"output_pool": "median"})
    kit.write_error(f"{TASK}/no_dimensions", valid, ["a"], "InvalidInput", "dimensions", {"dimensions": 0})
    kit.write_error(f"{TASK}/input_is_a_number", valid, [3], "InvalidInput", "")
