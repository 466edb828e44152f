"""Finds the loads of a kernel whose elements nothing in it reads again: the cache need not keep them."""

from __future__ import annotations

from ..kernel.analysis import Kernel, Node
from ..kernel.strides import stride_along
from ..kernel.sweeps import needed, sweep_roots


def last_reads(kernel: Kernel, phase: int, looped: bool) -> frozenset[Node]:
    """The loads of the sweep of `phase` that no other point, load or, where rows are `looped` over, later sweep repeats. None where rows
    that are walked once are stored too: what is stored takes the room then, and such loads were slower."""
    if not looped and any(n.deps & kernel.swept for n in kernel.of(("loop.store",))):
        return frozenset()
    roots = [n for later in range(phase + 1, kernel.phases) for n in sweep_roots(kernel, later)] if looped else []
    again = needed(kernel, roots)
    loads = [n for n in kernel.of(("loop.load",)) if n.deps & kernel.swept]  # others are one element a row
    buffers = [n.operands[0] for n in loads]
    return frozenset(n for n in loads if buffers.count(n.operands[0]) == 1 and n.results[0] not in again and _each_once(kernel, n))


def _each_once(kernel: Kernel, node: Node) -> bool:
    """Whether different points of the domain read different elements, as far as sizes and strides are known."""
    expr, spanned, walks = kernel.index_expr(node), 1, []
    for dim, extent in enumerate(kernel.extents):
        stride = stride_along(kernel, expr, dim)
        if stride is None or not isinstance(extent, int):
            return False
        walks.append((abs(stride), extent))
    for stride, extent in sorted(w for w in walks if w[1] > 1):
        if stride < spanned:
            return False
        spanned += stride * (extent - 1)
    return True
