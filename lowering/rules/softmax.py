"""Lowering of softmax and its relatives: one kernel with the row's maximum, its sum and the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch_mlir import ir

from ..emission.promotion import opmath
from ..emission.scalar import Scalar
from .pointwise import rounded
from .reduction import Reducer
from .reduction_space import ReductionSpace
from .registry import Call, lowers


def _rows(call: Call, tensors: Sequence[str], body: Callable[..., Scalar]) -> Sequence[ir.Value]:
    """A kernel over the rows along `dim`. `body` takes an element of each tensor and the reducer, and returns the result's element."""
    inputs = [call[name] for name in tensors]
    space = ReductionSpace.of(call.info(inputs[0]).sizes, call["dim"])
    builder = call.kernel(inputs, space.domain)
    position = space.coordinates(builder)
    values = [builder.load(i, position) for i in range(len(inputs))]
    wide = opmath(call.info(inputs[0]).dtype)
    builder.store(0, body(*[v.to(wide) for v in values], Reducer(builder, space)), position)
    return builder.finish()


@lowers("aten._softmax.default")
def _softmax(call: Call) -> Sequence[ir.Value]:
    """exp(x - max) / sum(exp(x - max))"""

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        exponential = (x - reduce("max", x)).math("exp")
        return exponential / reduce("add", exponential)

    return _rows(call, ["self"], body)


@lowers("aten._safe_softmax.default")
def _safe_softmax(call: Call) -> Sequence[ir.Value]:
    """softmax; rows of only -inf become 0"""

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        largest = reduce("max", x)
        exponential = (x - largest).math("exp")
        return largest.eq(float("-inf")).select(0, exponential / reduce("add", exponential))

    return _rows(call, ["self"], body)


@lowers("aten._log_softmax.default")
def _log_softmax(call: Call) -> Sequence[ir.Value]:
    """x - max - log(sum(exp(x - max))); along the last dimension eager on the CPU rounds the sum and its logarithm to half types"""
    rank = call.info(call["self"]).rank
    kept = rounded if rank and call["dim"] % rank == rank - 1 else lambda value: value

    def body(x: Scalar, reduce: Reducer) -> Scalar:
        shifted = x - reduce("max", x)
        return shifted - kept(kept(reduce("add", shifted.math("exp"))).math("log"))

    return _rows(call, ["self"], body)


@lowers("aten._softmax_backward_data.default")
def _softmax_backward(call: Call) -> Sequence[ir.Value]:
    """(g - sum(g y)) * y"""

    def body(gradient: Scalar, output: Scalar, reduce: Reducer) -> Scalar:
        return (gradient - reduce("add", gradient * output)) * output

    return _rows(call, ["grad_output", "output"], body)


@lowers("aten._log_softmax_backward_data.default")
def _log_softmax_backward(call: Call) -> Sequence[ir.Value]:
    """g - exp(y) * sum(g)"""

    def body(gradient: Scalar, output: Scalar, reduce: Reducer) -> Scalar:
        return gradient - output.math("exp") * reduce("add", gradient)

    return _rows(call, ["grad_output", "output"], body)
