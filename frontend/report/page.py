"""Writes the report: one HTML page that needs no network."""

from __future__ import annotations

import functools
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import jinja2
import torch

from ...dialects.locations import SourcePosition
from ...passes.recording import PassRecord
from ...runtime.machine_speed import MachineSpeed
from ...runtime.report import GraphReport
from ..joint.partition_report import PartitionReport
from . import graph_view
from .dynamo_frames import Frame
from .sources import Sources
from .texts import byte_text, flop_text, short_path, time_text, without_folder

HEAVIEST = 12  # steps in the overview
COPIES = 20  # shown of the steps that only move data


@dataclass(frozen=True)
class PageContents:
    """What the page shows."""

    title: str
    graphs: Sequence[GraphReport]
    partitions: Sequence[PartitionReport] = ()
    missing: Sequence[str] = ()
    frames: Sequence[Frame] = ()
    speeds: Mapping[str, MachineSpeed] = field(default_factory=dict)


def render(contents: PageContents) -> str:
    """The page's text."""
    sources = Sources(_positions(contents))
    graphs = [_graph(graph, number, sources, contents.speeds) for number, graph in enumerate(contents.graphs)]
    joints = [_joint(report, number, sources) for number, report in enumerate(contents.partitions)]
    data = {
        "graphs": [
            {
                "name": g["name"],
                "ir": len(joints) + n,
                "bounds": [row.bound_text for row in g["rows"]],
                **graph_view.sequence_data(g["report"].sequence, sources),
            }
            for n, g in enumerate(graphs)
        ],
        "ir": [{"name": g["name"], "id": g["ir_id"]} for g in [*joints, *graphs]],
        "labels": sources.labels,
    }
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"bytes": byte_text, "flops": flop_text, "time": time_text, "packed": graph_view.packed}
    environment.filters |= {"short_path": short_path, "without_folder": without_folder}
    return environment.from_string(_file("page.html")).render(
        title=contents.title,
        versions=_versions(),
        graphs=graphs,
        joints=joints,
        missing=contents.missing,
        frames=contents.frames,
        speeds=contents.speeds,
        measured=any(step.seconds is not None for g in contents.graphs for step in g.sequence.steps),
        files=sources.files(),
        counts=graph_view.line_counts(contents.graphs, sources),
        heaviest=_heaviest(graphs),
        moving=_moving(graphs),
        copies=COPIES,
        data=_json(data),
        style=_file("page.css"),
        script=_file("page.js"),
        libraries=[_file("cytoscape.min.js"), _file("cytoscape-dagre.min.js")],
        licenses=_file("LICENSES.txt"),
    )


def _versions() -> str:
    from ... import __version__

    processor = torch.backends.cpu.get_cpu_capability()
    return f"mlirind {__version__}, PyTorch {torch.__version__}, Python {platform.python_version()}, CPU code for {processor}"


@functools.cache
def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _json(data: Any) -> str:
    """JSON that may stand in a script element: it ends no element and opens no comment."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _positions(contents: PageContents) -> Iterator[SourcePosition]:
    for passes in [*(g.passes for g in contents.graphs), *(p.passes for p in contents.partitions)]:
        yield from _pass_positions(passes)
    for graph in contents.graphs:
        for step in graph.sequence.steps:
            yield from step.positions
    for partition in contents.partitions:
        yield from (saved.position for saved in partition.saved if saved.position)


def _pass_positions(passes: Sequence[PassRecord]) -> Iterator[SourcePosition]:
    for record in passes:
        for line in record.lines:
            yield from line.positions


def _graph(graph: GraphReport, number: int, sources: Sources, speeds: Mapping[str, MachineSpeed]) -> dict[str, Any]:
    """A graph as the template reads it."""
    steps = graph.sequence.steps
    live = graph.sequence.live_bytes
    known = [s.flops for s in steps if s.flops is not None]
    return {
        "name": graph.name,
        "number": number,
        "report": graph,
        "rows": graph_view.rows(graph, number, sources, speeds),
        "read": sum(a.bytes for s in steps for a in s.reads),
        "written": sum(a.bytes for s in steps for a in s.writes),
        "flops": sum(known),
        "uncounted": len(steps) - len(known),
        "seconds": sum(s.seconds for s in steps if s.seconds is not None),
        "live": live,
        "peak": max(live, default=0),
        "peak_step": live.index(max(live)) if live else 0,
        "input_bytes": sum(b.bytes for b in graph.sequence.buffers if b.kind in ("input", "donated")),
        "passes": graph_view.pass_rows(graph.passes),
        "compile_seconds": sum(p.seconds for p in graph.passes),
        "ir_id": f"ir-{number}",
        "ir": graph_view.ir_payload(graph.passes, graph.stages, sources),
    }


def _joint(report: PartitionReport, number: int, sources: Sources) -> dict[str, Any]:
    """A joint graph as the template reads it."""
    return {
        "name": f"joint graph {number}" if number else "joint graph",
        "report": report,
        "saved": [(s, sources.key(s.position) if s.position else "") for s in sorted(report.saved, key=lambda s: (s.is_input, -s.bytes))],
        "passes": graph_view.pass_rows(report.passes),
        "compile_seconds": sum(p.seconds for p in report.passes),
        "ir_id": f"ir-joint-{number}",
        "ir": graph_view.ir_payload(report.passes, report.stages, sources),
    }


def _moving(graphs: Sequence[dict[str, Any]]) -> list[tuple[str, graph_view.Row]]:
    """The steps that only move data, most bytes first."""
    found = [(g["name"], row) for g in graphs for row in g["rows"] if row.step.moves]
    return sorted(found, key=lambda f: -f[1].step.bytes)


def _heaviest(graphs: Sequence[dict[str, Any]]) -> list[tuple[str, graph_view.Row]]:
    """The steps with most time, or most bytes if nothing was measured, of all graphs."""
    found = [(g["name"], row) for g in graphs for row in g["rows"]]
    return sorted(found, key=lambda f: (-(f[1].step.seconds or 0), -f[1].step.bytes))[:HEAVIEST]
