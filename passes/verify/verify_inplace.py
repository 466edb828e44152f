"""`verify-inplace`: no later operation reads elements that a call marked `aten.inplace` replaces; a `copy_` onto a marked input follows.

Each value's elements have a time: the start for a graph input, the base's time for a view, the write for a marked result. It is an error to
read a value through memory that was written after its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.narrowing import array, integers
from ...dialects.verify_aten import Broken
from ..analysis.alias_analysis import Aliases, functions_with_body, io_groups, read_operands, shared, waited_operands
from ..analysis.inplace_rules import MARK, InplaceCandidate, candidates, is_same_area, replaced_region
from ..analysis.kernel_updates import KernelAccesses
from ..analysis.memory_overlap import has_internal_overlap, overlaps
from ..registry import register_pass
from .verify_functional import EPILOGUE, is_functional
from .verify_ir import report

OTHER_LAYOUT = "the result is laid out otherwise than the operand"


def verify_inplace(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    marked = (
        f for f in functions_with_body(module) if is_functional(f) and any(MARK in o.attributes for o in f.regions[0].blocks[0].operations)
    )
    report([broken for function in marked for broken in _broken(function)])


@dataclass(frozen=True)
class Write:
    """An operation at `position` replaces the elements that `area` shows of the storage `root`; `void`: by equal elements."""

    position: int
    root: ir.Value
    area: TensorInfo
    void: bool = False


def marked_candidates(op: ir.OpView) -> list[InplaceCandidate]:
    """The operands that a call writes in place according to its mark, or that a kernel updates."""
    if MARK not in op.attributes:
        return []
    operands = integers(op.attributes[MARK])
    if op.operation.name == "loop.kernel":
        updates = integers(op.attributes["updates"])
        return [InplaceCandidate(n, updates.index(n)) for n in operands]
    return [c for c in candidates(op) if c.operand in operands]


def write_problem(op: ir.OpView, candidate: InplaceCandidate, contents: Contents, position: int) -> str | None:
    """The reason why a call can't write an operand, whoever reads it; None if it can."""
    value, result = candidate.target(op), op.results[candidate.result]
    if has_internal_overlap(TensorInfo.of(value.type)):
        return "elements of the operand share memory"
    root = contents.aliases.root(value)
    if not contents.aliases.certain(value):
        return "the operand may be a copy"
    if isinstance(root, ir.BlockArgument) and contents.epilogues.get(root, -1) < position:
        return "the operand is a graph input, and no copy_ onto it follows"
    if isinstance(root, ir.BlockArgument) and root.arg_number in contents.shared_arguments:
        return "another graph input shares the operand's storage"
    return OTHER_LAYOUT if value.type != result.type else None


@dataclass(frozen=True)
class Read:
    """An operation at `position` reads `value`, its operand `number`, except the elements that `unread` shows."""

    position: int
    value: ir.Value
    number: int
    unread: TensorInfo | None = None


class Contents:
    """When each value's elements were made, and who reads them. `hopeful`: each `slice_scatter` and the like counts as marked, so it does
    not read what it replaces."""

    def __init__(self, function: ir.OpView, hopeful: bool = False) -> None:
        self.hopeful = hopeful
        self.aliases = Aliases(function)
        self.operations = list(function.regions[0].blocks[0].operations)
        self.epilogues: dict[ir.Value, int] = {}  # the position of the `copy_` onto an argument
        groups = [[n for n in group if n >= 0] for group in io_groups(function)]
        self.shared_arguments = {n for group in groups if len(group) > 1 for n in group}
        self._made: dict[ir.Value, int] = {}
        self._reads: dict[ir.Value, list[Read]] = {}  # by storage
        self._accesses: dict[int, KernelAccesses] = {}
        for position, op in enumerate(self.operations):
            self._note_results(position, op)
            replaced = replaced_region(op)
            for number, value in enumerate([*read_operands(op), *waited_operands(op), *_seen_if_raised(op)]):
                read = Read(position, value, number, replaced if number == 0 else None)
                self._reads.setdefault(self.aliases.root(value), []).append(read)

    def _note_results(self, position: int, op: ir.OpView) -> None:
        """A view is as old as its base; the result of `copy_` is new."""
        is_operator = aten_ops.is_operator(op)
        mutates = is_operator and aten_ops.schema(op).mutates
        if is_operator and aten_ops.schema(op).name == EPILOGUE:
            self.epilogues[op.operands[0]] = position
        views = {r: source for r, source, _ in shared(op)} if is_operator and not mutates else {}
        for result in op.results:
            self._made[result] = self._made.get(views[result], -1) if result in views else position

    def write(self, position: int, op: ir.OpView, candidate: InplaceCandidate) -> Write:
        """The write of a call that writes the candidate's operand."""
        value, replaced = candidate.target(op), replaced_region(op)
        root = self.aliases.root(value)
        if op.operation.name == "loop.kernel":
            return Write(position, root, self.accesses(position).written_area(candidate.result) or TensorInfo.of(value.type))
        if replaced is None:
            return Write(position, root, TensorInfo.of(value.type))
        source = op.operands[1]
        there = self.aliases.root(source) == root and self.aliases.certain(source)
        return Write(position, root, replaced, there and is_same_area(TensorInfo.of(source.type), replaced))

    def accesses(self, position: int) -> KernelAccesses:
        """The reads and writes of the kernel at a position."""
        if position not in self._accesses:
            self._accesses[position] = KernelAccesses(self.operations[position])
        return self._accesses[position]

    def merge(self, result: ir.Value, value: ir.Value) -> None:
        """Records that `result` is from now on in the memory of `value`."""
        old = self.aliases.root(result)
        self.aliases.merge(result, value)
        self._reads.setdefault(self.aliases.root(result), []).extend(self._reads.pop(old, []))

    def touches(self, write: Write, value: ir.Value) -> bool:
        """Whether a write may replace an element of a value."""
        if not isinstance(value.type, ir.RankedTensorType) or self.aliases.root(value) != write.root:
            return False
        return not self.aliases.certain(value) or overlaps(TensorInfo.of(value.type), write.area)

    def stale_reads(self, write: Write) -> Iterator[ir.OpView]:
        """The operations that read, after a write, what it replaced of a value made before it."""
        for read in () if write.void else self._reads.get(write.root, ()):
            if not self._made.get(read.value, -1) < write.position < read.position or not self.touches(write, read.value):
                continue
            reader = self.operations[read.position]
            unread = read.unread is not None and self._only_passes_on(read.position, reader) and is_same_area(read.unread, write.area)
            if not (self.aliases.certain(read.value) and (unread or self._loads_others(reader, read, write))):
                yield reader

    def _loads_others(self, reader: ir.OpView, read: Read, write: Write) -> bool:
        """Whether a kernel loads, from an operand that it does not update, nothing that a write replaced."""
        if reader.operation.name != "loop.kernel" or read.number in integers(reader.attributes["updates"]):
            return False
        return not self.accesses(read.position).reads(read.number, write.area)

    def _only_passes_on(self, position: int, scatter: ir.OpView) -> bool:
        """Whether a `slice_scatter` or the like moves no data: it is marked, and its `src` lies there already. Any other marked one
        becomes a kernel that updates its whole operand, so it counts as a reader of it."""
        return self.hopeful or (MARK in scatter.attributes and self.write(position, scatter, InplaceCandidate(0, 0)).void)

    def misplaced(self, copy: ir.OpView) -> bool:
        """Whether a `copy_` reads the memory that it writes, in another layout."""
        target, source = copy.operands
        return target.type != source.type and self.aliases.root(target) == self.aliases.root(source)

    def is_read_after(self, value: ir.Value, position: int) -> bool:
        """Whether something in the storage of a value is read after `position`."""
        return any(read.position > position for read in self._reads.get(self.aliases.root(value), ()))


def _seen_if_raised(op: ir.OpView) -> list[ir.BlockArgument]:
    """The graph inputs, if the operation is an ordered call: it may raise, and the caller then sees them."""
    if not aten_ops.is_operator(op) or not aten_ops.schema(op).ordered:
        return []
    return [a for a in op.operation.block.arguments if isinstance(a.type, ir.RankedTensorType)]


def _broken(function: ir.OpView) -> Iterator[Broken]:
    contents = Contents(function)
    for position, op in enumerate(contents.operations):
        if len(op.operands) and contents.epilogues.get(op.operands[0]) == position and contents.misplaced(op):
            yield op.operation, "reads, in another layout, the memory that it writes"
        found = marked_candidates(op)
        if MARK in op.attributes and len(found) != len(array(op.attributes[MARK])):
            yield op.operation, "is marked for an operand that it can't write"
        for candidate in found:
            problem = write_problem(op, candidate, contents, position) or own_operands(op, candidate, contents, position)
            if problem:
                yield op.operation, f"writes operand {candidate.operand} in place: {problem}"
            for reader in contents.stale_reads(contents.write(position, op, candidate)):
                yield reader.operation, "reads a value after a marked call has replaced it"


def own_operands(op: ir.OpView, candidate: InplaceCandidate, contents: Contents, position: int) -> str | None:
    """The other operands of a call that its write would change while they are read."""
    write = contents.write(position, op, candidate)
    touched = [n for n, v in enumerate(op.operands) if n != candidate.operand and not write.void and contents.touches(write, v)]
    if touched and op.operation.name == "loop.kernel" and all(_is_same(op.operands[n], candidate.target(op), contents) for n in touched):
        accesses = contents.accesses(position)
        problem = accesses.update_problem(candidate.result, touched)
        late = not problem and accesses.readers(candidate.result, touched) & accesses.stores_after(candidate.result)
        return "the kernel stores later what depends on what it replaces" if late else problem
    return f"operand {touched[0]} overlaps what is written" if touched else None


def _is_same(value: ir.Value, target: ir.Value, contents: Contents) -> bool:
    return value.type == target.type and contents.aliases.certain(value)


register_pass("verify-inplace", verify_inplace)
