"""Random weights from a seed: each part of a model shows in its output, the noise of float arithmetic does not."""

import math

import torch
from torch import nn

HEADS = ("classifier", "score", "out_proj", "qa_outputs")


def fill(model: nn.Module, seed: int, head_gain: float = 3.0) -> None:
    """Sets all parameters of `model`; the last layer of a classifier gets `head_gain`."""
    generator = torch.Generator().manual_seed(seed)
    embeddings = {name for name, module in model.named_modules() if isinstance(module, nn.Embedding)}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            owner = name.rpartition(".")[0]
            if owner in embeddings:
                spread = 0.3 if "position" in name or "type" in name or "relative" in name else 0.6
                parameter.copy_(noise * spread)
            elif parameter.dim() > 1:
                gain = head_gain if owner.split(".")[-1] in HEADS else 1.0
                parameter.copy_(noise * gain / math.sqrt(parameter.shape[-1]))
            elif "norm" in name.lower() and name.endswith("weight"):
                parameter.copy_(center(parameter) + noise * 0.2)
            else:
                parameter.copy_(noise * 0.15)


def center(norm_weight: torch.Tensor) -> float:
    """1, or 0 for norms that add one to their weight (Gemma)."""
    return 1.0 if norm_weight.mean() > 0.5 else 0.0
