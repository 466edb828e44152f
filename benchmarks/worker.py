"""A worker process of run.py, for one backend and one case: compiles the case, then times a round for each line on stdin."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from kernels import KERNELS
from mlirind.tools import model_zoo
from mlirind.tools.backends import find_backend
from rounds import call_times

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

Step = Callable[[Callable[..., Any]], Any]


def prepare(kind: str, name: str) -> tuple[Callable[..., Any], Step]:
    """The function or module to compile, and a function that calls it (or its compiled form) once. `kind`: "kernel", "forward" or
    "train"."""
    if kind == "kernel":
        torch.manual_seed(0)
        fn, make_inputs = KERNELS[name]
        inputs = make_inputs()
        return fn, lambda call: call(*inputs)
    train = kind == "train"
    module = model_zoo.build(name, train=train)
    keywords = model_zoo.make_inputs(name, train=train)
    return module, lambda call: _model_step(module, call, keywords, train)


def _model_step(module: torch.nn.Module, call: Callable[..., Any], keywords: dict[str, torch.Tensor], train: bool) -> torch.Tensor:
    if not train:
        return call(**keywords).logits
    module.zero_grad(set_to_none=True)
    loss = call(**keywords).loss
    loss.backward()
    return loss.detach()


def compiled(fn: Callable[..., Any], backend: str) -> Callable[..., Any]:
    return fn if backend == "eager" else torch.compile(fn, backend=find_backend(backend), dynamic=False)


def warm_up(backend: str, train: bool) -> float:
    """Compiles a tiny function, so that imports don't count for the case; returns the seconds."""
    start = time.perf_counter()
    x = torch.ones(4, requires_grad=train)
    y = compiled(lambda x: x.sin() + 1, backend)(x)
    if train:
        y.sum().backward()
    torch._dynamo.reset()
    return time.perf_counter() - start


def relative_error(want: torch.Tensor, got: torch.Tensor) -> float:
    return float((want.double() - got.double()).abs().max() / want.double().abs().max())


def time_round(run: Callable[[], Any], seconds: float) -> float:
    """Median milliseconds per call, over about `seconds` seconds."""
    return 1000 * statistics.median(call_times(run, time.perf_counter, seconds))


def main() -> None:
    warnings.filterwarnings("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    backend, kind, name, threads, seconds = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.set_grad_enabled(kind == "train")
    start_s = warm_up(backend, kind == "train")
    fn, step = prepare(kind, name)
    want = step(fn)
    call = compiled(fn, backend)
    start = time.perf_counter()
    got = step(call)
    first_s = time.perf_counter() - start
    answers.write(json.dumps({"start_s": start_s, "first_s": first_s, "error": relative_error(want, got)}) + "\n")
    for _ in range(3):
        step(call)
    for _ in sys.stdin:
        answers.write(json.dumps({"ms": time_round(lambda: step(call), float(seconds))}) + "\n")


if __name__ == "__main__":
    main()
