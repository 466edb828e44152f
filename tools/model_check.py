"""Compiles a model of the zoo and compares a step with eager's: outputs, loss, every gradient, buffers."""

from __future__ import annotations

import contextlib
import copy
import functools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from ..runtime.report import GraphReport, collect_reports
from ..torch_internals.dynamo import counters as dynamo_counters
from . import model_zoo
from .backends import find_backend

# The tolerance, as a fraction of the tensor's largest element. Gradients get more, because they are sums over all tokens of a batch.
TOLERANCES = {
    (torch.float32, "outputs"): 1e-4,
    (torch.float32, "gradients"): 1e-4,
    (torch.bfloat16, "outputs"): 3e-2,
    (torch.bfloat16, "gradients"): 8e-2,
    (torch.float16, "outputs"): 1e-2,
    (torch.float16, "gradients"): 3e-2,
}

Results = dict[str, torch.Tensor]


@dataclass
class Outcome:
    """The result of checking one model. `errors`: the largest relative error by group of tensors ("outputs", "gradients", ...)."""

    name: str
    dtype: torch.dtype
    errors: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    eager_ms: float = 0.0
    compiled_ms: float = 0.0
    device: str = "cpu"
    compile_s: float = 0.0
    reports: list[GraphReport] = field(default_factory=list)  # mlirind's, one a graph

    def line(self) -> str:
        """A line of text."""
        errors = ", ".join(f"{group} {error:.1e}" for group, error in self.errors.items())
        text = f"{self.name:10} {'FAIL' if self.failures else 'ok':4}  max error: {errors}"
        text += f"; eager {self.eager_ms:.1f} ms, compiled {self.compiled_ms:.1f} ms, compile {self.compile_s:.2f} s"
        if self.reports:
            text += f"; {self.contents()}"
        more = [f"... and {len(self.failures) - 3} more"] if len(self.failures) > 3 else []
        return "\n    ".join([text, *self.failures[:3], *more])

    def contents(self) -> str:
        """The number of kernels, the operators that are calls of ATen, and the graphs that are not compiled."""
        calls: Counter[str] = Counter()
        for call in (call for report in self.reports for call in report.calls):
            calls[call.target.removeprefix("aten.")] += call.count
        text = f"{sum(report.launches for report in self.reports)} kernels, ATen: "
        text += " ".join(f"{target} x{count}" for target, count in calls.most_common()) or "none"
        fallbacks = [report.fallback for report in self.reports if report.fallback]
        return text + "".join(f"; NOT COMPILED: {reason}" for reason in fallbacks)


def model_step(
    module: torch.nn.Module, call: Callable[..., Any], inputs: Results, train: bool, autocast: torch.dtype | None = None
) -> Results:
    """Runs `call` (the module, or its compiled form); returns its outputs and, of a training step, gradients and buffers. `autocast`: the
    dtype for `torch.autocast` around the forward."""
    device = next(iter(inputs.values())).device.type
    with torch.set_grad_enabled(train), torch.autocast(device, autocast, enabled=autocast is not None):
        outputs = call(**inputs)
    results = {f"outputs.{key}": value for key, value in outputs.items()}
    if not train:
        return results
    module.zero_grad(set_to_none=True)
    outputs.loss.backward()
    results |= {f"gradients.{name}": p.grad for name, p in module.named_parameters() if p.grad is not None}
    return results | {f"buffers.{name}": b.clone() for name, b in module.named_buffers()}


def median_ms(run: Callable[[], object], repeats: int) -> float:
    """Median milliseconds of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def compare(outcome: Outcome, want: Results, got: Results, exact: Results | None = None, note: str = "") -> None:
    """Adds the errors of `got` to the outcome, and a failure for each tensor beyond its tolerance.

    `exact`: eager's float32 results, for narrower types. A tensor beyond its tolerance passes if its error against `exact` is about that
    of eager's tensors in its group. The group's median error against `exact` must not exceed eager's by much.
    """
    if want.keys() != got.keys():
        outcome.failures.append(f"{note}results differ: {sorted(want.keys() ^ got.keys())}")
    eager, ours = (relative_errors(exact, widened(r, exact)) for r in (want, got)) if exact else ({}, {})
    for name, error in relative_errors(want, got).items():
        group = name.split(".")[0]
        outcome.errors[group] = max(outcome.errors.get(group, 0.0), error)
        limit = tolerance(outcome.dtype, group)
        noise = 2 * max((e for n, e in eager.items() if n.startswith(group)), default=0.0)
        if not error <= limit and not ours.get(name, error) <= noise:
            outcome.failures.append(f"{note}{name}: error {error:.1e}, allowed {limit:.0e}")
    for group in outcome.errors if exact else ():
        typical, allowed = (statistics.median(e for n, e in errors.items() if n.startswith(group)) for errors in (ours, eager))
        if not typical <= max(tolerance(outcome.dtype, group), 1.5 * allowed):
            outcome.failures.append(f"{note}{group}: typically {typical:.1e} from float32, eager {allowed:.1e}")


def tolerance(dtype: torch.dtype, group: str) -> float:
    """The tolerance for a tensor of a group."""
    return TOLERANCES[dtype, "gradients" if group == "gradients" else "outputs"]


def widened(results: Results, exact: Results) -> Results:
    """The results converted to the dtypes of `exact`."""
    return {name: value.to(exact[name].dtype) for name, value in results.items()}


def relative_errors(want: Results, got: Results) -> dict[str, float]:
    """The relative error of each tensor. The magnitude counts as at least 1/1000 of the group's largest: some gradients (the bias of
    attention keys) and batch-norm means are zero up to rounding."""
    groups: dict[str, float] = {}
    for name, tensor in want.items():
        group = name.split(".")[0]
        groups[group] = max(groups.get(group, 0.0), float(tensor.detach().abs().max()))
    floors = {group: 0.0 if group == "outputs" else 1e-3 * largest for group, largest in groups.items()}
    return {name: relative_error(want[name], got[name], floors[name.split(".")[0]]) for name in want if name in got}


def in_float32(module: torch.nn.Module, inputs: Results, train: bool) -> Results:
    """Eager's float32 results with the weights of `module`. They are needed because in bfloat16 a batch norm over few values amplifies one
    rounding error to tens of per cent, in eager too."""
    wide = copy.deepcopy(module).float()
    return model_step(wide, wide, {key: value.float() if value.is_floating_point() else value for key, value in inputs.items()}, train)


def mark_sizes(inputs: Results) -> Results:
    """Marks the batch size and the sequence length as dynamic."""
    for value in inputs.values():
        torch._dynamo.mark_dynamic(value, 0)
        if not value.is_floating_point():
            torch._dynamo.mark_dynamic(value, 1)
    return inputs


def check_other_sizes(
    outcome: Outcome, stored: torch.dtype, eager: Callable[[Results], Results], compiled: Callable[[Results], Results], train: bool
) -> None:
    """Checks that the compiled step runs on other sizes without recompiling, and agrees with eager on each."""
    before = dynamo_counters["stats"]["unique_graphs"]
    for batch, length in ((3, 48), (5, 96)):
        inputs = model_zoo.make_inputs(outcome.name, stored, train, batch, length, outcome.device)
        compare(outcome, eager(inputs), compiled(inputs), note=f"size {batch}x{length}: ")
    again = dynamo_counters["stats"]["unique_graphs"] - before
    if again:
        outcome.failures.append(f"{again} more graphs compiled for other sizes")


@contextlib.contextmanager
def cudnn_flags(**changed: bool) -> Iterator[None]:
    """The named flags of `torch.backends.cudnn` are changed, the others stay. PyTorch's test utilities forbid to set them without its
    context manager."""
    cudnn = torch.backends.cudnn
    kept = {name: getattr(cudnn, name) for name in ("enabled", "benchmark", "deterministic", "allow_tf32")}
    with cudnn.flags(**kept | changed, benchmark_limit=None):
        yield


@cudnn_flags(allow_tf32=False)  # TF32 would amplify differences in the last bit
def check_model(
    name: str,
    backend: str,
    train: bool = False,
    dynamic: bool = False,
    dtype: torch.dtype = torch.float32,
    repeats: int = 5,
    device: str = "cpu",
    mode: str | None = None,
    autocast: bool = False,
) -> Outcome:
    """Compiles model `name` with `backend`, compares one step with eager's, and times `repeats` more steps. `autocast`: weights and inputs
    are float32, and `dtype` is that of `torch.autocast`."""
    torch._dynamo.reset()
    outcome = Outcome(name, dtype, device=device)
    stored, cast = (torch.float32, dtype) if autocast else (dtype, None)
    inputs = model_zoo.make_inputs(name, stored, train, device=device)
    reference, module = (model_zoo.build(name, stored, train, device) for _ in range(2))
    exact = None if dtype == torch.float32 else in_float32(reference, inputs, train)
    call = torch.compile(module, backend=find_backend(backend), dynamic=None if dynamic else False, mode=mode)
    eager = functools.partial(model_step, reference, reference, train=train, autocast=cast)
    compiled = functools.partial(model_step, module, call, train=train, autocast=cast)
    want = eager(inputs)
    start = time.perf_counter()
    with collect_reports() as outcome.reports:
        got = compiled(mark_sizes(inputs) if dynamic else inputs)
    first = time.perf_counter() - start
    compare(outcome, want, got, exact)
    if dynamic:
        check_other_sizes(outcome, stored, eager, compiled, train)
    if repeats:
        outcome.eager_ms = median_ms(lambda: eager(inputs), repeats)
        outcome.compiled_ms = median_ms(lambda: compiled(inputs), repeats)
        if mode:  # these calls replay a capture, the first one did not
            compare(outcome, eager(inputs), compiled(inputs), exact, "again: ")
    outcome.compile_s = first - outcome.compiled_ms / 1000
    return outcome


def relative_error(want: torch.Tensor, got: torch.Tensor, floor: float = 0.0) -> float:
    """The largest difference, divided by the largest magnitude of `want` (at least `floor`); infinite if NaNs or infinities disagree."""
    if want.shape != got.shape or want.dtype != got.dtype:
        return float("inf")
    a, b = want.detach().double(), got.detach().double()
    finite = a.isfinite()
    if not torch.equal(finite, b.isfinite()) or not torch.equal(a[~finite].nan_to_num(), b[~finite].nan_to_num()):
        return float("inf")
    if not finite.any():
        return 0.0
    largest = max(float(a[finite].abs().max()), floor)
    worst = float((a - b)[finite].abs().max())
    return worst / largest if largest else (0.0 if worst == 0 else float("inf"))
