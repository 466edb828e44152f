"""Lowering of elementwise losses (`reduction="none"`)."""

from ..emission.kernel_builder import KernelBuilder
from ..emission.scalar import Scalar
from .pointwise import pointwise, rounded


@pointwise("aten.binary_cross_entropy.default")
def binary_cross_entropy(self: Scalar, target: Scalar, weight: Scalar | None, *, builder: KernelBuilder) -> Scalar:
    """w ((y - 1) max(log1p(-x), -100) - y max(log(x), -100)) without reduction; x and y are in [0, 1]. Half types are rounded at each
    step on the CPU."""
    builder.check((self >= 0) & (self <= 1) & (target >= 0) & (target <= 1), "range")
    zeros = rounded(rounded(target - 1) * rounded((-self).math("log1p")).maximum(-100))
    loss = zeros - rounded(target * rounded(self.math("log")).maximum(-100))
    return loss if weight is None else rounded(loss) * weight
