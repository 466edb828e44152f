"""The order of collectives: the same on all ranks, each start as early and each wait as late as the graph allows.

`_c10d_functional` operators start a collective, which runs beside the graph until `wait_tensor` of the result. Ranks that start collectives
in different orders block each other for ever. So starts keep the order of the traced graph, whatever kernels a rank has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from ...dialects import aten_ops
from ...dialects.narrowing import AnyOp
from ...passes.analysis.alias_analysis import is_wait

Element = TypeVar("Element")
# `_dtensor` operators run a collective to its end.
_NAMESPACES = frozenset({"_c10d_functional", "_c10d_functional_autograd", "c10d_functional", "symm_mem", "_dtensor"})


def is_start(op: AnyOp) -> bool:
    """Whether an operation starts a collective."""
    return aten_ops.is_operator(op) and aten_ops.schema(op).name.partition(".")[0] in _NAMESPACES and not is_wait(op)


def overlapped(
    order: Sequence[Element],
    before: Mapping[Element, Collection[Element]],
    starts: Callable[[Element], bool],
    waits: Callable[[Element], bool],
) -> list[Element]:
    """A topological order with each start directly after what it needs, and each wait directly before what needs it.

    `order`: a topological order; `before`: what each element needs. An element that a start does not need moves from before that start to
    behind it, but not past what the next start needs: it is delayed by at most one collective."""
    number = {element: n for n, element in enumerate(order)}
    found: dict[Element, None] = {}

    def add(elements: Collection[Element]) -> None:
        for element in sorted(elements, key=number.__getitem__):
            if element not in found:
                add([b for b in before.get(element, ()) if waits(b)])
                found[element] = None

    def add_work(elements: Collection[Element]) -> None:
        add([e for e in elements if not waits(e)])

    begin = 0
    for start in filter(starts, order):
        add_work(_needed(start, before, found))
        add_work(order[begin : number[start]])
        begin = number[start]
    add_work(order[begin:])
    add(order)
    return list(found)


def _needed(element: Element, before: Mapping[Element, Collection[Element]], done: Collection[Element]) -> set[Element]:
    """The element, and all that must come before it and is not done."""
    needed, waiting = {element}, [element]
    while waiting:
        for other in before.get(waiting.pop(), ()):
            if other not in needed and other not in done:
                needed.add(other)
                waiting.append(other)
    return needed
