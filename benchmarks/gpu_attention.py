"""`flex_attention` on a GPU, forward and backward, by mlirind and by Inductor: python benchmarks/gpu_attention.py [--only NAME ...]

Each line is a call: the milliseconds of both, medians by CUDA events over rounds in which the backends alternate, and Inductor's time over
mlirind's. The forward keeps what the backward needs. A time includes the host's, where this is longer than the kernels'.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

BACKENDS = ("mlirind", "inductor")
SHAPES = ((8, 1024, 64), (4, 4096, 64), (1, 16384, 64), (8, 1024, 128), (4, 4096, 128), (1, 16384, 128))  # batch, length, width
HEADS, WINDOW, DOCUMENT = 16, 256, 1000
DEVICE = "cuda"


@dataclass(frozen=True)
class Call:
    """A kind of attention of one shape."""

    kind: str
    batch: int
    length: int
    width: int

    @property
    def name(self) -> str:
        """For tables and `--only`."""
        return f"{self.kind} {self.batch}x{self.length} {self.width}"

    def inputs(self) -> list[torch.Tensor]:
        """Query, key, value, and the gradient of the output."""
        shape = (self.batch, HEADS, self.length, self.width)
        return [torch.randn(shape, device=DEVICE, dtype=torch.bfloat16).requires_grad_(n < 3) for n in range(4)]

    def program(self) -> tuple[Callable[..., torch.Tensor], Any]:
        """The function of query, key, value and block mask; the block mask."""
        slopes = torch.exp2(-torch.arange(1, HEADS + 1, device=DEVICE) * 8.0 / HEADS)
        documents = torch.arange(self.length, device=DEVICE) // DOCUMENT
        allow = {
            "window": lambda b, h, i, j: (i >= j) & (i - j <= WINDOW),
            "documents": lambda b, h, i, j: (documents[i] == documents[j]) & (i >= j),
        }.get(self.kind, lambda b, h, i, j: i >= j)
        modify = (lambda score, b, h, i, j: score - slopes[h] * (i - j)) if self.kind == "alibi" else None
        mask = create_block_mask(allow, None, None, self.length, self.length, device=DEVICE)
        return lambda q, k, v, mask: flex_attention(q, k, v, score_mod=modify, block_mask=mask), mask


KINDS = ("causal", "window", "alibi", "documents")
CALLS = [Call(kind, *shape) for shape in SHAPES for kind in KINDS]


Steps = Callable[[int], list[Callable[[], Any]]]


def steps(call: Call, backend: str) -> tuple[Steps, Steps]:
    """Functions that return a number of forwards, and of backwards, to be run. Each backward is that of a forward of its own."""
    torch._dynamo.reset()
    program, mask = call.program()
    compiled = torch.compile(program, backend=backend, dynamic=False, fullgraph=True)
    torch.manual_seed(0)
    *given, of_out = call.inputs()

    def forwards(count: int) -> list[Callable[[], Any]]:
        return [lambda: compiled(*given, mask)] * count

    def backwards(count: int) -> list[Callable[[], Any]]:
        outs = [compiled(*given, mask) for _ in range(count)]
        return [functools.partial(torch.autograd.grad, out, given, of_out) for out in outs]

    return forwards, backwards


def milliseconds(made: Steps, count: int) -> float:
    """The time of one of `count` calls in a row."""
    run = made(count)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for step in run:
        step()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / count


def measured(made: Sequence[tuple[Steps, Steps]], rounds: int) -> Iterator[tuple[str, list[float]]]:
    """For forward and backward the medians of the times of each of `made`, the backends' steps."""
    for number, direction in enumerate(("forward", "backward")):
        run = [pair[number] for pair in made]
        for step in run:
            milliseconds(step, 3)
        count = max(3, min(50, int(20 / max(milliseconds(run[-1], 3), 1e-3))))
        times = [[milliseconds(step, count) for step in run] for _ in range(rounds)]
        yield direction, [statistics.median(column) for column in zip(*times, strict=True)]


def main() -> None:
    """Prints a line for each call and direction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[""], help="calls whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, help="also writes the times here")
    given = parser.parse_args()
    found: dict[str, list[float]] = {}
    for call in CALLS:
        if not any(part in call.name for part in given.only):
            continue
        for direction, times in measured([steps(call, backend) for backend in BACKENDS], given.rounds):
            found[f"{call.name} {direction}"] = times
            print(f"{call.name:24} {direction:9} {times[0]:8.3f} {times[1]:8.3f}  {times[1] / times[0]:5.2f}", flush=True)
    if given.json:
        given.json.write_text(json.dumps({"backends": BACKENDS, "milliseconds": found}, indent=1))


if __name__ == "__main__":
    sys.exit(main())
