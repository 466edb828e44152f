"""The builder that both targets share. It emits each pure operation once, in the outermost loop in which its operands are known."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from torch_mlir import ir

Attributes = dict[str, ir.Attribute]


class Emitted(Protocol):
    """An emitted value: `type` is the element type, `level` the loop that contains it."""

    ssa: ir.Value
    type: ir.Type
    level: int


V = TypeVar("V", bound=Emitted)
X = TypeVar("X", bound=Hashable)  # a value's extent: the lanes of a vector, the axes of a tile


@dataclass(slots=True)
class Level:
    """An open block: its insertion point, and what was emitted in it, by key."""

    ip: ir.InsertionPoint
    memo: dict[Any, Any] = field(default_factory=dict)


@dataclass(slots=True)
class OpenLoop(Generic[V]):
    """An open `scf.for`: its counter and carried values; `results` are known once it is closed by `yield_`."""

    counter: V
    carried: list[V]
    results: list[V] = field(default_factory=list)
    yielded: list[V] = field(default_factory=list)

    def yield_(self, values: Sequence[V]) -> None:
        """Sets the carried values of the next iteration."""
        self.yielded = list(values)


class HoistingBuilder(ABC, Generic[V, X]):
    """Emits into one function at a time; `levels[0]` is its entry block. `make(ssa, type, extent, level)` returns a value."""

    def __init__(self, make: Callable[[ir.Value, ir.Type, X, int], V]) -> None:
        self._make = make
        self.loc = ir.Location.unknown()
        self.levels: list[Level] = []
        self.i64 = ir.IntegerType.get_signless(64)
        self.i32 = ir.IntegerType.get_signless(32)
        self.i16 = ir.IntegerType.get_signless(16)
        self.i8 = ir.IntegerType.get_signless(8)
        self.i1 = ir.IntegerType.get_signless(1)
        self.f32 = ir.F32Type.get()
        self.f64 = ir.F64Type.get()

    @abstractmethod
    def type_of(self, element: ir.Type, extent: X) -> ir.Type:
        """The MLIR type of a value with this extent."""

    @abstractmethod
    def elementwise(self, name: str, operands: Sequence[V], element: ir.Type, attributes: Attributes | None = None, key: Any = None) -> V:
        """An operation on elements; operands are brought to one extent."""

    @abstractmethod
    def select(self, condition: V, a: V, b: V) -> V:
        """`condition ? a : b`"""

    @abstractmethod
    def number(self, value: float, element: ir.Type) -> V:
        """A scalar constant of an integer or float type."""

    def pure(
        self, name: str, operands: Sequence[V], element: ir.Type, extent: X, attributes: Attributes | None = None, key: Any = None
    ) -> V:
        """An operation without effects; `key` distinguishes its attributes from those of others."""
        level = max([v.level for v in operands], default=0)
        memo_key = (name, key, extent, element, *map(id, operands))
        memo = self.levels[level].memo
        entry = memo.get(memo_key)
        if entry is None:
            ssa = self._create(name, operands, [self.type_of(element, extent)], attributes, level).result
            # The operands are kept alive: their ids must not be reused while the key lives.
            entry = memo[memo_key] = (self._make(ssa, element, extent, level), tuple(operands))
        return entry[0]

    def effect(self, name: str, operands: Sequence[V], attributes: Attributes | None = None) -> None:
        """Emits an operation with an effect and no result in the innermost block."""
        self._create(name, operands, [], attributes, len(self.levels) - 1)

    def _create(self, name: str, operands: Sequence[V], types: list[ir.Type], attributes: Attributes | None, level: int) -> ir.Operation:
        ssa = [v.ssa for v in operands]
        return ir.Operation.create(name, results=types, operands=ssa, attributes=attributes, loc=self.loc, ip=self.levels[level].ip)

    def _constant(self, value: ir.Attribute, type_: ir.Type) -> ir.Value:
        # At the start of the entry block, which dominates every use in the function.
        ip = ir.InsertionPoint.at_block_begin(self.levels[0].ip.block)
        return ir.Operation.create("arith.constant", results=[type_], attributes={"value": value}, loc=self.loc, ip=ip).result

    def binary(self, name: str, a: V, b: V) -> V:
        """`arith.<name>` of two values of one type."""
        return self.elementwise("arith." + name, [a, b], a.type)

    def compare(self, predicate: int, a: V, b: V) -> V:
        """`arith.cmpi` or `arith.cmpf` by the type of `a`."""
        name = "arith.cmpi" if isinstance(a.type, ir.IntegerType) else "arith.cmpf"
        return self.elementwise(name, [a, b], self.i1, {"predicate": ir.IntegerAttr.get(self.i64, predicate)}, predicate)

    @contextlib.contextmanager
    def _inside(self, op: ir.Operation, block: ir.Block) -> Iterator[None]:
        """Emits into the body of `op`; hoisted operations go before it."""
        outer = self.levels[-1]
        after, outer.ip = outer.ip, ir.InsertionPoint(op)
        self.levels.append(Level(ir.InsertionPoint(block)))
        try:
            yield
        finally:
            self.levels.pop()
            outer.ip = after
