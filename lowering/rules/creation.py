"""Lowering of casts, copies, constants and sequences."""

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.narrowing import function_of
from ..emission.kernel_builder import KernelBuilder
from ..emission.promotion import is_float, opmath, round_float
from ..emission.scalar import Scalar
from .pointwise import pointwise
from .registry import LoweredCall, lowers


@pointwise("aten._to_copy.default", "aten.clone.default", "aten.lift_fresh_copy.default", raw=("self",))
def copy(self: Scalar) -> Scalar:
    """self in the result's dtype and layout"""
    return self


@pointwise("prims.convert_element_type.default", raw=("a",))
def convert_element_type(a: Scalar) -> Scalar:
    """a in the result's dtype"""
    return a


@pointwise("aten.copy.default", raw=("src",))
def copy_from(src: Scalar) -> Scalar:
    """src, broadcast and cast to the result"""
    return src


@pointwise("aten.fill.Tensor", raw=("value",))
def fill_tensor(value: Scalar) -> Scalar:
    """One value everywhere"""
    return value


def _filled(builder: KernelBuilder, value: Any) -> Scalar:
    dtype = builder.output_infos[0].dtype
    return builder.constant(value, dtype) if isinstance(value, (bool, int, float)) else builder.number(value).to(dtype)


@pointwise("aten.fill.Scalar")
def fill(*, value: Any, builder: KernelBuilder) -> Scalar:
    """One value everywhere"""
    return _filled(builder, value)


@pointwise("aten.full.default", "aten.full_like.default", "aten.new_full.default")
def full(*, fill_value: Any, builder: KernelBuilder) -> Scalar:
    """One value everywhere"""
    return _filled(builder, fill_value)


@pointwise("aten.scalar_tensor.default")
def scalar_tensor(*, s: Any, builder: KernelBuilder) -> Scalar:
    """A number as a tensor without dimensions"""
    return _filled(builder, s)


@pointwise("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default", "aten._efficientzerotensor.default")
def zeros(*, builder: KernelBuilder) -> Scalar:
    """0 everywhere"""
    return _filled(builder, 0)


@pointwise("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def ones(*, builder: KernelBuilder) -> Scalar:
    """1 everywhere"""
    return _filled(builder, 1)


@lowers(
    "aten.empty.memory_format", "aten.empty_like.default", "aten.new_empty.default", "aten.empty_strided.default",
    "aten.new_empty_strided.default", "aten.empty_permuted.default",
)  # fmt: skip
def empty(call: LoweredCall) -> Sequence[ir.Value] | None:
    """Zeros, for any values will do; fusion removes them if they are overwritten. With deterministic algorithms ATen fills the tensor."""
    if "aten.deterministic" in function_of(call.op).attributes:
        return call.decline("deterministic algorithms fill uninitialized memory")
    builder = call.kernel([], call.result().sizes)
    builder.store(0, _filled(builder, 0), builder.dims)
    return builder.finish()


@pointwise("aten.arange.start_step")
def arange(*, start: Any, step: Any, builder: KernelBuilder) -> Scalar:
    """start + i * step, in int64 or float64"""
    return _sequence(builder, start, step)


@pointwise("aten.arange.default")
def arange_from_zero(*, builder: KernelBuilder) -> Scalar:
    """i"""
    return _sequence(builder, 0, 1)


@pointwise("aten.arange.start")
def arange_from(*, start: Any, builder: KernelBuilder) -> Scalar:
    """start + i"""
    return _sequence(builder, start, 1)


@pointwise("prims.iota.default")
def iota(*, start: Any, step: Any, builder: KernelBuilder) -> Scalar:
    """start + i * step"""
    return _sequence(builder, start, step)


def _sequence(builder: KernelBuilder, start: Any, step: Any) -> Scalar:
    wide = "float64" if is_float(builder.output_infos[0].dtype) else "int64"
    position = builder.position(builder.dims[0], wide)
    return position * _number(builder, step, wide) + _number(builder, start, wide)


def _number(builder: KernelBuilder, value: Any, dtype: str) -> Scalar:
    return builder.constant(value, dtype) if isinstance(value, (bool, int, float)) else builder.number(value).to(dtype)


@pointwise("aten.linspace.default")
def linspace(*, start: float, end: float, steps: int, builder: KernelBuilder, call: LoweredCall) -> Scalar | None:
    """As eager: the first half is counted up from start, the second half down from end. Half types are rounded at each step"""
    dtype = builder.output_infos[0].dtype
    if not is_float(dtype) or not all(isinstance(v, (int, float)) for v in (start, end, steps)):
        return call.decline("linspace of integers, or with symbolic ends or size")
    first, last = (round_float(float(value), dtype) for value in (start, end))
    step = _step(first, last, steps, dtype)
    i = builder.position(builder.dims[0], "int64")
    up, down = _from(first, i, step, dtype), _from(last, i.like(steps - 1) - i, -step, dtype)
    return (i < max(steps // 2, 1)).select(up, down)


def _step(first: float, last: float, steps: int, dtype: str) -> float:
    """The distance of two elements, computed in `dtype`."""
    return round_float(round_float(last - first, dtype) / round_float(float(steps - 1), dtype), dtype) if steps > 1 else 0.0


def _from(end: float, count: Scalar, step: float, dtype: str) -> Scalar:
    """end + count * step. Of half types the count, the product and the sum are rounded, of others the sum alone."""
    wide = opmath(dtype)
    if wide == dtype:
        return count.to(dtype).fma(step, end)
    return (count.to(dtype).to(wide) * step).to(dtype).to(wide) + end


@pointwise("aten.eye.default", "aten.eye.m")
def eye(*, builder: KernelBuilder) -> Scalar:
    """1 on the diagonal"""
    row, column = (builder.position(d) for d in builder.dims)
    return row.eq(column)


@pointwise("aten.tril.default", promotion="copy")
def tril(self: Scalar, *, diagonal: int, builder: KernelBuilder) -> Scalar:
    """self at and below a diagonal; 0 above"""
    return _above(builder, diagonal).select(self.like(0), self)


@pointwise("aten.triu.default", promotion="copy")
def triu(self: Scalar, *, diagonal: int, builder: KernelBuilder) -> Scalar:
    """self at and above a diagonal; 0 below"""
    return _above(builder, diagonal - 1).select(self, 0)


def _above(builder: KernelBuilder, diagonal: Any) -> Scalar:
    """Whether column - row > diagonal."""
    row, column = builder.position(builder.dims[-2]), builder.position(builder.dims[-1])
    return column - row > _number(builder, diagonal, "int64")
