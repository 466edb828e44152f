"""Decompositions that lay out results of pointwise operators as PyTorch's kernels do, where its meta functions say otherwise."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...torch_internals.operators import decomposed, suggest_memory_format

aten = torch.ops.aten

# Of two tensors; their meta functions order the dimensions of what is broadcast otherwise than the kernels' iterator.
_OF_TWO = (
    aten.copysign.Tensor,
    aten.floor_divide.default,
    aten.heaviside.default,
    aten.logaddexp.default,
    aten.logaddexp2.default,
    aten.logical_and.default,
    aten.logical_or.default,
    aten.logical_xor.default,
    aten.div.Tensor_mode,
    aten.special_xlog1py.default,
    aten.xlogy.Tensor,
)

_HALF = {torch.bfloat16, torch.float16}

# Of tensors; of half types their meta functions convert the operands to float32 first, which makes expanded ones dense.
_CONVERTED = (
    aten.add.Tensor,
    aten.sub.Tensor,
    aten.mul.Tensor,
    aten.div.Tensor,
    aten.remainder.Tensor,
    aten.fmod.Tensor,
    aten.pow.Tensor_Tensor,
    aten.atan2.default,
    aten.hypot.default,
    aten.igamma.default,
    aten.igammac.default,
    aten.maximum.default,
    aten.minimum.default,
    aten.fmax.default,
    aten.fmin.default,
    aten.clamp.Tensor,
    aten.clamp_min.Tensor,
    aten.clamp_max.Tensor,
    aten.eq.Tensor,
    aten.ne.Tensor,
    aten.lt.Tensor,
    aten.le.Tensor,
    aten.gt.Tensor,
    aten.ge.Tensor,
)


def pointwise_layout_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload; each leaves calls alone whose meta functions are right."""
    of_two = {operator: functools.partial(_in_order, operator) for operator in _OF_TWO}
    one: dict[Any, Callable[..., Any]] = {
        aten.pow.Scalar: power,
        aten.ldexp.Tensor: ldexp,
        aten.rsub.Tensor: reversed_difference,
        aten.log_sigmoid_forward.default: log_sigmoid,
        aten.channel_shuffle.default: channel_shuffle,
    }
    converted = {operator: functools.partial(_with_expanded, operator) for operator in _CONVERTED}
    return {**of_two, **converted, **one}


def leaves_alone(operator: Any, operands: Sequence[Any]) -> bool:
    """Whether the decomposition of an operator leaves calls with operands of these dtypes alone, whatever their sizes and strides."""
    return operator in _CONVERTED and not any(isinstance(t, torch.Tensor) and t.dtype in _HALF for t in operands)


def _with_expanded(operator: Any, *operands: Any, **options: Any) -> Any:
    """`_in_order` for operands that the meta function makes dense"""
    return _in_order(operator, *operands, **options) if _is_made_dense(operands) else NotImplemented


def _is_made_dense(operands: Sequence[Any]) -> bool:
    """Whether the operands are of one half type, one is expanded, and another is neither expanded nor contiguous. Of several dtypes the
    kernels convert some themselves."""
    tensors = [t for t in operands if isinstance(t, torch.Tensor) and t.dim()]
    dtypes = {t.dtype for t in tensors}
    if len(dtypes) != 1 or not dtypes <= _HALF:
        return False
    others = [t for t in tensors if not any(isinstance(stride, int) and stride == 0 for stride in t.stride())]
    return len(others) < len(tensors) and not all(t.is_contiguous() for t in others)


def reversed_difference(self: torch.Tensor, other: torch.Tensor, alpha: Any = 1) -> Any:
    """rsub(x, y) -> sub(y, x), whose operands the kernel's iterator takes in this order"""
    return aten.sub.Tensor(other, self, alpha=alpha) if _is_made_dense((self, other)) else NotImplemented


def iteration_order(shape: Sequence[Any], strides: Sequence[Sequence[Any]]) -> list[int]:
    """The dimensions from the outermost to the innermost, as PyTorch's iterator over operands of `shape` with `strides` takes them.

    A dimension comes inside another if the first operand that has both, neither broadcast, has the smaller stride in it; if the strides are
    equal, the smaller dimension does; the order of the shape decides where no operand does.
    """
    inwards = list(reversed(range(len(shape))))
    for start in range(1, len(shape)):
        at = start
        for other in reversed(range(start)):
            sign = _compare(inwards[other], inwards[at], shape, strides)
            if sign < 0:
                break
            if sign > 0:
                inwards[other], inwards[at] = inwards[at], inwards[other]
                at = other
    return inwards[::-1]


def _compare(inner: int, outer: int, shape: Sequence[Any], strides: Sequence[Sequence[Any]]) -> int:
    """1 if the two dimensions have to be exchanged, -1 if not, 0 if no operand decides."""
    for operand in strides:
        a, b = operand[inner], operand[outer]
        if a == 0 or b == 0:
            continue
        if a != b:
            return 1 if a > b else -1
        if shape[inner] > shape[outer]:
            return 1
    return 0


def _in_order(operator: Any, *operands: Any, **options: Any) -> Any:
    """f(x, y) -> f(x', y') with dimensions in the order in which the kernel's result has them, and back"""
    if not all(isinstance(t, torch.Tensor) for t in operands):
        return NotImplemented
    shape = torch.broadcast_shapes(*(t.shape for t in operands))
    rows = [t if t.dim() == 0 else t[(None,) * (len(shape) - t.dim())] for t in operands]
    order = iteration_order(shape, [_strides(t) for t in rows if t.dim()])
    if all(t.is_contiguous() for t in rows) and order == sorted(order):
        return NotImplemented
    turned = operator(*(t.permute(order).contiguous() if t.dim() else t for t in rows), **options)
    return turned.permute([order.index(d) for d in range(len(order))])


def laid_out_like(x: torch.Tensor, pattern: torch.Tensor) -> torch.Tensor:
    """`x` with the strides of `torch.empty_like(pattern)`, which has its sizes; a copy only where the strides differ."""
    strides = torch.empty_like(pattern).stride()
    if x.stride() == strides:
        return x
    order = sorted(range(x.dim()), key=lambda d: strides[d], reverse=True)
    return x.permute(order).contiguous().permute([order.index(d) for d in range(x.dim())])


def _strides(x: torch.Tensor) -> list[Any]:
    """The strides, 0 where `x` is broadcast."""
    return [0 if isinstance(size, int) and size == 1 else stride for size, stride in zip(x.shape, x.stride(), strict=True)]


def power(self: Any, exponent: torch.Tensor) -> Any:
    """pow(2.0, x) -> pow(2.0, x.contiguous()): the kernel's result is contiguous"""
    return NotImplemented if exponent.is_contiguous() else aten.pow.Scalar(self, exponent.contiguous())


def ldexp(self: torch.Tensor, other: torch.Tensor) -> Any:
    """ldexp(x, n) -> ldexp(x, n.contiguous()): the kernel multiplies by a power of two, which is contiguous"""
    return _in_order(aten.ldexp.Tensor, self, other.contiguous())


def log_sigmoid(self: torch.Tensor) -> Any:
    """log_sigmoid_forward(x) -> log_sigmoid_forward(x.contiguous()) on the CPU, where the kernel's result is contiguous"""
    return decomposed(aten.log_sigmoid_forward.default, self.contiguous() if self.device.type == "cpu" else self)


def channel_shuffle(self: torch.Tensor, groups: int) -> Any:
    """channel_shuffle(x), on the CPU with channels-last strides if x has them"""
    result = decomposed(aten.channel_shuffle.default, self, groups)
    if result is NotImplemented or self.device.type != "cpu":
        return result
    return result.contiguous(memory_format=suggest_memory_format(self))
