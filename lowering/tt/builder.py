"""Creates the operations of a `tt` kernel: tile by tile, each pure operation once, in the outermost loop where its operands are known.

A tile has one axis for each axis of the schedule. A value that varies along none of them is a scalar; any other is a tensor of the
kernel's rank with size 1 along the axes that it does not vary along.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ...dialects.segments import run_sizes_attr
from ..kernel.hoisting import Attributes, HoistingBuilder, OpenLoop

COMBINE_RUNS = 3  # groups of equal types among the operands of tt.reduce and tt.scan


@dataclass(slots=True, eq=False)
class Val:
    """An emitted value: `type` is the element type, `axes` the axes that it varies along, `level` the loop that contains it."""

    ssa: ir.Value
    type: ir.Type
    axes: frozenset[int]
    level: int


NONE: frozenset[int] = frozenset()
Combine = Callable[[list[Val], list[Val]], list[Val]]


class Builder(HoistingBuilder[Val, frozenset[int]]):
    """Emission into one function at a time; `levels[0]` is its entry block. `shape`: the sizes of a tile along its axes."""

    def __init__(self) -> None:
        super().__init__(Val)
        self.shape: tuple[int, ...] = ()

    def type_of(self, element: ir.Type, axes: frozenset[int]) -> ir.Type:
        """The MLIR type of a value that varies along `axes`."""
        if not axes:
            return element
        return ir.RankedTensorType.get([size if a in axes else 1 for a, size in enumerate(self.shape)], element)

    def i32_attr(self, value: int) -> ir.Attribute:
        """An i32 attribute."""
        return ir.IntegerAttr.get(self.i32, value)

    # Operations.

    def elementwise(
        self, name: str, operands: Sequence[Val], element: ir.Type, attributes: Attributes | None = None, key: Any = None
    ) -> Val:
        """An operation on elements; broadcasts the operands to one shape."""
        axes = NONE.union(*[v.axes for v in operands])
        return self.pure(name, [self.spread(v, axes) for v in operands], element, axes, attributes, key)

    def spread(self, value: Val, axes: frozenset[int]) -> Val:
        """`value` along all of `axes`."""
        if value.axes == axes:
            return value
        if not value.axes:
            return self.pure("tt.splat", [value], value.type, axes)
        return self.pure("tt.broadcast", [value], value.type, axes)

    # Constants and casts.

    def constant(self, attribute: ir.Attribute, element: ir.Type) -> Val:
        """A scalar constant."""
        memo = self.levels[0].memo
        found = memo.get(("constant", attribute))
        if found is None:
            found = memo["constant", attribute] = Val(self._constant(attribute, element), element, NONE, 0)
        return found

    def number(self, value: float, element: ir.Type) -> Val:
        """A scalar constant of an integer or float type."""
        if isinstance(element, ir.IntegerType):
            return self.constant(ir.IntegerAttr.get(element, int(value)), element)
        return self.constant(ir.FloatAttr.get(element, value), element)

    def cast(self, name: str, value: Val, element: ir.Type) -> Val:
        """`arith.<name>` to another element type."""
        if value.type == element:
            return value
        return self.pure(f"arith.{name}", [value], element, value.axes)

    def select(self, condition: Val, a: Val, b: Val) -> Val:
        """condition ? a : b"""
        return self.elementwise("arith.select", [condition, a, b], a.type)

    def extern(self, symbol: str, operands: Sequence[Val]) -> Val:
        """A function of libdevice."""
        text = ir.StringAttr.get
        attributes = {"libname": text(""), "libpath": text(""), "symbol": text(symbol), "pure": ir.BoolAttr.get(True)}
        return self.elementwise("tt.extern_elementwise", operands, operands[0].type, attributes, symbol)

    # Tiles.

    def program_id(self) -> Val:
        """The number of this program."""
        return self.pure("tt.get_program_id", [], self.i32, NONE, {"axis": self.i32_attr(0)})

    def ramp(self, axis: int) -> Val:
        """0, 1, 2, ... along an axis, as i32."""
        size = self.shape[axis]
        flat = ir.RankedTensorType.get([size], self.i32)
        found = self.levels[0].memo.get(("ramp", axis))
        if found is None:
            attributes = {"start": self.i32_attr(0), "end": self.i32_attr(size)}
            op = ir.Operation.create("tt.make_range", results=[flat], attributes=attributes, loc=self.loc, ip=self.levels[0].ip)
            ssa = self._expand(op.result, self.i32, frozenset({axis}), [a for a in range(len(self.shape)) if a != axis], 0)
            found = self.levels[0].memo["ramp", axis] = Val(ssa, self.i32, frozenset({axis}), 0)
        return found

    def _expand(self, ssa: ir.Value, element: ir.Type, axes: frozenset[int], missing: Sequence[int], level: int) -> ir.Value:
        """Inserts dimensions of size 1 at `missing`, ascending; the value varies along `axes`."""
        present = [a for a in range(len(self.shape)) if a not in missing]
        for axis in missing:
            present = sorted([*present, axis])
            type_ = ir.RankedTensorType.get([self.shape[a] if a in axes else 1 for a in present], element)
            attributes = {"axis": self.i32_attr(present.index(axis))}
            level_ip = self.levels[level].ip
            ssa = ir.Operation.create("tt.expand_dims", [type_], [ssa], attributes, loc=self.loc, ip=level_ip).result
        return ssa

    def reduce(self, values: Sequence[Val], axis: int, axes: frozenset[int], combine: Combine) -> list[Val]:
        """`tt.reduce` along `axis` of values that vary along all of `axes`; `combine` emits the combination of two parts."""
        level = len(self.levels) - 1
        values = [self.spread(v, axes) for v in values]
        rest = axes - {axis}
        if not rest:  # a scalar result has no dimensions of size 1
            flat = ir.RankedTensorType.get([self.shape[axis]], self.i1)
            values = [self._reshaped(v, flat.shape) for v in values]
        left = [a for a in range(len(self.shape)) if a != axis] if rest else []
        types = [ir.RankedTensorType.get([self.shape[a] if a in rest else 1 for a in left], v.type) if left else v.type for v in values]
        op = self._combination("tt.reduce", values, types, {"axis": self.i32_attr(axis if rest else 0)}, combine)
        found = [self._expand(r, v.type, rest, [axis], level) if left else r for r, v in zip(op.results, values, strict=True)]
        return [Val(ssa, v.type, rest, level) for ssa, v in zip(found, values, strict=True)]

    def _reshaped(self, value: Val, shape: Sequence[int]) -> Val:
        if len(self.shape) == 1:
            return value
        type_ = ir.RankedTensorType.get(shape, value.type)
        ssa = ir.Operation.create("tt.reshape", [type_], [value.ssa], loc=self.loc, ip=self.levels[-1].ip).result
        return Val(ssa, value.type, value.axes, len(self.levels) - 1)

    def scan(self, values: Sequence[Val], axis: int, axes: frozenset[int], combine: Combine) -> list[Val]:
        """`tt.scan` along `axis` of values that vary along all of `axes`."""
        values = [self.spread(v, axes) for v in values]
        types = [self.type_of(v.type, axes) for v in values]
        attributes = {"axis": self.i32_attr(axis), "reverse": ir.BoolAttr.get(False)}
        op = self._combination("tt.scan", values, types, attributes, combine)
        level = len(self.levels) - 1
        return [Val(ssa, v.type, axes, level) for ssa, v in zip(op.results, values, strict=True)]

    def _combination(
        self,
        name: str,
        values: Sequence[Val],
        types: Sequence[ir.Type],
        attributes: Attributes,
        combine: Combine,
    ) -> ir.Operation:
        ssa = [v.ssa for v in values]
        elements = [v.type for v in values]
        sizes = run_sizes_attr(elements, COMBINE_RUNS)
        attributes = {**attributes, "operandSegmentSizes": sizes, "resultSegmentSizes": sizes}
        op = ir.Operation.create(name, list(types), ssa, attributes, regions=1, loc=self.loc, ip=self.levels[-1].ip)
        block = op.regions[0].blocks.append(*elements, *elements, arg_locs=[self.loc] * (2 * len(elements)))
        with self._inside(op, block):
            level = len(self.levels) - 1
            arguments = [Val(a, a.type, NONE, level) for a in block.arguments]
            results = combine(arguments[: len(elements)], arguments[len(elements) :])
            self.effect(f"{name}_return", results, {"operandSegmentSizes": sizes})
        return op

    # Control flow.

    @contextlib.contextmanager
    def loop(self, lower: Val, upper: Val, step: Val, carried: Sequence[Val], stages: int = 1) -> Iterator[OpenLoop[Val]]:
        """`scf.for` with integer bounds of one type; call `yield_` inside. Its loads are prefetched `stages - 1` rounds ahead."""
        operands = [v.ssa for v in (lower, upper, step, *carried)]
        types = [v.ssa.type for v in carried]
        attributes = {"tt.num_stages": self.i32_attr(stages)} if stages > 1 else {}
        op = ir.Operation.create("scf.for", types, operands, attributes, regions=1, loc=self.loc, ip=self.levels[-1].ip)
        block = op.regions[0].blocks.append(lower.ssa.type, *types, arg_locs=[self.loc] * (1 + len(types)))
        outer = len(self.levels) - 1
        arguments = list(block.arguments)
        with self._inside(op, block):
            inner = [Val(a, v.type, v.axes, outer + 1) for a, v in zip(arguments[1:], carried, strict=True)]
            loop = OpenLoop(Val(arguments[0], lower.type, NONE, outer + 1), inner)
            yield loop
            yielded = [self.spread(v, old.axes) for v, old in zip(loop.yielded, carried, strict=True)]
            self.effect("scf.yield", yielded)
        loop.results = [Val(r, v.type, v.axes, outer) for r, v in zip(op.results, carried, strict=True)]
