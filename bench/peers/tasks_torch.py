"""The Python library that each task of bench/tasks.py must agree with, on torch.

python tasks_torch.py TASK MODEL OPTIONS THREADS BATCH
"""

import json
import sys
from typing import Any

from protocol import RunTask, serve_task


def load() -> RunTask:
    import torch

    task, model, options, threads, batch = sys.argv[1:6]
    settings = json.loads(options)
    torch.set_num_threads(int(threads))
    torch.set_num_interop_threads(1)
    return {"text_ranking": ranking, "zero_shot_classification": zero_shot, "fill_mask": fill_mask}[task](
        model, settings, int(batch)
    )


def ranking(model: str, _: dict[str, Any], batch: int) -> RunTask:
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(model, device="cpu", local_files_only=True)

    def rank(item: dict[str, Any]) -> dict[str, Any]:
        rows = encoder.rank(item["query"], item["documents"], batch_size=batch, show_progress_bar=False)
        return {"results": [{"index": row["corpus_id"], "score": float(row["score"])} for row in rows]}

    return lambda inputs: [rank(item) for item in inputs]


def zero_shot(model: str, options: dict[str, Any], batch: int) -> RunTask:
    from transformers import pipeline

    classify = pipeline("zero-shot-classification", model=model, device="cpu", batch_size=batch)

    def run(inputs: list[Any]) -> list[Any]:
        return [
            {"predictions": [{"label": label, "score": score} for label, score in zip(row["labels"], row["scores"])]}
            for row in classify(inputs, candidate_labels=options["labels"])
        ]

    return run


def fill_mask(model: str, _: dict[str, Any], batch: int) -> RunTask:
    from transformers import pipeline

    fill = pipeline("fill-mask", model=model, device="cpu", batch_size=batch)
    cut = {"truncation": True, "max_length": 512}

    def run(inputs: list[Any]) -> list[Any]:
        # Its result of a list of one is not in a list.
        rows = [fill(inputs[0], tokenizer_kwargs=cut)] if len(inputs) == 1 else fill(inputs, tokenizer_kwargs=cut)
        return [{"predictions": [{"token_id": one["token"], "score": one["score"]} for one in row]} for row in rows]

    return run


serve_task(load)
