"""Evaluates `tt` kernels on torch tensors in CPU memory, one program after another: the reference for tests, without a GPU. Strict: an
out-of-range access raises, masked loads without `other` return garbage, a failed assertion raises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from mlirind.dialects.tt import Ptr
from mlirind.lowering.tt.scalar_ops import LIBDEVICE
from mlirind.runtime.reference.evaluate import evaluate_affine
from mlirind.runtime.reference.evaluate_ops import BODY_DTYPES, SCALAR_OPS
from torch_mlir import ir

# The value of a masked load without `other`.
_GARBAGE = {torch.bool: True, torch.int8: 77, torch.int16: 7777, torch.int32: 77777777, torch.int64: 777777777777}
_EXTERN = {symbol + suffix: SCALAR_OPS[name] for name, symbol in LIBDEVICE.items() for suffix in ("", "f") if name in SCALAR_OPS}
_EXTERN["__nv_sqrt"] = SCALAR_OPS["math.sqrt"]
_ATOMIC: dict[int, Callable[..., torch.Tensor]] = {
    1: torch.bitwise_and, 2: torch.bitwise_or, 3: torch.bitwise_xor, 4: torch.add, 5: torch.add, 6: torch.maximum, 7: torch.minimum,
}  # fmt: skip


@dataclass(frozen=True)
class Pointers:
    """Addresses of elements of one buffer."""

    buffer: torch.Tensor
    offsets: torch.Tensor

    def map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Pointers:
        """The addresses, rearranged by `function`."""
        return Pointers(self.buffer, function(self.offsets))


def evaluate_tt(functions: Sequence[ir.Operation], buffers: Sequence[torch.Tensor], symbols: Sequence[int] = ()) -> None:
    """Runs the functions of one kernel, in order, on flat `buffers` (bool as int8), and writes to these."""
    scratch: list[torch.Tensor] | None = None
    for op in functions:
        arguments = list(op.regions[0].blocks[0].arguments)
        sizes = [int(evaluate_affine(e, [], symbols)) for e in ir.AffineMapAttr(op.attributes["scratch"]).value.results]
        if scratch is None:
            types = [a.type for a in arguments[len(buffers) : len(buffers) + len(sizes)]]
            scratch = [_uninitialized(t, size) for t, size in zip(types, sizes, strict=True)]
        values: list[Any] = [Pointers(b, torch.tensor(0)) for b in [*buffers, *scratch]]
        values += [torch.tensor(s, dtype=torch.int64) for s in symbols]
        evaluate_function(op, values, int(evaluate_affine(ir.AffineMapAttr(op.attributes["grid"]).value.results[0], [], symbols)))


def evaluate_function(op: ir.Operation, values: Sequence[Any], grid: int) -> None:
    """Runs the programs of one function; `values`: `Pointers` and numbers."""
    block = op.regions[0].blocks[0]
    for program in range(grid):
        _Program(program, grid).block(block, dict(zip(block.arguments, values, strict=True)))


def _uninitialized(type_: ir.Type, size: int) -> torch.Tensor:
    dtype = BODY_DTYPES[str(Ptr(type_).pointee)]
    return _garbage(torch.empty(size // dtype.itemsize, dtype=dtype))


def _garbage(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.fill_(torch.nan if tensor.dtype.is_floating_point else _GARBAGE[tensor.dtype])


def _shape(op: ir.Operation) -> list[int]:
    type_ = op.results[0].type
    return list(type_.shape) if isinstance(type_, ir.RankedTensorType) else []


def _integer(op: ir.Operation, name: str) -> int:
    return ir.IntegerAttr(op.attributes[name]).value


class _Program:
    """One program of the grid."""

    def __init__(self, number: int, grid: int) -> None:
        self.number, self.grid = number, grid
        self.values: dict[ir.Value, Any] = {}

    def block(self, block: ir.Block, given: dict[ir.Value, Any]) -> list[Any]:
        """Runs a block with these arguments; returns the operands of its terminator."""
        self.values.update(given)
        for view in block.operations:
            op = view.operation
            operands = [self.values[o] for o in op.operands]
            if op.name in ("scf.yield", "tt.return", "tt.reduce_return", "tt.scan_return"):
                return operands
            results = self._run(op, operands)
            for result, value in zip(op.results, results, strict=True):
                self._check_type(op, result, value)
                self.values[result] = value
        return []

    def _check_type(self, op: ir.Operation, result: ir.Value, value: Any) -> None:
        if isinstance(value, torch.Tensor) and isinstance(result.type, ir.RankedTensorType):
            assert list(value.shape) == list(result.type.shape), f"{op} gives {list(value.shape)}"

    def _run(self, op: ir.Operation, operands: list[Any]) -> list[Any]:
        handler = _OPS.get(op.name)
        if handler is not None:
            result = handler(self, op, *operands)
            return result if isinstance(result, list) else [result]
        shapes = {tuple(o.shape) for o in operands}
        assert len(shapes) <= 1 or op.name == "arith.select" or not isinstance(op.results[0].type, ir.RankedTensorType), f"{op}"
        return [SCALAR_OPS[op.name](op, *operands)]

    # Memory.

    def _places(self, op: ir.Operation, pointers: Pointers, mask: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Offsets (0 where masked) and the mask."""
        mask = torch.ones_like(pointers.offsets, dtype=torch.bool) if mask is None else mask
        assert mask.shape == pointers.offsets.shape, f"mask of {op}"
        inside = (pointers.offsets >= 0) & (pointers.offsets < pointers.buffer.numel())
        assert bool((inside | ~mask).all()), f"access outside of a buffer of {pointers.buffer.numel()}: {op}"
        return torch.where(mask, pointers.offsets, 0), mask

    def load(self, op: ir.Operation, pointers: Pointers, mask: Any = None, other: Any = None) -> torch.Tensor:
        """`tt.load`"""
        places, mask = self._places(op, pointers, mask)
        if other is None:
            other = _garbage(torch.empty(places.shape, dtype=pointers.buffer.dtype))
        if not pointers.buffer.numel():
            return other
        return torch.where(mask, pointers.buffer[places], other)

    def store(self, op: ir.Operation, pointers: Pointers, value: torch.Tensor, mask: Any = None) -> list[Any]:
        """`tt.store`"""
        places, mask = self._places(op, pointers, mask)
        assert value.dtype == pointers.buffer.dtype, f"{value.dtype} into {pointers.buffer.dtype}: {op}"
        pointers.buffer[places[mask]] = value.expand(places.shape)[mask]
        return []

    def atomic(self, op: ir.Operation, pointers: Pointers, value: torch.Tensor, mask: Any = None) -> torch.Tensor:
        """`tt.atomic_rmw`"""
        places, mask = self._places(op, pointers, mask)
        combine = _ATOMIC[_integer(op, "atomic_rmw_op")]
        old = torch.zeros(places.shape, dtype=value.dtype)
        for place, new, on, slot in zip(places.reshape(-1).tolist(), value.reshape(-1), mask.reshape(-1), old.reshape(-1), strict=True):
            if on:
                slot.copy_(pointers.buffer[place])
                pointers.buffer[place] = combine(pointers.buffer[place], new)
        return old

    # Reductions.

    def _combine(self, op: ir.Operation, left: list[torch.Tensor], right: list[torch.Tensor]) -> list[torch.Tensor]:
        block = op.regions[0].blocks[0]
        shape = left[0].shape
        return [r.expand(shape) for r in self.block(block, dict(zip(block.arguments, [*left, *right], strict=True)))]

    def reduce(self, op: ir.Operation, *inputs: torch.Tensor) -> list[torch.Tensor]:
        """`tt.reduce`: combines halves until one element is left."""
        axis, parts = _integer(op, "axis"), list(inputs)
        while parts[0].shape[axis] > 1:
            halves = [p.chunk(2, axis) for p in parts]
            parts = self._combine(op, [h[0] for h in halves], [h[1] for h in halves])
        return [p.squeeze(axis) for p in parts]

    def scan(self, op: ir.Operation, *inputs: torch.Tensor) -> list[torch.Tensor]:
        """`tt.scan`: of 1, 2, 4, ... elements each."""
        axis, parts, size, step = _integer(op, "axis"), list(inputs), inputs[0].shape[_integer(op, "axis")], 1
        while step < size:
            combined = self._combine(
                op, [p.narrow(axis, 0, size - step) for p in parts], [p.narrow(axis, step, size - step) for p in parts]
            )
            parts = [torch.cat([p.narrow(axis, 0, step), c], axis) for p, c in zip(parts, combined, strict=True)]
            step *= 2
        return parts

    # Control flow and calls.

    def loop(self, op: ir.Operation, lower: torch.Tensor, upper: torch.Tensor, step: torch.Tensor, *carried: Any) -> list[Any]:
        """`scf.for`"""
        block, values = op.regions[0].blocks[0], list(carried)
        for counter in range(int(lower), int(upper), int(step)):
            given = [torch.tensor(counter, dtype=lower.dtype), *values]
            values = self.block(block, dict(zip(block.arguments, given, strict=True)))
        return values

    def branch(self, op: ir.Operation, condition: torch.Tensor) -> list[Any]:
        """`scf.if`"""
        return self.block(op.regions[0 if bool(condition) else 1].blocks[0], {})

    def extern(self, op: ir.Operation, *operands: torch.Tensor) -> torch.Tensor:
        """`tt.extern_elementwise`"""
        return _EXTERN[ir.StringAttr(op.attributes["symbol"]).value](op, *operands)

    def check(self, op: ir.Operation, condition: torch.Tensor) -> list[Any]:
        """`tt.assert`"""
        if not bool(condition.all()):
            raise IndexError(ir.StringAttr(op.attributes["message"]).value)
        return []


_ASSEMBLY = {"ex2.approx.ftz.f32 $0, $1;": torch.exp2}


def _rearrange(function: Callable[[ir.Operation, torch.Tensor], torch.Tensor]) -> Callable[..., Any]:
    def run(program: _Program, op: ir.Operation, value: Any) -> Any:
        return value.map(lambda o: function(op, o)) if isinstance(value, Pointers) else function(op, value)

    return run


def _scalar(value: int) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.int32)


def _mulhiui(program: _Program, op: ir.Operation, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    mask = (1 << 32) - 1
    return (((a.to(torch.int64) & mask) * (b.to(torch.int64) & mask)) >> 32).to(torch.int32)


_OPS: dict[str, Callable[..., Any]] = {
    "tt.get_program_id": lambda p, op: _scalar(p.number), "tt.get_num_programs": lambda p, op: _scalar(p.grid),
    "tt.make_range": lambda p, op: torch.arange(_integer(op, "start"), _integer(op, "end"), dtype=torch.int32),
    "tt.splat": _rearrange(lambda op, v: v.expand(_shape(op))), "tt.broadcast": _rearrange(lambda op, v: v.expand(_shape(op))),
    "tt.reshape": _rearrange(lambda op, v: v.reshape(_shape(op))),
    "tt.expand_dims": _rearrange(lambda op, v: v.unsqueeze(_integer(op, "axis"))),
    "tt.trans": _rearrange(lambda op, v: v.permute(list(ir.DenseI32ArrayAttr(op.attributes["order"])))),
    "tt.addptr": lambda p, op, pointers, offset: pointers.map(lambda o: o + offset.to(torch.int64)),
    "tt.load": _Program.load, "tt.store": _Program.store, "tt.atomic_rmw": _Program.atomic, "tt.reduce": _Program.reduce,
    "tt.scan": _Program.scan, "tt.extern_elementwise": _Program.extern, "tt.assert": _Program.check, "scf.for": _Program.loop,
    "scf.if": _Program.branch,
    "tt.precise_sqrt": lambda p, op, a: a.sqrt(), "tt.precise_divf": lambda p, op, a, b: a / b, "tt.mulhiui": _mulhiui,
    "tt.elementwise_inline_asm": lambda p, op, *operands: _ASSEMBLY[ir.StringAttr(op.attributes["asm_string"]).value](*operands),
    "tt.bitcast": lambda p, op, a: a.view(BODY_DTYPES[str(ir.RankedTensorType(op.results[0].type).element_type)]),
    "tt.dot": lambda p, op, a, b, c: a.to(c.dtype) @ b.to(c.dtype) + c,
}  # fmt: skip
