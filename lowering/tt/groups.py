"""Makes the `tt.func`s of a `loop.group`: a program finds its part by comparing its number with the parts' first programs.

The comparisons are a decision tree of `scf.if`. Parts that differ in their buffers, or only in the length of their one dimension, share
their code: the tree yields the addresses, the length and the part's first program. Each part has the tiles of its code, so a large part
has many programs and a small one few: they are balanced.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from torch_mlir import ir

from ...dialects.narrowing import array, integers, text
from ..kernel.analysis import ExprTree, read_kernel, substitute_leaves
from ..kernel.hoisting import Level
from ..kernel.linear_kernels import code_text, linear_extent
from .body import SIGNED_LESS, Arguments
from .builder import NONE, Builder, Val
from .functions import Emission, Head, create_function, emit_body, grid, planned, pointer_types, scratch_bytes
from .gpu_target import GpuTarget
from .index import Indices, Num, TileIndex
from .launches import TileLaunch
from .schedule import choose_schedule
from .text import ALIGNED

# Levels of a decision tree that halve the programs; those below halve the parts.
WEIGHED_LEVELS = 8


@dataclass(frozen=True, eq=False)
class Part:
    """A launch that the group replaces: the numbers of its arguments among those of its kind, and the length of its dimension, if that is
    all in which its code differs from that of other parts."""

    buffers: list[int]
    scratch: list[int]
    symbols: list[int]
    extent: int | None


@dataclass(frozen=True, eq=False)
class SharedCode:
    """The code of some parts."""

    emission: Emission
    launches: list[TileLaunch]
    parts: list[Part] = field(default_factory=list)

    def programs(self, launch: TileLaunch, part: Part) -> ExprTree:
        """The number of programs of a part in a launch, over the group's symbols."""
        if part.extent is not None:
            return ("constant", -(-part.extent // launch.schedule.axes[0].block))
        return _renamed(grid(self.emission.kernel, launch.schedule), part.symbols)


def emit_group(group: ir.Operation, kernels: Mapping[str, ir.Operation], gpu: GpuTarget) -> list[ir.Operation]:
    """The functions of a group, inserted before it. `kernels`: the `loop.func`s by name. Raises UnsupportedGraph if a part has no code."""
    names = [text(part) for part in array(group.attributes["parts"])]
    return _GroupEmitter(group, [kernels[name] for name in names], gpu).run()


class _GroupEmitter:
    def __init__(self, group: ir.Operation, parts: Sequence[ir.Operation], gpu: GpuTarget) -> None:
        self.b = Builder()
        self.group = group
        self.codes = self._codes(parts, gpu)
        self.elements: dict[int, ir.Type] = {}
        self.scratch: list[ir.Type] = []
        self.scratch_sizes: list[ExprTree] = []
        self.symbols: list[ir.Attribute] = []
        numbers = iter(integers(group.attributes["buffers"]))
        for op in parts:
            code = self.codes[_code_key(op)]
            kernel, elements = code.emission.kernel, code.emission.scratch
            buffers = [next(numbers) for _ in kernel.buffers]
            self.elements |= dict(zip(buffers, kernel.buffers, strict=True))
            given = list(array(op.attributes["symbols"]))
            symbols = list(range(len(self.symbols), len(self.symbols) + len(given)))
            self.symbols += given
            scratch = list(range(len(self.scratch), len(self.scratch) + len(elements)))
            self.scratch += elements
            self.scratch_sizes += [_renamed(e, symbols) for e in scratch_bytes(code.emission)]
            code.parts.append(Part(buffers, scratch, symbols, linear_extent(op)))

    def _codes(self, parts: Sequence[ir.Operation], gpu: GpuTarget) -> dict[Hashable, SharedCode]:
        """The codes, without parts. The tile of parts that share theirs is that of one kernel of all their points."""
        points: dict[Hashable, int] = {}
        for op in parts:
            points[_code_key(op)] = points.get(_code_key(op), 0) + (linear_extent(op) or 0)
        codes: dict[Hashable, SharedCode] = {}
        for op in parts:
            key = _code_key(op)
            if key in codes:
                continue
            kernel = read_kernel(op)
            if linear_extent(op) is not None:
                kernel.extents = [points[key]]
            schedule = choose_schedule(kernel, gpu)
            if linear_extent(op) is not None:
                kernel.extents, kernel.symbols = [("symbol", 0)], 1
            codes[key] = SharedCode(*planned(self.b, kernel, schedule))
        return codes

    def run(self) -> list[ir.Operation]:
        """Emits a function for the first launches of all parts, one for the second launches of those that have several, and so on."""
        codes = list(self.codes.values())
        count = max(len(code.launches) for code in codes)
        return [self._function(n, [(code, code.launches[n]) for code in codes if n < len(code.launches)]) for n in range(count)]

    def _function(self, number: int, work: Sequence[tuple[SharedCode, TileLaunch]]) -> ir.Operation:
        b = self.b
        pointers = pointer_types(b, [self.elements[n] for n in range(len(self.elements))] + self.scratch)
        types = pointers + [b.i64] * len(self.symbols)
        name, symbols = text(self.group.attributes["sym_name"]), ir.ArrayAttr.get(self.symbols)
        warps = max(launch.schedule.warps for _, launch in work)  # all programs of a launch have as many
        head = Head(name, number, len(self.elements), symbols, self.scratch_sizes, warps)
        counts = [[code.programs(launch, part) for part in code.parts] for code, launch in work]
        total = _sum([count for some in counts for count in some])
        op = create_function(b, head, types, total, self.group)
        block = op.regions[0].blocks[0]
        b.levels = [Level(ir.InsertionPoint(block))]
        given = [Val(a, a.type, NONE, 0) for a in block.arguments]
        buffers = len(self.elements)
        arguments = Arguments(given[:buffers], given[buffers : len(pointers)], given[len(pointers) :])
        _Division(b, arguments, work, counts).emit(block)
        b.levels = [Level(ir.InsertionPoint(block))]
        b.effect("tt.return", [])
        return op


def _code_key(op: ir.Operation) -> Hashable:
    """Equal for parts that share code. Lengths that are multiples of 16 allow wider accesses, so others are apart."""
    extent = linear_extent(op)
    return code_text(op), str(op.attributes["domain"]) if extent is None else extent % ALIGNED == 0


class _Division:
    """The programs of a function, divided among parts: `starts` holds the first program of each, and the end."""

    def __init__(
        self, b: Builder, arguments: Arguments, work: Sequence[tuple[SharedCode, TileLaunch]], counts: Sequence[Sequence[ExprTree]]
    ) -> None:
        self.b, self.arguments, self.work = b, arguments, work
        indices = Indices(b, lambda expr: TileIndex(Num(arguments.symbols[expr[1]], 0, None)))
        self.program = b.program_id()
        self.starts: list[list[Num]] = []
        start = Num(0)
        for some in counts:
            self.starts.append([start])
            for count in some:
                end = indices.numbers.add(start, indices.emit(count).base)
                start = end if isinstance(end.value, int) else Num(indices.numbers.emitted(Num(end.value), b.i32), 0, (1 << 31) - 1)
                self.starts[-1].append(start)

    def emit(self, block: ir.Block) -> None:
        """Emits the functions's code at the end of its entry block."""
        bounds = [starts[0] for starts in self.starts] + [self.starts[-1][-1]]
        self._choose(block, bounds, [], self._code)

    def _code(self, block: ir.Block, number: int) -> list[ir.Value]:
        """Emits the code of some parts."""
        code, launch = self.work[number]
        starts = self.starts[number]
        first = self._values(code, code.parts[0], starts[0])
        types = [v.type for v in first]
        chosen = self._choose(block, starts, types, lambda inner, part: self._yielded(inner, code, part, starts[part]))
        self.b.levels = [Level(ir.InsertionPoint(block))]
        values = [Val(v, v.type, NONE, 0) for v in chosen]
        part = code.parts[0]
        buffers, pointers = len(part.buffers), len(part.buffers) + len(part.scratch)
        extents = [p.extent for p in code.parts if p.extent is not None]
        arguments = Arguments(values[:buffers], values[buffers:pointers], values[pointers:-1], max(extents, default=None))
        program = self.b.binary("subi", self.program, values[-1])
        emit_body(code.emission, launch, arguments, block, program)
        return []

    def _yielded(self, block: ir.Block, code: SharedCode, number: int, start: Num) -> list[ir.Value]:
        self.b.levels = [Level(ir.InsertionPoint(block))]
        return self._values(code, code.parts[number], start)

    def _values(self, code: SharedCode, part: Part, start: Num) -> list[ir.Value]:
        """What the code of a part takes: addresses, symbols or the length, the first program."""
        b, arguments = self.b, self.arguments
        found = [arguments.buffers[n] for n in part.buffers] + [arguments.scratch[n] for n in part.scratch]
        found += [arguments.symbols[n] for n in part.symbols] if part.extent is None else [b.number(part.extent, self._extent_type(code))]
        first = b.number(start.value, b.i32) if isinstance(start.value, int) else start.value
        return [v.ssa for v in [*found, first]]

    def _extent_type(self, code: SharedCode) -> ir.Type:
        return self.b.i32 if all((p.extent or 0) < 1 << 31 for p in code.parts) else self.b.i64

    def _choose(
        self, block: ir.Block, starts: Sequence[Num], types: Sequence[ir.Type], leaf: Callable[[ir.Block, int], list[ir.Value]]
    ) -> list[ir.Value]:
        """Emits at the end of `block` the decision which part this program has, of those that begin at `starts`; returns what the leaf of
        that part gives, values of `types`."""

        def branch(block: ir.Block, low: int, high: int, depth: int) -> list[ir.Value]:
            if high - low == 1:
                return leaf(block, low)
            middle = _middle(starts, low, high, depth)
            self.b.levels = [Level(ir.InsertionPoint(block))]
            limit = starts[middle].value
            below = self.b.compare(SIGNED_LESS, self.program, self.b.number(limit, self.b.i32) if isinstance(limit, int) else limit)
            op = ir.Operation.create("scf.if", list(types), [below.ssa], regions=2, loc=self.b.loc, ip=ir.InsertionPoint(block))
            for region, (first, end) in zip(op.regions, ((low, middle), (middle, high)), strict=True):
                inner = region.blocks.append()
                values = branch(inner, first, end, depth + 1)
                ir.Operation.create("scf.yield", [], values, loc=self.b.loc, ip=ir.InsertionPoint(inner))
            return list(op.results)

        return branch(block, 0, len(starts) - 1, 0)


def _middle(starts: Sequence[Num], low: int, high: int, depth: int) -> int:
    """Where a node of the tree divides its parts: at half of the programs, so that large parts are found early."""
    known = [start.value for start in starts]
    if depth >= WEIGHED_LEVELS or not all(isinstance(start, int) for start in known):
        return (low + high) // 2
    numbers = [int(start) for start in known if isinstance(start, int)]
    return min(range(low + 1, high), key=lambda n: abs(2 * numbers[n] - numbers[low] - numbers[high]))


# Sizes.


def _sum(terms: Sequence[ExprTree]) -> ExprTree:
    total: ExprTree = ("constant", 0)
    for term in terms:
        total = ("add", total, term)
    return total


def _renamed(expr: ExprTree, symbols: Sequence[int]) -> ExprTree:
    """`expr` with symbols[k] in place of its symbol k."""
    return substitute_leaves(expr, "symbol", [("symbol", n) for n in symbols])
