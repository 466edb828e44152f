"""`verify-memory`: proves the memory plan: no buffer is used after its memory is reused, and memory that is known outside is not reused.
Launches of one group access no memory that another of them writes."""

from __future__ import annotations

from collections.abc import Iterator

from torch_mlir import ir

from ...dialects.aten import TensorInfo, stage_of
from ...dialects.host import DONATED, group_part, in_place_pairs
from ...dialects.narrowing import dense_entries, integer, maker, text
from ...dialects.verify_host import launched_name
from ...passes.registry import register_pass
from ...passes.verify.verify_ir import report
from ..kernel.analysis import read_kernel
from .buffer_lives import Lives, bytes_of, forgets_operands
from .in_place import may_lie_in
from .shared_memory import SharedMemory

Broken = tuple[ir.Operation, str]


class _Walk:
    """Walks the sequence in order. `takers`: the buffer that took over a value's memory; `origins`: the buffer for which that memory was
    first allocated; `used`: buffers used so far."""

    def __init__(self, module: ir.Module, function: ir.OpView) -> None:
        self.kernels = {launched_name(o.operation): o.operation for o in module.body.operations}
        self.lives = Lives(function)
        arguments = function.regions[0].blocks[0].arguments
        self.donated = [arguments[n] for n in dense_entries(function, DONATED)]
        self.takers: dict[ir.Value, ir.Value] = {}
        self.origins: dict[ir.Value, ir.Value] = {}
        self.freed: set[ir.Value] = set()
        self.used: set[ir.Value] = set()
        self.memory = SharedMemory(function)
        self.group_reads: set[int] = set()
        self.group_writes: set[int] = set()

    def broken(self) -> Iterator[Broken]:
        """Each broken rule with its operation."""
        for view in self.lives.operations:
            op = view.operation
            excused = set()
            for pair in in_place_pairs(view):
                message = self._in_place(op, *pair)
                if message:
                    yield op, message
                excused.add(pair[0])
            yield from ((op, message) for message in self._uses(op, excused))
            if group_part(view) is not None:
                yield from ((op, message) for message in self._grouped(op))
            if op.name == "host.reuse":
                yield from ((op, message) for message in self._reuse(op))
                self.takers[op.operands[0]] = op.results[0]
            elif op.name == "host.free":
                self.freed.add(op.operands[0])
            if op.name != "host.view":
                self.used.update(self.lives.root(v) for v in op.operands)

    def _grouped(self, op: ir.Operation) -> Iterator[str]:
        """The launches of a group run at the same time: none accesses memory that another one writes."""
        name, part = group_part(op) or ("", 0)
        kernel = self.kernels.get(text(op.attributes["kernel"]))
        operands = [self.memory.of(v) for v in op.operands]
        first = len(operands) - (0 if kernel is None or kernel.name != "loop.func" else integer(kernel.attributes["outputs"]))
        if part == 0:
            self.group_reads, self.group_writes = set(), set()
        reads, writes = set(operands[:first]), set(operands[first:])
        if writes & (self.group_reads | self.group_writes) or reads & self.group_writes:
            yield f"shares memory that it or an earlier launch of @{name} writes"
        self.group_reads |= reads
        self.group_writes |= writes

    def _uses(self, op: ir.Operation, excused: set[int]) -> Iterator[str]:
        for number, value in enumerate(op.operands):
            root = self.lives.root(value)
            if root in self.takers and number not in excused:
                yield f"uses operand {number} after its memory was taken by {self.takers[root].get_name()}"
            elif root in self.freed:
                yield f"uses operand {number} after it was freed"

    def _reuse(self, op: ir.Operation) -> Iterator[str]:
        donor, buffer = op.operands[0], op.results[0]
        if donor in self.lives.known_outside:
            yield "takes memory that is returned, or that an operator may have kept"
        if not self._is_own(donor):
            yield "takes memory that is not known to be the graph's own"
        size = bytes_of(donor.type)
        if size is None or size != bytes_of(buffer.type):
            yield f"takes memory of {size} bytes for a tensor of {bytes_of(buffer.type)}"
        origin = self.origins[buffer] = self.origins.get(donor, donor)
        if buffer in self.lives.known_outside:
            if origin.type != buffer.type or not isinstance(origin, ir.OpResult) or origin.owner.name != "host.alloc":
                yield "returns a tensor in memory that was not allocated here for one of its type"
        elif buffer in self.lives.seen_as_tensor and TensorInfo.of(origin.type).dtype != TensorInfo.of(buffer.type).dtype:
            yield "takes memory of another dtype for what is used as a tensor"

    def _is_own(self, value: ir.Value) -> bool:
        """Whether the graph allocated a value's memory, or the caller donated it."""
        if isinstance(value, ir.BlockArgument):
            return value in self.donated
        made = maker(value)
        return made.name in ("host.alloc", "host.reuse") or (made.name == "host.call" and forgets_operands(made))

    def _in_place(self, op: ir.Operation, read: int, written: int) -> str | None:
        """The error in a launch that writes output `written` into the memory of input `read`, or None."""
        operands = list(op.operands)
        if not 0 <= read < written < len(operands):
            return f"has no operands {read} and {written}"
        source, target = operands[read], operands[written]
        if source not in self.takers or self.takers[source] != target:
            return f"operand {written} has not taken the memory of operand {read}"
        if target in self.used:
            return f"operand {written} was used before: operand {read} is overwritten already"
        if [self.lives.root(v) for v in operands].count(source) != 1:
            return f"reads the memory of operand {read} through another operand"
        kernel = self.kernels.get(ir.FlatSymbolRefAttr(op.attributes["kernel"]).value)
        if kernel is not None and kernel.name != "loop.func":
            return None  # lowered: the order of its reads was proved before
        on_gpu = TensorInfo.of(source.type).device != "cpu"
        if kernel is None or not may_lie_in(read_kernel(kernel), read, written, on_gpu):
            return f"may read an element of operand {read} after it wrote operand {written} there"
        return None


def verify_memory(module: ir.Module) -> None:
    """Emits a diagnostic for each broken rule of graphs in `host` form, then raises `InvalidIR` if there was one."""
    planned = [o for o in module.body.operations if o.operation.name == "func.func" and stage_of(o) == "host"]
    report([broken for function in planned for broken in _Walk(module, function).broken()])


register_pass("verify-memory", verify_memory)
