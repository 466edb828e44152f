"""Lowering of writes of whole slices at the positions in an index tensor, in the tensor's order."""

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import Size
from ...dialects.dtypes import HALVES
from ..emission.kernel_builder import KernelBuilder
from ..emission.promotion import opmath
from ..emission.scalar import Scalar
from .positions import Position, checked_first, checked_position, position_in, replaced, without_dim
from .registry import LoweredCall, lowers


def _writer(call: LoweredCall, source: ir.Value | None, sizes: Sequence[Size], wraps: bool) -> tuple[KernelBuilder, Position]:
    """A kernel over `sizes` whose result is initialized with the call's `self`, and the position along `dim` that each slice is written
    to."""
    dim, index = call["dim"], call["index"]
    bound, positions = call.result().sizes[dim], call.info(index).sizes
    checked = checked_first(call, [index], [bound], positions, without_dim(sizes, dim), wraps)
    inputs = [call["self"], index, *(v for v in (source, checked) if v is not None)]
    builder = call.kernel(inputs, sizes, updates=[0])
    at = builder.load(1, [builder.dims[dim]] if positions else [])
    return builder, checked_position(builder, at, bound, wraps, None if checked is None else len(inputs) - 1)


def _has_lines(call: LoweredCall, source: ir.Value | None = None) -> bool:
    rank = call.info(call["self"]).rank
    return rank > 0 and (source is None or call.info(source).rank == rank)


@lowers("aten.index_add.default")
def index_add(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self[.. index[i] ..] += alpha * source[.. i ..]"""
    source = call["source"]
    if not _has_lines(call, source) or call.result().dtype == "bool" or not isinstance(call["alpha"], (int, float)):
        return call.decline("a tensor without dimensions, or of bool")
    info = call.result()
    if call["alpha"] != 1 and info.device == "cpu" and info.dtype in HALVES:
        return call.decline("eager rounds the scaled source of a half type in steps of its own")
    builder, position = _writer(call, source, call.info(source).sizes, wraps=False)
    value = builder.load(2, builder.dims)
    if call["alpha"] != 1:
        value = value.to(opmath(value.dtype)) * call["alpha"]
    builder.store(0, value, replaced(builder.dims, call["dim"], position.at), position.valid, accumulate="add")
    return builder.finish()


@lowers("aten.index_copy.default")
def index_copy(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self[.. index[i] ..] = source[.. i ..]"""
    source = call["source"]
    if not _has_lines(call, source):
        return call.decline("a tensor without dimensions")
    builder, position = _writer(call, source, call.info(source).sizes, wraps=False)
    builder.store(0, builder.load(2, builder.dims), replaced(builder.dims, call["dim"], position.at), position.valid)
    return builder.finish()


@lowers("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def index_fill(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self[.. index[i] ..] = value; negative indices count from the end"""
    if not _has_lines(call):
        return call.decline("a tensor without dimensions")
    index, value = call.info(call["index"]), call["value"]
    source = value if isinstance(value, ir.Value) else None
    sizes = replaced(call.result().sizes, call["dim"], index.sizes[0] if index.rank else 1)
    builder, position = _writer(call, source, sizes, wraps=True)
    filling = builder.constant(value, call.result().dtype) if source is None else builder.load(2, [])
    builder.store(0, filling, replaced(builder.dims, call["dim"], position.at), position.valid)
    return builder.finish()


@lowers("aten.embedding_dense_backward.default")
def embedding_dense_backward(call: LoweredCall) -> Sequence[ir.Value] | None:
    """zeros, and result[indices[i...], j] += grad_output[i..., j] except at padding_idx"""
    if call["scale_grad_by_freq"]:
        return call.decline("gradients scaled by frequency")
    zeros = call.kernel([], call.result().sizes)
    zeros.store(0, zeros.constant(0, call.result().dtype), zeros.dims)
    (start,) = zeros.finish()
    builder = call.kernel([start, call["grad_output"], call["indices"]], call.info(call["grad_output"]).sizes, updates=[0])
    *rows, column = builder.dims
    index: Scalar = builder.load(2, rows).to("int64")
    row = position_in(builder, index, call.result().sizes[0], wraps=False)
    padding = builder.number(call["padding_idx"])
    builder.store(0, builder.load(1, builder.dims), [row.at, column], row.valid & index.ne(padding), accumulate="add")
    return builder.finish()
