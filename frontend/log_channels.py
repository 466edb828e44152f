"""What PyTorch's logs and its structured trace show of each graph: `TORCH_LOGS="aten,loop,host,kernels,fusion,perf_hints"`, `TORCH_TRACE`.

A graph that comes from the cache on disk has no stages and shows nothing.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import Iterator

from ..runtime.report import GraphReport
from ..runtime.report_requests import Collector, collectors
from ..torch_internals.log_names import LOG_NAMES
from ..torch_internals.logs import is_on, named_logger, trace_artifact, trace_is_on
from .joint.partition_report import PartitionReport, partition_collectors

_LIBRARY = "library: "  # the prefix of reasons of calls that are meant to stay ATen calls

_loggers = {name: named_logger(name) for name in LOG_NAMES}


@contextlib.contextmanager
def logged() -> Iterator[None]:
    """Shows each graph that is compiled inside, in the thread that compiles it. Does nothing if all logs and the trace are off."""
    if not trace_is_on() and not any(map(is_on, _loggers.values())):
        yield
        return
    with _shown.lock:
        _shown.users += 1
        if _shown.users == 1:
            collectors.append(_shown.collector)
            partition_collectors.append(_shown.partitions)
    try:
        yield
    finally:
        with _shown.lock:
            _shown.users -= 1
            if _shown.users == 0:
                collectors.remove(_shown.collector)
                partition_collectors.remove(_shown.partitions)


class _Reports(list[GraphReport]):
    """Shows each report instead of keeping it."""

    def append(self, report: GraphReport) -> None:
        for name, text in _texts(report).items():
            _debug(name, report.name, text)
        if trace_is_on():
            _trace(report)


class _Partitions(list[PartitionReport]):
    """The same for joint graphs."""

    def append(self, report: PartitionReport) -> None:
        for text in report.stages.values():
            _debug("aten", "joint graph", text.strip())
            if trace_is_on():
                trace_artifact("mlirind_joint_aten", text)
        _debug("kernels", "joint graph", str(report))


class _Shown:
    """What `logged` adds to the collectors while at least one compilation uses it."""

    def __init__(self) -> None:
        self.lock, self.users = threading.Lock(), 0
        self.collector, self.partitions = Collector(_Reports(), stages=True, times=False), _Partitions()


_shown = _Shown()


def _debug(name: str, graph: str, text: str) -> None:
    logger = _loggers[name]
    if text and is_on(logger):
        logger.log(logging.DEBUG, "%s, %s:\n%s", graph, name, text)


def _texts(report: GraphReport) -> dict[str, str]:
    """What each log shows of a graph."""
    stages = {stage: text.strip() for stage, text in report.stages.items()}
    code = stages.pop("cpu", "")
    return stages | {
        "kernels": str(report) + (f"\n{code}" if code else ""),
        "fusion": "\n".join(fusion_lines(report)),
        "perf_hints": "\n".join(hint_lines(report)),
    }


def _trace(report: GraphReport) -> None:
    for stage, text in report.stages.items():
        trace_artifact(f"mlirind_{report.name}_{stage}", text)
    trace_artifact(f"mlirind_{report.name}_kernels", str(report))
    trace_artifact(f"mlirind_{report.name}_fusion", "\n".join(fusion_lines(report)))
    trace_artifact(f"mlirind_{report.name}_perf_hints", "\n".join(hint_lines(report)))
    passes = [{"pass": p.step, "seconds": p.seconds, "changed": bool(p.lines)} for p in report.passes]
    trace_artifact(f"mlirind_{report.name}_passes", json.dumps(passes), "json")


def fusion_lines(report: GraphReport) -> list[str]:
    """Which operators share a kernel, and for each kernel why it is not fused with earlier ones."""
    lines = []
    steps = report.sequence.steps
    for number, step in enumerate(steps):
        if step.kind == "kernel":
            lines.append(f"step {number}, kernel {step.name}: {', '.join(step.operators)}")
            lines += [f"  not fused with step {n}, {', '.join(steps[n].operators)}: {reason}" for n, reason in step.unfused]
    return lines


def hint_lines(report: GraphReport) -> list[str]:
    """What keeps a graph from running faster: that it runs uncompiled, operators without a kernel of their own, calls that Python makes,
    copies."""
    if report.fallback:
        return [f"runs uncompiled: {report.fallback}"]
    lines = []
    for call in report.calls:
        by_python = "; called by Python" if call.route == "Python" else ""
        if by_python or not call.reason.startswith(_LIBRARY):
            lines += [f"ATen runs {call.target} x{call.count}: {call.reason}{by_python}", *(f"  {line}" for line in call.lines)]
    for copy in report.copies:
        lines += [f"a copy of {copy.bytes} bytes stays, by {copy.target}: {copy.reason}", *(f"  {line}" for line in copy.lines)]
    return lines
