"""The values that the symbols of a graph had while it was traced: what sizes are guessed by."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from .aten import Size, size_of

Hints = Mapping[str, int]


def size_hints(function: ir.OpView) -> Hints:
    """The values by name, from the function's `aten.symbols`."""
    return {entry.name: int(size_of(entry.attr[2])) for entry in function.attributes.get("aten.symbols", ())}


def evaluated(size: Size, hints: Hints) -> int:
    """A size, for symbols of these values; of one without a value 1 is assumed."""
    return size if isinstance(size, int) else int(size.xreplace({s: hints.get(s.name, 1) for s in size.free_symbols}))
