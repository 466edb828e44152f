"""How compile time grows with a graph: CPU seconds by step of the compiler, and the fitted exponent of each.

    python benchmarks/compile_scaling.py [--program mlp ...] [--sizes 100 200 400 800] [--rounds 1] [--above 0.05] [--profile]

Each size of a program runs in its own process. The process compiles a small program with both backends to warm up, then times the first
call of the program with `aot_eager` (`tracing`) and with `mlirind`. With several rounds the backends take turns, and each figure is the
median of the rounds. On a shared machine one round says little: the same call took 69 to 90 s of processor time. A step is a pass or
another part of the compiler (`PARTS`); the time of a step excludes steps inside it. `beyond tracing` is the first call with `mlirind` minus
`tracing`. `steps together` is the sum of all steps; it includes functorch's partition, which is part of `tracing` too. The exponent is the
least-squares slope of log(seconds) over log(size): 1 is linear.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import functools
import importlib
import json
import math
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from clock import Clock
from fresh_caches import use_fresh_caches
from mlirind.passes import registry
from mlirind.tools.backends import find_backend
from torch_mlir import ir

Call = Callable[[], object]

# The timed parts of the compiler that are not passes: module of `mlirind`, function in it, name of the step.
PARTS = (
    ("frontend.compile", "_expand_calls", "expand calls"),
    ("frontend.compile", "import_graph", "import"),
    ("frontend.compile", "size_guards", "size guards"),
    ("frontend.compile", "rerun_in_eager", "eager rerun"),
    ("frontend.joint.joint_partition", "import_graph", "joint: import"),
    ("frontend.joint.joint_partition", "export_graph", "joint: export"),
    ("frontend.joint.joint_partition", "partition", "joint: functorch's partition"),
    ("frontend.joint.joint_partition", "save_less", "joint: cheap values"),
    ("frontend.joint.joint_partition", "save_copies", "joint: saved results"),
    ("frontend.tracing", "partition_joint", "joint: the rest"),
    ("frontend.tracing", "compile_or_load", "compile: the rest"),
    ("frontend.patterns.pre_grad", "run_pre_grad", "pre-grad passes"),
    ("runtime.build", "compile_module", "kernels' code"),
    ("runtime.build", "make_native_runner", "native function: the rest"),
    ("runtime.host.native_runner", "linked", "native function: LLVM"),
    ("runtime.host.native_runner", "python_function", "native function: LLVM"),
    ("runtime.host.native_runner", "described_callables", "native function: callables"),
)


def _watch(clock: Clock, found: registry.Pass, module: ir.Module) -> None:
    """Runs a pass as a step."""
    with clock.part(found.name):
        found.run(module)


@contextlib.contextmanager
def timed_parts(clock: Clock) -> Iterator[None]:
    """Times passes and `PARTS` within the `with` block."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(registry.watched(functools.partial(_watch, clock)))
        for module_name, name, step in PARTS:
            module = importlib.import_module(f"mlirind.{module_name}")
            own = getattr(module, name)
            setattr(module, name, clock.timed(own, step))
            stack.callback(setattr, module, name, own)
        yield


# The programs: each returns, for a size, a function without arguments that compiles and calls it.


class Block(torch.nn.Module):
    """Layer norm, linear, GELU, linear, residual."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(width), torch.nn.Linear(width, 2 * width), torch.nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x + down(gelu(up(norm(x))))"""
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def mlp(size: int, backend: Any) -> Call:
    """A training step of `size` blocks."""
    network = torch.compile(torch.nn.Sequential(*[Block(16) for _ in range(size)]), backend=backend)
    x = torch.randn(8, 16)
    return lambda: network(x).sum().backward()


def mlp_inference(size: int, backend: Any) -> Call:
    """The forward of `size` blocks."""
    network = torch.compile(torch.nn.Sequential(*[Block(16) for _ in range(size)]), backend=backend)
    x = torch.randn(8, 16)

    def call() -> None:
        with torch.no_grad():
            network(x)

    return call


def pointwise(size: int, backend: Any) -> Call:
    """Pointwise operators; every tenth one is a result."""

    def program(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        results = []
        for n in range(size):
            x = torch.sin(x) if n % 3 == 0 else x * y if n % 3 == 1 else x + n
            if n % 10 == 9:
                results.append(x)
        return results

    compiled = torch.compile(program, backend=backend)
    return lambda: compiled(torch.ones(8, 16), torch.ones(8, 16))


def adamw(size: int, backend: Any) -> Call:
    """A step of AdamW over `size` parameters of four shapes."""
    parameters = [torch.nn.Parameter(torch.ones(4 + n % 4, 8)) for n in range(size)]
    for p in parameters:
        p.grad = torch.ones_like(p)
    optimizer = torch.optim.AdamW(parameters, lr=torch.tensor(1e-3), foreach=True, capturable=False)
    return torch.compile(lambda: optimizer.step(), backend=backend)


def writes(size: int, backend: Any) -> Call:
    """Writes to an input through views."""

    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        for n in range(size):
            row = x[n % 8]
            row.mul_(y[(n + 1) % 8])
            x.view(4, 32)[n % 4, n % 16 : n % 16 + 8].add_(1)
        return x.t().sum(0)

    compiled = torch.compile(program, backend=backend)
    return lambda: compiled(torch.ones(8, 16), torch.ones(8, 16))


PROGRAMS: dict[str, tuple[Callable[[int, Any], Call], tuple[int, ...]]] = {
    "mlp": (mlp, (100, 200, 400, 800)),
    "mlp_inference": (mlp_inference, (100, 200, 400, 800)),
    "pointwise": (pointwise, (625, 1250, 2500, 5000)),
    "adamw": (adamw, (75, 150, 300, 600)),
    "writes": (writes, (60, 125, 250, 500)),
}
SMALL = 3


def measure(program: str, size: int, rounds: int, profile: bool) -> dict[str, float]:
    """The seconds of each step, `tracing` and `beyond tracing`, measured in this process: medians of `rounds`."""
    make = PROGRAMS[program][0]
    own = find_backend("mlirind")
    torch.manual_seed(0)
    torch._dynamo.config.recompile_limit = torch._dynamo.config.cache_size_limit = 64
    for backend in ("aot_eager", own):
        make(SMALL, backend)()
        torch._dynamo.reset()
    found = [_round(make, size, own, profile) for _ in range(rounds)]
    medians = {step: statistics.median(one.get(step, 0.0) for one in found) for step in set().union(*found)}
    return medians | {"beyond tracing": medians["first call"] - medians["tracing"]}


def _round(make: Callable[[int, Any], Call], size: int, own: Any, profile: bool) -> dict[str, float]:
    """The seconds of one compilation with each backend."""
    clock = Clock()
    tracing = seconds(make(size, "aot_eager"))
    torch._dynamo.reset()
    call = make(size, own)
    profiler = cProfile.Profile() if profile else None
    with timed_parts(clock):
        if profiler:
            profiler.enable()
        total = seconds(call)
        if profiler:
            profiler.disable()
    torch._dynamo.reset()
    if profiler:
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(60)
    return {**clock.seconds, "steps together": sum(clock.seconds.values()), "tracing": tracing, "first call": total}


def seconds(call: Call) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log(times) over log(sizes), by least squares."""
    x, y = [math.log(s) for s in sizes], [math.log(max(t, 1e-6)) for t in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def table(program: str, sizes: Sequence[int], rows: Sequence[dict[str, float]], above: float) -> str:
    """A table of seconds and exponents: the steps that take at least `above` seconds at the largest size, slowest first."""
    largest = rows[-1]
    steps = sorted((s for s in largest if largest[s] >= above), key=lambda s: -largest[s])
    lines = [f"| {program} | {' | '.join(str(s) for s in sizes)} | exponent |", f"| --- |{' --- |' * (len(sizes) + 1)}"]
    for step in steps:
        times = [row.get(step, 0.0) for row in rows]
        slope = f"{exponent(sizes, times):.2f}" if len(sizes) > 1 else ""
        lines.append(f"| {step} | {' | '.join(f'{t:.2f}' for t in times)} | {slope} |")
    return "\n".join(lines)


def run(program: str, size: int, rounds: int, profile: bool) -> dict[str, float]:
    """Measures in a new process."""
    command = [sys.executable, __file__, "--worker", program, str(size), "--rounds", str(rounds), *(["--profile"] if profile else [])]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--sizes", nargs="+", type=int, help="layers, operators, parameters or writes")
    parser.add_argument("--rounds", type=int, default=1, help="compilations with each backend, in turns; figures are medians")
    parser.add_argument("--above", type=float, default=0.05, help="seconds of the largest size that a step needs to be listed")
    parser.add_argument("--profile", action="store_true", help="prints the Python functions of each process")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        use_fresh_caches(tempfile.mkdtemp())
        program, size = arguments.worker
        print(json.dumps(measure(program, int(size), arguments.rounds, arguments.profile)))
        return
    for program in arguments.program:
        sizes = arguments.sizes or PROGRAMS[program][1]
        rows = [run(program, size, arguments.rounds, arguments.profile) for size in sizes]
        print(table(program, sizes, rows, arguments.above), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
