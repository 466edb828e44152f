"""Chooses a kernel's loops: which dimension is in the lanes, and the order of the loops over the others."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch_mlir import ir

from ...dialects.loop import CONTRACT
from ...dialects.narrowing import bits, integer, text
from ...tuning.cpu import TUNING
from ..kernel.analysis import Kernel, Node, is_half
from ..kernel.strides import has_value, stride_along
from .builder import Int
from .target import Target
from .vector_math import FUNCTIONS

# The value of an access by its stride along the lanes: contiguous, backwards (for loads), the same for all; `TUNING.strided` for others.
_WORTH: dict[int | None, float] = {1: TUNING.contiguous, -1: TUNING.backwards, 0: TUNING.same}


@dataclass(slots=True, eq=False)
class Schedule:
    """A kernel's schedule.

    `chunked`: the dimensions whose points, or blocks, are divided into chunks for threads, outermost first; `blocks`: the sizes of these
    blocks. `inner`: the loops within a chunk, outermost first, also over blocks. `reduction_dims`: the dimensions that are reduced or
    scanned; each reduction pass has a loop over them. `lane`: the dimension in the lanes, one of `inner` or `reduction_dims`. `across`: the
    innermost loop of a tile, along which loads are transposed into the lanes. `between`: the innermost loop, whose two points are stored
    alternately (`interleaved.py`). `many_sums`: a vector of results along `lane` is summed at
    once; during the sum the lanes run along the reduced dimension (`dots.py`).
    """

    chunked: list[int]
    inner: list[int]
    reduction_dims: list[int]
    lane: int | None = None
    lanes: int = 0
    blocks: dict[int, Int] = field(default_factory=dict)
    across: int | None = None
    between: int | None = None
    many_sums: bool = False

    @property
    def reduces_lanes(self) -> bool:
        """Whether the lanes are parts of one reduction."""
        return self.lane in self.reduction_dims


def choose_schedule(kernel: Kernel, target: Target) -> Schedule:
    """The schedule of `kernel`."""
    dims = range(len(kernel.extents))
    dots = _dots_lane(kernel, target)
    if dots is not None:
        return _dots_schedule(kernel, target, dots)
    lane = _lane(kernel, dims, target)
    lanes = _lanes(kernel, target, lane)
    last = [] if lane is None else [lane]
    reduction = [d for d in dims if kernel.reduction_dims >> d & 1]
    others = [d for d in dims if d not in reduction and d != lane]
    if lane in reduction:
        reduction, last = [d for d in reduction if d != lane] + last, []
    if _scatters(kernel):
        # In order, on one thread: several points may write to one address.
        return Schedule([], others + last, reduction, lane, lanes)
    schedule = Schedule(others, last, reduction, lane, lanes)
    between = None if reduction or lane is None or lanes < 2 else _between(kernel, lane)
    across = None if reduction or lane is None else _across(kernel, lane)
    if between is not None:
        schedule = Schedule([d for d in others if d != between], [*last, between], reduction, lane, lanes, between=between)
        _cut(kernel, schedule)
    elif across is not None:
        schedule.lanes = min(lanes, target.lanes(_element_bits(kernel)))
        _tile(kernel, schedule, across)
    elif last:
        _cut(kernel, schedule)
    if not schedule.blocks:
        _enlarge_chunks(kernel, schedule)
    return schedule


def _dots_lane(kernel: Kernel, target: Target) -> int | None:
    """The dimension along which a product's results are contiguous; None if an operand is not contiguous along the summed dimension."""
    reductions = kernel.of(("loop.reduce",))
    if len(reductions) != 1 or CONTRACT not in reductions[0].attributes or kernel.reduction_dims.bit_count() != 1:
        return None
    if any(n.phase == 0 or n.deps & kernel.reduction_dims for n in kernel.sinks()):
        return None
    summed = kernel.reduction_dims.bit_length() - 1
    loads = [n for n in kernel.of(("loop.load",)) if n.deps >> summed & 1]
    if target.lanes(_element_bits(kernel)) < 4 or any(n.mask is not None or stride(kernel, n, summed) != 1 for n in loads):
        return None
    for dim in reversed(range(len(kernel.extents))):
        extent = kernel.extents[dim]
        strides = [stride(kernel, n, dim) for n in loads]
        fits = dim != summed and isinstance(extent, int) and extent > 1 and None not in strides and any(strides)
        if fits and all(stride(kernel, n, dim) == 1 for n in kernel.of(("loop.store",))):
            return dim
    return None


def _dots_schedule(kernel: Kernel, target: Target, lane: int) -> Schedule:
    """A schedule that sums as many neighbouring results at once as a register has lanes, each result in a register of its own."""
    summed = kernel.reduction_dims.bit_length() - 1
    others = [d for d in range(len(kernel.extents)) if d not in (summed, lane)]
    schedule = Schedule(
        [*others, lane], [lane], [summed], lane, target.lanes(_element_bits(kernel)), {lane: TUNING.tile_side}, many_sums=True
    )
    extent = kernel.extents[lane]
    if isinstance(extent, int) and extent <= TUNING.tile_side:
        schedule.chunked.pop()
        schedule.blocks.clear()
    return schedule


def _scatters(kernel: Kernel) -> bool:
    """Whether a store accumulates, or has an index that is loaded or computed."""
    stores = kernel.of(("loop.store",))
    return any("accumulate" in n.attributes or has_value(kernel.index_expr(n)) for n in stores)


# The lanes.


def _lane(kernel: Kernel, dims: range, target: Target) -> int | None:
    """The dimension along which most accesses are contiguous; None if stores that accumulate, or scans, exclude all dimensions."""
    scanned, ordered = 0, bool(kernel.reduction_dims & (kernel.reduction_dims - 1))
    for node in kernel.of(("loop.scan",)):
        scanned |= 1 << integer(node.attributes["dim"])
        # Products in another order may overflow in between.
        ordered |= text(node.attributes["kind"]) == "mul" and not isinstance(kernel.values[node.results[0]].type, ir.IntegerType)
    barred = scanned if ordered else 0
    allowed = [d for d in dims if not barred >> d & 1 and all(_may_lie_in_lanes(kernel, n, d) for n in kernel.of(("loop.store",)))]
    scores = {d: _score(kernel, d, target) for d in allowed}
    # Among equals the last: normalized kernels have the contiguous dimension innermost.
    best = max(reversed(allowed), key=lambda d: scores[d], default=None)
    # Rows in the lanes, with each element gathered, are slower than one row after the other.
    gathers = best is not None and all(_worth(kernel, n, best) == TUNING.strided for n in kernel.of(("loop.load", "loop.store")))
    return None if barred and gathers else best


def _may_lie_in_lanes(kernel: Kernel, store: Node, dim: int) -> bool:
    return "accumulate" not in store.attributes or stride(kernel, store, dim) == 1


def _score(kernel: Kernel, dim: int, target: Target) -> float:
    total = 0.0
    for node in kernel.of(("loop.load", "loop.store")):
        weight = 1.0 if node.deps & kernel.reduction_dims == kernel.reduction_dims else TUNING.once_a_row
        total += weight * _worth(kernel, node, dim)
    extent = kernel.extents[dim]
    if not isinstance(extent, int):
        return total
    lanes = target.lanes(32)
    return total * extent / (-(-extent // lanes) * lanes) if extent else total


def _worth(kernel: Kernel, node: Node, dim: int) -> float:
    step = stride(kernel, node, dim)
    if step is not None and 1 < step <= TUNING.short_step and node.name == "loop.load":
        return TUNING.short_step_value
    return TUNING.strided if step == -1 and node.name == "loop.store" else _WORTH.get(step, TUNING.strided)


def stride(kernel: Kernel, node: Node, dim: int) -> int | None:
    """The stride of an access along a dimension; None if it is not one number."""
    return stride_along(kernel, kernel.index_expr(node), dim)


def _lanes(kernel: Kernel, target: Target, lane: int | None) -> int:
    """The number of lanes: those of one register of the common element type, or of several registers if there is little work for each,
    so that several loads are in flight."""
    if lane is None:
        return 0
    scanned = [kernel.values[r].type for n in kernel.of(("loop.scan",)) if integer(n.attributes["dim"]) == lane for r in n.results]
    width = max(32 if is_half(t) else max(bits(t), 8) for t in scanned) if scanned else _element_bits(kernel)
    lanes = target.lanes(width) * (1 if scanned else _registers(kernel, lane))
    extent = kernel.extents[lane]
    while isinstance(extent, int) and lanes > 2 and lanes // 2 >= extent:
        lanes //= 2
    return lanes


def _element_bits(kernel: Kernel) -> int:
    types = [kernel.values[r].type for n in kernel.nodes for r in n.results]
    widths = {32 if is_half(t) else bits(t) for t in types if not isinstance(t, ir.IndexType)}
    narrow = [w for w in widths if w > 1] or [8]
    return 64 if set(narrow) <= {64} else max(8, min(32, max(narrow)))


def _registers(kernel: Kernel, lane: int) -> int:
    """The number of registers for a value: fewer, the more values are live in the kernel's hot part."""
    kinds = [text(n.attributes["kind"]) for n in kernel.of(("loop.reduce", "loop.scan"))]
    nodes = [n for n in kernel.nodes if n.deps & kernel.reduction_dims == kernel.reduction_dims]
    if any(n.name in FUNCTIONS for n in nodes) or any(kind.startswith("arg") for kind in kinds):
        return 1
    if not kernel.reduction_dims:
        return 2 if len(kernel.of(("loop.load",))) <= TUNING.many_loads else 1
    size = len([n for n in kernel.nodes if n.deps & kernel.reduction_dims and n.name != "loop.store"])
    few = 1 if size > TUNING.crowded_nodes else 2 if size > TUNING.busy_nodes else 4
    # If rows are not contiguous, reads of each should be long.
    return few if kernel.reduction_dims >> lane & 1 else 2 * few


# The work.


def cost(kernel: Kernel) -> int:
    """The number of operations for one point of the domain; a mathematical function counts `TUNING.function_cost`."""
    nodes = [n for n in kernel.nodes if n.name not in ("loop.yield", "loop.apply", "arith.constant")]
    return sum(TUNING.function_cost if n.name in FUNCTIONS else 1 for n in nodes)


def may_be_large(kernel: Kernel, schedule: Schedule) -> bool:
    """Whether there may be work for several threads, and more than one chunk."""
    return bool(schedule.chunked) and _is_long(kernel)


def _is_long(kernel: Kernel) -> bool:
    """Whether a kernel can have work for several threads."""
    work = cost(kernel)
    for extent in kernel.extents:
        if not isinstance(extent, int):
            return True
        work *= extent
    return work >= 2 * TUNING.thread_work


# The chunks.


def _cut(kernel: Kernel, schedule: Schedule) -> None:
    """Divides a long lanes' dimension into blocks, to get several chunks."""
    lane = schedule.lane
    assert lane is not None
    block = (
        max(TUNING.block_points // schedule.lanes, 1) * schedule.lanes if not schedule.reduction_dims else _rows_in_lanes(kernel, schedule)
    )
    extent = kernel.extents[lane]
    if not isinstance(extent, int) or extent > block:
        schedule.chunked.append(lane)
        schedule.blocks[lane] = block


def _rows_in_lanes(kernel: Kernel, schedule: Schedule) -> int:
    """The number of rows of a reduction in a chunk, if rows are in the lanes: those of two registers, more if rows are short."""
    points = schedule.lanes
    for dim in schedule.reduction_dims:
        extent = kernel.extents[dim]
        points *= extent if isinstance(extent, int) else TUNING.chunk_points
    return schedule.lanes * max(2, -(-TUNING.chunk_points // max(points, 1)))


def _across(kernel: Kernel, lane: int) -> int | None:
    """A dimension along which an access is contiguous that is strided along the lanes, as in a transposed copy; None if there is none."""
    strided = [n for n in kernel.of(("loop.load", "loop.store")) if _worth(kernel, n, lane) == TUNING.strided]
    for dim in reversed(range(len(kernel.extents))):
        if dim != lane and any(stride(kernel, n, dim) == 1 for n in strided):
            return dim
    return None


def _between(kernel: Kernel, lane: int) -> int | None:
    """The dimension of extent 2 along which stores are contiguous that take every second element along the lanes; None if there is none."""
    dims = [d for d, extent in enumerate(kernel.extents) if d != lane and extent == 2 and interleaved_stores(kernel, lane, d)]
    return dims[0] if dims else None


def interleaved_stores(kernel: Kernel, lane: int, dim: int) -> list[Node]:
    """The unmasked stores to every second element along the lanes, and to the elements between along `dim`."""

    def is_one(node: Node) -> bool:
        plain = node.mask is None and "accumulate" not in node.attributes
        return plain and stride(kernel, node, lane) == 2 and stride(kernel, node, dim) == 1

    return [n for n in kernel.of(("loop.store",)) if is_one(n)]


def _tile(kernel: Kernel, schedule: Schedule, across: int) -> None:
    """Makes the loops run over tiles: the innermost loop runs along `across`, so that a tile uses whole cache lines."""
    lane = schedule.lane
    assert lane is not None
    schedule.chunked = [d for d in schedule.chunked if d != across] + [across, lane]
    schedule.inner = [lane, across]
    schedule.blocks = {across: TUNING.tile_side, lane: max(TUNING.tile_side, schedule.lanes)}
    if schedule.lanes > 1 and len(kernel.nodes) <= TUNING.square_nodes and strided_loads(kernel, lane, across):
        schedule.across = across


def strided_loads(kernel: Kernel, lane: int, across: int) -> list[Node]:
    """The unmasked loads that are strided along the lanes and contiguous along `across`."""

    def is_one(node: Node) -> bool:
        along = stride(kernel, node, lane)
        return node.mask is None and stride(kernel, node, across) == 1 and along is not None and along not in (-1, 0, 1)

    return [n for n in kernel.of(("loop.load",)) if is_one(n)]


def _enlarge_chunks(kernel: Kernel, schedule: Schedule) -> None:
    """Moves the last chunked dimension into the loops within a chunk while chunks are small; of a long dimension only a block, if there is
    work for several threads."""
    work, is_long = 1, _is_long(kernel)
    for dim in schedule.reduction_dims + schedule.inner:
        extent = kernel.extents[dim]
        work *= extent if isinstance(extent, int) else TUNING.chunk_points
    while schedule.chunked and work < TUNING.chunk_points:
        dim, extent = schedule.chunked[-1], kernel.extents[schedule.chunked[-1]]
        schedule.inner.insert(0, dim)
        rows = -(-TUNING.chunk_points // max(work, 1))
        if not isinstance(extent, int) or (is_long and extent > rows):
            schedule.blocks[dim] = rows
            return
        schedule.chunked.pop()
        work *= extent
