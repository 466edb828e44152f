"""The cost of the parts of a call (the table in docs/host.md): microseconds on one thread, the minimum of many batches.

python benchmarks/host_parts.py
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import torch
from host_worker import empty_backend
from kernels import chain_64
from mlirind.frontend import compile as compile_module
from mlirind.tools.backends import find_backend

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

BATCHES, BATCH = 60, 100


def least(call: Callable[[], Any]) -> float:
    """Microseconds per call: the minimum, for other work on the machine only adds time."""
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(BATCH):
            call()
        times.append((time.perf_counter() - start) / BATCH)
    return 1e6 * min(times)


def runner_of(function: Callable[..., Any], *inputs: torch.Tensor) -> Callable[[list[Any]], Any]:
    """Compiles a function and returns the native function of its graph."""
    made: list[Callable[[list[Any]], Any]] = []
    build = compile_module.build_runner

    def keep(*args: Any) -> Any:
        made.append(build(*args))
        return made[-1]

    with mock.patch.object(compile_module, "build_runner", keep):
        torch._dynamo.reset()
        torch.compile(function, backend=find_backend("mlirind"), options={"fallback": False}, dynamic=False)(*inputs)
    return made[0]


def graph(function: Callable[..., Any], *inputs: torch.Tensor) -> float:
    """Microseconds per call of a graph's native function, without Dynamo, AOTAutograd and the creation of the input list."""
    runner = runner_of(function, *inputs)
    return least(lambda: runner(list(inputs))) - least(lambda: list(inputs))


def only_dynamo(_: torch.fx.GraphModule, inputs: Sequence[torch.Tensor]) -> Callable[..., Any]:
    """A backend without AOTAutograd whose graph does nothing."""
    result = (torch.empty_like(inputs[0]),)
    return lambda *_: result


def main() -> None:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    x, y = torch.randn(64), torch.randn(64)
    calls = {}
    for name, backend in (("dynamo", only_dynamo), ("empty", empty_backend), ("mlirind", find_backend("mlirind"))):
        torch._dynamo.reset()
        call = torch.compile(chain_64, backend=backend, dynamic=False)
        calls[name] = least(lambda call=call: call(x, y))
    whole, dynamo, empty = calls["mlirind"], calls["dynamo"], calls["empty"]
    print(f"a chain of 64 elements: {whole:.2f}; Dynamo alone: {dynamo:.2f}; with AOTAutograd, without a graph: {empty:.2f}")
    many = [torch.randn(1) for _ in range(22)]
    one, more = graph(torch.add, *many[:2]), graph(lambda *a: sum(a[1:], a[0]), *many)
    print(f"a graph of a kernel, a buffer, two inputs: {one:.2f}; a further input: {(more - one) / 20:.3f}")
    two = graph(lambda a: (a + 1, a.sum() + 1), x) - graph(lambda a: a + 1, x)
    print(f"a further kernel, its buffer, and one more result: {two:.2f}")
    for what, function, inputs in (
        ("by a C function (topk)", lambda a: torch.topk(a, 2).values, (x,)),
        ("by Python (exp of complex numbers)", torch.exp, (torch.complex(x, y),)),
    ):
        print(f"an operator {what}: {graph(function, *inputs):.2f}, in eager mode {least(lambda f=function, i=inputs: f(*i)):.2f}")


if __name__ == "__main__":
    main()
