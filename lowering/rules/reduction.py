"""Lowering of reductions: sums, products, extremes, logic, moments, norms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.aten import Size
from ..emission.kernel_builder import KernelBuilder
from ..emission.promotion import accumulator, is_float, opmath
from ..emission.scalar import Scalar
from .arithmetic import quotient
from .reduction_space import ReductionSpace, is_in_order
from .registry import LoweredCall, lowers

# A function from the loaded value and a `Reducer` to the results.
ReductionBody = Callable[[Scalar, "Reducer"], Scalar | tuple[Scalar, ...]]


# The reason why an extreme stays a call of ATen, which raises.
NOTHING = "an extreme of no elements"


class Reducer:
    """The operations of a reduction's body: reductions over the reduced dimensions, and the number of reduced elements."""

    def __init__(self, builder: KernelBuilder, space: ReductionSpace):
        self.builder, self.space = builder, space

    def __call__(self, kind: str, value: Scalar) -> Scalar:
        """The reduction `kind` of `value`."""
        return self.builder.reduce(kind, [value], self.space.reduced)[0]

    def pair(self, kind: str, value: Scalar) -> tuple[Scalar, Scalar]:
        """argmax or argmin: the extreme value and its position."""
        best, index = self.builder.reduce(kind, [value, self.space.linear_position(self.builder)], self.space.reduced)
        return best, index

    def first_zero(self, value: Scalar) -> Scalar:
        """Of elements that are 0.0 or -0.0, the one that is first in memory; 0.0 if there is none. There are less than 2 ** 29 elements."""
        address = self.space.linear_position(self.builder, self.builder.input_infos[0].strides)
        key = address.to("int64" if value.dtype == "float64" else "int32") * 2
        negative = value.like(1).math("copysign", value) < 0
        first = self("min", value.eq(0).select(negative.select(key + 1, key), 1 << 30))
        return (first & 1).ne(0).select(value.like(-0.0), value.like(0.0))

    def moments(self, value: Scalar) -> tuple[Scalar, Scalar]:
        """The mean, and the sum of squared differences from it."""
        mean, squares = self.builder.reduce("welford", [value], self.space.reduced)
        return mean, squares

    def count(self, dtype: str) -> Scalar:
        """The number of elements that are reduced to one."""
        return self.builder.number(self.space.count, dtype)


def reduce_call(call: LoweredCall, body: ReductionBody) -> Sequence[ir.Value]:
    """Makes one kernel for an operator with arguments self, dim (None or empty: all dimensions) and keepdim."""
    arguments = call.arguments
    x = arguments["self"]
    space = ReductionSpace.of(call.info(x).sizes, arguments.get("dim"))
    builder = call.kernel([x], space.domain)
    values = body(builder.load(0, space.coordinates(builder)), Reducer(builder, space))
    position = space.result_coordinates(builder, bool(arguments.get("keepdim")))
    for number, value in enumerate(values if isinstance(values, tuple) else (values,)):
        builder.store(number, value, position)
    return builder.finish()


def _reduction(*names: str) -> Callable[[ReductionBody], ReductionBody]:
    """Registers a body for operators that `reduce_call` can lower."""

    def register(body: ReductionBody) -> ReductionBody:
        lowers(*names)(lambda call: reduce_call(call, body))
        return body

    return register


def _extreme_reduction(*names: str) -> Callable[[ReductionBody], ReductionBody]:
    """As `_reduction`, for extremes: they have no value if there are no elements, so the rule declines and ATen raises."""

    def register(body: ReductionBody) -> ReductionBody:
        def rule(call: LoweredCall) -> Sequence[ir.Value] | None:
            return call.decline(NOTHING) if _may_be_empty(call) else reduce_call(call, body)

        lowers(*names)(rule)
        return body

    return register


def _may_be_empty(call: LoweredCall) -> bool:
    """Whether a result element may be reduced from no elements."""
    return not call.is_at_least(_reduced_count(call), 1)


def _reduced_count(call: LoweredCall) -> Size:
    """The number of elements that are reduced to one."""
    return ReductionSpace.of(call.info(call["self"]).sizes, call.arguments.get("dim")).count


def _result_dtype(reduce: Reducer) -> str:
    return reduce.builder.output_infos[0].dtype


def _as_result(value: Scalar, reduce: Reducer) -> Scalar:
    """The value rounded to the result's dtype, then widened to the accumulator's."""
    dtype = _result_dtype(reduce)
    return value.to(dtype).to(accumulator(dtype))


@_reduction("aten.sum.default", "aten.sum.dim_IntList")
def _sum(x: Scalar, reduce: Reducer) -> Scalar:
    """The sum; bool and integers are summed in int64"""
    return reduce("add", _as_result(x, reduce))


@_reduction("aten.mean.default", "aten.mean.dim")
def _mean(x: Scalar, reduce: Reducer) -> Scalar:
    """The sum divided by the count; half types are rounded once"""
    total = reduce("add", x.to(accumulator(_result_dtype(reduce))))
    return quotient(total, reduce.count(total.dtype))


@_reduction("aten.prod.default", "aten.prod.dim_int")
def _product(x: Scalar, reduce: Reducer) -> Scalar:
    """The product"""
    return reduce("mul", _as_result(x, reduce))


def _extreme(x: Scalar, reduce: Reducer, largest: bool) -> Scalar:
    if x.dtype == "bool":
        return reduce("or" if largest else "and", x)
    kind = "max" if largest else "min"
    return reduce(kind + "u" if x.is_unsigned else kind, x.to(opmath(x.dtype)))


def _first_extreme(x: Scalar, reduce: Reducer, largest: bool) -> Scalar:
    """As `_extreme`, but of zeros of both signs the first one, where eager's kernel compares one element after the other."""
    builder = reduce.builder
    extreme = _extreme(x, reduce, largest)
    if not is_float(x.dtype) or builder.on_gpu or not is_in_order(builder.input_infos[0], reduce.space):
        return extreme
    return extreme.eq(0).select(reduce.first_zero(x.to(opmath(x.dtype))), extreme)


@_extreme_reduction("aten.max.default")
def _max_of_all(x: Scalar, reduce: Reducer) -> Scalar:
    """The largest element; NaN if there is one"""
    return _extreme(x, reduce, largest=True)


@_extreme_reduction("aten.min.default")
def _min_of_all(x: Scalar, reduce: Reducer) -> Scalar:
    """The smallest element; NaN if there is one"""
    return _extreme(x, reduce, largest=False)


@_extreme_reduction("aten.amax.default")
def _amax(x: Scalar, reduce: Reducer) -> Scalar:
    """The largest element; NaN if there is one"""
    return _first_extreme(x, reduce, largest=True)


@_extreme_reduction("aten.amin.default")
def _amin(x: Scalar, reduce: Reducer) -> Scalar:
    """The smallest element; NaN if there is one"""
    return _first_extreme(x, reduce, largest=False)


@_extreme_reduction("aten.aminmax.default")
def _aminmax(x: Scalar, reduce: Reducer) -> tuple[Scalar, Scalar]:
    """The smallest and the largest element"""
    return _extreme(x, reduce, largest=False), _extreme(x, reduce, largest=True)


def _located(x: Scalar, reduce: Reducer, kind: str) -> tuple[Scalar, Scalar]:
    wide = "int16" if x.is_unsigned else opmath(x.dtype)
    return reduce.pair(kind, x.to(wide))


@_extreme_reduction("aten.max.dim")
def _max_dim(x: Scalar, reduce: Reducer) -> tuple[Scalar, Scalar]:
    """The largest element and its first position"""
    return _located(x, reduce, "argmax")


@_extreme_reduction("aten.min.dim")
def _min_dim(x: Scalar, reduce: Reducer) -> tuple[Scalar, Scalar]:
    """The smallest element and its first position"""
    return _located(x, reduce, "argmin")


@_extreme_reduction("aten.argmax.default")
def _argmax(x: Scalar, reduce: Reducer) -> Scalar:
    """The first position of the largest element"""
    return _located(x, reduce, "argmax")[1]


@_extreme_reduction("aten.argmin.default")
def _argmin(x: Scalar, reduce: Reducer) -> Scalar:
    """The first position of the smallest element"""
    return _located(x, reduce, "argmin")[1]


@_reduction("aten.any.default", "aten.any.dim", "aten.any.dims")
def _any(x: Scalar, reduce: Reducer) -> Scalar:
    """Whether any element is nonzero"""
    return reduce("or", x.to("bool"))


@_reduction("aten.all.default", "aten.all.dim", "aten.all.dims")
def _all(x: Scalar, reduce: Reducer) -> Scalar:
    """Whether all elements are nonzero"""
    return reduce("and", x.to("bool"))


@_reduction("aten.count_nonzero.default", "aten.count_nonzero.dim_IntList")
def _count_nonzero(x: Scalar, reduce: Reducer) -> Scalar:
    """The number of nonzero elements"""
    return reduce("add", x.to("bool").to("int64"))


def _variance(x: Scalar, reduce: Reducer, correction: Any) -> tuple[Scalar, Scalar]:
    """Variance and mean. The sum of squared differences is divided by max(count - correction, 0). On the CPU it is accumulated in
    float64."""
    wide = opmath(x.dtype) if reduce.builder.on_gpu else "float64"
    mean, squares = reduce.moments(x.to(wide))
    divisor = (reduce.count(mean.dtype) - (1.0 if correction is None else correction)).maximum(0.0)
    return squares / divisor, mean


@lowers("aten.var.correction", "aten.std.correction")
def _var(call: LoweredCall) -> Sequence[ir.Value]:
    """The variance, or its square root"""
    root = call.short_name == "std"

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        variance = _variance(x, reduce, call["correction"])[0]
        return variance.math("sqrt") if root else variance

    return reduce_call(call, body)


@lowers("aten.var_mean.correction", "aten.std_mean.correction")
def _var_mean(call: LoweredCall) -> Sequence[ir.Value]:
    """The variance, or its square root, and the mean"""
    root = call.short_name == "std_mean"

    def body(x: Scalar, reduce: Reducer) -> tuple[Scalar, Scalar]:
        variance, mean = _variance(x, reduce, call["correction"])
        return variance.math("sqrt") if root else variance, mean

    return reduce_call(call, body)


@lowers("aten.linalg_vector_norm.default")
def _vector_norm(call: LoweredCall) -> Sequence[ir.Value] | None:
    """(sum |x| ** ord) ** (1 / ord); for ord inf or -inf the largest or smallest |x|, for ord 0 the number of nonzero elements. As in
    eager, the norm of one element is its |x|, unless ord is 0: its power may overflow."""
    if not isinstance(call["ord"], (int, float)):
        return call.decline("a norm whose order is an argument of the graph")
    order = float(call["ord"])
    if math.isnan(order):
        return call.decline("a norm of order NaN")
    if (math.isinf(order) or order < 0) and _may_be_empty(call):
        return call.decline(NOTHING)
    count = _reduced_count(call)
    several = call.is_at_least(count, 2)

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        size = _as_result(x, reduce).abs()
        if count == 1 and order != 0:
            return reduce("max", size)
        norm = _norm(size, reduce, order)
        if several or order == 0 or math.isinf(order):
            return norm
        return reduce.count("int64").eq(1).select(reduce("max", size), norm)

    return reduce_call(call, body)


def _norm(size: Scalar, reduce: Reducer, order: float) -> Scalar:
    if math.isinf(order):
        return reduce("max" if order > 0 else "min", size)
    if order == 0:
        return reduce("add", size.to("bool").to(size.dtype))
    if order == 1:
        return reduce("add", size)
    if order == 2:
        return reduce("add", size * size).math("sqrt")
    power = reduce("add", size.math("powf", order))
    return power.math("powf", 1 / order)


@_reduction("aten.logsumexp.default")
def _logsumexp(x: Scalar, reduce: Reducer) -> Scalar:
    """log(sum(exp(x - m))) + m, where m is the largest element if that is finite, else 0"""
    x = x.to(opmath(_result_dtype(reduce)))
    largest = reduce("max", x)
    shift = largest.abs().eq(math.inf).select(0, largest)
    return reduce("add", (x - shift).math("exp")).math("log") + shift


@_reduction("aten.nansum.default")
def _nansum(x: Scalar, reduce: Reducer) -> Scalar:
    """The sum of the elements that are not NaN"""
    value = _as_result(x, reduce)
    return reduce("add", value.is_nan().select(0, value) if is_float(value.dtype) else value)
