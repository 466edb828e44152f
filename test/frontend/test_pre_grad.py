"""The point before AOTAutograd: patterns on torch functions, where writes and views are still in the graph."""

import mlirind
import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.patterns import pre_grad
from mlirind.patterns import register_function_replacement
from torch.nn import functional as F

X, W, OUTSIDE = torch.randn(4, 8), torch.randn(8), torch.ones(8)


def search(x, w):
    return F.gelu(F.layer_norm(x, (8,), w)) * 2


def replace(x, w):  # another thing, to be told apart
    return F.relu(F.layer_norm(x, (8,), w)) * 3


register_function_replacement(search, replace, (X, W), name="test-norm-gelu")
register_function_replacement(lambda x: x.t() * 1, lambda x: x.t(), (X,), name="test-becomes-a-view")
register_function_replacement(lambda x: x.transpose(0, 1), lambda x: x.t(), (X,), name="test-view-to-view")
register_function_replacement(lambda x: x * torch.sigmoid(x), lambda x: F.silu(x), (X,), name="test-silu")
register_function_replacement(
    lambda x, w, b: F.relu(F.linear(x, w, b)),
    lambda x, w, b: F.relu(torch.addmm(b, x, w.t())),
    (X, torch.ones(3, 8), torch.ones(3)),
    name="test-linear",
)


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


def no_grad(x):
    with torch.no_grad():
        gate = torch.sigmoid(x)
    return x * gate


def enable_grad(x):
    with torch.no_grad():
        gate = torch.sigmoid(x)
        with torch.enable_grad():
            return x * gate


def set_grad_enabled(x):
    torch.set_grad_enabled(False)
    gate = torch.sigmoid(x)
    torch.set_grad_enabled(True)
    return x * gate


def autocast(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        x = x @ x.t()
        gate = torch.sigmoid(x)
    return x * gate


def found(function, *inputs, passes):
    """What the passes make of a function's graph."""
    graphs = []
    mlirind.register_pre_grad_pass(f"test-look-{id(graphs)}", lambda graph_module: graphs.append(graph_module.code))
    run(function, *inputs, passes=[passes, f"test-look-{id(graphs)}"])
    return graphs[0]


@pytest.mark.parametrize("function", [no_grad, enable_grad, set_grad_enabled, autocast])
def test_no_match_across_the_border_of_a_region(function):
    """Gradients, or dtypes, are others on both sides. Within a region the pattern is found."""
    assert "silu" not in found(function, X, passes="test-silu")
    x = X.clone().requires_grad_()
    want = torch.autograd.grad(function(x).sum(), x)[0]
    got = torch.autograd.grad(torch.compile(function, backend=backend, options={"pre_grad": "test-silu"})(x).sum(), x)[0]
    torch.testing.assert_close(got, want, rtol=0.02 if function is autocast else 1e-6, atol=0.05 if function is autocast else 1e-6)


def test_a_match_within_a_region():
    def within(x):
        with torch.no_grad():
            return x * torch.sigmoid(x)

    def in_half(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return F.relu(F.linear(x, torch.ones(3, 8), torch.ones(3))) * 1

    assert "silu" in found(within, X, passes="test-silu")
    assert "addmm" in found(in_half, X, passes="test-linear")


WRITES = {
    "a list": lambda y: torch._foreach_mul_([y], 2.0),
    "two lists": lambda y: torch._foreach_add_([torch.ones(4, 8), y], [y, torch.ones(4, 8)]),
    "out": lambda y: torch.sin(X, out=y),
    "several out": lambda y: torch.aminmax(X, dim=0, out=(y[0], y[1])),
    "a view of its data": lambda y: y.detach()[1:].mul_(2),
    "running statistics": lambda y: F.batch_norm(torch.arange(32.0).view(4, 8), y[0], y[1], training=True),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_that_no_version_counter_tells(name):
    def function(x):
        y = x + 1
        gate = torch.sigmoid(y)
        WRITES[name](y)
        return y * gate

    assert "silu" not in found(function, X, passes="test-silu")
    torch.testing.assert_close(run(function, X, passes="test-silu")[0], function(X))


def test_matches_in_a_row():
    """The second match's operand is what the first became."""

    def thrice(x):
        for _ in range(3):
            x = x * torch.sigmoid(x)
        return x, x * torch.sigmoid(x) + 1

    assert found(thrice, X, passes="test-silu").count("silu(") == 4
    torch.testing.assert_close(run(thrice, X, passes="test-silu")[0], thrice(X))


def test_operands_that_the_replacement_does_not_take():
    """More dims than it is written for; None, or a number, for a tensor."""
    w, b = torch.randn(3, 8), torch.randn(3)
    for function, x in ((lambda x: F.relu(F.linear(x, w, b)), X.view(2, 2, 8)), (lambda x: F.relu(F.linear(x, w, None)), X)):
        assert "addmm" not in found(function, x, passes="test-linear")
        torch.testing.assert_close(run(function, x, passes="test-linear")[0], function(x))
    assert "addmm" in found(lambda x: F.relu(F.linear(x, w, b)), X, passes="test-linear")


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
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=r"pre_grad: \[3\], want names"):
        run(lambda x: x + 1, X, passes=[3])


@pytest.mark.parametrize(
    ("search", "replace", "message"),
    [
        (lambda x, w: x + 1, lambda x, w: x + w, "search function does nothing with w"),
        (lambda x, w: x + 1, lambda x, w: x + 2, "search function does nothing with w"),
        (lambda x, w: (x * w, x), lambda x, w: (x, x * w), "search function returns a parameter"),
        (lambda x, w: [x * w] * 2, lambda x, w: [x * w] * 2, "search function returns a parameter"),
        (lambda x, w: x.add_(1) * w, lambda x, w: x * w, "search function writes, .*add_"),
        (lambda x, w: torch._foreach_mul_([x], 2.0) or x * w, lambda x, w: x * w, "search function writes, .*_foreach_mul_"),
        (lambda x, w: F.batch_norm(x, w, w + 1, training=True), lambda x, w: x * w, "search function writes, .*batch_norm"),
        (lambda x, w: x.sin() + w, lambda x, w: x.add_(w), "replace function writes"),
        (lambda x, w: no_grad(x) * w, lambda x, w: F.silu(x) * w, "changes how PyTorch computes .*set_grad_enabled"),
        (lambda x, w: (x + w, x - w), lambda x, w: x + w, "replace function gives"),
        (lambda x, w: x + w, lambda x, w: (x + w).sum(), "replace function gives"),
        (lambda x, w: x + w, lambda x, w: (x + w).double(), "replace function gives"),
        (lambda x, w: x.tanh() * w * OUTSIDE, lambda x, w: x.tanh() * w, "search function uses a tensor"),
        (lambda x, w: x.tanh() * w, lambda x, w: x.tanh() * w * OUTSIDE, "replace function uses a tensor"),
        (lambda x, w: x * w, lambda w, x: x * w, "takes w, x, the search function x, w"),
    ],
)
def test_what_is_no_pattern(search, replace, message):
    with pytest.raises(mlirind.errors.MlirindError, match=message):
        register_function_replacement(search, replace, (X, W), name="test-no-pattern")


def test_symbolic_sizes():
    function = torch.compile(with_writes, backend=backend, dynamic=True, options={"pre_grad": "test-norm-gelu"})
    for rows in (3, 5):
        x = torch.randn(rows, 8)
        torch.testing.assert_close(function(x, W), replace(x + 1, W) + x + 1)
