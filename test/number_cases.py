"""What `sweep_numbers.py` sweeps: pointwise operators of one tensor and numbers, by name, most of them from PyTorch's operator database."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo

NUMBERS = (0.3, 0.1, 1, 2, 3.0, 7, -2, 0.5, 1e-3, 65504.0, 1e5, 2.9e-39, math.inf, math.nan, -0.0)
ZERO_DIMENSIONAL = (0.3, -2.0, 1e-3)
OF_CALLS = (0.3, 2)  # for operators that are calls of ATen, and slow

# They draw numbers, compile CUDA code, or give complex numbers.
LEFT_OUT = {"jiterator_unary", "jiterator_binary", "jiterator_binary_return_by_ref", "nn.functional.rrelu", "nn.functional.prelu",
            "complex", "polar", "cdouble", "cfloat", "chalf", "conj", "imag", "real"}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One operator with its numbers: `text` is a name, `fn` takes the tensor."""

    operator: str
    text: str
    fn: Callable[[torch.Tensor], Any]


def name_of(op: Any) -> str:
    """The operator's name in the database, with its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def unary_cases(dtype: torch.dtype) -> Iterator[Case]:
    """Every unary operator of the database, with the database's own numbers where it needs some."""
    for op in op_db:
        if isinstance(op, UnaryUfuncInfo) and op.name not in LEFT_OUT:
            keywords = op.sample_kwargs("cpu", dtype, torch.ones(3, dtype=dtype))[0]
            yield Case(name_of(op), f"{name_of(op)}(x)", _with_keywords(op.op, keywords))


def _with_keywords(function: Callable[..., Any], keywords: dict[str, Any]) -> Callable[[torch.Tensor], Any]:
    return lambda x: function(x, **keywords)


def binary_cases(dtype: torch.dtype) -> Iterator[Case]:
    """Every binary operator of the database with every number on either side, and with tensors without dimensions."""
    for op in op_db:
        if not isinstance(op, BinaryUfuncInfo) or op.name in LEFT_OUT:
            continue
        name = name_of(op)
        function = _of_variant(op)
        for number in OF_CALLS if name.startswith("special.") and "xlog1py" not in name else NUMBERS:
            yield Case(name, f"{name}(x, {number})", _right(function, number))
            yield Case(name, f"{name}({number}, x)", _left(function, number))
        for number in ZERO_DIMENSIONAL:
            for other in {dtype, torch.float32}:
                scalar = torch.tensor(number, dtype=other)
                yield Case(name, f"{name}(x, {scalar})", _right(function, scalar))
                yield Case(name, f"{name}({scalar}, x)", _left(function, scalar))


def _of_variant(op: Any) -> Callable[..., Any]:
    """The operator; the variants of `div` are told by their keyword."""
    modes = {"trunc_rounding": "trunc", "floor_rounding": "floor"}
    if op.variant_test_name in modes:
        mode = modes[op.variant_test_name]
        return lambda x, y: torch.div(x, y, rounding_mode=mode)
    return op.op


def _right(function: Callable[..., Any], number: Any) -> Callable[[torch.Tensor], Any]:
    return lambda x: function(x, number)


def _left(function: Callable[..., Any], number: Any) -> Callable[[torch.Tensor], Any]:
    return lambda x: function(number, x)


OPERATORS: dict[str, Callable[[torch.Tensor], Any]] = {
    "x // 0.3": lambda x: x // 0.3,
    "x % 0.3": lambda x: x % 0.3,
    "x ** 0.3": lambda x: x**0.3,
    "7 // x": lambda x: 7 // x,
    "0.3 % x": lambda x: 0.3 % x,
    "0.3 ** x": lambda x: 0.3**x,
}

ACTIVATIONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "gelu(x)": F.gelu,
    "gelu(x, tanh)": lambda x: F.gelu(x, approximate="tanh"),
    "hardswish(x)": F.hardswish,
    "leaky_relu(x)": F.leaky_relu,
    "leaky_relu(x, 0.3)": lambda x: F.leaky_relu(x, 0.3),
    "leaky_relu(x, -0.3)": lambda x: F.leaky_relu(x, -0.3),
    "rrelu(x)": lambda x: F.rrelu(x, 0.1, 0.3, training=False),
    "hardtanh(x, -0.3, 0.3)": lambda x: F.hardtanh(x, -0.3, 0.3),
    "softplus(x, 0.3, 5)": lambda x: F.softplus(x, 0.3, 5),
    "softplus(x, 3, 0.1)": lambda x: F.softplus(x, 3, 0.1),
    "elu(x, 0.3)": lambda x: F.elu(x, 0.3),
    "celu(x, 0.3)": lambda x: F.celu(x, 0.3),
    "softshrink(x, 0.3)": lambda x: F.softshrink(x, 0.3),
    "softshrink(x, 1e-3)": lambda x: F.softshrink(x, 1e-3),
    "hardshrink(x, 0.3)": lambda x: F.hardshrink(x, 0.3),
    "threshold(x, 0.3, 0.1)": lambda x: F.threshold(x, 0.3, 0.1),
    "threshold(x, -0.3, 7)": lambda x: F.threshold(x, -0.3, 7),
    "softmin(x[:, None])": lambda x: F.softmin(x[..., None], -1),
    "logit(x, 0.1)": lambda x: torch.logit(x, 0.1),
    "nan_to_num(x, 0.3)": lambda x: torch.nan_to_num(x, 0.3, 0.1, -0.3),
}

SEVERAL: dict[str, Callable[[torch.Tensor], Any]] = {
    "lerp(x, y, 0.3)": lambda x: torch.lerp(x, x.flip(-1), 0.3),
    "lerp(x, y, 0.7)": lambda x: torch.lerp(x, x.flip(-1), 0.7),
    "lerp(x, y, y)": lambda x: torch.lerp(x, x.flip(-1), x.roll(7, -1)),
    "addcmul(x, y, z)": lambda x: torch.addcmul(x, x.flip(-1), x.roll(7, -1)),
    "addcmul(x, y, z, 0.3)": lambda x: torch.addcmul(x, x.flip(-1), x.roll(7, -1), value=0.3),
    "addcdiv(x, y, z)": lambda x: torch.addcdiv(x, x.flip(-1), x.roll(7, -1)),
    "addcdiv(x, y, z, 0.3)": lambda x: torch.addcdiv(x, x.flip(-1), x.roll(7, -1), value=0.3),
    "add(x, y, 0.3)": lambda x: torch.add(x, x.flip(-1), alpha=0.3),
    "sub(x, y, 0.3)": lambda x: torch.sub(x, x.flip(-1), alpha=0.3),
    "rsub(x, y, 0.3)": lambda x: torch.rsub(x, x.flip(-1), alpha=0.3),
    "add(x, 0.3, 0.1)": lambda x: torch.add(x, 0.3, alpha=0.1),
    "rsub(x, 0.3, 0.1)": lambda x: torch.rsub(x, 0.3, alpha=0.1),
    "clamp(x, -0.3, 0.3)": lambda x: x.clamp(-0.3, 0.3),
    "clamp(x, 0.3, -0.3)": lambda x: x.clamp(0.3, -0.3),
    "clamp(x, 0.0, 1)": lambda x: x.clamp(0.0, 1),
    "clamp(x, -0.0, nan)": lambda x: x.clamp(-0.0, math.nan),
    "clamp(x, y, z)": lambda x: x.clamp(x.flip(-1), x.roll(7, -1)),
    "clip(x, 0.1)": lambda x: x.clip(0.1),
    "where(c, x, 0.3)": lambda x: torch.where(x > 0.3, x, 0.3),
    "where(c, 0.3, 0.1)": lambda x: torch.where(x > 0.3, 0.3, 0.1),
    "where(c, x, 2)": lambda x: torch.where(x <= 2, x, 2),
    "masked_fill(x, c, 0.3)": lambda x: x.masked_fill(x > 1, 0.3),
    "ldexp(x, 3)": lambda x: torch.ldexp(x, torch.tensor(3)),
    "ldexp(x, -130)": lambda x: torch.ldexp(x, torch.tensor(-130)),
}

PAIRS = ("add sub mul div fmod remainder floor_divide pow atan2 copysign fmax fmin maximum minimum hypot "
         "logaddexp logaddexp2 xlogy heaviside eq ne lt le gt ge logical_and logical_or logical_xor nextafter").split()  # fmt: skip


def other_cases() -> Iterator[Case]:
    """Activations with numbers, operators of several tensors made of the values, Python's operators."""
    for group in (OPERATORS, ACTIVATIONS, SEVERAL):
        for text, function in group.items():
            yield Case(text.split("(")[0], text, function)
    for name in PAIRS:
        yield Case(name, f"{name}(x, flip)", _of_pair(getattr(torch, name), 0))
        yield Case(name, f"{name}(x, roll 7)", _of_pair(getattr(torch, name), 7))
    for mode in ("trunc", "floor"):
        yield Case("div." + mode, f"div.{mode}(x, flip)", _of_pair(lambda x, y, mode=mode: torch.div(x, y, rounding_mode=mode), 0))
        yield Case("div." + mode, f"div.{mode}(x, 7)", _of_pair(lambda x, y, mode=mode: torch.div(x, y, rounding_mode=mode), 7))


def _of_pair(function: Callable[..., Any], shift: int) -> Callable[[torch.Tensor], Any]:
    return lambda x: function(x, x.roll(shift, -1) if shift else x.flip(-1))
