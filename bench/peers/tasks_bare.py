"""Bare ONNX Runtime for each task of bench/tasks.py: the tokenizers crate, a session, and numpy.

python tasks_bare.py TASK MODEL OPTIONS THREADS BATCH
"""

import json
import sys
from pathlib import Path
from typing import Any

from protocol import RunTask, serve_task

Pairs = list[tuple[str, str]]


def load() -> RunTask:
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    task, model, options = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
    threads, batch = int(sys.argv[4]), int(sys.argv[5])
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.enable_padding(pad_id=0)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model / "onnx" / "model.onnx"), settings)
    names = {each.name for each in session.get_inputs()}

    def encoded(texts: list[Any], strategy: str) -> tuple[dict[str, Any], list[Any]]:
        tokenizer.enable_truncation(512, strategy=strategy)
        rows = tokenizer.encode_batch(texts)
        feeds = {
            "input_ids": np.array([row.ids for row in rows], np.int64),
            "attention_mask": np.array([row.attention_mask for row in rows], np.int64),
            "token_type_ids": np.array([row.type_ids for row in rows], np.int64),
        }
        return {name: feeds[name] for name in names}, rows

    def in_batches(texts: list[Any], run: Any) -> list[Any]:
        """In batches of like length, as one does by hand."""
        length = {index: sum(map(len, text)) for index, text in enumerate(texts)}
        order = sorted(length, key=lambda i: -length[i]) if batch > 1 else range(len(texts))
        results: list[Any] = [None] * len(texts)
        for start in range(0, len(texts), batch):
            part = order[start : start + batch]
            for index, result in zip(part, run([texts[i] for i in part]), strict=True):
                results[index] = result
        return results

    def logits(strategy: str) -> Any:
        return lambda pairs: session.run(["logits"], encoded(pairs, strategy)[0])[0]

    def ranking(inputs: list[Any]) -> list[Any]:
        results = []
        for item in inputs:
            pairs = [(item["query"], document) for document in item["documents"]]
            scores = 1 / (1 + np.exp(-np.array(in_batches(pairs, logits("longest_first")))[:, 0]))
            order = np.argsort(-scores, kind="stable")
            results.append({"results": [{"index": int(i), "score": float(scores[i])} for i in order]})
        return results

    def zero_shot(inputs: list[Any]) -> list[Any]:
        labels = options["labels"]
        pairs = [(text, f"This example is {label}.") for text in inputs for label in labels]
        rows = np.array(in_batches(pairs, logits("only_first"))).reshape(len(inputs), len(labels), -1)
        exps = np.exp(rows[..., 2])
        # One label alone is its chance against contradiction.
        scores = exps / (exps + np.exp(rows[..., 0]) if len(labels) == 1 else exps.sum(1, keepdims=True))
        return [
            {"predictions": [{"label": labels[i], "score": float(row[i])} for i in np.argsort(-row)]} for row in scores
        ]

    def fill_mask(inputs: list[Any]) -> list[Any]:
        mask = tokenizer.token_to_id("[MASK]")

        def run(texts: list[str]) -> list[Any]:
            feeds, rows = encoded(texts, "longest_first")
            tokens = session.run(["logits"], feeds)[0]
            found = []
            for index, row in enumerate(rows):
                scores = np.exp(tokens[index, row.ids.index(mask)])
                scores /= scores.sum()
                best = np.argpartition(-scores, 5)[:5]
                best = best[np.argsort(-scores[best])]
                found.append([{"token_id": int(i), "score": float(scores[i])} for i in best])
            return found

        return [{"predictions": row} for row in in_batches(inputs, run)]

    return {"text_ranking": ranking, "zero_shot_classification": zero_shot, "fill_mask": fill_mask}[task]


serve_task(load)
