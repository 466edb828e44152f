"""From a module in `host` form to its callable: kernels to native code, the sequence to Python, the report to those who collect."""

from __future__ import annotations

import logging

from torch_mlir import ir

from ..errors import UnsupportedGraph
from ..options import Options
from .jit import compile_module, cpu_text
from .memory_traffic import StayingCopy
from .native_runner import make_native_runner, runs_natively
from .python_runner import Runner, make_runner, native_launchers
from .report import GraphReport, record, reports_wanted

log = logging.getLogger(__name__)


def build_runner(
    module: ir.Module,
    options: Options,
    name: str = "graph",
    stages: dict[str, str] | None = None,
    copies: tuple[StayingCopy, ...] = (),
) -> Runner:
    """The callable of a module after `convert-to-host`; runs inside `compile_context()`. For the report: `stages`, the IR so far,
    and `copies`, what could not be written in place."""
    addresses = compile_module(module, options)
    if stages:
        stages["cpu"] = cpu_text(module, options)
    if reports_wanted():
        record(GraphReport.of(module, name, stages, copies))
    if options.host == "native" and runs_natively(module):
        try:
            return make_native_runner(module, addresses, options, name)
        except UnsupportedGraph as unsupported:
            log.debug("%s runs as a Python function: %s", name, unsupported)
    return make_runner(module, native_launchers(module, addresses), name)
