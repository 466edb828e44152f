"""When one value may replace another with equal elements: the rule of all passes that drop copies and views."""

from __future__ import annotations

import functools
from dataclasses import replace

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ..analysis.alias_analysis import Aliases, Timeline, base_name, shared
from ..rewrite_limit import may_rewrite


class Replacer:
    """Replaces results of one function's operators by values with the same elements, if the caller can't see the difference."""

    def __init__(self, function: ir.OpView) -> None:
        self._function = function

    @functools.cached_property
    def aliases(self) -> Aliases:
        """Computed for the function before its first replacement: many graphs have none."""
        return Aliases(self._function)

    @functools.cached_property
    def timeline(self) -> Timeline:
        return Timeline(self._function.regions[0].blocks[0], self.aliases)

    def replace(self, op: ir.Operation, source: ir.Value) -> bool:
        """Replaces the only result of `op` by `source`, whose elements were the same when `op` ran. Returns whether it did."""
        result = op.results[0]
        if not self.allowed(op, source) or not may_rewrite("removal", op):
            return False
        result.replace_all_uses_with(source)
        self.aliases.replace(result, source)
        if "timeline" in vars(self):  # otherwise it is computed from the changed block later
            self.timeline.move(result, source)
        op.erase()
        return True

    def allowed(self, op: ir.Operation, source: ir.Value) -> bool:
        """Whether the types agree, no read would see a later write, and the caller's tensors share memory as before."""
        result = op.results[0]
        if result in self.aliases.returned:
            return False
        if self._is_view(op, source):
            return bool(result.type == source.type)
        if not self._types_agree(result, source):
            return False
        if self.aliases.would_meet(result, source):
            return False
        if not self._is_written(source):
            return True
        position, last = self.timeline.position(op), self.timeline.last_read(result)
        return not self.timeline.written_between(source, position, last)

    def readable(self, value: ir.Value, op: ir.Operation) -> bool:
        """Whether `op` may read `value`, made earlier, instead of a value computed from it: nothing has written it since."""
        return not self._is_written(value) or not self.timeline.written_between(value, -1, self.timeline.position(op))

    def _is_written(self, value: ir.Value) -> bool:
        """Whether anything in the graph writes to the storage of `value`."""
        return self.aliases.root(value) in self.aliases.written

    def _types_agree(self, result: ir.Value, source: ir.Value) -> bool:
        """Whether the types are equal; a copy's offset may differ from its source's if no view of the copy depends on it."""
        if result.type == source.type:
            return True
        if not isinstance(source.type, ir.RankedTensorType) or not isinstance(result.type, ir.RankedTensorType):
            return False
        a, b = TensorInfo.of(result.type), TensorInfo.of(source.type)
        return a == replace(b, offset=a.offset) and not any(_passes_memory_on(use.owner, result) for use in result.uses)

    def _is_view(self, op: ir.Operation, source: ir.Value) -> bool:
        """Whether the result certainly lies in the memory of `source` already."""
        result = op.results[0]
        same = self.aliases.root(result) == self.aliases.root(source)
        return same and self.aliases.certain(result) and self.aliases.certain(source)


def _passes_memory_on(user: ir.OpView, value: ir.Value) -> bool:
    """Whether a user returns views of `value`, or returns it to the caller."""
    if not aten_ops.is_operator(user):
        return user.operation.name == "func.return"
    return base_name(aten_ops.schema(user)) == "as_strided_scatter" or any(source == value for _, source, _ in shared(user))
