"""Forward-mode differentiation through compiled functions: outputs, writes and gradients have eager's tangents."""

import pytest
import torch
from torch.autograd import forward_ad


def f(x, w):
    return (x.sin() * x) @ w


def numbers(*sizes):
    return torch.linspace(-1, 1, torch.Size(sizes).numel()).view(sizes)


def tangent(function, *tensors, of=0):
    """The tangent of the result, in the direction of ones for input `of`."""
    with forward_ad.dual_level():
        given = list(tensors)
        given[of] = forward_ad.make_dual(given[of], torch.ones_like(given[of]))
        return forward_ad.unpack_dual(function(*given)).tangent


@pytest.mark.parametrize("needs_grad", [False, True])
def test_tangents_of_calls_between_calls_without(backend, needs_grad):
    x, w = numbers(3, 4).requires_grad_(needs_grad), numbers(4, 2)
    compiled = torch.compile(f, backend=backend)
    for _ in range(2):
        torch.testing.assert_close(compiled(x, w), f(x, w))
        if not (needs_grad and backend == "aot_eager"):  # it raises: its function has no jvp
            for of in (0, 1):
                torch.testing.assert_close(tangent(compiled, x, w, of=of), tangent(f, x, w, of=of))
        with forward_ad.dual_level():
            assert forward_ad.unpack_dual(compiled(x, w)).tangent is None


def test_writes_and_views(backend):
    def write(x, y):
        x.mul_(y)
        return x[1:].t()

    def tangents(function):
        with forward_ad.dual_level():
            x = numbers(3, 4)
            view = function(x, forward_ad.make_dual(numbers(3, 4) + 1, numbers(3, 4)))
            return [forward_ad.unpack_dual(value).tangent for value in (x, view)]

    for got, want in zip(tangents(torch.compile(write, backend=backend)), tangents(write), strict=True):
        torch.testing.assert_close(got, want)


def test_a_tensor_of_the_closure(backend):
    with forward_ad.dual_level():
        weight = forward_ad.make_dual(numbers(4, 2), numbers(4, 2))
        got = torch.compile(lambda x: f(x, weight), backend=backend)(numbers(3, 4))
        torch.testing.assert_close(forward_ad.unpack_dual(got).tangent, f(numbers(3, 4), numbers(4, 2)))


def test_gradients_with_tangents(backend):
    """The gradient of a call, for a gradient of its result that has a tangent."""

    def gradient(function):
        x = numbers(3, 4).requires_grad_()
        result = function(x, numbers(4, 2))
        with forward_ad.dual_level():
            given = forward_ad.make_dual(torch.ones(3, 2), numbers(3, 2))
            return [*forward_ad.unpack_dual(*torch.autograd.grad(result, x, given))]

    for got, want in zip(gradient(torch.compile(f, backend=backend)), gradient(f), strict=True):
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize("transform", ["jvp", "jacfwd", "hessian"])
def test_transforms_of_compiled_functions(backend, transform):
    x, w = numbers(3, 4), numbers(4, 2)
    compiled = torch.compile(f, backend=backend)

    def transformed(function):
        if transform == "jvp":
            return torch.func.jvp(lambda x: function(x, w), (x,), (torch.ones_like(x),))
        return getattr(torch.func, transform)(lambda x: function(x, w).square().sum())(x)

    for _ in range(2):
        torch.testing.assert_close(transformed(compiled), transformed(f))
        compiled(x, w)
