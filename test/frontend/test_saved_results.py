"""A forward saves copies of what its caller gets and may write to, and inputs in place of their views."""

import pytest
import torch
from mlirind.frontend.counters import counters
from mlirind.frontend.joint.saved_results import save_copies
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

pytestmark = pytest.mark.usefixtures("fresh_counters")


def attention(q, k, v):
    return ((q @ k.mT) * 0.3).softmax(-1) @ v


RESULTS = {
    "the result": attention,
    "a view": lambda q, k, v: attention(q, k, v).view(-1),
    "twice": lambda q, k, v: (attention(q, k, v), attention(q, k, v)),
    "used further": lambda q, k, v: (lambda o: (o, o.exp()))(attention(q, k, v)),
    "used by another": lambda q, k, v: (attention(q, k, v), attention(q, k, v) * 2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_that_the_caller_writes_is_not_what_was_saved(name, backend):
    """The fused operator saves its result, eager's attention does not. Equal calls whose results the caller gets stay two."""

    def run(fn):
        torch.manual_seed(0)
        inputs = [torch.randn(2, 4, n, 8, requires_grad=True) for n in (5, 6, 6)]
        results = fn(*inputs)
        results = list(results) if isinstance(results, tuple) else [results]
        results[0].mul_(3)
        return [r.detach() for r in results], torch.autograd.grad(sum(r.sum() for r in results), inputs)

    torch.testing.assert_close(run(torch.compile(RESULTS[name], backend=backend)), run(RESULTS[name]), rtol=1e-4, atol=1e-5)
    assert not counters.joint_unchanged and not counters.fallbacks


INPUTS = {
    "transposed": lambda x, w: torch.tanh(x @ w),
    "transposed and itself": lambda x, w: torch.tanh(x @ w) + torch.sin(x @ w.t()),
    "of a symbolic size": lambda x, w: torch.tanh(x.view(-1, 4).t() @ x @ w),
    "parts": lambda x, w: torch.mul(*w.chunk(2)) * x[:2],
    "parts of symbolic sizes": lambda x, w: torch.mul(*w.chunk(2)) * x[:2],
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("writes", [False, True])
def test_a_write_to_an_input_of_which_a_view_is_needed_is_an_error_of_the_backward(name, writes, backend):
    def gradients(fn):
        torch.manual_seed(0)
        x, w = torch.randn(6, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
        loss = fn(x, w).sum()
        if writes:
            with torch.no_grad():
                w.mul_(100)
        return torch.autograd.grad(loss, (x, w))

    compiled = torch.compile(INPUTS[name], backend=backend, dynamic="symbolic" in name)
    if not writes:
        torch.testing.assert_close(gradients(compiled), gradients(INPUTS[name]))
        return
    for function in (INPUTS[name], compiled):
        with pytest.raises(RuntimeError, match="modified (by an inplace operation|inplace)"):
            gradients(function)


def test_views_of_results_are_saved_as_views_of_one_copy():
    def forward(x):
        y = x + 1
        first, second = y.split(2)
        return y, x * 2, second, first, y.expand(3, 4, 4), x

    with FakeTensorMode():
        graph = make_fx(forward)(torch.empty(4, 4))
    save_copies(graph, 2, frozenset())
    given = forward(torch.eye(4))
    found = graph(torch.eye(4))
    torch.testing.assert_close(found, given)
    assert [t.stride() for t in found] == [t.stride() for t in given]
    assert [n.target for n in graph.graph.nodes].count(torch.ops.aten.clone.default) == 1
    places = [t.untyped_storage().data_ptr() for t in found]
    assert places[0] != places[2] == places[3] == places[4]
