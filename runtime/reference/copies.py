"""Copies of tensors that share memory as the tensors do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...torch_internals.tensors import is_zerotensor, storage_id


def copied(values: Sequence[Any]) -> list[Any]:
    """Copies of tensors, with their layouts; those that share a storage share one afterwards, too."""
    storages: dict[int, torch.UntypedStorage] = {}

    def copy(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        value = value.detach()
        if type(value) is not torch.Tensor or value.layout != torch.strided or value.is_neg() or value.is_conj() or is_zerotensor(value):
            return value.clone()
        own = value.untyped_storage()
        key = storage_id(value)
        if key not in storages:
            storages[key] = own.clone()
        made = torch.empty(0, dtype=value.dtype, device=value.device)
        return made.set_(storages[key], value.storage_offset(), value.shape, value.stride())

    return [copy(value) for value in values]
