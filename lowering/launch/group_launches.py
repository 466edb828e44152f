"""`group-launches`: small kernels of one kind that do not depend on each other become one launch on a GPU: casts of weights, optimizers.

Horizontal fusion: a launch costs the GPU one to three microseconds beyond its work, and a small kernel can't fill the GPU. A launch moves
forward to the latest group of its kind, or this group back to the launch, if nothing in between depends on what moves: writes what it
reads, or accesses what it writes. A buffer that is made earlier, or freed later, must not raise the peak of memory.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from torch_mlir import ir

from ...dialects.host import DONATED, GROUP, call_into
from ...dialects.loop import GROUPED
from ...dialects.narrowing import affine_map, array, dense_entries, integer, maker, text
from ...dialects.size_hints import size_hints
from ...passes.registry import register_pass
from ...passes.rewrite_limit import may_rewrite
from ...tuning.gpu import TUNING
from ...tuning.kernels import TUNING as KERNELS
from ..host.releases import leaving
from ..host.routes import schema_of
from ..kernel.kernel_body import is_on_gpu
from ..kernel.linear_kernels import code_text, linear_extent
from ..memory.buffer_lives import Lives, bytes_over_time, guessed_bytes
from ..memory.range_maxima import RangeMaxima
from ..memory.shared_memory import SharedMemory
from .convert_to_host import graph_function

BEFORE_ALL = -1  # the position of what the caller gives
TRIED_GROUPS = 4  # of a kind, the latest ones; bounds the time of compilation


@dataclass(eq=False)
class LaunchGroup:
    """Launches of one kind, the operations of these `numbers`, that run at the position of `anchor`, one of them.

    `buffers`: their operands; `reads`, `writes`: the memory of these; `sizes`: those for which they have code of their own; `others`:
    further arguments of the group's launch. `made`: bytes of new buffers that launches make earlier than without the group; `dying`: bytes
    of buffers that only its launches still need. `pinned`: an operation behind the group depends on it, so it can't move back; `visible`:
    it writes what the caller sees.
    """

    anchor: int
    numbers: list[int] = field(default_factory=list)
    buffers: set[ir.Value] = field(default_factory=set)
    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    sizes: set[str] = field(default_factory=set)
    others: int = 0
    made: int = 0
    dying: int = 0
    pinned: bool = False
    visible: bool = False

    def is_touched_by(self, reads: set[int], writes: set[int]) -> bool:
        """Whether accesses to this memory have to stay behind, or in front of, those of the group."""
        return bool(self.writes & (reads | writes) or self.reads & writes)


class Kinds:
    """The kinds of a module's kernels: launches of one kind may be grouped."""

    def __init__(self, module: ir.Module) -> None:
        self.kernels = {text(o.attributes["sym_name"]): o for o in module.body.operations if o.operation.name == "loop.func"}
        self._known: dict[str, Hashable] = {}

    def outputs(self, launch: ir.OpView) -> int:
        """How many operands, the last ones, a launch writes."""
        return integer(self.kernels[text(launch.attributes["kernel"])].attributes["outputs"])

    def sizes(self, launch: ir.OpView) -> str:
        """Equal for launches of one kind that share code: empty if all do, else the sizes of the kernel."""
        kernel = self.kernels[text(launch.attributes["kernel"])]
        return str(kernel.attributes["domain"]) if "loop.reduce" in self._names(kernel) else ""

    def may_fail(self, launch: ir.OpView) -> bool:
        """Whether a launch checks something."""
        return "loop.check" in self._names(self.kernels[text(launch.attributes["kernel"])])

    def of(self, launch: ir.OpView) -> Hashable:
        """The kind of a launch's kernel; None if it is never grouped."""
        name = text(launch.attributes["kernel"])
        if name not in self._known:
            self._known[name] = self._kind(self.kernels[name])
        return self._known[name]

    def _kind(self, kernel: ir.OpView) -> Hashable:
        names = self._names(kernel)
        if not is_on_gpu(kernel) or names & {"loop.check", "loop.scan"} or accumulates(kernel):
            return None
        domain, code = affine_map(kernel.attributes["domain"]), code_text(kernel.operation)
        if linear_extent(kernel) is not None or "loop.reduce" in names:  # sizes may differ
            return len(domain.results), code
        return str(domain), code

    @staticmethod
    def _names(kernel: ir.OpView) -> set[str]:
        return {op.operation.name for op in kernel.regions[0].blocks[0].operations}


def accumulates(kernel: ir.OpView) -> bool:
    """Whether a kernel combines what it stores with what is there."""
    return any("accumulate" in op.attributes for op in kernel.regions[0].blocks[0].operations)


class LaunchGrouping:
    """Finds the groups of a graph, operation by operation: `written` and `read` hold for each memory the last position at which it is
    accessed, `effects` the last position of an operation that may fail."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.function = graph_function(module)
        self.kinds = Kinds(module)
        self.memory = SharedMemory(self.function)
        self.lives = Lives(self.function)
        self.operations, self.hints = self.lives.operations, size_hints(self.function)
        self.arguments = {self.memory.of(a) for a in self.function.regions[0].blocks[0].arguments}
        self.made: dict[ir.Value, int] = {op.results[0]: n for n, op in enumerate(self.operations) if op.operation.name == "host.alloc"}
        donated = [a for a in leaving(self.function) if a.arg_number in set(dense_entries(self.function, DONATED))]
        donated = [a for a in donated if a in self.lives.last_use]
        self.freed = {op.operands[0] for op in self.operations if op.operation.name == "host.free"} | set(donated)
        self.bytes = RangeMaxima(bytes_over_time(self.lives, self.hints, donated))
        self.limit = self.bytes.largest(0, len(self.operations)) + KERNELS.free_peak_bytes
        self.written: dict[int, int] = {}
        self.read: dict[int, int] = {}
        self.effects = BEFORE_ALL
        self.open: dict[Hashable, list[LaunchGroup]] = {}

    def groups(self) -> list[LaunchGroup]:
        """The groups of two launches or more."""
        for number, op in enumerate(self.operations):
            reads, writes = (set(map(self.memory.of, values)) for values in self._accesses(op))
            kind = self.kinds.of(op) if op.operation.name == "host.launch" else None
            group = None if kind is None else self._place(number, op, kind, reads, writes)
            self._note(reads, writes, number if group is None else group.anchor)
            may_fail = op.operation.name == "host.call" or (op.operation.name == "host.launch" and self.kinds.may_fail(op))
            self.effects = number if may_fail else self.effects
            for other in (g for groups in self.open.values() for g in groups[-TRIED_GROUPS:]):
                if other is not group and (other.is_touched_by(reads, writes) or (other.visible and may_fail)):
                    other.pinned = True
        return [group for groups in self.open.values() for group in groups if len(group.numbers) > 1]

    def _place(self, number: int, launch: ir.OpView, kind: Hashable, reads: set[int], writes: set[int]) -> LaunchGroup:
        """The group that a launch joins: the latest one that it can move forward to, or that can move back to it; else a new one."""
        groups = self.open.setdefault(kind, [])
        ready = self._ready(reads, writes)
        for group in reversed(groups[-TRIED_GROUPS:]):
            joins = self._moves_forward if ready < group.anchor else self._moves_back
            if self._has_room(group, launch) and joins(group, number, launch, reads, writes) and may_rewrite("launch in a group", launch):
                return self._joined(group, number, reads, writes)
        groups.append(self._joined(LaunchGroup(number), number, reads, writes))
        return groups[-1]

    def _ready(self, reads: set[int], writes: set[int]) -> int:
        """The last position before which a launch can't run."""
        found = [self.written.get(m, BEFORE_ALL) for m in reads | writes] + [self.read.get(m, BEFORE_ALL) for m in writes]
        if writes & self.arguments:
            found.append(self.effects)  # the caller sees what an operation that fails left
        return max(found, default=BEFORE_ALL)

    def _has_room(self, group: LaunchGroup, launch: ir.OpView) -> bool:
        """Whether the arguments of the group's launch, and the sizes for which it has code, are not too many."""
        if len(group.sizes | {self.kinds.sizes(launch)}) > TUNING.group_sizes:
            return False
        return len(group.buffers | set(launch.operands)) + group.others + self._others(launch) <= TUNING.group_arguments

    def _moves_forward(self, group: LaunchGroup, number: int, launch: ir.OpView, reads: set[int], writes: set[int]) -> bool:
        """Whether a launch can move to the group, which is in front of it. The buffers that it makes are then held from there on."""
        new = {v: self.made[v] for v in launch.operands if group.anchor < self.made.get(v, BEFORE_ALL)}
        if not new:
            return True
        held = sum(self._bytes(v) for v in new)
        if group.made + held > TUNING.group_bytes or sum(map(self._bytes, launch.operands)) > TUNING.grouped_bytes:
            return False
        if self.bytes.largest(group.anchor, min(new.values())) + held > self.limit:
            return False
        for value, made in new.items():
            self.bytes.add(group.anchor, made, self._bytes(value))
        group.made += held
        return True

    def _moves_back(self, group: LaunchGroup, number: int, launch: ir.OpView, reads: set[int], writes: set[int]) -> bool:
        """Whether the group can move to a launch behind it. The buffers that only the group needs are then held until there."""
        if group.pinned or group.is_touched_by(reads, writes):
            return False
        dying = self._dying(launch)
        if group.dying + dying > TUNING.group_bytes or sum(map(self._bytes, launch.operands)) > TUNING.grouped_bytes:
            return False
        if self.bytes.largest(group.anchor, number + 1) + group.dying > self.limit:
            return False
        self.bytes.add(group.anchor + 1, number + 1, group.dying)
        group.anchor = number
        self._note(group.reads, group.writes, number)
        return True

    def _joined(self, group: LaunchGroup, number: int, reads: set[int], writes: set[int]) -> LaunchGroup:
        launch = self.operations[number]
        group.numbers.append(number)
        group.buffers.update(launch.operands)
        group.sizes.add(self.kinds.sizes(launch))
        group.reads |= reads
        group.writes |= writes
        group.others += self._others(launch)
        group.dying += self._dying(launch)
        group.visible |= bool(writes & self.arguments)
        return group

    def _others(self, launch: ir.OpView) -> int:
        """The arguments of a launch beside its buffers, at most."""
        kernel = self.kinds.kernels[text(launch.attributes["kernel"])]
        reductions = (op for op in kernel.regions[0].blocks[0].operations if op.operation.name == "loop.reduce")
        return len(array(launch.attributes["symbols"])) + sum(map(scratch_buffers, reductions))

    def _dying(self, launch: ir.OpView) -> int:
        """The bytes of the buffers that only this launch still needs."""
        roots = {self.lives.root(v) for v in launch.operands} & self.freed
        return sum(self._bytes(v) for v in roots if self.operations[self.lives.last_use[v]] == launch)

    def _bytes(self, value: ir.Value) -> int:
        return guessed_bytes(value.type, self.hints)

    def _note(self, reads: set[int], writes: set[int], position: int) -> None:
        """Records the accesses of operations that run at `position`."""
        for memories, last in ((reads, self.read), (writes, self.written)):
            for memory in memories:
                last[memory] = max(position, last.get(memory, BEFORE_ALL))

    def _accesses(self, op: ir.OpView) -> tuple[list[ir.Value], list[ir.Value]]:
        """What an operation reads, and what it writes; its results count as written."""
        name, operands, results = op.operation.name, list(op.operands), list(op.results)
        if name == "host.launch":
            first = len(operands) - self.kinds.outputs(op)
            return operands[:first], operands[first:]
        if name == "host.copy":
            return operands[1:], operands[:1]
        if name in ("host.alloc", "host.view", "host.free", "aten.sym_value"):
            return [], []
        schema = schema_of(op) if name == "host.call" else None
        if schema is None or any(a.writes for a in schema.arguments):
            return operands, [*operands, *results]
        into = call_into(op)
        return operands, [*results, *([] if into is None else [operands[into]])]

    # The rewritten graph.

    def rewrite(self, groups: Sequence[LaunchGroup]) -> None:
        """Moves the launches of each group to its anchor, and creates the groups' symbols."""
        frees = {op.operands[0]: n for n, op in enumerate(self.operations) if op.operation.name == "host.free"}
        makers = _Makers(self.operations)
        names = _Names(self.module, self.function)
        for group in groups:
            launches = [self.operations[n] for n in group.numbers]
            _move_together(launches, group.numbers.index(group.anchor))
            for number, launch in zip(group.numbers, launches, strict=True):
                for value in launch.operands:
                    makers.move_to(launches[0], value, group.anchor, number)
            for value in dict.fromkeys(self.lives.root(v) for op in launches for v in op.operands):
                if frees.get(value, group.anchor) < group.anchor:
                    self.operations[frees[value]].operation.move_after(launches[-1].operation)
            name = names.of(launches)
            for part, launch in enumerate(launches):
                number_of_part = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), part)
                launch.attributes[GROUP] = ir.ArrayAttr.get([ir.FlatSymbolRefAttr.get(name), number_of_part])
        every = [op for op in self.operations if op.operation.name == "host.launch"]
        alone = {text(op.attributes["kernel"]) for op in every if GROUP not in op.attributes}
        for name in {text(op.attributes["kernel"]) for op in every} - alone:
            self.kinds.kernels[name].attributes[GROUPED] = ir.UnitAttr.get()


def _move_together(launches: Sequence[ir.OpView], at: int) -> None:
    """Moves all launches to number `at` of them, in their order."""
    for launch in launches[:at]:
        launch.operation.move_before(launches[at].operation)
    for before, launch in itertools.pairwise(launches[at:]):
        launch.operation.move_after(before.operation)


def scratch_buffers(reduction: ir.OpView) -> int:
    """The scratch buffers of a reduction that is split, at most: those of the splits, and the merged ones. Welford's has a count too."""
    return 2 * (len(reduction.results) + (text(reduction.attributes["kind"]) == "welford"))


class _Makers:
    """Where allocations and views stood, and where their results were used, by numbers of operations. (An operation is no key: its hash
    changes with its operands and attributes.)"""

    def __init__(self, operations: Sequence[ir.OpView]) -> None:
        self._uses: dict[ir.Value, list[int]] = {}
        self._made: dict[ir.Value, int] = {}
        for number, op in enumerate(operations):
            for operand in op.operands:
                self._uses.setdefault(operand, []).append(number)
            if op.operation.name in ("host.alloc", "host.view"):
                self._made[op.results[0]] = number

    def move_to(self, first: ir.OpView, value: ir.Value, anchor: int, user: int) -> None:
        """Moves what makes an operand of launch number `user` before `first`, the first launch of its group: if it stood behind the group,
        or if it is an allocation in front of the group that nothing in front of the group uses but the launch."""
        if value not in self._made:
            return
        made = maker(value)
        if self._made[value] < anchor and (
            made.operation.name == "host.view" or any(number < anchor and number != user for number in self._uses[value])
        ):
            return
        for operand in made.operands:
            self.move_to(first, operand, anchor, user)
        made.operation.move_before(first.operation)


class _Names:
    """The `loop.group`s of a module, one for all equal groups."""

    def __init__(self, module: ir.Module, function: ir.OpView) -> None:
        self._ip = ir.InsertionPoint(function)
        self._kernels = {text(o.attributes["sym_name"]): o for o in module.body.operations if o.operation.name == "loop.func"}
        self._known: dict[tuple[tuple[str, ...], tuple[int, ...]], str] = {}

    def of(self, launches: Sequence[ir.OpView]) -> str:
        """The symbol of a group of launches."""
        parts = tuple(text(op.attributes["kernel"]) for op in launches)
        buffers = list(dict.fromkeys(v for op in launches for v in op.operands))
        places = {v: n for n, v in enumerate(buffers)}
        numbers = tuple(places[v] for op in launches for v in op.operands)
        if (parts, numbers) not in self._known:
            self._known[parts, numbers] = self._create(parts, numbers)
        return self._known[parts, numbers]

    def _create(self, parts: Sequence[str], buffers: Sequence[int]) -> str:
        name = f"grouped_{re.sub('_[0-9]+$', '', parts[0])}_{len(self._known)}"
        i64 = ir.IntegerType.get_signless(64)
        attributes = {
            "sym_name": ir.StringAttr.get(name),
            "parts": ir.ArrayAttr.get([ir.FlatSymbolRefAttr.get(p) for p in parts]),
            "buffers": ir.ArrayAttr.get([ir.IntegerAttr.get(i64, n) for n in buffers]),
            "device": self._kernels[parts[0]].attributes["device"],
        }
        ir.Operation.create("loop.group", attributes=attributes, loc=ir.Location.unknown(), ip=self._ip)
        return name


def group_launches(module: ir.Module) -> None:
    """Groups the launches of the graph's function."""
    if not any(op.operation.name == "loop.func" and is_on_gpu(op) for op in module.body.operations):
        return
    grouping = LaunchGrouping(module)
    grouping.rewrite(grouping.groups())


register_pass("group-launches", group_launches)
