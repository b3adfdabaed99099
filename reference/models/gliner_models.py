"""Tiny GLiNER models: a small encoder, an LSTM, and the layers that score spans or words; random weights."""

import json
import logging
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from gliner import GLiNER
from gliner.model import BaseEncoderGLiNER, UniEncoderSpanGLiNER, UniEncoderTokenGLiNER
from kit import Kit
from transformers import PreTrainedTokenizerBase

from models.export import OPSET, clean, save_tokenizer, write_json
from models.sentences import sentences
from models.text import ARCHITECTURES, HIDDEN
from models.weights import fill

LABELS = ["person", "place", "food", "animal of the sea"]
LONGEST = 512  # tokens of a row, when no option says more
logging.getLogger("gliner").setLevel(logging.ERROR)
onnxruntime.set_default_logger_severity(3)


@dataclass
class GlinerModel:
    """`name` is the folder below tests/models, `file` one of its graphs, which gliner itself runs."""

    name: str
    folder: Path
    file: str = "onnx/model.onnx"

    def load(self, longest: int = LONGEST) -> BaseEncoderGLiNER:
        model = GLiNER.from_pretrained(
            str(self.folder), load_onnx_model=True, onnx_model_file=self.file, local_files_only=True
        )
        tokenizer = model.data_processor.transformer_tokenizer
        tokenizer.model_max_length = min(tokenizer.model_max_length, longest)
        return model


def make_gliner(
    kit: Kit, name: str, kind: str, token_level: bool = False, max_length: int = 160, **settings: Any
) -> GlinerModel:
    """A model with the encoder `kind` in tests/models/`name`, checked against torch. `settings` are those of GLiNER."""
    made = ARCHITECTURES[kind]
    model = build(kit, name, kind, token_level, made.tokenizer(max_length), max_length, settings)
    (center_words if token_level else center_spans)(model)
    folder = kit.models / name
    with tempfile.TemporaryDirectory() as temporary:
        model.export_to_onnx(temporary, opset=OPSET)
        (folder / "onnx").mkdir(parents=True)
        shutil.copy(Path(temporary) / "model.onnx", folder / "onnx")
        config = json.loads((Path(temporary) / "gliner_config.json").read_text())
    clean(folder / "onnx" / "model.onnx")
    write_json(
        folder, {"gliner_config.json": config | {"model_name": f"tiny/{kind}"}, "config.json": {"model_type": "gliner"}}
    )
    save_tokenizer(model.data_processor.transformer_tokenizer, folder)
    exported = GlinerModel(name, folder)
    check_export(model, exported.load(), sentences()[::40])
    return exported


def build(
    kit: Kit,
    name: str,
    kind: str,
    token_level: bool,
    tokenizer: PreTrainedTokenizerBase,
    max_length: int,
    settings: dict[str, Any],
) -> BaseEncoderGLiNER:
    made = ARCHITECTURES[kind]
    ids = {f"{special}_token_id": getattr(tokenizer, f"{special}_token_id") for special in made.special_ids}
    sizes = {name: 1 if name.endswith("layers") else size for name, size in made.sizes.items()}
    positions = {"max_position_embeddings": max_length + made.extra}
    encoder = {"model_type": kind, "vocab_size": len(tokenizer)} | sizes | positions | ids | made.settings
    with tempfile.TemporaryDirectory() as temporary:
        tokenizer.save_pretrained(temporary)
        config = {
            "model_name": temporary,
            "encoder_config": encoder,
            "hidden_size": HIDDEN,
            "dropout": 0.0,
            "span_mode": "token_level" if token_level else "markerV0",
        }
        cls = UniEncoderTokenGLiNER if token_level else UniEncoderSpanGLiNER
        model = cls.load_from_config(config | settings, backbone_from_pretrained=False).eval()
    fill(model.model, kit.number(name))
    return model


def logits_of(model: BaseEncoderGLiNER, texts: Iterable[str], labels: list[str] | list[list[str]]) -> torch.Tensor:
    """[texts, words, widths, labels], or [texts, words, labels, 3] of token models."""
    prepared = model.prepare_batch(list(texts), labels)
    batch = model.collate_batch(prepared["input_x"], prepared["entity_types"])
    return torch.as_tensor(model.run_batch(batch)[0])


def center_spans(model: BaseEncoderGLiNER) -> None:
    """Moves and stretches the scores, so that some spans of each label are above 0.5 and most are not."""
    layers = model.model.span_rep_layer, model.model.prompt_rep_layer
    seen: dict[int, list[torch.Tensor]] = {0: [], 1: []}
    hooks = [
        layer.register_forward_hook(lambda _m, _i, out, key=index: seen[key].append(out.reshape(-1, out.shape[-1])))
        for index, layer in enumerate(layers)
    ]
    for text in sentences()[::20]:
        logits_of(model, [text], LABELS)
    for hook in hooks:
        hook.remove()
    spans, prompts = (torch.cat(seen[index]) for index in (0, 1))
    common = prompts.mean(0)
    apart = common.norm() / (prompts - common).norm(dim=1).mean()
    prompts = (prompts - common) * apart + common
    toward = common / common.norm() ** 2
    with torch.no_grad():
        last = layers[1][-1]
        last.weight *= apart
        last.bias.copy_((last.bias - common) * apart + common)
        spread = ((spans - spans.mean(0)) @ prompts.T).std()
        last = layers[0].span_rep_layer.out_project[-1]
        last.weight *= 2.0 / spread
        last.bias.copy_((last.bias - spans.mean(0)) * 2.0 / spread - 2.0 * toward)


def center_words(model: BaseEncoderGLiNER) -> None:
    last = model.model.scorer.out_mlp[-1]
    logits = torch.cat([logits_of(model, [text], LABELS).reshape(-1, 3) for text in sentences()[::20]])
    with torch.no_grad():
        scale = 2.0 / logits.std(0)
        last.weight *= scale[:, None]
        last.bias.copy_((last.bias - logits.mean(0)) * scale + torch.tensor([-0.2, -0.2, 2.5]))


def check_export(model: BaseEncoderGLiNER, exported: BaseEncoderGLiNER, texts: list[str], limit: float = 5e-5) -> None:
    """Torch and ONNX Runtime must agree on rows of different lengths and numbers of labels. The logits are stretched,
    which stretches the noise."""
    labels = [LABELS[: 1 + index % len(LABELS)] for index in range(len(texts))]
    want, got = (logits_of(each, texts, labels).numpy() for each in (model, exported))
    tokens = model.prepare_inputs(texts)[0]
    for index, words in enumerate(tokens):
        own = min(len(words), model.config.max_len)
        difference = np.abs(want[index, :own] - got[index, :own]).max()
        if difference > limit:
            raise ValueError(f"{exported.config.model_name}: torch and ONNX Runtime differ by {difference:.2g}")
