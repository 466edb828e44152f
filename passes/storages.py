"""Which values of a graph share memory, which memory the caller gets, and which is written."""

from __future__ import annotations

from collections.abc import Iterator

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten_schema import Schema

# View operators that never copy, whose result is what its type says over the memory of their operand.
STRIDED_VIEWS = frozenset({
    "view", "_unsafe_view", "_reshape_alias", "permute", "transpose", "t", "expand", "slice", "select", "squeeze", "unsqueeze",
    "alias", "detach", "as_strided", "diagonal", "unfold", "split", "split_with_sizes", "unbind",
})  # fmt: skip


def functions(module: ir.Module) -> Iterator[ir.OpView]:
    """The functions of a module that have a body."""
    for op in module.body.operations:
        if op.operation.name == "func.func" and len(op.regions[0].blocks):
            yield op


def base_name(schema: Schema) -> str:
    """`aten.add.Tensor` -> `add`; the whole name for operators of other namespaces."""
    namespace, base, _ = schema.name.split(".")
    return base if namespace == "aten" else schema.name


class Storages:
    """`root` leads from a value to the one that owns its memory. An operator that may give a view counts as one that does."""

    def __init__(self, block: ir.Block) -> None:
        self._roots: dict[ir.Value, ir.Value] = {}
        self.returned: set[ir.Value] = set()
        self.written: set[ir.Value] = set()
        for op in block.operations:
            if op.operation.name == "func.return":
                self.returned = set(op.operands)
            elif aten_ops.is_operator(op):
                self._operator(op)
        self._returned_roots = {self.root(v) for v in self.returned}

    def root(self, value: ir.Value) -> ir.Value:
        """The value that owns the memory of `value`."""
        return self._roots.get(value, value)

    def escapes(self, value: ir.Value) -> bool:
        """Whether the caller gets a tensor over the memory of `value`."""
        return self.root(value) in self._returned_roots

    def replace(self, old: ir.Value, new: ir.Value) -> None:
        """`new` stands for `old`, whose operation goes away: what MLIR makes next may lie at its address."""
        root = self._roots.pop(old, old)
        if root != old and not isinstance(new, ir.BlockArgument):
            self._roots.setdefault(new, root)

    def _operator(self, op: ir.OpView) -> None:
        schema = aten_ops.schema(op)
        if not (schema.is_view or schema.mutates or base_name(schema) in STRIDED_VIEWS) or not len(op.operands):
            return
        if schema.mutates:
            self.written |= {self.root(v) for v in written_operands(op, schema)}
        for result in op.results:
            self._roots[result] = self.root(op.operands[0])


def written_operands(op: ir.OpView, schema: Schema) -> Iterator[ir.Value]:
    """The operands that an operator writes."""
    arguments = aten_ops.arguments(op)
    for argument in schema.tensors:
        value = arguments[argument.name]
        if argument.writes:
            yield from (v for v in (value if isinstance(value, list) else [value]) if isinstance(v, ir.Value))
