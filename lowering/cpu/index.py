"""Index expressions in lanes: a base plus a constant stride between lanes, or one value for each lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..kernel.analysis import ExprTree
from .builder import Builder, Int, Val

SIGNED_LESS = 2
UNSIGNED_GREATER_EQUAL = 9
NARROW = 1 << 31  # smaller numbers can be divided as i32
ANY = 1 << 62  # the bound of a number that is only known not to be negative


@dataclass(slots=True, eq=False)
class LaneIndex:
    """The i64 `base + stride * lane`, or `vector`, one value for each lane. `aligned`: a number of which `base` is a known multiple.
    `bound`: all lanes are between 0 and this number; None: unknown."""

    base: Int
    stride: Int = 0
    vector: Val | None = None
    aligned: int = 1
    bound: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.base, int) and self.stride == 0 and self.vector is None and self.base >= 0:
            self.bound = self.base

    @property
    def uniform(self) -> bool:
        """An index that is the same in all lanes."""
        return self.vector is None and self.stride == 0


def no_expr(expr: ExprTree) -> None:
    """For emitters without known expressions."""


class IndexEmitter:
    """Emits index expressions for `lanes` lanes. `leaf` returns the indices of ("dim", k), ("symbol", k) and ("value", k), `known` those
    of other expressions."""

    def __init__(
        self, builder: Builder, lanes: int, leaf: Callable[[ExprTree], LaneIndex], known: Callable[[ExprTree], LaneIndex | None] = no_expr
    ) -> None:
        self.b = builder
        self.lanes = lanes
        self.leaf = leaf
        self.known = known

    def emit(self, expr: ExprTree) -> LaneIndex:
        """The index of `expr`."""
        kind = expr[0]
        if kind == "constant":
            return LaneIndex(expr[1])
        if kind in ("dim", "symbol", "value"):
            return self.leaf(expr)
        combine = {"add": self.add, "mul": self.mul, "sub": self.sub}.get(kind)
        if combine is None:
            return self.known(expr) or self.divide(kind, self.emit(expr[1]), self.emit(expr[2]))
        return combine(self.emit(expr[1]), self.emit(expr[2]))

    def vector(self, index: LaneIndex) -> Val:
        """One i64 for each lane."""
        if index.vector is not None:
            return index.vector
        base = self.b.spread(self.b.int_value(index.base), self.lanes)
        if index.stride == 0:
            return base
        ramp = self.b.ramp(self.b.i64, self.lanes)
        if index.stride != 1:
            ramp = self.b.binary("muli", ramp, self.b.int_value(index.stride))
        return ramp if index.base == 0 else self.b.binary("addi", base, ramp)

    def value(self, index: LaneIndex) -> Val:
        """The index as a value of the body: a scalar if it is the same in all lanes."""
        return self.b.int_value(index.base) if index.uniform else self.vector(index)

    def add(self, a: LaneIndex, b: LaneIndex) -> LaneIndex:
        """a + b"""
        bound = None if a.bound is None or b.bound is None else a.bound + b.bound
        if a.vector is None and b.vector is None:
            return LaneIndex(self.b.add(a.base, b.base), self.b.add(a.stride, b.stride), bound=bound)
        return LaneIndex(0, vector=self.b.binary("addi", self.value(a), self.value(b)), bound=bound)

    def shifted(self, index: LaneIndex, distance: int) -> LaneIndex:
        """A uniform index plus `distance`, which stays within its bound."""
        return LaneIndex(self.b.add(index.base, distance), bound=index.bound)

    def sub(self, a: LaneIndex, b: LaneIndex) -> LaneIndex:
        """a - b"""
        if a.vector is None and b.vector is None:
            return LaneIndex(self.b.sub(a.base, b.base), self.b.sub(a.stride, b.stride))
        return LaneIndex(0, vector=self.b.binary("subi", self.value(a), self.value(b)))

    def mul(self, a: LaneIndex, b: LaneIndex) -> LaneIndex:
        """a * b"""
        bound = None if a.bound is None or b.bound is None else a.bound * b.bound
        if b.uniform and a.vector is None:
            return LaneIndex(self.b.mul(a.base, b.base), self.b.mul(a.stride, b.base), bound=bound)
        if a.uniform and b.vector is None:
            return self.mul(b, a)
        return LaneIndex(0, vector=self.b.binary("muli", self.value(a), self.value(b)), bound=bound)

    def divide(self, kind: str, a: LaneIndex, b: LaneIndex) -> LaneIndex:
        """floordiv, ceildiv or mod, by a positive number."""
        if b.base == 1 and b.uniform:
            return LaneIndex(0) if kind == "mod" else a
        if kind == "ceildiv":
            less = LaneIndex(self.b.add(b.base, -1), bound=b.bound) if b.uniform else self.sub(b, LaneIndex(1))
            return self.divide("floordiv", self.add(a, less), b)
        if a.stride == 1 and isinstance(b.base, int) and b.uniform and self._within(a, b.base):
            base = self.divide(kind, LaneIndex(a.base, bound=a.bound), b)
            return LaneIndex(base.base, 1 if kind == "mod" else 0, bound=base.bound)
        bound = _bound(kind, a, b)
        if (
            kind == "mod"
            and a.stride == 1
            and isinstance(b.base, int)
            and b.uniform
            and a.bound is not None
            and a.bound - self.lanes < 2 * b.base
        ):
            return LaneIndex(0, vector=self._wrapped(self.vector(a), b.base), bound=bound)
        if not a.uniform or not b.uniform:
            return LaneIndex(0, vector=self._divide(kind, a, b), bound=bound)
        if isinstance(a.base, int) and isinstance(b.base, int):
            return LaneIndex(a.base // b.base if kind == "floordiv" else a.base % b.base)
        return LaneIndex(self._divide(kind, a, b), bound=bound)

    def _within(self, a: LaneIndex, divisor: int) -> bool:
        """Whether all lanes of `a` are between the same multiples of `divisor`."""
        return divisor % self.lanes == 0 and a.aligned % self.lanes == 0

    def _divide(self, kind: str, a: LaneIndex, b: LaneIndex) -> Val:
        if a.bound is None:
            return self._divide_signed(kind, self.value(a), self._divisor(b))
        if isinstance(b.base, int) and b.uniform and b.base & (b.base - 1) == 0:
            name, operand = ("shrui", b.base.bit_length() - 1) if kind == "floordiv" else ("andi", b.base - 1)
            return self.b.binary(name, self.value(a), self.b.integer(operand))
        name = "divui" if kind == "floordiv" else "remui"
        if a.uniform or max(a.bound, b.bound or NARROW) >= NARROW:
            return self.b.binary(name, self.value(a), self._divisor(b))
        narrow = [self.b.cast("trunci", self.value(i), self.b.i32) for i in (a, b)]
        return self.b.cast("extui", self.b.binary(name, *narrow), self.b.i64)

    def _wrapped(self, value: Val, size: int) -> Val:
        """value mod size, if the value is less than twice the size (in active lanes)."""
        limit = self.b.integer(size, self.b.i64, self.lanes)
        return self.b.select(self.b.compare(UNSIGNED_GREATER_EQUAL, value, limit), self.b.binary("subi", value, limit), value)

    def _divisor(self, b: LaneIndex) -> Val:
        """The divisor, at least 1: a division by a symbol may be hoisted to where the domain may have no points."""
        value = self.value(b)
        return value if isinstance(b.base, int) and b.uniform else self.b.binary("maxsi", value, self.b.integer(1))

    def _divide_signed(self, kind: str, a: Val, b: Val) -> Val:
        """The quotient rounded down, or its remainder, for any `a` and positive `b`."""
        zero, one = self.b.integer(0), self.b.integer(1)
        remainder = self.b.binary("remsi", a, b)
        negative = self.b.compare(SIGNED_LESS, remainder, zero)
        if kind == "mod":
            return self.b.select(negative, self.b.binary("addi", remainder, b), remainder)
        quotient = self.b.binary("divsi", a, b)
        return self.b.select(negative, self.b.binary("subi", quotient, one), quotient)


def _bound(kind: str, a: LaneIndex, b: LaneIndex) -> int | None:
    """An upper bound of a quotient or remainder, if it is not negative."""
    if kind == "mod":
        found = b.bound - 1 if b.bound else a.bound
        return found if a.bound is None or found is None else min(a.bound, found)
    if a.bound is None:
        return None
    # A dimension without elements divides by 0, in a loop that never runs.
    return a.bound // b.base if isinstance(b.base, int) and b.base and b.uniform else a.bound


def no_leaf(expr: ExprTree) -> LaneIndex:
    """For expressions without leaves."""
    raise AssertionError(expr)
