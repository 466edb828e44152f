"""Conditions that a graph must fulfil to contain a pattern: a cheap test before a pattern is traced, parsed or searched."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from torch_mlir import ir

from ....dialects.narrowing import AnyOp

_SEARCH = re.compile(r"func\.func @search\(.*?\n  }", re.DOTALL)
_CALL = re.compile(r'^ *(?:(%\w+)(?::\d+)? = )?"([\w.]+)"\(([^)]*)\)', re.MULTILINE)
_VALUE = re.compile(r"%\w+")
NUMBER = "aten.number"
# A float in a tensor's position, in decimal.
_FLOAT = re.compile(rf'(%\w+) = "{NUMBER}"\(\) {{value = ([-+.e\d]+) : f64}}')


# An op by its name, or by its name and a number that is one of its operands.
Maker = str | tuple[str, float]


@dataclass(frozen=True)
class Needs:
    """Ops, and pairs of them: a result of the first is an operand of the second."""

    operators: frozenset[Maker] = frozenset()
    links: frozenset[tuple[Maker, str]] = frozenset()

    def met_by(self, graph: Present) -> bool:
        """Whether a graph has all of them."""
        return self.operators <= graph.operators and self.links <= graph.links

    def without_numbers(self) -> Needs:
        """The same conditions without those on numbers."""
        links = frozenset(link for link in self.links if isinstance(link[0], str))
        return Needs(frozenset(o for o in self.operators if isinstance(o, str)), links)


class Present:
    """The ops of a function's block, and the pairs of producer and user."""

    def __init__(self, block: ir.Block) -> None:
        self._operations = [op.operation for op in block.operations]

    @functools.cached_property
    def operators(self) -> set[Maker]:
        return {maker for op in self._operations for maker in self._makers(op)}

    @functools.cached_property
    def links(self) -> set[tuple[Maker, str]]:
        found: set[tuple[Maker, str]] = set()
        for op in self._operations:
            name = op.name
            found.update((maker, name) for v in op.operands if isinstance(v, ir.OpResult) for maker in self._makers(v.owner))
        return found

    def _makers(self, op: AnyOp) -> list[Maker]:
        name = op.name
        return [name, *((name, self._numbers[v]) for v in op.operands if v in self._numbers)]

    @functools.cached_property
    def _numbers(self) -> dict[ir.Value, float]:
        """The floats in tensors' positions."""
        numbers = ((op.result, op.attributes["value"]) for op in self._operations if op.name == NUMBER)
        return {result: number.value for result, number in numbers if isinstance(number, ir.FloatAttr)}


def needs_of(text: str) -> Needs:
    """The needs of the search function in a pattern's text."""
    search = _SEARCH.search(text)
    assert search is not None, text[:200]
    numbers = {result: float(number) for result, number in _FLOAT.findall(search.group())}
    made: dict[str, list[Maker]] = {}
    links: set[tuple[Maker, str]] = set()
    for result, name, operands in _CALL.findall(search.group()):
        values = _VALUE.findall(operands)
        links.update((maker, name) for v in values for maker in made.get(v, ()))
        made[result] = [name, *((name, numbers[v]) for v in values if v in numbers)]
    return Needs(frozenset(maker for makers in made.values() for maker in makers), frozenset(links))
