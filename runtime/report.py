"""The contents of a compiled graph: its kernels with the operators that each computes, and its ATen calls with their reasons."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from torch_mlir import ir

from ..dialects.host import launch_count
from ..dialects.narrowing import text, texts
from ..lowering.bounds.require_bounds import access_counts
from ..lowering.host.routes import PYTHON, route
from ..lowering.memory.plan_memory import memory_numbers
from ..passes.recording import PassRecord, Records
from .launch_steps import LaunchSequence
from .memory_traffic import InputWrite, StayingCopy, graph_input_names, input_writes
from .report_requests import Collector, collectors
from .source_lines import source_lines

LINES_SHOWN = 4  # source lines printed for a kernel or a call


@dataclass(frozen=True)
class KernelEntry:
    """A kernel: the number of its launches, the operators that it computes, in order, and their source lines."""

    name: str
    computes: tuple[str, ...]
    launches: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallEntry:
    """An operator that ATen runs: the reason, the number of calls, the caller (the name of a libtorch C function, or "Python"), and the
    source lines."""

    target: str
    reason: str
    count: int
    route: str = PYTHON
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class MemoryUse:
    """The buffers of a graph, including its results, and inputs donated to it: bytes at the peak, and number of allocations. `without`:
    the same numbers without reuse of memory. Memory that ATen's operators allocate while they run is unknown, and not counted."""

    peak: int
    allocations: int
    without: tuple[int, int]

    @staticmethod
    def of(module: ir.Module) -> MemoryUse:
        """Reads a module after `convert-to-host`."""
        peak_before, peak, made, allocations = memory_numbers(module)
        return MemoryUse(peak, allocations, (peak_before, made))

    def __str__(self) -> str:
        peak, made = self.without
        numbers = f"{self.peak} bytes of buffers at the peak ({peak} without reuse), {self.allocations} allocations ({made})"
        return f"memory: {numbers}; what ATen's operators allocate inside is not counted"


@dataclass(frozen=True)
class GraphReport:
    """One graph.

    `writes`: what one run writes of the graph's inputs; `copies`: the writes that `reinplace` could not do in place. `fallback`: the
    reason why the graph runs uncompiled, or None. `accesses`: its loads, stores and views by how `require-bounds` proved them. `stages`:
    its IR by stage, if requested; with them `sequence`, its steps and buffers, and `passes`, what each pass did. `inputs`: the names of
    its arguments, without the constants. `times`: the seconds of each step by its number, if measured; runs of the graph fill it.
    `launches`: how many launches one run makes; a group of kernels is one.
    """

    name: str
    kernels: tuple[KernelEntry, ...] = ()
    calls: tuple[CallEntry, ...] = ()
    writes: tuple[InputWrite, ...] = ()
    copies: tuple[StayingCopy, ...] = ()
    fallback: str | None = None
    memory: MemoryUse | None = None
    accesses: dict[str, int] = field(default_factory=dict)
    stages: dict[str, str] = field(default_factory=dict, repr=False)
    inputs: tuple[str, ...] = ()
    sequence: LaunchSequence = field(default_factory=LaunchSequence, repr=False)
    passes: tuple[PassRecord, ...] = field(default=(), repr=False)
    times: dict[int, float] = field(default_factory=dict, repr=False)
    launches: int = 0

    @staticmethod
    def of(
        module: ir.Module, name: str = "graph", stages: dict[str, str] | None = None, copies: tuple[StayingCopy, ...] = ()
    ) -> GraphReport:
        """Reads a module after `convert-to-host`; `copies` were read after `reinplace`."""
        launches: dict[str, list[ir.OpView]] = defaultdict(list)
        calls: dict[tuple[str, str, str], list[ir.OpView]] = defaultdict(list)
        functions = [op for op in module.body.operations if op.operation.name == "func.func"]
        for op in (op for function in functions for op in function.regions[0].blocks[0].operations):
            if op.operation.name == "host.launch":
                launches[text(op.attributes["kernel"])].append(op)
            elif op.operation.name == "host.call":
                calls[text(op.attributes["target"]), text(op.attributes["reason"]), route(op)].append(op)
        kernels = []
        for op in module.body.operations:
            if op.operation.name == "loop.func":
                kernel = text(op.attributes["sym_name"])
                kernels.append(KernelEntry(kernel, kernel_names(op), len(launches[kernel]), source_lines(launches[kernel])))
        entries = tuple(CallEntry(target, reason, len(ops), by, source_lines(ops)) for (target, reason, by), ops in calls.items())
        return GraphReport(
            name,
            tuple(kernels),
            entries,
            input_writes(module),
            copies,
            memory=MemoryUse.of(module),
            accesses=access_counts(module),
            stages=stages or {},
            inputs=tuple(n for function in functions for n in graph_input_names(function)),
            sequence=_sequence(module, copies) if stages else LaunchSequence(),
            launches=sum(launch_count(list(function.regions[0].blocks[0].operations)) for function in functions),
        )

    @property
    def called(self) -> int:
        """The number of operators that one run of the graph calls."""
        return sum(c.count for c in self.calls)

    @property
    def called_by_python(self) -> int:
        """The number of these calls that Python makes."""
        return sum(c.count for c in self.calls if c.route == PYTHON)

    def run_by_python(self) -> GraphReport:
        """The report if the graph runs as a Python function, which makes all calls."""
        steps = tuple(replace(s, route=PYTHON) if s.route else s for s in self.sequence.steps)
        calls = tuple(replace(c, route=PYTHON) for c in self.calls)
        return replace(self, calls=calls, sequence=replace(self.sequence, steps=steps))

    def with_passes(self, passes: Records) -> GraphReport:
        """The report with what each pass did."""
        return replace(self, passes=tuple(passes), sequence=self.sequence.with_refusals(passes.refusals))

    def with_times(self) -> GraphReport:
        """The report with the times that were measured so far in its steps."""
        steps = tuple(replace(step, seconds=self.times.get(n)) for n, step in enumerate(self.sequence.steps))
        return replace(self, sequence=replace(self.sequence, steps=steps))

    @property
    def written_bytes(self) -> int:
        """The bytes that one run writes of the graph's inputs, at most."""
        return sum(w.bytes for w in self.writes)

    @property
    def copied_bytes(self) -> int:
        """The bytes that one run copies because it may not write in place."""
        return sum(c.bytes for c in self.copies)

    def __str__(self) -> str:
        if self.fallback:
            return f"{self.name}: not compiled: {self.fallback}"
        calls = f"{self.called} calls of ATen, {self.called_by_python} by Python"
        lines = [f"{self.name}: {len(self.kernels)} kernels, {self.launches} launches, {calls}"]
        for kernel in self.kernels:
            lines += [f"  kernel {kernel.name} x{kernel.launches}: {', '.join(kernel.computes)}", *_shown(kernel.lines)]
        for call in self.calls:
            lines += [f"  ATen {call.target} x{call.count}: {call.reason}; called by {call.route}", *_shown(call.lines)]
        if self.accesses:
            lines.append(f"  accesses of kernels, and views: {', '.join(f'{number} {kind}' for kind, number in self.accesses.items())}")
        if self.memory:
            lines.append(f"  {self.memory}")
        if self.writes:
            lines.append(f"  writes to inputs: {self.written_bytes} bytes")
            lines += [f"    {w.name}: {w.bytes} of {w.whole} bytes, by {w.by}" for w in self.writes]
        if self.copies:
            lines.append(f"  copies that stay: {self.copied_bytes} bytes")
            lines += [f"    {c.target}: {c.bytes} bytes: {c.reason}" for c in self.copies]
        return "\n".join(lines)


def _sequence(module: ir.Module, copies: tuple[StayingCopy, ...]) -> LaunchSequence:
    """The launch sequence; its copies have the reasons of those that stay."""
    sequence = LaunchSequence.of(module)
    reasons = {copy.written: copy.reason for copy in copies if copy.written}
    steps = [replace(s, reason=reasons.get(s.writes[0].buffer, "")) if s.kind == "copy" else s for s in sequence.steps]
    return replace(sequence, steps=tuple(steps))


def _shown(lines: tuple[str, ...]) -> list[str]:
    more = len(lines) - LINES_SHOWN
    return [f"    {line}" for line in lines[:LINES_SHOWN]] + ([f"    and {more} more lines"] if more > 0 else [])


def kernel_names(op: ir.OpView) -> tuple[str, ...]:
    """The operators that a kernel computes."""
    return tuple(texts(op.attributes["computes"])) if "computes" in op.attributes else ()


@contextlib.contextmanager
def collect_reports(stages: bool = False, times: bool = False) -> Iterator[list[GraphReport]]:
    """A list that receives the report of every graph compiled inside, in any thread; with the IR of its `stages` if requested. `times`:
    these graphs run as Python functions, and measure their steps."""
    collector = Collector([], stages, times)
    collectors.append(collector)
    try:
        yield collector.reports
    finally:
        collectors.remove(collector)


def add_report(report: GraphReport) -> None:
    """Gives a report to all collectors."""
    for collector in collectors:
        collector.reports.append(report)
