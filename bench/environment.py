"""What a benchmark needs beside the sources: the peers, real weights and our release build."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "transmuter" / "bench"


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def run(*command: str | Path, cwd: Path | None = None) -> None:
    """Runs a command whose output nobody needs; shows it when the command fails."""
    done = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nbench: {' '.join(map(str, command))} failed with {done.returncode}")


def is_current(stamp: Path, recipe: Path) -> bool:
    return stamp.exists() and stamp.read_text() == recipe.read_text()


def python() -> Path:
    """The Python of the peers: TRANSMUTER_BENCH_PYTHON, or an environment of its own (about 7 GB with torch)."""
    if chosen := os.environ.get("TRANSMUTER_BENCH_PYTHON"):
        return Path(chosen)
    folder, recipe = CACHE / "python", BENCH / "requirements.txt"
    interpreter, stamp = folder / "bin" / "python", folder / "installed"
    if not is_current(stamp, recipe):
        say(f"installing the Python peers into {folder} (some minutes, once)")
        venv.create(folder, with_pip=True, clear=True)
        run(interpreter, "-m", "pip", "install", "--quiet", "-r", recipe)
        shutil.copy(recipe, stamp)
    return interpreter


def node_modules() -> Path:
    """The folder with transformers.js. No package's scripts run: the binaries are in the packages."""
    folder, recipe = CACHE / "node", BENCH / "peers" / "package.json"
    stamp = folder / "installed"
    if not is_current(stamp, recipe):
        say(f"installing transformers.js into {folder} (once)")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(recipe, folder / "package.json")
        run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
        if not list(folder.glob("node_modules/onnxruntime-node/bin/*/*/*/onnxruntime_binding.node")):
            sys.exit(f"bench: onnxruntime-node in {folder} has no binary for this system: transformers.js cannot run")
        shutil.copy(recipe, stamp)
    return folder


def model(name: str, models: Path, interpreter: Path) -> Path:
    """A folder with the model's files, changed so that every engine cuts at 512 tokens and pads only what it must."""
    source = models / name
    if not (source / "model.safetensors").exists():
        say(f"making {source} (some minutes, once)")
        run(interpreter, BENCH / "models.py", name, "--out", models)
    folder = CACHE / "models" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("onnx", "*.safetensors"))
    for weights in ("onnx", "model.safetensors"):
        (folder / weights).symlink_to((source / weights).resolve())
    change_json(folder / "sentence_bert_config.json", {"max_seq_length": 512})
    change_json(folder / "tokenizer_config.json", {"model_max_length": 512})
    change_json(folder / "tokenizer.json", {"truncation": None, "padding": None})
    return folder


def task_model(name: str, models: Path, interpreter: Path) -> Path:
    """A folder with a model of bench/models.py that is used as it was made."""
    folder = models / name
    if not (folder / "onnx" / "model.onnx").exists():
        say(f"making {folder} (once)")
        run(interpreter, BENCH / "models.py", name, "--out", models)
    return folder.resolve()


def change_json(path: Path, changes: dict[str, object]) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def driver(target: str = "bench_driver") -> Path:
    """Our release build of a program of bench/driver."""
    folder = ROOT / "build"
    say(f"building {target}")
    run("cmake", "--preset", "release", "-DTRANSMUTER_BENCH=ON", cwd=ROOT)
    run("cmake", "--build", folder, "--target", target)
    return folder / target
