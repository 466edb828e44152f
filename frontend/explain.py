"""`mlirind.explain`: the kernels of a function's graphs, their calls of ATen, and the IR of each stage."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ..runtime.report import GraphReport, collect_reports
from ..torch_internals.aot import config
from ..torch_internals.entries import can_compile, missing
from .backend import mlirind
from .input_names import names_by_argument, renamed_graph, renamed_partition, written_names
from .joint.partition_report import PartitionReport, collect_partitions
from .report.page import PageContents, render


@dataclass(frozen=True)
class Explanation:
    """One report for each compiled graph, forward and backward, and one for each joint graph; `stages` of each holds its IR. `missing`:
    private names that this PyTorch lacks, and what happens without them. `title`: the name of what was compiled. As text: the reports,
    without the IR."""

    graphs: tuple[GraphReport, ...]
    partitions: tuple[PartitionReport, ...] = ()
    missing: tuple[str, ...] = ()
    title: str = "explanation"

    def __str__(self) -> str:
        parts = list(map(str, [*self.partitions, *self.graphs]))
        if not parts:
            parts = ["nothing was compiled: Dynamo found no graph" if can_compile() else "nothing was compiled"]
        return "\n\n".join([*parts, *self.missing])

    @property
    def ir(self) -> str:
        """The IR of each joint graph, and of each stage of each graph."""
        joint = [f"// joint graph\n{text.strip()}" for report in self.partitions for text in report.stages.values()]
        graphs = [f"// {report.name}, {stage}\n{text.strip()}" for report in self.graphs for stage, text in report.stages.items()]
        return "\n\n".join([*joint, *graphs])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report as one HTML page that needs no network."""
        Path(path).write_text(render(PageContents(self.title, self.graphs, self.partitions, self.missing)), encoding="utf-8")


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """Compiles `function` (again, if it was compiled before), calls it once, prints the reports and returns them. `print(explanation.ir)`
    shows the IR."""
    with collect_partitions() as partitions, collect_reports(stages=True) as reports, config.patch(force_non_lazy_backward_lowering=True):
        # A new backend for Dynamo: it reuses nothing that is already compiled.
        backend = functools.partial(_compile_with_written_names, reports=reports, partitions=partitions)
        torch.compile(function, backend=backend)(*args, **kwargs)
    explanation = Explanation(tuple(reports), tuple(partitions), tuple(map(str, missing())), _title(function))
    print(explanation)
    return explanation


def _title(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def _compile_with_written_names(
    graph_module: fx.GraphModule, example_inputs: Sequence[Any], reports: list[GraphReport], partitions: list[PartitionReport]
) -> Callable[..., Any]:
    """The backend; the reports that it adds name inputs as the program does."""
    written = written_names(graph_module)  # before the compiler changes the graph
    first_report, first_partition = len(reports), len(partitions)
    compiled = mlirind(graph_module, example_inputs)
    names = names_by_argument(reports[first_report:], written)
    reports[first_report:] = [renamed_graph(report, names) for report in reports[first_report:]]
    partitions[first_partition:] = [renamed_partition(report, names) for report in partitions[first_partition:]]
    return compiled
