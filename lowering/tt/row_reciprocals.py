"""Row reciprocals: points of a row divided by one number of the row, as a product with its reciprocal and a correction.

A division of f32 takes 16 instructions and a branch for each point. Here the reciprocal is computed once. The product's remainder, exact
thanks to `fma`, corrects it: before rounding the result is off by less than 2^-22 of a last place, so one quotient in millions may be
rounded the other way (Markstein, 1990). Quotients below 2^-100, whose remainders are too small for f32, may be off by one last place.
"""

from __future__ import annotations

from torch_mlir import ir

from ..kernel.analysis import Kernel, Node
from .builder import Builder, Val
from .combine import OEQ, OLT

TINY, LARGE = 2.0**-64, 2.0**64  # below TINY the reciprocal could be infinite: both operands are multiplied by LARGE


def is_by_row(kernel: Kernel, node: Node) -> bool:
    """Whether `node` divides, in f32, a value that differs between points of a row by one computed from a reduction of the row."""
    if node.name != "arith.divf" or not isinstance(kernel.values[node.results[0]].type, ir.F32Type):
        return False
    value, divisor = (kernel.values[i] for i in node.operands)
    by = divisor.producer
    return bool(
        value.deps & kernel.reduction_dims and not divisor.deps & kernel.reduction_dims and by and (by.phase or by.name == "loop.reduce")
    )


def divide_by_row_value(b: Builder, value: Val, divisor: Val) -> Val:
    """value / divisor; computes once what depends on the divisor alone."""
    number, f32 = b.number, value.type
    sign = b.select(b.compare(OLT, divisor, number(0.0, f32)), number(-1.0, f32), number(1.0, f32))
    size = b.elementwise("math.absf", [divisor], f32)
    scale = b.binary("mulf", sign, b.select(b.compare(OLT, size, number(TINY, f32)), number(LARGE, f32), number(1.0, f32)))
    divisor = b.binary("mulf", divisor, scale)  # not negative, so that the sign of a zero is right
    reciprocal = b.elementwise("tt.precise_divf", [number(1.0, f32), divisor], f32)
    minus = b.binary("subf", number(-0.0, f32), reciprocal)
    value = b.binary("mulf", value, scale)
    product = b.binary("mulf", value, reciprocal)
    above = b.elementwise("math.fma", [product, divisor, b.binary("subf", number(-0.0, f32), value)], f32)
    corrected = b.elementwise("math.fma", [above, minus, product], f32)
    return b.select(b.compare(OEQ, corrected, corrected), corrected, product)  # the correction of an infinity is NaN
