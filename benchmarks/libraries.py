"""Libraries ahead of time and compiled eager operators beside Inductor's, on the CPU: `python benchmarks/libraries.py [models|operators]`.

`models`: for each model and kind of batch the seconds to build a library from an exported program, in a new process, after
that of a program of one addition (processor seconds, those of Inductor's C++ compiler among them), and the milliseconds of a call through
PyTorch's runner, medians of rounds in which the libraries and eager alternate, one thread.
`operators`: the microseconds of a call of an operator on small tensors, in a process without libraries, in one where mlirind's run it, and
in one where Inductor's do; medians of rounds in which the processes alternate, after the calls that compile.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from clock import children_seconds
from fresh_caches import use_fresh_caches
from mlirind.tools.model_zoo import MODELS, build, make_inputs
from mlirind.torch_internals.eager_kernels import hold
from rounds import call_times
from torch.export import Dim

ROUNDS, SECONDS = 30, 0.08
HOLDERS = ("eager", "mlirind", "inductor")


def processor_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    return time.process_time() + children_seconds()


class Result(torch.nn.Module):
    """A model of transformers that takes tensors, by position, and returns one."""

    def __init__(self, model: torch.nn.Module, names: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """The first tensor of what the model returns."""
        outputs = self.model(**dict(zip(self.names, inputs, strict=True)))
        found: torch.Tensor = next(v for v in outputs.values() if isinstance(v, torch.Tensor))
        return found


def model_and_inputs(name: str) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """A model of the zoo, with the same weights in each process, and its inputs."""
    named = make_inputs(name, batch=2)
    return Result(build(name), tuple(named)).eval(), tuple(named.values())


class Sum(torch.nn.Module):
    """A program of one addition."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One more than `x`."""
        return x + 1


def build_worker(name: str, batch: str, backend: str, path: str) -> None:
    """Writes two libraries in this process, and prints the seconds of each: one of an addition, which imports the compiler, and the
    model's."""
    torch.set_num_threads(1)
    model, inputs = model_and_inputs(name)
    shapes = (tuple({0: Dim("batch", min=1, max=8)} for _ in inputs),) if batch == "dynamic" else None
    programs = [torch.export.export(Sum(), (torch.ones(8),)), torch.export.export(model, inputs, dynamic_shapes=shapes)]
    seconds = []
    for program in programs:
        start = processor_seconds()
        if backend == "mlirind":
            importlib.import_module("mlirind").aot_compile(program, package=path)
        else:
            torch._inductor.aoti_compile_and_package(program, package_path=path)
        seconds.append(processor_seconds() - start)
    print(json.dumps(seconds))


def measure_model(name: str, batch: str, folder: Path) -> None:
    """Prints the line of a model."""
    built, libraries = [], []
    for backend in HOLDERS[1:]:
        path = str(folder / f"{name}.{batch}.{backend}.pt2")
        command = [sys.executable, __file__, "--library", name, batch, backend, path]
        made = subprocess.run(command, capture_output=True, text=True, check=True)
        built.append(json.loads(made.stdout.splitlines()[-1]))
        libraries.append(torch._inductor.aoti_load_package(path))
    model, inputs = model_and_inputs(name)
    calls: list[Callable[[], Any]] = [lambda: model(*inputs), *((lambda run=run: run(*inputs)) for run in libraries)]
    with torch.no_grad():
        expected = calls[0]()
        errors = [float((run(*inputs) - expected).abs().max()) for run in libraries]
        times = alternating(calls)
    seconds = " | ".join(f"{first:.2f}, {made:.2f}" for first, made in built)
    calls_ms = " | ".join(f"{t * 1e3:.3f}" for t in times)
    ratios = f"{built[0][1] / built[1][1]:.3f} | {calls_ms} | {times[1] / times[2]:.2f}"
    print(f"{name}, {batch} batch | {seconds} | {ratios} | {', '.join(f'{error:.1e}' for error in errors)}", flush=True)


def alternating(calls: list[Callable[[], Any]]) -> list[float]:
    """The median seconds of each call over rounds in which they alternate; another one is the first in each round."""
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(ROUNDS):
        for number in range(len(calls)):
            chosen = (number + turn) % len(calls) if turn % 2 else (turn - number) % len(calls)
            times[chosen].append(statistics.median(call_times(calls[chosen], time.process_time, SECONDS)))
    return [statistics.median(found) for found in times]


def operator_calls() -> dict[str, tuple[Any, ...]]:
    """Calls of operators that the holder can run: the overload's name, and the arguments."""
    x, y, positive = torch.randn(32, 64), torch.randn(32, 64), torch.rand(32, 64) + 0.5
    index, square = torch.randint(0, 32, (32,)), torch.randn(64, 64)
    unary = ("sin", "cos", "exp", "tanh", "sigmoid", "erf", "floor", "ceil", "neg", "abs", "relu", "gelu", "silu", "hardswish", "sgn")
    rows = {f"{name}.default": (x,) for name in unary}
    rows |= {f"{name}.default": (positive,) for name in ("log", "log1p", "sqrt", "rsqrt", "reciprocal")}
    rows |= {f"{name}.default": (x, y) for name in ("maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "logaddexp", "mse_loss")}
    return rows | {
        "_softmax.default": (x, 1, False),
        "_log_softmax.default": (x, 1, False),
        "cumsum.default": (x, 1),
        "sum.default": (x,),
        "mean.default": (x,),
        "tril.default": (square,),
        "triu.default": (square,),
        "cat.default": ([x, y],),
        "index_select.default": (x, 0, index),
        "mm.default": (x, square),
        "bmm.default": (square[None], square[None]),
        "gather.default": (square, 1, torch.randint(0, 64, (64, 64))),
        "argmax.default": (x,),
    }


@contextlib.contextmanager
def held_by(holder: str) -> Iterator[None]:
    """The operators run by `holder` while the context is open."""
    names = [f"aten::{name.removesuffix('.default')}" for name in operator_calls()]
    if holder == "mlirind":
        import mlirind

        for name in names:
            mlirind.register_eager(name)
        yield
    elif holder == "inductor":
        library = torch.library.Library("aten", "IMPL")  # noqa: TOR901
        for name in names:
            hold(library, name.split("::")[1], "CPU")
        yield
    else:
        yield


def operator_worker(holder: str) -> None:
    """Prints the seconds of the first calls, then for each line that it reads the seconds of a call of each operator."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    calls = operator_calls()
    with held_by(holder), torch.no_grad():
        first = {}
        for name, args in calls.items():
            start = processor_seconds()
            operator(name)(*args)
            first[name] = processor_seconds() - start
        print(json.dumps(first), flush=True)
        for _ in sys.stdin:
            print(json.dumps({name: operator_time(name, args) for name, args in calls.items()}), flush=True)


def operator(name: str) -> torch._ops.OpOverload:
    """The operator of a name of `operator_calls`."""
    packet, overload = name.split(".")
    found: torch._ops.OpOverload = getattr(getattr(torch.ops.aten, packet), overload)
    return found


def operator_time(name: str, args: tuple[Any, ...], calls: int = 200) -> float:
    """The seconds of one of many calls."""
    function = operator(name)
    start = time.process_time()
    for _ in range(calls):
        function(*args)
    return (time.process_time() - start) / calls


def measure_operators() -> None:
    """Prints a line for each operator."""
    commands = [[sys.executable, __file__, "--worker", holder] for holder in HOLDERS]
    workers = [subprocess.Popen(c, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for c in commands]

    def answer(worker: subprocess.Popen[str]) -> dict[str, float]:
        assert worker.stdout
        found: dict[str, float] = json.loads(worker.stdout.readline())
        return found

    def ask(worker: subprocess.Popen[str]) -> dict[str, float]:
        assert worker.stdin
        worker.stdin.write("\n")
        worker.stdin.flush()
        return answer(worker)

    first = [answer(worker) for worker in workers]
    rounds = [[ask(worker) for worker in workers] for _ in range(ROUNDS)]
    print("operator | first call s: mlirind | inductor | a call us: eager | mlirind | inductor | mlirind / inductor | mlirind / eager")
    ratios = []
    for name in operator_calls():
        eager, ours, theirs = (statistics.median(r[n][name] for r in rounds) * 1e6 for n in range(3))
        ratios.append((ours / theirs, ours / eager))
        seconds = f"{first[1][name]:.2f} | {first[2][name]:.2f}"
        print(f"{name} | {seconds} | {eager:.2f} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} | {ours / eager:.2f}")
    means = " | ".join(f"{statistics.geometric_mean(column):.2f}" for column in zip(*ratios, strict=True))
    totals = " | ".join(f"{sum(f.values()):.1f}" for f in first[1:])
    print(f"{len(ratios)} operators: first calls {totals}; geometric means {means}")
    for worker in workers:
        worker.kill()


def main() -> None:
    """Measures libraries of models, compiled operators or both; or is a process that is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=["models", "operators"], help="leaves out the other")
    parser.add_argument("--models", nargs="*", default=["bert", "resnet"], choices=list(MODELS))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--library", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.library:
        build_worker(*given.library)
        return
    if given.worker:
        operator_worker(given.worker)
        return
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        use_fresh_caches(folder)
        if given.part != "operators":
            print("library | build of an addition, of the model, s: mlirind | inductor | ratio | a call ms:", end=" ")
            print("eager | mlirind | inductor | ratio | largest errors")
            for name, batch in itertools.product(given.models, ("static", "dynamic")):
                measure_model(name, batch, Path(folder))
        if given.part != "models":
            measure_operators()


if __name__ == "__main__":
    main()
