"""Small models in processes that lack a private name of PyTorch each: `python renamed_away.py [names]` prints a line an argument.

A process that has imported PyTorch and traced a model forks one for each name, so that these cost nothing there.
"""

import importlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch._dynamo  # noqa: F401
import torch._functorch.aot_autograd  # noqa: F401
import torch.nn.functional as F


def forward(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    hidden = F.layer_norm(x @ w, [8]).softmax(-1)
    return hidden, F.interpolate(hidden[None], scale_factor=2.0), hidden.t().argmax(0)


def _write(x: torch.Tensor) -> torch.Tensor:
    x.mul_(2)[0].zero_()
    return x.view(-1)


def loss(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.gelu(x @ w).square().sum()


def run_forward(function: Callable[..., Any], x: torch.Tensor, w: torch.Tensor) -> Sequence[torch.Tensor]:
    return function(x, w)


def run_step(function: Callable[..., Any], x: torch.Tensor, w: torch.Tensor) -> Sequence[torch.Tensor]:
    leaf = w.clone().requires_grad_()
    total = function(x, leaf)
    total.backward()
    return total.detach(), leaf.grad


def run_write(function: Callable[..., Any], x: torch.Tensor, w: torch.Tensor) -> Sequence[torch.Tensor]:
    own = x.clone()
    return function(own), own


MODELS = {
    "forward": (forward, run_forward, False),
    "dynamic": (forward, run_forward, True),
    "training": (loss, run_step, False),
    "writes": (_write, run_write, False),
}


def differences() -> list[str]:
    """The models that differ from eager."""
    found = []
    for name, (function, run, dynamic) in MODELS.items():
        torch.compiler.reset()
        compiled = torch.compile(function, backend="mlirind", dynamic=dynamic)
        for rows in (5, 7) if dynamic else (5, 5):
            inputs = torch.linspace(-1, 1, rows * 8).view(rows, 8), torch.linspace(-1, 1, 64).sin().view(8, 8)
            pairs = zip(run(compiled, *inputs), run(function, *inputs), strict=True)
            if not all(torch.allclose(a, b, atol=1e-5) and a.stride() == b.stride() for a, b in pairs):
                found.append(name)
    return found


def warm() -> None:
    """Imports what the boundary is not, and what PyTorch imports when it first compiles. Starts no thread, which a fork would lose: no
    backward, no parallel loops."""
    torch.set_num_threads(1)
    importlib.import_module("mlirind.tools.mlirind_opt")
    torch.compile(forward, backend="aot_eager", dynamic=True)(torch.ones(5, 8), torch.ones(8, 8))


def main(names: list[str]) -> None:
    warm()
    for name in names or registered():
        child = os.fork()
        if child == 0:
            print(name, without(name), sep=": ", flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(name, f"status {status}", sep=": ", flush=True)


def registered() -> list[str]:
    """The names of the entries, from a process of their own."""
    reads, writes = os.pipe()
    if os.fork() == 0:
        from mlirind.tools.boundary_table import every_entry

        with os.fdopen(writes, "w") as pipe:
            pipe.write("\n".join(entry.name for entry in every_entry()))
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        return pipe.read().split("\n")


def without(name: str) -> str:
    """ "as eager" in a process without the name; else what is wrong."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("mlirind").addHandler(handler)
    try:
        from mlirind.torch_internals import entries

        entries.hide(*name.split(","))
        found = differences()
        missing = [str(entry) for entry in entries.missing() if entry.name in name.split(",")]
        found += [f"the log says {said.count(text)} times: {text}" for text in missing if said.count(text) != 1]
    except Exception as error:
        found = [f"{type(error).__name__}: {error}".replace("\n", " ")[:300]]
    return ", ".join(found) or "as eager"


if __name__ == "__main__":
    main(sys.argv[1:])
