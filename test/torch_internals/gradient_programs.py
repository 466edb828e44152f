"""Programs of the boundary that take gradients (`boundary_programs.py`), and what programs are made of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

Compiled = Callable[..., Callable[..., Any]]
Program = Callable[[Compiled], Any]


def line(*sizes: int) -> torch.Tensor:
    return torch.linspace(-1, 1, torch.Size(sizes).numel()).view(sizes)


def leaves() -> list[torch.Tensor]:
    return [line(8, 8).sin().requires_grad_(), line(8, 4).cos().requires_grad_()]


def loss(x: torch.Tensor, w: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.gelu(x @ w).matmul(v).square().mean()


def dynamic_training(compiled: Compiled) -> Any:
    call, found = compiled(lambda x, w: (x @ w, (x @ w).exp()), dynamic=True), []
    for rows in (5, 7):
        w, _ = leaves()
        first, second = call(line(rows, 8), w)
        (first * second).t().contiguous().sum().backward()
        found.append([first.detach(), w.grad])
    return found


def transposed_gradient(compiled: Compiled) -> Any:
    w, _ = leaves()
    compiled(lambda x, w: (x @ w).tanh())(line(5, 8), w).backward(line(8, 5).t())
    return w.grad


def kept_graph(compiled: Compiled) -> Any:
    weights = leaves()
    total = compiled(loss)(line(5, 8), *weights)
    total.backward(retain_graph=True)
    total.backward()
    return [w.grad for w in weights]


def saved_tensor_hooks(compiled: Compiled) -> Any:
    weights = leaves()
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.clone(), lambda tensor: tensor):
        total = compiled(loss)(line(5, 8), *weights)
    total.backward()
    return [w.grad for w in weights]


def gradient_batches(compiled: Compiled) -> Any:
    w, _ = leaves()
    result = compiled(lambda x, w: (x @ w).tanh())(line(5, 8), w)
    return torch.autograd.grad(result, [w], line(3, 5, 8), is_grads_batched=True)


def zero_gradient(compiled: Compiled) -> Any:
    w, _ = leaves()
    compiled(lambda x, w: (x @ w).tanh())(line(5, 8), w).backward(torch._efficientzerotensor((5, 8)))
    return w.grad, compiled(lambda a: a.cos() + a)(torch._efficientzerotensor((4, 4)))


def transforms(compiled: Compiled) -> Any:
    call, weights = compiled(loss), leaves()
    call(line(5, 8), *weights).backward()
    with contextlib.suppress(RuntimeError):  # eager differentiates; a compiled function may refuse, and says so
        return torch.func.grad(call, 1)(line(5, 8), *(w.detach() for w in weights))
    return torch.func.grad(loss, 1)(line(5, 8), *(w.detach() for w in weights))


def tangents(compiled: Compiled) -> Any:
    call, weights = compiled(loss), leaves()
    outside = call(line(5, 8), *weights)
    with forward_ad.dual_level():
        inside = call(forward_ad.make_dual(line(5, 8), line(5, 8)), *weights)
        return outside, forward_ad.unpack_dual(inside).tangent


def outlived_transform(compiled: Compiled) -> Any:
    kept: list[torch.Tensor] = []
    torch.func.grad(lambda x: (kept.append(x), x.sum())[1])(line(4, 4))
    call = compiled(lambda a, b: (a * b).sin())
    return [call(a, line(4, 4)).clone() for a in (line(4, 4), *kept)]


def compiled_autograd(compiled: Compiled) -> Any:
    w, _ = leaves()
    call = compiled(lambda x, w: (x @ w).tanh().sum())
    if call.__name__ == "<lambda>" and not hasattr(call, "_torchdynamo_orig_callable"):
        call(line(2, 8), w).backward()
        return w.grad
    with torch._dynamo.compiled_autograd._enable(compiled):
        call(line(2, 8), w).backward()
    return w.grad


def checkpoints(compiled: Compiled) -> Any:
    def block(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return F.dropout((x @ w).tanh(), 0.5)

    w, _ = leaves()
    torch.manual_seed(3)
    total = compiled(lambda x, w: checkpoint(block, x, w, use_reentrant=False).square().sum())(line(5, 8), w)
    total.backward()
    return total.detach(), w.grad
