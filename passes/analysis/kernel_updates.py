"""Whether a kernel may write a tensor that it reads: only if each element is read just for the value that replaces it.

Both targets compute a point of the domain from its loads to its stores, each load once, points in any order and on any thread. A kernel
with reductions visits the points of a row several times; a value written once a row, computed from the reductions, is written after all
that.
"""

from __future__ import annotations

import functools
from typing import Any

from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ...dialects.narrowing import affine_map, dense_integers, integers
from .memory_overlap import overlaps

# The position of a load or store: its map, and the operands of the map.
_Place = tuple[ir.Attribute, tuple[ir.Value, ...]]


class KernelAccesses:
    """What a `loop.kernel` reads and writes, and what its values depend on."""

    def __init__(self, kernel: ir.OpView) -> None:
        block = kernel.regions[0].blocks[0]
        arguments: list[ir.Value] = list(block.arguments)
        self.inputs = arguments[: len(kernel.operands)]
        self.outputs = arguments[len(kernel.operands) : len(kernel.operands) + len(kernel.results)]
        self.domain = arguments[len(kernel.operands) + len(kernel.results) :]
        self.extents = [e.maybe_downcast() for e in affine_map(kernel.attributes["domain"]).results]
        self.operations = [(op.operation.name, op) for op in block.operations]
        self.loads = [op for name, op in self.operations if name == "loop.load"]
        self.may_fail = any(name == "loop.check" for name, _ in self.operations)

    def update_problem(self, result: int, read: list[int]) -> str | None:
        """The reason why a result can't share memory with the operands at `read`, equal tensors; None if it can, if it is stored after
        `readers`."""
        stores, loads = self._stores(result), self._loads_there(result, read)
        if not loads:
            return None
        if any(name == "loop.scan" for name, _ in self.operations):
            return "the kernel scans"
        if len(stores) != 1 or _mask(stores[0]) or "accumulate" in stores[0].attributes:
            return "the kernel writes some of the elements"
        coordinate = _coordinate(stores[0])
        if any(_coordinate(load) != coordinate for load in loads):
            return "the kernel reads other elements than the one that it writes"
        dims = self._dims(coordinate)
        if dims is None:
            return "the kernel writes at computed places"
        if any(load.results[0] not in self._behind.sources[stores[0].operands[1]] for load in loads):
            return "what the kernel writes does not depend on what it reads there"
        if self._behind.given and self.readers(result, read):
            return "the kernel reduces, and another result depends on what is replaced"
        return self._behind.problem(stores[0].operands[1], dims)

    def reads(self, operand: int, written: TensorInfo) -> bool:
        """Whether the body may load an element of an operand that `written` shows."""
        return any(self._meets(load, written) for load in self.loads if load.operands[0] == self.inputs[operand])

    def readers(self, result: int, read: list[int]) -> set[int]:
        """The other results that depend on what `result` replaces if it shares memory with the operands at `read`.

        They must be stored before it: the value stored in its place may turn out to need no load (`x - x`), and then nothing else has
        loaded it before.
        """
        values: set[ir.Value] = {load.results[0] for load in self._loads_there(result, read)}
        others = [n for n in range(len(self.outputs)) if n != result]
        return {n for n in others if any(self._depends(store, values) for store in self._stores(n))}

    def stores_after(self, result: int) -> set[int]:
        """The results that have a store after the first store of `result`."""
        stored = [self.outputs.index(op.operands[0]) for name, op in self.operations if name == "loop.store"]
        return set(stored[stored.index(result) + 1 :]) - {result}

    def _depends(self, store: ir.OpView, values: set[ir.Value]) -> bool:
        return any(values & self._behind.sources[v] for v in store.operands)

    def _loads_there(self, result: int, read: list[int]) -> list[ir.OpView]:
        """The loads from the operands at `read` that may read what `result` writes."""
        inputs, written = [self.inputs[n] for n in read], self.written_area(result)
        return [load for load in self.loads if load.operands[0] in inputs and self._meets(load, written)]

    def written_area(self, result: int) -> TensorInfo | None:
        """The written elements of a result, as a view of it; None if unknown."""
        stores = self._stores(result)
        return self._area(stores[0]) if len(stores) == 1 else None

    def _stores(self, result: int) -> list[ir.OpView]:
        return [op for name, op in self.operations if name == "loop.store" and op.operands[0] == self.outputs[result]]

    def _meets(self, load: ir.OpView, written: TensorInfo | None) -> bool:
        """Whether a load may read what is written."""
        read = self._area(load) if written is not None else None
        return written is None or read is None or overlaps(read, written)

    def _area(self, access: ir.OpView) -> TensorInfo | None:
        """The elements that a load or store touches over the whole domain, as a view; None if its indices are no sums of multiples of
        dimensions."""
        map_, indices = _coordinate(access)
        info = TensorInfo.of(access.operands[0].type)
        offset = info.offset
        strides: dict[ir.Value, Any] = {}
        for expression, stride in zip(affine_map(map_).results, info.strides, strict=True):
            terms = _linear(expression.maybe_downcast())
            if terms is None:
                return None
            offset = offset + terms.pop(-1, 0) * stride
            for number, factor in terms.items():
                strides[indices[number]] = strides.get(indices[number], 0) + factor * stride
        found = [self.extents[self.domain.index(v)] if v in self.domain else None for v in strides]
        sizes = tuple(e.value for e in found if isinstance(e, ir.AffineConstantExpr))
        if len(sizes) != len(found):
            return None
        return TensorInfo(sizes, info.dtype, info.device, tuple(strides.values()), offset)

    def _dims(self, coordinate: _Place) -> set[ir.Value] | None:
        """The dimensions of the domain that an access distinguishes; None if a coordinate is no multiple of one dimension plus a number."""
        map_, indices = coordinate
        found: set[ir.Value] = set()
        for expression in affine_map(map_).results:
            terms = _linear(expression.maybe_downcast())
            numbers = [] if terms is None else [n for n in terms if n >= 0]
            if terms is None or len(numbers) > 1 or any(indices[n] not in self.domain or terms[n] < 1 for n in numbers):
                return None
            found.update(indices[n] for n in numbers)
        return found

    @functools.cached_property
    def _behind(self) -> _Dependence:
        return _Dependence(self)


def _coordinate(access: ir.OpView) -> _Place:
    first = 1 if access.operation.name == "loop.load" else 2
    operands = list(access.operands)
    return access.attributes["map"], tuple(operands[first : len(operands) - _mask(access)])


def _mask(access: ir.OpView) -> int:
    return int(dense_integers(access.attributes["operandSegmentSizes"])[-1])


def _linear(expression: ir.AffineExpr) -> dict[int, int] | None:
    """An expression as factors by dimension, -1 for the constant; None if it is not linear, or a factor is negative."""
    if isinstance(expression, ir.AffineConstantExpr):
        return {-1: expression.value} if expression.value >= 0 else None
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position: 1}
    if not isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return None
    a, b = _linear(expression.lhs.maybe_downcast()), _linear(expression.rhs.maybe_downcast())
    if a is None or b is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return {n: a.get(n, 0) + b.get(n, 0) for n in a.keys() | b.keys()}
    return {n: f * b[-1] for n, f in a.items()} if b.keys() == {-1} else None


class _Dependence:
    """The dependences of a body's values: `sources`, the values behind each, and `along`, the dimensions along which it differs."""

    def __init__(self, kernel: KernelAccesses) -> None:
        reductions = [op for name, op in kernel.operations if name == "loop.reduce"]
        self.domain = set(kernel.domain)
        self.device = TensorInfo.of(kernel.outputs[0].type).device
        self.reduced = {kernel.domain[d] for op in reductions for d in integers(op.attributes["dims"])}
        self.given = {r for op in reductions for r in op.results}  # results of reductions
        arguments = [*kernel.inputs, *kernel.outputs, *kernel.domain]
        self.sources: dict[ir.Value, set[ir.Value]] = {a: {a} for a in arguments}
        self.along: dict[ir.Value, set[ir.Value]] = {a: {a} & self.domain for a in arguments}
        self.again = False  # whether rows are visited again, with the results of their reductions
        for name, op in kernel.operations:
            self._note(name, op)

    def _note(self, name: str, op: ir.OpView) -> None:
        operands, results = list(op.operands), list(op.results)
        behind: set[ir.Value] = set().union(*(self.sources[v] for v in operands))
        along: set[ir.Value] = set().union(*(self.along[v] for v in operands))
        self.again |= bool(self.given & behind and self.reduced & along)
        along -= self.reduced if name == "loop.reduce" else set()
        for result in results:
            self.sources[result] = behind | {result}
            self.along[result] = along

    def problem(self, written: ir.Value, dims: set[ir.Value]) -> str | None:
        """The reason why a value that is stored once for each point of `dims` must not be written where it was read."""
        if not self.given:
            return None if dims == self.domain else "the kernel writes an element more than once"
        if self.again or self.device != "cpu" or dims != self.domain - self.reduced or not self.given & self.sources[written]:
            return "the kernel reduces, and does not write once a row what the row gave"
        return None
