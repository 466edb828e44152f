"""Linear layers with float8 weights and rotary embeddings with complex numbers on a GPU, by eager, Inductor and mlirind.

python benchmarks/gpu_programs.py

Each line is a program: the milliseconds of the three, medians by CUDA events over rounds in which the backends take turns, and mlirind's
time over Inductor's.
"""

from __future__ import annotations

import functools
import os
import statistics
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from gpu_attention import milliseconds

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

BACKENDS = ("eager", "inductor", "mlirind")
DEVICE, ROUNDS = "cuda", 15
BATCH, LENGTH, WIDTH, HEADS, LAYERS = 4, 1024, 1024, 16, 4


def float8_linear(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """A linear layer whose weight is stored as float8, with one scale a row."""
    return F.linear(x, weight.to(torch.bfloat16) * scale)


class Layer(torch.nn.Module):
    """A layer of Llama's kind; its rotary embedding multiplies complex numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.inputs, self.output = torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False), torch.nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH, bias=False), torch.nn.Linear(4 * WIDTH, WIDTH, bias=False)
        self.norm = torch.nn.RMSNorm(WIDTH)

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """`x`: batch x length x width. `angles`: length x half the width of a head, complex."""
        query, key, value = self.inputs(self.norm(x)).view(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS).unbind(2)
        heads = (rotated(query, angles), rotated(key, angles), value)
        attended = F.scaled_dot_product_attention(*(h.transpose(1, 2) for h in heads), is_causal=True)
        x = x + self.output(attended.transpose(1, 2).reshape(x.shape))
        result: torch.Tensor = x + self.down(F.silu(self.up(self.norm(x))))
        return result


def rotated(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Neighbouring elements as complex numbers, times those of `angles`."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * angles[None, :, None]).flatten(3).type_as(x)


class Network(torch.nn.Module):
    """Such layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """See `Layer`."""
        for layer in self.layers:
            x = layer(x, angles)
        return x


def compiled(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The function as each backend runs it."""
    made = [function]
    for backend in BACKENDS[1:]:
        torch._dynamo.reset()
        made.append(torch.compile(function, backend=backend, dynamic=False))
    return made


def measure(name: str, calls: list[Callable[[], Any]], count: int) -> None:
    """Prints the line of a program; `calls`: a call by each backend, `count`: how many are timed in a row."""
    for call in calls:
        milliseconds(lambda n, call=call: [call] * n, 5)
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(ROUNDS):
        for number in range(len(calls)) if turn % 2 else reversed(range(len(calls))):
            times[number].append(milliseconds(lambda n, call=calls[number]: [call] * n, count))
    eager, inductor, mlirind = (statistics.median(column) for column in times)
    print(f"{name:36} {eager:8.4f} {inductor:8.4f} {mlirind:8.4f}  {mlirind / inductor:5.2f}", flush=True)


def main() -> None:
    """Measures all of them."""
    torch.manual_seed(0)
    for rows in (1, 16, 512):
        weight = torch.randn(4096, 4096, device=DEVICE).to(torch.float8_e4m3fn)
        x = torch.randn(rows, 4096, device=DEVICE, dtype=torch.bfloat16)
        given = (x, weight, torch.rand(4096, 1, device=DEVICE, dtype=torch.bfloat16))
        with torch.no_grad():
            measure(f"float8 weights {rows}x4096x4096", [functools.partial(run, *given) for run in compiled(float8_linear)], 30)
    network = Network().to(DEVICE, torch.bfloat16)
    angles = torch.polar(torch.ones(LENGTH, WIDTH // HEADS // 2, device=DEVICE), torch.rand(LENGTH, WIDTH // HEADS // 2, device=DEVICE))
    x = torch.randn(BATCH, LENGTH, WIDTH, device=DEVICE, dtype=torch.bfloat16)
    runs = compiled(network)

    def train(run: Callable[..., Any]) -> None:
        network.zero_grad()
        run(x, angles).sum().backward()

    with torch.no_grad():
        measure("complex rotary embeddings, forward", [functools.partial(run, x, angles) for run in runs], 10)
    measure("complex rotary embeddings, training", [functools.partial(train, run) for run in runs], 5)


if __name__ == "__main__":
    main()
