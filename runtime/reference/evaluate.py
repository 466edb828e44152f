"""Evaluates loop kernels on torch tensors, each operation over the whole domain at once: the reference for tests and debugging. Slow and
strict: an unmasked out-of-range access raises `AssertionError`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy
import torch
from torch_mlir import ir

from ...dialects.aten import TensorInfo, size_of
from ...dialects.symbolic_floats import is_float_expression
from ..host.size_source import size_source
from .evaluate_ops import COMBINE, SCALAR_OPS, reduce_values, scan_values

_FEW_POINTS = 4096  # sums of more points are not added one by one


def concrete(size: int | sympy.Expr, symbols: Mapping[str, int]) -> Any:
    """The value of a size, or of a float computed from sizes, for these values of the symbols."""
    if isinstance(size, int):
        return size
    if is_float_expression(size):
        return eval(size_source(size), {"math": math, **symbols})
    return int(size.subs({s: symbols[str(s)] for s in size.free_symbols}))


def empty_result(type_: ir.Type, symbols: Mapping[str, int]) -> torch.Tensor:
    """An uninitialized tensor with the layout of `type_`."""
    info = TensorInfo.of(type_)
    sizes, strides = ([concrete(s, symbols) for s in values] for values in (info.sizes, info.strides))
    return torch.empty_strided(sizes, strides, dtype=getattr(torch, info.dtype), device=info.device)


def evaluate_kernel(op: ir.Operation, inputs: Sequence[torch.Tensor], symbols: Mapping[str, int]) -> list[torch.Tensor]:
    """The results of a `loop.kernel` on `inputs`; `symbols` gives the values of the graph's symbols."""
    results = []
    for result, updated in zip(op.results, ir.ArrayAttr(op.attributes["updates"]), strict=True):
        tensor = empty_result(result.type, symbols)
        start = ir.IntegerAttr(updated).value
        if start >= 0:
            tensor.copy_(inputs[start])
        results.append(tensor)
    bindings = [concrete(size_of(a), symbols) for a in ir.ArrayAttr(op.attributes["symbols"])]
    _Body(op, inputs, results, bindings).run()
    return results


def evaluate_function(op: ir.Operation, buffers: Sequence[torch.Tensor], symbols: Sequence[int]) -> None:
    """Runs a `loop.func` on tensors, of which it takes all elements from the first to the last in memory; it writes the last ones."""
    flat = [
        t.as_strided((1 + sum((s - 1) * d for s, d in zip(t.shape, t.stride(), strict=True)) if t.numel() else 0,), (1,)) for t in buffers
    ]
    first = len(flat) - ir.IntegerAttr(op.attributes["outputs"]).value
    _Body(op, flat[:first], flat[first:], list(symbols)).run()


class _Body:
    """One run of a kernel's body. Every value is a tensor that can be broadcast to the domain."""

    def __init__(self, op: ir.Operation, inputs: Sequence[torch.Tensor], results: Sequence[torch.Tensor], symbols: list[int]):
        self.symbols = symbols
        self.block = op.regions[0].blocks[0]
        domain = ir.AffineMapAttr(op.attributes["domain"]).value
        self.domain = [int(evaluate_affine(e, [], symbols)) for e in domain.results]
        self.buffers: dict[ir.Value, torch.Tensor] = dict(zip(self.block.arguments, [*inputs, *results], strict=False))
        self.values: dict[ir.Value, torch.Tensor] = {}
        first = len(inputs) + len(results)
        for d, extent in enumerate(self.domain):
            shape = [extent if i == d else 1 for i in range(len(self.domain))]
            self.values[self.block.arguments[first + d]] = torch.arange(extent).reshape(shape)

    def run(self) -> None:
        """Evaluates the operations in order."""
        for view in self.block.operations:
            op = view.operation
            handler = _LOOP_OPS.get(op.name)
            if handler:
                handler(self, op)
                continue
            operands = [self.values[o] for o in op.operands]
            self.values[op.result] = SCALAR_OPS[op.name](op, *operands)

    def coordinates(self, op: ir.Operation, indices: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The values of the op's index map."""
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        assert map_.n_symbols == len(self.symbols), f"a map with {map_.n_symbols} of {len(self.symbols)} symbols: {op}"
        values = [evaluate_affine(e, indices, self.symbols) for e in map_.results]
        return [v if isinstance(v, torch.Tensor) else torch.full([1] * len(self.domain), v) for v in values]

    def access(self, op: ir.Operation, shape: Sequence[int], first_index: int) -> tuple[list[torch.Tensor], torch.Tensor | None]:
        """Coordinates (0 where masked) and mask of a load or store. Unmasked coordinates must be in range."""
        segments = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
        operands = list(op.operands)[first_index:]
        count = segments[-2]
        coordinates = self.coordinates(op, [self.values[o] for o in operands[:count]])
        mask = self.values[operands[count]] if segments[-1] else None
        checked = []
        for coordinate, size in zip(coordinates, shape, strict=True):
            ok = (coordinate >= 0) & (coordinate < size)
            assert bool((ok if mask is None else ok | ~mask).all()) or 0 in self.domain, f"access out of range: {op}"
            checked.append(torch.where(ok, coordinate, 0))
        return checked, mask

    def load(self, op: ir.Operation) -> None:
        """`loop.load`"""
        buffer = _signless(self.buffers[op.operands[0]])
        coordinates, mask = self.access(op, buffer.shape, 1)
        value = self._gather(buffer, coordinates)
        self.values[op.result] = value if mask is None else torch.where(mask, value, torch.zeros((), dtype=value.dtype))

    def _gather(self, buffer: torch.Tensor, coordinates: list[torch.Tensor]) -> torch.Tensor:
        shape = torch.broadcast_shapes([1] * len(self.domain), *[c.shape for c in coordinates])
        if buffer.numel() == 0:
            return torch.zeros(shape, dtype=buffer.dtype)
        value = buffer[tuple(coordinates)] if coordinates else buffer
        return value.expand(shape)

    def store(self, op: ir.Operation) -> None:
        """`loop.store`"""
        buffer = _signless(self.buffers[op.operands[0]])
        value = self.values[op.operands[1]]
        coordinates, mask = self.access(op, buffer.shape, 2)
        parts = [value, *coordinates, *([mask] if mask is not None else [])]
        shape = torch.broadcast_shapes([1] * len(self.domain), *[p.shape for p in parts])
        flat = torch.zeros(shape, dtype=torch.int64)
        for coordinate, size in zip(coordinates, buffer.shape, strict=True):
            flat = flat * size + coordinate
        chosen = (mask if mask is not None else torch.ones((), dtype=torch.bool)).expand(shape).reshape(-1)
        points, values = flat.reshape(-1)[chosen], value.expand(shape).reshape(-1)[chosen]
        _write(buffer, points, values, op)

    def reduce(self, op: ir.Operation) -> None:
        """`loop.reduce`"""
        dims = [ir.IntegerAttr(d).value for d in ir.ArrayAttr(op.attributes["dims"])]
        inputs = [self.values[o].expand(self._reduced_shape(self.values[o], dims)) for o in op.operands]
        shape = torch.broadcast_shapes(*[i.shape for i in inputs])
        results = reduce_values(_kind(op), [i.expand(shape) for i in inputs], dims)
        self.values.update(zip(op.results, results, strict=True))

    def _reduced_shape(self, value: torch.Tensor, dims: Sequence[int]) -> list[int]:
        return [self.domain[d] if d in dims else s for d, s in enumerate(value.shape)]

    def scan(self, op: ir.Operation) -> None:
        """`loop.scan`"""
        dim = ir.IntegerAttr(op.attributes["dim"]).value
        inputs = [self.values[o].expand(self._reduced_shape(self.values[o], [dim])) for o in op.operands]
        shape = torch.broadcast_shapes(*[i.shape for i in inputs])
        self.values.update(zip(op.results, scan_values(_kind(op), [i.expand(shape) for i in inputs], dim), strict=True))

    def apply(self, op: ir.Operation) -> None:
        """`loop.apply`"""
        (self.values[op.result],) = self.coordinates(op, [self.values[o] for o in op.operands])

    def check(self, op: ir.Operation) -> None:
        """`loop.check`"""
        condition = self.values[op.operands[0]]
        if 0 in self.domain or bool(condition.all()):
            return
        error = ir.StringAttr(op.attributes["error"]).value
        if error == "index":
            raise IndexError("index out of range")
        raise RuntimeError("an element out of range" if error == "range" else "ZeroDivisionError")


_LOOP_OPS: dict[str, Callable[[_Body, ir.Operation], None]] = {
    "loop.load": _Body.load, "loop.store": _Body.store, "loop.reduce": _Body.reduce, "loop.scan": _Body.scan,
    "loop.apply": _Body.apply, "loop.check": _Body.check, "loop.yield": lambda body, op: None,
}  # fmt: skip


def _kind(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["kind"]).value


def _signless(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.int8) if tensor.dtype in (torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2) else tensor


def _write(buffer: torch.Tensor, points: torch.Tensor, values: torch.Tensor, op: ir.Operation) -> None:
    """Writes `values` to the row-major positions `points` of `buffer`, accumulating as the store says."""
    flat = buffer.contiguous().reshape(-1).clone()
    kind = ir.StringAttr(op.attributes["accumulate"]).value if "accumulate" in op.attributes else ""
    if not kind:
        flat[points] = values
    elif kind == "add" and len(points) > _FEW_POINTS:
        flat.index_add_(0, points, values)
    else:
        combine = COMBINE[kind]
        for point, value in zip(points.tolist(), values, strict=True):
            flat[point] = combine(flat[point], value)
    buffer.copy_(flat.reshape(buffer.shape))


def evaluate_affine(expr: ir.AffineExpr, dims: Sequence[torch.Tensor], symbols: Sequence[int]) -> torch.Tensor | int:
    """An affine expression, on tensors."""
    expr = expr.maybe_downcast()
    if isinstance(expr, ir.AffineConstantExpr):
        return int(expr.value)
    if isinstance(expr, ir.AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, ir.AffineSymbolExpr):
        return symbols[expr.position]
    assert isinstance(expr, ir.AffineBinaryExpr), expr
    a, b = evaluate_affine(expr.lhs, dims, symbols), evaluate_affine(expr.rhs, dims, symbols)
    if isinstance(expr, ir.AffineAddExpr):
        return a + b
    if isinstance(expr, ir.AffineMulExpr):
        return a * b
    if isinstance(expr, ir.AffineModExpr):
        return a % b
    if isinstance(expr, ir.AffineFloorDivExpr):
        return a // b
    return -(-a // b)
