"""How fast a device copies and multiplies: what a measured kernel is compared with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

COPIED = 1 << 26  # bytes of the copy: more than most caches hold
SIDE = 1024  # of the multiplied matrices
ROUNDS = 5


@dataclass(frozen=True)
class MachineSpeed:
    """Bytes per second that a copy reads and writes, and floating-point operations per second of a float32 matrix product."""

    bytes_per_second: float
    flops_per_second: float

    @staticmethod
    def of(device: str) -> MachineSpeed:
        """Measures a device, for a tenth of a second."""
        source = torch.ones(COPIED // 4, device=device)
        target, matrix = torch.empty_like(source), torch.ones(SIDE, SIDE, device=device)
        copied = _seconds(lambda: target.copy_(source), device)
        multiplied = _seconds(lambda: torch.mm(matrix, matrix), device)
        return MachineSpeed(2 * COPIED / copied, 2 * SIDE**3 / multiplied)

    def bound(self, size: int, flops: int) -> tuple[str, float]:
        """What limits a step, "memory" or "compute", and the seconds that it would take at this speed."""
        moving, computing = size / self.bytes_per_second, flops / self.flops_per_second
        return ("compute", computing) if computing > moving else ("memory", moving)


def _seconds(run: Callable[[], object], device: str) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        _wait_for(device)
        start = time.perf_counter()
        run()
        _wait_for(device)
        best = min(best, time.perf_counter() - start)
    return best


def _wait_for(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
