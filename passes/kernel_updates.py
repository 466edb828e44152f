"""Whether a kernel may write a tensor that it reads: only where each element is read for nothing but what is written in its place.

Both targets compute a point of the domain from its loads to its stores, each load once, points in any order and on any thread. A kernel
that reduces comes back to the points of a row; what it writes once a row, from what the rows gave, is written behind all that.
"""

from __future__ import annotations

from torch_mlir import ir

from ..dialects.aten import TensorInfo

# A load's or store's place: its map, and what the map is applied to.
_Place = tuple[ir.Attribute, tuple[ir.Value, ...]]


def update_problem(kernel: ir.OpView, result: int, read: list[int]) -> str | None:
    """Why result number `result` of a `loop.kernel` can't lie where the operands at `read` lie, equal tensors; None where it can."""
    block = kernel.regions[0].blocks[0]
    output = block.arguments[len(kernel.operands) + result]
    inputs = [block.arguments[n] for n in read]
    stores = [op for op in block.operations if op.operation.name == "loop.store" and op.operands[0] == output]
    loads = [op for op in block.operations if op.operation.name == "loop.load" and op.operands[0] in inputs]
    if any(op.operation.name in ("loop.check", "loop.scan") for op in block.operations):
        return "the kernel may fail, or scans"
    if len(stores) != 1 or _mask(stores[0]) or "accumulate" in stores[0].attributes:
        return "the kernel writes some of the elements"
    place = _place(stores[0])
    if any(_place(load) != place for load in loads):
        return "the kernel reads other elements than the one that it writes"
    dims = _dims(kernel, place)
    if dims is None:
        return "the kernel writes at computed places"
    behind = _Dependence(kernel)
    if any(load.results[0] not in behind.sources[stores[0].operands[1]] for load in loads):
        return "what the kernel writes does not depend on what it reads there"
    return behind.problem(stores[0].operands[1], dims)


def _place(access: ir.OpView) -> _Place:
    first = 1 if access.operation.name == "loop.load" else 2
    operands = list(access.operands)
    return access.attributes["map"], tuple(operands[first : len(operands) - bool(_mask(access))])


def _mask(access: ir.OpView) -> int:
    return int(list(access.attributes["operandSegmentSizes"])[-1])


def _dims(kernel: ir.OpView, place: _Place) -> set[ir.Value] | None:
    """The dimensions of the domain that a place tells apart; None where a coordinate is no dimension."""
    map_, indices = place
    domain = list(kernel.regions[0].blocks[0].arguments)[len(kernel.operands) + len(kernel.results) :]
    found: set[ir.Value] = set()
    for expression in map_.value.results:
        expression = expression.maybe_downcast()
        if isinstance(expression, ir.AffineConstantExpr):
            continue
        at = indices[expression.position] if isinstance(expression, ir.AffineDimExpr) else None
        if at is None or at not in domain or at in found:
            return None
        found.add(at)
    return found


class _Dependence:
    """What each value of a body depends on: `sources`, the values behind it, and `along`, the dimensions along which it differs."""

    def __init__(self, kernel: ir.OpView) -> None:
        block = kernel.regions[0].blocks[0]
        self.device = TensorInfo.of(kernel.results[0].type).device
        self.domain = list(block.arguments)[len(kernel.operands) + len(kernel.results) :]
        reductions = [op for op in block.operations if op.operation.name == "loop.reduce"]
        self.reduced = {self.domain[d.value] for op in reductions for d in op.attributes["dims"]}
        self.given = {r for op in reductions for r in op.results}  # by reductions
        self.sources: dict[ir.Value, set[ir.Value]] = {a: {a} for a in block.arguments}
        self.along: dict[ir.Value, set[ir.Value]] = {a: {a} & set(self.domain) for a in block.arguments}
        self.again = False  # whether rows are walked along once more, with what their reductions gave
        for op in block.operations:
            self._note(op)

    def _note(self, op: ir.OpView) -> None:
        behind: set[ir.Value] = set().union(*(self.sources[v] for v in op.operands))
        along: set[ir.Value] = set().union(*(self.along[v] for v in op.operands))
        self.again |= bool(self.given & behind and self.reduced & along)
        along -= self.reduced if op.operation.name == "loop.reduce" else set()
        self.sources |= {r: behind | {r} for r in op.results}
        self.along |= dict.fromkeys(op.results, along)

    def problem(self, written: ir.Value, dims: set[ir.Value]) -> str | None:
        """Why a value that is stored once for each point of `dims` must not be written where it was read."""
        if not self.given:
            return None if dims == set(self.domain) else "the kernel writes an element more than once"
        if self.again or self.device != "cpu" or dims != set(self.domain) - self.reduced or not self.given & self.sources[written]:
            return "the kernel reduces, and does not write once a row what the row gave"
        return None
