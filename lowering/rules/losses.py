"""Lowering of elementwise losses (`reduction="none"`)."""

from ..emission.kernel_builder import KernelBuilder
from ..emission.scalar import Scalar
from .pointwise import pointwise


@pointwise("aten.binary_cross_entropy.default")
def binary_cross_entropy(self: Scalar, target: Scalar, weight: Scalar | None, *, builder: KernelBuilder) -> Scalar:
    """w ((y - 1) max(log1p(-x), -100) - y max(log(x), -100)) without reduction; x and y are in [0, 1]"""
    builder.check((self >= 0) & (self <= 1) & (target >= 0) & (target <= 1), "range")
    loss = (target - 1) * (-self).math("log1p").maximum(-100) - target * self.math("log").maximum(-100)
    return loss if weight is None else loss * weight
