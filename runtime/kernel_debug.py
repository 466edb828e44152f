"""The option `kernel_debug`: prints and times every kernel and call of ATen, and finds the first NaN."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Sequence
from typing import Any

import torch


class KernelDebug:
    """The functions that a Python runner calls around each kernel, call and copy; `wanted`: "print", "time", "nan". `seconds` takes the
    shortest time of each step, by its number, if it is given."""

    def __init__(self, wanted: Collection[str], graph: str, seconds: dict[int, float] | None = None) -> None:
        self.wanted, self.graph, self.seconds = wanted, graph, seconds

    def before(self, inputs: Sequence[Any]) -> tuple[float, bool]:
        """The start time, and whether the inputs contain NaN."""
        had_nan = "nan" in self.wanted and _has_nan(inputs)
        _wait(inputs)
        return time.perf_counter(), had_nan

    def after(self, step: int, what: str, names: Sequence[str], begun: tuple[float, bool], results: Sequence[Any]) -> None:
        """Prints a line to stderr. Raises FloatingPointError if NaN appears that the inputs did not contain."""
        start, had_nan = begun
        _wait(results)
        seconds = time.perf_counter() - start
        if self.seconds is not None:
            self.seconds[step] = min(seconds, self.seconds.get(step, seconds))
        parts = [f"{self.graph}: {what} ({', '.join(names)})"]
        if "time" in self.wanted:
            parts.append(f"{1e6 * seconds:.1f} us")
        if "print" in self.wanted:
            parts += [_summary(t) for t in results if isinstance(t, torch.Tensor)]
        if {"time", "print"} & set(self.wanted):
            print("; ".join(parts), file=sys.stderr)
        if "nan" in self.wanted and not had_nan and _has_nan(results):
            raise FloatingPointError(f"NaN comes up in {parts[0]}")


def _wait(tensors: Sequence[Any]) -> None:
    for device in {t.device for t in tensors if isinstance(t, torch.Tensor) and t.is_cuda}:
        torch.cuda.synchronize(device)


def _has_nan(tensors: Sequence[Any]) -> bool:
    return any(bool(t.isnan().any()) for t in tensors if isinstance(t, torch.Tensor) and (t.is_floating_point() or t.is_complex()))


def _summary(tensor: torch.Tensor) -> str:
    text = f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"
    if tensor.is_complex() or not tensor.numel():
        return text
    values = tensor.detach().double()
    return f"{text} from {values.min().item():g} to {values.max().item():g}, mean {values.mean().item():g}"
