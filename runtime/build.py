"""From a module in `host` form to its callable: compiles the kernels, writes the launch sequence, records the report."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection

from torch_mlir import ir

from ..dialects.host import ungroup
from ..errors import UnsupportedGraph
from ..options import COMPARE, Options
from ..passes.recording import Records, phase, record_passes
from ..passes.working_on import reasons_with_launches
from ..runner import Runner
from .artifacts.parts import GraphParts
from .cpu.jit import compile_module, cpu_text
from .cuda.capturing.capture_rules import static_buffers
from .cuda.capturing.policies import Policy
from .cuda.capturing.replay_rules import by_address
from .cuda.launching.driver import Device, driver
from .cuda.launching.kernels import cuda_kernels
from .host.described_callables import Repeat
from .host.native_bodies import NativeControlFlow
from .host.native_runner import Kernels, devices, make_native_runner, native_code_fits, runs_natively
from .host.python_runner import make_runner
from .kernel_comparison import KernelComparison
from .memory_traffic import StayingCopy
from .report import GraphReport, add_report
from .report_requests import reports_wanted, times_wanted

log = logging.getLogger(__name__)


def build_runner(
    module: ir.Module,
    options: Options,
    name: str = "graph",
    stages: dict[str, str] | None = None,
    copies: tuple[StayingCopy, ...] = (),
    static: Collection[int] = (),
    again: Repeat | None = None,
    made: GraphParts | None = None,
    passes: Records | None = None,
    watcher: KernelComparison | None = None,
) -> Runner:
    """The callable of a module after `convert-to-host`. Call it inside `compile_context()`.

    `stages` and `copies` are for the report: the IR so far, and the copies that could not be avoided. `static`: the arguments whose
    addresses never change; `again`: runs the graph with ATen, if that may be done twice; `made` takes the code,
    for the cache; `passes`: what each pass did so far, for the report; `watcher` compares the kernels with ATen.
    """
    if made is not None:
        made.native = None  # of an earlier attempt
    debug = [word for word in options.kernel_debug.split(",") if word and word != COMPARE]
    _ungroup_to_watch(module, bool(debug) or watcher is not None)
    with phase("native code of CPU kernels (LLVM)"), reasons_with_launches(module):
        addresses = compile_module(module, options, made.keeps if made is not None else None)
    gpu = _gpu(made) if any(device.startswith("cuda") for device in devices(module)) else None
    with phase("code of GPU kernels (Triton)") if gpu is not None else contextlib.nullcontext(), reasons_with_launches(module):
        on_gpu = cuda_kernels(module, gpu, options) if gpu is not None else {}
    kernels = Kernels(addresses, on_gpu, gpu)
    if stages:
        with record_passes(wanted=True):  # compiles the kernels once more: not a part of the compilation
            stages["cpu"] = cpu_text(module, options)
    is_for_native = options.host == "native" and runs_natively(module)
    if is_for_native and reports_wanted():
        NativeControlFlow(module)  # marks the calls that native code makes
    report = GraphReport.of(module, name, stages, copies) if reports_wanted() else None
    seconds = report.times if report is not None and times_wanted() else None
    by_python = not is_for_native or bool(debug) or seconds is not None or watcher is not None
    with phase("native code of the launch sequence (LLVM)"):
        native = None if by_python else _native_runner(module, kernels, options, name, static, again, made)
    runner = native or make_runner(module, kernels.launchers(module), name, gpu, debug, seconds, watcher)
    if watcher is not None:
        runner = watcher.around(runner)
    if report is not None:
        measured = seconds is not None and not debug and watcher is None  # alone for this Python runs the graph
        report = report if native or (measured and is_for_native and native_code_fits()) else report.run_by_python()
        add_report(report if passes is None else report.with_passes(passes))
    policy = _policy(module, options, static, name, native is not None) if seconds is None else None
    if made is not None:
        made.captures = policy
    return runner if policy is None else policy.around(runner, name)


def _gpu(made: GraphParts | None) -> Device:
    """The GPUs for which a graph is compiled."""
    return made.gpu if made is not None and made.gpu is not None else driver()


def _ungroup_to_watch(module: ir.Module, watched: bool) -> None:
    """Gives each kernel a launch of its own, if it is watched or timed."""
    if watched or (reports_wanted() and times_wanted()):
        ungroup(module)


def _policy(module: ir.Module, options: Options, static: Collection[int], name: str, is_native: bool) -> Policy | None:
    """Which calls are captured as CUDA graphs."""
    if options.cuda_graphs:
        return static_buffers(module, static, name)
    return by_address(module, static, name) if is_native and options.replay else None


def _native_runner(
    module: ir.Module,
    kernels: Kernels,
    options: Options,
    name: str,
    static: Collection[int],
    again: Repeat | None,
    made: GraphParts | None,
) -> Runner | None:
    """The graph as a native function; None if it can't be one."""
    try:
        return make_native_runner(module, kernels, options, name, static, again, made)
    except UnsupportedGraph as unsupported:
        log.debug("%s runs as a Python function: %s", name, unsupported)
        return None
