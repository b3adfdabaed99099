"""4-bit weights for the layers of BERT that give nearly the outputs of the exact model.

GPTQ (Frantar and others, 2022) rounds a matrix column by column and lets the columns to come make up for each error, as
far as the inputs of the layer are correlated. Here each layer also makes up for the layers before: its target is what
the exact model puts out, its input what the rounded model puts in, and the bias takes the mean of what is left.
"""

import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from transformers import BertModel, PreTrainedTokenizerBase

from models.four_bit import Blocks, quantize

GRID = np.linspace(0.6, 1.05, 10)  # parts of a block's range that are tried as its scale
DAMPING = 0.01  # of the mean of the covariance's diagonal
TRUST = 0.05  # how strongly the corrected weights are held at the exact ones
COLUMNS = 128
GLUE = [
    "the",
    "of",
    "a",
    "is",
    "in",
    "to",
    "and",
    "for",
    "with",
    "on",
    "that",
    "was",
    "it",
    "as",
    "by",
    "are",
    "from",
    "at",
    "this",
    "not",
    "have",
    "you",
    "or",
    "be",
    "we",
    "they",
    "how",
    "what",
    "why",
    "my",
]


def calibration_texts(tokenizer: PreTrainedTokenizerBase, count: int) -> list[str]:
    """Words in no order with small words of English between them, exclamations, runs of digits and foreign letters."""
    rng = random.Random(0)
    pieces = [piece.removeprefix("##") for piece in sorted(tokenizer.vocab, key=tokenizer.vocab.get)]
    words = [piece for piece in pieces if piece.isalpha() and len(piece) > 2]  # common ones come first
    letters = [piece for piece in pieces if len(piece) == 1 and not piece.isascii()]
    numbers = [piece for piece in pieces if len(piece) <= 4 and piece.isascii() and not piece.isalpha()]

    def sentence() -> str:
        length = rng.randint(4, 24) if rng.random() < 0.8 else rng.randint(1, 3)
        if rng.random() < 0.1:
            pool = rng.choice([letters, numbers + words[:500]])
            start = rng.randrange(len(pool))
            return rng.choice(["", " "]).join(rng.choice(pool[start : start + 60]) for _ in range(length))
        common = [int(len(words) * rng.random() ** 1.5) for _ in range(length)]
        chosen = [rng.choice(GLUE) if rng.random() < 0.4 else words[index] for index in common]
        commas = [word + "," if rng.random() < 0.06 else word for word in chosen]
        return " ".join(commas) + rng.choice([".", ".", "", "?", "!"])

    return [" ".join(sentence() for _ in range(rng.choice([1, 1, 1, 2, 3, 6]))) for _ in range(count)]


def round_with_feedback(matrix: torch.Tensor, moments: torch.Tensor, block_size: int) -> Blocks:
    """`matrix` [outputs, inputs] in blocks along its inputs, whose second moments are `moments`."""
    count = matrix.shape[1]
    blocks = quantize(matrix.numpy(), block_size, GRID, moments.diag().numpy())
    scales, zeros = torch.from_numpy(blocks.scales).double(), torch.from_numpy(blocks.zeros).double()
    damped = moments + DAMPING * moments.diag().mean() * torch.eye(count, dtype=torch.double)
    order = damped.diag().argsort(descending=True, stable=True)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(damped[order][:, order]))
    feedback = torch.linalg.cholesky(inverse, upper=True)
    rest, codes = matrix.double()[:, order], torch.zeros(matrix.shape, dtype=torch.double)
    for start in range(0, count, COLUMNS):
        end = min(start + COLUMNS, count)
        errors = torch.zeros(len(matrix), end - start, dtype=torch.double)
        for column in range(start, end):
            block = order[column] // block_size
            scale, zero = scales[:, block], zeros[:, block]
            code = (rest[:, column] / scale).round().add(zero).clamp(0, 15)
            error = (rest[:, column] - (code - zero) * scale) / feedback[column, column]
            codes[:, order[column]], errors[:, column - start] = code, error
            rest[:, column + 1 : end] -= torch.outer(error, feedback[column, column + 1 : end])
        rest[:, end:] -= errors @ feedback[start:end, end:]
    return Blocks(codes.byte().numpy().reshape(blocks.codes.shape), blocks.scales, blocks.zeros)


@dataclass
class Pass:
    """A batch on its way through both models; padding takes no part in the sums."""

    mask: torch.Tensor
    attention: torch.Tensor
    exact: torch.Tensor
    rough: torch.Tensor


class EncoderQuantizer:
    """Rounds the layers of `rough`, which starts as a copy of `exact`, one after the other."""

    def __init__(self, exact: BertModel, rough: BertModel, block_size: int) -> None:
        self.exact, self.rough, self.block_size = exact, rough, block_size
        self.blocks: dict[str, Blocks] = {}
        self.names = {module: name for name, module in rough.named_modules()}

    @torch.no_grad()
    def run(self, tokenizer: PreTrainedTokenizerBase, texts: list[str]) -> dict[str, Blocks]:
        """The codes by the names of the layers; `rough` gets the rounded weights and new biases."""
        batches = [self.start(tokenizer, texts[start : start + 50]) for start in range(0, len(texts), 50)]
        for exact, rough in zip(self.exact.encoder.layer, self.rough.encoder.layer, strict=True):
            inputs = [(batch.exact, batch.rough) for batch in batches]
            masks = [batch.mask for batch in batches]
            own, copy = exact.attention.self, rough.attention.self
            for name in ("query", "key", "value"):
                self.fit(getattr(own, name), getattr(copy, name), inputs, masks)
            attended = [(own(b.exact, b.attention)[0], copy(b.rough, b.attention)[0]) for b in batches]
            self.fit(exact.attention.output.dense, rough.attention.output.dense, attended, masks, inputs)
            middle = pairwise(exact.attention.output, rough.attention.output, attended, inputs)
            self.fit(exact.intermediate.dense, rough.intermediate.dense, middle, masks)
            wide = pairwise(exact.intermediate, rough.intermediate, middle)
            self.fit(exact.output.dense, rough.output.dense, wide, masks, middle)
            for batch, (one, other) in zip(batches, pairwise(exact.output, rough.output, wide, middle), strict=True):
                batch.exact, batch.rough = one, other
        return self.blocks

    def start(self, tokenizer: PreTrainedTokenizerBase, texts: list[str]) -> Pass:
        rows = tokenizer(texts, padding=True, truncation=True, max_length=160, return_tensors="pt")
        hidden = (1 - rows.attention_mask[:, None, None].float()) * -1e9
        exact, rough = (model.embeddings(rows.input_ids) for model in (self.exact, self.rough))
        return Pass(rows.attention_mask.bool(), hidden, exact, rough)

    def fit(self, exact: nn.Linear, rough: nn.Linear, inputs: list, masks: list, residuals: list | None = None) -> None:
        """Chooses weights and bias of `rough`: its output plus `residuals` shall be that of the exact model."""
        given = torch.cat([rough_in[mask] for (_, rough_in), mask in zip(inputs, masks, strict=True)])
        target = torch.cat([exact(exact_in[mask]) for (exact_in, _), mask in zip(inputs, masks, strict=True)])
        if residuals:
            target += torch.cat([(one - other)[mask] for (one, other), mask in zip(residuals, masks, strict=True)])
        centred = given - given.mean(0)
        left = target - target.mean(0) - centred @ exact.weight.T
        covariance = (centred.T @ centred).double()
        held = covariance + TRUST * covariance.diag().mean() * torch.eye(len(covariance), dtype=torch.double)
        weight = exact.weight + torch.linalg.solve(held, (centred.T @ left).double()).T.float()
        blocks = round_with_feedback(weight, (given.T @ given).double(), self.block_size)
        rough.weight.copy_(torch.from_numpy(blocks.values()))
        rough.bias.copy_((target - given @ rough.weight.T).mean(0))
        self.blocks[self.names[rough]] = blocks


def pairwise(exact: nn.Module, rough: nn.Module, *inputs: list) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Runs each model's module on its own half of each batch."""
    halves = zip(*inputs, strict=True)
    return [(exact(*(pair[0] for pair in batch)), rough(*(pair[1] for pair in batch))) for batch in halves]
