"""The native function of a graph under construction: its frame, its exits, and the words of the frame for each value.

The work between calls of kernels and operators (allocating, making views, dropping, checking layouts, calling Python) is collected as
steps, numbers that a support function interprets. That keeps the code small, and so its compilation cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo
from ...dialects.dtypes import TABLE
from ...torch_internals.layout import (
    ANY,
    DEVICE_TYPES,
    DO_ALLOCATE,
    DO_COMPARE,
    DO_DROP,
    DO_LAY_OUT,
    DO_VIEW,
    DTYPES,
    DYNAMIC,
    END,
    ENTRY,
    HEAD,
    INPUT_WORDS,
    LEAST,
    REFUSE_RESTRIDE,
    RESTRIDE,
)
from .c_arguments import ANY_GPU, Room, device_numbers
from .emitter import Emitter
from .sizes import SizeValues

# The number of launches that share an exit block: LLVM's time grows with the square of the number.
EXITS = 32


@dataclass(frozen=True)
class PendingView:
    """A view that is no tensor yet, `offset` elements after the first element of `base`."""

    base: ir.Value
    info: TensorInfo
    offset: Size


@dataclass(frozen=True)
class FrameAddress:
    """An address, `offset` bytes after the one in a word of the frame."""

    word: int
    offset: Size = 0


class HostFunction:
    """The function `mlirind_run(callables, inputs)` of a module. `written`: the values that the graph writes."""

    def __init__(self, module: ir.Module, arguments: Sequence[ir.Value], written: set[ir.Value]) -> None:
        self.emitter = emitter = self.new_emitter(module)
        self.arguments, self.written = list(arguments), written
        self.any_gpu = ANY_GPU in module.operation.attributes
        self.frame, self.room_words = emitter.words(), emitter.words()
        self.room = Room(emitter)
        self.room.base = self.room_words.base
        self.words = HEAD + INPUT_WORDS * len(arguments)
        self.slots: list[int] = []  # the words whose handles the call owns
        self.sizes = SizeValues(emitter)
        self.size_words: dict[Size, int] = {}
        self.error = emitter.new_block()
        self._kernel_errors: list[ir.Block] = []
        self._launches = 0
        self.handles: dict[ir.Value, int] = {}
        self.laid: dict[ir.Value, int] = {}
        self.addresses: dict[ir.Value, FrameAddress] = {}
        self.views: dict[ir.Value, PendingView] = {}
        self._views_of: dict[ir.Value, list[ir.Value]] = {}  # by base
        self.origins: dict[ir.Value, ir.Value] = {}  # the value that first used the memory of a value
        self.own: set[ir.Value] = set()  # allocated here, with the layouts of their types
        self.held: dict[ir.Value, list[int]] = {}  # the slots whose content dies with a value
        self.pending: list[int] = []
        self._undefined: int | None = None  # the word with the handle of an undefined tensor
        self.leave: Callable[[], None] = lambda: None  # emits what must happen before a call ends, on every way out

    @staticmethod
    def new_emitter(module: ir.Module) -> Emitter:
        """The function, which has two arguments."""
        return Emitter(module, ENTRY, 2)

    @property
    def callables(self) -> ir.Value:
        """The tuple of Python callables."""
        return self.emitter.arguments[0]

    @property
    def input_list(self) -> ir.Value:
        """The list of inputs."""
        return self.emitter.arguments[1]

    # The frame.

    def reserve(self, count: int = 1) -> int:
        """The first of `count` new words."""
        first, self.words = self.words, self.words + count
        return first

    def slot(self, value: ir.Value, extra: int = 0) -> int:
        """A new slot, which is freed with `value`; `extra` words follow it."""
        word = self.reserve(1 + extra)
        self.hold(value, word)
        return word

    def hold(self, value: ir.Value, word: int) -> None:
        """Ties what a word owns to `value`: it is dropped with the value."""
        self.slots.append(word)
        self.held.setdefault(value, []).append(word)

    def frame_address(self, word: int) -> ir.Value:
        """The address of a word."""
        return self.emitter.at(self.frame.base, word)

    def load(self, word: int, type_: ir.Type | None = None) -> ir.Value:
        """The value of a word of the frame, an address by default."""
        return self.emitter.load(self.frame_address(word), type_ or self.emitter.ptr)

    # Steps.

    def step(self, operation: int, *words: int) -> None:
        """Adds a step."""
        self.pending += coded(operation, words)

    def flush(self) -> None:
        """Writes the call that runs the steps so far."""
        if self.pending:
            steps = self.emitter.numbers([*self.pending, END])
            self.pending = []
            self.check(self.emitter.call("mlirind_host_steps", "pp:i", [self.frame.base, steps]))

    def number(self, size: Size) -> int:
        """A size as a word of a step: the number itself, or the word of the frame that holds it."""
        if isinstance(size, int) or size.is_Integer:
            return int(size)
        word = self.size_words.get(size)
        if word is None:
            word = self.size_words[size] = self.computed(self.sizes.value(size)) - LEAST
        return LEAST + word

    def computed(self, value: ir.Value) -> int:
        """An i64 value as a word of a step, stored in a word of the frame."""
        word = self.reserve()
        self.emitter.store(value, self.frame_address(word))
        return LEAST + word

    def numbers(self, sizes: Sequence[Size]) -> list[int]:
        """Sizes as words of a step."""
        return [self.number(s) for s in sizes]

    def drop(self, value: ir.Value) -> None:
        """Deletes what is held for a value, for earlier values in its memory, and for views of it."""
        origin = self.origins.get(value, value)
        self._drop([*self._views_of.get(origin, ()), value, origin])

    def _drop(self, values: Sequence[ir.Value]) -> None:
        slots = [word for v in values for word in self.held.pop(v, ())]
        if slots:
            self.step(DO_DROP, *slots)

    # Exits.

    def check(self, status: ir.Value) -> None:
        """Ends the call if a status says that a Python exception is set."""
        self.emitter.exit_if(self.emitter.differs(status), self.error)

    def check_kernel(self, status: ir.Value, number: int) -> None:
        """Ends the call if a kernel's status says that it failed; `number`: of the callable for this kernel."""
        if self._launches % EXITS == 0:
            self._kernel_errors.append(self.emitter.new_block([self.emitter.i32, self.emitter.i64]))
        self._launches += 1
        self.emitter.exit_if(self.emitter.differs(status), self._kernel_errors[-1], [status, self.emitter.integer(number)])

    def owned(self) -> list[ir.Value]:
        """The list of all slots, as operands; complete when the function is."""
        return [self.emitter.numbers(self.slots or [0]), self.emitter.integer(len(self.slots))]

    def write_exits(self) -> None:
        """The blocks that end a call with an exception."""
        emitter = self.emitter
        for block in self._kernel_errors:
            emitter.enter(block)
            self.kernel_failed(*block.arguments)
        emitter.enter(self.error)
        self.leave()
        self.fail()
        self.frame.resize(self.words)
        self.room_words.resize(self.room.used)
        emitter.finish()

    def kernel_failed(self, status: ir.Value, number: ir.Value) -> None:
        """Ends the call because a kernel failed."""
        self.emitter.call_procedure("mlirind_host_kernel_failed", "pilp:", [self.frame.base, status, number, self.input_list])
        self.emitter.branch(self.error)

    def fail(self) -> None:
        """Ends the call: a Python exception is set."""
        self.emitter.return_(self.emitter.call("mlirind_host_fail", "ppl:p", [self.frame.base, *self.owned()]))

    # Values.

    def handle(self, value: ir.Value) -> int:
        """The word with the handle of the tensor of `value`. Makes the tensor of a view."""
        found = self.handles.get(value)
        if found is None:
            view = self.views[value]
            base = self.laid_out(view.base)
            found = self.handles[value] = self.slot(value)
            self.step(DO_VIEW, found, base, *self.numbers([view.offset, *view.info.sizes, *view.info.strides]))
        return found

    def view(self, value: ir.Value, base: ir.Value) -> None:
        """Records that `value` is a view of `base`."""
        base = base if base in self.views else self.origins.get(base, base)
        info, outer = TensorInfo.of(value.type), self.views.get(base)
        offset = info.offset - TensorInfo.of(base.type).offset
        self._show(value, PendingView(base, info, offset) if outer is None else PendingView(outer.base, info, offset + outer.offset))

    def _show(self, value: ir.Value, view: PendingView) -> None:
        self.views[value] = view
        self._views_of.setdefault(view.base, []).append(value)

    def laid_out(self, value: ir.Value) -> int:
        """The word with the handle of a tensor that has the strides that the graph was compiled for."""
        if value in self.own:
            return self.handle(value)
        if value not in self.laid:
            self.lay_out(value, self.slot(value, 2))
        return self.laid[value]

    def lay_out(self, value: ir.Value, slot: int) -> None:
        """Adds the step that checks the layout of `value`; it uses `slot` and the two words after it."""
        callable_ = REFUSE_RESTRIDE if value in self.written else RESTRIDE  # a copy would miss the writes
        self.step(DO_LAY_OUT, slot, self.handle(value), callable_, *self.numbers(TensorInfo.of(value.type).strides))
        self.laid[value], self.addresses[value] = slot + 1, FrameAddress(slot + 2)

    def address(self, value: ir.Value) -> FrameAddress:
        """The address of the first element of `value`."""
        found = self.addresses.get(value)
        if found is not None:
            return found
        view = self.views.get(value)
        if view is None:
            self.laid_out(value)
            return self.addresses[value]
        base = self.address(view.base)
        return FrameAddress(base.word, base.offset + view.offset * TABLE[view.info.dtype].bytes)

    def pointer(self, value: ir.Value) -> ir.Value:
        """The emitted address of the first element of `value`, after all steps so far."""
        address = self.address(value)
        base = self.load(address.word)
        return base if address.offset == 0 else self.emitter.offset(base, self.sizes.value(address.offset))

    def allocate(self, value: ir.Value, slot: int | None = None) -> None:
        """Allocates a new tensor for `value`, of its type. `slot`: where; if there is a tensor, it becomes the value."""
        slot = self.slot(value, 1) if slot is None else slot
        self.own.add(value)
        self.new_tensor(value.type, slot)
        self.handles[value], self.addresses[value] = slot, FrameAddress(slot + 1)

    def new_tensor(self, type_: ir.Type, slot: int) -> None:
        """Adds the step that allocates a tensor of this type in a slot, which the address of its data follows."""
        info = TensorInfo.of(type_)
        sizes = self.numbers([*info.sizes, *info.strides])
        self.step(DO_ALLOCATE, slot, DTYPES[info.dtype], *device_numbers(info.device, self.any_gpu), *sizes)

    def compare(self, handle: int, info: TensorInfo, strides: bool, refuse: int, number: int) -> None:
        """Compares a tensor with its declaration. If it differs, calls the Python callable `refuse` with it, `number`, the rank, and the
        sizes and strides that were compared. `strides`: whether these are compared."""
        kind, _, index = info.device.partition(":")
        device = DEVICE_TYPES.get(kind, ANY), int(index) if index and not self.any_gpu else ANY
        compared = self.numbers([*info.sizes, *(info.strides if strides else ())])
        self.step(DO_COMPARE, handle, refuse, DTYPES.get(info.dtype, ANY), *device, number, len(info.sizes), *compared)

    def undefined(self) -> ir.Value:
        """The handle of an undefined tensor, one for the whole call."""
        if self._undefined is None:
            self._undefined = self.reserve()
            self.slots.append(self._undefined)
            self.emitter.call("aoti_torch_new_uninitialized_tensor", "p:i", [self.frame_address(self._undefined)])
        return self.load(self._undefined)

    def reuse(self, value: ir.Value, donor: ir.Value) -> None:
        """`value` is in the memory of `donor`: the same tensor, or a view of it. Tensors of the donor's older views are dropped."""
        origin = self.origins[value] = self.origins.get(donor, donor)
        self._drop(self._views_of.get(origin, ()))
        handle = self.laid_out(origin)
        if value.type == origin.type:
            self.own.add(value)
            self.handles[value], self.addresses[value] = handle, self.addresses[origin]
        else:
            self._show(value, PendingView(origin, TensorInfo.of(value.type), 0))

    def take_over(self, value: ir.Value, slot: int) -> None:
        """`value` is the tensor that a call stored in a slot; its strides may differ from its type's."""
        self.own.discard(value)
        self.addresses.pop(value, None)
        self.handles[value] = slot


def coded(operation: int, words: Sequence[int]) -> list[int]:
    """A step as numbers."""
    dynamic = min(words, default=0) < LEAST + (1 << 20)
    return [operation + (DYNAMIC if dynamic else 0), 2 + len(words), *words]
