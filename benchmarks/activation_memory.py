"""Peak memory of a training step by `activation_memory_budget`: the most bytes that the step holds beyond those allocated before it.

    python benchmarks/activation_memory.py [--model gpt2] [--budgets 1.0 0.5 0.2] [--batch 8] [--length 128]

PyTorch's profiler records the allocations of its CPU allocator. Gradients are compared with those of budget 1.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from memory import peak_bytes
from mlirind.frontend.backend import mlirind
from mlirind.frontend.joint.partition_report import collect_partitions
from mlirind.tools import model_zoo
from mlirind.tools.model_check import model_step, relative_errors

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process


@dataclass(frozen=True)
class Measured:
    """The figures of one budget: bytes saved for the backward, peak bytes of a step, relative error of the gradients."""

    budget: float
    saved: int
    peak: int
    milliseconds: float
    error: float

    def line(self) -> str:
        """A row of the table."""
        return f"{self.budget:6.2f} {self.saved / 2**20:10.1f} {self.peak / 2**20:10.1f} {self.milliseconds:9.1f} {self.error:12.1e}"


HEADER = "budget  saved MiB   peak MiB   step ms  gradient error"


def measure(name: str, budgets: Sequence[float], batch: int, length: int) -> list[Measured]:
    """Measures each budget."""
    inputs = model_zoo.make_inputs(name, train=True, batch=batch, length=length)
    found: list[Measured] = []
    first: dict[str, torch.Tensor] = {}
    for budget in budgets:
        torch._dynamo.reset()
        module = model_zoo.build(name, train=True)
        call = torch.compile(module, backend=mlirind, dynamic=False, options={"activation_memory_budget": budget})
        with collect_partitions() as partitions:
            results = model_step(module, call, inputs, True)
        gradients = {k: v.clone() for k, v in results.items() if k.startswith("gradients.")}
        first = first or gradients
        del results
        module.zero_grad(set_to_none=True)
        peak = peak_bytes(lambda module=module, call=call: model_step(module, call, inputs, True))
        start = time.perf_counter()
        model_step(module, call, inputs, True)
        milliseconds = 1000 * (time.perf_counter() - start)
        error = max(relative_errors(first, gradients).values())
        found.append(Measured(budget, sum(p.bytes for p in partitions), peak, milliseconds, error))
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="gpt2", choices=model_zoo.MODELS)
    parser.add_argument("--budgets", nargs="+", type=float, default=[1.0, 0.5, 0.2])
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--length", type=int, default=128)
    arguments = parser.parse_args()
    print(f"{arguments.model}, batch {arguments.batch}, length {arguments.length}\n{HEADER}")
    for row in measure(arguments.model, arguments.budgets, arguments.batch, arguments.length):
        print(row.line())


if __name__ == "__main__":
    main()
