"""Times CPU kernels with other values of a tuning constant than the one in `mlirind/tuning/cpu.py`.

python benchmarks/tuning.py [--only FIELD ...] [--rounds N] [--report FILE.md]

A row for each constant: a program whose kernel depends on it, and its time with each value, on one thread, as a share of the time with the
value in use. The programs with different values take turns; the fastest call of all rounds counts. Times are the thread's CPU time. Tensors
fit the L2 cache, so that other processes disturb little.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from mlirind.tools.backends import find_backend
from mlirind.tuning.cpu import TUNING
from rounds import call_times

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

ROUND_S = 0.03


@dataclasses.dataclass(frozen=True)
class Sweep:
    """A constant, the other values to try, and the program (with its description) that shows the effect."""

    field: str
    others: Sequence[int]
    program: str
    function: Callable[..., Any]
    inputs: Callable[[], tuple[torch.Tensor, ...]]


def randn(*sizes: Sequence[int]) -> Callable[[], tuple[torch.Tensor, ...]]:
    """Makes inputs of these sizes."""
    return lambda: tuple(torch.randn(size) for size in sizes)


def _reflect(x: torch.Tensor) -> torch.Tensor:
    return F.pad(x, (3, 3, 3, 3), "reflect")


SWEEPS = [
    Sweep("chunk_points", (64, 16384), "sums of 20000 rows of 16", lambda x: x.sum(-1), randn((20000, 16))),
    Sweep("block_points", (256, 65536), "2 x + y, 2^16 elements", lambda x, y: 2 * x + y, randn((1 << 16,), (1 << 16,))),
    Sweep("tile_side", (16, 256), "x + y.T, 512 x 512", lambda x, y: x + y.t(), randn((512, 512), (512, 512))),
    Sweep("square_nodes", (0, 256), "x + y.T, 512 x 512", lambda x, y: x + y.t(), randn((512, 512), (512, 512))),
    Sweep("shuffled_step", (1, 4, 16), "x[..., ::8] + 1, 64 x 4096", lambda x: x[..., ::8] + 1, randn((64, 4096))),
    Sweep("short_step", (1, 8), "sums of 20000 rows of 3", lambda x: x.sum(-1), randn((20000, 3))),
    Sweep("row_buffer_bytes", (0, 1 << 12, 1 << 18), "softmax, 64 x 2048", lambda x: x.softmax(-1), randn((64, 2048))),
    Sweep("split_chunks", (8, 256), "sum over dim 0, 1024 x 1024", lambda x: x.sum(0), randn((1024, 1024))),
    Sweep("split_bytes", (0, 1 << 14, 1 << 20), "sum over dim 0, 4096 x 256", lambda x: x.sum(0), randn((4096, 256))),
    Sweep("unrolled_points", (1, 9, 17), "max over rows of 4, 20000 rows", lambda x: x.amax(-1), randn((20000, 4))),
    Sweep("pieces", (1, 12), "reflection pad, 16 x 56 x 56", _reflect, randn((16, 56, 56))),
    Sweep("piece_nodes", (0, 400), "reflection pad, 16 x 56 x 56", _reflect, randn((16, 56, 56))),
    Sweep("optimized_row", (0, 256), "cat, 5000 rows", lambda *x: torch.cat(x, -1), randn((5000, 5), (5000, 7), (5000, 4))),
    Sweep("small_product", (0, 1 << 21), "relu(x @ y), 48 x 48", lambda x, y: (x @ y).relu(), randn((48, 48), (48, 48))),
    Sweep("small_product", (0, 1 << 21), "relu(x @ y), 96 x 96", lambda x, y: (x @ y).relu(), randn((96, 96), (96, 96))),
    Sweep("small_vector_product", (0, 1 << 23), "relu(x @ y), 1 x 448", lambda x, y: (x @ y).relu(), randn((1, 448), (448, 448))),
]  # fmt: skip


def compiled(sweep: Sweep, value: int, inputs: tuple[torch.Tensor, ...]) -> Any:
    """The program, compiled with this value of the constant."""
    kept = getattr(TUNING, sweep.field)
    object.__setattr__(TUNING, sweep.field, value)
    try:
        gc.collect()  # code that is still alive would be used again
        torch._dynamo.reset()
        call = torch.compile(lambda *args: sweep.function(*args), backend=find_backend("mlirind"), dynamic=False)
        call(*inputs)
        return call
    finally:
        object.__setattr__(TUNING, sweep.field, kept)


def round_us(run: Callable[[], Any]) -> float:
    """Microseconds of the fastest call within about `ROUND_S` seconds."""
    return 1e6 * min(call_times(run, time.thread_time, ROUND_S))


def times_of(sweep: Sweep, rounds: int) -> dict[int, float]:
    """For each value the fastest call, in microseconds."""
    inputs = sweep.inputs()
    values = sorted({getattr(TUNING, sweep.field), *sweep.others})
    found: dict[int, list[float]] = {value: [] for value in values}
    for _ in range(rounds):
        for value in values:
            call = compiled(sweep, value, inputs)
            found[value].append(round_us(lambda call=call: call(*inputs)))
            del call
    return {value: min(times) for value, times in found.items()}


def row(sweep: Sweep, times: dict[int, float]) -> str:
    """A line of the table."""
    used = getattr(TUNING, sweep.field)
    cells = [f"**{value}: 1.00**" if value == used else f"{value}: {time / times[used]:.2f}" for value, time in times.items()]
    return f"| `{sweep.field}` | {sweep.program} | {times[used]:.0f} | {', '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=sorted({s.field for s in SWEEPS}))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--report", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    lines = ["| constant | program | us with the value in use | value: time, as a share of that |", "|---|---|---|---|"]
    for sweep in SWEEPS:
        if args.only is None or sweep.field in args.only:
            lines.append(row(sweep, times_of(sweep, args.rounds)))
            print(lines[-1], flush=True)
    if args.report:
        args.report.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
