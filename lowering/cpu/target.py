"""The features of the CPU that code is generated for."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from ...errors import MlirindError

# LLVM's names of the features that can be switched for x86-64. Those that every such CPU has are missing: code without SSE2, for example,
# is impossible.
FEATURES = frozenset(
    """
    adx aes amx-bf16 amx-complex amx-fp16 amx-fp8 amx-int8 amx-tile avx avx10.1 avx10.2 avx2 avx512bf16 avx512bitalg avx512bw avx512cd
    avx512dq avx512f avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni avx512vp2intersect avx512vpopcntdq avxifma
    avxneconvert avxvnni avxvnniint16 avxvnniint8 bmi bmi2 crc32 cx16 f16c fast-gather fast-variable-crosslane-shuffle
    fast-variable-perlane-shuffle fma fma4 fsgsbase gfni lzcnt movbe movdir64b movdiri pclmul pku popcnt prefer-128-bit prefer-256-bit
    prfchw rdrnd rdseed sahf sha sha512 slow-unaligned-mem-16 sm3 sm4 sse3 sse4.1 sse4.2 sse4a ssse3 tbm vaes vpclmulqdq xop xsave xsavec
    xsaveopt xsaves
    """.split()
)


@dataclass(frozen=True)
class Target:
    """`bits`: the width of a vector register. `features`: LLVM feature changes to the host's own, such as "-avx512f"."""

    bits: int
    features: str = ""

    @property
    def fuses(self) -> bool:
        """Whether the CPU has fused multiply-add."""
        return self.bits > 128

    def lanes(self, element_bits: int) -> int:
        """The number of elements of a width in one register."""
        return self.bits // element_bits


@functools.cache
def host_flags() -> frozenset[str]:
    """Linux's names of the CPU's features; none if there are no x86 flags."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    flags = next((line for line in lines if line.startswith("flags")), ":")
    return frozenset(flags.split(":", 1)[1].split())


def check_features(features: str | None) -> None:
    """Raises MlirindError for a value of `target_features` that LLVM would refuse, or ignore."""
    for name in _names(features):
        if name[0] not in "+-" or name[1:] not in FEATURES:
            wanted = f"LLVM's features with + or - before them are wanted, with commas between; known: {' '.join(sorted(FEATURES))}"
            raise MlirindError(f"option target_features={features!r}: {name!r} is none; {wanted}")


@functools.cache
def target_for(features: str | None) -> Target:
    """The host's features, changed by LLVM feature names: "-avx512f,-avx2" removes two, "+avx2" adds one."""
    names = _names(features)
    flags = set(host_flags())
    for name in names:
        (flags.add if name.startswith("+") else flags.discard)(name[1:])
    return Target(_register_bits(frozenset(flags)), ",".join(names))


def _names(features: str | None) -> list[str]:
    return [name.strip() for name in (features or "").split(",") if name.strip()]


def _register_bits(flags: frozenset[str]) -> int:
    if {"avx", "avx2", "fma"} - flags:
        return 128
    if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} - flags:
        return 256
    return 512
