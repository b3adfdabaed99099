"""The files that sentence-transformers keeps beside a model, in the formats before and after version 5.4."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from kit import Kit
from safetensors.torch import save_file

from models.export import write_json

OLD_TYPES = {
    name: f"sentence_transformers.models.{name}" for name in ("Transformer", "Pooling", "Dense", "Normalize", "LSTM")
}
NEW_TYPES = {
    "Transformer": "sentence_transformers.base.modules.transformer.Transformer",
    "Pooling": "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
    "Dense": "sentence_transformers.base.modules.dense.Dense",
    "Normalize": "sentence_transformers.sentence_transformer.modules.normalize.Normalize",
}
OLD_KEYS = {
    "cls": "pooling_mode_cls_token",
    "mean": "pooling_mode_mean_tokens",
    "max": "pooling_mode_max_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}


@dataclass
class Dense:
    """One Dense module; `weights` false leaves its file out."""

    inputs: int
    outputs: int
    bias: bool = True
    activation: str = "torch.nn.modules.activation.Tanh"
    weights: bool = True


IDENTITY = "torch.nn.modules.linear.Identity"


@dataclass
class SentenceFiles:
    """What modules.json lists after the Transformer, and the settings around it."""

    pooling: str | list[str] = "mean"
    dense: list[Dense] = field(default_factory=list)
    normalize: bool = True
    new: bool = False
    short_pooling: bool = False  # without the two modes that came later
    include_prompt: bool | None = None
    max_seq_length: int | None = None
    do_lower_case: bool = False
    config: dict[str, Any] = field(default_factory=dict)  # of config_sentence_transformers.json
    other_module: str | None = None


def pooling_config(files: SentenceFiles, size: int) -> dict[str, Any]:
    prompt = {} if files.include_prompt is None else {"include_prompt": files.include_prompt}
    if files.new:
        return {"embedding_dimension": size, "pooling_mode": files.pooling} | {"include_prompt": True} | prompt
    keys = list(OLD_KEYS.items())[: 4 if files.short_pooling else 6]
    return {"word_embedding_dimension": size} | {key: mode in files.pooling for mode, key in keys} | prompt


def write_sentence_files(kit: Kit, name: str, files: SentenceFiles, size: int, *folders: Path) -> None:
    """Writes the same files into all `folders`; `size` is the width of a token's vector."""
    types = NEW_TYPES if files.new else OLD_TYPES
    rest = ["Pooling"] + ["Dense"] * len(files.dense) + [files.other_module] * bool(files.other_module)
    rest += ["Normalize"] * files.normalize
    modules = [{"idx": 0, "name": "0", "path": "", "type": types["Transformer"]}]
    modules += [
        {"idx": index, "name": str(index), "path": f"{index}_{kind}", "type": types[kind]}
        for index, kind in enumerate(rest, 1)
    ]
    content = {"modules.json": modules, "1_Pooling/config.json": pooling_config(files, size)}
    content["config_sentence_transformers.json"] = {"__version__": {"sentence_transformers": "5.0.0"}} | files.config
    if files.new:
        transformer = {"transformer_task": "feature-extraction", "module_output_name": "token_embeddings"}
        transformer["modality_config"] = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}
        content["sentence_bert_config.json"] = transformer
    elif files.max_seq_length or files.do_lower_case:
        content["sentence_bert_config.json"] = {
            "max_seq_length": files.max_seq_length,
            "do_lower_case": files.do_lower_case,
        }
    for folder in folders:
        write_json(folder, content)
        for index, dense in enumerate(files.dense, 2):
            write_dense(kit.number(f"{name}/{index}"), dense, folder / f"{index}_Dense")


def write_dense(seed: int, dense: Dense, folder: Path) -> None:
    config = {
        "in_features": dense.inputs,
        "out_features": dense.outputs,
        "bias": dense.bias,
        "activation_function": dense.activation,
    }
    write_json(folder, {"config.json": config})
    if dense.weights:
        generator = torch.Generator().manual_seed(seed)
        weights = {"linear.weight": torch.randn(dense.outputs, dense.inputs, generator=generator) / dense.inputs**0.5}
        if dense.bias:
            weights["linear.bias"] = torch.randn(dense.outputs, generator=generator) * 0.15
        save_file(weights, str(folder / "model.safetensors"))


def drop_max_length(*folders: Path) -> None:
    """Takes the limit out of the tokenizer's configuration, as some repositories have it."""
    for folder in folders:
        path = folder / "tokenizer_config.json"
        content = json.loads(path.read_text())
        del content["model_max_length"]
        path.write_text(json.dumps(content, indent=2) + "\n")
