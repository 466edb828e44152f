"""What the CPU that code is made for can do."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """`bits`: the width of a vector register. `features`: LLVM feature changes to the host's own, such as "-avx512f"."""

    bits: int
    features: str = ""

    @property
    def fuses(self) -> bool:
        """Whether there is an instruction that multiplies and adds."""
        return self.bits > 128

    def lanes(self, element_bits: int) -> int:
        """How many elements of a width one register holds."""
        return self.bits // element_bits


@functools.cache
def host_flags() -> frozenset[str]:
    """The CPU's feature names as Linux gives them; none where there are no x86 flags."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    flags = next((line for line in lines if line.startswith("flags")), ":")
    return frozenset(flags.split(":", 1)[1].split())


@functools.cache
def target_for(features: str | None) -> Target:
    """The host, changed by LLVM feature names: "-avx512f,-avx2" takes two away."""
    names = [name.strip() for name in (features or "").split(",") if name.strip()]
    flags = host_flags() - {name[1:] for name in names if name.startswith("-")}
    return Target(_register_bits(flags), ",".join(names))


def _register_bits(flags: frozenset[str]) -> int:
    if {"avx", "avx2", "fma"} - flags:
        return 128
    if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} - flags:
        return 256
    return 512
