"""From a torch model to the files of a Hugging Face ONNX repository."""

import copy
import inspect
import json
import logging
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.float16 import convert_float_to_float16
from optimum.exporters.onnx import export as optimum_export
from optimum.exporters.tasks import TasksManager
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from models.four_bit import MICROSOFT, matmul_node, quantize

TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
OPSET = 17
for noisy in ("onnxruntime", "optimum", "transformers", "root"):
    logging.getLogger(noisy).setLevel(logging.ERROR)


def export_transformer(model: PreTrainedModel, task: str, path: Path) -> None:
    """As optimum exports it: its names of inputs and outputs, its dynamic axes."""
    constructor = TasksManager.get_exporter_config_constructor(
        "onnx", model=model, task=task, library_name="transformers"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    optimum_export(copy.deepcopy(model).eval(), constructor(model.config), path, opset=OPSET)
    clean(path)


def export_module(module: nn.Module, inputs: dict[str, torch.Tensor], outputs: list[str], path: Path) -> None:
    """For graphs that optimum does not make: all inputs [batch, sequence], a 2-D output without the sequence."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        made = module(**inputs)
        axes = {name: {0: "batch_size", 1: "sequence_length"} for name in inputs}
        for name, value in zip(outputs, made, strict=True):
            axes[name] = {0: "batch_size"} | ({1: "sequence_length"} if value.dim() == 3 else {})
        torch.onnx.export(
            module.eval(),
            (),
            str(path),
            kwargs=inputs,
            input_names=list(inputs),
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    clean(path)


def clean(path: Path) -> None:
    """Takes out what may differ from run to run."""
    model = onnx.load(path)
    model.doc_string = ""
    for node in model.graph.node:
        node.doc_string = ""
    onnx.save(model, path)


def save_tokenizer(tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        tokenizer.save_pretrained(temporary)
        for name in TOKENIZER_FILES:
            shutil.copy(Path(temporary) / name, folder / name)
    content = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")))


def write_json(folder: Path, files: dict[str, Any]) -> None:
    """`files` has names with JSON values or, for text, strings."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")


def half(source: Path, target: Path, keep_io: bool) -> None:
    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=keep_io), target)


def eight_bit(source: Path, target: Path) -> None:
    """The dynamic quantization of transformers.js: one scale for a whole activation."""
    quantize_dynamic(
        source, target, weight_type=QuantType.QUInt8, per_channel=False, extra_options={"EnableSubgraph": True}
    )
    clean(target)


def four_bit(source: Path, target: Path, block_size: int = 16) -> None:
    """4-bit weights for the matrices whose rows fill whole blocks."""
    model = onnx.load(source)
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes, added, replaced = [], [], set()
    for node in model.graph.node:
        matrix = weights.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is not None and matrix.dims[0] % (2 * block_size) == 0:
            new, tensors = matmul_node(node, quantize(numpy_helper.to_array(matrix).T, block_size), block_size)
            nodes.append(new)
            added += tensors
            replaced.add(matrix.name)
        else:
            nodes.append(node)
    kept = [tensor for name, tensor in weights.items() if name not in replaced]
    graph = helper.make_graph(nodes, model.graph.name, model.graph.input, model.graph.output, kept + added)
    opsets = [*model.opset_import, helper.make_opsetid(MICROSOFT, 1)]
    onnx.save(helper.make_model(graph, ir_version=model.ir_version, opset_imports=opsets), target)


def external_data(path: Path) -> None:
    """Moves the weights into a file beside the graph."""
    model = onnx.load(path)
    location = path.name + "_data"
    onnx.save(
        model, path, save_as_external_data=True, all_tensors_to_one_file=True, location=location, size_threshold=64
    )


def run(path: Path, feed: dict[str, Any]) -> dict[str, np.ndarray]:
    """Feeds what the graph has of `feed`; caches and positions that it wants are made here."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    arrays = {name: np.asarray(value, np.int64) for name, value in feed.items()}
    mask = arrays["attention_mask"]
    inputs = {}
    for wanted in session.get_inputs():
        if wanted.name in arrays:
            inputs[wanted.name] = arrays[wanted.name]
        elif wanted.name == "position_ids":
            inputs[wanted.name] = np.maximum(mask.cumsum(1) - 1, 0)
        elif wanted.name == "token_type_ids":
            inputs[wanted.name] = np.zeros_like(mask)
        elif wanted.name.startswith("past_key_values."):
            shape = [len(mask), wanted.shape[1], 0, wanted.shape[3]]
            inputs[wanted.name] = np.zeros(shape, np.float32)
        else:
            raise ValueError(f"{path}: no value for input {wanted.name}")
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def check_export(
    model: nn.Module, tokenizer: PreTrainedTokenizerBase, path: Path, texts: Iterable[str], limit: float = 1e-5
) -> None:
    """Torch and ONNX Runtime must agree on rows of different lengths, in the first output of the graph."""
    rows = tokenizer(list(texts), padding=True, truncation=True)
    feed = {name: rows[name] for name in rows if name in tokenizer.model_input_names}
    got = next(iter(run(path, feed).values()))
    known = inspect.signature(model.forward).parameters
    accepted = {name: torch.tensor(value) for name, value in feed.items() if name in known}
    with torch.no_grad():
        want = model(**accepted)[0].numpy()
    difference = np.abs(want - got)
    mask = np.asarray(feed["attention_mask"], bool)
    if want.shape[:2] == mask.shape:
        difference = difference[mask]
    if difference.max() > limit * max(1.0, np.abs(want).max()):
        raise ValueError(f"{path}: torch and ONNX Runtime differ by {difference.max():.2g}")
