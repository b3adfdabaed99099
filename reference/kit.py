"""What all cases share: where files go, seeds, and how a golden file is written."""

import hashlib
import importlib.metadata
import json
import random
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ["torch", "transformers", "tokenizers", "sentence-transformers", "gliner", "onnx", "onnxruntime"]
PACKAGES += ["optimum-onnx"]


class Kit:
    """One run of make.py: `out` is the repository, or an empty folder that gets the same layout."""

    def __init__(self, out: Path, seed: int) -> None:
        self.models = out / "tests" / "models"
        self.golden = out / "tests" / "golden"
        self.seed = seed
        self.scratch = Path(tempfile.mkdtemp(prefix="reference-"))  # holds the torch models of this run

    def number(self, name: str) -> int:
        """A seed of its own for each name, so that a new model or case changes no other."""
        return zlib.crc32(f"{self.seed}/{name}".encode())

    def random(self, name: str) -> random.Random:
        return random.Random(self.number(name))

    def write_results(
        self,
        case: str,
        model: str,
        inputs: list[Any],
        results: list[Any],
        tolerance: dict[str, float],
        options: dict[str, Any] | None = None,
    ) -> None:
        """`case` is task/name, `model` a folder of tests/models (or a repository id when the options name a cache)."""
        assert len(inputs) == len(results), case
        self.write(case, model, inputs, options, {"results": results, "tolerance": tolerance})

    def write_error(
        self, case: str, model: str, inputs: list[Any], code: str, message: str, options: dict[str, Any] | None = None
    ) -> None:
        self.write(case, model, inputs, options, {"error": {"code": code, "message_contains": message}})

    def write(
        self, case: str, model: str, inputs: list[Any], options: dict[str, Any] | None, answer: dict[str, Any]
    ) -> None:
        task, _, name = case.partition("/")
        is_folder = (self.models / model).is_dir()
        content = {
            "task": task,
            "model": f"tests/models/{model}" if is_folder else model,
            "options": options or {},
            "inputs": inputs,
            **answer,
            "made_with": {package: importlib.metadata.version(package) for package in PACKAGES},
            "model_sha256": folder_hash(self.models / model if is_folder else self.models / "hub"),
        }
        path = self.golden / task / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(content))


def dump(content: dict[str, Any]) -> str:
    """JSON with one line for each input and result, and floats with the digits that float32 needs."""
    lines = []
    for key, value in content.items():
        if isinstance(value, list) and value:
            body = ",\n".join("    " + compact(item) for item in value)
            lines.append(f'  "{key}": [\n{body}\n  ]')
        else:
            lines.append(f'  "{key}": {compact(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def compact(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


def plain(value: Any) -> Any:
    """Arrays as lists; float32 as the shortest number that reads back the same."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist() if value.dtype != np.float32 else [plain(item) for item in value])
    if isinstance(value, np.float32):
        return float(str(value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def folder_hash(folder: Path) -> str:
    """SHA-256 over the names and contents of all files of a model."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
