"""Formulas of complex operators by their real and imaginary parts, in the order of operations of eager's kernels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

from torch_mlir import ir

from ..registry import add_rule

# A real or imaginary part: a tensor, or a number that all elements share.
Part = ir.Value | float
Pair = tuple[Part, Part]

# Complex dtypes, with the dtypes of their parts.
COMPLEX = {"complex64": "float32", "complex128": "float64", "complex32": "float16"}

# Views that treat the parts as they treat the complex numbers.
VIEWS = frozenset(
    f"aten.{name}"
    for name in (
        "view.default", "_unsafe_view.default", "permute.default", "transpose.int", "t.default", "expand.default", "slice.Tensor",
        "select.int", "squeeze.default", "squeeze.dim", "squeeze.dims", "unsqueeze.default", "alias.default", "detach.default",
        "diagonal.default", "split.Tensor", "split_with_sizes.default", "unbind.int",
    )
)  # fmt: skip
# Other operators that do.
MOVES = frozenset(
    f"aten.{name}"
    for name in (
        "clone.default", "index.Tensor", "index_select.default", "gather.default", "cat.default", "stack.default", "flip.default",
        "roll.default", "repeat.default",
    )
)  # fmt: skip


class Call(Protocol):
    """What a formula sees of its operator."""

    def __getitem__(self, argument: str) -> Any: ...
    @property
    def on_gpu(self) -> bool: ...
    @property
    def dtype(self) -> str: ...
    def pair(self, value: Any) -> Pair | None: ...
    def converted(self, part: Part) -> Part: ...
    def emit(self, name: str, /, **arguments: Any) -> ir.Value: ...


# Returns the parts of a complex result, or a real result; None if there is no formula for these operands.
Formula = Callable[[Call], Pair | ir.Value | None]

FORMULAS: dict[str, Formula] = {}
_formula = functools.partial(add_rule, FORMULAS)


def _multiplied(call: Call, x: Part, y: Part) -> Part:
    if isinstance(x, ir.Value):
        return call.emit("mul.Tensor", self=x, other=y)
    return call.emit("mul.Tensor", self=y, other=x) if isinstance(y, ir.Value) else x * y


def _added(call: Call, x: Part, y: Part) -> Part:
    if isinstance(x, ir.Value):
        return call.emit("add.Tensor", self=x, other=y)
    return call.emit("add.Tensor", self=y, other=x) if isinstance(y, ir.Value) else x + y


def _subtracted(call: Call, x: Part, y: Part) -> Part:
    if isinstance(x, ir.Value):
        return call.emit("sub.Tensor", self=x, other=y)
    return call.emit("rsub.Scalar", self=y, other=x) if isinstance(y, ir.Value) else x - y


def _negated(call: Call, x: Part) -> Part:
    return call.emit("neg.default", self=x) if isinstance(x, ir.Value) else -x


def _multiplied_added(call: Call, x: Part, y: Part, z: Part) -> Part:
    """x * y + z; the product is not rounded, unless it or z is a number"""
    if not isinstance(x, ir.Value):
        x, y = y, x
    if not isinstance(x, ir.Value) or not isinstance(z, ir.Value):
        return _added(call, _multiplied(call, x, y), z)
    if isinstance(y, ir.Value):
        return call.emit("addcmul.default", self=z, tensor1=x, tensor2=y)
    return call.emit("add.Tensor", self=z, other=x, alpha=y)


def _product(call: Call, z: Pair, w: Pair) -> Pair:
    """(a + bi)(c + di) = ac - bd + (ad + bc)i, also where d is 0, which makes infinities NaN. On the CPU each operation is rounded. On GPUs
    the products ac and ad are not, as eager's code is compiled there."""
    (a, b), (c, d) = z, w
    bd, bc = _multiplied(call, b, d), _multiplied(call, b, c)
    if call.on_gpu:
        return _multiplied_added(call, a, c, _negated(call, bd)), _multiplied_added(call, a, d, bc)
    return _subtracted(call, _multiplied(call, a, c), bd), _added(call, _multiplied(call, a, d), bc)


@_formula("aten.mul.Tensor", "aten.mul.Scalar")
def complex_mul(call: Call) -> Pair | None:
    """self * other; on GPUs a number is the first factor"""
    z, w = call.pair(call["self"]), call.pair(call["other"])
    if z is None or w is None:
        return None
    return _product(call, w, z) if call.on_gpu and not isinstance(call["other"], ir.Value) else _product(call, z, w)


def _sum(call: Call, first: Any, second: Any, alpha: Any, sign: int) -> Pair | None:
    z, w, factor = call.pair(first), call.pair(second), call.pair(alpha if sign > 0 else -alpha)
    if z is None or w is None or factor is None:
        return None
    scaled = _product(call, factor, w)
    return _added(call, z[0], scaled[0]), _added(call, z[1], scaled[1])


@_formula("aten.add.Tensor", "aten.add.Scalar")
def complex_add(call: Call) -> Pair | None:
    """self + alpha * other, with a complex product also if alpha is 1"""
    return _sum(call, call["self"], call["other"], call["alpha"], 1)


@_formula("aten.sub.Tensor", "aten.sub.Scalar")
def complex_sub(call: Call) -> Pair | None:
    """self + (-alpha) * other"""
    return _sum(call, call["self"], call["other"], call["alpha"], -1)


@_formula("aten.rsub.Tensor", "aten.rsub.Scalar")
def complex_rsub(call: Call) -> Pair | None:
    """other + (-alpha) * self"""
    return _sum(call, call["other"], call["self"], call["alpha"], -1)


@_formula("aten.neg.default")
def complex_neg(call: Call) -> Pair | None:
    """0 - self on the CPU, as in eager's vector code, whose results have no negative zeros; -self on GPUs"""
    pair = call.pair(call["self"])
    if pair is None:
        return None
    real, imaginary = (call.emit("neg.default", self=p) if call.on_gpu else _subtracted(call, 0.0, p) for p in pair)
    return real, imaginary


@_formula("aten.conj_physical.default", "aten._conj_physical.default")
def complex_conj(call: Call) -> Pair | None:
    """The imaginary part with the other sign"""
    pair = call.pair(call["self"])
    return None if pair is None else (pair[0], call.emit("neg.default", self=pair[1]))


@_formula("aten.abs.default")
def complex_abs(call: Call) -> ir.Value | None:
    """hypot(re, im)"""
    pair = call.pair(call["self"])
    return None if pair is None else call.emit("hypot.default", self=pair[0], other=pair[1])


@_formula("aten.complex.default")
def complex_number(call: Call) -> Pair:
    """real + imag i"""
    return call["real"], call["imag"]


@_formula("aten.polar.default")
def complex_polar(call: Call) -> Pair:
    """abs cos(angle) + abs sin(angle) i"""
    length, angle = call["abs"], call["angle"]
    real, imaginary = (call.emit("mul.Tensor", self=length, other=call.emit(f"{f}.default", self=angle)) for f in ("cos", "sin"))
    return real, imaginary


@_formula("aten._to_copy.default")
def complex_copy(call: Call) -> Pair | None:
    """A complex copy in another dtype, on the same device"""
    if call["device"] is not None or call["pin_memory"] or call["dtype"] not in COMPLEX:
        return None
    pair = call.pair(call["self"])
    if pair is None or not isinstance(call["self"], ir.Value):
        return None
    return pair


@_formula("aten.where.self")
def complex_where(call: Call) -> Pair | None:
    """The parts chosen alike"""
    z, w = call.pair(call["self"]), call.pair(call["other"])
    pairs = [] if z is None or w is None else list(zip(z, w, strict=True))
    if not pairs or not all(isinstance(a, ir.Value) and isinstance(b, ir.Value) for a, b in pairs):
        return None
    real, imaginary = (call.emit("where.self", condition=call["condition"], self=a, other=b) for a, b in pairs)
    return real, imaginary


@_formula("aten.sum.dim_IntList")
def sum_of_dims(call: Call) -> Pair | None:
    """The sums of the parts"""
    return _sums(call, "sum.dim_IntList", dim=call["dim"], keepdim=call["keepdim"])


@_formula("aten.sum.default")
def sum_of_all(call: Call) -> Pair | None:
    """The sums of the parts"""
    return _sums(call, "sum.default")


def _sums(call: Call, name: str, **arguments: Any) -> Pair | None:
    pair = call.pair(call["self"]) if call["dtype"] in (None, *COMPLEX) else None
    if pair is None:
        return None
    real, imaginary = (call.emit(name, self=part, **arguments) for part in pair)
    return real, imaginary
