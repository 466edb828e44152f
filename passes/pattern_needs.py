"""What a graph must have for a pattern to be in it: a cheap first look, before a pattern is traced, parsed or searched for."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from torch_mlir import ir

_SEARCH = re.compile(r"func\.func @search\(.*?\n  }", re.DOTALL)
_CALL = re.compile(r'^ *(?:(%\w+)(?::\d+)? = )?"([\w.]+)"\(([^)]*)\)', re.MULTILINE)
_VALUE = re.compile(r"%\w+")


@dataclass(frozen=True)
class Needs:
    """Op names, and pairs of them: a result of the first is an operand of the second."""

    operators: frozenset[str] = frozenset()
    links: frozenset[tuple[str, str]] = frozenset()

    def met_by(self, graph: Present) -> bool:
        """Whether a graph has all of it."""
        return self.operators <= graph.operators and self.links <= graph.links


class Present:
    """What the block of a function has."""

    def __init__(self, block: ir.Block) -> None:
        self._operations = [op.operation for op in block.operations]

    @functools.cached_property
    def operators(self) -> set[str]:
        return {op.name for op in self._operations}

    @functools.cached_property
    def links(self) -> set[tuple[str, str]]:
        found: set[tuple[str, str]] = set()
        for op in self._operations:
            name = op.name
            found.update((v.owner.name, name) for v in op.operands if isinstance(v, ir.OpResult))
        return found


def needs_of(text: str) -> Needs:
    """What the search function in a pattern's text needs."""
    search = _SEARCH.search(text)
    assert search is not None, text[:200]
    made: dict[str, str] = {}
    links: set[tuple[str, str]] = set()
    for result, name, operands in _CALL.findall(search.group()):
        links.update((made[v], name) for v in _VALUE.findall(operands) if v in made)
        made[result] = name
    return Needs(frozenset(made.values()), frozenset(links))
