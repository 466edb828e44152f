"""From a module in `host` form to its callable: kernels to native code, the sequence to Python, the report to those who collect."""

from __future__ import annotations

from torch_mlir import ir

from ..options import Options
from .jit import compile_module, cpu_text
from .memory_traffic import StayingCopy
from .python_runner import Runner, make_runner, native_launchers
from .report import GraphReport, record, reports_wanted


def build_runner(
    module: ir.Module,
    options: Options,
    name: str = "graph",
    stages: dict[str, str] | None = None,
    copies: tuple[StayingCopy, ...] = (),
) -> Runner:
    """The callable of a module after `convert-to-host`; runs inside `compile_context()`. For the report: `stages`, the IR so far,
    and `copies`, what could not be written in place."""
    launchers = native_launchers(module, compile_module(module, options))
    runner = make_runner(module, launchers, name)
    if stages:
        stages["cpu"] = cpu_text(module, options)
    if reports_wanted():
        record(GraphReport.of(module, name, stages, copies))
    return runner
