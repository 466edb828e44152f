"""Compiles a program on a GPU that is none: fake tensors, and a driver that only notes what is loaded. `python cached_gpu_programs.py`
prints the counts of the cache, what was loaded, and which compilers were imported, as JSON."""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from typing import Any

import torch
from cached_programs import COMPILER
from mlirind.frontend.counters import counters
from mlirind.runtime.cuda.launching import driver
from noted_launches import NotedLaunches
from torch._subclasses.fake_tensor import FakeTensorMode


class NotedGpu(NotedLaunches):
    """The driver of an H200 that launches nothing."""

    def facts(self, device: int) -> list[Any]:
        return ["H200", 90, 132, 50 << 20, 13000]

    def target(self, device: int) -> Any:
        from mlirind.lowering.tt.gpu_target import DEFAULT

        return DEFAULT

    def symbol(self, name: str) -> int:
        """The address of a function, which is never called if it is one of PyTorch's operators."""
        return super().symbol(name if name in self.functions else "cuLaunchKernel")


def program(x, w):
    return torch.softmax(x @ w, -1).relu(), (x * 2).sum(0)


class Compiled(Exception):
    """Ends a call before the compiled function runs."""


def compile_program() -> dict[str, Any]:
    """Compiles the program; what came of it."""
    gpu = NotedGpu()
    driver.driver = lambda: gpu
    if "mlirind.runtime.build" in sys.modules:
        sys.modules["mlirind.runtime.build"].driver = driver.driver
    backend = importlib.import_module("mlirind.frontend.backend").mlirind

    def stops(graph_module, inputs):
        backend(graph_module, inputs, options={"cache": True, "verify_each": False, "fallback": False})

        def run(*inputs):
            raise Compiled

        return run

    with FakeTensorMode(), torch.no_grad():
        given = torch.empty(64, 128, device="cuda:0"), torch.empty(128, 32, device="cuda:0")
        with contextlib.suppress(Compiled):
            torch.compile(program, backend=stops, dynamic=False)(*given)
    return {"counts": dict(counters.cache), "loaded": gpu.loaded, "imported": sorted(set(COMPILER) & sys.modules.keys())}


if __name__ == "__main__":
    print(json.dumps(compile_program()))
