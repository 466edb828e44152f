"""What became of a function's graphs: the IR of each stage, the kernels, the calls of ATen."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._functorch import config

from ..runtime.report import GraphReport, collect_reports
from .backend import mlirind
from .partition_report import PartitionReport, collect_partitions


@dataclass(frozen=True)
class Explanation:
    """One report a compiled graph, forward ones and backward ones, and one a joint graph; each has its IR in `stages`."""

    graphs: tuple[GraphReport, ...]
    partitions: tuple[PartitionReport, ...] = ()

    def __str__(self) -> str:
        parts = [*map(_explain_partition, self.partitions), *map(_explain_graph, self.graphs)]
        return "\n\n".join(parts) or "nothing was compiled: Dynamo found no graph"


def _explain_graph(report: GraphReport) -> str:
    stages = [f"// {report.name}, {stage}\n{text.strip()}" for stage, text in report.stages.items()]
    return "\n\n".join([*stages, str(report)])


def _explain_partition(report: PartitionReport) -> str:
    stages = [f"// joint graph\n{text.strip()}" for text in report.stages.values()]
    return "\n\n".join([*stages, str(report)])


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """Compiles `function` (again, if it was compiled before), calls it once, prints what became of it and returns that."""
    # A backend that Dynamo has not seen: nothing that is compiled already is taken.
    compiled = torch.compile(function, backend=functools.partial(mlirind))
    with collect_partitions() as partitions, collect_reports(stages=True) as reports, config.patch(force_non_lazy_backward_lowering=True):
        compiled(*args, **kwargs)
    explanation = Explanation(tuple(reports), tuple(partitions))
    print(explanation)
    return explanation
