"""`cse-aten`: replaces an operator call by an equal earlier one.

Two calls are not merged if a write lies between them, if they draw random values or must return memory of their own (empty, and clone where
a copy is written), or if the caller gets both results: two results must not become one, nor share memory that they did not share before.
"""

from __future__ import annotations

from collections.abc import Hashable

from torch_mlir import ir

from ..dialects import aten_ops
from .analysis.alias_analysis import STRIDED_VIEWS, Aliases, base_name, functions_with_body
from .analysis.node_identity import MERGED, NODE
from .analysis.saved_values import BACKWARD
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .working_on import works_on_operation

CLONE = aten_ops.op_name("aten.clone.default")


def cse_aten(module: ir.Module) -> None:
    """Merges equal calls in every function of the module."""
    for function in functions_with_body(module):
        block = function.regions[0].blocks[0]
        _Merger(Aliases(function)).run(block)


class _Merger:
    def __init__(self, storages: Aliases) -> None:
        self.storages = storages
        self.known: dict[Hashable, ir.Operation] = {}
        self.replaced: dict[ir.Value, ir.Value] = {}
        # Memory that did not reach the caller before, but does since an equal call whose result the caller gets was merged into its value.
        self.escaping: set[ir.Value] = set()
        self.has_regions = False  # whether an operation of the block has regions

    def run(self, block: ir.Block) -> None:
        self.has_regions = any(len(view.operation.regions) for view in block.operations)
        for view in list(block.operations):
            op = view.operation
            if op.name == "aten.number":
                self._visit(op)
            elif aten_ops.is_operator(op):
                self._operator(op)

    @works_on_operation
    def _operator(self, op: ir.Operation) -> None:
        schema = aten_ops.schema(op)
        if schema.mutates:
            self.known.clear()
        elif schema.returns and (not schema.fresh or self._is_only_read(op)):
            self._visit(op)

    def _is_only_read(self, op: ir.Operation) -> bool:
        """Whether an operation copies a tensor, and nothing writes to the copy. Operations with regions count as ones that write."""
        return op.name == CLONE and not self.has_regions and self.storages.root(op.results[0]) not in self.storages.written

    def _visit(self, op: ir.Operation) -> None:
        key = _key(op)
        first = self.known.setdefault(key, op)
        if first is op or not self._mergeable(first, op) or not may_rewrite("merge", op):
            return
        for old, new in zip(op.results, first.results, strict=True):
            if self._escapes(old):
                self.escaping.add(self.storages.root(new))
            if old in self.storages.returned:
                self.storages.returned.add(new)
            old.replace_all_uses_with(new)
        op.erase()

    def _mergeable(self, first: ir.Operation, second: ir.Operation) -> bool:
        returned = self.storages.returned
        if any(a in returned and b in returned for a, b in zip(first.results, second.results, strict=True)):
            return False
        if aten_ops.is_operator(first) and base_name(aten_ops.schema(first)) in STRIDED_VIEWS:
            return True
        return not any(self._escapes(a) and self._escapes(b) for a, b in zip(first.results, second.results, strict=True))

    def _escapes(self, value: ir.Value) -> bool:
        return self.storages.escapes(value) or self.storages.root(value) in self.escaping


def _key(op: ir.Operation) -> Hashable:
    attributes = tuple((n, op.attributes[n]) for n in op.attributes if n not in (NODE, MERGED, BACKWARD))
    return op.name, tuple(op.operands), attributes, tuple(r.type for r in op.results)


register_pass("cse-aten", cse_aten)
