"""Lowering of cumulative operators: a scan along one dimension of the domain."""

from collections.abc import Sequence

from torch_mlir import ir

from ..emission.kernel_builder import KernelBuilder
from ..emission.promotion import is_float
from ..emission.scalar import Scalar
from .registry import LoweredCall, lowers


def _accumulator(dtype: str) -> str:
    """The dtype in which eager accumulates: double for float, float for half types, the dtype itself for integers."""
    if not is_float(dtype):
        return dtype
    return "float64" if dtype in ("float32", "float64") else "float32"


@lowers("aten.cumsum.default")
def cumsum(call: LoweredCall) -> Sequence[ir.Value] | None:
    """result[i] = self[0] + ... + self[i] along `dim`"""
    return _cumulate(call, "add")


@lowers("aten.cumprod.default")
def cumprod(call: LoweredCall) -> Sequence[ir.Value] | None:
    """result[i] = self[0] * ... * self[i] along `dim`"""
    return _cumulate(call, "mul")


def _cumulate(call: LoweredCall, kind: str) -> Sequence[ir.Value] | None:
    dtype = call.result().dtype
    if dtype == "bool":
        return call.decline("booleans are not summed: ATen raises")
    builder = call.kernel([call["self"]], call.result().sizes)
    value = builder.load(0, builder.dims).to(dtype).to(_accumulator(dtype))
    if builder.dims:
        (value,) = builder.scan(kind, [value], call["dim"])
    if kind == "add" and value.is_float and builder.on_gpu and _is_one_of_several(call):
        value = value + 0.0
    builder.store(0, value, builder.dims)
    return builder.finish()


def _is_one_of_several(call: LoweredCall) -> bool:
    """Whether there are several rows: eager's GPU kernel begins their sums with 0.0, so that none is -0.0; the sums of a single row begin
    with its first element."""
    return any(size != 1 for d, size in enumerate(call.result().sizes) if d != call["dim"])


@lowers("aten.cummax.default")
def cummax(call: LoweredCall) -> Sequence[ir.Value] | None:
    """The largest of self[0], ..., self[i] along `dim` (NaN counts as largest) and its index, the last one of equal elements"""
    return _extreme(call, "max")


@lowers("aten.cummin.default")
def cummin(call: LoweredCall) -> Sequence[ir.Value] | None:
    """The smallest of self[0], ..., self[i] along `dim` (NaN counts as smallest) and its index, the last one of equal elements"""
    return _extreme(call, "min")


def _extreme(call: LoweredCall, kind: str) -> Sequence[ir.Value] | None:
    dtype = call.result().dtype
    if not call.result().rank:
        return call.decline("a tensor without dimensions")
    builder = call.kernel([call["self"]], call.result().sizes)
    value, dim = builder.load(0, builder.dims), call["dim"]
    wide = _ordered(value)
    (extreme,) = builder.scan(kind, [wide], dim)
    coordinate = _last_position(builder, wide, extreme, dim)
    if value.is_float:  # load the value at that index: 0.0 and -0.0 are equal, and the last one counts
        extreme = builder.load(0, [*builder.dims[:dim], builder.index(coordinate), *builder.dims[dim + 1 :]])
    builder.store(0, extreme.to(dtype), builder.dims)
    builder.store(1, coordinate, builder.dims)
    return builder.finish()


def _ordered(value: Scalar) -> Scalar:
    """`value` in a dtype that orders its values by signed comparison; half types as float32."""
    if value.is_float:
        return value if value.dtype == "float64" else value.to("float32")
    return value.to("int64") if value.is_unsigned else value


def _last_position(builder: KernelBuilder, value: Scalar, extreme: Scalar, dim: int) -> Scalar:
    """The last index up to this one at which the value equalled the running extreme."""
    reached = value.eq(extreme) | value.is_nan() if value.is_float else value.eq(extreme)
    (coordinate,) = builder.scan("max", [reached.select(builder.position(builder.dims[dim]), 0)], dim)
    return coordinate
