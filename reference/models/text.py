"""Tiny text models: two layers of each architecture, random weights, a tokenizer of the same family."""

import inspect
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from kit import Kit
from transformers import (
    AlbertConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    BertConfig,
    DebertaV2Config,
    DistilBertConfig,
    ModernBertConfig,
    MPNetConfig,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    Qwen3Config,
    RobertaConfig,
    XLMRobertaConfig,
)

from models import vocabularies
from models.export import check_export, export_transformer, save_tokenizer
from models.sentences import sentences
from models.weights import fill

HIDDEN = 24
SIZES = {"hidden_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
CLASSES = {
    "feature-extraction": AutoModel,
    "text-classification": AutoModelForSequenceClassification,
    "question-answering": AutoModelForQuestionAnswering,
    "token-classification": AutoModelForTokenClassification,
    "fill-mask": AutoModelForMaskedLM,
}


@dataclass
class Architecture:
    """`config(tokenizer, positions)` makes the configuration, `extra` positions are never reached by a text."""

    tokenizer: Callable[..., PreTrainedTokenizerBase]
    config: type[PretrainedConfig]
    settings: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, Any] = field(default_factory=lambda: dict(SIZES))
    extra: int = 0
    special_ids: tuple[str, ...] = ("pad",)
    model: dict[str, Any] = field(default_factory=dict)


NO_POOLER = {"add_pooling_layer": False}
ARCHITECTURES = {
    "bert": Architecture(vocabularies.bert, BertConfig, model=NO_POOLER),
    "distilbert": Architecture(
        vocabularies.distilbert, DistilBertConfig, sizes={"dim": HIDDEN, "n_layers": 2, "n_heads": 4, "hidden_dim": 48}
    ),
    "roberta": Architecture(
        vocabularies.roberta,
        RobertaConfig,
        {"type_vocab_size": 1},
        extra=2,
        special_ids=("pad", "bos", "eos"),
        model=NO_POOLER,
    ),
    "xlm-roberta": Architecture(
        vocabularies.xlm_roberta,
        XLMRobertaConfig,
        {"type_vocab_size": 1},
        extra=2,
        special_ids=("pad", "bos", "eos"),
        model=NO_POOLER,
    ),
    "mpnet": Architecture(vocabularies.mpnet, MPNetConfig, extra=2, special_ids=("pad", "bos", "eos"), model=NO_POOLER),
    "albert": Architecture(
        vocabularies.albert, AlbertConfig, {"embedding_size": 16, "num_hidden_groups": 1}, model=NO_POOLER
    ),
    "modernbert": Architecture(
        vocabularies.modernbert,
        ModernBertConfig,
        {"global_attn_every_n_layers": 3, "local_attention": 16, "reference_compile": False},
        sizes=SIZES | {"num_hidden_layers": 4},
        special_ids=("pad", "cls", "sep"),
    ),
    "deberta-v2": Architecture(
        vocabularies.deberta,
        DebertaV2Config,
        {
            "relative_attention": True,
            "position_buckets": 32,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": ["p2c", "c2p"],
            "max_relative_positions": -1,
            "position_biased_input": False,
            "type_vocab_size": 0,
            "pooler_hidden_size": HIDDEN,
        },
    ),
    "qwen3": Architecture(
        vocabularies.qwen,
        Qwen3Config,
        {"num_key_value_heads": 2, "head_dim": 8, "tie_word_embeddings": True},
        special_ids=("pad", "eos"),
    ),
}


@dataclass
class TextModel:
    """`folder` is the ONNX repository below tests/models, `source` the same model for torch."""

    name: str
    folder: Path
    source: Path
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase

    @property
    def hidden_size(self) -> int:
        return self.model.config.hidden_size


def build(
    kit: Kit,
    name: str,
    kind: str,
    task: str,
    max_length: int,
    settings: dict[str, Any],
    tokenizer_settings: dict[str, Any],
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    made = ARCHITECTURES[kind]
    tokenizer = made.tokenizer(max_length, **tokenizer_settings)
    ids = {f"{special}_token_id": getattr(tokenizer, f"{special}_token_id") for special in made.special_ids}
    positions = {"max_position_embeddings": max_length + made.extra}
    config = made.config(vocab_size=len(tokenizer), **(made.sizes | positions | ids | made.settings | settings))
    arguments = made.model if task == "feature-extraction" else {}
    model = CLASSES[task].from_config(config, **arguments).eval()
    fill(model, kit.number(name))
    if task in ("text-classification", "token-classification"):
        center_labels(model, tokenizer)
    return model, tokenizer


def center_labels(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Moves the last bias so that each label wins on some texts or tokens."""
    rows = tokenizer(sentences()[::10], padding=True, truncation=True, return_tensors="pt")
    known = inspect.signature(model.forward).parameters
    bias = [value for name, value in model.named_parameters() if name.endswith("bias")][-1]
    with torch.no_grad():
        logits = model(**{name: value for name, value in rows.items() if name in known}).logits
        bias -= (logits[rows["attention_mask"].bool()] if logits.dim() == 3 else logits).mean(0)


def make_model(
    kit: Kit,
    name: str,
    kind: str,
    task: str,
    max_length: int = 64,
    settings: dict[str, Any] | None = None,
    tokenizer_settings: dict[str, Any] | None = None,
    file: str = "onnx/model.onnx",
    limit: float = 1e-5,
) -> TextModel:
    """A model of the architecture `kind` in tests/models/`name`, checked against torch."""
    model, tokenizer = build(kit, name, kind, task, max_length, settings or {}, tokenizer_settings or {})
    made = save(kit, name, model, tokenizer)
    export_transformer(model, task, made.folder / file)
    check_export(model, tokenizer, made.folder / file, sentences()[::25], limit)
    return made


def save(kit: Kit, name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> TextModel:
    """Writes the torch model aside and the configuration and tokenizer into both folders."""
    made = TextModel(name, kit.models / name, kit.scratch / name, model, tokenizer)
    model.save_pretrained(made.source)
    made.folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(made.source / "config.json", made.folder)
    for folder in (made.folder, made.source):
        save_tokenizer(tokenizer, folder)
    return made
