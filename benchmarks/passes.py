"""How many operators each graph pass removes and how long it takes: on the models, and on a graph of 2,000 operators.

python benchmarks/passes.py [--train] [--filter TEXT]

One table lists operators removed (negative: added), another CPU milliseconds; each has a line for every pass. The last table has, for each
model, the time of all graph passes, the time of mlirind beyond tracing (the first call minus that of aot_eager), and their ratio. Caches
start empty, but kernels of an earlier model are not compiled again: for the ratio, run one model at a time.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from fresh_caches import use_fresh_caches
from mlirind.dialects import aten_ops
from mlirind.frontend.compile import compile_graph
from mlirind.options import Options
from mlirind.passes import registry
from mlirind.passes.analysis.alias_analysis import functions_with_body
from mlirind.passes.pipeline import GRAPH, JOINT
from mlirind.tools import model_zoo
from mlirind.tools.backends import find_backend
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir

STEPS = list(dict.fromkeys([*JOINT, *GRAPH]))
LARGE = 2000


class Figures:
    """Operators removed and seconds by pass, summed over all graphs compiled while it watches."""

    def __init__(self) -> None:
        self.removed: dict[str, int] = defaultdict(int)
        self.seconds: dict[str, float] = defaultdict(float)
        self.operators = 0

    def watch(self, found: registry.Pass, module: ir.Module) -> None:
        before = count(module) if found.name in STEPS else 0
        self.operators = max(self.operators, before)
        start = time.process_time()
        found.run(module)
        if found.name in STEPS:
            self.seconds[found.name] += time.process_time() - start
            self.removed[found.name] += before - count(module)


def count(module: ir.Module) -> int:
    """The number of operator calls in a module."""
    return sum(aten_ops.is_operator(op) for f in functions_with_body(module) for op in f.regions[0].blocks[0].operations)


def first_call(name: str, train: bool, backend: Any) -> float:
    """Seconds to compile a model: its first call minus the second."""
    torch._dynamo.reset()
    module, inputs = model_zoo.build(name, train=train), model_zoo.make_inputs(name, train=train)
    compiled = torch.compile(module, backend=backend)

    def call() -> float:
        start = time.process_time()
        result = compiled(**inputs)
        if train:
            result.loss.backward()
        return time.process_time() - start

    return call() - call()


def of_model(name: str, train: bool) -> tuple[Figures, float]:
    """A model's figures, and its compile seconds beyond tracing."""
    figures = Figures()
    with registry.watched(figures.watch):
        seconds = first_call(name, train, find_backend("mlirind"))
    return figures, seconds - first_call(name, train, "aot_eager")


def large_program(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    """Arithmetic, views, copies, constants that fold, writes to slices."""
    for n in range(LARGE // 14):
        y = y + x.permute(1, 0).clone() * 1
        x = torch.relu(x.reshape(-1).view(8, 8) + y.mT) - torch.full_like(x, 2) * n
        x = torch.slice_scatter(x, y[:2], 0, n % 4, n % 4 + 2)
    return [x, y]


def of_large_graph() -> Figures:
    """The figures of a graph of about 2,000 operators; times are medians of five compilations."""
    graph = make_fx(large_program, tracing_mode="fake")(torch.ones(8, 8), torch.ones(8, 8))
    compile_graph(make_fx(lambda x: (x.relu(),), tracing_mode="fake")(torch.ones(2)), Options(stop_after="aten"))
    runs = [Figures() for _ in range(5)]
    for figures in runs:
        with registry.watched(figures.watch):
            compile_graph(graph, Options(stop_after="aten", fallback=False))
    for step in figures.seconds:
        figures.seconds[step] = statistics.median(run.seconds[step] for run in runs)
    return figures


def table(columns: dict[str, Figures], cell: Callable[[Figures, str], str], title: str) -> None:
    """Prints a table of one figure, with the given columns."""
    print(f"\n| {title} | {' | '.join(columns)} |\n| --- |{' --- |' * len(columns)}")
    for step in STEPS:
        print(f"| {step} | {' | '.join(cell(figures, step) for figures in columns.values())} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true", help="forward, loss and backward")
    parser.add_argument("--filter", default="", help="models whose names hold this")
    args = parser.parse_args()
    use_fresh_caches(tempfile.mkdtemp())
    names = [n for n in model_zoo.MODELS if args.filter in n]
    torch.compile(lambda x: torch.relu(x).sum(), backend=find_backend("mlirind"))(torch.ones(4))  # warm-up: imports
    measured = {name: of_model(name, args.train) for name in names}
    columns = {name: figures for name, (figures, _) in measured.items()} | {f"{LARGE} operators": of_large_graph()}
    table(columns, lambda f, step: str(f.removed[step]), "operators removed")
    print(f"| of | {' | '.join(str(f.operators) for f in columns.values())} |")
    table(columns, lambda f, step: f"{f.seconds[step] * 1e3:.1f}", "milliseconds")
    totals = [sum(f.seconds.values()) for f in columns.values()]
    print(f"| all | {' | '.join(f'{t * 1e3:.1f}' for t in totals)} |")
    beyond = [seconds for _, seconds in measured.values()]
    print(f"| compilation | {' | '.join(f'{b * 1e3:.0f}' for b in beyond)} | |")
    print(f"| graph passes | {' | '.join(f'{t / b:.1%}' for t, b in zip(totals, beyond, strict=False))} | |")


if __name__ == "__main__":
    main()
