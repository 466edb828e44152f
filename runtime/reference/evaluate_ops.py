"""The scalar operations and reductions of kernels on torch tensors, for `runtime.reference.evaluate`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch_mlir import ir

from ...dialects.narrowing import number

Tensors = list[torch.Tensor]

# The torch dtypes of a body's types; its integers are signless.
BODY_DTYPES = {
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "index": torch.int64,
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
}  # fmt: skip


def _result_dtype(op: ir.Operation) -> torch.dtype:
    """The dtype of the elements if the result is a tensor."""
    type_ = op.result.type
    return BODY_DTYPES[str(type_.element_type if isinstance(type_, ir.ShapedType) else type_)]


def _constant(op: ir.Operation) -> torch.Tensor:
    value = number(op.attributes["value"])
    return torch.tensor(bool(value) if str(op.result.type) == "i1" else value, dtype=_result_dtype(op))


def _cast(op: ir.Operation, a: torch.Tensor) -> torch.Tensor:
    return a.to(_result_dtype(op))


def _unsigned(a: torch.Tensor) -> torch.Tensor:
    """An i1 or i8 value as a nonnegative int64."""
    return a.to(torch.int64) if a.dtype == torch.bool else a.to(torch.int64) & ((1 << (8 * a.element_size())) - 1)


def _from_unsigned(op: ir.Operation, a: torch.Tensor) -> torch.Tensor:
    return _unsigned(a).to(_result_dtype(op))


def _unsigned_binary(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda op, a, b: function(_unsigned(a), _unsigned(b)).to(a.dtype)


def _compare_floats(op: ir.Operation, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    predicate = ir.IntegerAttr(op.attributes["predicate"]).value
    ordered = ~(a.isnan() | b.isnan())
    functions = [None, torch.eq, torch.gt, torch.ge, torch.lt, torch.le, torch.ne]
    if predicate == 7:
        return ordered
    if predicate == 14:
        return ~ordered
    if predicate < 7:
        return functions[predicate](a, b) & ordered
    return functions[predicate - 7](a, b) | ~ordered


def _unsigned_order(a: torch.Tensor) -> torch.Tensor:
    """Signed integers in the order of the unsigned ones."""
    return a ^ torch.iinfo(torch.int64).min if a.dtype == torch.int64 else _unsigned(a)


def _compare_integers(op: ir.Operation, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    predicate = ir.IntegerAttr(op.attributes["predicate"]).value
    if predicate >= 6:
        a, b, predicate = _unsigned_order(a), _unsigned_order(b), predicate - 4
    return [torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge][predicate](a, b)


def _shift(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def shift(op: ir.Operation, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        assert bool(((b >= 0) & (b < 8 * a.element_size())).all()), f"poison: {op}"
        return function(a, b)

    return shift


def _divide(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def divide(op: ir.Operation, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        lowest = torch.iinfo(a.dtype).min
        assert bool((b != 0).all()) and not bool(((a == lowest) & (b == -1)).any()), f"trap: {op}"
        return function(a, b)

    return divide


def _fma(op: ir.Operation, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return (a.double() * b.double() + c.double()).to(a.dtype) if a.dtype == torch.float32 else a * b + c


def _plain(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda op, *operands: function(*operands)


def _maximum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Of both zeros 0.0 is the larger."""
    return torch.where((a == 0) & (b == 0), a + b, torch.maximum(a, b))


def _minimum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return -_maximum(-a, -b)


def _trunc_div(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.div(a, b, rounding_mode="trunc")


SCALAR_OPS: dict[str, Callable[..., torch.Tensor]] = {
    "arith.constant": _constant,
    "arith.cmpf": _compare_floats, "arith.cmpi": _compare_integers, "arith.select": _plain(torch.where),
    "arith.shli": _shift(torch.bitwise_left_shift), "arith.shrsi": _shift(torch.bitwise_right_shift),
    "arith.shrui": _shift(lambda a, b: torch.bitwise_right_shift(_unsigned(a), b.to(torch.int64)).to(a.dtype)),
    "arith.divsi": _divide(_trunc_div), "arith.remsi": _divide(torch.fmod),
    "arith.divui": _unsigned_binary(_trunc_div), "arith.remui": _unsigned_binary(torch.fmod),
    "arith.maxui": _unsigned_binary(torch.maximum), "arith.minui": _unsigned_binary(torch.minimum),
    "arith.extf": _cast, "arith.truncf": _cast, "arith.sitofp": _cast, "arith.fptosi": _cast,
    "arith.extsi": _cast, "arith.index_cast": _cast, "arith.extui": _from_unsigned, "arith.uitofp": _from_unsigned,
    "arith.trunci": lambda op, a: (a & 1).to(torch.bool) if _result_dtype(op) == torch.bool else _cast(op, a),
    "math.fma": _fma,
}  # fmt: skip

_PLAIN_OPS: dict[str, Any] = {
    "arith.addf": torch.add, "arith.subf": torch.sub, "arith.mulf": torch.mul, "arith.divf": torch.div, "arith.remf": torch.fmod,
    "arith.negf": torch.neg, "arith.addi": torch.add, "arith.subi": torch.sub, "arith.muli": torch.mul,
    "arith.andi": torch.bitwise_and, "arith.ori": torch.bitwise_or, "arith.xori": torch.bitwise_xor,
    "arith.maximumf": _maximum, "arith.minimumf": _minimum, "arith.maxnumf": torch.fmax, "arith.minnumf": torch.fmin,
    "arith.maxsi": torch.maximum, "arith.minsi": torch.minimum,
    "math.exp": torch.exp, "math.exp2": torch.exp2, "math.expm1": torch.expm1, "math.log": torch.log, "math.log2": torch.log2,
    "math.log10": torch.log10, "math.log1p": torch.log1p, "math.sin": torch.sin, "math.cos": torch.cos, "math.tan": torch.tan,
    "math.asin": torch.asin, "math.acos": torch.acos, "math.atan": torch.atan, "math.sinh": torch.sinh, "math.cosh": torch.cosh,
    "math.tanh": torch.tanh, "math.asinh": torch.asinh, "math.acosh": torch.acosh, "math.atanh": torch.atanh,
    "math.atan2": torch.atan2, "math.erf": torch.erf, "math.erfc": torch.erfc, "math.sqrt": torch.sqrt, "math.rsqrt": torch.rsqrt,
    "math.cbrt": lambda a: torch.sign(a) * a.abs().pow(1 / 3), "math.powf": torch.pow, "math.floor": torch.floor,
    "math.ceil": torch.ceil, "math.trunc": torch.trunc, "math.roundeven": torch.round, "math.absf": torch.abs,
    "math.copysign": torch.copysign,
}  # fmt: skip
SCALAR_OPS.update({name: _plain(function) for name, function in _PLAIN_OPS.items()})

# How two values combine, by the kind of a reduction, scan or accumulating store.
COMBINE: dict[str, Callable[..., torch.Tensor]] = {
    "add": torch.add, "mul": torch.mul, "max": torch.maximum, "min": torch.minimum,
    "maxu": lambda a, b: torch.maximum(_unsigned(a), _unsigned(b)).to(a.dtype),
    "minu": lambda a, b: torch.minimum(_unsigned(a), _unsigned(b)).to(a.dtype),
    "and": torch.bitwise_and, "or": torch.bitwise_or,
}  # fmt: skip


def _identity(kind: str, dtype: torch.dtype) -> Any:
    if kind in ("add", "or", "maxu"):
        return 0
    if kind == "mul":
        return 1
    if kind in ("and", "minu"):
        return True if dtype == torch.bool else -1
    if dtype.is_floating_point:
        return float("-inf") if kind.endswith("max") else float("inf")
    if dtype == torch.bool:
        return kind.endswith("min")
    return torch.iinfo(dtype).min if kind.endswith("max") else torch.iinfo(dtype).max


def _better(kind: str, value: torch.Tensor, index: torch.Tensor, other: torch.Tensor, other_index: torch.Tensor) -> torch.Tensor:
    """Whether (value, index) wins over (other, other_index): NaN first, then the extreme, then the smaller index."""
    nan, other_nan = value.isnan(), other.isnan()
    extreme = value > other if kind == "argmax" else value < other
    equal = (value == other) | (nan & other_nan)
    return (nan & ~other_nan) | (extreme & ~other_nan) | (equal & (index < other_index))


def _arg_step(kind: str, a: Tensors, b: Tensors) -> Tensors:
    wins = _better(kind, b[0], b[1], a[0], a[1])
    return [torch.where(wins, b[0], a[0]), torch.where(wins, b[1], a[1])]


def _step(kind: str, a: Tensors, b: Tensors) -> Tensors:
    return _arg_step(kind, a, b) if kind in ("argmax", "argmin") else [COMBINE[kind](a[0], b[0])]


def _start(kind: str, inputs: Tensors) -> Tensors:
    identity = [_identity(kind, inputs[0].dtype), torch.iinfo(torch.int64).max]
    return [i.new_full(i.shape[1:], v) for i, v in zip(inputs, identity, strict=False)]


def reduce_values(kind: str, inputs: Tensors, dims: Sequence[int]) -> Tensors:
    """`loop.reduce` of expanded tensors over `dims`, which become dims of size 1."""
    kept = [1 if d in dims else s for d, s in enumerate(inputs[0].shape)]
    order = list(dims) + [d for d in range(inputs[0].dim()) if d not in dims]
    outer = [inputs[0].shape[d] for d in order[len(dims) :]]
    flat = [i.permute(order).reshape(math.prod(i.shape[d] for d in dims), *outer) for i in inputs]
    if kind == "welford":
        mean = flat[0].mean(0)
        results = [mean, (flat[0] - mean).square().sum(0)]
    elif kind == "add" and flat[0].is_floating_point():
        results = [flat[0].sum(0)]
    else:
        results = _start(kind, flat)
        for position in range(flat[0].shape[0]):
            results = _step(kind, results, [f[position] for f in flat])
    return [r.reshape(kept) for r in results]


def scan_values(kind: str, inputs: Tensors, dim: int) -> Tensors:
    """`loop.scan` of expanded tensors along `dim`."""
    steps: list[Tensors] = []
    for position in range(inputs[0].shape[dim]):
        current = [i.select(dim, position) for i in inputs]
        steps.append(_step(kind, steps[-1], current) if steps else current)
    if not steps:
        return [i.clone() for i in inputs]
    return [torch.stack(list(column), dim) for column in zip(*steps, strict=True)]
