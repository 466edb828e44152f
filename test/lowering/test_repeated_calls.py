"""Calls and groups of kernels that are almost equal get kernels of their own; those that are equal get copies."""

import pytest
import torch


def numbers(x, y):
    return x + 2, x + 3, x - 2, torch.add(x, y, alpha=2), torch.add(x, y, alpha=3), x + 2


def operands(x, y):
    return x * x, x * y, y * x, x * x.t(), x.t() * x, torch.addcmul(x, x, y), torch.addcmul(x, y, y), torch.addcmul(x, y, x)


def layers(x, y):
    """Three equal layers, then two that differ in a number, in a dtype."""
    results = []
    for n in range(5):
        x = torch.softmax(torch.mm(x, y) * (3 if n == 3 else 2), 1)
        x = (x.double() if n == 4 else x) + 1
        x = x.float()
        results.append(x.sum(0))
    return x, *results


def used_results(x, y):
    first, positions = torch.nn.functional.max_pool2d(x[None], 2, return_indices=True)
    second = torch.nn.functional.max_pool2d(x[None], 2)
    return first, positions, second, torch.var_mean(x, 1)[0], *torch.var_mean(x, 1)


@pytest.mark.parametrize("program", [numbers, operands, layers, used_results])
def test_values(program):
    torch._dynamo.reset()
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randn(8, 8, generator=generator) for _ in range(2))
    compiled = torch.compile(program, backend="mlirind", options={"fallback": False})
    torch.testing.assert_close(compiled(x, y), program(x, y))
