"""What each reduction pass of a kernel computes."""

from __future__ import annotations

from collections.abc import Iterable

from .analysis import Kernel, Node


def pass_roots(kernel: Kernel, phase: int) -> list[Node]:
    """The results of a pass: the reductions of the phase, and its stores and checks that depend on the reduced dimensions."""
    roots = kernel.of(("loop.reduce", "loop.store", "loop.check"))
    return [n for n in roots if n.phase == phase and (n.name == "loop.reduce" or n.deps & kernel.reduction_dims)]


def needed_values(kernel: Kernel, roots: Iterable[Node], kept: Iterable[int] = ()) -> set[int]:
    """The values that `roots` need in this pass; results of reductions and `kept` values exist already."""
    found: set[int] = set()
    work = [i for n in roots for i in n.operands]
    while work:
        number = work.pop()
        node = kernel.values[number].producer
        if number in found or node is None or node.name == "loop.reduce" or number in kept:
            continue
        found.add(number)
        work += node.operands
    return found
