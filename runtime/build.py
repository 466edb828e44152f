"""From a module in `host` form to its callable: kernels to native code, the sequence to Python, the report to those who collect."""

from __future__ import annotations

import logging
from collections.abc import Collection

from torch_mlir import ir

from ..errors import UnsupportedGraph
from ..options import Options
from .cuda.capture_rules import recorded
from .cuda.driver import driver
from .cuda.kernels import cuda_kernels
from .jit import compile_module, cpu_text
from .kernel_functions import kernel_functions
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
    static: Collection[int] = (),
) -> Runner:
    """The callable of a module after `convert-to-host`; runs inside `compile_context()`. For the report: `stages`, the IR so far,
    and `copies`, what could not be written in place. `static`: the arguments that stay where they are from call to call."""
    addresses = compile_module(module, options)
    gpu = driver() if kernel_functions(module, "cuda") else None
    on_gpu = cuda_kernels(module, gpu, options) if gpu is not None else {}
    if stages:
        stages["cpu"] = cpu_text(module, options)
    if reports_wanted():
        record(GraphReport.of(module, name, stages, copies))
    if options.host == "native" and not on_gpu and runs_natively(module):
        try:
            return make_native_runner(module, addresses, options, name, static)
        except UnsupportedGraph as unsupported:
            log.debug("%s runs as a Python function: %s", name, unsupported)
    launchers = native_launchers(module, addresses) | {kernel: found.launch for kernel, found in on_gpu.items()}
    runner = make_runner(module, launchers, name, gpu)
    return recorded(runner, module, static, name) if options.cuda_graphs else runner
