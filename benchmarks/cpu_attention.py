"""The forward of `flex_attention` on the CPU, by mlirind and by Inductor: python benchmarks/cpu_attention.py [--only NAME ...]

Each line is a call: the milliseconds of both, medians over rounds in which the backends alternate, and Inductor's time over mlirind's.
Times are the process's processor time, so that other processes disturb them less; with several threads they are elapsed time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

BACKENDS = ("mlirind", "inductor")
SHAPES = ((1024, 64), (4096, 64), (4096, 128))  # length, width
KINDS = ("causal", "window", "alibi", "documents")
HEADS, WINDOW, DOCUMENT = 8, 256, 300


@dataclass(frozen=True)
class Call:
    """A kind of attention of one shape, one batch of `HEADS` heads."""

    kind: str
    length: int
    width: int

    @property
    def name(self) -> str:
        """For tables and `--only`."""
        return f"{self.kind} {self.length} {self.width}"

    def program(self) -> tuple[Callable[..., torch.Tensor], Any]:
        """The function of query, key, value and block mask; the block mask."""
        slopes = torch.exp2(-torch.arange(1, HEADS + 1) * 8.0 / HEADS)
        documents = torch.arange(self.length) // DOCUMENT
        allow = {
            "window": lambda b, h, i, j: (i >= j) & (i - j <= WINDOW),
            "documents": lambda b, h, i, j: (documents[i] == documents[j]) & (i >= j),
        }.get(self.kind, lambda b, h, i, j: i >= j)
        modify = (lambda score, b, h, i, j: score - slopes[h] * (i - j)) if self.kind == "alibi" else None
        mask = create_block_mask(allow, None, None, self.length, self.length, device="cpu")
        return lambda q, k, v, mask: flex_attention(q, k, v, score_mod=modify, block_mask=mask), mask


def measure(call: Call, dtype: torch.dtype, rounds: int) -> dict[str, float]:
    """The milliseconds of each backend."""
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    torch.manual_seed(0)
    given = [torch.randn(1, HEADS, call.length, call.width, dtype=dtype) for _ in range(3)]
    runs: dict[str, Callable[[], Any]] = {}
    for backend in BACKENDS:
        torch._dynamo.reset()
        program, mask = call.program()
        compiled = torch.compile(program, backend=backend, dynamic=False, fullgraph=True)
        runs[backend] = lambda compiled=compiled, mask=mask: compiled(*given, mask)
        runs[backend]()
    times: dict[str, list[float]] = {backend: [] for backend in BACKENDS}
    for _ in range(rounds):
        for backend, run in runs.items():
            start = clock()
            run()
            times[backend].append(clock() - start)
    return {backend: statistics.median(found) * 1e3 for backend, found in times.items()}


def main() -> None:
    """Measures the calls, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="parts of the names of calls, such as 'causal 1024'")
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16", "float32"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    for call in [Call(kind, *shape) for shape in SHAPES for kind in KINDS]:
        if options.only and not any(part in call.name for part in options.only):
            continue
        with torch.no_grad():
            ours, other = measure(call, getattr(torch, options.dtype), options.rounds).values()
        print(f"{call.name:20} {ours:8.2f} {other:8.2f}: {other / ours:.2f}", flush=True)


if __name__ == "__main__":
    main()
