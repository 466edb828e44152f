"""Training graphs that are called without AOTAutograd's wrappers: gradients, errors and hooks are eager's, and what is not ordinary goes
AOTAutograd's way."""

import contextvars
import threading

import pytest
import torch
from eager_comparison import difference
from mlirind.tools.backends import find_backend
from test_direct_call import functions_called
from torch.multiprocessing.reductions import StorageWeakRef

WRAPPERS = {"runtime_wrapper", "_backward_prologue", "_backward_prologue_functional"}


def compiled(function, **keywords):
    torch._dynamo.reset()
    return torch.compile(function, backend=find_backend("mlirind"), options={"fallback": False}, **{"dynamic": False, **keywords})


def leaves(*tensors):
    return [t.detach().clone().requires_grad_(t.is_floating_point()) for t in tensors]


def step(function, *inputs):
    """Outputs and gradients; every output that has a gradient is weighed."""
    outputs = function(*inputs)
    total = sum((o * (n + 2)).sum() for n, o in enumerate(outputs) if isinstance(o, torch.Tensor) and o.requires_grad)
    total.backward()
    return [o.detach() if isinstance(o, torch.Tensor) else o for o in outputs], [i.grad for i in inputs]


def is_direct(function, *tensors, **keywords):
    """Whether a training step goes by no wrapper of AOTAutograd's. Compares two with eager ones."""
    call = compiled(function, **keywords)
    for _ in range(2):
        ours, theirs = leaves(*tensors), leaves(*tensors)
        assert difference([step(function, *theirs), theirs], [step(call, *ours), ours], rtol=1e-4, atol=1e-4) is None
    inputs = leaves(*tensors)
    return not WRAPPERS & set(functions_called(lambda: step(call, *inputs)))


def chain(x, y):
    return ((x * y).tanh().exp() * x,)


X, Y = torch.randn(4, 4), torch.randn(4, 4)


@pytest.mark.parametrize(
    "function",
    [
        chain,
        lambda x, y: (x.exp() * y, (x * y).detach(), y.sigmoid()),  # one output without a gradient
        lambda x, y: (torch.nn.functional.linear(x[None], y), x.shape[0]),  # a view that is unsafe; a number
        lambda x, y: (x.t().contiguous() @ y, (x > 0)),
        lambda x, y: (x.exp()[:, ::2] * y[::2, ::2].sum(),),
        lambda x, y: (torch.cat([x, y]).cumsum(0), x * 2),
    ],
)
def test_ordinary_training(function):
    assert is_direct(function, X, Y)


def test_symbolic_sizes():
    assert is_direct(chain, torch.randn(5, 3), torch.randn(5, 3), dynamic=True)
    call = compiled(chain, dynamic=True)
    for rows in (3, 7):
        x, y = torch.randn(rows, 3), torch.randn(rows, 3)
        ours, theirs = leaves(x, y), leaves(x, y)
        assert difference(step(chain, *theirs), step(call, *ours), rtol=1e-4, atol=1e-4) is None


def test_running_statistics_are_written_and_counted():
    ours, theirs = leaves(X), leaves(X)
    module = torch.nn.BatchNorm1d(4)

    def function(x):
        return (module(x).relu(),)

    call = compiled(function)
    version = module.running_mean._version
    got = step(call, *ours)
    assert module.running_mean._version > version
    mean = module.running_mean.clone()
    module.reset_running_stats()
    assert difference(step(function, *theirs), got, rtol=1e-4, atol=1e-4) is None
    torch.testing.assert_close(module.running_mean, mean)


@pytest.mark.parametrize("function", [lambda x, y: (x.t(), x + y), lambda x, y: (y * 2, x.view(-1))])
def test_views_stay_with_aot_autograd(function):
    assert not is_direct(function, X, Y)


def test_written_inputs():
    def function(x, y, n):
        n.add_(1)
        return (x * y * n,)

    is_direct(function, X, Y, torch.arange(4))
    n = torch.arange(4)
    compiled(function)(X, *leaves(Y), n)
    assert n._version > 0 and n.tolist() == [1, 2, 3, 4]
    x, y = leaves(X, Y)
    z = y * 1
    (result,) = compiled(lambda x, z: (z.mul_(2) * x,))(x, z)
    result.sum().backward()
    torch.testing.assert_close(z, Y * 2)
    torch.testing.assert_close(y.grad, X * 2)


def test_autocast():
    def function(x, y):
        return (x @ y,)

    with torch.autocast("cpu"):
        assert is_direct(function, X, Y)
        x, y = leaves(X, Y)
        call = compiled(function)
        (z,) = call(x, y)
        assert z.dtype == torch.bfloat16
        z.float().sum().backward()  # within autocast too
    assert x.grad.dtype == torch.float32


def test_a_graph_that_is_kept():
    x, y = leaves(X, Y)
    (z,) = compiled(chain)(x, y)
    z.sum().backward(retain_graph=True)
    once = x.grad.clone()
    z.sum().backward()
    torch.testing.assert_close(x.grad, once * 2)
    with pytest.raises(RuntimeError, match="a second time"):
        z.sum().backward()


def test_gradients_of_gradients_are_refused():
    x, y = leaves(X, Y)
    (z,) = compiled(chain)(x, y)
    (gradient,) = torch.autograd.grad(z.sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="double backward"):
        gradient.sum().backward()


def test_a_saved_input_that_is_written():
    x, y = leaves(X, Y)
    (z,) = compiled(chain)(x, y)
    with torch.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_saved_tensors_go_through_hooks():
    x, y = leaves(X, Y)
    call = compiled(chain)
    packed, unpacked = [], []

    def pack(tensor):
        packed.append(tensor.shape)
        return tensor * 2

    def unpack(tensor):
        unpacked.append(tensor.shape)
        return tensor / 2

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        (z,) = call(x, y)
    z.sum().backward()
    assert packed and packed == unpacked
    theirs = leaves(X, Y)
    step(lambda a, b: [o / 2 for o in chain(a, b)], *theirs)
    torch.testing.assert_close(x.grad, theirs[0].grad)


def test_saved_tensors_are_freed_with_the_backward():
    x, y = leaves(X, Y)

    def function(x, y):
        return ((x @ y).exp().sin().sum(),)

    (z,) = compiled(function)(x, y)
    node = z.grad_fn
    own = {x.data_ptr(), y.data_ptr()}
    saved = [StorageWeakRef(t.untyped_storage()) for t in node.saved_tensors if t.data_ptr() not in own]
    assert saved and not any(s.expired() for s in saved)
    z.backward()
    assert all(s.expired() for s in saved)
    with pytest.raises(RuntimeError, match="a second time"):
        _ = node.saved_tensors


def test_gradients_of_other_strides_and_hooks_on_tensors():
    x, y = leaves(X, Y)
    seen = []
    x.register_hook(lambda g: seen.append(g.clone()))
    (z,) = compiled(chain)(x, y)
    weights = torch.randn(4, 4)
    z.backward(weights.t())
    theirs = leaves(X, Y)
    chain(*theirs)[0].backward(weights.t())
    torch.testing.assert_close(x.grad, theirs[0].grad)
    torch.testing.assert_close(seen[0], theirs[0].grad)


def test_one_output_of_two():
    def function(x, y):
        return x.exp() * y, y.sin()

    x, y = leaves(X, Y)
    compiled(function)(x, y)[1].sum().backward()
    torch.testing.assert_close(y.grad, Y.cos())
    torch.testing.assert_close(x.grad, torch.zeros_like(X))


def test_an_input_whose_gradient_is_always_none():
    def function(x, y):
        return x.detach() * 2, y * 3

    x, y = leaves(X, Y)
    middle = x * 1
    first, second = compiled(function)(middle, y)
    second.sum().backward()
    assert x.grad is None and not first.requires_grad
    torch.testing.assert_close(y.grad, torch.full_like(Y, 3))
    middle.sum().backward()  # its graph is still there
    torch.testing.assert_close(x.grad, torch.ones_like(X))


def test_deterministic_algorithms_switched_on_between():
    x, y = leaves(X, Y)
    (z,) = compiled(chain)(x, y)
    torch.use_deterministic_algorithms(True)
    try:
        with pytest.raises(RuntimeError, match="deterministic"):
            z.sum().backward()
    finally:
        torch.use_deterministic_algorithms(False)


def test_backward_within_a_compiled_function():
    def function(x, y):
        (z,) = chain(x, y)
        z.sum().backward()
        return x.grad * 2

    ours, theirs = leaves(X, Y), leaves(X, Y)
    call = torch.compile(function, backend=find_backend("mlirind"))
    torch.testing.assert_close(call(*ours), function(*theirs))


def test_context_variables_reach_the_backward():
    name = contextvars.ContextVar("name", default="")
    seen = []

    @torch.library.custom_op("mlirind_test_training::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        seen.append(name.get())
        return x * 2

    twice.register_fake(torch.empty_like)
    twice.register_autograd(lambda ctx, g: twice(g))
    x, y = leaves(X, Y)
    name.set("here")
    (z,) = compiled(lambda x, y: (twice(x) * y,))(x, y)
    z.sum().backward()
    torch.testing.assert_close(x.grad, Y * 2)
    assert set(seen) == {"here"}


def test_threads():
    call = compiled(chain)
    step(call, *leaves(X, Y))
    theirs = leaves(X, Y)
    step(chain, *theirs)
    wrong = []

    def work():
        for _ in range(50):
            ours = leaves(X, Y)
            step(call, *ours)
            if not torch.allclose(ours[0].grad, theirs[0].grad, rtol=1e-4, atol=1e-5):
                wrong.append(ours)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_compiled_autograd():
    x, y = leaves(X, Y)
    (z,) = compiled(chain)(x, y)
    with torch._dynamo.compiled_autograd._enable(lambda graph: graph):
        z.sum().backward()
    theirs = leaves(X, Y)
    chain(*theirs)[0].sum().backward()
    torch.testing.assert_close(x.grad, theirs[0].grad)


def test_under_a_transform():
    def function(x, y):
        return chain(x, y)[0].sum()

    call = compiled(function)
    x, y = leaves(X, Y)
    call(x, y).backward()
    torch.testing.assert_close(torch.func.grad(call)(X, Y), x.grad)
    torch.testing.assert_close(torch.func.vmap(call)(X, Y), torch.func.vmap(function)(X, Y))
    torch.testing.assert_close(torch.func.grad(function)(X, Y), x.grad)


@pytest.mark.parametrize("views", [False, True])
def test_gradients_whose_memory_is_not_what_they_say(views):
    """Zeros without memory, and gradients with the negative bit; where outputs are views AOTAutograd's wrapper is on the way."""

    def function(x, y):
        z = x.sin() * y
        return (z.view(-1), x.cos(), x.t()) if views else (z.view(-1) * 2, x.cos())

    weights = torch.randn(16, dtype=torch.complex64)
    call, results = compiled(function), []
    for run in (function, function, call, call):
        x, y = leaves(X, Y)
        first, second, *_ = run(x, y)
        if len(results) % 2:
            torch.autograd.backward([first, second], [torch._efficientzerotensor((16,)), torch.ones(4, 4)])
        else:
            (torch.complex(first, second.reshape(-1)).conj() * weights).real.sum().backward()
        results.append([x.grad, y.grad])
    torch.testing.assert_close(results[2:], results[:2])


def test_batches_of_gradients():
    x, y = leaves(X, Y)
    weights = torch.randn(3, 4, 4)

    def gradients(function):
        (z,) = function(x, y)
        return torch.autograd.grad(z, [x, y], weights, is_grads_batched=True)

    torch.testing.assert_close(gradients(compiled(chain)), gradients(chain))

    def jacobian(function):
        return torch.autograd.functional.jacobian(lambda x: function(x, Y)[0], X, vectorize=True)

    torch.testing.assert_close(jacobian(compiled(chain)), jacobian(chain))


def test_hooks_that_give_other_tensors():
    call = compiled(chain)
    step(call, *leaves(X, Y))
    for unpack in (lambda t: t.bfloat16(), lambda t: t[:2], lambda t: t.to("meta")):
        x, y = leaves(X, Y)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
            (z,) = call(x, y)
        with pytest.raises(RuntimeError, match="saved_tensors_hooks"):
            z.sum().backward()
    x, y = leaves(X, Y)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: torch.complex(t, -t).conj().imag):
        (z,) = call(x, y)
    z.sum().backward()
    ours, theirs = [x, y], leaves(X, Y)
    step(lambda a, b: [o / 2 for o in chain(a, b)], *theirs)
    torch.testing.assert_close([t.grad for t in ours], [t.grad for t in theirs])
