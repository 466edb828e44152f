"""Random draws in kernels (option `fallback_random=False`): an operator draws one seed from PyTorch's generator; the numbers are a
function of the seed and the element's position, computed where they are used.

The function is Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, 2011): the key is the seed, the
counter the number of the element. `lowering/rules/random.py` has it for kernels; this module has it for tensors, for graphs that run
uncompiled.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ...lowering.rules.random import MULTIPLIERS, ROUNDS, WEYL, uniform_bits
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
    """Uniform numbers in [0, 1), with as many bits as the dtype holds (32 at most)."""
    bits = uniform_bits(str(dtype).removeprefix("torch."))
    return ((philox(seed, math.prod(size))[0] >> (32 - bits)) * 2.0**-bits).to(dtype).reshape(list(size))


def _normal(seed: torch.Tensor, size: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Normal numbers of mean 0 and variance 1: Box and Muller's transform of two words, in float32."""
    first, second, *_ = philox(seed, math.prod(size))
    radius = (((first >> 8) + 1).float() * 2.0**-24).log().mul(-2).sqrt()
    return (radius * (((second >> 8).float() * 2.0**-24) * (2 * math.pi)).cos()).to(dtype).reshape(list(size))


def _integers(seed: torch.Tensor, size: Sequence[int], dtype: torch.dtype, low: int, high: int) -> torch.Tensor:
    """Integers in [low, high): 63 random bits modulo high - low."""
    first, second, *_ = philox(seed, math.prod(size))
    return (((second & (_LOW >> 1)) << 32 | first) % (high - low) + low).to(dtype).reshape(list(size))


def _define(name: str, run: Callable[..., torch.Tensor], more: str = "") -> torch._ops.OpOverload:
    def fake(seed: torch.Tensor, size: Sequence[int], dtype: torch.dtype, *_: int) -> torch.Tensor:
        return seed.new_empty(size, dtype=dtype)

    _library.define(f"{name}(Tensor seed, SymInt[] size, ScalarType dtype{more}) -> Tensor")
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", fake, lib=_library)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


uniform = _define("uniform", _uniform)
normal = _define("normal", _normal)
integers = _define("integers", _integers, ", int low, int high")

_DRAW, _ANY = aten.randint.low_generator, (-(1 << 63), (1 << 63) - 1)


def new_seed(device: torch.device) -> torch.Tensor:
    """A seed, drawn from the device's generator when the graph runs."""
    return _DRAW(*_ANY, [], generator=None, dtype=torch.int64, device=device)


def draw_seeds_at_once(graph_module: fx.GraphModule) -> None:
    """Merges the seeds of a graph for the same device into one draw, except those that are outputs."""
    graph = graph_module.graph
    nodes = [n for n in graph.find_nodes(op="call_function", target=_DRAW) if n.args == (*_ANY, []) and "val" in n.meta]
    nodes = [n for n in nodes if all(user.op != "output" for user in n.users)]
    for device, some in itertools.groupby(sorted(nodes, key=_device), key=_device):
        seeds = sorted(some)
        if len(seeds) < 2:
            continue
        first = seeds[0]
        with graph.inserting_before(first), first.meta["val"].fake_mode:
            every = graph.call_function(_DRAW, (*_ANY, [len(seeds)]), dict(first.kwargs))
            every.meta = {**first.meta, "val": torch.empty(len(seeds), dtype=torch.int64, device=device)}
            for number, seed in enumerate(seeds):
                part = graph.call_function(aten.select.int, (every, 0, number))
                part.meta = {**seed.meta, "val": every.meta["val"].select(0, number)}
                seed.replace_all_uses_with(part)
                graph.erase_node(seed)


def _device(node: fx.Node) -> str:
    return str(node.meta["val"].device)


def _native_dropout(input: torch.Tensor, p: float, train: bool | None) -> Any:
    """x * keep / (1 - p), and keep"""
    if not train or not _is_plain(input):
        return NotImplemented
    keep = uniform(new_seed(input.device), list(input.shape), torch.float32) >= p
    return input * keep * (1 / (1 - p) if p < 1 else 0.0), keep


def _bernoulli(self: torch.Tensor, p: float | None = None, *, generator: Any = None) -> Any:
    """1 with probability p, or with each element's own probability"""
    if generator is not None or not _is_plain(self):
        return NotImplemented
    drawn = uniform(new_seed(self.device), list(self.shape), torch.float32)
    return (drawn < (self if p is None else p)).to(self.dtype)


def _randint(low: int, high: int, size: Sequence[int], **options: Any) -> Any:
    """Integers in [low, high)"""
    dtype, device = options.get("dtype") or torch.int64, torch.device(options.get("device") or "cpu")
    if dtype not in _INTEGERS or options.get("layout") not in (None, torch.strided) or options.get("pin_memory"):
        return NotImplemented
    known, limits = isinstance(low, int) and isinstance(high, int), torch.iinfo(dtype)
    if not known or not limits.min <= low < high <= limits.max + 1 or high - low >= 1 << 63:
        return NotImplemented
    return integers(new_seed(device), size, dtype, low, high)


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
_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def _is_plain(tensor: torch.Tensor, dtype: torch.dtype | None = None) -> bool:
    """Whether the tensor is row-major, so that results are, and `dtype` (by default its own) is one in which numbers are drawn."""
    return tensor.layout == torch.strided and tensor.is_contiguous() and (dtype or tensor.dtype) in _DTYPES


def random_decompositions() -> dict[torch._ops.OpOverload, Callable[..., Any]]:
    """The decompositions by operator overload."""
    return {
        aten.native_dropout.default: _native_dropout,
        aten.bernoulli.p: _bernoulli,
        aten.bernoulli.default: _bernoulli,
        aten.rand.default: _of_size(uniform),
        aten.randn.default: _of_size(normal),
        aten.randint.low: _randint,
        aten.randint.default: lambda high, size, **options: _randint(0, high, size, **options),
        aten.rand_like.default: _like(uniform),
        aten.randn_like.default: _like(normal),
    }
