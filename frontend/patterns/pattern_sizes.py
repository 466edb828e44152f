"""Two sets of distinct sizes for a pattern's inputs, chosen so that no size is computed from others by accident.

A function that runs once with each set computes with plain numbers, which is cheap. Comparing the two runs shows the meaning of a number:
a number that is equal in both is constant; any other is a product of sizes, or unknown.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import torch

from ...dialects import aten
from ...dialects.aten import Size

# Primes, and twice other primes: no sum, half or remainder of sizes is a product of sizes in both variants.
_FIRST = (1009, 1049, 1093, 1151, 1201, 1249, 1297, 1361, 1427, 1459, 1499, 1559, 1607, 1657, 1709, 1759)
_SECOND = (1202, 1186, 1286, 1042, 1094, 1082, 1046, 1138, 1006, 1142, 1126, 1018, 1174, 1154, 1402, 1238)


class Unusual(Exception):
    """Something that a recording can't show: the functions must be traced."""


class Sizes:
    """The sizes of the examples. 0 and 1 stay; every other size is distinct until `join` makes two equal. `baked`: all sizes stay."""

    def __init__(self, examples: Sequence[torch.Tensor], baked: bool) -> None:
        self.examples: list[int] = []
        self.joined = 0
        self._parents: list[int] = []
        self.dims = [[size if baked or size < 2 else self._new(size) for size in example.shape] for example in examples]
        self._free = [[not baked and size >= 2 for size in example.shape] for example in examples]

    def _new(self, size: int) -> int:
        number = len(self._parents)
        if number == len(_FIRST):
            raise Unusual("many sizes")
        self.examples.append(size)
        self._parents.append(number)
        return number

    def _root(self, number: int) -> int:
        while self._parents[number] != number:
            number = self._parents[number]
        return number

    def shapes(self, second: bool) -> list[tuple[int, ...]]:
        """The shapes of the inputs."""
        values = _SECOND if second else _FIRST
        return [
            tuple(values[self._root(d)] if free else d for d, free in zip(dims, frees, strict=True))
            for dims, frees in zip(self.dims, self._free, strict=True)
        ]

    def join(self, one: int, other: int) -> bool:
        """Records that two sizes of the first set must be equal; returns whether they were made equal."""
        if one not in _FIRST or other not in _FIRST:
            return False
        a, b = sorted((_FIRST.index(one), _FIRST.index(other)))
        if a == b or b >= len(self.examples) or self.examples[a] != self.examples[b]:
            return False
        self._parents[b] = a
        self.joined += 1
        return True

    def read(self, first: int, second: int) -> tuple[int, tuple[int, ...]]:
        """The meaning of a number that is `first` in the first run and `second` in the second: a factor, and the sizes that it multiplies.
        Raises Unusual."""
        if first == second:
            return first, ()
        found: list[int] = []
        for number in range(len(self.examples)):
            while first and first % _FIRST[number] == 0 and second % _SECOND[number] == 0:
                first, second = first // _FIRST[number], second // _SECOND[number]
                found.append(number)
        if first != second:
            raise Unusual("a size that is no product of sizes")
        return first, tuple(found)

    def size(self, first: int, second: int) -> Size:
        """The number as a size, once all equal sizes are known."""
        factor, numbers = self.read(first, second)
        return factor * math.prod(self._symbols[n] for n in numbers) if numbers else factor

    @functools.cached_property
    def _symbols(self) -> dict[int, Any]:
        roots = [n for n, parent in enumerate(self._parents) if n == parent]
        return {n: aten.symbol(f"s{place}") for place, n in enumerate(roots)}

    def named(self) -> dict[str, int]:
        """The examples by the name of the symbol."""
        return {symbol.name: self.examples[n] for n, symbol in self._symbols.items()}

    def example(self, first: int, second: int) -> int:
        """The value of the number for the examples' sizes."""
        factor, numbers = self.read(first, second)
        return factor * math.prod(self.examples[n] for n in numbers)
