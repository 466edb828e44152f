"""Which values of a graph share memory or may overlap, which memory the caller sees, and when values are read and written."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from torch_mlir import ir

from ...dialects import aten_ops, aten_registry
from ...dialects.aten import TensorInfo, size_of
from ...dialects.aten_schema import Argument, Schema
from ...dialects.narrowing import AnyOp, array, integers, maker
from .inplace_rules import MARK, candidates
from .memory_overlap import overlaps
from .saved_values import may_be_saved, read_by_backward

# View operators that never copy: the result's type is its layout over the operand's memory.
STRIDED_VIEWS = frozenset({
    "view", "_unsafe_view", "_reshape_alias", "permute", "transpose", "t", "expand", "slice", "select", "squeeze", "unsqueeze",
    "alias", "detach", "as_strided", "diagonal", "unfold", "split", "split_with_sizes", "unbind",
})  # fmt: skip
# Other operators that never copy: the elements have another type, or are parts of complex numbers.
_OTHER_VIEWS = frozenset({"view_as_real", "view_as_complex", "lift_fresh", "lift"})
_VIEWS = STRIDED_VIEWS | _OTHER_VIEWS
_COPY = aten_ops.op_name("aten.copy_.default")
# Operators that return their operand's memory although the schema does not say so. `wait_tensor` returns the tensor that it waits for.
_WAIT = "_c10d_functional.wait_tensor.default"
_WAIT_OP = aten_ops.op_name(_WAIT)
UNTOLD_VIEWS = frozenset({"_unsafe_view", _WAIT})


def functions_with_body(module: ir.Module) -> Iterator[ir.OpView]:
    """The functions of a module that have a body."""
    for op in module.body.operations:
        if op.operation.name == "func.func" and len(op.regions[0].blocks):
            yield op


def base_name(schema: Schema) -> str:
    """`aten.add.Tensor` -> `add`; the whole name for operators of other namespaces."""
    return schema.base_name


def written_operands(op: ir.OpView, schema: Schema) -> Iterator[ir.Value]:
    """The operands that an operator writes."""
    if schema.mutates:
        yield from _values(op, [a for a in schema.tensors if a.writes])


def read_operands(op: ir.OpView) -> Iterator[ir.Value]:
    """The operands whose elements an operation reads: not those of views, which only pass memory on, and not the target of a `copy_`."""
    if not aten_ops.is_operator(op):
        yield from op.operands
        return
    if op.operation.name == _COPY:
        yield op.operands[1]
    elif aten_ops.schema(op).base_name not in _VIEWS:
        yield from op.operands


def is_wait(op: AnyOp) -> bool:
    """Whether an operation waits for a collective."""
    return bool(op.operation.name == _WAIT_OP)


def waited_operands(op: ir.OpView) -> Sequence[ir.Value]:
    """The operands of the collective that `op` waits for: the collective reads them until then. Empty if the collective reads a copy of
    its operands, and if `op` is no wait."""
    if not is_wait(op):
        return ()
    start = op.operands[0].owner
    return () if not isinstance(start, ir.OpView) or candidates(start) else list(start.operands)


@functools.cache
def _may_share(op_name: str) -> bool:
    """Whether an operator may return a view, or an operand that it wrote."""
    schema = aten_registry.schema_by_name(op_name)
    assert schema is not None, op_name
    return base_name(schema) in UNTOLD_VIEWS or any(r.alias for r in schema.returns)


def shared(op: ir.OpView) -> Iterator[tuple[ir.Value, ir.Value, bool]]:
    """(result, operand, surely) for each result that shares memory with an operand; `surely` is False if it only may."""
    if not _may_share(op.operation.name):
        return
    schema = aten_ops.schema(op)
    name = base_name(schema)
    if name in UNTOLD_VIEWS or (name in STRIDED_VIEWS and len(op.operands) == len(op.results) == 1):
        yield op.results[0], op.operands[0], True
        return
    surely = schema.mutates or name in _VIEWS
    for returned, given in zip(schema.returns, aten_ops.results(op), strict=True):
        sources = [a for a in schema.tensors if set(a.alias) & set(returned.alias)]
        for result in given if isinstance(given, list) else [given]:
            for source in _values(op, sources):
                yield result, source, surely and len(sources) == 1 and not sources[0].is_list


def marked(op: ir.OpView) -> Iterator[tuple[ir.Value, ir.Value]]:
    """(result, operand) for each operand that a call marked `aten.inplace` writes; the result is the operand's new value."""
    if MARK not in op.attributes:
        return
    if op.operation.name == "loop.kernel":
        pairs = list(enumerate(integers(op.attributes["updates"])))
    else:
        pairs = [(c.result, c.operand) for c in candidates(op)]
    operands = integers(op.attributes[MARK])
    yield from ((op.results[result], op.operands[operand]) for result, operand in pairs if operand in operands)


def memory_of(value: ir.Value) -> ir.Value:
    """The value whose memory `value` lies in, through views and marked calls: an argument, or a result of the operation that makes it."""
    while isinstance(value, ir.OpResult):
        op = value.owner
        sources = [(r, s) for r, s, surely in shared(op) if surely] if aten_ops.is_operator(op) else []
        found = [s for r, s in [*marked(op), *sources] if r == value]
        if not found:
            break
        value = found[0]
    return value


def is_there_already(copy: ir.OpView) -> bool:
    """Whether marked calls have already written the source of a `copy_` to its target completely, so that the copy has nothing to do."""
    target, source = copy.operands
    return bool(target.type == source.type and memory_of(source) == memory_of(target))


def _values(op: ir.OpView, wanted: list[Argument]) -> Iterator[ir.Value]:
    tensors = aten_ops.tensors(op)
    for argument in wanted:
        value = tensors[argument.name]
        yield from (v for v in aten_ops.listed(value) if isinstance(v, ir.Value))


class Aliases:
    """The memory of one function's values.

    `root` maps a value to the one that stands for its storage: the result that makes the memory, or one of the arguments in it. An
    operator that may return a view counts as one that does.
    """

    def __init__(self, function: ir.OpView) -> None:
        block = function.regions[0].blocks[0]
        self._parents: dict[ir.Value, tuple[ir.Value, bool]] = {}
        self._children: dict[ir.Value, list[ir.Value]] = {}
        self.returned: set[ir.Value] = set()
        self.written: set[ir.Value] = set()
        self._share_arguments(function, block)
        for op in block.operations:
            if op.operation.name == "func.return":
                self.returned = set(op.operands)
            else:
                self._operator(op)
        self.written = {self.root(v) for v in self.written}
        self._returned_roots = {self.root(v) for v in self.returned}
        self._saved_roots = {self.root(v) for v in may_be_saved(function)}

    def _share_arguments(self, function: ir.OpView, block: ir.Block) -> None:
        for group in io_groups(function):
            arguments = [block.arguments[n] for n in group if n >= 0]
            for other in arguments[1:]:
                self._join(other, arguments[0], surely=True)

    def _operator(self, op: ir.OpView) -> None:
        for result, source in marked(op):
            self._join(result, source, surely=True)
        schema = aten_registry.schema_by_name(op.operation.name)
        if schema is None:
            return
        if _may_share(schema.op_name):
            for result, source, surely in shared(op):
                self._join(result, source, surely)
        if schema.mutates:
            self.written.update(written_operands(op, schema))

    def _join(self, value: ir.Value, source: ir.Value, surely: bool) -> None:
        if value not in self._parents:
            self._put(value, source, surely)
        elif self.root(value) != self.root(source):
            self._put(self.root(source), self.root(value), False)

    def _put(self, value: ir.Value, parent: ir.Value, surely: bool) -> None:
        self._parents[value] = (parent, surely)
        self._children.setdefault(parent, []).append(value)

    def merge(self, result: ir.Value, value: ir.Value) -> None:
        """Records that `result`, so far a memory of its own, lies in the memory of `value`."""
        if result in self._returned_roots:
            self._returned_roots.add(self.root(value))
        self._put(result, value, True)

    def root(self, value: ir.Value) -> ir.Value:
        """The value that stands for the memory of `value`."""
        while value in self._parents:
            value = self._parents[value][0]
        return value

    def shows(self, value: ir.Value, source: ir.Value) -> bool:
        """Whether `value` is `source`, or made as a view of it."""
        while value != source and value in self._parents:
            value = self._parents[value][0]
        return value == source

    def certain(self, value: ir.Value) -> bool:
        """Whether `value` certainly lies in the memory of its root."""
        while value in self._parents:
            value, surely = self._parents[value]
            if not surely:
                return False
        return True

    def escapes(self, value: ir.Value) -> bool:
        """Whether the caller gets a tensor over the memory of `value`."""
        return self.root(value) in self._returned_roots

    def would_meet(self, result: ir.Value, source: ir.Value) -> bool:
        """Whether the caller could see that `result`, made by an operator, is in the memory of `source`: through a tensor that it gets or
        holds over the same memory, or through one that is saved for the backward, unless autograd saves `source` itself."""
        if self.escapes(result):
            return self._is_seen(source) or self.root(source) in self._saved_roots
        return self.root(result) in self._saved_roots and self._is_seen(source) and not read_by_backward(maker(result), source)

    def _is_seen(self, value: ir.Value) -> bool:
        return self.escapes(value) or isinstance(self.root(value), ir.BlockArgument)

    def may_overlap(self, a: ir.Value, b: ir.Value) -> bool:
        """Whether a write to one value may change the other."""
        if self.root(a) != self.root(b):
            return False
        return a == b or not (self.certain(a) and self.certain(b)) or overlaps(TensorInfo.of(a.type), TensorInfo.of(b.type))

    def replace(self, old: ir.Value, new: ir.Value) -> None:
        """Makes `new` stand for `old`, whose operation is erased: MLIR may reuse its address for another operation."""
        for roots in (self._returned_roots, self._saved_roots, self.written):
            if old in roots:
                roots.add(self.root(new))
        parent, surely = self._parents.pop(old, (new, True))
        children = [v for v in self._children.pop(old, ()) if v != new]
        if new not in self._parents and self.root(parent) != new and not isinstance(new, ir.BlockArgument):
            self._put(new, parent, surely)
        for child in children:
            if self._parents.get(child, (None,))[0] == old:
                self._put(child, new, self._parents[child][1])


def io_groups(function: ir.OpView) -> list[list[int]]:
    """The recorded aliases of the graph: groups of arguments (N) and results (-1 - N) that share storage."""
    if "aten.io_aliases" not in function.attributes:
        return []
    return [[int(size_of(n)) for n in array(group)] for group in array(function.attributes["aten.io_aliases"])]


class Timeline:
    """When the values of a block are read and written, by positions of the operations when the timeline was made."""

    def __init__(self, block: ir.Block, aliases: Aliases) -> None:
        self.aliases = aliases
        # By first result: an operation's hash changes with its operands.
        self._positions: dict[ir.Value, int] = {}
        self._reads: dict[ir.Value, list[tuple[int, ir.Value]]] = {}
        self._writes: dict[ir.Value, list[tuple[int, ir.Value]]] = {}
        for position, view in enumerate(block.operations):
            op = view.operation
            if len(op.results):
                self._positions[op.results[0]] = position
            self._note(self._reads, position, read_operands(view))
            if aten_ops.is_operator(op):
                self._note(self._writes, position, written_operands(view, aten_ops.schema(op)))

    def _note(self, into: dict[ir.Value, list[tuple[int, ir.Value]]], position: int, values: Iterable[ir.Value]) -> None:
        for value in values:
            into.setdefault(self.aliases.root(value), []).append((position, value))

    def written_between(self, value: ir.Value, first: int, last: int) -> bool:
        """Whether an operation after `first` and before `last` may change an element of `value`."""
        writes = self._writes.get(self.aliases.root(value), ())
        return any(first < position < last and self.aliases.may_overlap(value, written) for position, written in writes)

    def reads_after(self, value: ir.Value, first: int) -> Iterator[tuple[int, ir.Value]]:
        """The position and operand of each read after `first` that may see an element of `value`."""
        for position, read in self._reads.get(self.aliases.root(value), ()):
            if position > first and self.aliases.may_overlap(value, read):
                yield position, read

    def position(self, op: AnyOp) -> int:
        """The position of an operation that has results."""
        return self._positions[op.results[0]]

    def move(self, old: ir.Value, new: ir.Value) -> None:
        """Counts reads of `old`, whose operation is erased, as reads of `new`; `aliases` knows it already."""
        self._positions.pop(old, None)
        reads = self._reads.pop(old, [])
        root = self.aliases.root(new)
        self._reads.setdefault(root, []).extend((at, new if value == old else value) for at, value in reads)
        own = self._reads[root]
        own[:] = [(at, new if value == old else value) for at, value in own]

    def last_read(self, value: ir.Value) -> int:
        """The position of the last operation that reads from the storage of `value`; -1 if there is none."""
        return max((position for position, _ in self._reads.get(self.aliases.root(value), ())), default=-1)
