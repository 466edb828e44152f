"""`MLIRIND_REPORT` and the option `report`: one HTML page for everything that a process compiles, written when it ends."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from torch import fx

from ..runtime.report import GraphReport, collect_reports
from ..torch_internals.aot import config
from .input_names import by_argument, renamed_graph, renamed_partition, writing_lines, written_names
from .joint.partition_report import PartitionReport, collect_partitions

log = logging.getLogger(__name__)


@contextlib.contextmanager
def program_names(graph_module: fx.GraphModule, reports: list[GraphReport], partitions: list[PartitionReport]) -> Iterator[None]:
    """The reports that are added inside, by the compilation of this graph, name its inputs as the program does. A backward is compiled
    with its forward."""
    written, lines = written_names(graph_module), writing_lines(graph_module)  # before the compiler changes the graph
    first_report, first_partition = len(reports), len(partitions)
    with config.patch(force_non_lazy_backward_lowering=True):
        yield
    new = reports[first_report:]
    names, lines_by_name = by_argument(new, written), by_argument(new, lines)
    reports[first_report:] = [renamed_graph(report, names, lines_by_name) for report in new]
    partitions[first_partition:] = [renamed_partition(report, names) for report in partitions[first_partition:]]


class _RunReport:
    """Collects the reports of this process from now on, and writes the page at its end."""

    def __init__(self, folder: str) -> None:
        from .report.dynamo_frames import collect_frames

        self.folder = Path(folder)
        self.collectors = contextlib.ExitStack()
        self.reports = self.collectors.enter_context(collect_reports(stages=True))
        self.partitions = self.collectors.enter_context(collect_partitions())
        self.frames = self.collectors.enter_context(collect_frames())
        self.process = os.getpid()
        atexit.register(self.write)

    def write(self) -> None:
        """Writes the page; a child made by `fork` writes none."""
        from ..torch_internals.entries import missing
        from .report.page import PageContents, render

        self.collectors.close()
        if os.getpid() != self.process:
            return
        title = Path(sys.argv[0]).name or "python"
        contents = PageContents(title, self.reports, self.partitions, tuple(map(str, missing())), self.frames)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"report-{self.process}.html"
        path.write_text(render(contents), encoding="utf-8")
        print(f"mlirind: report of {len(self.reports)} graphs: {path}", file=sys.stderr)


_runs: dict[str, _RunReport] = {}
_lock = threading.Lock()


@contextlib.contextmanager
def reported(folder: str | None, graph_module: fx.GraphModule) -> Iterator[None]:
    """Inside, the compilation of a graph is reported on the page in `folder`, unless that is None or empty."""
    if not folder:
        yield
        return
    with _lock:
        if folder not in _runs:
            _runs[folder] = _RunReport(folder)
        run = _runs[folder]
    with program_names(graph_module, run.reports, run.partitions):
        yield
