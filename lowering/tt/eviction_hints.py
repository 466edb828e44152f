"""Finds loads of data that the kernel does not read again, for eviction hints."""

from __future__ import annotations

from ..kernel.analysis import Kernel, Node
from ..kernel.reduction_passes import needed_values, pass_roots
from ..kernel.strides import stride_along


def final_reads(kernel: Kernel, phase: int, looped: bool) -> frozenset[Node]:
    """The loads in the reduction pass of `phase` that no other point, load, or (if rows are `looped` over) later pass repeats. None if
    rows are read once and also stored: the stored data fills the cache, and hinted loads were slower."""
    if not looped and any(n.deps & kernel.reduction_dims for n in kernel.of(("loop.store",))):
        return frozenset()
    roots = [n for later in range(phase + 1, kernel.phases) for n in pass_roots(kernel, later)] if looped else []
    again = needed_values(kernel, roots)
    loads = [n for n in kernel.of(("loop.load",)) if n.deps & kernel.reduction_dims]  # others read one element a row
    buffers = [n.operands[0] for n in loads]
    return frozenset(n for n in loads if buffers.count(n.operands[0]) == 1 and n.results[0] not in again and _each_once(kernel, n))


def _each_once(kernel: Kernel, node: Node) -> bool:
    """Whether different points of the domain certainly read different elements, by the known sizes and strides."""
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
