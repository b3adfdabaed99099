"""fastembed with a custom model: the same ONNX file, taken from a folder.

python fastembed_custom.py MODEL VARIANT THREADS BATCH
"""

import sys

from protocol import Embed, serve

FILES = {"fp32": "onnx/model.onnx", "q8": "onnx/model_quantized.onnx"}


def load() -> Embed:
    import numpy as np
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    model, variant, threads, batch = sys.argv[1:5]
    TextEmbedding.add_custom_model(
        model="bench/model",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="bench/model"),
        dim=384,
        model_file=FILES[variant],
    )
    embedding = TextEmbedding(
        "bench/model",
        threads=int(threads),
        providers=["CPUExecutionProvider"],
        specific_model_path=model,
        local_files_only=True,
    )
    return lambda texts: np.stack(list(embedding.embed(texts, batch_size=int(batch))))


serve(load)
