"""Graphs with conjugate and negative views as graphs of plain tensors."""

import pytest
import torch
from mlirind.frontend.calls.view_bits import plain_graph
from mlirind.torch_internals.fake_tensors import FakeTensorMode
from mlirind.torch_internals.tensors import storage_id
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

aten = torch.ops.aten


def traced(function, *inputs):
    return make_fx(function, tracing_mode="fake")(*inputs)


def targets(graph_module):
    return [node.target for node in graph_module.graph.nodes if node.op == "call_function"]


def test_a_graph_without_bits_is_left_alone():
    assert plain_graph(traced(lambda x: (x * 2,), torch.ones(3))) is None


def test_views_become_views_of_the_same_memory():
    function = lambda x: (aten._neg_view(aten.view_as_real(x).select(-1, 1)), aten._conj(x)[1:])  # noqa: E731
    made = plain_graph(traced(function, torch.ones(3, dtype=torch.complex64)))
    assert targets(made.graph_module) == [aten.view_as_real.default, aten.select.int, aten.slice.Tensor]
    assert not made.inputs and sorted(made.outputs) == [0, 1]
    values = [node.meta["val"] for node in made.graph_module.graph.nodes if node.op != "output"]
    assert len({*map(storage_id, values)}) == 1 and not any(v.is_conj() or v.is_neg() for v in values)


def test_each_clone_has_memory_of_its_own():
    made = plain_graph(traced(lambda x: (aten._conj(x).clone(), aten._conj(x).clone()), torch.ones(3, dtype=torch.complex64)))
    assert targets(made.graph_module) == [aten.conj_physical.default] * 2


def test_operators_share_the_value():
    def function(x):
        y = aten._conj(x)
        return aten.mm(y, y), aten.mm(x, y)

    made = plain_graph(traced(function, torch.ones(3, 3, dtype=torch.complex64)))
    assert targets(made.graph_module) == [aten.conj_physical.default, aten.mm.default, aten.mm.default]


def test_bits_can_be_set_again():
    """The graph with the bits is the original one, but for the order of its views."""
    x = torch.randn(3, 3, dtype=torch.complex64).conj()
    function = lambda x: (aten.mm(x, aten._conj(x)), aten.t(x), aten._neg_view(x))  # noqa: E731
    made = plain_graph(traced(function, x))
    graph = made.graph_module.graph
    made.set_bits(graph)
    made.graph_module.recompile()
    for got, want in zip(made.graph_module(x), function(x), strict=True):
        assert (got.is_conj(), got.is_neg(), got.stride()) == (want.is_conj(), want.is_neg(), want.stride())
        torch.testing.assert_close(got.resolve_conj(), want.resolve_conj())
    again = plain_graph(made.graph_module)
    assert sorted(again.inputs) == [0] and sorted(again.outputs) == [1, 2]


@pytest.mark.parametrize("bit", [False, True], ids=["without a bit", "with its bit"])
@pytest.mark.parametrize("number", [2j, -1 + 3j])
def test_a_conjugate_number(number, bit):
    """In gradients AOTAutograd traces a number in a tensor's position; the traced value may lack the bit."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    conjugate = graph.call_function(aten._conj.default, (number,))
    product = graph.call_function(aten.mul.Tensor, (x, conjugate))
    other = graph.call_function(aten._conj.default, (x,))
    graph.output((product, other))
    value = torch.ones(3, dtype=torch.complex64)
    with FakeTensorMode():
        x.meta["val"], product.meta["val"] = (torch.empty(3, dtype=torch.complex64) for _ in range(2))
        constant = torch.empty((), dtype=torch.complex128)
        conjugate.meta["val"] = constant.conj() if bit else constant
        other.meta["val"] = x.meta["val"].conj()
    made = plain_graph(fx.GraphModule(torch.nn.Module(), graph))
    torch.testing.assert_close(made.graph_module(value)[0], value * number.conjugate())
