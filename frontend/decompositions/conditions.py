"""Which arguments eager accepts, for operators whose PyTorch decomposition accepts more. Other calls are not decomposed: ATen raises at
run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...lowering.rules.eager_dtypes import do_not_fit, has_conditions, why_refused
from ...torch_internals.operators import given_arguments, schema_of

Arguments = dict[str, Any]


def is_conditional(operator: Any) -> bool:
    """Whether `eager_takes` may be False for an operator overload."""
    base = str(operator).split(".")[1]
    return base in _CONDITIONS or has_conditions(str(operator))


def eager_takes(operator: Any, args: Sequence[Any], kwargs: Arguments) -> bool:
    """Whether eager accepts the dtypes, numbers and sizes of an operator overload's call."""
    arguments = _by_name(operator, args, kwargs)
    tensors = [v for value in arguments.values() for v in (value if isinstance(value, (list, tuple)) else [value]) if _is_tensor(v)]
    if not tensors:
        return True
    if why_refused(str(operator), [_dtype(t) for t in tensors], tensors[0].device.type == "cpu"):
        return False
    base = str(operator).split(".")[1]
    if do_not_fit(base, lambda name: _dtype(arguments[name]) if _is_tensor(arguments.get(name)) else None):
        return False
    condition = _CONDITIONS.get(base)
    return condition is None or condition(arguments)


def _by_name(operator: Any, args: Sequence[Any], kwargs: Arguments) -> Arguments:
    return {a.name: a.default_value for a in schema_of(operator).arguments} | given_arguments(operator, args, kwargs)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _broadcast_to(arguments: Arguments, wanted: str, *others: str) -> bool:
    """Whether the tensors of these names, if present, can be broadcast to the sizes of another."""
    sizes = arguments[wanted].shape
    shapes = [t.shape for n in others if (t := arguments[n]) is not None]
    if any(len(shape) > len(sizes) for shape in shapes):
        return False
    return all(s == 1 or s == w for shape in shapes for s, w in zip(shape, sizes[len(sizes) - len(shape) :], strict=True))


def _nll_loss_of_images(arguments: Arguments) -> bool:
    """Whether there is one target for each pixel."""
    sizes, target = arguments["self"].shape, arguments["target"].shape
    return len(sizes) == 4 and len(target) == 3 and (sizes[0], *sizes[2:]) == tuple(target)


def _logits_fit(arguments: Arguments) -> bool:
    """Whether the losses, which are stored in place of the targets, can be: the sizes and dtypes fit."""
    logits, target = arguments["self"], arguments["target"]
    stored = torch.can_cast(torch.result_type(logits, target), target.dtype)
    return stored and _broadcast_to(arguments, "target", "self", "weight", "pos_weight")


_CONDITIONS: dict[str, Callable[[Arguments], bool]] = {
    "binary_cross_entropy_with_logits": _logits_fit,
    "celu": lambda a: a["alpha"] != 0,
    "huber_loss": lambda a: a["delta"] > 0,
    "im2col": lambda a: min(a["padding"]) >= 0,
    "multi_margin_loss": lambda a: a["p"] in (1, 2),
    "mvlgamma": lambda a: a["p"] >= 1,
    "nll_loss2d_forward": _nll_loss_of_images,
    "smooth_l1_loss": lambda a: a["beta"] >= 0,
    "soft_margin_loss": lambda a: _broadcast_to(a, "self", "target"),
}
