"""Lowering of writes at the positions in an index tensor, along one dimension. Writes to one position happen in the order of the index
tensor."""

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo, contiguous_strides
from ...passes.analysis.inplace_rules import MARK, writes_once_a_line
from ...tuning.kernels import TUNING
from ..emission.kernel_builder import KernelBuilder
from ..emission.promotion import highest, lowest, opmath
from ..emission.scalar import Operand, Scalar
from .positions import checked_first, checked_position, replaced
from .registry import LoweredCall, lowers

# The `reduce` argument of `scatter` and `scatter_reduce`, and the kernel's name of that reduction.
COMBINATIONS = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"}


def _combine(kind: str, a: Scalar, b: Scalar) -> Scalar:
    wide = opmath(a.dtype)
    a, b = a.to(wide), b.to(wide)
    return a + b if kind == "add" else a * b if kind == "mul" else a.maximum(b) if kind == "max" else a.minimum(b)


def _identity(kind: str, dtype: str) -> Operand:
    return {"add": 0, "mul": 1, "max": lowest(dtype), "min": highest(dtype)}[kind]


def _unsupported(call: LoweredCall, kind: str | None) -> str | None:
    """The reason why no kernel can do these writes, or None."""
    info = call.info(call["self"])
    if not 0 < info.rank == call.info(call["index"]).rank:
        return "a tensor without dimensions, or an empty index of another rank"
    if kind and (info.dtype == "bool" or info.dtype == "uint8" and kind in ("max", "min")):
        return f"{kind} of {info.dtype}"
    return None


@lowers("aten.scatter.src", "aten.scatter_add.default")
def scatter(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self[.. index[.. i ..] ..] = src[.. i ..], or += src"""
    return _scatter(call, "add" if call.short_name == "scatter_add" else None)


@lowers("aten.scatter.value")
def scatter_value(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self[.. index[.. i ..] ..] = value"""
    return _scatter(call, None)


@lowers("aten.scatter.reduce", "aten.scatter.value_reduce")
def scatter_combine(call: LoweredCall) -> Sequence[ir.Value] | None:
    """self[.. index[.. i ..] ..] += src, or *= src; src may be a number"""
    return _scatter(call, COMBINATIONS[call["reduce"]])


@lowers("aten.scatter_reduce.two")
def scatter_reduce(call: LoweredCall) -> Sequence[ir.Value] | None:
    """scatter with sum, prod, amax or amin; without `include_self`, elements that are written to start at the reduction's identity"""
    kind = COMBINATIONS.get(call["reduce"])
    if kind is None:
        return call.decline(f"scatter with {call['reduce']}")
    if call["include_self"]:
        return _scatter(call, kind)
    problem = _unsupported(call, kind)
    if problem:
        return call.decline(problem)
    (start,) = _scatter_to(call, call["self"], _identity(kind, call.result().dtype), None)
    return _scatter_to(call, start, call["src"], kind)


def _scatter(call: LoweredCall, kind: str | None) -> Sequence[ir.Value] | None:
    problem = _unsupported(call, kind)
    if problem:
        return call.decline(problem)
    source = call["src"] if "src" in call.arguments else call["value"]
    if writes_once_a_line(call.op) and MARK not in call.op.attributes:
        return _select(call, source, kind)
    return _scatter_to(call, call["self"], source, kind)


def _select(call: LoweredCall, source: ir.Value | Operand, kind: str | None) -> Sequence[ir.Value]:
    """For one write per line: where(index == position in the line, src, self), elementwise"""
    dim = call["dim"]
    size = call.result().sizes[dim]
    checked = _checked_index(call, size) if isinstance(size, int) and size >= TUNING.checked_line else None
    inputs = [call["self"], call["index"] if checked is None else checked, *([source] if isinstance(source, ir.Value) else [])]
    builder = call.kernel(inputs, call.result().sizes)
    line = replaced(builder.dims, dim, 0)
    index = builder.load(1, line).to("int64")
    if checked is None:
        _check(builder, index, size)
    old = builder.load(0, builder.dims)
    new = _source(builder, source, 2, line)
    new = _combine(kind, old, new).to(old.dtype) if kind else new
    builder.store(0, index.eq(builder.position(builder.dims[dim])).select(new, old), builder.dims)
    return builder.finish()


def _checked_index(call: LoweredCall, size: Size) -> ir.Value:
    """The index tensor, by a kernel that checks it: a kernel with a check is computed once, and would be stored for all of a long line."""
    info = call.info(call["index"])
    type_ = TensorInfo(info.sizes, "int64", info.device, contiguous_strides(info.sizes)).type()
    builder = call.kernel([call["index"]], info.sizes, [type_], name="check_indices")
    index = builder.load(0, builder.dims).to("int64")
    _check(builder, index, size)
    builder.store(0, index, builder.dims)
    return builder.finish()[0]


def _check(builder: KernelBuilder, index: Scalar, size: Size) -> None:
    builder.check((index >= 0) & (index < builder.number(size)), "index")


def _source(builder: KernelBuilder, source: ir.Value | Operand, number: int, coordinates: Sequence[Any]) -> Scalar:
    """The value to write, in the result's dtype: an element of input `number`, or the number `source`."""
    dtype = builder.output_infos[0].dtype
    return builder.load(number, coordinates).to(dtype) if isinstance(source, ir.Value) else builder.constant(source, dtype)


def _scatter_to(call: LoweredCall, start: ir.Value, source: ir.Value | Operand, kind: str | None) -> Sequence[ir.Value]:
    """`start` after all writes, done one after another"""
    dim, index, bound = call["dim"], call["index"], call.result().sizes[call["dim"]]
    sizes = call.info(index).sizes
    checked = checked_first(call, [index], [bound], sizes, (), wraps=False)
    inputs = [start, index, *(v for v in (source, checked) if isinstance(v, ir.Value))]
    builder = call.kernel(inputs, sizes, updates=[0])
    position = checked_position(builder, builder.load(1, builder.dims), bound, False, None if checked is None else len(inputs) - 1)
    value = _source(builder, source, 2, builder.dims)
    builder.store(0, value, replaced(builder.dims, dim, position.at), position.valid, accumulate=kind)
    return builder.finish()
