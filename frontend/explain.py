"""`mlirind.explain`: the kernels of a function's graphs, their calls of ATen, and the IR of each stage."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ..runtime.machine_speed import MachineSpeed
from ..runtime.report import GraphReport, collect_reports
from ..torch_internals.entries import can_compile, missing
from .backend import mlirind
from .joint.partition_report import PartitionReport, collect_partitions
from .report.dynamo_frames import Frame, collect_frames
from .report.page import PageContents, render
from .run_report import program_names
from .summary import NOTHING, NOTHING_AT_ALL, print_summary

PROFILED_CALLS = 6  # the shortest time of each step counts


@dataclass(frozen=True)
class Explanation:
    """One report for each compiled graph, forward and backward, and one for each joint graph; `stages` of each holds its IR. `missing`:
    private names that this PyTorch lacks, and what happens without them. `frames`: what Dynamo compiled. `speeds`: of each device, if
    steps were measured. `title`: the name of what was compiled. As text: each kernel and call of the reports, without the IR."""

    graphs: tuple[GraphReport, ...]
    partitions: tuple[PartitionReport, ...] = ()
    missing: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    speeds: Mapping[str, MachineSpeed] = field(default_factory=dict)
    title: str = "explanation"

    def __str__(self) -> str:
        parts = list(map(str, [*self.partitions, *self.graphs]))
        parts = parts or [NOTHING if can_compile() else NOTHING_AT_ALL]
        return "\n\n".join([*parts, *self.missing])

    @property
    def ir(self) -> str:
        """The IR of each joint graph, and of each stage of each graph."""
        joint = [f"// joint graph\n{text.strip()}" for report in self.partitions for text in report.stages.values()]
        graphs = [f"// {report.name}, {stage}\n{text.strip()}" for report in self.graphs for stage, text in report.stages.items()]
        return "\n\n".join([*joint, *graphs])

    @property
    def contents(self) -> PageContents:
        """What the summary and the page show."""
        return PageContents(self.title, self.graphs, self.partitions, self.missing, self.frames, self.speeds)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report as one HTML page that needs no network."""
        Path(path).write_text(render(self.contents), encoding="utf-8")


def explain(function: Callable[..., Any], *args: Any, profile: bool = False, **kwargs: Any) -> Explanation:
    """Compiles `function` (again, if it was compiled before), calls it once, prints a summary and returns the reports. As text, these show
    each kernel and call; `explanation.ir` is the IR, `explanation.save(path)` writes a page. `profile`: calls it several times, and
    measures each kernel and call."""
    with collect_partitions() as partitions, collect_reports(stages=True, times=profile) as reports, collect_frames() as frames:
        # A new backend for Dynamo: it reuses nothing that is already compiled.
        backend = functools.partial(_compile_with_written_names, reports=reports, partitions=partitions)
        compiled = torch.compile(function, backend=backend)
        for _ in range(PROFILED_CALLS if profile else 1):
            compiled(*args, **kwargs)
    graphs = tuple(report.with_times() if profile else report for report in reports)
    lacking, speeds = tuple(map(str, missing())), _speeds(graphs) if profile else {}
    explanation = Explanation(graphs, tuple(partitions), lacking, tuple(frames), speeds, _title(function))
    print_summary(explanation.contents)
    return explanation


def _speeds(graphs: Sequence[GraphReport]) -> dict[str, MachineSpeed]:
    """The speed of each device that the graphs use."""
    return {device: MachineSpeed.of(device) for device in sorted({step.device for graph in graphs for step in graph.sequence.steps})}


def _title(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def _compile_with_written_names(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], reports: list[GraphReport], partitions: list[PartitionReport]
) -> Callable[..., Any]:
    """The backend; the reports that it adds name inputs as the program does."""
    with program_names(graph_module, reports, partitions):
        return mlirind(graph_module, example_inputs)
