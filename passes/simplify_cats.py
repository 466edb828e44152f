"""`simplify-cats`: reads slices of a concatenation from its operands, and slices that are concatenated again as one."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo
from ..dialects.lazy import sympy
from ..dialects.narrowing import AnyOp, maker
from ..dialects.segments import LIST_RUNS
from .analysis.alias_analysis import Aliases, Timeline, functions_with_body
from .analysis.infer_metadata import MetaFailed, TypeInference
from .analysis.node_identity import identity, same_region
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .rewriting.new_calls import call_before
from .rewriting.relayout import relaid
from .verify.verify_metadata import difference
from .working_on import works_on_operation

CAT, SLICE, SPLIT = (aten_ops.op_name(f"aten.{n}") for n in ("cat.default", "slice.Tensor", "split_with_sizes.default"))
# The most tensors of a rewritten cat: a kernel writes at most this many parts.
MOST = 8


def simplify_cats(module: ir.Module) -> None:
    """Applies the rules once to every call, in order."""
    for function in functions_with_body(module):
        ops = [v.operation for v in function.regions[0].blocks[0].operations]
        if not any(op.name == CAT for op in ops):
            continue
        cats = _Cats(function)
        for op in ops:
            if op.name in (SLICE, SPLIT):
                cats.read_before(op)
            elif op.name == CAT:
                cats.put_together(cats.flatten(op))


@dataclass(frozen=True)
class SlicedPart:
    """`base[.., start : end, ..]` along `dim`."""

    base: ir.Value
    dim: int
    start: Size
    end: Size


def part_of(value: ir.Value) -> SlicedPart | None:
    """The part that a slice of step 1, or a result of a split, shows; None for any other value."""
    op = value.owner if isinstance(value, ir.OpResult) else None
    if op is None or op.name not in (SLICE, SPLIT):
        return None
    given = aten_ops.arguments(op)
    if op.name == SPLIT:
        sizes = given["split_sizes"][: ir.OpResult(value).result_number + 1]
        return SlicedPart(op.operands[0], given["dim"], sum(sizes[:-1]), sum(sizes))
    if given["step"] != 1 or not isinstance(given["start"], int):
        return None
    length = TensorInfo.of(value.type).sizes[given["dim"]]
    return SlicedPart(op.operands[0], given["dim"], given["start"], given["start"] + length)


class _Cats:
    """The rules on one function. The memory analysis is repeated after each change: there are few."""

    def __init__(self, function: ir.OpView) -> None:
        self.function = function
        self.inference = TypeInference(function)

    @functools.cached_property
    def aliases(self) -> Aliases:
        return Aliases(self.function)

    @functools.cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.function.regions[0].blocks[0], self.aliases)

    def _forget(self) -> None:
        for name in ("aliases", "timeline"):
            self.__dict__.pop(name, None)

    @works_on_operation
    def read_before(self, op: ir.Operation) -> None:
        """slice(cat([x, y]), the part that is y) -> y, or a slice of y if the part lies within it; likewise each result of a split. If the
        cat stays, reading it costs no more."""
        for result in op.results:
            part = part_of(result)
            if part is None or not _is_of_cat(part) or not any(True for _ in result.uses):
                continue
            if not _goes_away(maker(part.base)):
                return
            found = _position(part)
            if found is not None:
                self._read(op, result, part, *found)
        if _is_cat(op.operands[0]) and not any(True for result in op.results for _ in result.uses):
            op.erase()  # otherwise it would count as a user of the cat

    def _read(self, op: ir.Operation, result: ir.Value, part: SlicedPart, source: ir.Value, start: Size, end: Size) -> None:
        """Replaces `result` by `source[start:end]` in its users, if strides and writes allow it."""
        cat = maker(part.base)
        if any(self.aliases.shows(v, result) for v in self.aliases.returned):
            return  # the caller would get other memory
        last = self.timeline.last_read(result)
        if self.timeline.written_between(source, self.timeline.position(cat), last) or not may_rewrite("read before the cat", op):
            return
        whole = _equal(end - start, TensorInfo.of(source.type).sizes[part.dim])
        new = source if whole else self._slice(op, source, part.dim, start, end)
        before, changed = result.type, list[tuple[ir.Value, ir.Type]]()
        if relaid(result, new.type, self.inference, changed):
            users = [use.owner for value, _ in changed for use in value.uses]
            result.replace_all_uses_with(new)
            result.set_type(before)
            for user in users:
                aten_ops.renew_runs(user.operation)
            self._forget()
        elif not whole:
            maker(new).erase()

    def _slice(self, op: ir.Operation, source: ir.Value, dim: int, start: Size, end: Size) -> ir.Value:
        """slice(source, dim, start, end), before `op`"""
        arguments = {"self": source, "dim": dim, "start": start, "end": end, "step": 1}
        return call_before(op, "aten.slice.Tensor", arguments, self.inference)

    @works_on_operation
    def flatten(self, op: ir.Operation) -> ir.Operation:
        """cat([cat([x, y]), z]) -> cat([x, y, z]), if nothing else reads the inner one; returns the resulting call"""
        tensors: list[ir.Value] = []
        inner: list[ir.Operation] = []
        for value in op.operands:
            if self._is_inner(value, op):
                inner.append(maker(value).operation)
                tensors += list(inner[-1].operands)
            else:
                tensors.append(value)
        return self._cat(op, tensors, inner) if inner else op

    def _is_inner(self, value: ir.Value, op: ir.Operation) -> bool:
        if not _is_cat(value) or len(list(value.uses)) != 1 or not same_region([op, maker(value)]):
            return False
        made = maker(value)
        if aten_ops.arguments(made)["dim"] != aten_ops.arguments(op)["dim"] or not _are_alike([*made.operands, value]):
            return False
        positions = self.timeline.position(made), self.timeline.position(op)
        return not any(self.timeline.written_between(v, *positions) for v in made.operands)

    @works_on_operation
    def put_together(self, op: ir.Operation) -> None:
        """cat([x[:a], x[a:b], y]) -> cat([x[:b], y]), or x itself if that is all of it"""
        dim, parts = aten_ops.arguments(op)["dim"], [part_of(v) for v in op.operands]
        runs: list[tuple[SlicedPart | None, list[ir.Value]]] = []
        for part, value in zip(parts, op.operands, strict=True):
            last = runs[-1][0] if runs else None
            if part is not None and last is not None and _goes_on(last, part, dim):
                runs[-1] = SlicedPart(last.base, dim, last.start, part.end), [*runs[-1][1], value]
            else:
                runs.append((part, [value]))
        if len(runs) == len(parts):
            return
        tensors = [values[0] if len(values) == 1 or part is None else self._whole(op, part) for part, values in runs]
        self._cat(op, tensors, [])

    def _whole(self, op: ir.Operation, part: SlicedPart) -> ir.Value:
        """The part as one value."""
        if part.start == 0 and _equal(part.end, TensorInfo.of(part.base.type).sizes[part.dim]):
            return part.base
        return self._slice(op, part.base, part.dim, part.start, part.end)

    def _cat(self, op: ir.Operation, tensors: Sequence[ir.Value], inner: Sequence[ir.Operation]) -> ir.Operation:
        """A cat of `tensors` in place of `op`, if it has the same type; returns the resulting call."""
        runs = 1 + sum(a.type != b.type for a, b in zip(tensors, tensors[1:], strict=False))
        if runs > LIST_RUNS or len(tensors) > max(MOST, len(list(op.operands))) or not may_rewrite("other cat", op):
            return op
        arguments = {"tensors": list(tensors), "dim": aten_ops.arguments(op)["dim"]}
        before = op.result.type
        made = aten_ops.create("aten.cat.default", arguments, [before], op.location, ir.InsertionPoint(op), identity(op, *inner))
        if not self._gives(made, before):
            made.erase()
            return op
        op.result.replace_all_uses_with(made.result)
        op.erase()
        self._forget()
        return made

    def _gives(self, op: ir.Operation, type_: ir.Type) -> bool:
        """Whether a call would return a type; the call's type stays."""
        try:
            (found,) = self.inference.types(op)
        except MetaFailed:
            return False
        return difference(self.inference, found, type_, False) is None


def _is_cat(value: ir.Value) -> bool:
    return isinstance(value, ir.OpResult) and bool(value.owner.name == CAT)


def _is_of_cat(part: SlicedPart) -> bool:
    """Whether a part belongs to a cat along its own dimension, of tensors of one dtype."""
    if not _is_cat(part.base) or aten_ops.arguments(maker(part.base))["dim"] != part.dim:
        return False
    return _are_alike([*maker(part.base).operands, part.base])


def _goes_away(cat: AnyOp) -> bool:
    """Whether the concatenation would become unused: each user takes a part of one tensor, or concatenates further."""
    for use in cat.result.uses:
        user = use.owner.operation
        parts = [part_of(r) for r in user.results] if user.name in (SLICE, SPLIT) else []
        placed = len(parts) > 0 and all(p is not None and _is_of_cat(p) and _position(p) is not None for p in parts)
        if user.name != CAT and not placed:
            return False
    return True


def _position(part: SlicedPart) -> tuple[ir.Value, Size, Size] | None:
    """The tensor of the cat that contains a part, and its position there."""
    start: Size = 0
    for value in maker(part.base).operands:
        end = start + TensorInfo.of(value.type).sizes[part.dim]
        numbers = [start, part.start, part.end, end]
        within = all(isinstance(n, int) for n in numbers) and start <= part.start < part.end <= end
        if within or _equal(start, part.start) and _equal(end, part.end):
            return value, part.start - start, part.end - start
        start = end
    return None


def _goes_on(first: SlicedPart, second: SlicedPart, dim: int) -> bool:
    """Whether the second part follows the first directly in one tensor, along `dim`."""
    return first.base == second.base and first.dim == second.dim == dim and _equal(first.end, second.start)


def _are_alike(values: Sequence[Any]) -> bool:
    """Whether all tensors have one rank, dtype and device, so that a cat converts none and skips none."""
    infos = [TensorInfo.of(v.type) for v in values]
    return len({(i.rank, i.dtype, i.device) for i in infos}) == 1


def _equal(a: Size, b: Size) -> bool:
    return bool(a == b) or (not isinstance(a - b, int) and bool(sympy.expand(a - b) == 0))


register_pass("simplify-cats", simplify_cats)
