"""Lowering of softmax and its relatives: one kernel with the row's maximum, its sum and the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from torch_mlir import ir

from ...dialects.dtypes import HALVES
from ..emission.promotion import opmath
from ..emission.scalar import Scalar
from .pointwise import rounded
from .reduction import Reducer
from .reduction_space import ReductionSpace
from .registry import LoweredCall, lowers

# The lanes of eager's vectors of a half type on the CPU: 256 bits (512 with AVX-512).
_LANES_OF_HALVES = 16


def _rows(call: LoweredCall, tensors: Sequence[str], body: Callable[..., Scalar]) -> Sequence[ir.Value]:
    """A kernel over the rows along `dim`. `body` takes an element of each tensor and the reducer, and returns the result's element."""
    inputs = [call[name] for name in tensors]
    space = ReductionSpace.of(call.info(inputs[0]).sizes, call["dim"])
    builder = call.kernel(inputs, space.domain)
    position = space.coordinates(builder)
    values = [builder.load(i, position) for i in range(len(inputs))]
    wide = opmath(call.info(inputs[0]).dtype)
    builder.store(0, body(*[v.to(wide) for v in values], Reducer(builder, space)), position)
    return builder.finish()


def _exponential_as_kept(call: LoweredCall) -> Callable[[Scalar], Scalar]:
    """What becomes of an exponential before it is divided by the sum: for columns that fill no vector, eager's code for half types on the
    CPU keeps it in the result."""
    info = call.info(call["self"])
    if not info.rank or call["dim"] % info.rank == info.rank - 1 or call.result().dtype not in HALVES:
        return lambda value: value
    columns = math.prod(info.sizes[call["dim"] % info.rank + 1 :])
    if isinstance(columns, int):
        return rounded if columns < _LANES_OF_HALVES else lambda value: value
    return lambda value: (value.builder.number(columns) < _LANES_OF_HALVES).select(rounded(value), value)


@lowers("aten._softmax.default")
def _softmax(call: LoweredCall) -> Sequence[ir.Value]:
    """exp(x - max) / sum(exp(x - max))"""

    kept = _exponential_as_kept(call)

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        exponential = (x - reduce("max", x)).math("exp")
        return kept(exponential) / reduce("add", exponential)

    return _rows(call, ["self"], body)


@lowers("aten._safe_softmax.default")
def _safe_softmax(call: LoweredCall) -> Sequence[ir.Value]:
    """softmax; rows of only -inf become 0"""

    kept = _exponential_as_kept(call)

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        largest = reduce("max", x)
        exponential = (x - largest).math("exp")
        return largest.eq(float("-inf")).select(0, kept(exponential) / reduce("add", exponential))

    return _rows(call, ["self"], body)


@lowers("aten._log_softmax.default")
def _log_softmax(call: LoweredCall) -> Sequence[ir.Value]:
    """x - max - log(sum(exp(x - max))); along the last dimension eager on the CPU rounds the sum and its logarithm to half types"""
    rank = call.info(call["self"]).rank
    kept = rounded if rank and call["dim"] % rank == rank - 1 else lambda value: value

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        shifted = x - reduce("max", x)
        return shifted - kept(kept(reduce("add", shifted.math("exp"))).math("log"))

    return _rows(call, ["self"], body)


@lowers("aten._softmax_backward_data.default")
def _softmax_backward(call: LoweredCall) -> Sequence[ir.Value]:
    """(g - sum(g y)) * y"""

    def body(gradient: Scalar, output: Scalar, reduce: Reducer) -> Scalar:
        return (gradient - reduce("add", gradient * output)) * output

    return _rows(call, ["grad_output", "output"], body)


@lowers("aten._log_softmax_backward_data.default")
def _log_softmax_backward(call: LoweredCall) -> Sequence[ir.Value]:
    """g - exp(y) * sum(g)"""

    def body(gradient: Scalar, output: Scalar, reduce: Reducer) -> Scalar:
        return gradient - output.math("exp") * reduce("add", gradient)

    return _rows(call, ["grad_output", "output"], body)
