"""Calls that PyTorch orders by tokens: checks of linear algebra, and custom operators with effects. They happen, once, in eager's order,
and what the caller sees when one raises is what `aot_eager` leaves."""

import pytest
import torch
from eager_comparison import difference
from mlirind.frontend.counters import counters
from programs import HERE, counting
from torch._higher_order_ops.effects import _EffectType, _register_effectful_op
from torch.utils.checkpoint import checkpoint

NOTES: list[tuple[str, float]] = []


def _noted(name: str, x: torch.Tensor) -> torch.Tensor:
    NOTES.append((name, round(x.sum().item(), 4)))
    return x


@torch.library.custom_op("mlirind_ordered_test::note", mutates_args=())
def note(x: torch.Tensor, name: str) -> torch.Tensor:
    return _noted(name, x) * 2


@torch.library.custom_op("mlirind_ordered_test::pair", mutates_args=())
def pair(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return _noted("pair", x) * 2, x + 1


@torch.library.custom_op("mlirind_ordered_test::many", mutates_args=())
def many(x: torch.Tensor, count: int) -> list[torch.Tensor]:
    _noted("many", x)
    return [x * n for n in range(count)]


note.register_fake(lambda x, name: torch.empty_like(x))
pair.register_fake(lambda x: (torch.empty_like(x), torch.empty_like(x)))
many.register_fake(lambda x, count: [torch.empty_like(x) for _ in range(count)])
note.register_autograd(lambda ctx, g: (note(g, "gradient"), None))
for _operator in (note, pair, many):
    _register_effectful_op(_operator, _EffectType.ORDERED)

HOSTS = {"native": {"host": "native"}, "python": {"host": "python"}, "aten": {"stop_after": "aten"}}


def square(*sizes: int) -> torch.Tensor:
    """A matrix, or several, that can be inverted and is positive definite."""
    n = sizes[-1]
    a = counting(*sizes, dtype=torch.float64).sin()
    return a @ a.mT + n * torch.eye(n, dtype=torch.float64)


def run(function, backend, inputs, options=None, **compile_options):
    """What a call gives or raises, the inputs and gradients after it, and the notes taken."""
    torch._dynamo.reset()
    NOTES.clear()
    inputs = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
    compiled = function if backend is None else torch.compile(function, backend=backend, options=options, **compile_options)
    try:
        given = compiled(*inputs)
        results = [r for r in (given if isinstance(given, tuple) else (given,)) if r.requires_grad]
        if results:
            sum(r.sum() for r in results).backward()
    except Exception as error:
        given = (type(error).__name__, str(error))
    return {"given": given, "inputs": inputs, "gradients": [x.grad for x in inputs], "notes": list(NOTES)}


def compare(backend, function, inputs, reference=None, options=None, **compile_options):
    """Compares with a backend's run (eager's: None); no graph of mlirind's may run uncompiled."""
    options = dict(options or {}, fallback=False) if callable(backend) else None
    want = run(function, reference, inputs, **(compile_options if reference else {}))
    found = difference(want, run(function, backend, inputs, options, **compile_options), rtol=1e-9, atol=1e-9)
    assert found is None, found
    assert not counters.fallbacks and not counters.joint_unchanged
    return want


def algebra(a, b):
    x = torch.relu(a) + a
    return (torch.linalg.inv(x) * 2 + b).sum(0), torch.linalg.solve(x, b).sin(), torch.linalg.cholesky(x @ x.mT) + 1


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("sizes", [(4, 4), (3, 5, 5)])
def test_linear_algebra(backend, sizes, training, host):
    inputs = square(*sizes).requires_grad_(training), counting(*sizes, dtype=torch.float64).requires_grad_(training)
    compare(backend, algebra, inputs, options=HOSTS[host])


def test_linear_algebra_with_symbolic_sizes(backend):
    function = lambda a, b: torch.linalg.solve(torch.relu(a) + a, b).sin()  # noqa: E731
    compiled = torch.compile(function, backend=backend, dynamic=True)
    for size in (4, 7):
        a, b = square(2, size, size).requires_grad_(), counting(2, size, size, dtype=torch.float64)
        want = torch.autograd.grad(function(a, b).sum(), a)
        assert difference(want, torch.autograd.grad(compiled(a, b).sum(), a), rtol=1e-8, atol=1e-8) is None
    assert not counters.fallbacks
    with pytest.raises(torch.linalg.LinAlgError, match=r"torch.linalg.solve: \(Batch element 1\)"):
        compiled(torch.stack([torch.eye(5), torch.zeros(5, 5)]).double(), torch.ones(2, 5, 5).double())
    assert not counters.fallbacks


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("function", [torch.linalg.inv, torch.linalg.cholesky, lambda a: torch.linalg.solve(a, a + 1)])
def test_what_a_bad_matrix_raises(backend, function, training, host):
    """With eager's type and text."""
    bad = torch.full((4, 4), 1.0, dtype=torch.float64)
    want = compare(backend, lambda a: function(a * 1) + 1, (bad.requires_grad_(training),), options=HOSTS[host])
    assert want["given"][0] == "_LinAlgError"


def writes_before(x, a):
    x.add_(1)
    return torch.linalg.inv(a)


def writes_around(x, a):
    x.add_(1)
    inverse = torch.linalg.inv(a)
    y = inverse @ x
    x.mul_(2)
    return y * 2


def writes_behind(x, a):
    inverse = torch.linalg.inv(a)
    x.add_(1)  # a kernel that could run before the check
    return inverse


def writes_a_part(x, a):
    inverse = torch.linalg.inv(a)
    x[1:3] = 7
    x.index_add_(0, torch.tensor([0, 3], device=HERE), a[:2])
    return inverse + x


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("matrix", ["good", "bad"])
@pytest.mark.parametrize("function", [writes_before, writes_around, writes_behind, writes_a_part])
def test_inputs_are_written_behind_what_may_raise(backend, function, matrix, host):
    """As with AOTAutograd, where all writes come last."""
    a = square(4, 4) if matrix == "good" else torch.ones(4, 4, dtype=torch.float64)
    compare(backend, function, (counting(4, 4, dtype=torch.float64), a), reference="aot_eager", options=HOSTS[host])


def noted(x):
    y = note(x.sin() + 1, "first")
    note(x, "unused")
    torch.ops.aten._print("printed")
    doubled, more = pair(y)
    return note(many(more * y, 3)[2], "last") + doubled


@pytest.mark.parametrize("host", HOSTS)
def test_custom_operators_happen_in_order(backend, host, capfd):
    want = compare(backend, noted, (counting(3, 4),), options=HOSTS[host])
    assert [name for name, _ in want["notes"]] == ["first", "unused", "pair", "many", "last"]
    assert capfd.readouterr().out.count("printed") == 2


def noted_training(x, w):
    y = note(x * w, "first").relu()
    return note(y @ w, "second") + y


def inverse_in_checkpoint(x, w):
    return checkpoint(lambda a: torch.linalg.inv(a @ w).cos(), x, use_reentrant=False) * 2


@pytest.mark.parametrize("options", [{}, {"host": "python"}, {"partition": "default"}, {"activation_memory_budget": 0.1}])
@pytest.mark.parametrize("function", [noted_training, inverse_in_checkpoint])
def test_effects_in_training(backend, function, options):
    """Forward's and backward's, once each."""
    compare(backend, function, (square(4, 4).requires_grad_(), square(4, 4).cos().requires_grad_()), options=options)


def fails_between(x, i):
    early = x.sin()
    note(x, "before")
    y = x[i].cos() + early[:2]
    note(x, "behind")
    return early, y


def fails_before(x, i):
    y = x[i] * 2
    z = note(x, "behind")
    return (y.cos() + z[:2]).sum()  # a kernel that could look up the index too


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("function", [fails_before, fails_between])
def test_a_failing_kernel_keeps_its_place_among_effects(backend, function, host):
    compiled = torch.compile(function, backend=backend, options=HOSTS[host] if callable(backend) else None)
    NOTES.clear()
    with pytest.raises(IndexError):
        compiled(counting(4), torch.tensor([0, 9]))
    assert [name for name, _ in NOTES] == ["before"] * (function is fails_between)
