"""Makes the `tt.func`s of a kernel: one, or, for a split reduction, one for each reduction pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.narrowing import array, bits
from ...dialects.tt import Ptr
from ..kernel.analysis import ExprTree, Kernel, Node
from ..kernel.hoisting import Level
from ..kernel.reduction_passes import pass_roots
from .body import Arguments, TileBody
from .builder import NONE, Builder, Val
from .combine import carry_of
from .launches import TileLaunch, launches
from .online import with_online_softmax
from .reduction_pass import PassEmitter
from .schedule import Schedule

_AFFINE: dict[str, Callable[[ir.AffineExpr, ir.AffineExpr], ir.AffineExpr]] = {
    "add": ir.AffineExpr.get_add, "mul": ir.AffineExpr.get_mul, "mod": ir.AffineExpr.get_mod,
    "floordiv": ir.AffineExpr.get_floor_div, "ceildiv": ir.AffineExpr.get_ceil_div,
}  # fmt: skip


@dataclass(slots=True, eq=False)
class Emission:
    """Data that all functions of one kernel share. `scratch`: the element types of the scratch buffers; `first`: for each reduction the
    number of its first scratch buffer; `merged`: the same for the merged results that a launch leaves to later ones."""

    b: Builder
    kernel: Kernel
    schedule: Schedule
    scratch: list[ir.Type]
    first: dict[Node, int]
    merged: dict[Node, int]


def emit_kernel(kernel: Kernel, schedule: Schedule, symbols: ir.Attribute, before: ir.Operation) -> list[ir.Operation]:
    """The functions of `kernel`, inserted before the operation."""
    emission, found = planned(Builder(), kernel, schedule)
    return [_emit(emission, symbols, n, launch, before) for n, launch in enumerate(found)]


def planned(b: Builder, kernel: Kernel, schedule: Schedule) -> tuple[Emission, list[TileLaunch]]:
    """What the functions of a kernel share, and its launches."""
    if schedule.looped:
        kernel = with_online_softmax(kernel)
    emission = Emission(b, kernel, schedule, [], {}, {})
    if schedule.splits > 1:
        for node in kernel.of(("loop.reduce",)):
            emission.first[node] = len(emission.scratch)
            emission.scratch += carry_of(b, kernel, node).types
    found = launches(kernel, schedule)
    for node in (n for launch in found for n in launch.merged):
        emission.merged[node] = len(emission.scratch)
        emission.scratch += carry_of(b, kernel, node).types
    return emission, found


def _emit(emission: Emission, symbols: ir.Attribute, number: int, launch: TileLaunch, before: ir.Operation) -> ir.Operation:
    b, kernel = emission.b, emission.kernel
    types = pointer_types(b, kernel.buffers + emission.scratch) + [b.i64] * kernel.symbols
    head = Head(kernel.name, number, len(kernel.buffers), symbols, scratch_bytes(emission), launch.schedule.warps)
    op = create_function(b, head, types, grid(kernel, launch.schedule), before)
    block = op.regions[0].blocks[0]
    given = [Val(a, a.type, NONE, 0) for a in block.arguments]
    buffers, pointers = len(kernel.buffers), len(kernel.buffers) + len(emission.scratch)
    emit_body(emission, launch, Arguments(given[:buffers], given[buffers:pointers], given[pointers:]), block)
    b.effect("tt.return", [])
    return op


def emit_body(emission: Emission, launch: TileLaunch, arguments: Arguments, block: ir.Block, program: Val | None = None) -> None:
    """Emits what one program of a launch does at the end of `block`; `program`: its number, if it is not the function's."""
    b, kernel, schedule = emission.b, emission.kernel, launch.schedule
    b.shape = tuple(a.block for a in schedule.tile)
    b.levels = [Level(ir.InsertionPoint(block))]
    body = TileBody(b, kernel, schedule, arguments)
    body.locate(program)
    emitter = PassEmitter(body, emission.first, emission.merged)
    if schedule.splits > 1:
        _emit_split(emitter, launch)
        return
    for each in range(kernel.phases):
        emitter.row_sinks(each)
        emitter.emit_pass(each)


def _emit_split(emitter: PassEmitter, launch: TileLaunch) -> None:
    """A launch of a split reduction: it merges splits for later launches, or makes one pass over a split after the merged results of
    earlier passes; the last one also computes and stores the values of one element a row."""
    kernel = emitter.kernel
    for node in launch.merged:
        emitter.merge_for_later(node)
    roots = [] if launch.phase is None else pass_roots(kernel, launch.phase)
    sinks = [n for n in kernel.sinks() if launch.last and not n.deps & kernel.reduction_dims]
    for node in _reductions_behind(kernel, roots + sinks):
        emitter.merge_splits(node)
    if launch.phase is not None:
        emitter.emit_pass(launch.phase)
    for node in sinks:
        emitter.body.emit_sink(node)


def _reductions_behind(kernel: Kernel, roots: Sequence[Node]) -> list[Node]:
    """The reductions whose results `roots` need."""
    found: dict[Node, None] = {}
    work = [i for n in roots for i in n.operands]
    seen: set[int] = set()
    while work:
        number = work.pop()
        node = kernel.values[number].producer
        if number in seen or node is None:
            continue
        seen.add(number)
        if node.name == "loop.reduce":
            found[node] = None
        else:
            work += node.operands
    return list(found)


# Functions and their attributes.


@dataclass(frozen=True)
class Head:
    """What a function says of its launches: function `number` of `kernel`, which takes `buffers` and `scratch` of these bytes."""

    kernel: str
    number: int
    buffers: int
    symbols: ir.Attribute
    scratch: Sequence[ExprTree]
    warps: int


def pointer_types(b: Builder, elements: Sequence[ir.Type]) -> list[ir.Type]:
    """The types of pointers to buffers of these elements: a bool is a byte."""
    return [Ptr.get(b.i8 if t == b.i1 else t) for t in elements]


def create_function(b: Builder, head: Head, types: Sequence[ir.Type], programs: ExprTree, before: ir.Operation) -> ir.Operation:
    """A `tt.func` with arguments of these types, and an empty block."""
    symbols = len(array(head.symbols))
    attributes = {
        "sym_name": ir.StringAttr.get(head.kernel + (f"__{head.number}" if head.number else "")),
        "kernel": ir.StringAttr.get(head.kernel),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(types), [])),
        "buffers": ir.IntegerAttr.get(b.i64, head.buffers),
        "symbols": head.symbols,
        "scratch": _map(symbols, head.scratch),
        "grid": _map(symbols, [programs]),
        "num_warps": b.i32_attr(head.warps),
        "num_stages": b.i32_attr(1),
    }
    op = ir.Operation.create("tt.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(before))
    op.regions[0].blocks.append(*types, arg_locs=[b.loc] * len(types))
    return op


def grid(kernel: Kernel, schedule: Schedule) -> ExprTree:
    """The number of programs."""
    total: ExprTree = ("constant", 1)
    for axis in schedule.axes:
        if axis.dims and not axis.is_reduction:
            total = ("mul", total, ("ceildiv", _points(kernel, axis.dims), ("constant", axis.block)))
    splits = schedule.splits if schedule.reduction_axis is not None else 1
    return ("mul", total, ("constant", splits))


def _points(kernel: Kernel, dims: Sequence[int]) -> ExprTree:
    total: ExprTree = ("constant", 1)
    for dim in dims:
        extent = kernel.extents[dim]
        total = ("mul", total, ("constant", extent) if isinstance(extent, int) else extent)
    return total


def scratch_bytes(emission: Emission) -> list[ExprTree]:
    """The bytes of each scratch buffer."""
    rows = [d for a in emission.schedule.axes if not a.is_reduction for d in a.dims]
    points = _points(emission.kernel, rows)
    return [("mul", points, ("constant", emission.schedule.splits * bits(t) // 8)) for t in emission.scratch]


def _map(symbols: int, exprs: Sequence[ExprTree]) -> ir.Attribute:
    return ir.AffineMapAttr.get(ir.AffineMap.get(0, symbols, [_affine(e) for e in exprs]))


def _affine(expr: ExprTree) -> ir.AffineExpr:
    if expr[0] == "constant":
        return ir.AffineExpr.get_constant(expr[1])
    if expr[0] == "symbol":
        return ir.AffineExpr.get_symbol(expr[1])
    return _AFFINE[expr[0]](_affine(expr[1]), _affine(expr[2]))
