"""sentence-transformers on torch.

python sentence_transformers_torch.py MODEL VARIANT THREADS BATCH
"""

import sys

from protocol import Embed, serve


def load() -> Embed:
    import torch
    from sentence_transformers import SentenceTransformer

    model, _, threads, batch = sys.argv[1:5]
    torch.set_num_threads(int(threads))
    torch.set_num_interop_threads(1)
    transformer = SentenceTransformer(model, device="cpu", local_files_only=True)
    return lambda texts: transformer.encode(texts, batch_size=int(batch), show_progress_bar=False)


serve(load)
