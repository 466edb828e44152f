"""How index expressions change along dimensions, and whether they depend on data."""

from __future__ import annotations

from .analysis import ExprTree, Kernel


def stride_along(kernel: Kernel, expr: ExprTree, dim: int) -> int | None:
    """The change of an index expression of `kernel` for a step of dimension `dim`, if it is one number; otherwise None."""
    kind = expr[0]
    if kind in ("constant", "symbol"):
        return 0
    if kind == "dim":
        return int(expr[1] == dim)
    if kind == "value":
        return None if kernel.values[expr[1]].deps >> dim & 1 else 0
    left, right = (stride_along(kernel, e, dim) for e in expr[1:])
    if left == 0 and right == 0:
        return 0
    if kind == "add":
        return None if left is None or right is None else left + right
    if kind == "mul" and expr[2][0] == "constant" and left is not None:
        factor: int = expr[2][1]
        return left * factor
    return None


def has_value(expr: ExprTree) -> bool:
    """Whether `expr` contains a computed or loaded value."""
    if expr[0] in ("dim", "symbol", "constant"):
        return False
    return expr[0] == "value" or has_value(expr[1]) or has_value(expr[2])
