"""Symbolic sizes: one compilation answers for every size, and what the sizes decide is decided anew for each."""

import math

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from mlirind.frontend.counters import counters as mlirind_counters
from mlirind.runtime.report import collect_reports
from programs import HERE
from torch._dynamo.utils import counters


def compilations() -> int:
    """How many graphs Dynamo has compiled in this process."""
    return counters["stats"]["unique_graphs"]


def check_sizes(backend, fn, make_inputs, sizes, graphs=1, grad=False, atol=1e-6):
    """`fn` for each of `sizes` shows eager's results, with `graphs` compilations in all (None: as many as Dynamo wants)."""
    compiled = torch.compile(fn, backend=backend, dynamic=True)
    before = compilations()
    for size in sizes:
        results = []
        for call in (fn, compiled):
            torch.manual_seed(0)
            inputs = make_inputs(*size) if isinstance(size, tuple) else make_inputs(size)
            outputs = call(*inputs)
            grads = None
            if grad:
                outputs.sum().backward()
                grads = [t.grad for t in inputs]
            results.append((outputs, grads, inputs))
        found = difference(*results, atol=atol)
        assert found is None, f"size {size}: {found}"
    assert graphs is None or compilations() - before == graphs
    assert not mlirind_counters.fallbacks


SIZES = [(4, 10), (3, 7), (16, 64), (5, 33), (6, 129)]


def two_matrices(n, m):
    return torch.randn(n, m), torch.randn(n, m)


PROGRAMS = {
    "pointwise": lambda x, y: (x * y + 1, torch.nn.functional.gelu(x) * y, (x > y).float()),
    "broadcast": lambda x, y: (x + y[:1], x * y[:, :1], x[0] + y[0, 0]),
    "reductions": lambda x, y: (x.sum(), x.mean(0), y.amax(1), x.var(1), (x * y).sum(-1, keepdim=True), y.argmax(1)),
    "softmax": lambda x, y: (x.softmax(-1), y.log_softmax(0), (x * y).softmax(1).sum(0)),
    "layer_norm": lambda x, y: torch.nn.functional.layer_norm(x, (x.shape[1],)) * y,
    "views": lambda x, y: (x.t() + y.t(), x.reshape(-1) * 2, x[:, None].expand(-1, 3, -1) + 1, x.flatten() + y.reshape(-1), x[1:, ::2]),
    "returned_views": lambda x, y: (x.t(), y.view(-1), x[1:], (x + y).t()),
    "cat_and_stack": lambda x, y: (torch.cat([x, y, x]), torch.cat([x, y], 1) * 2, torch.stack([x, y], 1)),
    "split": lambda x, y: [a * b for a, b in zip(x.chunk(2, 1), y.chunk(2, 1), strict=True)],
    "matmul": lambda x, y: (x @ y.t()).relu() @ y + x.shape[0],
    "creation": lambda x, y: (
        torch.arange(x.shape[1], device=HERE) * x,
        torch.ones(x.shape[0], 2),
        torch.full_like(y, 3),
        x.new_zeros(x.numel()),
    ),
    "sizes_in_values": lambda x, y: (x / x.shape[1] ** 0.5, y * x.numel(), x.sum() / (x.shape[0] + x.shape[1] // 2)),
    "sizes_returned": lambda x, y: (x.shape[0], x.shape[0] * x.shape[1] + 1, y.numel() // 2, x.shape),
    "pad_and_flip": lambda x, y: (torch.nn.functional.pad(x, (1, 2, 0, 1)), y.flip(1), x.roll(1, 0)),
    "causal_mask": lambda x, y: (x @ y.t()).masked_fill(torch.ones(x.shape[0], x.shape[0]).tril() == 0, float("-inf")).softmax(-1),
    "cumsum": lambda x, y: (x.cumsum(1), (y > 0).cumsum(0)),
    "gather": lambda x, y: (
        x.gather(1, y.argsort(1)),
        x[torch.arange(x.shape[0], device=HERE) // 2],
        x.index_select(1, torch.tensor([0, 2, 1], device=HERE)),
    ),
}

# Floats that are computed from sizes, as numbers of every kind.
FLOATS = {
    "operands": lambda x, y: (x / x.shape[0], x * x.shape[1] ** -0.5, y + 0.1 * y.shape[0], y > 1 / y.shape[0]),
    "dtypes": lambda x, y: (
        x.bfloat16() * (1 / x.shape[0]),
        x.half() / x.shape[0] ** 0.5,
        x.double() * 0.1 * x.shape[1],
        x.long() / x.shape[0],
    ),
    "arguments": lambda x, y: (
        x.clamp(-x.shape[0] / 9, x.shape[1] / 9),
        x.clamp(max=x.shape[0]),
        torch.sub(x, y, alpha=1 / x.shape[0]),
        x.masked_fill(y > 0, x.shape[0] / 3),
        torch.nn.functional.pad(x, (1, 1), value=1 / x.shape[0]),
        torch.full((x.shape[0], 1), 1 / x.shape[1]),
    ),
    "calls": lambda x, y: (torch.addmm(x, y, torch.eye(y.shape[1], device=HERE), alpha=x.shape[0] ** -0.5, beta=x.shape[0] / 2),),
    "functions": lambda x, y: (x * torch.sym_sqrt(x.shape[0]), y * (x.shape[0] / x.shape[1]) * 0.5),
    "returned": lambda x, y: (x.shape[0] / 2 + 1, x.shape[0] * 0.1, x + 1),
    "rounded": lambda x, y: (x[: math.ceil(x.shape[0] / 2)] * 2, x[: math.floor(x.shape[0] / 3)] + 1, y[: int(y.shape[0] * 0.5)] * 2),
    "positions": lambda x, y: (
        torch.outer(torch.arange(x.shape[0], device=HERE).float(), 1.0 / 10000 ** (torch.arange(0, 4, 2, device=HERE) / 4)).cos()
        / x.shape[0]
    ),
    "scaled_scores": lambda x, y: (x @ y.t() * (x.shape[-1] ** -0.5)).softmax(-1) @ y,
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats_of_sizes(backend, name):
    check_sizes(backend, FLOATS[name], two_matrices, SIZES, graphs=None if name in ("arguments", "rounded") else 1)


def test_gradients_through_floats_of_sizes(backend):
    fn = lambda x: (x.var(0) / x.shape[0]).sum() + (x / x.shape[0] ** 0.5).std() + x.mean() * (x.shape[0] / x.shape[1])  # noqa: E731
    check_sizes(backend, fn, lambda n, m: (torch.randn(n, m, requires_grad=True),), SIZES, grad=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(backend, name):
    check_sizes(backend, PROGRAMS[name], two_matrices, SIZES)


def test_sizes_that_multiply(backend):
    """Heads merged and split, as attention does."""

    def fn(x):
        b, s, h = x.shape
        heads = x.view(b, s, 4, h // 4).transpose(1, 2)
        scores = (heads @ heads.transpose(-1, -2)).softmax(-1)
        return (scores @ heads).transpose(1, 2).reshape(b, s, h) * 2

    check_sizes(backend, fn, lambda b, s: (torch.randn(b, s, 32),), SIZES, atol=1e-5)


def test_gradients(backend):
    def fn(x, w):
        return torch.nn.functional.layer_norm(torch.tanh(x @ w), (8,)).softmax(0)[:, :3].square()

    check_sizes(
        backend, fn, lambda n: (torch.randn(n, 5, requires_grad=True), torch.randn(5, 8, requires_grad=True)), [4, 7, 32], grad=True
    )


def test_strides_of_inputs(backend):
    """A transposed input is another graph than a contiguous one, and each is right for all sizes."""
    fn = lambda x: (x + 1, x.sum(0), x.softmax(-1))  # noqa: E731
    check_sizes(backend, fn, lambda n, m: (torch.randn(m, n).t(),), SIZES)
    check_sizes(backend, fn, lambda n, m: (torch.randn(n, m * 2)[:, ::2],), SIZES)
    check_sizes(backend, fn, lambda n, m: (torch.randn(n, m + 3)[:, 2:-1],), SIZES)


def test_written_input(backend):
    check_sizes(backend, lambda x, y: x.mul_(2).add_(y).sum(1), two_matrices, SIZES)


def test_empty_and_single(backend):
    """Dynamo specializes sizes 0 and 1: each is one more graph."""
    fn = lambda x, y: (x + y, x.sum(0), y.mean(), x.softmax(1) if x.shape[1] else x)  # noqa: E731
    check_sizes(backend, fn, two_matrices, [(3, 5), (1, 5), (3, 1), (0, 5), (3, 0), (4, 6)], graphs=5)


def test_static_after_automatic_dynamic(backend):
    """Without dynamic=True: the second size makes the size a symbol, the third compiles nothing. In PyTorch 2.11 calls from several threads
    (an earlier test's) can leave that switched off for the process."""
    compiled = torch.compile(lambda x: x.softmax(-1) * 2, backend=backend)
    before = compilations()
    with torch._dynamo.config.patch(automatic_dynamic_shapes=True, assume_static_by_default=True):
        for n in (5, 9, 17, 33):
            x = torch.randn(3, n)
            torch.testing.assert_close(compiled(x), x.softmax(-1) * 2)
    assert compilations() - before == 2


def test_integer_inputs_become_symbols(backend):
    check_sizes(backend, lambda x, n: (x * n, x + n // 2, torch.arange(n, device=HERE)), lambda n: (torch.randn(3), n), [4, 7, 11])


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, n: F.pad(x, (0, 0, n - x.shape[1], -1)),
        lambda x, n: F.pad(x, (0, n - x.shape[2])),
        lambda x, n: torch.fft.rfft(x, n + 5, 1).abs(),
    ],
)
@pytest.mark.parametrize("symbolic", [True, False])
def test_pads_that_only_cut_keep_the_order_of_strides(backend, fn, symbolic):
    """Also where a pad is 0, and in gradients: there the tracer says that the result is contiguous."""
    compiled = torch.compile(fn, backend=backend, dynamic=symbolic)
    for n in (5, 4):
        results = []
        for call in (fn, compiled):
            x = torch.linspace(-1, 1, 6 * 7 * n).view(n, 6, 7).transpose(0, 2).detach().requires_grad_()
            out = call(x, n)
            out.square().sum().backward()
            results.append((out, x.grad))
        assert difference(*results, atol=1e-5) is None


@pytest.mark.parametrize("name", ["nonzero", "item", "boolean_mask", "repeat_interleave"])
def test_sizes_that_data_decide(backend, name):
    """Unbacked symbols."""
    programs = {
        "nonzero": lambda x: (x.nonzero() * 2, (x > 0).nonzero().sum(0)),
        "item": lambda x: torch.zeros(int(x.abs().sum().item())) + 1,
        "boolean_mask": lambda x: (x[x > 0] + 1, x[x > 0].sum()),
        "repeat_interleave": lambda x: torch.repeat_interleave(x, x.abs().long()) * 2,
    }
    with torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(programs[name], backend=backend, dynamic=True)
        for n in (5, 8, 13):
            x = torch.arange(n) - 3.0
            found = difference(programs[name](x), compiled(x))
            assert found is None, f"size {n}: {found}"


def test_size_that_is_1_when_the_graph_runs(backend):
    """The length of a diagonal is an expression of two sizes; it was taken for the size that it is broadcast to."""

    def fn(x, y):
        return x.copy_(y.diagonal(-1).index_copy(0, torch.tensor([0], device=HERE), y.diagonal(-1))), x + y.diagonal(-1) * 2

    compiled = torch.compile(fn, backend=backend, dynamic=True)
    for _ in range(3):
        x, y = torch.arange(12.0).reshape(3, 4), torch.tensor([[-2.0], [5.0], [7.0]])
        expected, found = fn(x.clone(), y), compiled(x.clone(), y)
        assert all(torch.equal(a, b) for a, b in zip(expected, found, strict=True))


def test_windows(backend):
    """Their number is `max(1, n // 2)` and the like."""
    fn = lambda x: (F.unfold(x, 2, 1, 0, 2), F.unfold(x, (2, 3), 2, 1, 2))  # noqa: E731
    check_sizes(backend, fn, lambda n: (torch.randn(2, 3, n, n),), [5, 6, 8, 11])


@pytest.mark.parametrize("size", [(37, 3), (17000, 3), (2, 37, 5)])
@pytest.mark.parametrize("symbolic", [True, False])
def test_softmax_along_a_dimension_of_long_steps(backend, size, symbolic):
    """With few neighbours the lanes lie along the rows; what is kept between two sweeps lies in the result, a step apart too."""
    x = torch.randn(size)
    if symbolic:
        torch._dynamo.mark_dynamic(x, len(size) - 2)
    compiled = torch.compile(lambda x: (x.softmax(-2), x.exp() / x.exp().sum(-2, keepdim=True)), backend=backend)
    assert difference((x.softmax(-2), x.softmax(-2)), compiled(x), rtol=1e-5) is None


@pytest.mark.parametrize(
    ("fn", "sizes"),
    [
        (lambda x: F.pixel_shuffle(x, 2) * 2, [(2, 8, 3, 5), (3, 12, 4, 7), (4, 16, 2, 9)]),
        (lambda x: F.pixel_unshuffle(x, 2) * 2, [(2, 8, 4, 6), (3, 12, 6, 8), (2, 5, 8, 4)]),
        (lambda x: F.channel_shuffle(x, 2) * 2, [(2, 8, 3, 5), (3, 12, 4, 7), (2, 6, 2, 9)]),
    ],
    ids=["pixel_shuffle", "pixel_unshuffle", "channel_shuffle"],
)
def test_shuffles_are_one_kernel(fn, sizes):
    """Their sizes are quotients by quotients; every access is proved by sizes alone."""
    torch._dynamo.reset()
    with collect_reports() as reports:
        check_sizes("mlirind", fn, lambda *size: (torch.randn(size),), sizes, graphs=None)
    assert reports
    for report in reports:
        assert report.launches == 1 and not report.calls
        assert report.accesses.keys() == {"proved"}
