"""Which output of a kernel may lie in the memory of an input: the input's elements must be read for the last time before they are
overwritten.

This follows the order in which `lowering/cpu/nest.py` emits a kernel. Phase by phase: first the stores that depend on no reduced
dimension, then a reduction pass; at each of its points first the reductions, then the values that are kept for later passes, then stores
and checks. `lowering/tt` emits kernels in the same order, a tile at a time. Each point of the domain is in one tile and in one split of
its row, and the threads of a program load its elements before they store any of them. A value of one element a row is another matter:
other splits of the row may still read what it overwrites. So on a GPU a kernel with reduced dimensions stores a value for every point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...dialects.narrowing import bits
from ..cpu.kept import dear_values
from ..kernel.analysis import ExprTree, Kernel, Node
from ..kernel.reduction_passes import needed_values, pass_roots
from ..kernel.strides import has_value

ONE: ExprTree = ("constant", 1)


def may_lie_in(kernel: Kernel, read: int, written: int, on_gpu: bool) -> bool:
    """Whether the output with buffer number `written` may lie in the memory of the input `read`."""
    loads = [n for n in kernel.of(("loop.load",)) if n.operands[0] == read]
    stores = [n for n in kernel.of(("loop.store",)) if n.operands[0] == written]
    if len(stores) != 1 or not loads or kernel.of(("loop.scan",)) or not _same_width(kernel, read, written):
        return False
    store = stores[0]
    if on_gpu and store.deps & kernel.reduction_dims != kernel.reduction_dims:
        return False
    position = kernel.index_expr(store)
    if store.mask is not None or "accumulate" in store.attributes or has_value(position):
        return False
    if any(kernel.index_expr(load) != position for load in loads):
        return False
    along = [d for d in range(len(kernel.extents)) if store.deps & kernel.reduction_dims or not kernel.reduction_dims >> d & 1]
    if not is_injective(position, [d for d in along if kernel.extents[d] != 1], kernel.extents):
        return False
    values = {result for load in loads for result in load.results}
    return not _read_after(kernel, store, values)


def _same_width(kernel: Kernel, read: int, written: int) -> bool:
    widths = [max(bits(kernel.buffers[n]), 8) for n in (read, written)]
    return bool(widths[0] == widths[1])


# Indices.


def is_injective(position: ExprTree, dims: Sequence[int], extents: Sequence[int | ExprTree]) -> bool:
    """Whether an index expression certainly differs between points of these dimensions: its terms are like the digits of a number."""
    weights = _weights(position)
    if weights is None or set(dims) - set(weights) or any(d not in dims and extents[d] != 1 for d in weights):
        return False
    rest, bound = list(dims), ONE
    while rest:
        found = next((d for d in rest if weights[d] == bound), None)
        if found is None:
            found = _next_larger(rest, weights, bound)
        if found is None:
            return False
        rest.remove(found)
        extent = extents[found]
        bound = _product(weights[found], ("constant", extent) if isinstance(extent, int) else extent)
    return True


def _next_larger(dims: Sequence[int], weights: dict[int, ExprTree], bound: ExprTree) -> int | None:
    """The dimension of the smallest weight, if that is a number and not below `bound`."""
    numbers = {d: weights[d][1] for d in dims if weights[d][0] == "constant"}
    if bound[0] != "constant" or not numbers:
        return None
    found = min(numbers, key=lambda d: numbers[d])
    return found if numbers[found] >= bound[1] else None


def _product(a: ExprTree, b: ExprTree) -> ExprTree:
    if a == ONE or b == ONE:
        return b if a == ONE else a
    return ("constant", a[1] * b[1]) if a[0] == b[0] == "constant" else ("mul", a, b)


def _weights(expr: ExprTree) -> dict[int, ExprTree] | None:
    """The coefficients of the dimensions in a sum of multiples of them; None for expressions of another form."""
    kind = expr[0]
    if kind == "dim":
        return {expr[1]: ONE}
    if kind == "constant":
        return {}
    if kind == "add":
        left, right = _weights(expr[1]), _weights(expr[2])
        return None if left is None or right is None or set(left) & set(right) else left | right
    if kind == "mul" and expr[1][0] == "dim" and expr[2][0] in ("constant", "symbol"):
        return {expr[1][1]: expr[2]}
    return None


# The order of loads and stores.


def _read_after(kernel: Kernel, store: Node, values: set[int]) -> bool:
    """Whether one of `values` is, or may be, loaded after `store`, or after a kept value overwrites it."""
    if not kernel.reduction_dims:
        sinks = kernel.sinks()
        return _first_read_behind(kernel, sinks, store, [], values)
    if not store.deps & kernel.reduction_dims:
        own = [n for n in _row_sinks(kernel, range(kernel.phases)) if n is not store]
        roots = _roots(kernel, range(store.phase, kernel.phases))
        return _reads(kernel, [*own, *roots], values)
    later = range(store.phase + 1, kernel.phases)
    if _reads(kernel, [*_roots(kernel, later), *_row_sinks(kernel, later)], values):
        return True
    roots = pass_roots(kernel, store.phase)
    reductions = [n for n in roots if n.name == "loop.reduce"]
    if _first_read_behind(kernel, [n for n in roots if n.name != "loop.reduce"], store, reductions, values):
        return True
    return _read_beside_kept(kernel, store, values)


def _first_read_behind(kernel: Kernel, sinks: Sequence[Node], store: Node, before: Sequence[Node], values: set[int]) -> bool:
    """Whether a sink after `store` at the same point needs a value that has not been loaded before."""
    at = sinks.index(store)
    loaded = needed_values(kernel, [*before, *sinks[: at + 1]])
    return bool(values & needed_values(kernel, sinks[at + 1 :]) - loaded)


def _read_beside_kept(kernel: Kernel, store: Node, values: set[int]) -> bool:
    """Whether a value that a pass keeps may lie in the store's memory while `values` are still to be loaded."""
    for value, phase in dear_values(kernel).items():
        beside = [n for n in pass_roots(kernel, phase) if n.name != "loop.reduce"]
        behind = _roots(kernel, range(phase + 1, kernel.phases))
        if phase < store.phase and values & needed_values(kernel, [*beside, *behind], [value]):
            return True
    return False


def _roots(kernel: Kernel, phases: Iterable[int]) -> list[Node]:
    return [n for phase in phases for n in pass_roots(kernel, phase)]


def _row_sinks(kernel: Kernel, phases: Iterable[int]) -> list[Node]:
    return [n for n in kernel.sinks() if n.phase in phases and not n.deps & kernel.reduction_dims]


def _reads(kernel: Kernel, roots: Sequence[Node], values: set[int]) -> bool:
    return bool(values & needed_values(kernel, roots))
