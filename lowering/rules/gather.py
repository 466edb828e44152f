"""Lowering of reads through an index tensor along one dimension: rows of a table, elements of a line."""

from collections.abc import Sequence

from torch_mlir import ir

from .positions import checked_position, replaced
from .registry import LoweredCall, lowers


@lowers("aten.embedding.default")
def embedding(call: LoweredCall) -> Sequence[ir.Value]:
    """result[i..., j] = weight[indices[i...], j]"""
    builder = call.kernel([call["weight"], call["indices"]], call.result().sizes)
    *rows, column = builder.dims
    row = checked_position(builder, builder.load(1, rows), builder.input_infos[0].sizes[0], wraps=False)
    builder.store(0, builder.load(0, [row.at, column], row.valid), builder.dims)
    return builder.finish()


@lowers("aten.index_select.default")
def index_select(call: LoweredCall) -> Sequence[ir.Value] | None:
    """result[.. i ..] = self[.. index[i] ..]"""
    if call.info(call["self"]).rank == 0:
        return call.decline("a tensor without dimensions")
    builder = call.kernel([call["self"], call["index"]], call.result().sizes)
    dim = call["dim"]
    index = builder.load(1, [builder.dims[dim]] if builder.input_infos[1].rank else [])
    position = checked_position(builder, index, builder.input_infos[0].sizes[dim], wraps=False)
    builder.store(0, builder.load(0, replaced(builder.dims, dim, position.at), position.valid), builder.dims)
    return builder.finish()


@lowers("aten.gather.default")
def gather(call: LoweredCall) -> Sequence[ir.Value] | None:
    """result[.. i ..] = self[.. index[.. i ..] ..]"""
    if not 0 < call.info(call["self"]).rank == call.info(call["index"]).rank:
        return call.decline("a tensor without dimensions, or an empty index of another rank")
    builder = call.kernel([call["self"], call["index"]], call.result().sizes)
    dim = call["dim"]
    position = checked_position(builder, builder.load(1, builder.dims), builder.input_infos[0].sizes[dim], wraps=False)
    builder.store(0, builder.load(0, replaced(builder.dims, dim, position.at), position.valid), builder.dims)
    return builder.finish()
