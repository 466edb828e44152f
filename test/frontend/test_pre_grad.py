"""The point before AOTAutograd: patterns on torch functions, where writes and views are still in the graph."""

import mlirind
import pytest
import torch
from mlirind.frontend import pre_grad
from mlirind.frontend.backend import mlirind as backend
from mlirind.patterns import register_function_replacement
from torch.nn import functional as F

X, W = torch.randn(4, 8), torch.randn(8)


def search(x, w):
    return F.gelu(F.layer_norm(x, (8,), w)) * 2


def replace(x, w):  # another thing, to be told apart
    return F.relu(F.layer_norm(x, (8,), w)) * 3


register_function_replacement(search, replace, (X, W), name="test-norm-gelu")
register_function_replacement(lambda x: x.t() * 1, lambda x: x.t(), (X,), name="test-becomes-a-view")
register_function_replacement(lambda x: x.transpose(0, 1), lambda x: x.t(), (X,), name="test-view-to-view")
register_function_replacement(lambda x: x.sin() + 1, lambda x: x.add_(1), (X,), name="test-writes")


def lose_a_write(graph_module):
    for node in list(graph_module.graph.nodes):
        if node.target == "add_":
            node.replace_all_uses_with(node.args[0])
            graph_module.graph.erase_node(node)


def widen(graph_module):
    (result,) = graph_module.graph.output_node().args[0]
    with graph_module.graph.inserting_after(result):
        made = graph_module.graph.call_method("double", (result,))
    graph_module.graph.output_node().args = ((made,),)


def fail(graph_module):
    raise ValueError("no")


for name, run in {"test-lose": lose_a_write, "test-widen": widen, "test-pre-grad-fail": fail}.items():
    mlirind.register_pre_grad_pass(name, run)


pytestmark = pytest.mark.usefixtures("fresh_counters")


def run(function, *inputs, passes):
    inputs = [i.clone() for i in inputs]
    return torch.compile(function, backend=backend, options={"pre_grad": passes, "fallback": False})(*inputs), inputs


def with_writes(x, w):
    x = x + 1
    y = F.gelu(F.layer_norm(x, (8,), w)) * 2
    y.add_(x)
    return y


def test_a_pattern_on_torch_functions():
    """Found in a graph that writes elsewhere, forward and backward."""
    got, _ = run(with_writes, X, W, passes="test-norm-gelu")
    torch.testing.assert_close(got, replace(X + 1, W) + X + 1)
    w = W.clone().requires_grad_()
    torch.compile(with_writes, backend=backend, options={"pre_grad": ["test-norm-gelu"]})(X, w).sum().backward()
    want = torch.autograd.grad(replace(X + 1, other := W.clone().requires_grad_()).sum(), other)[0]
    torch.testing.assert_close(w.grad, want)


def another_number(x, w):
    return F.gelu(F.layer_norm(x, (8,), w)) * 4


def another_approximation(x, w):
    return F.gelu(F.layer_norm(x, (8,), w), approximate="tanh") * 2


def used_outside(x, w):
    y = F.layer_norm(x, (8,), w)
    return F.gelu(y) * 2, y


def written_within(x, w):
    y = F.layer_norm(x, (8,), w)
    y.add_(1)
    return F.gelu(y) * 2


def input_written_in_between(x, w):
    y = F.layer_norm(x, (8,), w)
    w.zero_()
    return F.gelu(y) * 2


@pytest.mark.parametrize("function", [another_number, another_approximation, used_outside, written_within, input_written_in_between])
def test_what_is_no_match(function):
    got, inputs = run(function, X, W, passes="test-norm-gelu")
    mine = [X.clone(), W.clone()]
    torch.testing.assert_close(got, function(*mine))
    torch.testing.assert_close(inputs, mine)


def test_memory_stays_what_it_is():
    """A copy does not become a view, a view may become another."""

    def copies(x):
        y = x.t() * 1
        y.add_(1)
        return y, x * 2

    def views(x):
        x = x * 1
        y = x.transpose(0, 1)
        y.add_(1)
        return x * 2

    for function in (copies, views):
        got, _ = run(function, X, passes="test-becomes-a-view, test-view-to-view")
        torch.testing.assert_close(got, function(X.clone()))


def test_a_replacement_that_writes_is_refused():
    got, inputs = run(lambda x: x.sin() + 1, X, passes="test-writes")
    torch.testing.assert_close((got, inputs), (X.sin() + 1, [X]))


def test_passes_that_change_what_a_caller_sees_are_told():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="pass 'test-lose' changed which inputs are written"):
        run(lambda x: x.add_(1) * 2, X, passes="test-lose")
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="pass 'test-widen' changed a result from .*float32.* to .*float64"):
        run(lambda x: x + 1, X, passes="test-widen")
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="pass 'test-pre-grad-fail' failed: ValueError: no"):
        run(lambda x: x + 1, X, passes="test-pre-grad-fail")


def test_mistakes_are_told():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="unknown pass 'test-norm': did you mean test-norm-gelu"):
        run(lambda x: x + 1, X, passes="test-norm")
    with pytest.raises(mlirind.errors.MlirindError, match="registered twice"):
        pre_grad.register_pre_grad_pass("test-widen", widen)
    with pytest.raises(mlirind.errors.MlirindError, match="does nothing with w"):
        register_function_replacement(lambda x, w: x + 1, lambda x, w: x + w, (X, W), name="test-unused")


def test_symbolic_sizes():
    function = torch.compile(with_writes, backend=backend, dynamic=True, options={"pre_grad": "test-norm-gelu"})
    for rows in (3, 5):
        x = torch.randn(rows, 8)
        torch.testing.assert_close(function(x, W), replace(x + 1, W) + x + 1)
