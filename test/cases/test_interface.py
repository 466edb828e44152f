"""What goes into and comes out of a compiled function besides tensors, and the modes it can be called in."""

import collections
import dataclasses
import threading

import pytest
import torch
from mlirind.frontend.counters import counters
from mlirind.tools.backends import find_backend
from programs import HERE, ON_GPU, Programs, check, counting

programs = Programs()
Pair = collections.namedtuple("Pair", ["left", "right"])


@dataclasses.dataclass
class Answer:
    value: torch.Tensor
    note: str = "none"
    extra: torch.Tensor | None = None


torch.utils._pytree.register_dataclass(Answer)


@programs(lambda: (counting(4),))
def none_outputs(x):
    return None, x + 1, None


@programs(lambda: (counting(4),))
def nothing_returned(x):
    x + 1


@programs(lambda: (counting(4),))
def no_tensor_returned(x):
    return x.shape[0], "text", 3.5, True


@programs(lambda: (counting(4),))
def nested_outputs(x):
    return {"a": [x + 1, (x * 2, None)], "b": {"c": x.sum(), "d": 3}}


@programs(lambda: (counting(4),))
def dataclass_output(x):
    return Answer(x * 2, note="twice", extra=None)


@programs(lambda: (counting(4),))
def named_tuple_output(x):
    return Pair(x + 1, right=x - 1), x.max(0)


@programs(lambda: (counting(4), 3, 2.5, True, "sum", None))
def inputs_that_are_no_tensors(x, n, factor, flag, how, nothing):
    y = getattr(x * factor + n, how)()
    return y if flag and nothing is None else x


@programs(lambda: ({"x": counting(4), "more": [counting(2), (counting(3), 5)]},))
def nested_inputs(tree):
    first, (second, n) = tree["more"]
    return tree["x"].sum() + first.sum() * n + second.sum()


@programs(lambda: (counting(4), counting(5), counting(6)))
def unused_inputs(x, y, z):
    return y * 2


@programs(lambda: ())
def no_inputs():
    return torch.arange(5, device=HERE) * 2, torch.full((2, 2), 0.5, device=HERE)


@programs(lambda: (torch.tensor(3.0), torch.tensor(2)))
def scalars_as_tensors(x, n):
    return x * n, x.pow(n), x.reshape(1), n + 1, x.expand(3)


@programs(lambda: (torch.zeros(0, 3), torch.zeros(2, 0)))
def empty_tensors(x, y):
    return x + 1, y.sum(0), y.sum(1), x.t() @ x, torch.cat([x, torch.ones(1, 3)]), y.mean(), x.softmax(-1)


@programs(lambda: (counting(2, 3, 4, 5).to(memory_format=torch.channels_last),))
def channels_last(x):
    return x + 1, x.sum(1), torch.nn.functional.relu(x - 30), x * torch.ones(3, 1, 1), torch.empty_like(x).fill_(2)


@programs(lambda: (counting(6, 8)[::2, 1::3], counting(4, 5).t(), counting(2, 3, 4).permute(2, 0, 1)))
def strided_inputs(x, y, z):
    return x + 1, y * 2, z.exp(), z.sum(0), y.softmax(0), x.contiguous(), torch.cat([x, x], 1)


@programs(lambda: (counting(1, 4).expand(3, 4), counting(12).as_strided((4, 3), (2, 1))))
def inputs_that_overlap_themselves(x, y):
    return x + 1, x.sum(0), y * 2, y.sum(), y.clone(), x.clone()


@programs(lambda: (counting(4),))
def graph_break(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2, x


@programs(lambda: (counting(4),))
def branch_on_data(x):
    y = x * 2
    if y.sum() > 3:
        return y - 1
    return y + 1


@programs(lambda: (counting(4),))
def item_and_list(x):
    n = int(x.sum().item())
    return x + n, x.tolist()


@programs(lambda: (counting(4),))
def numpy_in_the_middle(x):
    return torch.from_numpy(x.numpy() * 2) + 1


@programs(lambda: (torch.randn(3, dtype=torch.complex64), torch.randn(3)))
def complex_numbers(z, x):
    return z * x, z.abs(), z.conj() + 1, torch.view_as_real(z), z.real, torch.complex(x, x)


@programs(lambda: (counting(3, 4),))
def sparse_in_the_middle(x):
    return torch.mm(x.to_sparse(), x.t()), x + 1


@programs(lambda: (torch.randn(100),))
def random_operators(x):
    noise = torch.rand_like(x)
    dropped = torch.nn.functional.dropout(x, 0.3, training=True)
    made = torch.randn(5, device=HERE), torch.randint(0, 9, (7,), device=HERE), torch.randperm(6, device=HERE)
    return noise, dropped, *made, torch.bernoulli(x.sigmoid())


@programs(lambda: (torch.randn(4, 8), torch.randn(8, 8)))
def autocast(x, w):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ w
        return y, torch.nn.functional.softmax(y, -1), y + x


@programs(lambda: (counting(4),))
def gradient_modes_inside(x):
    with torch.no_grad():
        y = x * 2
    with torch.enable_grad():
        z = x * 3
    return y, z.detach()


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(program, backend):
    if ON_GPU and program.name == "numpy_in_the_middle":
        pytest.skip("neither has an array of a tensor on a GPU: Dynamo says so in another exception")
    check(backend, program.fn, program.make_inputs)


def test_inference_mode(backend):
    fn = lambda x: (x.t() * 2, x.view(-1))  # noqa: E731
    compiled = torch.compile(fn, backend=backend)
    with torch.inference_mode():
        got = compiled(counting(3, 4))
        want = fn(counting(3, 4))
    assert all(torch.equal(a, b) and a.is_inference() for a, b in zip(got, want, strict=True))
    assert not compiled(counting(3, 4))[0].is_inference()


def test_dropout_gradient_is_of_the_same_mask(backend):
    x = torch.ones(1000, requires_grad=True)
    y = torch.compile(lambda x: torch.nn.functional.dropout(x, 0.5), backend=backend)(x)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_double_backward_raises_or_is_right(backend):
    """AOTAutograd refuses a second derivative through a compiled function, in words; it must never be wrong."""
    x = counting(4).requires_grad_()
    y = torch.compile(lambda x: (x**3).sum(), backend=backend)(x)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    torch.testing.assert_close(first.detach(), 3 * x.detach() ** 2)
    with pytest.raises(RuntimeError):
        torch.autograd.grad(first.sum(), x)


def test_second_derivative_inside_the_function(backend):
    def fn(x):
        with torch.enable_grad():
            y = (x.detach().requires_grad_() ** 3).sum()
        return y * 1

    check(backend, fn, lambda: (counting(4),))


def test_backward_twice(backend):
    x = counting(4).requires_grad_()
    y = torch.compile(lambda x: x.sin().mul(x).sum(), backend=backend)(x)
    y.backward(retain_graph=True)
    once = x.grad.clone()
    y.backward()
    torch.testing.assert_close(x.grad, 2 * once)


def test_unused_and_partial_gradients(backend):
    def fn(x, w, b):
        return x @ w + b, x.detach() * 2, (w * 2).sum()

    def make_inputs():
        return torch.randn(3, 4), torch.randn(4, 5, requires_grad=True), torch.randn(5, requires_grad=True)

    check(backend, fn, make_inputs, grad=True)
    w, b = torch.randn(4, 5, requires_grad=True), torch.randn(5, requires_grad=True)
    torch.compile(fn, backend=backend)(torch.randn(3, 4), w, b)[2].backward()
    assert torch.equal(w.grad, torch.full((4, 5), 2.0)) and (b.grad is None or not b.grad.any())


def test_autograd_function(backend):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x * 3  # not the true derivative: shows that this one was used

    check(backend, lambda x: Square.apply(x) + 1, lambda: (counting(4).requires_grad_(),), grad=True)


def test_checkpointed_segment(backend):
    """Activations computed again in the backward."""

    def fn(x, w):
        return torch.utils.checkpoint.checkpoint(lambda x: torch.tanh(x @ w).sin(), x, use_reentrant=False)

    check(backend, fn, lambda: (torch.randn(3, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)), grad=True)


def test_module_with_shared_parameters_and_hooks(backend):
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(10, 6)
            self.head = torch.nn.Linear(6, 10, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens):
            return self.head(self.embedding(tokens))

    torch.manual_seed(0)
    module = Tied()
    calls = []
    module.register_forward_hook(lambda *args: calls.append(1))
    tokens = torch.tensor([[1, 2, 2], [9, 0, 1]])
    compiled = torch.compile(module, backend=backend)
    grads = []
    for call in (module, compiled, compiled):
        module.zero_grad()
        call(tokens).square().sum().backward()
        grads.append(module.head.weight.grad.clone())
    torch.testing.assert_close(grads[1], grads[0])
    torch.testing.assert_close(grads[2], grads[0])
    assert len(calls) == 3


def test_threads_share_one_compiled_function(backend):
    """Many threads, several sizes: each gets its own answer, whoever compiles."""
    compiled = torch.compile(lambda x: torch.softmax(x * 2, -1) + x.sum(), backend=backend, dynamic=False)
    failures = []

    def work(seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        for size in (8, 16, 8, 24):
            x = torch.randn(3, size, generator=generator)
            if not torch.allclose(compiled(x), torch.softmax(x * 2, -1) + x.sum(), rtol=1e-5, atol=1e-5):
                failures.append((seed, size))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads) and not failures


def test_gradient_of_patches_of_an_empty_batch(backend):
    """The gradient of unfold scatters; with nothing to scatter its buffers have no memory."""
    x = torch.zeros(0, 1, 5, 5, requires_grad=True)
    torch.compile(lambda x: torch.nn.functional.unfold(x, 2, padding=1), backend=backend)(x).sum().backward()
    assert x.grad is not None and x.grad.shape == x.shape


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = torch.nn.Linear(8, 64), torch.nn.Linear(64, 64), torch.nn.Linear(64, 4)

    def forward(self, x):
        return self.third(self.second(self.first(x).relu()).tanh())


@pytest.mark.skipif(ON_GPU, reason="gloo is told to reduce on the CPU")
def test_distributed_data_parallel(tmp_path, monkeypatch):
    """Its buckets split the graph, and what is compiled of each part gives tensors without data when it is first called."""
    dist = torch.distributed
    monkeypatch.setattr(dist, "_DEFAULT_FIRST_BUCKET_BYTES", 1000)
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        module = torch.nn.parallel.DistributedDataParallel(Layers(), bucket_cap_mb=0.005)
        before = counters.compiled
        call = torch.compile(module, backend=find_backend("mlirind"), options={"fallback": False})
        x, gradients = torch.randn(5, 8), []
        for function in (call, call, module):
            module.zero_grad()
            function(x).sum().backward()
            gradients.append([p.grad.clone() for p in module.parameters()])
        torch.testing.assert_close(gradients[:2], [gradients[2]] * 2)
        assert counters.compiled - before > 2, "a forward and a backward of each part"
    finally:
        dist.destroy_process_group()
