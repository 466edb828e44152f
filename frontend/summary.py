"""What `mlirind.explain` prints: tables of the graphs, of the heaviest steps, and of what keeps the program from running faster."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import IO

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..runtime.report import GraphReport
from ..torch_internals.entries import can_compile
from .joint.partition_report import PartitionReport
from .report.dynamo_frames import Frame
from .report.page import PageContents
from .report.texts import byte_text, flop_text, short_path, time_text, without_folder

WIDTH = 140  # of a text that does not go to a terminal
HEAVIEST = 5  # steps shown
REASONS = 8  # shown of each kind

NOTHING, NOTHING_AT_ALL = "nothing was compiled: Dynamo found no graph", "nothing was compiled"
FOOTER = (
    'print(explanation): each kernel and call with its source lines; explanation.ir: the stages; explanation.save("report.html"): a page'
)


def print_summary(contents: PageContents, file: IO[str] | None = None) -> None:
    """Prints the summary to `file`, by default stdout; with colours, and as wide as it is, if that is a terminal."""
    file = file or sys.stdout
    terminal = file.isatty() if hasattr(file, "isatty") else False
    console = Console(file=file, width=None if terminal else WIDTH, highlight=False, markup=False, emoji=False)
    for part in _parts(contents):
        console.print(part, soft_wrap=isinstance(part, Text))


def _parts(contents: PageContents) -> Iterator[RenderableType]:
    yield Text(_headline(contents), style="bold")
    if any(not graph.fallback for graph in contents.graphs):
        yield _graphs(contents.graphs)
    heaviest = _heaviest(contents.graphs)
    if heaviest is not None:
        yield heaviest
    calls = _calls(contents.graphs)
    if calls.row_count:
        yield calls
    for style, line in _lines(contents):
        yield Text(line, style=style)
    yield Text(FOOTER, style="dim")


def _headline(contents: PageContents) -> str:
    """`2 graphs: 15 kernels in 18 launches, 4 ATen calls`"""
    graphs = [graph for graph in contents.graphs if not graph.fallback]
    if not contents.graphs:
        return NOTHING if can_compile() else NOTHING_AT_ALL
    calls = f"{sum(g.called for g in graphs)} ATen calls, {sum(g.called_by_python for g in graphs)} of them by Python"
    kernels = f"{sum(len(g.kernels) for g in graphs)} kernels in {sum(g.launches for g in graphs)} launches"
    return f"{contents.title}: {len(contents.graphs)} graphs, {len(contents.graphs) - len(graphs)} uncompiled; {kernels}; {calls}"


def _table(title: str, *columns: str) -> Table:
    """A table; a column whose name ends in # holds numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column.removesuffix("#"), justify="right" if column.endswith("#") else "left", no_wrap=column.endswith("#"))
    return table


def _graphs(graphs: Sequence[GraphReport]) -> Table:
    measured = any(graph.times for graph in graphs)
    columns = ("kernels#", "launches#", "ATen calls#", "read#", "written#", "FLOP#", "peak memory#", *(("time#",) if measured else ()))
    table = _table("Graphs", "graph", *columns, "compile time#")
    for graph in (g for g in graphs if not g.fallback):
        steps = graph.sequence.steps
        numbers = [str(len(graph.kernels)), str(graph.launches), str(graph.called)]
        numbers += [
            byte_text(sum(a.bytes for step in steps for a in step.reads)),
            byte_text(sum(a.bytes for step in steps for a in step.writes)),
        ]
        numbers += [flop_text(sum(step.flops or 0 for step in steps)), byte_text(graph.memory.peak) if graph.memory else ""]
        numbers += [time_text(sum(step.seconds or 0 for step in steps))] if measured else []
        table.add_row(graph.name, *numbers, time_text(sum(p.seconds for p in graph.passes)))
    return table


def _heaviest(graphs: Sequence[GraphReport]) -> Table | None:
    steps = [(graph.name, step) for graph in graphs for step in graph.sequence.steps]
    if len(steps) <= 1:
        return None
    steps.sort(key=lambda found: (-(found[1].seconds or 0), -found[1].bytes))
    measured = any(step.seconds is not None for _, step in steps)
    title = f"Heaviest of {len(steps)} steps, by {'time' if measured else 'bytes'}"
    table = _table(title, "graph", "step", "operators", "bytes#", "FLOP#", *(("time#",) if measured else ()), "source")
    for name, step in steps[:HEAVIEST]:
        numbers = [byte_text(step.bytes), flop_text(step.flops), *((time_text(step.seconds),) if measured else ())]
        source = ", ".join(f"{short_path(p.file).rpartition('/')[2]}:{p.line}" for p in step.positions[-2:])
        table.add_row(name, step.name, ", ".join(step.operators), *numbers, source)
    return table


def _calls(graphs: Sequence[GraphReport]) -> Table:
    """The ATen calls by reason."""
    counts: dict[str, Counter[str]] = {}
    for graph in graphs:
        for call in graph.calls:
            counts.setdefault(call.reason, Counter())[call.target.removeprefix("aten.")] += call.count
    table = _table("Operators that ATen runs", "calls#", "reason", "operators")
    for reason, targets in sorted(counts.items(), key=lambda item: -item[1].total())[:REASONS]:
        table.add_row(str(targets.total()), reason, ", ".join(f"{name} x{count}" for name, count in targets.most_common(4)))
    return table


def _lines(contents: PageContents) -> Iterator[tuple[str, str]]:
    """What is no table: a style and a text each."""
    for graph in contents.graphs:
        if graph.fallback:
            yield "red", f"{graph.name} runs uncompiled: {graph.fallback}"
        if graph.copies:
            yield "yellow", f"{graph.name} copies {byte_text(graph.copied_bytes)} because it may not write in place:"
            yield from (("", f"  {c.target}, {byte_text(c.bytes)}: {c.reason}{_at(c.lines)}") for c in graph.copies[:REASONS])
        if graph.writes:
            yield (
                "",
                f"{graph.name} writes {byte_text(graph.written_bytes)} of its inputs: {', '.join(w.name for w in graph.writes[:REASONS])}",
            )
    yield from (("", line) for partition in contents.partitions for line in _saved(partition))
    yield from (("yellow", line) for frame in contents.frames for line in _breaks(frame))
    yield from (("yellow", line) for line in contents.missing)


def _at(lines: Sequence[str]) -> str:
    return f" ({without_folder(lines[0])})" if lines else ""


def _saved(report: PartitionReport) -> Iterator[str]:
    made = [saved for saved in report.saved if not saved.is_input]
    again = f"; the backward computes {sum(report.recomputed.values())} operators again" if report.recomputed else ""
    yield f"the forward saves {len(made)} tensors of {byte_text(report.bytes)} for the backward{again}"
    if report.unchanged:
        yield f"no pass ran on the joint graph: {report.unchanged}"


def _breaks(frame: Frame) -> Iterator[str]:
    where = f"{frame.function} ({short_path(frame.file).rpartition('/')[2]}:{frame.line})"
    if frame.failure:
        yield f"Dynamo does not compile {where}: {frame.failure}"
    if frame.again:
        yield f"Dynamo compiled {where} again: {frame.again}"
    for reason in frame.breaks:
        yield f"a graph ends inside {where}: {reason.splitlines()[0] if reason else ''}"
