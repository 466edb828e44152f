"""Custom operators that write to their arguments: compiled, with the writes in the caller's tensors."""

import pytest
import torch
from mlirind.frontend.counters import counters
from programs import Programs, check, counting
from torch._higher_order_ops.auto_functionalize import auto_functionalized
from torch.fx.experimental.proxy_tensor import make_fx

_library = torch.library.Library("mlirind_test_calls", "DEF")
_library.define("scale(Tensor(a!) x, float factor) -> ()")
_library.define("accumulate(Tensor(a!)[] xs, Tensor y, *, int times=1) -> Tensor")
_library.define("scale_dense(Tensor(a!) x, float factor) -> Tensor")
_library.define("first_two(Tensor(a!) x, Tensor y, Tensor(b!) z) -> (Tensor, Tensor)")


@torch.library.impl(_library, "scale", "CompositeExplicitAutograd")
def _scale(x, factor):
    x.mul_(factor)


@torch.library.impl(_library, "scale_dense", "CompositeExplicitAutograd")
def _scale_dense(x, factor):
    return (x.mul_(factor) if 0 not in x.stride() else x).sum()


@torch.library.impl(_library, "accumulate", "CompositeExplicitAutograd")
def _accumulate(xs, y, *, times=1):
    for x in xs:
        x.add_(y, alpha=times)
    return sum(x.sum() for x in xs)


@torch.library.impl(_library, "first_two", "CompositeExplicitAutograd")
def _first_two(x, y, z):
    x.add_(y)
    z.sub_(y)
    return x + z, x - z


torch.library.register_fake("mlirind_test_calls::scale", lambda x, factor: None, lib=_library)
torch.library.register_fake("mlirind_test_calls::accumulate", lambda xs, y, *, times=1: y.new_empty(()), lib=_library)
torch.library.register_fake("mlirind_test_calls::scale_dense", lambda x, factor: x.sum(), lib=_library)
torch.library.register_fake("mlirind_test_calls::first_two", lambda x, y, z: (x + z, x - z), lib=_library)

ops = torch.ops.mlirind_test_calls
programs = Programs()


@programs(lambda: (counting(3, 4),))
def an_input(x):
    ops.scale(x, 2.0)
    return x + 1


@programs(lambda: (counting(3, 4),))
def a_row_of_an_input(x):
    ops.scale(x[1], 2.0)
    return x * 2


@programs(lambda: (counting(4),))
def an_expanded_value_that_is_left_alone(x):
    rows = x.expand(3, 4)  # a copy of it into memory laid out as it is can't be written as a whole
    return ops.scale_dense(rows, 2.0), rows * 2


@programs(lambda: (counting(3, 4),))
def a_column_of_a_value(x):
    y = x + 1
    ops.scale(y.t()[2], 3.0)
    return y


@programs(lambda: (counting(3, 4), counting(4)))
def a_list(x, y):
    z = y * 2
    total = ops.accumulate([x, z[None], y.clone()], y + 1, times=2)
    return total, z


@programs(lambda: (counting(4), counting(4)))
def two_at_once(x, y):
    a, b = ops.first_two(x, y * 2, y)
    return a, b, x


@programs(lambda: (counting(4),))
def the_old_value_is_read_later(x):
    old = x * 1
    ops.scale(x, 2.0)
    ops.scale(x, 2.0)
    return old + x


@programs(lambda: (counting(4, 4),))
def two_views_of_one_tensor(x):
    ops.accumulate([x[0], x[1]], counting(4))
    return x.sum()


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(program, backend):
    """What the caller sees is what eager shows."""
    check(backend, program.fn, program.make_inputs)


def test_nothing_falls_back(backend_name):
    """Such graphs are compiled."""
    if backend_name != "mlirind":
        pytest.skip("of mlirind's own")
    from mlirind.tools.backends import find_backend

    torch._dynamo.reset()
    counters.reset()
    check(find_backend("mlirind"), a_list, lambda: (counting(3, 4), counting(4)))
    check(find_backend("mlirind"), two_views_of_one_tensor, lambda: (counting(4, 4),))
    assert not counters.fallbacks


def test_an_input_is_written_itself(backend_name):
    """Custom operators get the caller's tensor where nothing reads its old value."""
    if backend_name != "mlirind":
        pytest.skip("of mlirind's own")
    from mlirind.runtime.report import collect_reports
    from mlirind.tools.backends import find_backend

    torch._dynamo.reset()
    x = counting(3, 4)
    with collect_reports(stages=True) as reports, torch.no_grad():
        torch.compile(an_input, backend=find_backend("mlirind"))(x)
    host = reports[0].stages["host"]
    assert 'target = "mlirind_test_calls.scale.default"' in host
    assert '"host.copy"' not in host
    assert torch.equal(x, counting(3, 4) * 2)


def test_the_first_form_of_pytorchs_calls(backend_name):
    """`auto_functionalized`, as PyTorch made it before 2.5: written in place where nothing needs the old value."""
    if backend_name != "mlirind":
        pytest.skip("of mlirind's own")
    from mlirind.frontend.compile import compile_graph
    from mlirind.options import Options
    from mlirind.runtime.report import collect_reports

    def program(x, kept):
        _, scaled = auto_functionalized(ops.scale.default, x=x, factor=2.0)
        _, other = auto_functionalized(ops.scale.default, x=kept, factor=3.0)
        more = scaled + 1
        torch.ops.aten.copy_.default(x, scaled)
        return more, other

    x, kept = counting(3, 4), counting(4)
    graph = make_fx(program, tracing_mode="fake")(x, kept)
    with collect_reports(stages=True) as reports:
        run = compile_graph(graph, Options(fallback=False, verify_each=True))
    host = reports[0].stages["host"]
    assert 'target = "mlirind_test_calls.scale.default"' in host and '"host.copy"' not in host
    assert [(c.bytes, c.reason) for c in reports[0].copies] == [(16, "the operand is a graph input, and no copy_ onto it follows")]
    more, other = run([x, kept])
    assert torch.equal(x, counting(3, 4) * 2) and torch.equal(more, x + 1)
    assert torch.equal(kept, counting(4)) and torch.equal(other, counting(4) * 3)
