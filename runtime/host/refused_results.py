"""Refuses results of an operator that differ from what its fake function declares. Generated code calls these functions, so they need
no compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...dialects.aten_names import is_opaque, is_pytorchs, operator_name
from ...errors import WRITTEN, ResultNotAsDeclared
from ...torch_internals.tensors import plain_tensor
from .restride import has_other_strides

_REPORT = 'PyTorch\'s tracer is wrong here: compile what calls it with backend="aot_eager", and report it'
_CORRECT = "correct its register_fake function, which must give the sizes, strides, dtype and device that the operator returns"


def native_refusal(target: str, site: str, names: Sequence[str], types: Sequence[tuple[str, str]]) -> Callable[..., tuple[()]]:
    """The function that native code calls with a differing tensor, its number among `names`, its rank, the declared sizes, and the strides
    if they are compared; `types`: dtype and device."""

    def refuse(tensor: torch.Tensor | None, number: int, rank: int, *numbers: int) -> tuple[()]:
        dtype, device = types[number]
        sizes, strides = numbers[:rank], numbers[rank:] or None
        refuse_result(target, site, names[number], tensor, sizes, strides, getattr(torch, dtype), torch.device(device))
        return ()

    return refuse


def refuse_result(
    target: str,
    site: str,
    name: str,
    tensor: torch.Tensor | None,
    sizes: Sequence[int],
    strides: Sequence[int] | None,
    dtype: torch.dtype,
    device: torch.device,
) -> None:
    """Raises `ResultNotAsDeclared` for a tensor that a call of the operator `target` returned. `strides`: None if they are not compared.
    Tensors of PyTorch's operators without elements may have another dtype, as the mask of `native_dropout`: there is nothing to read."""
    if tensor is not None and is_pytorchs(target) and tuple(tensor.shape) == tuple(sizes) and tensor.device == device and 0 in sizes:
        return
    only_strides = tensor is not None and (tuple(tensor.shape), tensor.dtype, tensor.device) == (tuple(sizes), dtype, device)
    found = "None" if tensor is None else _described(tensor.shape, tensor.dtype, tensor.device)
    declared = _described(sizes, dtype, device)
    if tensor is not None and strides is not None and only_strides:
        found, declared = f"{found} with strides {list(tensor.stride())}", f"{declared} with strides {list(strides)}"
    what = f"{name} is {found}, declared as {declared}"
    raise _error(target, site, what, "write to the tensor's elements alone" if name == WRITTEN else _CORRECT)


def refuse_list(target: str, site: str, given: Any, count: int) -> None:
    """Raises `ResultNotAsDeclared` for a list of results of another length than declared."""
    lists = given if isinstance(given, tuple) else (given,)
    lengths = " and ".join(str(len(part)) if isinstance(part, (list, tuple)) else "no list" for part in lists)
    raise _error(target, site, f"it returns {lengths} tensors, {count} are declared")


def readable(target: str, site: str, result: Any) -> Any:
    """A custom operator's result in a form that kernels can read. Raises `ResultNotAsDeclared` for sparse tensors and the like."""
    if not isinstance(result, torch.Tensor):
        return result
    if result.layout is not torch.strided:
        raise _error(target, site, f"a result has the layout {result.layout}, declared as {torch.strided}")
    return plain_tensor(result)


# The functions that the statements call.
NAMESPACE = {
    "torch": torch, "_refuse_result": refuse_result, "_refuse_list": refuse_list, "_readable": readable,
    "_has_other_strides": has_other_strides,
}  # fmt: skip


def _described(sizes: Sequence[int], dtype: torch.dtype, device: torch.device) -> str:
    return f"{list(sizes)} {dtype} on {device}"


def _error(target: str, site: str, what: str, advice: str = _CORRECT) -> ResultNotAsDeclared:
    operator = operator_name(target)
    if is_pytorchs(target) or is_opaque(target):
        operator, advice = target.removesuffix(".default"), _REPORT
    return ResultNotAsDeclared(f"{operator}{f', called at {site}' if site else ''}: {what}; {advice}")
