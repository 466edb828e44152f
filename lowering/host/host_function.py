"""The native function of a graph while it is written: its memory, its exits, and what stands for each value.

A value has up to three forms, as in the Python runner: the handle of its tensor, the handle of one that is laid out as kernels were
compiled for, and the address of its first element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo
from .c_arguments import DTYPES, Room, device_of
from .emitter import Emitter
from .sizes import Sizes

ENTRY = "mlirind_run"
# The Python callables that every graph has, by their place; those of its own follow.
PROFILED, ALLOCATE, VIEW, RESTRIDE, REFUSE_RESTRIDE, COPY, OWN = range(7)
# Kinds of inputs, in the table that the support functions read.
INTEGER, PLAIN, LAID_OUT = range(3)
CALLBACK = "plplplpl:i"
ITEM_SIZES = {
    "bool": 1, "uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8, "float16": 2,
    "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16, "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1,
}  # fmt: skip


@dataclass(frozen=True)
class View:
    """A view that is no tensor yet: `offset` elements past the first element of `base`."""

    base: ir.Value
    info: TensorInfo
    offset: Size


class HostFunction:
    """The function `mlirind_run(self, inputs)` of a module. `written`: the values that the graph writes to."""

    def __init__(self, module: ir.Module, arguments: Sequence[ir.Value], written: set[ir.Value]) -> None:
        self.emitter = emitter = Emitter(module, ENTRY, 2)
        self.self_, self.list = emitter.arguments
        self.arguments, self.written = list(arguments), written
        self.frame = emitter.words(2).base
        self.slots, self.room_words = emitter.words(), emitter.words()
        self.slot_count = len(arguments)  # the first are for inputs that have to be laid out anew
        self.room = Room(emitter)
        self.room.base = self.room_words.base
        self.inputs, self.places = emitter.words(len(arguments)).base, emitter.words(2 * len(arguments)).base
        self.place = emitter.words(2).base
        self.sizes = Sizes(emitter)
        self.error, self.kernel_error = emitter.new_block(), emitter.new_block([emitter.i32, emitter.i64])
        self.handles: dict[ir.Value, ir.Value] = {}
        self.laid: dict[ir.Value, ir.Value] = {}
        self.pointers: dict[ir.Value, ir.Value] = {}
        self.views: dict[ir.Value, View] = {}
        self.own: set[ir.Value] = set()  # allocated here: laid out as their types say
        self.held: dict[ir.Value, list[int]] = {}  # the slots whose content dies with a value

    # Memory.

    def slot(self, value: ir.Value) -> ir.Value:
        """The address of a new slot, for something that dies with `value`."""
        number = self.slot_count
        self.slot_count += 1
        self.held.setdefault(value, []).append(number)
        return self.emitter.at(self.slots.base, number)

    def drop(self, value: ir.Value) -> None:
        """Deletes what is held for a value, and for views of it."""
        views = [v for v, view in self.views.items() if view.base == value]
        for number in [n for v in [*views, value] for n in self.held.pop(v, ())]:
            self.emitter.call("mlirind_host_drop", "p:", [self.emitter.at(self.slots.base, number)])

    # Exits.

    def check(self, status: ir.Value) -> None:
        """Ends the call where a status says that a Python exception is set."""
        self.emitter.exit_if(self.emitter.differs(status), self.error)

    def callback(self, number: int, tensors: Sequence[ir.Value], integers: Sequence[ir.Value], results: Sequence[ir.Value]) -> None:
        """Calls a Python callable; `results` are neighbouring slots."""
        first = results[0] if results else self.emitter.null
        counts = [self.emitter.integer(len(values)) for values in (tensors, integers, results)]
        arrays = [self.room.keep(values) for values in (tensors, integers)]
        operands = [self.frame, self.emitter.integer(number), arrays[0], counts[0], arrays[1], counts[1], first, counts[2]]
        self.check(self.emitter.call("mlirind_host_callback", CALLBACK, operands))

    def write_exits(self) -> None:
        """The blocks that end a call with an exception."""
        emitter = self.emitter
        emitter.enter(self.kernel_error)
        status, number = self.kernel_error.arguments
        self.room.reset()
        where = self.room.keep([emitter.op("zext", [status], emitter.i64)])
        none, one = emitter.integer(0), emitter.integer(1)
        emitter.call("mlirind_host_callback", CALLBACK, [self.frame, number, emitter.null, none, where, one, emitter.null, none])
        emitter.branch(self.error)
        emitter.enter(self.error)
        operands = [self.frame, self.slots.base, emitter.integer(self.slot_count)]
        emitter.return_(emitter.call("mlirind_host_fail", "ppl:p", operands))
        self.slots.resize(self.slot_count)
        self.room_words.resize(self.room.used)
        emitter.finish()

    # Sizes.

    def address_of(self, sizes: Sequence[Size]) -> ir.Value:
        """The address of these numbers: constants, or computed."""
        if all(isinstance(s, int) or s.is_Integer for s in sizes):
            return self.emitter.numbers([int(s) for s in sizes] or [0])
        return self.room.keep([self.sizes.value(s) for s in sizes])

    # Values.

    def handle(self, value: ir.Value) -> ir.Value:
        """The handle of the tensor of `value`; a view becomes a tensor here."""
        found = self.handles.get(value)
        if found is None:
            view = self.views[value]
            base = self.laid_out(view.base)
            slot = self.slot(value)
            numbers = self.address_of([len(view.info.sizes), view.offset, *view.info.sizes, *view.info.strides])
            self.check(self.emitter.call("mlirind_host_view", "pppp:i", [self.frame, numbers, base, slot]))
            found = self.handles[value] = self.emitter.load(slot, self.emitter.ptr)
        return found

    def view(self, value: ir.Value, base: ir.Value) -> None:
        """`value` shows the storage of `base`."""
        info, outer = TensorInfo.of(value.type), self.views.get(base)
        offset = info.offset - TensorInfo.of(base.type).offset
        self.views[value] = View(base, info, offset) if outer is None else View(outer.base, info, offset + outer.offset)

    def laid_out(self, value: ir.Value) -> ir.Value:
        """The handle of a tensor with the strides that the graph was compiled for."""
        if value in self.own or all(s == 1 for s in TensorInfo.of(value.type).sizes):
            return self.handle(value)
        if value not in self.laid:
            self._lay_out(value)
        return self.laid[value]

    def _lay_out(self, value: ir.Value) -> None:
        info, handle, slot = TensorInfo.of(value.type), self.handle(value), self.slot(value)
        operands = [self.frame, self.emitter.integer(self.restrides(value)), handle, self.emitter.integer(info.rank)]
        operands += [self.address_of(info.strides), slot, self.place]
        self.check(self.emitter.call("mlirind_host_lay_out", "plplppp:i", operands))
        self.read_place(value, self.place)

    def read_place(self, value: ir.Value, place: ir.Value) -> None:
        """Takes over what `mlirind_host_lay_out` found."""
        self.laid[value] = self.emitter.load(place, self.emitter.ptr)
        self.pointers[value] = self.emitter.load(self.emitter.at(place, 1), self.emitter.ptr)

    def restrides(self, value: ir.Value) -> int:
        """Which callable lays out a tensor anew: one that refuses where the graph writes to it, as a copy would miss the writes."""
        return REFUSE_RESTRIDE if value in self.written else RESTRIDE

    def pointer(self, value: ir.Value) -> ir.Value:
        """The address of the first element of `value`."""
        found = self.pointers.get(value)
        if found is not None:
            return found
        view = self.views.get(value)
        if view is not None and value not in self.handles:
            found = self._inside(self.pointer(view.base), view.offset * ITEM_SIZES[view.info.dtype])
        else:
            handle = self.handle(value) if view is not None else self.laid_out(value)
            found = self.pointers.get(value) or self._data(handle)
        self.pointers[value] = found
        return found

    def _inside(self, base: ir.Value, count: Size) -> ir.Value:
        return base if count == 0 else self.emitter.offset(base, self.sizes.value(count))

    def _data(self, handle: ir.Value) -> ir.Value:
        self.emitter.call("aoti_torch_get_data_ptr", "pp:i", [handle, self.place])
        return self.emitter.load(self.place, self.emitter.ptr)

    def allocate(self, value: ir.Value) -> None:
        """A new tensor for `value`, as its type says."""
        info, slot = TensorInfo.of(value.type), self.slot(value)
        self.own.add(value)
        numbers = self.address_of([len(info.sizes), DTYPES[info.dtype], *device_of(info.device), *info.sizes, *info.strides])
        self.check(self.emitter.call("mlirind_host_alloc", "pppp:i", [self.frame, numbers, slot, self.place]))
        self.handles[value] = self.emitter.load(slot, self.emitter.ptr)
        self.pointers[value] = self.emitter.load(self.place, self.emitter.ptr)

    def take_over(self, value: ir.Value, slot: ir.Value) -> None:
        """`value` is what a call has put into a slot; its strides may be others than its type says."""
        self.own.discard(value)
        self.pointers.pop(value, None)
        self.handles[value] = self.emitter.load(slot, self.emitter.ptr)
