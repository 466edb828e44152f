"""From a module in `host` form to its callable: kernels to native code, the sequence to Python, the report to those who collect."""

from __future__ import annotations

from torch_mlir import ir

from ..options import Options
from .jit import compile_module
from .python_runner import Runner, make_runner, native_launchers
from .report import GraphReport, record


def build_runner(module: ir.Module, options: Options, name: str = "graph") -> Runner:
    """The callable of a module after `convert-to-host`; runs inside `compile_context()`."""
    launchers = native_launchers(module, compile_module(module, options))
    runner = make_runner(module, launchers, name)
    record(GraphReport.of(module, name))
    return runner
