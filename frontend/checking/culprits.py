"""Finds what makes a graph wrong: the first pass after which the graph, evaluated step by step, gives something else; the rewrite of that
pass; the kernel.

Before kernels exist, ATen evaluates the graph; kernels run in the reference evaluators until their code is the suspect.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch_mlir import ir

from ...dialects.aten import stage_of
from ...dialects.context import compile_context
from ...dialects.narrowing import text
from ...errors import WrongResult
from ...lowering.launch.convert_to_host import graph_function
from ...options import Options
from ...passes.driver import QUIET, run_passes
from ...passes.pipeline import HOST
from ...passes.rewrite_limit import Numbering, RewriteEvent, numbered
from ...passes.snapshots import Snapshot
from ...passes.value_names import text_with_names
from ...runner import Runner
from ...runtime.build import build_runner
from ...runtime.cpu.jit import compile_module
from ...runtime.host.native_runner import Kernels
from ...runtime.host.python_runner import make_runner
from ...runtime.kernel_comparison import KernelComparison
from ...runtime.launch_watcher import CompiledAndReference, LaunchWatcher, ReferenceLaunches
from ...runtime.reference.differences import wrong_value
from ...runtime.reference.evaluate_graph import evaluate_graph
from .outcomes import CallArguments, GraphOutcome, Wrong, wrong_outcome

log = logging.getLogger(__name__)

IMPORTED = "imported"
KERNEL_CODE = "convert-loop-to-cpu"
HOST_CODE = "convert-host-to-llvm"
_TO_KERNELS = ("convert-aten-to-loop", "convert-aten-to-proved-loop")
_BY_PYTHON = replace(QUIET, host="python", kernel_debug="", check="", rewrite_limit=None, cuda_graphs=False, replay=False)


@dataclass(frozen=True)
class Culprit:
    """What makes a result wrong. `step`: the pass, or "import". `before`: the module before it, as text; `wrong`: the difference after it.
    `rewrite`: what the pass did; None if the pass does not number what it does. `kernel`: with the operators that it computes and their
    lines."""

    step: str
    before: str
    wrong: Wrong
    rewrite: RewriteEvent | None = None
    kernel: str = ""

    def __str__(self) -> str:
        lines = [f"pass: `{self.step}`; the IR before it is right"] if self.step != "import" else ["the import of the graph is wrong"]
        lines += [f"rewrite: {self.rewrite}"] if self.rewrite else []
        lines += [self.kernel] if self.kernel else []
        return "\n".join(lines)


class Evaluation:
    """Evaluates states of a graph on the arguments of one call. `constants`: the graph's own tensors, its last arguments; `least`: passed
    to each `GraphOutcome`."""

    def __init__(self, arguments: CallArguments, constants: Sequence[torch.Tensor] = (), least: float = 0.0) -> None:
        self.arguments, self.constants, self.least = arguments, list(constants), least

    def of_text(self, text: str) -> GraphOutcome:
        """The outcome of a module as text."""
        with compile_context():
            return self.of_module(ir.Module.parse(text))

    def of_module(self, module: ir.Module) -> GraphOutcome:
        """The outcome of a module: operators by ATen, kernels in the reference evaluators."""
        function = graph_function(module)
        if stage_of(function) == "host":
            return self.of_runner(watched_runner(module, ReferenceLaunches(module)))
        return self.of_runner(lambda inputs: evaluate_graph(function, inputs))

    def of_runner(self, run: Callable[[list[Any]], Sequence[Any]]) -> GraphOutcome:
        """The outcome of a callable of the graph, without its constants as arguments."""
        return GraphOutcome.of(lambda inputs: run([*inputs, *self.constants]), self.arguments.fresh(), self.least)


def watched_runner(module: ir.Module, watcher: LaunchWatcher, options: Options = QUIET) -> Runner:
    """A launch sequence as a Python function whose kernels `watcher` sees, or runs."""
    names = [text(op.attributes["sym_name"]) for op in module.body.operations if op.operation.name == "loop.func"]
    if watcher.replaces:
        return make_runner(module, dict.fromkeys(names, lambda *_: 0), watcher=watcher)
    kernels = Kernels(compile_module(module, options), {}, None)
    return make_runner(module, kernels.launchers(module), watcher=watcher)


def find_culprit(
    snapshots: Sequence[Snapshot], evaluation: Evaluation, eager: GraphOutcome, found: Wrong, options: Options, unread: Sequence[int] = ()
) -> Culprit | None:
    """The culprit for an outcome that differs from eager's by `found`; None if every step is right by itself. The first of the snapshots
    is the imported graph."""
    before = snapshots[0]
    wanted = replace(evaluation.of_text(before.text), smallest=eager.smallest)
    wrong = wrong_outcome(eager, wanted, unread)
    if wrong is not None:
        return Culprit("import", before.text, wrong)
    for snapshot in snapshots[1:]:
        if snapshot.text == before.text:
            continue
        if snapshot.step == "plan-memory":
            break
        wrong = _wrong_after(snapshot, evaluation, wanted, unread)
        if wrong is not None:
            culprit = _in_step(before, snapshot, evaluation, wanted, wrong, unread)
            named = culprit.kernel or (culprit.rewrite is not None and culprit.rewrite.what)
            return culprit if named else replace(culprit, kernel=_kernel_unlike_aten(snapshots, snapshot.step, evaluation))
        before = snapshot
    return _in_code(before, snapshots[-1], evaluation, wanted, found, options, unread)


def _wrong_after(snapshot: Snapshot, evaluation: Evaluation, wanted: GraphOutcome, unread: Sequence[int]) -> Wrong | None:
    """The difference after a step; None too if this state can't be evaluated."""
    try:
        return wrong_outcome(wanted, evaluation.of_text(snapshot.text), unread)
    except Exception:
        log.debug("the graph after %s can't be evaluated", snapshot.step, exc_info=True)
        return None


def _in_step(
    before: Snapshot, after: Snapshot, evaluation: Evaluation, wanted: GraphOutcome, wrong: Wrong, unread: Sequence[int]
) -> Culprit:
    def is_wrong(module: ir.Module) -> bool:
        return wrong_outcome(wanted, evaluation.of_module(module), unread) is not None

    rewrite = wrong_rewrite(before.text, after.step, is_wrong)
    kernel = "" if rewrite is not None and rewrite.what else _differing_launch(before.text, after.text, evaluation)
    return Culprit(after.step, before.text, wrong, rewrite, kernel)


def wrong_rewrite(before: str, step: str, is_wrong: Callable[[ir.Module], bool]) -> RewriteEvent | None:
    """The rewrite with which a pass begins to be wrong, by bisection. None if the pass numbers nothing, or is right now."""

    def run(limit: int | None) -> tuple[bool, Numbering]:
        numbering = Numbering(limit)
        with compile_context(), numbered(numbering):
            module = ir.Module.parse(before)
            run_passes(module, [step], QUIET)
            with numbered(Numbering(None)):
                return is_wrong(module), numbering

    fails, whole = run(None)
    if not fails or whole.count == 0 or run(0)[0]:
        return None
    limits = range(1, whole.count)  # wrong with the last number
    return run(1 + bisect_left(limits, True, key=lambda limit: run(limit)[0]))[1].last


def _differing_launch(before: str, after: str, evaluation: Evaluation) -> str:
    """The first kernel that writes something else after a step on launch sequences; empty if there is none."""
    traces = []
    for state in (before, after):
        with compile_context():
            module = ir.Module.parse(state)
            if stage_of(graph_function(module)) != "host":
                return ""
            trace = ReferenceLaunches(module)
            evaluation.of_runner(watched_runner(module, trace))
            traces.append(trace)
    first, second = traces
    for step, written in first.written.items():
        other = second.written.get(step, [])
        if len(other) != len(written) or any(wrong_value(a, b, least=evaluation.least) for a, b in zip(written, other, strict=True)):
            return str(first.steps[step])
    return ""


def _kernel_unlike_aten(snapshots: Sequence[Snapshot], step: str, evaluation: Evaluation) -> str:
    """The first kernel after a step on kernels whose result is not ATen's; empty if there is none."""
    to_kernels = next((n for n, s in enumerate(snapshots) if s.step in _TO_KERNELS), None)
    if to_kernels is None or step not in (steps := [s.step for s in snapshots[to_kernels:]]):
        return ""
    with compile_context():
        module = ir.Module.parse(snapshots[to_kernels - 1].text)
        source = text_with_names(module)
        done = steps[: steps.index(step) + 1]
        run_passes(module, [*done, *[s for s in HOST[:2] if s not in done]], QUIET)
        comparison = KernelComparison(module, source, "graph")
        found = evaluation.of_runner(comparison.around(watched_runner(module, comparison)))
    return str(found.error) if isinstance(found.error, WrongResult) else ""


def _in_code(
    before: Snapshot, last: Snapshot, evaluation: Evaluation, wanted: GraphOutcome, found: Wrong, options: Options, unread: Sequence[int]
) -> Culprit | None:
    """The culprit among the plan of memory, the code of kernels and that of the launch sequence. `before`: the launch sequence without
    reuse of memory, which is right."""
    with compile_context():
        module = ir.Module.parse(before.text)
        if stage_of(graph_function(module)) != "host":
            return None
        both = CompiledAndReference(module, evaluation.least)
        wrong = wrong_outcome(wanted, evaluation.of_runner(watched_runner(module, both, options)), unread)
        if both.wrong is not None:
            step, problem = both.wrong
            return Culprit(KERNEL_CODE, before.text, Wrong("kernel", None, problem), kernel=str(step))
        if wrong is not None:
            return Culprit(KERNEL_CODE, before.text, wrong)
        if last.text == before.text:
            return Culprit(HOST_CODE, before.text, found)
        planned = ir.Module.parse(last.text)
        runner = build_runner(planned, _BY_PYTHON)
        if wrong_outcome(wanted, evaluation.of_runner(runner), unread) is None:
            return Culprit(HOST_CODE, last.text, found)

    def is_wrong(module: ir.Module) -> bool:
        return wrong_outcome(wanted, evaluation.of_runner(build_runner(module, _BY_PYTHON)), unread) is not None

    return Culprit(last.step, before.text, found, wrong_rewrite(before.text, last.step, is_wrong))
