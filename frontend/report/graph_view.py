"""One graph as the page shows it: rows of steps for the template, and the data that the page's script reads."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...passes.pipeline import GRAPH, HOST, JOINT, KERNELS
from ...passes.recording import PassRecord
from ...runtime.launch_steps import LaunchSequence, Step
from ...runtime.machine_speed import MachineSpeed
from ...runtime.report import GraphReport
from .sources import Sources
from .texts import byte_text, flop_text, time_text

MODULES_SHOWN = 3
LIMITED = 0.3  # of a step's time at the device's speed: with less, neither memory nor compute limits it
TO_KERNELS = ("convert-aten-to-loop", "convert-aten-to-proved-loop")
_OPERATOR = re.compile(r" = aten\.(?!number\()([\w.]+)\(")  # of a line of the IR in its short form


@dataclass(frozen=True)
class Row:
    """A step of a launch sequence in the table. `share`: its bytes (its time, if measured) as a share of the largest in the graph."""

    id: str
    step: Step
    keys: str
    lines: str
    modules: str
    what: str
    read: str
    written: str
    flops: str
    intensity: str
    time: str
    bound: str
    bound_text: str
    share: float


@dataclass(frozen=True)
class PassRow:
    """A pass in the table of compile times; `changed`: whether it changed the graph; `removed`, `made`: operators, with their numbers."""

    step: str
    milliseconds: str
    share: float
    changed: bool
    removed: str
    made: str


def rows(graph: GraphReport, number: int, sources: Sources, speeds: Mapping[str, MachineSpeed]) -> list[Row]:
    """The table of a graph's steps. `speeds`: of the devices, if the steps were measured."""
    steps = graph.sequence.steps
    sizes = [s.bytes if s.seconds is None else s.seconds for s in steps]
    return [_row(step, f"g{number}s{n}", sizes[n] / (max(sizes) or 1), sources, speeds) for n, step in enumerate(steps)]


def _row(step: Step, name: str, share: float, sources: Sources, speeds: Mapping[str, MachineSpeed]) -> Row:
    keys = sources.keys(step.positions)
    labels = [sources.labels[k] for k in keys]
    modules = ", ".join(step.modules[:MODULES_SHOWN]) + (" …" if len(step.modules) > MODULES_SHOWN else "")
    reads, writes = (sum(a.bytes for a in accesses) for accesses in (step.reads, step.writes))
    intensity = f"{step.flops / step.bytes:.3g}" if step.flops is not None and step.bytes else ""
    what = ", ".join(step.operators) if step.kind == "kernel" else step.name
    return Row(
        name, step, " ".join(keys), ", ".join(labels), modules, what, byte_text(reads), byte_text(writes),
        flop_text(step.flops), intensity, time_text(step.seconds), *_bound(step, speeds), share,
    )  # fmt: skip


def _bound(step: Step, speeds: Mapping[str, MachineSpeed]) -> tuple[str, str]:
    """`memory 80%`: what limits a measured step, and the share of its time that it would take at the device's speed, or `neither` if that
    is less than `LIMITED`; and this as a sentence."""
    if step.seconds is None or step.flops is None or step.device not in speeds:
        return "", ""
    limit, seconds = speeds[step.device].bound(step.bytes, step.flops)
    share = seconds / step.seconds
    least = "its bytes at the speed of a copy" if limit == "memory" else "its operations at the speed of a large matrix product"
    takes = f"{least} would take {time_text(seconds)}, {100 * share:.0f}% of the time"
    if share < LIMITED:
        return "neither", f"neither memory nor compute: {takes}"
    if share > 1:
        return "in a cache", f"{limit}: {takes} (more than all of it: the data was in a cache)"
    return f"{limit} {100 * share:.0f}%", f"{limit}: {takes}"


def pass_rows(passes: Sequence[PassRecord]) -> list[PassRow]:
    """The table of a compilation's parts, in their order. Passes on kernels remove and make no operators."""
    most = max((p.seconds for p in passes), default=0) or 1
    rows, before, on_operators = [], Counter[str](), True
    for record in passes:
        found = Counter(m[1] for line in record.lines for m in [_OPERATOR.search(line.text)] if m) if record.lines else before
        told = on_operators and record.step != "imported"
        removed, made = (_counted(c) if told else "" for c in (before - found, found - before))
        if record.step in TO_KERNELS:
            removed, on_operators = f"become kernels: {removed}" if removed else "", False
        if record.seconds:
            rows.append(PassRow(record.step, f"{record.seconds * 1e3:.2f}", record.seconds / most, bool(record.lines), removed, made))
        before = found
    return rows


def _counted(operators: Counter[str]) -> str:
    return ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in sorted(operators.items()))


def step_data(step: Step, sources: Sources) -> dict[str, Any]:
    """A step, for the script."""
    return {
        "kind": step.kind,
        "name": step.name,
        "operators": step.operators,
        "reads": [[a.buffer, a.bytes] for a in step.reads],
        "writes": [[a.buffer, a.bytes] for a in step.writes],
        "flops": step.flops,
        "reason": step.reason,
        "route": step.route,
        "lines": sources.keys(step.positions),
        "modules": step.modules,
        "seconds": step.seconds,
        "unfused": step.unfused,
    }


def sequence_data(sequence: LaunchSequence, sources: Sources) -> dict[str, Any]:
    """The steps, their buffers, who reads whose results, and the bytes that live during each step."""
    buffers = [[b.name, b.type, b.bytes, b.kind, b.first, b.last, b.memory, b.writer] for b in sequence.buffers]
    return {
        "steps": [step_data(s, sources) for s in sequence.steps],
        "buffers": buffers,
        "live": sequence.live_bytes,
        "edges": _edges(sequence.steps),
    }


def _edges(steps: Iterable[Step]) -> list[tuple[int, int, str, int]]:
    """(writer, reader, buffer, bytes) for each buffer that a step reads after another wrote it."""
    writer: dict[str, int] = {}
    found = []
    for number, step in enumerate(steps):
        found += [(writer[a.buffer], number, a.buffer, a.bytes) for a in step.reads if a.buffer in writer]
        writer |= {a.buffer: number for a in step.writes}
    return found


# The IR, and how it changes.


_ENDS = {names[-1]: stage for names, stage in ((GRAPH, "aten"), (KERNELS, "loop"), (HOST, "host"))}
_JOINT_ENDS = {JOINT[-1]: "joint"}


def ir_states(passes: Sequence[PassRecord], ends: Mapping[str, str]) -> list[tuple[str, PassRecord]]:
    """The different states of a graph's IR, each named by the pass that made it and the stage that it ends, if it ends one. `ends`: the
    last pass of each stage."""
    last: dict[str, PassRecord] = {}
    current = None
    for record in passes:
        current = record if record.lines else current
        if record.step in ends and current is not None:
            last[ends[record.step]] = current
    states = []
    for record in passes:
        if record.lines:
            stages = [stage for stage, known in last.items() if known is record]
            name = record.step if record.step == "imported" else f"after {record.step}"
            states.append((name + "".join(f" (stage {s})" for s in stages), record))
    return states


def ir_payload(passes: Sequence[PassRecord], stages: dict[str, str], sources: Sources) -> str:
    """The IR as gzip in base64: `lines`, a table of different lines with their source lines; `states`, each a list of numbers of lines;
    `full`, the text of each stage."""
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}
    states = []
    for name, record in ir_states(passes, _JOINT_ENDS if "joint" in stages else _ENDS):
        keyed = [(line.text, tuple(sources.keys(line.positions))) for line in record.lines]
        states.append({"name": name, "lines": [numbers.setdefault(k, len(numbers)) for k in keyed]})
    data = {"lines": [[text, *keys] for text, keys in numbers], "states": states, "full": stages}
    return packed(json.dumps(data, separators=(",", ":")))


def packed(text: str) -> str:
    """A text as gzip in base64, which the page's script unpacks."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def line_counts(graphs: Sequence[GraphReport], sources: Sources) -> dict[str, Counter[str]]:
    """For each source line, the number of steps of each kind that it takes part in."""
    counts: dict[str, Counter[str]] = {}
    for graph in graphs:
        for step in graph.sequence.steps:
            for key in sources.keys(step.positions):
                counts.setdefault(key, Counter())[step.kind] += 1
    return counts
