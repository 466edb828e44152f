"""Random draws as kernels (option `fallback_random=False`): an operator draws one seed from PyTorch's generator, and numbers are a
function of the seed and the place in the tensor, computed where they are used.

The function is Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, 2011): the key is the seed,
the counter the number of the element. `lowering/rules/random.py` has it as kernels; here it is on tensors, for what runs uncompiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..lowering.rules.random import MULTIPLIERS, ROUNDS, WEYL, uniform_bits
from .random_calls import NAMESPACE

_library = torch.library.Library(NAMESPACE, "FRAGMENT")
_LOW = (1 << 32) - 1
aten = torch.ops.aten


def philox(seed: torch.Tensor, count: int) -> list[torch.Tensor]:
    """Four words of 32 bits, as int64, for each of the first `count` counters."""
    index = torch.arange(count, device=seed.device)
    words = [index & _LOW, index >> 32, torch.zeros_like(index), torch.zeros_like(index)]
    keys = [seed & _LOW, (seed >> 32) & _LOW]
    for _ in range(ROUNDS):
        products = [words[0] * MULTIPLIERS[0], words[2] * MULTIPLIERS[1]]
        high, low = [(p >> 32) & _LOW for p in products], [p & _LOW for p in products]
        words = [high[1] ^ words[1] ^ keys[0], low[1], high[0] ^ words[3] ^ keys[1], low[0]]
        keys = [(k + w) & _LOW for k, w in zip(keys, WEYL, strict=True)]
    return words


def _uniform(seed: torch.Tensor, size: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """In [0, 1), of as many bits as the dtype holds (32 at most)."""
    bits = uniform_bits(str(dtype).removeprefix("torch."))
    return ((philox(seed, math.prod(size))[0] >> (32 - bits)) * 2.0**-bits).to(dtype).reshape(list(size))


def _normal(seed: torch.Tensor, size: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Mean 0 and variance 1: Box and Muller's transform of two words, in float32."""
    first, second, *_ = philox(seed, math.prod(size))
    radius = (((first >> 8) + 1).float() * 2.0**-24).log().mul(-2).sqrt()
    return (radius * (((second >> 8).float() * 2.0**-24) * (2 * math.pi)).cos()).to(dtype).reshape(list(size))


def _define(name: str, run: Callable[..., torch.Tensor]) -> torch._ops.OpOverload:
    _library.define(f"{name}(Tensor seed, SymInt[] size, ScalarType dtype) -> Tensor")
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", lambda seed, size, dtype: seed.new_empty(size, dtype=dtype), lib=_library)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


uniform = _define("uniform", _uniform)
normal = _define("normal", _normal)


def new_seed(device: torch.device) -> torch.Tensor:
    """A seed, drawn from the device's generator when the graph runs."""
    return aten.randint.low_generator(-(1 << 63), (1 << 63) - 1, [], generator=None, dtype=torch.int64, device=device)


def _native_dropout(input: torch.Tensor, p: float, train: bool | None) -> Any:
    """x * keep / (1 - p), and keep"""
    if not train or not _is_plain(input):
        return NotImplemented
    keep = uniform(new_seed(input.device), list(input.shape), torch.float32) >= p
    return input * keep * (1 / (1 - p) if p < 1 else 0.0), keep


def _bernoulli(self: torch.Tensor, p: float | None = None, *, generator: Any = None) -> Any:
    """1 with probability p, or each element's own"""
    if generator is not None or not _is_plain(self):
        return NotImplemented
    drawn = uniform(new_seed(self.device), list(self.shape), torch.float32)
    return (drawn < (self if p is None else p)).to(self.dtype)


def _of_size(operator: torch._ops.OpOverload) -> Callable[..., Any]:
    def decomposition(
        size: Sequence[int], *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool | None = None
    ) -> Any:
        dtype, device = dtype or torch.get_default_dtype(), torch.device(device or "cpu")
        if layout not in (None, torch.strided) or pin_memory or dtype not in _DTYPES:
            return NotImplemented
        return operator(new_seed(device), size, dtype)

    return decomposition


def _like(operator: torch._ops.OpOverload) -> Callable[..., Any]:
    def decomposition(
        self: torch.Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None, memory_format: Any = None
    ) -> Any:
        wanted = dtype or self.dtype
        if not _is_plain(self, wanted) or memory_format not in (None, torch.preserve_format, torch.contiguous_format):
            return NotImplemented
        if layout not in (None, torch.strided) or pin_memory:
            return NotImplemented
        return operator(new_seed(torch.device(device or self.device)), list(self.shape), wanted)

    return decomposition


_DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def _is_plain(tensor: torch.Tensor, dtype: torch.dtype | None = None) -> bool:
    """Whether it lies row by row, so that results do, and has a dtype that numbers are drawn in."""
    return tensor.layout == torch.strided and tensor.is_contiguous() and (dtype or tensor.dtype) in _DTYPES


def random_decompositions() -> dict[torch._ops.OpOverload, Callable[..., Any]]:
    """The decompositions by operator overload."""
    return {
        aten.native_dropout.default: _native_dropout,
        aten.bernoulli.p: _bernoulli,
        aten.bernoulli.default: _bernoulli,
        aten.rand.default: _of_size(uniform),
        aten.randn.default: _of_size(normal),
        aten.rand_like.default: _like(uniform),
        aten.randn_like.default: _like(normal),
    }
