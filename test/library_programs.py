"""What the tests of `aot_compile` on the CPU and on GPUs share."""

from pathlib import Path
from typing import Any

import mlirind
import torch


class Counter(torch.nn.Module):
    """Writes a buffer in each call."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(1)
        return x + self.calls


def loaded(program: Any, args: tuple[Any, ...], folder: Path, **options: Any) -> Any:
    """The program's package, loaded by PyTorch."""
    path = mlirind.aot_compile(program, args, package=folder / "model.pt2", **options)
    return torch._inductor.aoti_load_package(str(path))
