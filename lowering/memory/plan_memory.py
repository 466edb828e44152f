"""`plan-memory`: buffers reuse the memory of dead ones. A kernel's output may take the memory of one of the kernel's inputs. Any other
buffer may take the memory of a dead one.

An allocation reuses a dead buffer of as many bytes, if holding that buffer until then does not raise the peak. On a GPU too: a device
executes a graph in the order of its stream, and PyTorch's allocator also reuses memory in this order. A result of the graph may take the
memory of a dead tensor of its own type, which nothing else uses afterwards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from torch_mlir import ir

from ...dialects.aten import Size, TensorInfo
from ...dialects.host import DONATED, IN_PLACE, MEMORY, call_into
from ...dialects.narrowing import dense_entries, dense_integers, integer, text
from ...dialects.size_hints import evaluated, size_hints
from ...passes.analysis.alias_analysis import io_groups
from ...passes.registry import register_pass
from ...passes.rewrite_limit import may_rewrite
from ..host.releases import leaving
from ..kernel.analysis import Kernel, read_kernel
from ..launch.convert_to_host import graph_function
from .buffer_lives import Lives, bytes_of, bytes_over_time
from .in_place import may_lie_in
from .range_maxima import RangeMaxima

# On a GPU smaller buffers are not overwritten in place. If a tile has fewer elements than a program has threads, several threads load an
# element, some of them perhaps after it was overwritten.
GPU_IN_PLACE_BYTES = 1 << 16
NO_CALL = -(1 << 60)  # live bytes during an operation that does not count

# What a dead buffer and an allocation must have in common: a type, or device, bytes and dtype.
Kind = tuple[str, ir.Type] | tuple[str, str, Size] | tuple[str, str, Size, str]


@dataclass(eq=False)
class Donor:
    """A buffer whose memory may be reused. `end`: the number of the operation that uses it last; `gone`: the number of the first operation
    during which it does not count as live; `free`: the operation that frees it, None for an input."""

    value: ir.Value
    size: Size
    end: int
    gone: int
    free: ir.OpView | None


class _Dead:
    """Dead buffers in the order of their last uses, on a stack for each of their `kinds`: an allocation takes the latest."""

    def __init__(self) -> None:
        self._stacks: dict[Kind, list[Donor]] = {}
        self._gone: set[Donor] = set()  # popped from one stack; other stacks may still hold them

    def add(self, donor: Donor, kinds: Sequence[Kind]) -> None:
        """Pushes a buffer on the stacks of its kinds."""
        for kind in kinds:
            self._stacks.setdefault(kind, []).append(donor)

    def take(self, kind: Kind, can_be_held: Callable[[Donor], bool]) -> Donor | None:
        """Pops the latest buffer of a kind that can be held until now. Those that can't can't be held longer either, and are dropped."""
        stack = self._stacks.get(kind, [])
        while stack:
            donor = stack.pop()
            if donor not in self._gone:
                self._gone.add(donor)
                if can_be_held(donor):
                    return donor
        return None


@dataclass
class _Plan:
    """The plan, by number of operations: which allocation reuses which buffer's memory."""

    taken: dict[int, Donor] = field(default_factory=dict)
    in_place: dict[int, list[int]] = field(default_factory=dict)


class Planner:
    """Plans one graph."""

    def __init__(self, module: ir.Module) -> None:
        self.function = graph_function(module)
        self.kernels = {text(o.attributes["sym_name"]): o.operation for o in module.body.operations if o.operation.name == "loop.func"}
        self._read: dict[str, Kernel] = {}
        self.lives = Lives(self.function)
        self.operations = self.lives.operations
        self.hints = size_hints(self.function)
        self.plan = _Plan()
        self.origins: dict[ir.Value, ir.Value] = {}  # for a buffer in another's memory: that buffer, or the first owner of the memory
        self.wanted = set(self.lives.seen_as_tensor)  # buffers that have to be tensors of their types
        self.outside = set(self.lives.known_outside)
        over_time = bytes_over_time(self.lives, self.hints, self._donated())
        self.bytes = RangeMaxima(over_time)
        # The same, but only during calls of libraries on GPUs. Their workspaces are unknown, so the bytes that live then must not grow.
        during = zip(self.operations, over_time, strict=True)
        self.calls = RangeMaxima([live if _allocates_more(op) else NO_CALL for op, live in during])
        self.limit, self.call_limit = self._peak(), self._peak_of_calls()
        # The number of non-allocations before each operation.
        self.others = [0, *accumulate(op.operation.name != "host.alloc" for op in self.operations)]

    def run(self) -> None:
        """Rewrites the graph."""
        before = self.limit
        allocations = sum(op.operation.name == "host.alloc" for op in self.operations)
        donors = sorted(self._donors(), key=lambda d: d.end)
        self._plan_in_place(donors)
        self.limit, self.call_limit = self._peak(), self._peak_of_calls()
        self._plan_reuse(donors)
        self._rewrite()
        numbers = (before, self._peak(), allocations, allocations - len(self.plan.taken))
        self.function.attributes[MEMORY] = ir.DenseI64ArrayAttr.get(numbers)

    def _peak(self) -> int:
        return self.bytes.largest(0, len(self.operations))

    def _peak_of_calls(self) -> int:
        return self.calls.largest(0, len(self.operations), NO_CALL)

    def _donors(self) -> Iterator[Donor]:
        """Buffers that die in the graph and that nothing outside refers to."""
        for index, op in enumerate(self.operations):
            if op.operation.name == "host.free" and self._is_private(op.operands[0]):
                yield from self._donor(op.operands[0], index, op)
        for argument in self._donated():
            if self._is_private(argument) and is_on_cpu(argument):
                yield from self._donor(argument, self.lives.last_use[argument] + 1, None)

    def _donated(self) -> list[ir.Value]:
        """The inputs whose memory the graph may reuse; small ones stay with the caller."""
        numbers = set(dense_entries(self.function, DONATED))
        return [a for a in leaving(self.function) if a.arg_number in numbers and a in self.lives.last_use]

    def _is_private(self, value: ir.Value) -> bool:
        return value not in self.lives.known_outside

    def _donor(self, value: ir.Value, gone: int, free: ir.OpView | None) -> Iterator[Donor]:
        size = bytes_of(value.type)
        if size is not None and size != 0 and value in self.lives.last_use:
            yield Donor(value, size, self.lives.last_use[value], gone, free)

    # Outputs in the memory of inputs.

    def _plan_in_place(self, donors: list[Donor]) -> None:
        dying: dict[int, list[Donor]] = {}
        for donor in donors:
            dying.setdefault(donor.end, []).append(donor)
        allocated: dict[ir.Value, int] = {op.results[0]: n for n, op in enumerate(self.operations) if op.operation.name == "host.alloc"}
        for index, inputs in dying.items():
            if self.operations[index].operation.name == "host.launch":
                self._plan_launch(index, inputs, allocated)

    def _plan_launch(self, index: int, dying: list[Donor], allocated: dict[ir.Value, int]) -> None:
        """The outputs of one launch, each allocated for it and not used before."""
        launch = self.operations[index]
        kernel = self.kernels[text(launch.attributes["kernel"])]
        operands = list(launch.operands)
        first = len(operands) - integer(kernel.attributes["outputs"])
        for number in range(first, len(operands)):
            made = allocated.get(operands[number])
            if made is None or not self._is_made_for(made, index):
                continue
            for donor in dying:
                read = self._position_among(operands, donor, number)
                if read is None or not self._fits(donor, operands[number]) or not self._may_lie_in(kernel, read, number, donor):
                    continue
                if may_rewrite("result in place", launch):
                    dying.remove(donor)
                    self._take(made, donor)
                    self.plan.in_place.setdefault(index, []).extend((read, number))
                    break

    def _is_made_for(self, made: int, index: int) -> bool:
        """Whether only allocations stand between an allocation and the launch with this number."""
        return made < index and self.others[made] == self.others[index]

    def _position_among(self, operands: list[ir.Value], donor: Donor, output: int) -> int | None:
        """The operand that shows the memory of `donor` from its start, if it is the only one."""
        positions = [n for n, v in enumerate(operands) if self.lives.root(v) == donor.value]
        if len(positions) != 1 or positions[0] >= output:
            return None
        return positions[0] if operands[positions[0]] == donor.value else None

    def _may_lie_in(self, kernel: ir.Operation, read: int, written: int, donor: Donor) -> bool:
        on_gpu = not is_on_cpu(donor.value)
        if on_gpu and evaluated(donor.size, self.hints) < GPU_IN_PLACE_BYTES:
            return False
        name = text(kernel.attributes["sym_name"])
        if name not in self._read:
            self._read[name] = read_kernel(kernel)
        return may_lie_in(self._read[name], read, written, on_gpu)

    # Other buffers.

    def _plan_reuse(self, donors: list[Donor]) -> None:
        """Each other allocation reuses the latest dead buffer of its type, or else of those that fit."""
        taken = set(self.plan.taken.values())
        # Of several buffers that die together, the first is reused first.
        waiting = sorted((d for d in donors if d not in taken), key=lambda d: -d.end)
        dead = _Dead()
        for index, op in enumerate(self.operations):
            if op.operation.name != "host.alloc" or index in self.plan.taken:
                continue
            while waiting and waiting[-1].end < index:
                donor = waiting.pop()
                dead.add(donor, self._kinds_of(donor))
            for kind in self._kinds_for(op.results[0]):
                best = dead.take(kind, functools.partial(self._is_held_for_nothing, until=index))
                if best is not None and may_rewrite("reuse of memory", op):
                    self._take(index, best)
                    break

    def _kinds_of(self, donor: Donor) -> list[Kind]:
        """The kinds of a dead buffer, which `_kinds_for` looks up."""
        origin = self._origin(donor.value)
        info = TensorInfo.of(origin.type)
        own: list[Kind] = [("allocated", origin.type)] if is_allocated(origin) else []
        return [*own, ("type", origin.type), ("bytes", info.device, donor.size, info.dtype), ("bytes", info.device, donor.size)]

    def _kinds_for(self, buffer: ir.Value) -> list[Kind]:
        """The kinds of buffers whose memory this one can reuse, the best first, as in `_fits`."""
        info, size = TensorInfo.of(buffer.type), bytes_of(buffer.type)
        if size is None:
            return []
        if buffer in self.outside:
            return [("allocated", buffer.type)]
        any_other: Kind = ("bytes", info.device, size, info.dtype) if buffer in self.wanted else ("bytes", info.device, size)
        return [("type", buffer.type), any_other]

    def _fits(self, donor: Donor, buffer: ir.Value) -> bool:
        """Whether a buffer can reuse the memory of `donor`. A result of the graph must be an original tensor that the graph allocated; any
        other buffer that must be a tensor can be a view of the donor."""
        origin = self._origin(donor.value)
        if TensorInfo.of(origin.type).device != TensorInfo.of(buffer.type).device:
            return False
        if buffer in self.outside:
            return origin.type == buffer.type and is_allocated(origin)
        if buffer in self.wanted and TensorInfo.of(origin.type).dtype != TensorInfo.of(buffer.type).dtype:
            return False
        return donor.value.type == buffer.type or donor.size == bytes_of(buffer.type)

    def _origin(self, value: ir.Value) -> ir.Value:
        origin = value
        while origin in self.origins:
            origin = self.origins[origin]
        while value != origin:  # the chain of buffers that work in place may be as long as the graph
            self.origins[value], value = origin, self.origins[value]
        return origin

    def _is_held_for_nothing(self, donor: Donor, until: int) -> bool:
        """Whether the peaks stay the same if a dead buffer is held until operation number `until`."""
        size = evaluated(donor.size, self.hints)
        during_calls = self.calls.largest(donor.gone, until, NO_CALL)
        if during_calls >= 0 and during_calls + size > self.call_limit:
            return False
        return self.bytes.largest(donor.gone, until) + size <= self.limit

    def _take(self, made: int, donor: Donor) -> None:
        """Makes the allocation `made` reuse the memory of `donor`."""
        self.plan.taken[made] = donor
        buffer, origin = self.operations[made].results[0], self._origin(donor.value)
        self.origins[buffer] = donor.value
        for kind in (self.wanted, self.outside):
            if buffer in kind:
                kind.add(origin)
        size = evaluated(donor.size, self.hints)
        # The donor's memory is now also held from its death to the allocation (the first range). If the allocation comes before the donor's
        # death, both share one buffer for that time (the second).
        for row in (self.bytes, self.calls):
            row.add(donor.gone, made, size)
            row.add(made, donor.gone, -size)

    # The rewritten graph.

    def _rewrite(self) -> None:
        buffers: dict[ir.Value, ir.Value] = {}
        for index, donor in sorted(self.plan.taken.items()):
            op = self.operations[index]
            value = buffers.get(donor.value, donor.value)
            reuse = ir.Operation.create("host.reuse", [op.results[0].type], [value], loc=op.location, ip=ir.InsertionPoint(op))
            buffers[op.results[0]] = reuse.result
            op.results[0].replace_all_uses_with(reuse.result)
        for index, pairs in self.plan.in_place.items():
            self.operations[index].attributes[IN_PLACE] = ir.DenseI64ArrayAttr.get(pairs)
        for index, donor in self.plan.taken.items():
            self.operations[index].operation.erase()
            if donor.free is not None:
                donor.free.operation.erase()


def _allocates_more(op: ir.OpView) -> bool:
    """Whether an operation is a call of a library on a GPU that allocates its results. Convolutions and attention have workspaces, too."""
    if op.operation.name != "host.call" or call_into(op) is not None:
        return False
    return any(isinstance(v.type, ir.RankedTensorType) and not is_on_cpu(v) for v in op.operands)


def is_allocated(value: ir.Value) -> bool:
    """Whether a value is a buffer that the graph allocates."""
    return isinstance(value, ir.OpResult) and value.owner.name == "host.alloc"


def is_on_cpu(value: ir.Value) -> bool:
    """Whether a tensor is on the CPU. Only there it is known who else refers to an input."""
    return TensorInfo.of(value.type).device == "cpu"


def mark_donated(module: ir.Module, numbers: Collection[int]) -> None:
    """Records that the graph may reuse the memory of these arguments, unless another argument shares it."""
    function = graph_function(module)
    shared = {n for group in io_groups(function) for n in group}
    arguments = function.regions[0].blocks[0].arguments
    own = [n for n in numbers if n not in shared and isinstance(arguments[n].type, ir.RankedTensorType)]
    function.attributes[DONATED] = ir.DenseI64ArrayAttr.get(own)


def memory_numbers(module: ir.Module) -> tuple[int, int, int, int]:
    """(peak bytes without the plan, with it, allocations without it, with it) of a module in `host` form."""
    function = graph_function(module)
    if MEMORY in function.attributes:
        peak, planned, allocations, left = dense_integers(function.attributes[MEMORY])
        return peak, planned, allocations, left
    lives = Lives(function)
    peak = max(bytes_over_time(lives, size_hints(function)), default=0)
    allocations = sum(op.operation.name == "host.alloc" for op in lives.operations)
    return peak, peak, allocations, allocations


def plan_memory(module: ir.Module) -> None:
    """Plans the graph's function."""
    Planner(module).run()


register_pass("plan-memory", plan_memory)
