"""The values of a graph's symbols while it was traced, from which sizes are estimated."""

from __future__ import annotations

from collections.abc import Mapping

from .aten import Size, size_of
from .narrowing import AnyOp, array, named_entries

Hints = Mapping[str, int]


def size_hints(function: AnyOp) -> Hints:
    """The values by name, from the function's `aten.symbols`."""
    return {entry.name: int(size_of(array(entry.attr)[2])) for entry in named_entries(function, "aten.symbols")}


def evaluated(size: Size, hints: Hints) -> int:
    """A size for these values of the symbols; a symbol without a value counts as 1."""
    return size if isinstance(size, int) else int(size.xreplace({s: hints.get(s.name, 1) for s in size.free_symbols}))
