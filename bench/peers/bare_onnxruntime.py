"""Bare ONNX Runtime: the tokenizers crate, a session, mean pooling and normalization in numpy.

python bare_onnxruntime.py MODEL VARIANT THREADS BATCH
"""

import sys
from pathlib import Path

from protocol import Embed, serve

FILES = {"fp32": "model.onnx", "q8": "model_quantized.onnx"}


def load() -> Embed:
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    model, variant, threads, batch = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.enable_truncation(512)
    tokenizer.enable_padding(pad_id=0)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model / "onnx" / FILES[variant]), options)
    names = {each.name for each in session.get_inputs()}

    def run(texts: list[str]) -> np.ndarray:
        rows = tokenizer.encode_batch(texts)
        mask = np.array([row.attention_mask for row in rows], np.int64)
        feeds = {
            "input_ids": np.array([row.ids for row in rows], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([row.type_ids for row in rows], np.int64),
        }
        tokens = session.run(["last_hidden_state"], {name: feeds[name] for name in names})[0]
        weights = mask[:, :, None].astype(np.float32)
        pooled = (tokens * weights).sum(1) / np.clip(weights.sum(1), 1e-9, None)
        return pooled / np.clip(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12, None)

    def embed(texts: list[str]) -> np.ndarray:
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i])) if batch > 1 else range(len(texts))
        result = [None] * len(texts)
        for start in range(0, len(texts), batch):
            part = order[start : start + batch]
            for index, row in zip(part, run([texts[i] for i in part]), strict=True):
                result[index] = row
        return np.stack(result)

    return embed


serve(load)
