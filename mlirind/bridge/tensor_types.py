"""The types of the `aten` dialect for PyTorch's tensors."""

from __future__ import annotations

import functools
from collections.abc import Container, Iterable
from typing import Any

import torch

from ..dialects import dtypes
from ..dialects.aten import Size, TensorInfo, symbols_of
from ..errors import UnsupportedGraph
from ..torch_internals.fake_tensors import FakeTensor, is_traceable_wrapper_subclass
from . import symbols
from .symbols import is_unbacked


def tensor_info(tensor: Any) -> TensorInfo:
    """The type of a (fake) tensor."""
    _check_tensor(tensor)
    size = symbols.size_from_torch
    sizes, strides = tuple(map(size, tensor.shape)), tuple(map(size, tensor.stride()))
    return _info(sizes, tensor.dtype, tensor.device, strides, size(tensor.storage_offset()))


@functools.lru_cache(maxsize=4096)
def _info(sizes: tuple[Size, ...], dtype: torch.dtype, device: torch.device, strides: tuple[Size, ...], offset: Size) -> TensorInfo:
    name = str(dtype).removeprefix("torch.")
    if name not in dtypes.TABLE:
        raise UnsupportedGraph(f"a tensor of dtype {name}")
    return TensorInfo(sizes, name, str(device), strides, offset)


def check_known_symbols(sizes: Iterable[Size], inputs: Container[str] = ()) -> None:
    """Raises `UnsupportedGraph` for sizes of unbacked symbols that are not among those of the inputs."""
    for symbol in symbols_of(sizes):
        if is_unbacked(symbol) and symbol.name not in inputs:
            raise UnsupportedGraph(f"the size {symbol} depends on data")


def _check_tensor(tensor: Any) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise UnsupportedGraph(f"a value of type {type(tensor).__name__}")
    if tensor.layout != torch.strided or tensor.is_nested or tensor.is_quantized:
        raise UnsupportedGraph("a sparse, nested, quantized or opaque tensor")
    if type(tensor) is not FakeTensor and is_traceable_wrapper_subclass(tensor):
        raise UnsupportedGraph(f"a tensor of the subclass {type(tensor).__name__}")
    if tensor.is_conj() or tensor.is_neg():
        raise UnsupportedGraph("a conjugate or negative view")
