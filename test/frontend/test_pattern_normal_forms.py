"""A search function is found however the compiler's passes write what it computes: it goes through the same ones as graphs do."""

import functools

import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.runtime.report import collect_reports
from test_patterns import forgotten, register

__all__ = ["forgotten"]  # the fixture, which runs around every test


def is_found(search, examples, args):
    """Whether a pattern is found in a graph that computes its search function and uses the results."""
    replace = functools.wraps(search)(lambda *given, **named: search(*given, **named).erfinv())
    register(search, replace, examples, name="p")
    torch._dynamo.reset()
    with collect_reports(stages=True) as reports, torch.no_grad():
        torch.compile(lambda *given: search(*given) * 1.5, backend=backend, options={"fallback": False})(*args)
    return "aten.erfinv" in reports[0].stages["aten"]


@pytest.mark.parametrize(
    ("search", "sizes", "others"),
    [
        # With the examples' sizes the second view lies as what the first one shows.
        (lambda x: x.sin().view(-1, 4).view(-1, 3).cos(), [(4, 3)], [(12, 8)]),
        (lambda x: x.sin()[:4].cos(), [(4, 3)], [(8, 3)]),
        (lambda x: x.sin().t().reshape(-1, 4).view(-1, 6).exp(), [(12, 6)], [(24, 12)]),
        (lambda x, y: torch.cat([torch.cat([x, y]), x]).sin(), [(4, 3), (5, 3)], [(2, 3), (7, 3)]),
        (lambda x, y: torch.cat([x, y, x], 1)[:, 1:].sin(), [(4, 3), (4, 5)], [(4, 3), (4, 2)]),
        (lambda x: x.sin() + torch.full((3,), 2.0).cumsum(0), [(4, 3)], [(7, 3)]),
        (lambda x: (x.sin() * torch.ones(3)).exp(), [(4, 3)], [(7, 3)]),
    ],
)
def test_what_passes_write_otherwise(search, sizes, others):
    assert is_found(search, [torch.rand(s) for s in sizes], [torch.rand(s) for s in others])
