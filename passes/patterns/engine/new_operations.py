"""The operations that replace a candidate. They stay if the caller can't see the difference; a copy restores strides that would change."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch_mlir import ir

from ....dialects import aten_ops
from ....dialects.aten import TensorInfo, contiguous_strides
from ....dialects.narrowing import AnyOp, maker
from ...analysis.infer_metadata import MetaFailed
from ...analysis.kept_memory import keep_apart, keep_memory
from ...analysis.node_identity import inherit
from ...analysis.refused import Refused
from ...refresh_metadata import set_types
from ...verify.verify_metadata import difference

if TYPE_CHECKING:
    from .candidates import Candidate
    from .pattern_rewriting import Round

CLONE, PERMUTE = (aten_ops.op_name(f"aten.{n}.default") for n in ("clone", "permute"))


class NewOperations(abc.ABC):
    """The operations that replace one candidate, each as late as the first result that needs it allows. `outputs`: a description of each
    result's value, which `value` understands."""

    def __init__(self, round_: Round, candidate: Candidate, outputs: Sequence[Any]) -> None:
        self.round, self.candidate, self.outputs = round_, candidate, list(outputs)
        self.results = candidate.results()
        self.made: list[ir.Operation] = []
        self.loosened: list[ir.Operation] = []

    @abc.abstractmethod
    def value(self, output: Any, before: AnyOp) -> ir.Value:
        """The graph's value for an output; makes the operations that it needs, before `before`. Raises `Refused`."""

    def run(self) -> None:
        """Makes the operations. Raises `Refused`, and leaves the graph as it was, if a result can't be replaced."""
        try:
            new = self._make()
            for old, value in zip(self.results, new, strict=True):
                keep_memory(self.round, self.made, self.candidate.operations, old, value)
            keep_apart(self.round, self.made, list(zip(self.results, new, strict=True)))
        except Refused:
            self._undo()
            raise
        except MetaFailed as failed:
            self._undo()
            raise Refused(f"the replacement does not take the operands: {failed}") from failed
        for old, value in zip(self.results, new, strict=True):
            old.replace_all_uses_with(value)
        for op in self.loosened:
            set_types(op, self.round.inference)

    def _undo(self) -> None:
        for op in reversed(self.made):
            op.erase()

    def _make(self) -> list[ir.Value]:
        order = sorted(range(len(self.outputs)), key=lambda n: self.round.position(maker(self.results[n])))
        new: dict[int, ir.Value] = {}
        for number in order:
            old = self.results[number]
            made, owner = len(self.made), maker(old)
            with ir.InsertionPoint(owner), _location(self.candidate):
                value = self.value(self.outputs[number], owner)
                new[number] = self._as_before(value, old)
            for op in self.made[made:]:
                inherit(op, owner)
        return [new[n] for n in range(len(self.outputs))]

    def available(self, value: ir.Value, before: AnyOp) -> None:
        """Refuses if an input is made too late, or was overwritten since it was read."""
        if isinstance(value, ir.BlockArgument) or value in self.round.positions:
            position = self.round.position(before)
            if not isinstance(value, ir.BlockArgument) and self.round.positions[maker(value).results[0]] >= position:
                raise Refused("an input is made after a result is used")
            first = min(self.round.position(op) for op in self.candidate.operations)
            if self.round.timeline.written_between(value, first, position):
                raise Refused("an input is written between the operations")

    def _as_before(self, value: ir.Value, old: ir.Value) -> ir.Value:
        """The value with the strides of the old one. Refuses if sizes, dtype or device differ."""
        if isinstance(old.type, ir.NoneType) or difference(self.round.inference, old.type, value.type, False) is None:
            return self._typed(value, old)
        wanted = TensorInfo.of(old.type)
        if isinstance(value.type, ir.RankedTensorType) and replace(TensorInfo.of(value.type), strides=wanted.strides) == wanted:
            if self._strides_are_free(old):
                return value
            value = self._copied(value, wanted)
        problem = difference(self.round.inference, old.type, value.type, False)
        if problem is not None:
            raise Refused(f"the replacement's {problem}")
        return self._typed(value, old)

    def _copied(self, value: ir.Value, wanted: TensorInfo) -> ir.Value:
        """A copy with the strides of `wanted`, if these are dense for some order of the dims."""
        order = _memory_order(wanted)
        if order is None:
            return value
        if order == list(range(len(order))):
            return self._call("aten.clone.default", {"self": value, "memory_format": "contiguous_format"})
        value = self._call("aten.permute.default", {"self": value, "dims": order})
        value = self._call("aten.clone.default", {"self": value, "memory_format": "contiguous_format"})
        return self._call("aten.permute.default", {"self": value, "dims": [order.index(d) for d in range(len(order))]})

    def _strides_are_free(self, old: ir.Value) -> bool:
        """Whether all users of a value are contiguous copies, permuted or not: its strides are not visible after them."""
        users = [use.owner.operation for use in old.uses]
        permutes = [op for op in users if op.name == PERMUTE]
        copies = [op for op in users if op.name != PERMUTE] + [use.owner.operation for op in permutes for use in op.result.uses]
        if not all(op.name == CLONE and aten_ops.arguments(op)["memory_format"] == "contiguous_format" for op in copies):
            return False
        # A copy that the caller gets must not become a view of a value that may be saved for the backward.
        if any(self.round.aliases.escapes(op.result) for op in copies):
            return False
        self.loosened += permutes
        return True

    def _typed(self, value: ir.Value, old: ir.Value) -> ir.Value:
        """Equal types may have different texts; users keep theirs, so new values take it over."""
        if value.type != old.type and isinstance(value, ir.OpResult) and value.owner in self.made:
            value.set_type(old.type)
        if value.type != old.type:
            raise Refused(f"an input of type {value.type} for a result of type {old.type}")
        return value

    def _call(self, name: str, arguments: dict[str, Any]) -> ir.Value:
        op = aten_ops.create(name, arguments, [arguments["self"].type])
        self.made.append(op)
        set_types(op, self.round.inference)
        return op.results[0]


def _location(candidate: Candidate) -> ir.Location:
    return ir.Location.fused([op.location for op in candidate.operations])


def _memory_order(info: TensorInfo) -> list[int] | None:
    """The dims from the outermost to the innermost in memory, if the tensor is dense for some order of its dims."""
    if any(not isinstance(s, int) for s in info.strides):
        order = list(range(info.rank))
    else:
        order = sorted(range(info.rank), key=lambda d: (-info.strides[d], d))
    sizes = tuple(info.sizes[d] for d in order)
    return order if tuple(info.strides[d] for d in order) == contiguous_strides(sizes) else None
