"""What a symbolic size is at least, by the ranges of its symbols."""

from __future__ import annotations

import math

from torch_mlir import ir

from .aten import Size, size_of


def lowest_size(size: Size, function: ir.OpView) -> float:
    """A number that `size` is surely not below, -inf where none is known; from the function's `aten.symbols`."""
    lowest = {entry.name: int(size_of(entry.attr[0])) for entry in function.attributes.get("aten.symbols", ())}

    def bound(part: Size) -> float:
        if isinstance(part, int) or part.is_Integer:
            return int(part)
        if part.is_Symbol:
            return lowest.get(part.name, -math.inf)
        bounds = [bound(p) for p in part.args]
        if part.is_Add:
            return sum(bounds)
        return math.prod(bounds) if part.is_Mul and min(bounds) >= 0 else -math.inf

    return bound(size)
