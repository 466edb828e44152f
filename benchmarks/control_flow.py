"""Times programs with `cond`, `while_loop`, `scan` and `map`, and layers of experts whose rows data choose: eager, Inductor and mlirind, in
alternating rounds of one process.

python benchmarks/control_flow.py [--filter TEXT ...] [--rounds N] [--threads N] [--seconds S] [--device cuda]

Each program has a row with the milliseconds of each backend, and mlirind's divided by the others'. "without" is the network with the branch
that the calls take in place of its `cond`. Eager runs Python's loops over the same functions. Each round takes the fastest call, and the
median of the rounds counts. On a GPU a call ends when the GPU has done it.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from mlirind.tools.backends import find_backend
from rounds import call_times

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

operators = torch.ops.higher_order
BACKENDS = ("eager", "inductor", "mlirind")
STEPS, LENGTH, ROWS = 1000, 512, 128  # of `while_loop`, `scan` and `map`
EXPERTS = 8


class Network(torch.nn.Module):
    """Six blocks of a layer norm, two linear layers and a sum, with `cond` after the third, or one of its branches."""

    def __init__(self, width: int, has_cond: bool) -> None:
        super().__init__()
        self.has_cond = has_cond
        torch.manual_seed(0)
        self.blocks = torch.nn.ModuleList(
            torch.nn.Sequential(
                torch.nn.LayerNorm(width), torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width)
            )
            for _ in range(6)
        )

    def forward(self, x: torch.Tensor, predicate: torch.Tensor) -> torch.Tensor:
        for number, block in enumerate(self.blocks):
            x = x + block(x)
            if number == 2 and self.has_cond:
                x = torch.cond(predicate, lambda x: x.sin() * 2, lambda x: x.cos(), (x,))
            elif number == 2:
                x = x.sin() * 2
        return x


class Experts(torch.nn.Module):
    """A layer of eight experts with gates, as in Mixtral: each row goes to the two with the largest scores."""

    def __init__(self, width: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.router = torch.nn.Linear(width, EXPERTS, bias=False)
        self.experts = torch.nn.ModuleList(
            torch.nn.ModuleList(torch.nn.Linear(a, b, bias=False) for a, b in ((width, 2 * width), (width, 2 * width), (2 * width, width)))
            for _ in range(EXPERTS)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights, chosen = torch.topk(self.router(x).softmax(-1), 2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for number, (gate, up, down) in enumerate(self.experts):
            row, place = torch.where(chosen == number)
            y = x[row]
            out = out.index_add(0, row, down(torch.nn.functional.silu(gate(y)) * up(y)) * weights[row, place, None])
        return out


def small_step(i: Any, a: torch.Tensor) -> tuple[Any, torch.Tensor]:
    return i + 1, (a * 0.99 + 0.1).sin()


def loop(a: torch.Tensor) -> torch.Tensor:
    return operators.while_loop(lambda i, a: i < STEPS, small_step, (torch.tensor(0), a), ())[1]


def eager_loop(a: torch.Tensor) -> torch.Tensor:
    i = torch.tensor(0)
    while i < STEPS:
        i, a = small_step(i, a)
    return a


def cell(h: torch.Tensor, x: torch.Tensor, wh: torch.Tensor, wx: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = torch.tanh(h @ wh + x @ wx)
    return h, h.clone()


def called(*values: Any, combine_fn: Callable[..., Any]) -> Any:
    """`scan` below PyTorch's wrapper takes such a partial function."""
    return combine_fn(*values)


def recurrent(h: torch.Tensor, xs: torch.Tensor, wh: torch.Tensor, wx: torch.Tensor) -> Any:
    return operators.scan(functools.partial(called, combine_fn=lambda h, x: cell(h, x, wh, wx)), [h], [xs], ())


def eager_recurrent(h: torch.Tensor, xs: torch.Tensor, wh: torch.Tensor, wx: torch.Tensor) -> Any:
    outputs = []
    for x in xs:
        h, output = cell(h, x, wh, wx)
        outputs.append(output)
    return h, torch.stack(outputs)


def by_row(row: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (row @ w).relu().sum(0)


@dataclass
class Program:
    """`eager`: what eager runs in place of `function`. `train`: a call is the forward and the backward."""

    function: Callable[..., Any]
    inputs: tuple[torch.Tensor, ...]
    eager: Callable[..., Any]
    train: bool = False


def programs(device: str) -> dict[str, Program]:
    """The programs by name, with what they read on the device."""
    made = programs_on_cpu()
    for program in made.values():
        program.inputs = tuple(value.to(device) for value in program.inputs)
        if isinstance(program.function, torch.nn.Module):
            program.function.to(device)
    return made


def programs_on_cpu() -> dict[str, Program]:
    made = {}
    for width, rows in ((64, 8), (256, 32)):
        for name, has_cond in (("cond", True), ("without", False)):
            network = Network(width, has_cond).eval()
            made[f"{name}, {rows} rows of {width}"] = Program(network, (torch.randn(rows, width), torch.tensor(True)), network)
    for rows, width in ((64, 64), (256, 256)):
        for train in (False, True):
            layer = Experts(width)
            name = f"experts, {rows} rows of {width}" + ", training" * train
            made[name] = Program(layer, (torch.randn(rows, width),), layer, train)
    cells = (torch.randn(4, 32), torch.randn(LENGTH, 4, 32), torch.randn(32, 32) / 6, torch.randn(32, 32) / 6)
    return made | {
        f"while_loop, {STEPS} steps of 64 elements": Program(loop, (torch.randn(8, 8),), eager_loop),
        f"scan, {LENGTH} steps of an RNN cell": Program(recurrent, cells, eager_recurrent),
        f"map, {ROWS} products": Program(
            lambda xs, w: operators.map_impl(lambda x, w: (by_row(x, w),), (xs,), (w,))[0],
            (torch.randn(ROWS, 8, 16), torch.randn(16, 16)),
            lambda xs, w: torch.stack([by_row(x, w) for x in xs]),
        ),
    }


def compiled(program: Program, backend: str) -> Callable[[], Any]:
    """A call of a program."""
    torch._dynamo.reset()
    function = program.eager if backend == "eager" else torch.compile(program.function, backend=find_backend(backend))
    with torch.set_grad_enabled(program.train):
        torch.testing.assert_close(function(*program.inputs), program.eager(*program.inputs), rtol=1e-3, atol=1e-4)
    call = functools.partial(trained, function, program.inputs) if program.train else functools.partial(function, *program.inputs)
    return functools.partial(finished, call) if program.inputs[0].is_cuda else call


def finished(call: Callable[[], Any]) -> None:
    """A call, and the wait for the GPU."""
    call()
    torch.cuda.synchronize()


def trained(function: Callable[..., Any], inputs: tuple[torch.Tensor, ...]) -> None:
    """A forward and a backward; gradients are summed up."""
    with torch.enable_grad():
        function(*inputs).sum().backward()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", action="append", help="only programs whose name contains this; may be repeated")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.15, help="of each backend's calls in a round")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(args.threads)
    torch._dynamo.config.capture_scalar_outputs = True  # Inductor refuses `scan` without it
    torch._dynamo.config.capture_dynamic_output_shape_ops = True  # sizes that data decide do not cut a graph
    chosen = {name: p for name, p in programs(args.device).items() if not args.filter or any(text in name for text in args.filter)}
    print(f"| milliseconds | {' | '.join(BACKENDS)} | mlirind / eager | mlirind / inductor |\n|{' --- |' * (len(BACKENDS) + 3)}")
    with torch.no_grad():
        calls = {(name, backend): compiled(program, backend) for name, program in chosen.items() for backend in BACKENDS}
        rounds = [{key: min(call_times(run, time.perf_counter, args.seconds)) for key, run in calls.items()} for _ in range(args.rounds)]
    for name in chosen:
        eager, inductor, ours = (1000 * statistics.median(r[name, backend] for r in rounds) for backend in BACKENDS)
        print(f"| {name} | {eager:.3f} | {inductor:.3f} | {ours:.3f} | {ours / eager:.2f} | {ours / inductor:.2f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
