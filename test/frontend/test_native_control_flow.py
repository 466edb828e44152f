"""`cond`, `while_loop`, `scan` and `map` whose bodies are native functions, compared with loops and branches of Python."""

import gc
import signal
import threading

import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

pytestmark = pytest.mark.usefixtures("fresh_counters")
KEPT = []


@torch.library.custom_op("native_control_flow::keep", mutates_args=())
def keep(x: torch.Tensor) -> torch.Tensor:
    """A copy of `x`, which `KEPT` holds too."""
    copy = x.clone()
    KEPT.append(copy)
    return copy


@keep.register_fake
def _keep(x):
    return torch.empty_like(x)


@torch.library.custom_op("native_control_flow::raises_at", mutates_args=())
def raises_at(x: torch.Tensor, step: torch.Tensor, last: int) -> torch.Tensor:
    if step.item() == last:
        raise KeyError(f"step {last}")
    return x + 1


@raises_at.register_fake
def _raises_at(x, step, last):
    return torch.empty_like(x)


def run_while(condition, body, carried):
    while condition(*carried):
        carried = body(*carried)
    return carried


def run_scan(step, carry, rows):
    stacked = []
    for n in range(rows.shape[0]):
        carry, row = step(carry, rows[n])
        stacked.append(row)
    return carry, torch.stack(stacked)


def run_map(function, rows, *others):
    return torch.stack([function(row, *others) for row in rows])


class Python:
    """Loops and branches of Python."""

    loop = staticmethod(run_while)
    scan = staticmethod(run_scan)
    map = staticmethod(run_map)

    @staticmethod
    def cond(predicate, true, false, operands):
        return (true if predicate else false)(*operands)


class Operators:
    """PyTorch's operators with subgraphs."""

    loop, scan, map, cond = staticmethod(while_loop), staticmethod(scan), staticmethod(map_rows), staticmethod(torch.cond)


def counted(o, x, w):
    return o.loop(lambda i, a: i < 6, lambda i, a: (i + 1, (a * 0.9 + w).sin()), (torch.tensor(0), x))


def products(o, x, w):
    return o.loop(lambda i, a: i < 6, lambda i, a: (i + 1, (a @ w).tanh()), (torch.tensor(0), x))


def swapped(o, x, w):
    """The carried tensors change places; one is copied."""
    return o.loop(lambda i, a, b: i < 5, lambda i, a, b: (i + 1, b.clone(), a * 2), (torch.tensor(0), x, w))


def no_step(o, x, w):
    return o.loop(lambda i, a: i < 0, lambda i, a: (i + 1, a @ w), (torch.tensor(0), x))


def until_small(o, x, w):
    return o.loop(lambda a: a.abs().sum() > 1.0, lambda a: (a * 0.5,), (x,))


def views_carried(o, x, w):
    """Carried inputs: a transposed tensor, a row of another."""
    return o.loop(lambda i, a, b: i < 4, lambda i, a, b: (i + 1, a + b.sum(), b * 2), (torch.tensor(0), x.t(), w[1]))


def branch_in_loop(o, x, w):
    step = lambda i, a: (i + 1, o.cond(a.sum() > 0, lambda a: a - 1.0, lambda a: a * -0.5, (a,)))  # noqa: E731
    return o.loop(lambda i, a: i < 9, step, (torch.tensor(0), x))


def loop_in_branch(o, x, w):
    def true(x):
        return o.loop(lambda i, a: i < 3, lambda i, a: (i + 1, a @ w), (torch.tensor(0), x))[1]

    return o.cond(x.sum() > 0, true, lambda x: x - w, (x,))


def branch_returns_operand(o, x, w):
    return o.cond(x.sum() > 0, lambda x, w: (x.clone(), w * 2), lambda x, w: (w.clone(), x.sin()), (x, w))


def branch_of_view(o, x, w):
    return o.cond(x.sum() > 0, lambda x: (x.t() * 2).t(), lambda x: x + 1, (x.t(),))


def written_after(o, x, w):
    y = o.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))
    y.add_(1)
    x.mul_(2)
    return y, x + y


def recurrent(o, x, w):
    def step(h, row):
        h = (h @ w + row).tanh()
        return h, h * 2

    return o.scan(step, x[0] * 0.5, x.sin())


def scanned_transposed(o, x, w):
    return o.scan(lambda h, row: (h + row, (h * row).t()), w * 1.0, torch.stack([x, x.cos()]).transpose(1, 2))


def integers_scanned(o, x, w):
    return o.scan(lambda h, row: (h + row, h * 2), (w[0] * 0).long(), (x * 10).long())


def mapped(o, x, w):
    return o.map(lambda row, w: (row * w).sin().sum(0), x * 2, w)


def mapped_branch(o, x, w):
    return o.map(lambda row: o.cond(row.sum() > 0, lambda r: r.exp(), lambda r: r * 3, (row,)), x * 2)


def gathered(o, x, w):
    """A kernel with a check of an index."""
    at = torch.tensor([2, 0, 1, 3])
    return o.loop(lambda i, a: i < 4, lambda i, a: (i + 1, a[at] + w), (torch.tensor(0), x))


def sorted_rows(o, x, w):
    """An operator without a kernel."""
    return o.loop(lambda i, a: i < 3, lambda i, a: (i + 1, torch.sort(a + w)[0]), (torch.tensor(0), x))


LOOPS = (counted, products, swapped, no_step, until_small, views_carried, branch_in_loop, gathered, sorted_rows, loop_in_branch)
WITH_GRADIENTS = (branch_returns_operand, branch_of_view, recurrent, mapped, mapped_branch)
OTHERS = (written_after, scanned_transposed, integers_scanned)


def tensors(sign, rows=4, grad=False):
    torch.manual_seed(0)
    return ((torch.rand(rows, rows) + 0.1) * sign).requires_grad_(grad), torch.randn(rows, rows, requires_grad=grad)


def flat(results):
    return [results] if isinstance(results, torch.Tensor) else [t for r in results for t in flat(r)]


def compare(program, compiled, rows=4, grad=False):
    for sign in (1, -1):
        given, wanted = tensors(sign, rows, grad), tensors(sign, rows, grad)
        found, want = flat(compiled(*given)), flat(program(Python, *wanted))
        torch.testing.assert_close(found, want)
        assert not {t.untyped_storage().data_ptr() for t in given} & {t.untyped_storage().data_ptr() for t in found}
        assert len({t.untyped_storage().data_ptr() for t in found}) == len(found)
        if grad:
            gradients = (
                torch.autograd.grad(sum(t.square().sum() for t in r), i, allow_unused=True) for r, i in ((found, given), (want, wanted))
            )
            torch.testing.assert_close(*gradients)
        torch.testing.assert_close(given, wanted)


def compile_(program, **options):
    return torch.compile(lambda x, w: program(Operators, x, w), backend=backend, fullgraph=True, **options)


def routes(reports):
    return {call.route for r in reports for call in r.calls if call.target.startswith("mlirindopaque")}


def check_inference(program, rows, **options):
    compiled = compile_(program, **options)
    with collect_reports() as reports, torch.no_grad():
        for count in rows:
            compare(program, compiled, count)
    assert not counters.fallbacks and all(r.fallback is None for r in reports)
    assert routes(reports) == {"native code"}


@pytest.mark.parametrize("program", [*LOOPS, *WITH_GRADIENTS, *OTHERS], ids=lambda p: p.__name__)
def test_static_sizes(program):
    check_inference(program, (4,))


@pytest.mark.parametrize("program", [products, branch_in_loop, branch_returns_operand, recurrent, mapped], ids=lambda p: p.__name__)
def test_symbolic_sizes(program):
    check_inference(program, (4, 6), dynamic=True)


@pytest.mark.parametrize("program", WITH_GRADIENTS, ids=lambda p: p.__name__)
def test_training(program):
    compiled = compile_(program)
    with collect_reports() as reports:
        compare(program, compiled, grad=True)
    assert not counters.fallbacks and all(r.fallback is None for r in reports)
    assert "native code" in routes(reports)


def test_a_tensor_that_a_body_hands_out_is_not_written_again():
    """The memory of carried values is used again, but not if something else holds it."""
    KEPT.clear()
    compiled = torch.compile(
        lambda x: while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, keep(a + 1)), (torch.tensor(0), x))[1], backend=backend
    )
    torch.testing.assert_close(compiled(torch.zeros(8)), torch.full((8,), 5.0))
    torch.testing.assert_close(KEPT, [torch.full((8,), float(n)) for n in range(1, 6)])


def test_an_exception_of_a_body_reaches_the_caller():
    def function(x, last):
        return while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, raises_at(a, i, 3) * 2), (torch.tensor(0), x))[1]

    compiled = torch.compile(function, backend=backend)
    gc.collect()
    for _ in range(3):
        with pytest.raises(KeyError, match="step 3"):
            compiled(torch.ones(4), 3)


@pytest.mark.parametrize("operator", ["loop", "cond", "scan", "map"])
def test_an_index_out_of_range_raises_as_in_eager(operator):
    def function(o, x, at):
        if operator == "loop":
            return o.loop(lambda i, a: i < 3, lambda i, a: (i + 1, a[at + i] * 2), (torch.tensor(0), x))[1]
        if operator == "cond":
            return o.cond(x.sum() > 0, lambda x, at: x[at] * 2, lambda x, at: x * 2, (x, at))
        if operator == "map":
            return o.map(lambda n, x: x[n[None]] * 2, at, x)
        return o.scan(lambda h, n: (h + 1, h[n[None]] * 2), x, at)[1]

    compiled = torch.compile(lambda x, at: function(Operators, x, at), backend=backend)
    x, at = torch.rand(6), torch.tensor([0, 1, 2, 3, 2, 1])
    torch.testing.assert_close(compiled(x, at), function(Python, x, at))
    with pytest.raises(IndexError, match="out of"):
        compiled(x, at + 3)
    torch.testing.assert_close(compiled(x, at), function(Python, x, at))


def test_an_endless_loop_can_be_interrupted():
    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    compiled = torch.compile(lambda x: while_loop(lambda a: a.sum() < 1, lambda a: (a * 0.5,), (x,)), backend=backend)
    compiled(torch.ones(4))
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Alarm):
            compiled(torch.zeros(4))
    finally:
        signal.signal(signal.SIGALRM, before)


def test_threads_call_one_graph():
    compiled = torch.compile(lambda x, w: counted(Operators, x, w)[1], backend=backend)
    w = torch.randn(4, 4)
    inputs = [torch.randn(4, 4) for _ in range(4)]
    compiled(inputs[0], w)
    found = [None] * 4

    def run(n):
        for _ in range(20):
            found[n] = compiled(inputs[n], w)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.testing.assert_close(found, [counted(Python, x, w)[1] for x in inputs])


def test_modules_and_constants_in_bodies():
    linear, table = torch.nn.Linear(4, 4), torch.arange(4.0)

    def function(o, x):
        return o.loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, linear(a).tanh() + table * torch.tensor([1.0, 2, 3, 4])), (torch.tensor(0), x)
        )[1]

    x = torch.randn(2, 4)
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(lambda x: function(Operators, x), backend=backend)(x), function(Python, x))


def test_a_profiler_sees_the_bodies():
    compiled = torch.compile(lambda x, w: products(Operators, x, w), backend=backend)
    x, w = tensors(1)
    compiled(x, w)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        torch.testing.assert_close(list(compiled(x, w)), list(products(Python, x, w)))
    assert any(".body_" in event.name for event in profile.events())


def test_empty_scan_and_random_bodies():
    with pytest.raises(RuntimeError):
        torch.compile(lambda x: map_rows(lambda r: r.sin(), x), backend="eager")(torch.ones(0, 3))
    torch.manual_seed(0)
    compiled = torch.compile(lambda x: map_rows(lambda r: torch.rand_like(r), x), backend=backend)
    torch.manual_seed(3)
    found = compiled(torch.ones(3, 5))
    torch.manual_seed(3)
    torch.testing.assert_close(found, torch.stack([torch.rand(5) for _ in range(3)]))
