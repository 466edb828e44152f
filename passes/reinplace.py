"""`reinplace`: marks calls that may write an operand instead of a copy of it (`aten.inplace`); the graph keeps value semantics.

Allowed if no later read sees what is replaced, no other operand of the call shares its memory, the caller's tensors share no new memory,
and, for a graph input, a `copy_` onto it follows. Otherwise `aten.copies` says why not.
"""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from .analysis.alias_analysis import functions_with_body
from .analysis.infer_metadata import TypeInference
from .analysis.inplace_rules import MARK, InplaceCandidate, candidates, replaced_region, writes_once_a_line
from .analysis.memory_overlap import has_own_layout
from .analysis.node_identity import identity
from .analysis.uniform_values import is_fill
from .registry import register_pass
from .rewrite_limit import LIMIT_REACHED, may_rewrite
from .rewriting.relayout import relaid
from .verify.verify_inplace import OTHER_LAYOUT, Contents, Write, own_operands, write_problem

_OVER_FILL = frozenset({
    "aten.scatter.src", "aten.scatter.value", "aten.select_scatter.default", "aten.slice_scatter.default", "aten.diagonal_scatter.default",
})  # fmt: skip

# The reasons, by operand number, why a call copies what it could write.
REFUSED = "aten.copies"


def reinplace(module: ir.Module) -> None:
    """Marks what can be marked in every function of the module, in order."""
    for function in functions_with_body(module):
        block = function.regions[0].blocks[0]
        if any(candidates(op) for op in block.operations):
            _flatten(block)
            _mark(function)
            _renew_runs(block)


def _mark(function: ir.OpView) -> None:
    forbidden: set[ir.Value] = set()
    while True:
        marker = _Marker(function, forbidden)
        found = marker.run()
        if not found:
            return
        assert not found <= forbidden, "marks that should not be there"
        marker.undo()
        forbidden |= found


def _renew_runs(block: ir.Block) -> None:
    """Results have other types than before, also in lists."""
    for op in block.operations:
        if aten_ops.is_operator(op):
            aten_ops.renew_runs(op.operation)


def _flatten(block: ir.Block) -> None:
    """slice_scatter(x, select_scatter(slice(x), y)) -> as_strided_scatter(x, y): the elements in between are x's own.

    For an x in memory of its own layout: for another layout PyTorch copies only the elements, and has nothing in between. Not for an
    as_strided_scatter of the program: it may write outside of its view, where nothing is put back; the others write inside.
    """
    inside: set[ir.Value] = set()
    for view in list(block.operations):
        outer = replaced_region(view)
        inner = view.operands[1].owner if outer is not None and isinstance(view.operands[1], ir.OpResult) else None
        if inner is None or replaced_region(inner) is None or TensorInfo.of(inner.operands[0].type) != outer:
            continue
        base = _viewed(inner.operands[0])
        if inner.name == "aten.as_strided_scatter" and inner.results[0] not in inside:
            continue
        if base is None or base != view.operands[0] or not has_own_layout(TensorInfo.of(view.operands[0].type)):
            continue
        if _is_static(replaced_region(inner)):
            inside.add(_replace(view.operation, inner, replaced_region(inner)))


def _viewed(value: ir.Value) -> ir.Value | None:
    """The operand of the view operator that makes a value."""
    made = value.owner if isinstance(value, ir.OpResult) else None
    return made.operands[0] if made is not None and aten_ops.is_operator(made) and aten_ops.schema(made).is_view else None


def _is_static(info: TensorInfo | None) -> bool:
    return info is not None and all(isinstance(n, int) for n in (*info.sizes, *info.strides, info.offset))


def _replace(op: ir.Operation, inner: ir.OpView, at: TensorInfo | None) -> ir.Value:
    """The result of the operation that replaces `op` and `inner`."""
    assert at is not None
    arguments: dict[str, Any] = {"self": op.operands[0], "src": inner.operands[1]}
    arguments |= {"size": list(at.sizes), "stride": list(at.strides), "storage_offset": at.offset}
    name = "aten.as_strided_scatter.default"
    made = aten_ops.create(name, arguments, [op.results[0].type], op.location, ir.InsertionPoint(op), identity(op))
    op.results[0].replace_all_uses_with(made.results[0])
    unused = inner.operation
    op.erase()
    if next(iter(unused.results[0].uses), None) is None:
        unused.erase()
    return made.results[0]


def _is_over_fill(op: ir.OpView) -> bool:
    """Whether a call writes known elements of a tensor that is otherwise one number: one kernel makes all of the result, and fuses with
    others, where a write into the filled tensor would be a second one."""
    name = aten_ops.schema(op).name if aten_ops.is_operator(op) else ""
    if name not in _OVER_FILL:
        return False
    made = op.operands[0].owner if isinstance(op.operands[0], ir.OpResult) else None
    if made is None or not aten_ops.is_operator(made) or not is_fill(aten_ops.schema(made)):
        return False
    given, sizes = aten_ops.arguments(op), TensorInfo.of(op.operands[0].type).sizes
    if name.startswith("aten.scatter."):
        return writes_once_a_line(op)
    numbers = (given.get(name) for name in ("index", "start", "end", "step", "offset"))
    return all(n is None or isinstance(n, int) for n in (*numbers, *sizes))


class _Marker:
    """Marks the calls of one function. `forbidden`: graph inputs that must not be written, and results that must be copies."""

    def __init__(self, function: ir.OpView, forbidden: set[ir.Value]) -> None:
        self.contents = Contents(function, hopeful=True)
        self.inference = TypeInference(function)
        self.forbidden = forbidden
        self.retyped: list[tuple[ir.Value, ir.Type]] = []
        self.writes: list[tuple[ir.Value, Write]] = []

    def run(self) -> set[ir.Value]:
        """Marks the calls. Returns the values that must not be written after all: graph inputs whose `copy_` reads them in another layout,
        and results that a scatter reads that had to copy. If there are any, the marks are wrong: mark again without these values."""
        for position, op in enumerate(self.contents.operations):
            accepted: list[int] = []
            refusals: dict[str, ir.Attribute] = {}
            for candidate in () if _is_over_fill(op) else candidates(op):
                refused = self._refused(op, candidate, position)
                refused = refused or (None if may_rewrite("write in place", op) else LIMIT_REACHED)
                if refused:
                    refusals[str(candidate.operand)] = ir.StringAttr.get(refused)
                    continue
                accepted.append(candidate.operand)
                self.writes.append((op.results[candidate.result], self.contents.write(position, op, candidate)))
                self.contents.merge(op.results[candidate.result], candidate.target(op))
            _note(op, accepted, refusals)
        self.contents.hopeful = False
        copies = (self.contents.operations[position] for position in self.contents.epilogues.values())
        misplaced = {op.operands[0] for op in copies if self.contents.misplaced(op)}
        return misplaced | {result for result, write in self.writes if next(self.contents.stale_reads(write), None) is not None}

    def undo(self) -> None:
        for op in self.contents.operations:
            _note(op, [], {})
        for value, type_ in reversed(self.retyped):
            value.set_type(type_)

    def _refused(self, op: ir.OpView, candidate: InplaceCandidate, position: int) -> str | None:
        """The reason why a call must copy; None if it need not. The result then gets the operand's layout."""
        contents, aliases = self.contents, self.contents.aliases
        problem = write_problem(op, candidate, contents, position)
        if problem and problem != OTHER_LAYOUT:
            return problem
        value, result = candidate.target(op), op.results[candidate.result]
        root = aliases.root(value)
        if root in self.forbidden:
            return "the copy_ onto the input reads the result in another layout"
        if result in self.forbidden:
            return "what puts the result back into the operand's tensor reads the old value"
        if aliases.escapes(result) and (isinstance(root, ir.BlockArgument) or aliases.escapes(root)):
            return "the caller gets the result, and has or gets the operand's memory"
        if isinstance(root, ir.BlockArgument) and contents.is_read_after(result, contents.epilogues[root]):
            return "the result is read after the copy_ onto the input"
        refused = own_operands(op, candidate, contents, position)
        if refused:
            return refused
        reader = next(contents.stale_reads(contents.write(position, op, candidate)), None)
        if reader is not None:
            return f"{reader.operation.name} reads the old value later"
        return problem if problem and not relaid(result, value.type, self.inference, self.retyped) else None


def _note(op: ir.OpView, accepted: list[int], refusals: dict[str, ir.Attribute]) -> None:
    for name in (MARK, REFUSED):
        if name in op.attributes:
            del op.attributes[name]
    if accepted:
        i64 = ir.IntegerType.get_signless(64)
        op.attributes[MARK] = ir.ArrayAttr.get([ir.IntegerAttr.get(i64, n) for n in accepted])
    if refusals:
        op.attributes[REFUSED] = ir.DictAttr.get(refusals)


register_pass("reinplace", reinplace)
