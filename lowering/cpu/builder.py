"""Creates the operations of a kernel: each pure operation once, in the outermost loop in which its operands are defined."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ..kernel.analysis import UNORDERED
from ..kernel.hoisting import Attributes, HoistingBuilder, Level, OpenLoop


@dataclass(slots=True, eq=False)
class Val:
    """An emitted value: `type` is the element type, `lanes` 0 for a scalar, `level` the loop that contains it."""

    ssa: ir.Value
    type: ir.Type
    lanes: int
    level: int


Int = Val | int  # an i64: emitted, or a constant


class Builder(HoistingBuilder[Val, int]):
    """Emission into one function at a time; `levels[0]` is the function's entry block."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        super().__init__(Val)
        self.bf16 = ir.BF16Type.get()
        self.ptr = ir.Type.parse("!llvm.ptr")
        self._vectors: dict[tuple[ir.Type, int], ir.Type] = {}
        self._declared: set[str] = set()

    def type_of(self, element: ir.Type, lanes: int) -> ir.Type:
        """The MLIR type of `lanes` elements; the element type itself for 0. bf16 is stored as i16: not every CPU supports it."""
        element = self.i16 if element == self.bf16 else element
        if not lanes:
            return element
        found = self._vectors.get((element, lanes))
        if found is None:
            found = self._vectors[element, lanes] = ir.VectorType.get([lanes], element)
        return found

    # Operations.

    def read(self, name: str, operands: Sequence[Val], element: ir.Type, lanes: int, attributes: Attributes | None = None) -> Val:
        """An operation that must not be hoisted, because its result depends on its position."""
        level = len(self.levels) - 1
        return Val(self._create(name, operands, [self.type_of(element, lanes)], attributes, level).result, element, lanes, level)

    def constant(self, attribute: ir.Attribute, element: ir.Type, lanes: int = 0) -> Val:
        """A constant; a splat of it for vectors."""
        memo = self.levels[0].memo
        found = memo.get(("constant", attribute, lanes))
        if found is None and element == self.bf16:
            found = self.cast("truncf", self.number(ir.FloatAttr(attribute).value, self.f32, lanes), element)
        if found is None:
            value = ir.DenseElementsAttr.get_splat(self.type_of(element, lanes), attribute) if lanes else attribute
            ssa = self._constant(value, self.type_of(element, lanes))
            found = memo["constant", attribute, lanes] = Val(ssa, element, lanes, 0)
        return found

    def integer(self, value: int, element: ir.Type | None = None, lanes: int = 0) -> Val:
        """An integer constant, i64 by default."""
        element = element or self.i64
        return self.constant(ir.IntegerAttr.get(element, value), element, lanes)

    def number(self, value: float, element: ir.Type, lanes: int = 0) -> Val:
        """A constant of an integer or float type."""
        if isinstance(element, ir.IntegerType):
            return self.integer(int(value), element, lanes)
        return self.constant(ir.FloatAttr.get(element, value), element, lanes)

    def ramp(self, element: ir.Type, lanes: int) -> Val:
        """0, 1, 2, ... in the lanes."""
        memo = self.levels[0].memo
        found = memo.get(("ramp", element, lanes))
        if found is None:
            values = ir.Attribute.parse(f"dense<{list(range(lanes))}> : vector<{lanes}x{element}>")
            found = memo["ramp", element, lanes] = Val(self._constant(values, self.type_of(element, lanes)), element, lanes, 0)
        return found

    # Values.

    def spread(self, value: Val, lanes: int) -> Val:
        """`value` in `lanes` lanes: itself, or a broadcast of a scalar."""
        if value.lanes == lanes:
            return value
        assert value.lanes == 0, (value.lanes, lanes)
        return self.pure("vector.broadcast", [value], value.type, lanes)

    def same_lanes(self, values: Sequence[Val]) -> list[Val]:
        """All values, broadcast to the lanes of the widest one."""
        lanes = max(v.lanes for v in values)
        return [self.spread(v, lanes) for v in values]

    def elementwise(
        self, name: str, operands: Sequence[Val], element: ir.Type, attributes: Attributes | None = None, key: Any = None
    ) -> Val:
        """An operation that works lane by lane."""
        operands = self.same_lanes(operands)
        return self.pure(name, operands, element, operands[0].lanes, attributes, key)

    def select(self, condition: Val, a: Val, b: Val) -> Val:
        """`condition ? a : b`; a scalar condition chooses whole vectors."""
        if condition.lanes:
            return self.elementwise("arith.select", [condition, a, b], a.type)
        a, b = self.same_lanes([a, b])
        return self.pure("arith.select", [condition, a, b], a.type, a.lanes)

    def cast(self, name: str, value: Val, element: ir.Type) -> Val:
        """`arith.<name>` to another element type."""
        if value.type == self.bf16 and name == "extf":
            wide = self.binary("shli", self.pure("arith.extui", [value], self.i32, value.lanes), self.integer(16, self.i32))
            return self.cast("bitcast", wide, self.f32)
        if element == self.bf16 and name == "truncf":
            return self._to_bf16(value)
        if name == "bitcast" and self.bf16 in (value.type, element):
            return Val(value.ssa, element, value.lanes, value.level)
        return self.pure("arith." + name, [value], element, value.lanes)

    def _to_bf16(self, value: Val) -> Val:
        """Rounds to nearest, ties to even, with one NaN for all. Keeps denormals, unlike the CPU's own instruction."""
        bits = self.cast("bitcast", value, self.i32)
        odd = self.binary("andi", self.binary("shrui", bits, self.integer(16, self.i32)), self.integer(1, self.i32))
        rounded = self.binary("addi", bits, self.binary("addi", odd, self.integer(0x7FFF, self.i32)))
        nan = self.elementwise("arith.cmpf", [value, value], self.i1, {"predicate": ir.IntegerAttr.get(self.i64, UNORDERED)}, UNORDERED)
        high = self.binary("shrui", self.select(nan, self.integer(0x7FC00000, self.i32), rounded), self.integer(16, self.i32))
        return self.pure("arith.trunci", [high], self.bf16, value.lanes)

    def shuffle(self, a: Val, b: Val, lanes: Sequence[int]) -> Val:
        """The chosen lanes of `a` followed by `b`."""
        attributes: Attributes = {"mask": ir.DenseI64ArrayAttr.get(list(lanes))}
        return self.pure("vector.shuffle", [a, b], a.type, len(lanes), attributes, tuple(lanes))

    def lane(self, value: Val, index: int) -> Val:
        """One lane as a scalar."""
        attributes: Attributes = {"static_position": ir.DenseI64ArrayAttr.get([index])}
        return self.pure("vector.extract", [value], value.type, 0, attributes, index)

    def pointer(self, base: Val, offset: Val, element: ir.Type) -> Val:
        """The address of `element`s at `base[offset]`: a vector of them for a vector of offsets."""
        stored = self.i8 if element == self.i1 else element
        attributes = {"rawConstantIndices": ir.DenseI32ArrayAttr.get([-(1 << 31)]), "elem_type": ir.TypeAttr.get(stored)}
        return self.pure("llvm.getelementptr", [base, offset], self.ptr, offset.lanes, attributes, stored)

    # Integers that may be constants.

    def int_value(self, value: Int) -> Val:
        """The integer as an emitted value."""
        return self.integer(value) if isinstance(value, int) else value

    def add(self, a: Int, b: Int) -> Int:
        """a + b"""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0 or b == 0:
            return a if b == 0 else b
        return self.binary("addi", self.int_value(a), self.int_value(b))

    def sub(self, a: Int, b: Int) -> Int:
        """a - b"""
        if isinstance(b, int):
            return self.add(a, -b)
        return self.binary("subi", self.int_value(a), b)

    def mul(self, a: Int, b: Int) -> Int:
        """a * b"""
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 0 or b == 0:
            return 0
        if a == 1 or b == 1:
            return a if b == 1 else b
        return self.binary("muli", self.int_value(a), self.int_value(b))

    def minimum(self, a: Int, b: Int) -> Int:
        """min(a, b), signed"""
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self.binary("minsi", self.int_value(a), self.int_value(b))

    # Regions.

    @contextlib.contextmanager
    def loop(self, lower: Int, upper: Int, step: int, carried: Sequence[Val] = ()) -> Iterator[OpenLoop[Val]]:
        """`scf.for` over i64; the body must call `yield_` if something is carried."""
        operands = [self.int_value(lower), self.int_value(upper), self.integer(step), *carried]
        types = [self.type_of(v.type, v.lanes) for v in carried]
        parent = self.levels[-1]
        depth = len(self.levels)
        op = ir.Operation.create("scf.for", results=types, operands=[v.ssa for v in operands], regions=1, loc=self.loc, ip=parent.ip)
        block = op.regions[0].blocks.append(self.i64, *types)
        arguments = [Val(a, t.type, t.lanes, depth) for a, t in zip(list(block.arguments)[1:], carried, strict=True)]
        opened = OpenLoop(Val(block.arguments[0], self.i64, 0, depth), arguments)
        with self._inside(op, block):
            yield opened
            assert len(carried) == len(opened.yielded)
            self._create("scf.yield", opened.yielded, [], None, depth)
        opened.results = [Val(r, v.type, v.lanes, depth - 1) for r, v in zip(op.results, carried, strict=True)]

    @contextlib.contextmanager
    def when(self, condition: Val) -> Iterator[None]:
        """`scf.if` without results."""
        op = ir.Operation.create("scf.if", operands=[condition.ssa], regions=2, loc=self.loc, ip=self.levels[-1].ip)
        with self._inside(op, op.regions[0].blocks.append()):
            yield
            self._create("scf.yield", [], [], None, len(self.levels) - 1)

    def choose(self, condition: Val, element: ir.Type, lanes: int, yes: Callable[[], Val], no: Callable[[], Val]) -> Val:
        """`scf.if` with a result: what `yes` or `no` emits there."""
        level = len(self.levels) - 1
        op = ir.Operation.create(
            "scf.if", results=[self.type_of(element, lanes)], operands=[condition.ssa], regions=2, loc=self.loc, ip=self.levels[-1].ip
        )
        for region, emit in zip(op.regions, (yes, no), strict=True):
            with self._inside(op, region.blocks.append()):
                self._create("scf.yield", [emit()], [], None, len(self.levels) - 1)
        return Val(op.result, element, lanes, level)

    # Functions.

    @contextlib.contextmanager
    def function(
        self, name: str, types: Sequence[ir.Type], result: ir.Type | None, passthrough: Sequence[str] = (), features: str = ""
    ) -> Iterator[list[Val]]:
        """A function of the module; gives its arguments. `passthrough`: LLVM attributes; private to the module if there are any."""
        block = self._function(name, types, result, list(passthrough), features).regions[0].blocks.append(*types)
        self.levels.append(Level(ir.InsertionPoint(block)))
        try:
            yield [Val(a, t, 0, 0) for a, t in zip(block.arguments, types, strict=True)]
        finally:
            self.levels.pop()

    def _function(self, name: str, types: Sequence[ir.Type], result: ir.Type | None, passthrough: list[str], features: str) -> ir.Operation:
        signature = _function_type(types, result)
        extra: list[ir.Attribute] = [ir.StringAttr.get(word) for word in passthrough]
        if features:
            extra.append(ir.ArrayAttr.get([ir.StringAttr.get("target-features"), ir.StringAttr.get(features)]))
        attributes = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(signature),
            "linkage": ir.Attribute.parse(f"#llvm.linkage<{'internal' if passthrough else 'external'}>"),
            "passthrough": ir.ArrayAttr.get(extra),
        }
        return ir.Operation.create("llvm.func", attributes=attributes, regions=1, loc=self.loc, ip=ir.InsertionPoint(self.module.body))

    def return_(self, values: Sequence[Val] = ()) -> None:
        """`llvm.return`"""
        self.effect("llvm.return", values)

    def declare(self, name: str, types: Sequence[ir.Type], result: ir.Type | None) -> None:
        """An external function, once."""
        if self.first_time(name):
            self._function(name, types, result, [], "")

    def first_time(self, name: str) -> bool:
        """Whether this is the first mention of the module's function `name` here."""
        if name in self._declared:
            return False
        self._declared.add(name)
        return True

    def address_of(self, name: str) -> Val:
        """The address of a function of the module."""
        return self.read("llvm.mlir.addressof", [], self.ptr, 0, {"global_name": ir.FlatSymbolRefAttr.get(name)})

    def alloca(self, element: ir.Type, count: int = 1) -> Val:
        """Memory on the stack, aligned for vectors; not within loops."""
        attributes = {"elem_type": ir.TypeAttr.get(element), "alignment": ir.IntegerAttr.get(self.i64, 64)}
        return self.read("llvm.alloca", [self.integer(count)], self.ptr, 0, attributes)

    def call(self, name: str, operands: Sequence[Val], element: ir.Type | None, lanes: int = 0, pure: bool = False) -> Val | None:
        """`llvm.call`; of a pure function it is hoisted like any operation. Declare external functions first."""
        count = len(operands)
        attributes = {
            "callee": ir.FlatSymbolRefAttr.get(name),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([count, 0]),
            "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        }
        if element is None:
            self.effect("llvm.call", operands, attributes)
            return None
        if pure:
            return self.pure("llvm.call", operands, element, lanes, attributes, name)
        return self.read("llvm.call", operands, element, lanes, attributes)

    def call_address(self, function: Val, operands: Sequence[Val]) -> None:
        """Calls a function without a result by its address."""
        attributes: Attributes = {
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1 + len(operands), 0]),
            "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        }
        self.effect("llvm.call", [function, *operands], attributes)


def _function_type(types: Sequence[ir.Type], result: ir.Type | None) -> ir.Type:
    return ir.Type.parse(f"!llvm.func<{result or 'void'} ({', '.join(map(str, types))})>")
