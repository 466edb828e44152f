"""Ranges of torch.profiler around a graph that runs as a Python function, its steps and its kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...runner import Runner
from ...torch_internals.aot import mark_boxed
from ...torch_internals.modes import profiler_runs

# The prefix of a line that launches a kernel; the line ends in the kernel's name. The lines around a step: the first ends in the paths of
# its modules.
LAUNCH = "    status = "
STEP, END = "    # step of ", "    # end of step"


def with_ranges(plain: Runner, make: Callable[[], Runner], name: str) -> Runner:
    """The runner `plain` of a graph; while a profiler runs, the runner with ranges, which `make` gives, in a range of the graph's name."""
    profiled: list[Runner] = []

    def run(inputs: list[Any]) -> Sequence[Any]:
        if not profiler_runs():
            return plain(inputs)
        if not profiled:
            profiled.append(make())
        with torch.profiler.record_function(f"mlirind {name}"):
            return profiled[0](inputs)

    return mark_boxed(run)


def profiled_source(source: str) -> str:
    """The code with each launch in a range of the kernel's name, and each step in a range of the paths of its modules."""
    lines = []
    indent = ""
    for line in source.splitlines():
        if line.startswith(STEP):
            lines.append(f"    with _record({line.removeprefix(STEP)!r}):")
            indent = "    "
        elif line == END:
            indent = ""
        elif line.startswith(LAUNCH):
            kernel = line.rpartition("  # ")[2]
            lines += [f"{indent}    with _record({kernel!r}):", f"{indent}    {line}"]
        else:
            lines.append(indent + line)
    return "\n".join(lines)
