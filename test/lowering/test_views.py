"""The coordinate maps of view operators against eager's views."""

import itertools

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.lowering.index import index_expr as ie
from mlirind.lowering.index.index_substitution import evaluate
from mlirind.lowering.views import is_view_operator, reshape_coordinates, view_coordinates
from one_call import OneCall

BASE = torch.arange(120).reshape(2, 3, 4, 5)
CASES = [
    ("aten.permute.default", BASE, [3, 0, 2, 1]),
    ("aten.transpose.int", BASE, 1, 3),
    ("aten.t.default", BASE[0, 0]),
    ("aten.t.default", BASE[0, 0, 0]),
    ("aten.expand.default", BASE[:, :1], [7, 2, 3, 4, 5]),
    ("aten.slice.Tensor", BASE, 2, 1, 4, 2),
    ("aten.slice.Tensor", BASE, 3, -2, 9223372036854775807, 1),
    ("aten.select.int", BASE, 1, 2),
    ("aten.select.int", BASE, 3, -1),
    ("aten.squeeze.default", BASE[:, :1, :, :1]),
    ("aten.squeeze.dim", BASE[:, :1], 1),
    ("aten.squeeze.dim", BASE, 1),
    ("aten.squeeze.dims", BASE[:, :1, :1], [1, 2]),
    ("aten.unsqueeze.default", BASE, 2),
    ("aten.unsqueeze.default", BASE, -1),
    ("aten.diagonal.default", BASE, 1, 1, 3),
    ("aten.diagonal.default", BASE, -1, 3, 2),
    ("aten.unfold.default", BASE, 3, 3, 2),
    ("aten.split.Tensor", BASE, 2, 2),
    ("aten.split.Tensor", BASE, 2, 3),
    ("aten.split_with_sizes.default", BASE, [1, 3], 2),
    ("aten.unbind.int", BASE, 1),
    ("aten.alias.default", BASE),
    ("aten.detach.default", BASE),
    ("aten.view.default", BASE, [6, 20]),
    ("aten.view.default", BASE, [4, 5, 6]),
    ("aten.view.default", BASE, [120]),
    ("aten.view.default", BASE, [2, 1, 3, 2, 2, 1, 5]),
    ("aten.view.default", BASE[:1, :1, :1, :1], []),
    ("aten._unsafe_view.default", BASE, [8, 15]),
    ("aten.as_strided.default", BASE, [3, 4], [20, 5], 7),
    ("aten.as_strided.default", BASE.permute(1, 0, 3, 2), [5, 2], [1, 60], 3),
    ("aten.as_strided.default", BASE, [4, 4], [1, 1], 2),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_coordinates(case: tuple) -> None:
    name, base, *rest = case
    call = OneCall(name, base, *rest)
    views = call.eager()
    assert is_view_operator(name)
    with compile_context():
        module, _ = call.build(views)
        op = module.body.operations[0].regions[0].blocks[0].operations[0].operation
        found = [view_coordinates(op, number) for number in range(len(views))]
    for view, coordinates in zip(views, found, strict=True):
        assert coordinates is not None
        for place in itertools.product(*map(range, view.shape)):
            variables = {("d", i): p for i, p in enumerate(place)}
            assert base[tuple(evaluate(c, variables) for c in coordinates)] == view[place]


def test_reshapes_are_affine_where_sizes_agree() -> None:
    """(a, b*c, d) seen as (a, b, c, d): no division."""
    coordinates = reshape_coordinates([2, 12, 5], [2, 3, 4, 5])
    assert coordinates == [ie.dim(0), ie.dim(1) * 4 + ie.dim(2), ie.dim(3)]


def test_views_that_are_not_known() -> None:
    call = OneCall("aten.as_strided.default", BASE[:, :2], [3, 4], [20, 5], 0)
    with compile_context():
        module, _ = call.build(call.eager())
        op = module.body.operations[0].regions[0].blocks[0].operations[0].operation
        assert view_coordinates(op) is None
