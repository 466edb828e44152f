"""Times single operators, eager and compiled, to find those that are slower when compiled.

python benchmarks/operators.py [--filter TEXT ...] [--threads N ...] [--rounds N] [--above RATIO]

Each operator has a row: for each number of threads, the milliseconds of eager and of mlirind, and mlirind's divided by eager's; then its
kernels and calls of ATen. Both run in one process and take turns. Each round takes its fastest call, and the median of the rounds counts.
With one thread that is the thread's CPU time, which other processes disturb less. Ratios above 1.2 are marked.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from mlirind.runtime.report import GraphReport, collect_reports
from mlirind.tools.backends import find_backend
from operator_cases import CASES
from rounds import call_times

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

MARKED = 1.2
ROUND_S = 0.02


def round_ms(run: Callable[[], Any], clock: Callable[[], float]) -> float:
    """Milliseconds of the fastest call within about `ROUND_S` seconds."""
    return 1000 * min(call_times(run, clock, ROUND_S))


def step(fn: Callable[..., Any], inputs: tuple[torch.Tensor, ...]) -> Any:
    """One call, with its backward if an input requires a gradient."""
    result = fn(*inputs)
    wanted = [t for t in inputs if t.requires_grad]
    return torch.autograd.grad(result, wanted, torch.ones_like(result)) if wanted else result


def parts(reports: list[GraphReport]) -> str:
    """The names of a case's kernels and calls of ATen."""
    kernels = [k.name for r in reports for k in r.kernels]
    return ", ".join([*kernels, *(f"ATen {c.target.split('.')[1]} ({c.reason})" for r in reports for c in r.calls)])


def time_case(name: str, threads: list[int], rounds: int) -> tuple[list[tuple[float, float]], str]:
    """Eager's and mlirind's milliseconds at each number of threads, and the compiled function's kernels and calls."""
    fn, make_inputs = CASES[name]
    torch.manual_seed(0)
    inputs = make_inputs()
    torch._dynamo.reset()
    call = torch.compile(fn, backend=find_backend("mlirind"), dynamic=False)
    with collect_reports() as reports:
        step(call, inputs)
    found = []
    for count in threads:
        torch.set_num_threads(count)
        clock = time.thread_time if count == 1 else time.perf_counter
        times = [(round_ms(lambda: step(fn, inputs), clock), round_ms(lambda: step(call, inputs), clock)) for _ in range(rounds)]
        found.append((statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)))
    return found, parts(reports)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", action="append", help="only cases whose name contains this; may be repeated")
    parser.add_argument("--threads", type=int, action="append", help="may be repeated; default: 1 and 2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--above", type=float, default=0.0, help="print only cases with a ratio above this")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    threads = args.threads or [1, 2]
    for name in CASES:
        if args.filter and not any(text in name for text in args.filter):
            continue
        times, made_of = time_case(name, threads, args.rounds)
        ratios = [compiled / eager for eager, compiled in times]
        if max(ratios) <= args.above:
            continue
        cells = [f"{e:8.3f} {c:8.3f} {c / e:5.2f}{'*' if c / e > MARKED else ' '}" for e, c in times]
        print(f"{name:34} {' | '.join(cells)}  {made_of}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
