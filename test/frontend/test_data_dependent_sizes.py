"""Programs whose sizes depend on data, captured whole: eager's answers, compiled in parts around what makes the sizes."""

import pytest
import torch
from mlirind.errors import ResultNotAsDeclared
from mlirind.frontend import compile
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from torch._higher_order_ops.while_loop import while_loop

library = torch.library.Library("test_made_sizes", "FRAGMENT")
library.define("positive(Tensor x) -> Tensor")
library.impl("positive", lambda x: x[x > 0].clone(), "CPU")
library.define("wrong(Tensor x) -> Tensor")
library.impl("wrong", lambda x: x[x > 0].double(), "CPU")


library.define("few(Tensor x) -> Tensor")
library.impl("few", lambda x: x[x > 0].clone(), "CPU")


@torch.library.register_fake("test_made_sizes::few", lib=library)
def _few(x):
    return x.new_empty(torch.library.get_ctx().new_dynamic_size(max=5))


@torch.library.register_fake("test_made_sizes::positive", lib=library)
@torch.library.register_fake("test_made_sizes::wrong", lib=library)
def _fake(x):
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


@pytest.fixture(autouse=True)
def _captured(fresh_counters):
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        yield


def positions(x, w):
    found = (x * 2).relu().nonzero()
    return (found + 1).sum(0), found.float().sin() * 2


def masked(x, w):
    return (x.exp()[x > 0] * 2).sin(), w + 1


def selected(x, w):
    return torch.masked_select(x * w, x > 0).cos() + 1


def masked_twice(x, w):
    y = x[x > 0] * 2
    z = w[w > 0] + 1
    return y.sin(), z.cos(), y.sum() * z.sum()


def masked_again(x, w):
    y = x[x > -0.5].sin() * 3
    return y[y > 0] + 1


def number(x, w):
    count = (x > 0).sum().item()
    torch._check(count >= 2)
    return torch.arange(count) * 2.0, w * count


def sliced(x, w):
    count = (x > 0).sum().item()
    torch._check(count >= 0)
    torch._check(count <= 16)
    return w.reshape(-1)[:count].sin() + 1


def different(x, w):
    return (x * 3).long().unique() + 1


def repeated(x, w):
    return torch.repeat_interleave(w * 2, (x[:, 0] > 0).long() + 2, dim=0).sin()


def counted(x, w):
    return torch.bincount((x.reshape(-1) > 0).long() * 5 + 1) * 2


def parts(x, w):
    lengths = [(x > 0).sum().item(), (x <= 0).sum().item()]
    for length in lengths:
        torch._check(length >= 0)
    a, b = torch.split(w.reshape(-1), lengths)
    return a.sin() + 1, b.cos() * 2


def routed(x, w):
    """A layer with two experts."""
    scores = (x @ w).softmax(-1)
    out = torch.zeros_like(x)
    for expert in range(2):
        rows = (scores[:, expert] > 0.2).nonzero().squeeze(1)
        out = out.index_add(0, rows, (x[rows] @ w).relu() * (expert + 1))
    return out


def routed_by_masks(x, w):
    """In the backward of two masks, a call makes a size that the forward has made."""
    chosen = (x @ w).argmax(-1)
    out = torch.zeros_like(x)
    for expert in range(2):
        mask = chosen == expert
        out[mask] = x[mask] * w[expert]
    return out


def split_rows(x, w):
    """Sizes that are asserted not to exceed others."""
    count = (x[:, 0] > 0).sum().item()
    torch._check(count >= 0)
    torch._check(count <= x.shape[0])
    a, b = torch.split(w[: x.shape[0]] * 2, [count, x.shape[0] - count])
    return a.sum(0) + 1, b.sum(0) * 2


def own_operator(x, w):
    return torch.ops.test_made_sizes.positive(x * 2) + 1


def written(x, w):
    y = w[x > 0] + 1
    x.mul_(2)
    return y * 2


def view_of_written(x, w):
    view = x.t()
    total = w[w > 0].sum()
    out = view * 2 + total
    x.add_(total)
    return out, view + 1, x[0] * 2


def views_around(x, w):
    first, second = (x * 2).split(2)
    y = w[first.flatten().sum() + w > 0]
    return first + y.sum(), second.t() * 2, y + 1


def looped(x, w):
    """The backward is a loop that takes the values of each step from those of all."""
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, (a @ w).tanh()), (torch.tensor(0), x))[1] * 2


PROGRAMS = {
    f.__name__: f
    for f in (
        positions, masked, selected, masked_twice, masked_again, number, sliced, different, repeated, counted, routed, routed_by_masks,
        split_rows, own_operator, parts,
        written, view_of_written, views_around,
    )
}  # fmt: skip
DIFFERENTIABLE = {n: PROGRAMS[n] for n in ("masked", "selected", "masked_twice", "routed", "routed_by_masks", "split_rows", "sliced")}
DIFFERENTIABLE["looped"] = looped
# Inference of types takes unbacked sizes for their hints, of which PyTorch's assertions are not true, and not for equal.
UNVERIFIED = (sliced, split_rows, routed_by_masks, parts)


def results(function, seed, train=False):
    torch.manual_seed(seed)
    x, w = (torch.randn(4, 4).requires_grad_(train) for _ in range(2))
    outputs = function(x, w)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    if not train:
        return [*outputs, x, w]
    return [*outputs, *torch.autograd.grad(sum(o.square().sum() for o in outputs), (x, w), allow_unused=True)]


def check(given, wanted):
    torch.testing.assert_close(given, wanted, rtol=1e-5, atol=1e-5)
    assert [t.stride() for t in given if t is not None] == [t.stride() for t in wanted if t is not None]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_forward(name, dynamic):
    function = PROGRAMS[name]
    options = {"verify_each": function not in UNVERIFIED}
    compiled = torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True, options=options)
    with collect_reports() as reports:
        for seed in range(4):
            check(results(compiled, seed), results(function, seed))
    assert not counters.fallbacks and all(r.fallback is None for r in reports)
    assert any(r.name.endswith(".size") for r in reports)
    assert len({r.name for r in reports}) == len(reports)  # one compilation for all sizes


def test_experts_are_one_part():
    """The calls that choose rows follow one another."""
    with collect_reports() as reports:
        compiled = torch.compile(routed, backend=backend, fullgraph=True)
        check(results(compiled, 0), results(routed, 0))
    assert [r.name.partition(".")[2] for r in reports] == ["first", "size", "rest.size", "rest.rest"]


def test_draws_keep_their_order_around_sizes():
    def function(x, w):
        first = x.nonzero()
        drawn = torch.rand_like(x)
        second = (torch.rand_like(w) > 0.5).nonzero()
        return first + 1, second * 2, drawn

    compiled = torch.compile(function, backend=backend, fullgraph=True)
    torch.manual_seed(1)
    want = function(torch.ones(3, 3), torch.ones(4, 4))
    torch.manual_seed(1)
    torch.testing.assert_close(compiled(torch.ones(3, 3), torch.ones(4, 4)), want)


@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_position_may_be_small(at, monkeypatch):
    """A number that is in no size is not assumed to be at least 2."""

    def row(x, w):
        number = w.item()
        torch._check(number >= 0)
        torch._check(number < x.shape[0])
        return x[number].sin() + number

    falls_back = []
    monkeypatch.setattr(compile, "boxed_function", lambda forward: lambda inputs: falls_back.append(forward))
    compiled = torch.compile(row, backend=backend, fullgraph=True)
    x = torch.randn(4, 4)
    torch.testing.assert_close(compiled(x, torch.tensor(at)), row(x, torch.tensor(at)))
    assert not counters.fallbacks and not falls_back


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_training(name):
    function = DIFFERENTIABLE[name]
    compiled = torch.compile(function, backend=backend, fullgraph=True, options={"verify_each": function not in UNVERIFIED})
    for seed in range(3):
        check(results(compiled, seed, True), results(function, seed, True))
    assert not counters.fallbacks
    assert not counters.joint_unchanged or name == "looped"  # a joint graph with a loop has no passes run


@pytest.mark.parametrize("count", [0, 1, 2, 16])
@pytest.mark.parametrize("name", ["positions", "masked", "selected", "own_operator", "sliced", "masked_twice"])
def test_few_elements(name, count):
    x = torch.full((16,), -1.0)
    x[:count] = 1.0
    compiled = torch.compile(PROGRAMS[name], backend=backend, fullgraph=True)
    check(compiled(x.view(4, 4), x.view(4, 4)), PROGRAMS[name](x.view(4, 4), x.view(4, 4)))


def test_an_assertion_keeps_its_message():
    def function(x):
        count = (x > 0).sum().item()
        torch._check(count < 3, lambda: "fewer than three, please")
        return torch.zeros(count) + 1

    compiled = torch.compile(function, backend=backend, fullgraph=True)
    torch.testing.assert_close(compiled(torch.tensor([1.0, 1.0])), torch.ones(2))
    with pytest.raises(RuntimeError, match=r"assertion failed for expression u\d+"):
        compiled(torch.ones(2 * 2)[:2].repeat(2))


def test_a_result_that_is_not_as_declared_raises():
    compiled = torch.compile(lambda x: torch.ops.test_made_sizes.wrong(x) + 1, backend=backend, fullgraph=True)
    with pytest.raises(ResultNotAsDeclared, match="float64"):
        compiled(torch.ones(4))


def test_a_result_that_is_too_large_raises():
    compiled = torch.compile(lambda x: torch.ops.test_made_sizes.few(x) + 1, backend=backend, fullgraph=True)
    torch.testing.assert_close(compiled(torch.ones(3)), torch.ones(3) * 2)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: torch.ops.test_made_sizes.few(x) + 1, backend=backend, fullgraph=True)
    with pytest.raises((ResultNotAsDeclared, RuntimeError)):
        compiled(torch.ones(9))


def test_without_fallback():
    compiled = torch.compile(masked, backend=backend, fullgraph=True, options={"fallback": False})
    check(results(compiled, 0), results(masked, 0))


def test_the_first_of_two_calls_that_raise_decides():
    """Calls that make sizes move together, but past no custom operator."""

    def refused(x):
        raise ZeroDivisionError("the first")

    library.define("refused(Tensor x) -> Tensor")
    library.impl("refused", refused, "CPU")
    torch.library.register_fake("test_made_sizes::refused", torch.empty_like, lib=library)

    def program(x, i):
        found = i.nonzero()
        x = torch.ops.test_made_sizes.refused(x)
        return found.float().sum() + x, torch.repeat_interleave(i)

    with pytest.raises(ZeroDivisionError, match="the first"):
        torch.compile(program, backend="mlirind", fullgraph=True)(torch.ones(2), torch.tensor([2, -1]))


def cut_by_a_number(x, number):
    return x[-number.item() :].sin(), x[: number.item()] + 1


@pytest.mark.parametrize("number", [-9, -2, 0, 1, 3, 9])
def test_slices_by_numbers_of_any_size(number):
    compiled = torch.compile(cut_by_a_number, backend=backend, fullgraph=True)
    x = torch.randn(6, 4)
    for value in (2, number):
        for got, want in zip(compiled(x, torch.tensor(value)), cut_by_a_number(x, torch.tensor(value)), strict=True):
            torch.testing.assert_close(got, want)
            assert got.stride() == want.stride()
    assert not counters.fallbacks
