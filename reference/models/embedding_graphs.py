"""Embedding models whose graphs are not those of a plain encoder."""

from pathlib import Path

import onnx
import torch
from optimum.exporters.onnx import export as optimum_export
from optimum.exporters.tasks import TasksManager
from sentence_transformers import SentenceTransformer
from torch import nn
from transformers import AutoModel, Gemma3TextConfig, PreTrainedModel, T5Config, T5EncoderModel

from kit import Kit
from models import vocabularies
from models.export import OPSET, check_export, clean, export_module, export_transformer
from models.sentences import sentences
from models.text import HIDDEN, TextModel, build, save
from models.weights import fill

TEXTS = sentences()[::25]


def qwen3_with_cache(kit: Kit, name: str) -> TextModel:
    """A decoder whose graph takes and gives the keys and values of each layer."""
    model, tokenizer = build(kit, name, "qwen3", "feature-extraction", 64, {}, {})
    made = save(kit, name, model, tokenizer)
    constructor = TasksManager.get_exporter_config_constructor(
        "onnx", model=model, task="feature-extraction", library_name="transformers"
    )
    config = constructor(model.config, task="feature-extraction", use_past=True, use_past_in_inputs=True)
    path = made.folder / "onnx" / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    optimum_export(model, config, path, opset=OPSET)
    clean(path)
    graph = onnx.load(path)
    graph.graph.output[0].type.tensor_type.shape.dim[1].dim_param = "sequence_length"  # the exporter says 1
    onnx.save(graph, path)
    check_export(model, tokenizer, path, TEXTS)
    return made


def t5_encoder(kit: Kit, name: str) -> TextModel:
    """The encoder of T5, as gtr-t5 and sentence-t5 use it."""
    tokenizer = vocabularies.t5(64)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=HIDDEN, d_kv=8, d_ff=48, num_layers=2, num_heads=4,
        relative_attention_num_buckets=8, relative_attention_max_distance=32, pad_token_id=0, eos_token_id=1,
        decoder_start_token_id=0, is_encoder_decoder=True,
    )  # fmt: skip
    model = T5EncoderModel(config).eval()
    fill(model, kit.number(name))
    made = save(kit, name, model, tokenizer)
    export_encoder(model, made.folder / "onnx" / "model.onnx")
    check_export(model, tokenizer, made.folder / "onnx" / "model.onnx", TEXTS)
    return made


def gemma3(kit: Kit, name: str) -> TextModel:
    """Gemma 3 with attention in both directions, as EmbeddingGemma has it."""
    tokenizer = vocabularies.gemma(64)
    config = Gemma3TextConfig(
        vocab_size=len(tokenizer), hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        head_dim=8, intermediate_size=48, max_position_embeddings=64, query_pre_attn_scalar=8, sliding_window=16,
        layer_types=["sliding_attention", "full_attention"], use_bidirectional_attention=True,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, bos_token_id=tokenizer.bos_token_id,
    )  # fmt: skip
    model = AutoModel.from_config(config).eval()
    fill(model, kit.number(name))
    made = save(kit, name, model, tokenizer)
    # With both directions each load of the configuration halves the window, so the export is of what a load gives.
    model = AutoModel.from_pretrained(made.source).eval()
    export_transformer(model, "feature-extraction", made.folder / "onnx" / "model.onnx")
    check_export(model, tokenizer, made.folder / "onnx" / "model.onnx", TEXTS)
    return made


class Encoder(nn.Module):
    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor]:
        return (self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state,)


def export_encoder(model: PreTrainedModel, path: Path) -> None:
    ids = torch.randint(5, 100, (2, 7), generator=torch.Generator().manual_seed(0))
    export_module(
        Encoder(model), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, ["last_hidden_state"], path
    )


class Pooled(nn.Module):
    """All modules of a SentenceTransformer in one graph, as its own export makes it."""

    def __init__(self, modules: SentenceTransformer) -> None:
        super().__init__()
        self.modules_ = modules

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        result = self.modules_({"input_ids": input_ids, "attention_mask": attention_mask})
        return result["token_embeddings"], result["sentence_embedding"]


def export_pooled(modules: SentenceTransformer, path: Path, tokens_name: str) -> None:
    ids = torch.randint(5, 100, (2, 7), generator=torch.Generator().manual_seed(0))
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    export_module(Pooled(modules), inputs, [tokens_name, "sentence_embedding"], path)
