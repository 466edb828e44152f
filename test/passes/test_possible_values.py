"""The numbers that `possible_values` finds for a tensor include every number that the tensor has at run time."""

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.frontend.importing.importer import import_graph
from mlirind.passes.analysis.possible_values import possible_values
from torch.fx.experimental.proxy_tensor import make_fx

LOW = torch.finfo(torch.float32).min
INF = float("inf")


def found(function):
    """The possible numbers of the result of `function(m, n, x)`; None if unknown. Fails if the result has another number."""
    m, n, x = torch.rand(3, 4) < 0.5, torch.randint(0, 3, (3, 4)), torch.randn(3, 4)
    with compile_context():
        module = import_graph(make_fx(lambda *args: [function(*args)], tracing_mode="fake")(m, n, x)).module
        *_, ending = module.body.operations[0].regions[0].blocks[0].operations
        numbers = possible_values(ending.operands[0])
    assert numbers is None or set(function(m, n, x).flatten().tolist()) <= numbers
    return numbers


@pytest.mark.parametrize(
    ("function", "numbers"),
    [
        (lambda m, n, x: (1.0 - m.float()) * LOW, {0.0, LOW}),
        (lambda m, n, x: (1 - m.long()) * -2 + (n > 1), {0, 1, -2, -1}),
        (lambda m, n, x: torch.where(m, 0.0, -INF).unsqueeze(0).expand(2, 3, 4), {0.0, -INF}),
        (lambda m, n, x: x.masked_fill(x.bool(), 3.0), {0.0, 3.0}),
        (lambda m, n, x: x.masked_fill(x != 0, 3.0), {0.0, 3.0}),
        (lambda m, n, x: torch.full((3, 4), LOW).bfloat16(), {-INF}),
        (lambda m, n, x: torch.full((3, 4), 0.1, dtype=torch.bfloat16).float(), {0.10009765625}),
        (lambda m, n, x: torch.where(m, LOW, 0.0) + torch.where(n > 0, LOW, 0.0), {0.0, LOW, -INF}),
        (lambda m, n, x: m.to(torch.uint8) - 1, {0, 255}),
        (lambda m, n, x: m & (n > 0), {0, 1}),
        (lambda m, n, x: (~m).float() * 2, {0.0, 2.0}),
        (lambda m, n, x: (m.float() + (n > 0)).clamp(max=1.0), None),  # clamp with two bounds is not followed
        (lambda m, n, x: x.masked_fill(m, 3.0), None),
        (lambda m, n, x: x.masked_fill(x != 1, 3.0), None),
        (lambda m, n, x: n.float(), None),
        (lambda m, n, x: m.float() * INF, None),  # nan among them
        (lambda m, n, x: m.float().view(torch.int32), None),
        (lambda m, n, x: m.to(torch.complex64) * 2, None),
        (lambda m, n, x: m.double() * torch.full((), 0.1), None),  # of two float types
    ],
)
def test_what_is_known(function, numbers):
    assert found(function) == numbers


def test_sizes_are_no_numbers():
    def function(m, n, x):
        return [m.float() * x.shape[0]]

    with compile_context():
        module = import_graph(make_fx(function, tracing_mode="symbolic")(torch.rand(3, 4) < 0.5, torch.ones(3, 4), torch.ones(3, 4))).module
        *_, ending = module.body.operations[0].regions[0].blocks[0].operations
        assert possible_values(ending.operands[0]) is None
