"""Copies of a capture's outputs in new tensors, which callers may keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from ....torch_internals.tensors import empty_cpu, empty_cuda, foreach_copy


@dataclass(frozen=True, eq=False)
class Made:
    """A storage of a capture that holds outputs. `whole`: the output that fills it; if None, `storage` is copied as bytes."""

    whole: torch.Tensor | None
    storage: torch.Tensor

    @staticmethod
    def of(tensors: Sequence[torch.Tensor]) -> Made:
        """The storage that holds these outputs."""
        first, storage = tensors[0], tensors[0].untyped_storage()
        flat = torch.empty(0, dtype=torch.uint8, device=first.device).set_(storage)
        fills = first.storage_offset() == 0 and first.numel() * first.element_size() == storage.nbytes()
        return Made(first if fills and all(t is first for t in tensors) and _is_dense(first) else None, flat)

    @property
    def source(self) -> torch.Tensor:
        """The tensor to copy."""
        return self.storage if self.whole is None else self.whole

    def output(self, like: torch.Tensor, copy: torch.Tensor) -> torch.Tensor:
        """Output `like`, as a view of `copy`, a copy of `source`."""
        return copy if self.whole is not None else over(copy.untyped_storage(), like)


class Copies:
    """Copies tensors of one device, the current one, with one launch for each dtype."""

    def __init__(self, sources: Sequence[torch.Tensor], device: torch.device) -> None:
        self._empty = empty_cuda if device.type == "cuda" else empty_cpu
        self._layouts = [(tuple(source.size()), source.stride(), source.dtype) for source in sources]
        self._groups = by_dtype(dict(enumerate(sources)))

    def __call__(self) -> list[torch.Tensor]:
        """New tensors with the layouts of those that they copy."""
        empty = self._empty
        copies = [empty(sizes, strides, dtype) for sizes, strides, dtype in self._layouts]
        for numbers, sources in self._groups:
            foreach_copy([copies[n] for n in numbers], sources)
        return copies


def by_dtype(tensors: Mapping[int, torch.Tensor]) -> list[tuple[list[int], list[torch.Tensor]]]:
    """The numbers and tensors of each dtype: `foreach_copy` copies these in one launch."""
    groups: dict[torch.dtype, tuple[list[int], list[torch.Tensor]]] = {}
    for number, tensor in tensors.items():
        numbers, some = groups.setdefault(tensor.dtype, ([], []))
        numbers.append(number)
        some.append(tensor)
    return list(groups.values())


def over(storage: torch.UntypedStorage, like: torch.Tensor) -> torch.Tensor:
    """A new tensor over a storage, with the layout of another."""
    made = torch.empty(0, dtype=like.dtype, device=like.device)
    return made.set_(storage, like.storage_offset(), like.size(), like.stride())


def _is_dense(tensor: torch.Tensor) -> bool:
    """Whether no two elements share memory and the elements leave no gap."""
    expected = 1
    for stride, size in sorted((stride, size) for size, stride in zip(tensor.size(), tensor.stride(), strict=True) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True
