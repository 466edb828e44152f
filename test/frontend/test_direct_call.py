"""Graphs that are called without AOTAutograd's wrapper at runtime, and those that keep it: results are eager's either way."""

import sys

import pytest
import torch
from eager_comparison import difference
from mlirind.tools.backends import find_backend
from mlirind.torch_internals.direct_call import uses_own_operators
from torch import fx
from torch._higher_order_ops.out_dtype import out_dtype

LINEAR = torch.nn.Linear(8, 8)


def functions_called(call):
    """The names of the Python functions that run meanwhile."""
    names = []
    sys.setprofile(lambda frame, event, _: names.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
    return names


def is_direct(function, *arguments):
    """Whether a compiled function's graph is called directly. Compares two calls with eager."""
    torch._dynamo.reset()
    call = torch.compile(function, backend=find_backend("mlirind"), options={"fallback": False}, dynamic=False)
    for _ in range(2):
        inputs, others = ([a.clone() for a in arguments] for _ in range(2))
        want, got = function(*inputs), call(*others)
        assert difference([want, inputs], [got, others], rtol=1e-4, atol=1e-4) is None
        assert [w.requires_grad for w in want] == [g.requires_grad for g in got]
    return "runtime_wrapper" not in functions_called(lambda: call(*arguments))


def written(x):
    x.mul_(2)
    return (x + 1,)


def restored(x):
    torch.set_grad_enabled(False)
    y = x.exp()
    torch.set_grad_enabled(True)
    return (y,)


def test_graphs_with_nothing_else_to_do():
    x = torch.randn(8, 8)
    assert is_direct(lambda x: (x.sin() + 1, x.cos()), x)
    with torch.no_grad():
        assert is_direct(lambda x: (LINEAR(x),), x)


@pytest.mark.parametrize(
    "function",
    [written, lambda x: (x.t(), x + 1), lambda x: (LINEAR(x), x.t()), lambda x: (LINEAR(x).detach(),), lambda x: (x[1:], x.view(-1))],
)
def test_graphs_with_writes_views_or_gradients(function):
    assert not is_direct(function, torch.randn(8, 8))


def test_gradients_are_switched_as_in_eager():
    is_direct(restored, torch.randn(8, 8))
    assert torch.is_grad_enabled()


def test_autocast():
    with torch.autocast("cpu"):
        assert not is_direct(lambda x: (x @ x,), torch.randn(8, 8))


def test_a_tensor_given_twice():
    x = torch.randn(8)
    call = torch.compile(lambda a, b: a.sin() + b, backend=find_backend("mlirind"))
    torch.testing.assert_close(call(x, x), x.sin() + x)
    torch.testing.assert_close(call(x, x + 1), x.sin() + x + 1)


@pytest.mark.parametrize("host", ["native", "python"])
@pytest.mark.parametrize("training", [False, True])
def test_a_tensor_that_outlived_its_transform(training, host):
    kept = []
    torch.func.grad(lambda x: (kept.append(x), x.sum())[1])(torch.randn(4, 4))
    call = torch.compile(lambda a, b: (a * b).sin(), backend=find_backend("mlirind"), options={"host": host})
    with torch.set_grad_enabled(training):
        b = torch.randn(4, 4, requires_grad=training)
        for a in (torch.randn(4, 4), *kept, torch.ones(4, 4)):
            inner = torch._C._functorch.unwrap_if_dead(a)
            torch.testing.assert_close(call(a, b), (inner * b).sin())


@pytest.mark.parametrize("training", [False, True])
def test_zeros_without_memory(training):
    call = torch.compile(lambda a, b: (a * b).cos() + a, backend=find_backend("mlirind"))
    with torch.set_grad_enabled(training):
        b = torch.randn(4, 4, requires_grad=training)
        for a in (torch.randn(4, 4), torch._efficientzerotensor((4, 4)), torch.ones(4, 4)):
            torch.testing.assert_close(call(a, b), (a * b).cos() + a)


def test_control_flow_is_pytorchs_unless_a_subgraph_calls_a_custom_operator():
    def called(operator, caller=torch.ops.higher_order.cond):
        branch = fx.Graph()
        branch.output((branch.call_function(operator, (branch.placeholder("x"),)),))
        graph = fx.Graph()
        x = graph.placeholder("x")
        body = graph.get_attr("body")
        graph.output(graph.call_function(caller, (True, body, body, (x,))))
        return fx.GraphModule({"body": fx.GraphModule({}, branch)}, graph)

    assert not uses_own_operators(called(torch.ops.aten.sin.default))
    assert uses_own_operators(called(torch.ops.quantized.batch_norm.default))
    assert uses_own_operators(called(torch.ops.aten.sin.default, out_dtype))
