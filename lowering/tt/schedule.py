"""Chooses how a kernel's domain is divided into tiles, one for each program, and the number of warps for a tile."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ...dialects.narrowing import bits, integer, text
from ...errors import UnsupportedGraph
from ...tuning.gpu import TUNING
from ...tuning.kernels import TUNING as KERNELS
from ..kernel.analysis import Kernel, Node
from ..kernel.reduction_passes import needed_values, pass_roots
from ..kernel.strides import stride_along
from .gpu_target import DEFAULT, GpuTarget
from .online import ONLINE, with_online_softmax
from .scalar_ops import LIBDEVICE


@dataclass(slots=True, eq=False)
class Axis:
    """Dimensions of the domain that are linearized to one, the last one fastest; a tile has `block` points along it."""

    dims: list[int]
    block: int
    is_reduction: bool = False


@dataclass(slots=True, eq=False)
class Schedule:
    """A kernel's schedule.

    `axes`: those of a tile, including those of block 1. `looped`: a loop runs over the blocks of the reduction axis; otherwise one block
    holds all of it. `splits`: the reduction axis is divided among this many programs, and every reduction pass is a launch of its own.
    `stages`: iterations of that loop in flight; `kept`: blocks that stay in registers between the first and the second reduction pass.
    """

    axes: list[Axis]
    warps: int = 4
    looped: bool = False
    splits: int = 1
    stages: int = 1
    kept: int = 0

    @property
    def tile(self) -> list[Axis]:
        """The axes along which a tile has several points."""
        return [a for a in self.axes if a.block > 1]

    @property
    def reduction_axis(self) -> Axis | None:
        """The axis of the dimensions that are reduced or scanned; None if there are none."""
        return next((a for a in self.axes if a.is_reduction), None)


@dataclass(slots=True, eq=False)
class KernelShape:
    """The properties that the choice depends on. A size of None is unknown."""

    kernel: Kernel
    gpu: GpuTarget
    parallel: list[int]
    reduction_dims: list[int]
    loads: int = 0
    strides: dict[tuple[int, int], int | None] = field(default_factory=dict)

    def size(self, dims: list[int]) -> int | None:
        """The number of points of these dimensions."""
        known = [e for e in (self.kernel.extents[d] for d in dims) if isinstance(e, int)]
        return math.prod(known) if len(known) == len(dims) else None

    def accesses(self) -> list[Node]:
        """Loads and stores."""
        return self.kernel.of(("loop.load", "loop.store"))

    def stride(self, node: Node, dim: int) -> int | None:
        """The stride of an access along a dimension."""
        return stride_along(self.kernel, self.kernel.index_expr(node), dim)


def choose_schedule(kernel: Kernel, gpu: GpuTarget = DEFAULT) -> Schedule:
    """The default schedule of `kernel` on a GPU."""
    dims = range(len(kernel.extents))
    reduction_dims = [d for d in dims if kernel.reduction_dims >> d & 1]
    shape = KernelShape(kernel, gpu, [d for d in dims if d not in reduction_dims], reduction_dims)
    scans = {integer(n.attributes["dim"]) for n in kernel.of(("loop.scan",))}
    if scans and scans != set(reduction_dims):
        raise UnsupportedGraph("a kernel scans along one dimension and reduces others")
    if not reduction_dims:
        return _pointwise(shape)
    return _columns(shape) if _lies_across(shape) else _rows(shape)


def up(value: int) -> int:
    """The next power of two."""
    return 1 << max(value - 1, 0).bit_length()


def down(value: int) -> int:
    """The largest power of two that is not larger."""
    return 1 << max(value, 1).bit_length() - 1


def warps_for(points: int, each: int = TUNING.thread_points, most: int = TUNING.max_warps) -> int:
    """The number of warps for a tile if a thread has `each` points."""
    return max(1, min(most, up(points // (32 * each))))


# Kernels without reductions.


def _pointwise(shape: KernelShape) -> Schedule:
    dims = shape.parallel
    if not dims:
        return Schedule([], 1)
    across = _across(shape)
    if across is not None:
        return _transposing(shape, across)
    total = shape.size(dims)
    block = 32 * 4 * _each(shape)
    if total is not None:
        block = min(block, max(TUNING.small_tile, up(total // shape.gpu.programs)), up(max(total, 2)))
    inner = shape.kernel.extents[dims[-1]]
    if len(dims) > 1 and isinstance(inner, int) and inner >= TUNING.small_tile:
        cut = min(block, up(inner))
        while cut > TUNING.small_tile and _waste(inner, cut) > TUNING.most_waste:
            cut //= 2
        if _waste(inner, cut) <= TUNING.most_waste:
            return _in_rows(shape, cut, block // cut)
    return Schedule([Axis(dims, max(block, 2))], warps_for(block, _each(shape)))


def _in_rows(shape: KernelShape, cut: int, rows: int) -> Schedule:
    """A tile of `cut` points along the last dimension and up to `rows` along all others, which are one axis: their indices are computed for
    each row, not for each point."""
    *outer, last = shape.parallel
    count = shape.size(outer)
    while rows > 1 and (count is None or _waste(count, rows) > TUNING.most_waste):
        rows //= 2
    before = [Axis(outer, rows)] if rows > 1 else [Axis([d], 1) for d in outer]
    return Schedule([*before, Axis([last], cut)], warps_for(rows * cut, _each(shape)))


def _each(shape: KernelShape) -> int:
    """Points for each thread: two 16-byte accesses to the buffer of the narrowest elements (not bool); half of them with many accesses."""
    widths = [bits(shape.kernel.buffers[n.operands[0]]) for n in shape.accesses()]
    each = TUNING.pointwise_bits // max(16, min([w for w in widths if w > 1], default=32))
    return max(2, each // 2 if len(shape.accesses()) > TUNING.few_accesses else each)


def _waste(extent: int, block: int) -> float:
    """The share of the tiles that is out of range."""
    return 1 - extent / (-(-extent // block) * block)


def _across(shape: KernelShape) -> int | None:
    """A dimension along which accesses are contiguous that are not contiguous along the last dimension, as in a transposed copy; None if
    there is none."""
    last = shape.parallel[-1]
    strided = [n for n in shape.accesses() if shape.stride(n, last) not in (0, 1)]
    for dim in reversed(shape.parallel[:-1]):
        if any(shape.stride(n, dim) == 1 for n in strided) and all(_at_least(shape, d, TUNING.transposed_side) for d in (dim, last)):
            return dim
    return None


def _at_least(shape: KernelShape, dim: int, size: int) -> bool:
    extent = shape.kernel.extents[dim]
    return not isinstance(extent, int) or extent >= size


def _transposing(shape: KernelShape, across: int) -> Schedule:
    last = shape.parallel[-1]
    sides = []
    for dim in (across, last):
        extent = shape.kernel.extents[dim]
        sides.append(min(TUNING.tile_side, up(extent)) if isinstance(extent, int) else TUNING.tile_side)
    rest = [Axis([d], 1) for d in shape.parallel if d not in (across, last)]
    return Schedule([*rest, Axis([across], sides[0]), Axis([last], sides[1])], warps_for(sides[0] * sides[1], 16))


# Kernels with reductions.


def _lies_across(shape: KernelShape) -> bool:
    """Whether the elements of a row are not contiguous and those of neighbouring rows are, in half of what is accessed at least. A tile of
    neighbouring rows serves both kinds of access; one row at a time moves a sector of 32 bytes for each element that lies across. What all
    rows share comes from the cache and does not count."""
    kernel = shape.kernel
    along = across = 0
    for node in shape.accesses():
        if node.deps & kernel.reduction_dims != kernel.reduction_dims or node.deps == kernel.reduction_dims:
            continue
        moved = _estimate(shape, node) * bits(kernel.buffers[node.operands[0]])
        along += moved * (shape.stride(node, shape.reduction_dims[-1]) == 1)
        across += moved * any(shape.stride(node, d) == 1 for d in shape.parallel)
    return 0 < across >= along


def _estimate(shape: KernelShape, node: Node) -> int:
    """The number of elements of an access, with an estimate for sizes that are unknown."""
    extents = [e for d, e in enumerate(shape.kernel.extents) if node.deps >> d & 1]
    return math.prod(e if isinstance(e, int) else KERNELS.symbol_estimate for e in extents)


def _pass_count(kernel: Kernel) -> int:
    """The number of reduction passes."""
    return sum(bool(pass_roots(kernel, phase)) for phase in range(kernel.phases))


def _light(kernel: Kernel) -> bool:
    """Whether a kernel is light: it reads one buffer once, reduces it to one number a row, and stores only the results. Then threads can
    have as many points as keep the memory busy."""
    loads = [n for n in kernel.of(("loop.load",)) if n.deps & kernel.reduction_dims]
    reductions = kernel.of(("loop.reduce",))
    few = len(loads) == 1 and len(reductions) == 1 and len(reductions[0].results) == 1
    return few and _pass_count(kernel) == 1 and not _stores_rows(kernel) and not kernel.of(("loop.scan",))


def _stores_rows(kernel: Kernel) -> bool:
    """Whether a kernel stores a value for every point."""
    return any(n.deps & kernel.reduction_dims for n in kernel.of(("loop.store",)))


def _width(kernel: Kernel) -> int:
    """Bits of the widest element that a kernel loads for every point."""
    loads = [n for n in kernel.of(("loop.load",)) if n.deps & kernel.reduction_dims]
    return max([bits(kernel.buffers[n.operands[0]]) for n in loads], default=32)


def _rows(shape: KernelShape) -> Schedule:
    """Rows of contiguous elements: a program has several short rows, one row, or a split of a long one."""
    kernel = shape.kernel
    row = shape.size(shape.reduction_dims)
    limit = TUNING.register_row if _pass_count(kernel) > 1 else TUNING.one_pass_row
    limit = limit // 2 if len(kernel.of(("loop.load",))) > TUNING.few_loads else limit
    if row is not None and up(row) <= limit:
        return _whole_rows(shape, max(2, up(row)))
    kernel = with_online_softmax(kernel)
    block = TUNING.row_block if row is None or row >= 4 * TUNING.row_block else TUNING.row_block // 2
    warps = warps_for(block, TUNING.thread_points // 2)
    if row is not None and _is_long(kernel, row, shape.size(shape.parallel), shape.gpu):
        block, warps = _long_block(kernel, row, shape.size(shape.parallel), shape.gpu)
    schedule = Schedule([Axis(shape.parallel, 1), Axis(shape.reduction_dims, block, True)], warps, looped=True)
    schedule.splits = _split_count(shape, block, _pass_count(kernel))
    if row is not None and block > TUNING.row_block and schedule.splits == 1 and _pass_count(kernel) > 1:
        kept = _kept(kernel)
        schedule.kept = kept if kept * block >= TUNING.kept_share * row else 0
    return schedule


def _kept(kernel: Kernel) -> int:
    """The number of blocks, of 16 points for each thread, that stay in registers: the loads of the first reduction pass, as f32 or wider,
    fill 32 registers."""
    phase = next(p for p in range(kernel.phases) if pass_roots(kernel, p))
    wanted = needed_values(kernel, pass_roots(kernel, phase))
    loads = [n for n in kernel.of(("loop.load",)) if n.deps & kernel.reduction_dims and n.results[0] in wanted]
    return TUNING.kept_bits // max(32, sum(max(32, bits(kernel.buffers[n.operands[0]])) for n in loads))


def _whole_rows(shape: KernelShape, block: int) -> Schedule:
    """Tiles of whole rows."""
    kernel, rows = shape.kernel, shape.size(shape.parallel)
    light = _light(kernel)
    each = max(2, TUNING.light_read_bits // max(8, _width(kernel))) if light else TUNING.thread_points
    many = max(1, (32 * TUNING.light_warps * each if light else TUNING.short_rows_tile) // block)
    while rows is not None and many > 1 and rows // many < shape.gpu.programs:
        many //= 2
    if light:
        warps = warps_for(many * block, each, 2 * TUNING.max_warps)
    elif block > TUNING.register_row // 2:
        warps = 2 * TUNING.max_warps
    else:  # fewer warps have less to combine
        stored, half = _stores_rows(kernel), _width(kernel) <= 16
        each = 4 * TUNING.thread_points if half and not stored else TUNING.thread_points
        few = many > 1 and (block > TUNING.thread_points * 4 or not stored) or block == TUNING.one_pass_row and half and stored
        warps = warps_for(many * block, 2 * TUNING.thread_points if few else each)
    return Schedule([Axis(shape.parallel, many), Axis(shape.reduction_dims, block, True)], warps)


def _is_long(kernel: Kernel, row: int, rows: int | None, gpu: GpuTarget) -> bool:
    """Whether as few rows as possible are processed at a time: rows that do not fit a tile and are read by several passes, if they are
    enough to fill the GPU; and rows of at least `TUNING.long_row` points in any case."""
    many = rows is None or rows >= gpu.multiprocessors
    return row >= TUNING.long_row or row > TUNING.register_row and many and _pass_count(kernel) > 1


def _long_block(kernel: Kernel, row: int, rows: int | None, gpu: GpuTarget) -> tuple[int, int]:
    """The number of points of a long row in a block, and of warps."""
    size, online = row * _width(kernel) // 8, any(text(n.attributes["kind"]) == ONLINE for n in kernel.of(("loop.reduce",)))
    if _light(kernel):
        return TUNING.long_row_block // 2, warps_for(
            TUNING.long_row_block // 2, max(2, TUNING.light_read_bits // max(8, _width(kernel))), 2 * TUNING.max_warps
        )
    if _pass_count(kernel) == 1:
        return TUNING.row_block, TUNING.max_warps
    at_a_time = gpu.multiprocessors if rows is None else min(rows, gpu.multiprocessors)
    # An online softmax whose rows fit the L2 cache, two for each multiprocessor, is limited by arithmetic: it gets two programs for each.
    alone = size > down(gpu.l2_bytes // gpu.programs) if online else row >= TUNING.long_row
    far_too_large = size * at_a_time >= up(2 * gpu.l2_bytes)
    return (TUNING.long_row_block, 2 * TUNING.max_warps) if alone and not far_too_large else (TUNING.long_row_block // 2, TUNING.max_warps)


def _columns(shape: KernelShape) -> Schedule:
    """Rows whose elements are not contiguous: a tile takes neighbouring rows."""
    rows, row = shape.size(shape.parallel), shape.size(shape.reduction_dims)
    whole = None if row is None else _whole_columns(shape, rows, row)
    if whole is not None:
        return whole
    if rows is not None and rows >= TUNING.sector_rows * TUNING.sector_tiles * shape.gpu.multiprocessors and _is_stored_both_ways(shape):
        axes = [Axis(shape.parallel, TUNING.sector_rows), Axis(shape.reduction_dims, TUNING.sector_columns, True)]
        return Schedule(axes, TUNING.sector_warps, looped=True)
    wide = TUNING.tile_side if rows is None else min(TUNING.tile_side, max(2, up(rows)))
    while rows is not None and wide > _line(shape) and -(-rows // wide) * _column_splits(shape, wide) < shape.gpu.programs:
        wide //= 2
    splits = _column_splits(shape, wide)
    programs = None if rows is None else -(-rows // wide) * splits
    warps = warps_for(TUNING.tile_points) if shape.kernel.of(("loop.scan",)) else _column_warps(programs, shape.gpu)
    block = 32 * warps * _column_points(shape.kernel) // wide
    if row is not None:
        block = min(block, up(-(-row // splits)))
    return Schedule([Axis(shape.parallel, wide), Axis(shape.reduction_dims, max(2, block), True)], warps, looped=True, splits=splits)


def _is_stored_both_ways(shape: KernelShape) -> bool:
    """Whether a kernel over half types stores a value for every point and accesses some tensors along the rows, others across."""
    kernel = shape.kernel
    along = [n for n in shape.accesses() if n.deps & ~kernel.reduction_dims and shape.stride(n, shape.reduction_dims[-1]) == 1]
    return bool(along) and _stores_rows(kernel) and _width(kernel) <= 16 and not kernel.of(("loop.scan",))


def _whole_columns(shape: KernelShape, rows: int | None, row: int) -> Schedule | None:
    """Tiles of whole rows; None if a row is too long."""
    short = up(row) <= TUNING.tile_points // TUNING.tile_side
    wide = min(4 * TUNING.tile_side, TUNING.tile_points // max(2, up(row))) if short else TUNING.tile_side
    wide = wide if rows is None else min(wide, max(2, up(rows)))
    while rows is not None and wide > _line(shape) and rows // wide < shape.gpu.programs:
        wide //= 2
    block = max(2, up(row))
    if block > TUNING.tile_points // wide:
        return None
    # One warp has no other to combine results with: it takes as many points as its registers hold.
    light = _light(shape.kernel)
    each = 8 * TUNING.thread_points * 32 // max(32, _width(shape.kernel)) if light else 2 * TUNING.thread_points
    return Schedule([Axis(shape.parallel, wide), Axis(shape.reduction_dims, block, True)], warps_for(wide * block, each))


def _column_splits(shape: KernelShape, wide: int) -> int:
    """The number of splits of a row over columns: as many as fill the GPU with programs of few warps."""
    rows, row = shape.size(shape.parallel), shape.size(shape.reduction_dims)
    if not rows or not _may_split(shape.kernel):
        return 1
    tiles, programs = -(-rows // wide), int(shape.gpu.programs * TUNING.column_programs)
    if _light(shape.kernel):
        if tiles >= int(shape.gpu.programs * TUNING.light_columns_share):
            return 1
        programs = programs if _width(shape.kernel) > 16 else shape.gpu.programs
    wanted = max(1, programs // tiles)
    if row is None:
        return min(wanted, down(shape.gpu.multiprocessors))
    return max(1, min(wanted, row // max(2, TUNING.split_points // wide)))


def _column_warps(programs: int | None, gpu: GpuTarget) -> int:
    """The warps of a program over columns: all programs together have about 16 for each multiprocessor."""
    least = TUNING.column_warps
    if programs is None:
        return least
    return max(least, min(TUNING.max_warps, down(int(gpu.programs * TUNING.column_programs) * least // max(1, programs))))


def _column_points(kernel: Kernel) -> int:
    """Points for each thread of a tile over columns; fewer if functions such as exp, or wide elements, take registers."""
    if any(n.deps & kernel.reduction_dims for n in kernel.of((*LIBDEVICE, "loop.scan"))):
        return TUNING.thread_points
    return 2 * TUNING.thread_points * 32 // max(32, _width(kernel))


def _line(shape: KernelShape) -> int:
    """The number of elements of the narrowest buffer in a cache line."""
    widths = [w for w in (bits(b) for b in shape.kernel.buffers) if w > 1]
    return TUNING.line_bits // min(widths, default=8)


def _may_split(kernel: Kernel) -> bool:
    """Whether several programs may share a row."""
    return not kernel.of(("loop.scan",)) and not any("accumulate" in n.attributes for n in kernel.of(("loop.store",)))


def _split_count(shape: KernelShape, block: int, passes: int) -> int:
    """The number of splits of a row of contiguous elements: enough to fill the GPU if there are few rows."""
    kernel, fill = shape.kernel, shape.gpu.programs
    rows, row = shape.size(shape.parallel), shape.size(shape.reduction_dims)
    if not rows or rows >= shape.gpu.multiprocessors or not _may_split(kernel):
        return 1
    # Every program combines the splits of all: few, if there are several reduction passes.
    wanted = max(2, up(fill // rows + 1) // (1 if _light(kernel) else 2 if passes == 1 else 4))
    if row is None:
        return min(wanted, down(shape.gpu.multiprocessors))
    return max(1, min(wanted, row // max(TUNING.split_points, block)))
