"""Loads and stores, for one element or in lanes: contiguous, with a short step between lanes, the same for all lanes, or a gather."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ...dialects.narrowing import bits
from ...tuning.cpu import TUNING
from ..kernel.analysis import is_half
from .builder import Builder, Int, Val
from .combine import merge
from .index import IndexEmitter, LaneIndex, no_leaf

EQUAL = 0


@dataclass(slots=True, eq=False)
class LaneMemory:
    """Accesses for `lanes` lanes; masked lanes touch no memory."""

    b: Builder
    lanes: int
    mask: Val | None

    def load(self, buffer: Val, element: ir.Type, offset: LaneIndex, mask: Val | None, near: bool = False) -> Val:
        """The element at `offset`, zero where `mask` is false. `near`: the offset is not affine in the lanes, but is often contiguous."""
        stored = self._stored(element)
        if offset.uniform and (mask is None or not mask.lanes):
            value = self._load_one(buffer, stored, offset, mask)
        else:
            value = self._load_lanes(buffer, stored, offset, self._both(mask), near)
        return self._to_value(value, element)

    def store(self, buffer: Val, element: ir.Type, offset: LaneIndex, value: Val, mask: Val | None) -> None:
        """Stores `value`; if several lanes write to one address, the last one wins."""
        b = self.b
        stored = self._stored(element)
        value = self._to_stored(value, stored)
        if offset.uniform and not value.lanes and (mask is None or not mask.lanes):
            self._store_one(self._at(buffer, stored, offset), value, mask)
            return
        value, mask = b.spread(value, self.lanes), self._both(mask)
        if offset.stride == 1 and offset.vector is None:
            pointer = self._at(buffer, stored, offset)
            if mask is None:
                b.effect("llvm.store", [value, pointer], self._alignment(stored, 64))
            else:
                b.effect("llvm.intr.masked.store", [value, pointer, mask], self._alignment(stored, 32))
            return
        pointers = b.spread(self._lanes_at(buffer, stored, offset), self.lanes)
        b.effect("llvm.intr.masked.scatter", [value, pointers, mask or self._all()], self._alignment(stored, 32))

    def accumulate(self, kind: str, buffer: Val, element: ir.Type, offset: LaneIndex, value: Val, mask: Val | None) -> None:
        """Accumulates `value` into memory, lane by lane."""
        b = self.b
        if self.lanes and offset.stride == 1 and offset.vector is None:
            old = self.load_now(buffer, element, offset, mask)
            self.store(buffer, element, offset, merge_half(b, kind, old, b.spread(value, self.lanes)), mask)
            return
        assert not self.lanes, "an accumulation into scattered places runs one element at a time"
        if mask is None:
            self._accumulate_one(kind, buffer, element, offset, value)
            return
        with b.when(mask):
            self._accumulate_one(kind, buffer, element, offset, value)

    def _accumulate_one(self, kind: str, buffer: Val, element: ir.Type, offset: LaneIndex, value: Val) -> None:
        b = self.b
        stored = self._stored(element)
        pointer = self._at(buffer, stored, offset)
        old = self.load_now(buffer, element, offset)
        new = self._to_stored(merge_half(b, kind, old, value), stored)
        b.effect("llvm.store", [new, pointer], self._alignment(stored, 64))

    def load_now(self, buffer: Val, element: ir.Type, offset: LaneIndex, mask: Val | None = None) -> Val:
        """The current element: for memory that the kernel writes."""
        b = self.b
        stored = self._stored(element)
        mask = self._both(mask)
        if not offset.uniform and (offset.stride != 1 or offset.vector is not None):
            operands = [b.spread(self._lanes_at(buffer, stored, offset), self.lanes), mask or self._all(), b.number(0, stored, self.lanes)]
            return self._to_value(b.read("llvm.intr.masked.gather", operands, stored, self.lanes, self._alignment(stored, 32)), element)
        pointer = self._at(buffer, stored, offset)
        if offset.uniform or mask is None:
            lanes = 0 if offset.uniform else self.lanes
            return self._to_value(b.read("llvm.load", [pointer], stored, lanes, self._alignment(stored, 64)), element)
        operands = [pointer, mask, b.number(0, stored, self.lanes)]
        return self._to_value(b.read("llvm.intr.masked.load", operands, stored, self.lanes, self._alignment(stored, 32)), element)

    def load_row(self, buffer: Val, element: ir.Type, offset: LaneIndex, lane: int) -> Val:
        """As many contiguous elements as there are lanes, from the address of lane `lane` on; all are in range."""
        stored = self._stored(element)
        position = self.b.int_value(self.b.add(offset.base, self.b.mul(offset.stride, lane)))
        value = self.b.pure("llvm.load", [self.b.pointer(buffer, position, stored)], stored, self.lanes, self._alignment(stored, 64))
        return self._to_value(value, element)

    # Parts.

    def _load_one(self, buffer: Val, stored: ir.Type, offset: LaneIndex, mask: Val | None) -> Val:
        b = self.b
        pointer = self._at(buffer, stored, offset)
        if mask is None:
            return b.pure("llvm.load", [pointer], stored, 0, self._alignment(stored, 64))
        vector_mask = b.spread(mask, 1)
        value = b.pure("llvm.intr.masked.load", [pointer, vector_mask, b.number(0, stored, 1)], stored, 1, self._alignment(stored, 32))
        return b.lane(value, 0)

    def _load_lanes(self, buffer: Val, stored: ir.Type, offset: LaneIndex, mask: Val | None, near: bool = False) -> Val:
        b = self.b
        if near and offset.vector is not None and offset.vector.lanes:
            return self._load_near(buffer, stored, offset.vector, mask)
        if offset.stride == -1 and offset.vector is None:
            return self._load_backwards(buffer, stored, offset, mask)
        if offset.vector is None and isinstance(offset.stride, int) and 1 < offset.stride <= min(TUNING.shuffled_step, self.lanes):
            return self._load_steps(buffer, stored, offset.base, offset.stride, mask)
        if offset.stride != 1 or offset.vector is not None:
            pointers = b.spread(self._lanes_at(buffer, stored, offset), self.lanes)
            operands = [pointers, mask or self._all(), b.number(0, stored, self.lanes)]
            return b.pure("llvm.intr.masked.gather", operands, stored, self.lanes, self._alignment(stored, 32))
        pointer = self._at(buffer, stored, offset)
        if mask is None:
            return b.pure("llvm.load", [pointer], stored, self.lanes, self._alignment(stored, 64))
        operands = [pointer, mask, b.number(0, stored, self.lanes)]
        return b.pure("llvm.intr.masked.load", operands, stored, self.lanes, self._alignment(stored, 32))

    def _load_near(self, buffer: Val, stored: ir.Type, positions: Val, mask: Val | None) -> Val:
        """One load if the lanes' addresses are contiguous, else a gather."""
        b = self.b
        first = b.lane(positions, 0)
        line = b.compare(EQUAL, positions, IndexEmitter(b, self.lanes, no_leaf).vector(LaneIndex(first, 1)))
        attributes = {"kind": ir.Attribute.parse("#vector.kind<and>")}
        together = b.pure("vector.reduction", [line], b.i1, 0, attributes, "and")
        nothing = b.number(0, stored, self.lanes)

        def near() -> Val:
            pointer = b.pointer(buffer, first, stored)
            if mask is None:
                return b.read("llvm.load", [pointer], stored, self.lanes, self._alignment(stored, 64))
            masked = [pointer, b.spread(mask, self.lanes), nothing]
            return b.read("llvm.intr.masked.load", masked, stored, self.lanes, self._alignment(stored, 32))

        def apart() -> Val:
            operands = [b.pointer(buffer, positions, stored), b.spread(mask, self.lanes) if mask else self._all(), nothing]
            return b.read("llvm.intr.masked.gather", operands, stored, self.lanes, self._alignment(stored, 32))

        return b.choose(together, stored, self.lanes, near, apart)

    def _load_steps(self, buffer: Val, stored: ir.Type, first: Int, step: int, mask: Val | None) -> Val:
        """Every `step`th element from `first` on: loads as many vectors as the step is long."""
        b, lanes = self.b, self.lanes
        mask = mask if mask is None else b.spread(mask, lanes)
        last = (lanes - 1) * step
        value: Val | None = None
        for start in [*(lanes * number for number in range(step - 1)), last + 1 - lanes]:
            part = self._load_lanes(buffer, stored, LaneIndex(b.add(first, start), 1), self._spaced(mask, start, step))
            inside = {lane: lanes + lane * step - start for lane in range(lanes) if 0 <= lane * step - start < lanes}
            value = b.shuffle(value or part, part, [inside.get(lane, lane) for lane in range(lanes)])
        assert value is not None
        return value

    def _spaced(self, mask: Val | None, start: int, step: int) -> Val | None:
        """The mask of contiguous elements from `start` on, of which only every `step`th is needed."""
        if mask is None:
            return None
        positions = range(start, start + self.lanes)
        nothing = self.b.integer(0, self.b.i1, self.lanes)
        return self.b.shuffle(mask, nothing, [self.lanes if position % step else position // step for position in positions])

    def _load_backwards(self, buffer: Val, stored: ir.Type, offset: LaneIndex, mask: Val | None) -> Val:
        """Contiguous elements in reverse order: the last one is in the first lane."""
        b = self.b
        backwards = range(self.lanes - 1, -1, -1)
        mask = mask if mask is None else b.spread(mask, self.lanes)
        turned = mask if mask is None else b.shuffle(mask, mask, backwards)
        first = LaneIndex(b.sub(offset.base, self.lanes - 1), 1)
        value = self._load_lanes(buffer, stored, first, turned)
        return b.shuffle(value, value, backwards)

    def _store_one(self, pointer: Val, value: Val, mask: Val | None) -> None:
        b = self.b
        if mask is None:
            b.effect("llvm.store", [value, pointer], self._alignment(value.type, 64))
            return
        operands = [b.spread(value, 1), pointer, b.spread(mask, 1)]
        b.effect("llvm.intr.masked.store", operands, self._alignment(value.type, 32))

    def _at(self, buffer: Val, stored: ir.Type, offset: LaneIndex) -> Val:
        """The address of the first lane."""
        return self.b.pointer(buffer, self.b.int_value(offset.base), stored)

    def _lanes_at(self, buffer: Val, stored: ir.Type, offset: LaneIndex) -> Val:
        return self.b.pointer(buffer, IndexEmitter(self.b, self.lanes, no_leaf).value(offset), stored)

    def _both(self, mask: Val | None) -> Val | None:
        """The active lanes that `mask` selects."""
        if not self.lanes:
            return mask
        if mask is None or self.mask is None:
            return self.mask if mask is None else self.b.spread(mask, self.lanes)
        return self.b.binary("andi", mask, self.mask)

    def _all(self) -> Val:
        return self.b.integer(-1, self.b.i1, self.lanes)

    def _stored(self, element: ir.Type) -> ir.Type:
        """The type in memory: a byte for i1, and integers for half types, which all instructions support."""
        if element == self.b.i1:
            return self.b.i8
        return ir.IntegerType.get_signless(16) if is_half(element) else element

    def _to_value(self, value: Val, element: ir.Type) -> Val:
        if value.type == element:
            return value
        if element == self.b.i1:
            return self.b.compare(1, value, self.b.integer(0, self.b.i8))
        return self.b.cast("bitcast", value, element)

    def _to_stored(self, value: Val, stored: ir.Type) -> Val:
        if value.type == stored:
            return value
        return self.b.cast("extui" if value.type == self.b.i1 else "bitcast", value, stored)

    def _alignment(self, stored: ir.Type, attribute_bits: int) -> dict[str, Any]:
        width = ir.IntegerType.get_signless(attribute_bits)
        return {"alignment": ir.IntegerAttr.get(width, max(bits(stored) // 8, 1))}


def merge_half(b: Builder, kind: str, old: Val, value: Val) -> Val:
    """`merge` of single values; half types are combined in f32."""
    if not is_half(old.type):
        return merge(b, kind, [old], [value])[0]
    wide = merge(b, kind, [b.cast("extf", old, b.f32)], [b.cast("extf", value, b.f32)])
    return b.cast("truncf", wide[0], old.type)
