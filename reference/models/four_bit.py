"""4-bit weights as ONNX Runtime reads them: MatMulNBits and GatherBlockQuantized, a scale and a zero point a block."""

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper, numpy_helper

MICROSOFT = "com.microsoft"
WHOLE_RANGE = np.ones(1)


@dataclass
class Blocks:
    """A matrix [rows, columns] in blocks along its columns: value = (code - zero) * scale."""

    codes: np.ndarray  # uint8 [rows, blocks, block_size], 0 to 15
    scales: np.ndarray  # float32 [rows, blocks]
    zeros: np.ndarray  # uint8 [rows, blocks], 0 to 15

    def values(self) -> np.ndarray:
        steps = self.codes.astype(np.float32) - self.zeros[..., None].astype(np.float32)
        return (steps * self.scales[..., None]).reshape(len(self.codes), -1)


def quantize(
    matrix: np.ndarray, block_size: int, grid: np.ndarray = WHOLE_RANGE, importance: np.ndarray | None = None
) -> Blocks:
    """Rounds to nearest. Of the shrunk ranges in `grid` each block takes the one with the least squared error.

    `importance` weighs the columns.
    """
    blocks = matrix.reshape(len(matrix), -1, block_size).astype(np.float32)
    weights = 1 if importance is None else importance.astype(np.float32).reshape(-1, block_size)
    low, high = np.minimum(blocks.min(2), 0), np.maximum(blocks.max(2), 0)
    best = Blocks(np.zeros(blocks.shape, np.uint8), np.zeros(low.shape, np.float32), np.zeros(low.shape, np.uint8))
    least = np.full(low.shape, np.inf, np.float32)
    for low_part in grid:
        for high_part in grid:
            scales = np.maximum((high * high_part - low * low_part) / 15, 1e-12).astype(np.float32)
            zeros = np.clip(np.rint(-low * low_part / scales), 0, 15)
            codes = np.clip(np.rint(blocks / scales[..., None]) + zeros[..., None], 0, 15)
            error = (((codes - zeros[..., None]) * scales[..., None] - blocks) ** 2 * weights).sum(2)
            better = error < least
            least[better] = error[better]
            best.codes[better], best.scales[better], best.zeros[better] = codes[better], scales[better], zeros[better]
    return best


def pack(codes: np.ndarray) -> np.ndarray:
    """Two codes a byte along the last dimension, the first in the low half."""
    return (codes[..., 0::2] | codes[..., 1::2] << 4).astype(np.uint8)


def uint4_tensor(name: str, codes: np.ndarray) -> onnx.TensorProto:
    packed = pack(codes.reshape(-1)).tobytes()
    return helper.make_tensor(name, onnx.TensorProto.UINT4, codes.shape, packed, raw=True)


def matmul_node(node: onnx.NodeProto, blocks: Blocks, block_size: int) -> tuple[onnx.NodeProto, list[onnx.TensorProto]]:
    """`node` computes x @ W with W [K, N]; `blocks` holds W transposed, [N, K]."""
    name = node.name.strip("/").replace("/", ".") + ".weight"
    tensors = [
        numpy_helper.from_array(pack(blocks.codes), f"{name}_q4"),
        numpy_helper.from_array(blocks.scales.reshape(-1), f"{name}_scales"),
        numpy_helper.from_array(pack(blocks.zeros).reshape(-1), f"{name}_zero_points"),
    ]
    rows, count, _ = blocks.codes.shape
    new = helper.make_node(
        "MatMulNBits",
        [node.input[0], *(tensor.name for tensor in tensors)],
        node.output,
        node.name + "_Q4",
        domain=MICROSOFT,
        K=count * block_size,
        N=rows,
        bits=4,
        block_size=block_size,
    )
    return new, tensors


def gather_node(node: onnx.NodeProto, blocks: Blocks, block_size: int) -> tuple[onnx.NodeProto, list[onnx.TensorProto]]:
    """`node` gathers rows of the matrix that `blocks` holds."""
    name = node.input[0]
    rows, count, _ = blocks.codes.shape
    tensors = [
        uint4_tensor(f"{name}_q4", blocks.codes.reshape(rows, count * block_size)),
        numpy_helper.from_array(blocks.scales, f"{name}_scales"),
        uint4_tensor(f"{name}_zero_points", blocks.zeros),
    ]
    inputs = [tensors[0].name, node.input[1], tensors[1].name, tensors[2].name]
    new = helper.make_node(
        "GatherBlockQuantized",
        inputs,
        node.output,
        node.name + "_Q4",
        domain=MICROSOFT,
        gather_axis=0,
        quantize_axis=1,
        block_size=block_size,
    )
    return new, tensors
