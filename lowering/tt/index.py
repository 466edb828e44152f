"""Integers of a kernel with their bounds, and index expressions in tiles: a scalar plus a part that differs within the tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch_mlir import ir

from ..kernel.analysis import ExprTree
from .builder import NONE, Builder, Val

LOWEST, HIGHEST = -(1 << 31), (1 << 31) - 1
SIGNED_LESS = 2
Bound = int | None


@dataclass(slots=True, eq=False)
class Num:
    """An integer: a constant, or an emitted value (i32 if its bounds fit, else i64). A bound of None is unknown."""

    value: Val | int
    lo: Bound = None
    hi: Bound = None

    def __post_init__(self) -> None:
        if isinstance(self.value, int):
            self.lo = self.hi = self.value

    @property
    def narrow(self) -> bool:
        """Whether it fits in i32."""
        return self.lo is not None and self.hi is not None and self.lo >= LOWEST and self.hi <= HIGHEST

    @property
    def axes(self) -> frozenset[int]:
        """The axes of the tile along which it varies."""
        return NONE if isinstance(self.value, int) else self.value.axes


@dataclass(slots=True, eq=False)
class TileIndex:
    """base + lanes: a scalar, and the part that differs within the tile (None: no part does)."""

    base: Num
    lanes: Num | None = None


def constant(value: int) -> TileIndex:
    """An index of known value."""
    return TileIndex(Num(value))


class Numbers:
    """Arithmetic on `Num`."""

    def __init__(self, builder: Builder) -> None:
        self.b = builder

    def emitted(self, num: Num, type_: ir.Type | None = None) -> Val:
        """The integer as a value, converted to `type_` if it has another type."""
        type_ = type_ or (self.b.i32 if num.narrow else self.b.i64)
        if isinstance(num.value, int):
            return self.b.number(num.value, type_)
        if num.value.type == type_:
            return num.value
        return self.b.cast("extsi" if type_ == self.b.i64 else "trunci", num.value, type_)

    def _emit(self, name: str, a: Num, b: Num, lo: Bound, hi: Bound) -> Num:
        result = Num(0)
        result.lo, result.hi = lo, hi
        narrow = result.narrow and a.narrow and b.narrow
        type_ = self.b.i32 if narrow else self.b.i64
        value = self.b.binary(name, self.emitted(a, type_), self.emitted(b, type_))
        if result.narrow and not narrow:
            value = self.b.cast("trunci", value, self.b.i32)
        result.value = value
        return result

    def add(self, a: Num, b: Num) -> Num:
        """a + b"""
        if isinstance(a.value, int) and isinstance(b.value, int):
            return Num(a.value + b.value)
        if a.value == 0 or b.value == 0:
            return b if a.value == 0 else a
        return self._emit("addi", a, b, _plus(a.lo, b.lo), _plus(a.hi, b.hi))

    def sub(self, a: Num, b: Num) -> Num:
        """a - b"""
        if isinstance(a.value, int) and isinstance(b.value, int):
            return Num(a.value - b.value)
        if b.value == 0:
            return a
        return self._emit("subi", a, b, _plus(a.lo, _minus(b.hi)), _plus(a.hi, _minus(b.lo)))

    def mul(self, a: Num, b: Num) -> Num:
        """a * b"""
        if isinstance(a.value, int) and isinstance(b.value, int):
            return Num(a.value * b.value)
        if a.value == 0 or b.value == 0:
            return Num(0)
        if a.value == 1 or b.value == 1:
            return b if a.value == 1 else a
        return self._emit("muli", a, b, *_product(a, b))

    def minimum(self, a: Num, b: Num) -> Num:
        """The minimum."""
        if isinstance(a.value, int) and isinstance(b.value, int):
            return Num(min(a.value, b.value))
        lo = None if a.lo is None or b.lo is None else min(a.lo, b.lo)
        his = [h for h in (a.hi, b.hi) if h is not None]
        return self._emit("minsi", a, b, lo, min(his, default=None))

    def divide(self, kind: str, a: Num, b: Num) -> Num:
        """floordiv or mod, by a positive number."""
        if isinstance(b.value, int):
            if b.value == 1:
                return Num(0) if kind == "mod" else a
            if b.value <= 0:  # a dimension without elements: nothing runs
                return Num(0)
            if isinstance(a.value, int):
                return Num(a.value // b.value if kind == "floordiv" else a.value % b.value)
        positive = b if b.lo is not None and b.lo > 0 else self._at_least_one(b)
        lo, hi = _quotient(kind, a, positive)
        if a.lo is not None and a.lo >= 0:
            if kind == "mod" and a.hi is not None and positive.lo is not None and a.hi < positive.lo:
                return a
            return self._emit("divui" if kind == "floordiv" else "remui", a, positive, lo, hi)
        return self._divide_signed(kind, a, positive, lo, hi)

    def _at_least_one(self, b: Num) -> Num:
        """The divisor, at least 1: a division by a symbol may be hoisted to where the domain may have no points."""
        if b.hi is not None and b.hi < 1:
            return Num(1)
        return self._emit("maxsi", b, Num(1), 1, b.hi)

    def _divide_signed(self, kind: str, a: Num, b: Num, lo: Bound, hi: Bound) -> Num:
        """The quotient rounded down, or its remainder, for any `a` and positive `b`."""
        builder = self.b
        narrow = a.narrow and b.narrow
        type_ = builder.i32 if narrow else builder.i64
        x, y = self.emitted(a, type_), self.emitted(b, type_)
        remainder = builder.binary("remsi", x, y)
        negative = builder.compare(SIGNED_LESS, remainder, builder.number(0, type_))
        if kind == "mod":
            value = builder.select(negative, builder.binary("addi", remainder, y), remainder)
        else:
            quotient = builder.binary("divsi", x, y)
            value = builder.select(negative, builder.binary("subi", quotient, builder.number(1, type_)), quotient)
        result = Num(value, lo, hi)
        if result.narrow and not narrow:
            result.value = builder.cast("trunci", value, builder.i32)
        elif narrow and not result.narrow:
            result.value = builder.cast("extsi", value, builder.i64)
        return result


class Indices:
    """Emits index expressions. `leaf` returns the numbers for ("dim", k), ("symbol", k) and ("value", k)."""

    def __init__(self, builder: Builder, leaf: Callable[[ExprTree], TileIndex]) -> None:
        self.numbers = Numbers(builder)
        self.leaf = leaf

    def emit(self, expr: ExprTree) -> TileIndex:
        """The index of `expr`."""
        kind = expr[0]
        if kind == "constant":
            return constant(expr[1])
        if kind in ("dim", "symbol", "value"):
            return self.leaf(expr)
        left, right = self.emit(expr[1]), self.emit(expr[2])
        combine = {"add": self.add, "mul": self.mul, "sub": self.sub}.get(kind)
        return self.divide(kind, left, right) if combine is None else combine(left, right)

    def total(self, a: TileIndex) -> Num:
        """The whole index as one number."""
        return a.base if a.lanes is None else self.numbers.add(a.lanes, a.base)

    def add(self, a: TileIndex, b: TileIndex) -> TileIndex:
        """a + b"""
        return TileIndex(self.numbers.add(a.base, b.base), self._lanes("add", a, b))

    def sub(self, a: TileIndex, b: TileIndex) -> TileIndex:
        """a - b"""
        return TileIndex(self.numbers.sub(a.base, b.base), self._lanes("sub", a, b))

    def _lanes(self, kind: str, a: TileIndex, b: TileIndex) -> Num | None:
        if b.lanes is None:
            return a.lanes
        if a.lanes is None and kind == "add":
            return b.lanes
        lanes: Num = getattr(self.numbers, kind)(a.lanes or Num(0), b.lanes)
        return lanes

    def mul(self, a: TileIndex, b: TileIndex) -> TileIndex:
        """a * b"""
        numbers = self.numbers
        if a.lanes is None:
            a, b = b, a
        if b.lanes is None:
            return TileIndex(numbers.mul(a.base, b.base), None if a.lanes is None else numbers.mul(a.lanes, b.base))
        return TileIndex(Num(0), numbers.mul(self.total(a), self.total(b)))

    def divide(self, kind: str, a: TileIndex, b: TileIndex) -> TileIndex:
        """floordiv, ceildiv or mod, by a positive number."""
        numbers = self.numbers
        if kind == "ceildiv":
            return self.divide("floordiv", self.add(a, self.sub(b, constant(1))), b)
        if a.lanes is None and b.lanes is None:
            return TileIndex(numbers.divide(kind, a.base, b.base))
        divisor = self.total(b)
        if self.total(a).narrow or not isinstance(divisor.value, int) or divisor.value <= 0:
            return self._all_lanes(numbers.divide(kind, self.total(a), divisor))
        # The lanes stay narrow: the scalar is divided separately.
        rest = numbers.add(numbers.divide("mod", a.base, divisor), a.lanes or Num(0))
        lanes = numbers.divide(kind, rest, divisor)
        return TileIndex(numbers.divide("floordiv", a.base, divisor) if kind == "floordiv" else Num(0), lanes)

    def _all_lanes(self, num: Num) -> TileIndex:
        return TileIndex(Num(0), num) if num.axes else TileIndex(num)


def _plus(a: Bound, b: Bound) -> Bound:
    return None if a is None or b is None else a + b


def _minus(a: Bound) -> Bound:
    return None if a is None else -a


def _product(a: Num, b: Num) -> tuple[Bound, Bound]:
    if a.lo is None or b.lo is None:
        return None, None
    if a.lo >= 0 and b.lo >= 0:
        return a.lo * b.lo, None if a.hi is None or b.hi is None else a.hi * b.hi
    if a.hi is None or b.hi is None:
        return None, None
    corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return min(corners), max(corners)


def _quotient(kind: str, a: Num, b: Num) -> tuple[Bound, Bound]:
    """Bounds of a quotient or remainder by a positive number."""
    if kind == "mod":
        hi = None if b.hi is None else b.hi - 1
        if a.lo is not None and a.lo >= 0 and a.hi is not None:
            hi = a.hi if hi is None else min(hi, a.hi)
        return 0, hi
    least = b.lo or 1
    lo = None if a.lo is None else min(a.lo // least, 0 if b.hi is None else a.lo // b.hi)
    hi = None if a.hi is None else max(a.hi // least, 0 if b.hi is None else a.hi // b.hi)
    return lo, hi
