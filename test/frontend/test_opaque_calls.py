"""Programs with nodes that the dialect has no operator for: eager's answers, compiled around them."""

import gc
from dataclasses import dataclass
from typing import Any

import mlirind
import pytest
import torch
from mlirind.bridge import opaque_calls
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

pytestmark = pytest.mark.usefixtures("fresh_counters")


def branches(x, w):
    return torch.cond(x.sum() > 0, lambda x, w: x @ w, lambda x, w: (x * w).sin(), (x * 2, w)).cos()


def nested_branches(x, w):
    def inner(x, w):
        return torch.cond(w.sum() > 0, lambda x, w: x.exp() * w, lambda x, w: x - w, (x, w))

    return torch.cond(x[0, 0] > 0, inner, lambda x, w: x * w, (x, w)) + 1


def branch_by_size(x, w):
    return torch.cond(x.shape[0] > 5, lambda x, w: x @ w, lambda x, w: (x * w).sin(), (x, w)) * 2


def branches_of_several(x, w):
    a, b = torch.cond(x.sum() > 0, lambda x, w: (x @ w, x.sum(0)), lambda x, w: (x - w, w.sum(1)), (x, w))
    return a.relu() + b, b * 3


def branch_that_copies(x, w):
    y = x * 2
    z = torch.cond(x.sum() > 0, lambda y, w: y.clone(), lambda y, w: w.clone(), (y, w))
    return y + 1, z


def two_branches(x, w):
    y = torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))
    return torch.cond(y.sum() > 0, lambda y, w: y * w, lambda y, w: y + w, (y, w)).sum(0)


def transposed_operands(x, w):
    return torch.cond(x.sum() > 0, lambda x, w: x + w, lambda x, w: x * w, (x.t(), w[:, :3].sum(1, keepdim=True))).exp()


def written_input(x, w):
    y = torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))
    x.add_(1)
    return y + x


def loop(x, w):
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, (a @ w).tanh()), (torch.tensor(0), x))[1] * 2


def loop_that_never_runs(x, w):
    return while_loop(lambda i, a: i < 0, lambda i, a: (i + 1, a @ w), (torch.tensor(0), x))[1] + w


def loop_over_numbers(x, w):
    return while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a + w), (0, x))[1].sin()


def scanned(x, w):
    carry, rows = scan(lambda carry, row: (carry + row.sin(), carry * row), x[0] * 0, w, dim=0)
    return carry.exp(), rows.cos()


def mapped(x, w):
    return map_rows(lambda a, w: (a * w).sin().sum(0), x * 2, w).cos()


def scanned_by_parts(x, w):
    return associative_scan(lambda a, b: a * b + a, x * w, dim=0, combine_mode="generic").cos()


def heads(x):
    return (x * 2).reshape(1, 1, *x.shape)


def attention(x, w):
    return flex_attention(heads(x), heads(w), heads(w), score_mod=lambda score, b, h, i, j: score * 0.5 + (i - j)).sin()


def attention_with_tensor(x, w):
    bias = w.sum(1)
    return flex_attention(heads(x), heads(w), heads(x), score_mod=lambda score, b, h, i, j: score + bias[j])[0, 0] @ w


def causal_attention(x, w):
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, x.shape[0], w.shape[0], device="cpu")
    out, sums = flex_attention(heads(x), heads(w), heads(w), block_mask=mask, return_lse=True)
    return out.cos(), sums + 1


def integer_product(x, w):
    a, b = ((t * 10).to(torch.int8) for t in (x, w))
    return out_dtype(torch.ops.aten.mm.default, torch.int32, a, b) + 1


@dataclass
class Program:
    """`train`: it has gradients; `calls`: opaque calls of the forward with static sizes; `bodies`: its compiled subgraphs; `graphs`: its
    graphs, 0 if Dynamo makes more of them for other sizes."""

    function: Any
    train: bool = True
    calls: int = 1
    bodies: int = 2
    graphs: int = 1


PROGRAMS = {
    p.function.__name__: p
    for p in (
        Program(branches),
        Program(nested_branches, bodies=4),
        Program(branch_by_size, calls=0, bodies=0),
        Program(branches_of_several),
        Program(branch_that_copies),
        Program(two_branches, calls=2, bodies=4),
        Program(transposed_operands),
        Program(written_input, train=False),
        Program(loop, train=False),
        Program(loop_that_never_runs, train=False),
        Program(scanned, bodies=1),
        Program(mapped, bodies=1),
        Program(scanned_by_parts, calls=0, bodies=0, graphs=0),
        Program(attention, train=False, calls=0, bodies=0, graphs=0),
        Program(attention_with_tensor, train=False, calls=0, bodies=0, graphs=0),
        Program(causal_attention, train=False, calls=0, bodies=0, graphs=0),
        Program(integer_product, train=False, bodies=0),
    )
}


def results(function, train, rows=4):
    """Outputs and the inputs afterwards, and gradients, for a positive and a negative sum of the first input."""
    found, gradients = [], []
    for sign in (1, -1):
        torch.manual_seed(0)
        x, w = torch.rand(rows, rows) * sign, torch.randn(rows, rows)
        if train:
            x.requires_grad_(), w.requires_grad_()
        outputs = function(x, w)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        found += [*outputs, *([] if train else [x, w])]
        if train:
            gradients += torch.autograd.grad(sum(o.square().sum() for o in outputs), (x, w))
    return found, gradients


def check(given, wanted):
    """Gradients may have other strides, as with `aot_eager`."""
    torch.testing.assert_close(given, wanted)
    assert [t.stride() for t in given[0]] == [t.stride() for t in wanted[0]]


def opaque(report):
    return sum(call.count for call in report.calls if call.target.startswith(opaque_calls.OPAQUE))


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_static(name, train):
    program = PROGRAMS[name]
    if train and not program.train:
        pytest.skip("eager or PyTorch's compiler has no gradients")
    with collect_reports() as reports:
        check(
            results(torch.compile(program.function, backend=backend, options={"verify_each": True}), train),
            results(program.function, train),
        )
    assert not counters.fallbacks and all(r.fallback is None for r in reports)
    whole = [r for r in reports if ".body_" not in r.name]
    assert opaque(whole[0]) == program.calls
    if program.graphs:
        assert len(whole) == program.graphs + train
    if program.graphs and not train:
        assert counters.compiled == 1 + program.bodies == len(reports)


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_symbolic_sizes(name, train):
    program = PROGRAMS[name]
    if train and not program.train:
        pytest.skip("eager or PyTorch's compiler has no gradients")
    compiled = torch.compile(program.function, backend=backend, dynamic=True, options={"verify_each": True})
    with collect_reports() as reports:
        check(results(compiled, train), results(program.function, train))
        check(results(compiled, train, 7), results(program.function, train, 7))
    assert not counters.fallbacks and all(r.fallback is None for r in reports)
    if program.graphs:
        assert len([r for r in reports if ".body_" not in r.name]) == program.graphs + train


def test_branches_that_draw():
    def function(x):
        y = torch.rand_like(x)
        z = torch.cond(x.sum() > 0, lambda x: torch.nn.functional.dropout(x, 0.5), lambda x: x.clone(), (x,))
        return y, z, torch.rand_like(x)

    def run(called):
        torch.manual_seed(3)
        return called(torch.ones(64)), ()

    check(run(torch.compile(function, backend=backend)), run(function))
    assert not counters.fallbacks


def test_loop_over_numbers_is_right():
    check(results(torch.compile(loop_over_numbers, backend=backend), False), results(loop_over_numbers, False))


@pytest.mark.parametrize("options", [{"host": "python"}, {"reuse_memory": False}, {"stop_after": "import"}, {"stop_after": "aten"}])
def test_options(options):
    check(results(torch.compile(branches, backend=backend, options=options), False), results(branches, False))
    assert not counters.fallbacks


def test_calls_die_with_their_graph():
    gc.collect()
    before = len(opaque_calls._calls)
    compiled = torch.compile(branches, backend=backend)
    results(compiled, False)
    assert len(opaque_calls._calls) > before
    del compiled
    torch._dynamo.reset()
    gc.collect()
    assert len(opaque_calls._calls) <= before


def test_report_names_the_call():
    explanation = str(mlirind.explain(branches, torch.ones(4, 4), torch.ones(4, 4)))
    assert "mlirindopaque.cond_Tx3_r1.default x1: opaque: the graph's node; called by native code" in explanation


def test_gradients_of_a_scan_that_returns_what_its_backward_reads():
    """The first gradient of the carry is an expanded tensor, the others are not."""

    def scanned_rows(x, h, w):
        carry, rows = scan(lambda h, r: ((h @ w + r).tanh(), h * 1.0), h, x)
        return carry.sum() + rows.square().sum()

    def looped(x, h, w):
        rows = []
        for r in x:
            rows.append(h)
            h = (h @ w + r).tanh()
        return h.sum() + torch.stack(rows).square().sum()

    x, h, w = torch.randn(5, 3, 4), torch.randn(3, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
    before = sum(counters.fallbacks.values())
    gradients = torch.autograd.grad(torch.compile(scanned_rows, backend="mlirind", fullgraph=True)(x, h, w), [h, w])
    torch.testing.assert_close(gradients, torch.autograd.grad(looped(x, h, w), [h, w]))
    assert sum(counters.fallbacks.values()) == before
