"""A worker process of host_overhead.py, for one backend and one case.

Requests on stdin: "round SECONDS" times calls; "calls N" makes N calls; "signals N" does too, and sends itself SIGUSR1 before and after.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from kernels import chain_64
from mlirind.tools.backends import find_backend
from mlirind.torch_internals.aot import aot_module_simplified
from unchecked import unchecked_backend

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

SYMBOLIC = "symbolic sizes"  # a case with this in its name is compiled with dynamic sizes
BATCH = 50  # calls between two readings of the clock


def empty_backend(graph_module: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """AOTAutograd with graphs that run only once, so that the cost of everything else remains. Later calls return the first outputs. A
    backward returns new tensors over the same memory, for autograd would copy tensors that it has seen before."""

    def compiler(graph: torch.fx.GraphModule, _: Sequence[Any], again: Callable[[list[Any]], list[Any]] = list) -> Callable[..., Any]:
        outputs: list[Any] = []

        def run(inputs: list[Any]) -> list[Any]:
            if not outputs:
                outputs.extend(graph(*inputs))
            inputs.clear()
            return again(outputs)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    return aot_module_simplified(
        graph_module,
        list(example_inputs),
        fw_compiler=compiler,
        bw_compiler=partial(compiler, again=_detached),
        keep_inference_input_mutations=True,
    )


def bare_backend(graph_module: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
    """Dynamo without AOTAutograd, a lower bound for every backend. All calls return the first results. If gradients are needed, an
    `autograd.Function` that saves nothing returns the first gradients."""
    outputs: list[Any] = []
    gradients: list[Any] = []

    class Bare(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> tuple[Any, ...]:
            return tuple(_detached(outputs))

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> tuple[Any, ...]:
            return tuple(_detached(gradients))

    def run(*inputs: Any) -> Sequence[Any]:
        if not outputs:
            results = graph_module(*inputs)
            gradients.extend(_gradients(results, inputs))
            outputs.extend(_detached(results))
        return Bare.apply(*inputs) if gradients else outputs

    return run


def _gradients(results: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """The gradients of the sum of the results, by input; empty if nothing needs a gradient."""
    weighed = [value.sum() for value in results if isinstance(value, torch.Tensor) and value.requires_grad]
    wanted = [n for n, value in enumerate(inputs) if isinstance(value, torch.Tensor) and value.requires_grad]
    if not weighed:
        return []
    found = dict(zip(wanted, torch.autograd.grad(sum(weighed), [inputs[n] for n in wanted], allow_unused=True), strict=True))
    return [found.get(n) for n in range(len(inputs))]


NO_BACKENDS = {"empty": empty_backend, "bare": bare_backend}
OWN_BACKENDS = {**NO_BACKENDS, "unchecked": unchecked_backend}


def _detached(values: list[Any]) -> list[Any]:
    return [value.detach() if isinstance(value, torch.Tensor) else value for value in values]


def mlp() -> tuple[Callable[..., Any], dict[str, torch.Tensor]]:
    """Two layers of width 64, on 8 rows."""
    module = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 64))
    return module, {"input": torch.randn(8, 64)}


def rows(count: int, width: int) -> tuple[Callable[..., Any], dict[str, torch.Tensor]]:
    """Picks `count` of 1,000 rows and computes two operators of them."""
    return (lambda x, at: x[at] * 2 + 1), {"x": torch.randn(1000, width), "at": torch.randint(1000, (count,))}


def elements(count: int) -> tuple[Callable[..., Any], dict[str, torch.Tensor]]:
    """Picks `count` of 1,000 elements, each by an index of its own."""
    return (lambda x, at: x.gather(0, at) * 2 + 1), {"x": torch.randn(1000), "at": torch.randint(1000, (count,))}


def gpt2(tokens: int) -> tuple[Callable[..., Any], dict[str, torch.Tensor]]:
    """Four layers of width 64."""
    import transformers

    config = transformers.GPT2Config(n_layer=4, n_head=4, n_embd=64, vocab_size=1000, use_cache=False)
    return transformers.GPT2LMHeadModel(config).eval(), {"input_ids": torch.arange(7, 7 + tokens)[None]}


CASES: dict[str, Callable[[], tuple[Callable[..., Any], dict[str, torch.Tensor]]]] = {
    "chain of 64 elements": lambda: (chain_64, {"x": torch.randn(64), "y": torch.randn(64)}),
    "MLP of width 64": mlp,
    "GPT-2, 4 layers, 1 token": lambda: gpt2(1),
    f"GPT-2, 4 layers, 4 tokens, {SYMBOLIC}": lambda: gpt2(4),
}

# Programs that read memory at indices from memory.
PICKS = {
    "1 row of 64": lambda: rows(1, 64),
    "256 rows of 64": lambda: rows(256, 64),
    "4096 elements by index": lambda: elements(4096),
}

SMALL_PROGRAMS = [name for name in CASES if SYMBOLIC not in name]


def compiled(function: Callable[..., Any], backend: str, dynamic: bool) -> Callable[..., Any]:
    if backend == "eager":
        return function
    if backend in OWN_BACKENDS:
        return torch.compile(function, backend=OWN_BACKENDS[backend], dynamic=dynamic)
    name, _, host = backend.partition("-")
    options = {"host": host} if host else None
    return torch.compile(function, backend=find_backend(name), options=options, dynamic=dynamic)


def microseconds(call: Callable[[], Any], seconds: float) -> float:
    """Microseconds per call: the median over batches."""
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(BATCH):
            call()
        times.append((time.perf_counter() - start) / BATCH)
    return 1e6 * statistics.median(times)


def main() -> None:
    warnings.filterwarnings("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    backend, case = sys.argv[1:]
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    function, keywords = {**CASES, **PICKS}[case]()
    fast = compiled(function, backend, SYMBOLIC in case)
    want, got = function(**keywords), fast(**keywords)
    torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-3)
    for _ in range(10):
        fast(**keywords)
    answers.write(json.dumps({"ready": os.getpid()}) + "\n")
    for line in sys.stdin:
        command, value = line.split()
        if command == "round":
            answers.write(json.dumps({"us": microseconds(lambda: fast(**keywords), float(value))}) + "\n")
            continue
        announce = command == "signals"
        if announce:
            os.kill(os.getpid(), signal.SIGUSR1)
        for _ in range(int(value)):
            fast(**keywords)
        if announce:
            os.kill(os.getpid(), signal.SIGUSR1)
        answers.write(json.dumps({"calls": int(value)}) + "\n")


if __name__ == "__main__":
    main()
