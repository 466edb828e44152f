"""Programs whose eager results differ between CPU and GPU: kernels for GPUs give the GPU's. The evaluator of Triton's IR runs them."""

import math

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from fake_gpu import backend_on, fake_gpu

INF, NAN = math.inf, math.nan
x = torch.tensor([0.0, -0.0, -1.5, 2.5, 49.0, INF, -INF, NAN])
plus = torch.where(x == 0, 0.0, x)  # of two zeros the greater
half = x.half()
SIXTH = torch.tensor(1.0) / 6

# A function of a tensor, the tensor, what eager gives on a GPU.
PROGRAMS = {
    "relu": (torch.relu, x, torch.where(x < 0, 0.0, plus)),
    "clamp": (lambda x: x.clamp(0, 1), x, torch.where(x < 0, 0.0, plus).clamp(max=1)),
    "clamp to a negative zero": (lambda x: x.clamp(max=-0.0), x, torch.where(x >= 0, -0.0, x)),
    "clamp without a bound": (lambda x: (x.clamp(min=NAN), x.clamp(max=NAN), x.clamp(0.0, NAN)), x, (x, x, torch.full_like(x, NAN))),
    "a quotient by a number": (lambda x: x / 49, x, x * (torch.tensor(1.0) / 49)),
    "a truncated quotient": (lambda x: torch.div(x, 49, rounding_mode="trunc"), x, (x * (torch.tensor(1.0) / 49)).trunc()),
    "a mean": (lambda x: x.mean(0), torch.arange(7.0), torch.arange(7.0).sum() * (torch.tensor(1.0) / 7)),
    "a product with a tensor without dimensions": (lambda x: x * torch.full((), 1.2345), half, half * torch.tensor(1.2345).half()),
    "addcdiv": (
        lambda x: torch.addcdiv(x, x, x + 3, value=0.7),
        torch.tensor([0.5, 49.0]),
        (torch.tensor([0.5, 49.0]).double() + 0.7 * (torch.tensor([0.5, 49.0]) / torch.tensor([3.5, 52.0])).double()).float(),
    ),
    "sums of negative zeros": (lambda x: x.sum(1), torch.tensor([[-0.0] * 4, [-0.0, 0.0, 1.0, -1.0]]), torch.zeros(2)),
    "the sum of one negative zero": (lambda x: x.sum(1), torch.tensor([[-0.0], [2.0]]), torch.tensor([0.0, 2.0])),
    "running sums of negative zeros": (lambda x: x.cumsum(1), torch.tensor([[-0.0, -0.0]] * 2), torch.zeros(2, 2)),
    "the running sums of one row": (lambda x: x.cumsum(0), torch.tensor([-0.0, -0.0]), torch.tensor([-0.0, -0.0])),
    "a root of float16": (lambda x: x**0.5, half, half.sqrt()),
    "a cube of float16": (lambda x: x**3, half, (half * half) * half),
    "hardsigmoid in double": (F.hardsigmoid, torch.tensor([0.0, 4.0]).double(), torch.tensor([3.0, 6.0]).double() * float(SIXTH)),
    "hardswish": (F.hardswish, torch.tensor([1.0, -4.0, 5.0]), torch.tensor([4.0, -0.0, 30.0]) * SIXTH),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name):
    torch._dynamo.reset()
    function, given, want = PROGRAMS[name]
    with fake_gpu() as gpu:
        got = torch.compile(function, backend=backend_on())(given)
    assert difference(want, got, rtol=0, atol=0) is None and gpu.launches
    signs = [torch.signbit(t.nan_to_num()) for t in (want, got)] if isinstance(want, torch.Tensor) else []
    assert not signs or torch.equal(*signs)


PRODUCTS = {
    "rows by columns": (lambda a, b: a @ b, (8, 64), (64, 64)),
    "one row": (lambda a, b: (a @ b).relu(), (1, 200), (200, 3)),
    "one term": (lambda a, b: a @ b, (33, 1), (1, 70)),
    "transposed": (lambda a, b: a.T @ b.T, (31, 5), (40, 31)),
    "batches": (lambda a, b: a @ b, (3, 1, 65), (3, 65, 40)),
    "with a bias": (lambda a, b: torch.addmm(b[0], a, b, beta=2, alpha=0.5), (5, 33), (33, 7)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("name", PRODUCTS)
def test_small_products_are_kernels(name, dtype):
    torch._dynamo.reset()
    function, *shapes = PRODUCTS[name]
    torch.manual_seed(0)
    given = [torch.randn(shape).to(dtype) for shape in shapes]
    with fake_gpu() as gpu:
        got = torch.compile(function, backend=backend_on())(*given)
    want = function(*(t.double() for t in given))
    assert len(gpu.launches) == 1
    torch.testing.assert_close(got.double(), want, atol=100 * torch.finfo(dtype).eps, rtol=2 * torch.finfo(dtype).eps)


def test_larger_products_are_the_librarys():
    torch._dynamo.reset()
    with fake_gpu() as gpu:
        torch.compile(lambda a, b: a @ b, backend=backend_on())(torch.randn(9, 64), torch.randn(64, 64))
    assert not gpu.launches


def test_a_loss_of_shifted_logits_and_its_gradient():
    """The loss and two numbers a row in one kernel; the gradient, with the zeros of the last row, in another."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    targets = torch.tensor([0, 1499, -100, 7, 7])

    def loss(logits):
        return F.cross_entropy(logits[:-1].float(), targets)

    found, wanted = (torch.randn(6, 1500, generator=torch.Generator().manual_seed(1)).bfloat16().requires_grad_() for _ in range(2))
    with fake_gpu() as gpu:
        total = torch.compile(loss, backend=backend_on())(found)
        total.backward()
    loss(wanted).backward()
    torch.testing.assert_close(total, loss(wanted))
    torch.testing.assert_close(found.grad, wanted.grad, rtol=1e-2, atol=1e-6)
    large = [n for n in gpu.launches if n.grid > 1]
    assert len(large) <= 3, [n.name for n in large]
