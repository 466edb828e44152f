"""The steps of a launch sequence for the report: what each kernel, ATen call and copy reads, writes and computes, and the buffers' lives.

Bytes count each element of a buffer once, however often a kernel reads it. Symbolic sizes count as the sizes seen while tracing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from torch_mlir import ir

from ..dialects.aten import TensorInfo, size_of
from ..dialects.host import DONATED, call_into
from ..dialects.locations import SourcePosition, module_names, positions
from ..dialects.narrowing import array, dense_entries, integer, text, texts
from ..dialects.short_form import graph_names, short_type
from ..dialects.size_hints import Hints, evaluated, size_hints
from ..lowering.host.releases import leaving
from ..lowering.host.routes import route
from ..lowering.launch.convert_to_host import graph_function
from ..lowering.memory.buffer_lives import Lives, guessed_bytes
from ..passes.recording import FusionRefusal, KernelKey
from .kernel_costs import KernelCosts, call_flops, kernel_costs
from .memory_traffic import schema_writes, tensor_bytes


@dataclass(frozen=True)
class Access:
    """A buffer that a step reads or writes, and the bytes of it."""

    buffer: str
    bytes: int


@dataclass(frozen=True)
class Step:
    """A step. `kind`: "kernel", "call" (of ATen) or "copy"; `flops`: arithmetic operations, None if unknown; `reason`: why it is a call;
    `route`: who makes the call; `seconds`: of one run, if measured. `unfused`: the numbers of earlier kernels with which a
    kernel is not fused although it could share data with them, each with the reason. `moves`: whether it is a copy, or a kernel that only
    stores elements that it reads."""

    kind: str
    name: str
    operators: tuple[str, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    flops: int | None = None
    reason: str = ""
    route: str = ""
    positions: tuple[SourcePosition, ...] = ()
    modules: tuple[str, ...] = ()
    seconds: float | None = None
    device: str = "cpu"
    key: KernelKey = field(default=("", ()), repr=False)
    unfused: tuple[tuple[int, str], ...] = ()
    moves: bool = False

    @property
    def bytes(self) -> int:
        """The bytes read and written."""
        return sum(a.bytes for a in (*self.reads, *self.writes))


@dataclass(frozen=True)
class Buffer:
    """A tensor of a launch sequence, alive from the step `first` to the step `last`. `kind`: "input", "result" or "buffer"; `memory`: the
    buffer or donated input whose memory it has, itself if it has its own. `bytes` are 0 for the memory of another. `writer`: the number of
    the step that writes it first, None for an input, or if no step does."""

    name: str
    type: str
    bytes: int
    kind: str
    first: int
    last: int
    memory: str
    writer: int | None = None


@dataclass(frozen=True)
class LaunchSequence:
    """The steps in order, the buffers, and the bytes of buffers that are alive during each step."""

    steps: tuple[Step, ...] = ()
    buffers: tuple[Buffer, ...] = ()

    @staticmethod
    def of(module: ir.Module) -> LaunchSequence:
        """Reads a module after `convert-to-host`."""
        reader = _Reader(module)
        steps, buffers = tuple(reader.steps()), tuple(reader.buffers())
        writers: dict[str, int] = {}
        for number, step in enumerate(steps):
            for access in step.writes:
                writers.setdefault(access.buffer, number)
        return LaunchSequence(
            steps, tuple(b if b.kind in ("input", "donated") else replace(b, writer=writers.get(b.name)) for b in buffers)
        )

    def with_refusals(self, refusals: Sequence[FusionRefusal]) -> LaunchSequence:
        """The sequence, whose kernels say why they are not fused with earlier ones."""
        numbers: dict[KernelKey, list[int]] = {}
        for number, step in enumerate(self.steps):
            if step.kind == "kernel":
                numbers.setdefault(step.key, []).append(number)
        unfused: dict[int, list[tuple[int, str]]] = {}
        for refusal in refusals:
            for later in numbers.get(refusal.later, ()):
                earlier = [n for n in numbers.get(refusal.earlier, ()) if n < later]
                unfused.setdefault(later, []).extend((n, refusal.reason) for n in earlier[-1:])
        steps = tuple(replace(step, unfused=tuple(dict.fromkeys(unfused.get(n, ())))) for n, step in enumerate(self.steps))
        return replace(self, steps=steps)

    @property
    def blocks(self) -> dict[str, tuple[int, int, int]]:
        """The memory that the graph allocates, or was given to reuse, by the name of the first buffer in it: bytes, and the first and last
        step during which it is held."""
        found: dict[str, tuple[int, int, int]] = {}
        for buffer in self.buffers:
            if buffer.kind != "input":
                size, first, last = found.get(buffer.memory, (buffer.bytes, buffer.first, buffer.last))
                found[buffer.memory] = (size, min(first, buffer.first), max(last, buffer.last))
        return found

    @property
    def live_bytes(self) -> list[int]:
        """The bytes of this memory that are held during each step."""
        changes = [0] * (len(self.steps) + 1)
        for size, first, last in self.blocks.values():
            changes[first] += size
            changes[min(last + 1, len(self.steps))] -= size
        return list(accumulate(changes))[: len(self.steps)]


class _Reader:
    def __init__(self, module: ir.Module) -> None:
        self.function = graph_function(module)
        self.kernels = {text(op.attributes["sym_name"]): op for op in module.body.operations if op.operation.name == "loop.func"}
        self.lives = Lives(self.function)
        self.operations = self.lives.operations
        self.hints: Hints = size_hints(self.function)
        self.names: Mapping[ir.Value, str] = graph_names(self.function)
        self.costs: dict[tuple[str, tuple[int, ...]], KernelCosts] = {}

    def steps(self) -> Iterator[Step]:
        for op in self.operations:
            step = self._step(op)
            if step is not None:
                where = tuple(dict.fromkeys(positions(op.location)))
                yield replace(
                    step, positions=where, modules=module_names(op.location), device=_device(op), key=(str(op.location), step.operators)
                )

    def _step(self, op: ir.OpView) -> Step | None:
        name = op.operation.name
        if name == "host.launch":
            return self._launch(op)
        if name == "host.call":
            return self._call(op)
        if name == "host.copy":
            target, source = op.operands
            size = tensor_bytes(target, self.hints)
            return Step("copy", "copy", ("copy_",), (self._access(source, size),), (self._access(target, size),), 0, moves=True)
        return None

    def _access(self, value: ir.Value, size: int) -> Access:
        return Access(self.names.get(self.lives.root(value), "?"), size)

    def _launch(self, op: ir.OpView) -> Step:
        kernel = text(op.attributes["kernel"])
        symbols = tuple(evaluated(size_of(s), self.hints) for s in array(op.attributes["symbols"]))
        if (kernel, symbols) not in self.costs:
            self.costs[kernel, symbols] = kernel_costs(self.kernels[kernel], symbols)
        costs = self.costs[kernel, symbols]
        first = len(op.operands) - integer(self.kernels[kernel].attributes["outputs"])
        whole = [tensor_bytes(v, self.hints) for v in op.operands]
        reads = [self._access(op.operands[n], min(size, whole[n])) for n, size in costs.read.items()]
        writes = [self._access(op.operands[n], min(size, whole[n])) for n, size in costs.written.items() if n >= first]
        computes = self.kernels[kernel].attributes
        operators = tuple(texts(computes["computes"])) if "computes" in computes else ()
        return Step("kernel", kernel, operators, tuple(reads), tuple(writes), costs.flops, moves=costs.moves)

    def _call(self, op: ir.OpView) -> Step:
        target = text(op.attributes["target"])
        into = [op.operands[n] for n in [call_into(op)] if n is not None]
        written = [*schema_writes(op), *into]
        reads = [self._access(v, tensor_bytes(v, self.hints)) for v in op.operands if v not in into]
        writes = [self._access(v, tensor_bytes(v, self.hints)) for v in [*written, *op.results]]
        flops = call_flops(op, self.hints)
        return Step("call", target, (target,), tuple(reads), tuple(writes), flops, text(op.attributes["reason"]), route(op))

    # Memory.
    def buffers(self) -> Iterator[Buffer]:
        """The arguments, and what the graph allocates, in order."""
        numbers, count = [], 0  # of the step that each operation is, or that comes next
        for op in self.operations:
            numbers.append(count)
            count += op.operation.name in ("host.launch", "host.call", "host.copy")
        last = max(count - 1, 0)
        returned = {self.lives.root(v) for v in self.operations[-1].operands}
        freed = {op.operands[0]: max(numbers[n] - 1, 0) for n, op in enumerate(self.operations) if op.operation.name == "host.free"}
        donated = set(dense_entries(self.function, DONATED))
        for argument in self.function.regions[0].blocks[0].arguments:
            if isinstance(argument.type, ir.RankedTensorType):
                yield self._argument(argument, numbers, last, donated)
        memory: dict[ir.Value, ir.Value] = {}
        for index, op in enumerate(self.operations):
            name = op.operation.name
            if name == "host.reuse":
                memory[op.results[0]] = memory.get(op.operands[0], op.operands[0])
            if name not in ("host.alloc", "host.reuse", "host.call"):
                continue
            for value in (v for v in op.results if isinstance(v.type, ir.RankedTensorType)):
                kind = "result" if value in returned else "buffer"
                first = min(numbers[index], last)
                end = last if kind == "result" else min(max(freed.get(value, self._last(value, numbers, last)), first), last)
                own = self.names.get(memory.get(value, value), "?")
                size = guessed_bytes(value.type, self.hints)
                yield Buffer(self.names.get(value, "?"), short_type(value.type), size, kind, first, end, own)

    def _argument(self, argument: ir.BlockArgument, numbers: list[int], last: int, donated: set[int]) -> Buffer:
        kind = "donated" if argument.arg_number in donated and argument in set(leaving(self.function)) else "input"
        end = self._last(argument, numbers, last) if kind == "donated" else last
        name = self.names[argument]
        return Buffer(name, short_type(argument.type), guessed_bytes(argument.type, self.hints), kind, 0, end, name)

    def _last(self, value: ir.Value, numbers: list[int], last: int) -> int:
        return min(numbers[self.lives.last_use[value]], last) if value in self.lives.last_use else 0


def _device(op: ir.OpView) -> str:
    """The device of a step: that of its last tensor, which it writes."""
    tensors = [v.type for v in [*op.operands, *op.results] if isinstance(v.type, ir.RankedTensorType)]
    return TensorInfo.of(tensors[-1]).device if tensors else "cpu"
