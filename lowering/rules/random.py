"""Lowering of random draws as functions of a seed and the position in the tensor (`frontend/calls/random_in_kernels.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from torch_mlir import ir

from ...dialects.dtypes import TABLE
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import Coordinate
from ..emission.scalar import Scalar
from .registry import LoweredCall, lowers

# Philox 4x32-10: Salmon, Moraes, Dror, Shaw, 2011.
ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)


def uniform_bits(dtype: str) -> int:
    """The number of random bits of a draw in [0, 1): as many as `dtype` represents exactly."""
    return min(TABLE[dtype].significand or 24, 24)


def philox(builder: KernelBuilder, seed: Scalar, number: Scalar) -> list[Scalar]:
    """Four random int32 words for the 64-bit key `seed` and the 64-bit counter `number`."""
    zero = builder.constant(0, "int32")
    words, keys = [*_halves(number), zero, zero], list(_halves(seed))
    for _ in range(ROUNDS):
        (low0, high0), (low1, high1) = (_product(words[2 * n], MULTIPLIERS[n]) for n in range(2))
        words = [high1 ^ words[1] ^ keys[0], low1, high0 ^ words[3] ^ keys[1], low0]
        keys = [k + builder.constant(w, "int32") for k, w in zip(keys, WEYL, strict=True)]
    return words


def _halves(wide: Scalar) -> tuple[Scalar, Scalar]:
    """The low and the high word of an int64."""
    return wide.emit("arith.trunci", dtype="int32"), wide.emit("arith.shrui", wide.like(32)).emit("arith.trunci", dtype="int32")


def _product(word: Scalar, factor: int) -> tuple[Scalar, Scalar]:
    return _halves(word.emit("arith.extui", dtype="int64") * factor)


def _fraction(word: Scalar, bits: int, least: int = 0) -> Scalar:
    """(the top `bits` bits of `word` + `least`) / 2**bits, in float32: in [0, 1), or in (0, 1] for `least` 1."""
    return (word.emit("arith.shrui", word.like(32 - bits)) + least).to("float32") * 2.0**-bits


def _drawn(call: LoweredCall, value: Callable[[list[Scalar]], Scalar]) -> Sequence[ir.Value]:
    """A kernel that computes each element by `value` from the element's four random words."""
    sizes = call.result().sizes
    builder = call.kernel([call["seed"]], sizes)
    coordinate: Coordinate = 0
    for dim, size in zip(builder.dims, sizes, strict=True):
        coordinate = dim + coordinate * builder.size(size)
    builder.store(0, value(philox(builder, builder.load(0, []), builder.position(coordinate))), builder.dims)
    return builder.finish()


@lowers("mlirindrandom.uniform.default")
def uniform(call: LoweredCall) -> Sequence[ir.Value]:
    """A number in [0, 1) for each element"""
    return _drawn(call, lambda words: _fraction(words[0], uniform_bits(call.result().dtype)))


@lowers("mlirindrandom.integers.default")
def integers(call: LoweredCall) -> Sequence[ir.Value]:
    """low + (63 random bits modulo high - low)"""

    def value(words: list[Scalar]) -> Scalar:
        low, high = (w.emit("arith.extui", dtype="int64") for w in (words[0], words[1] & 0x7FFFFFFF))
        wide = high * (1 << 32) + low
        drawn: Scalar = wide.emit("arith.remui", wide.like(call["high"] - call["low"])) + call["low"]
        return drawn

    return _drawn(call, value)


@lowers("mlirindrandom.normal.default")
def normal(call: LoweredCall) -> Sequence[ir.Value]:
    """The Box-Muller transform: sqrt(-2 log u) cos(2 pi v), u in (0, 1], v in [0, 1)"""

    def value(words: list[Scalar]) -> Scalar:
        radius = (_fraction(words[0], 24, least=1).math("log") * -2.0).math("sqrt")
        return radius * (_fraction(words[1], 24) * (2 * math.pi)).math("cos")

    return _drawn(call, value)
