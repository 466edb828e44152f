"""A call marked `aten.inplace` writes its operand directly: no copy of the tensor is made, and values are eager's."""

import mlirind.lowering.aten_to_loop  # noqa: F401  registers the conversions
import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.frontend.counters import counters
from mlirind.frontend.importing.importer import import_graph
from mlirind.options import Options
from mlirind.passes.driver import run_passes
from mlirind.passes.pipeline import GRAPH, HOST, KERNELS
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from programs import Programs, check, counting
from torch.fx.experimental.proxy_tensor import make_fx

programs = Programs()


@programs(lambda: (counting(8, 4), torch.tensor([5]), torch.ones(1, 4)))
def index_copy(cache, at, new):
    cache.index_copy_(0, at, new * 2)
    return cache.sum()


@programs(lambda: (counting(2, 8, 4), torch.tensor([5]), torch.ones(2, 1, 4)))
def index_put(cache, at, new):
    cache[:, at] = new
    return cache * 2


@programs(lambda: (counting(2, 8, 4), torch.ones(2, 1, 4)))
def a_slice(cache, new):
    cache[:, 3:4] = new + 1
    return cache.mean()


@programs(lambda: (counting(3, 2, 8, 4), torch.ones(2, 2, 4)))
def a_slice_of_a_part(cache, new):
    cache[1][:, 2:4] = new + 1
    return cache[1] * 2


@programs(lambda: (counting(6, 6),))
def a_diagonal(x):
    x.diagonal(1).fill_(7)
    x[0] = -1


@programs(lambda: (counting(8, 4),))
def every_other_row(x):
    x[1::2] = x.new_ones(4, 4)


@programs(lambda: (counting(4, 4), torch.tensor([[0, 1, 2, 3]])))
def scatter(x, at):
    y = x + 1
    y.scatter_(0, at, 9.0)
    y.scatter_add_(0, at, x)
    return y


@programs(lambda: (counting(2, 8, 4), torch.tensor([5]), torch.ones(1, 4)))
def a_flat_view(cache, at, new):
    cache.view(-1, 4)[at] = new
    return cache.sum()


@programs(lambda: (counting(2, 8, 4), torch.tensor([5]), torch.ones(1, 4)))
def rows_of_a_part(cache, at, new):
    cache[1].index_copy_(0, at, new)
    return cache * 2


@programs(lambda: (counting(2, 8, 4), torch.tensor([0]), torch.ones(1, 4)))
def rows_of_a_part_of_a_part(cache, at, new):
    cache[:, 2:6].select(0, 1).index_copy_(0, at, new)
    return cache[0].sum()


@programs(lambda: (counting(2, 8, 4), torch.tensor([5]), torch.ones(1, 2, 4)))
def rows_of_a_transposed_view(cache, at, new):
    cache.transpose(0, 1).index_copy_(0, at, new)
    return cache.sum()


@programs(lambda: (counting(2, 8, 4), torch.ones(1, 4)))
def a_part_of_itself(cache, new):
    cache[1, 2:3] += new


@programs(lambda: (counting(12),))
def one_half_to_the_other(x):
    a, b = x.split(6)
    a.copy_(b * 2)
    b.zero_()


@programs(lambda: (counting(8), counting(8) + 1, torch.tensor(0.0)))
def updates_of_whole_inputs(x, y, steps):
    x.mul_(0.5).add_(y)
    torch._foreach_mul_([x, y], 3.0)
    steps += 1
    return x - y


@programs(lambda: (counting(2, 4, 4), torch.tensor([[True, False, True, False]] * 4)))
def a_masked_part(cache, mask):
    cache[1][mask] = 0.0


@programs(lambda: (counting(4, 4), torch.tensor([2])))
def scattered_minimum(x, at):
    x[1:].scatter_reduce_(0, at.expand(1, 4), x[:1] - 5, "amin", include_self=False)


@programs(lambda: (counting(2, 16),))
def random_numbers(x):
    torch.manual_seed(3)
    x.bernoulli_(0.5)
    x[1].normal_()


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(program, backend):
    check(backend, program.fn, program.make_inputs)


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_nothing_is_copied(program, backend_name):
    """The launch sequence has no `host.copy`, and the report lists no copy, such as one of an input onto itself."""
    if backend_name != "mlirind":
        pytest.skip("of mlirind's own")
    torch._dynamo.reset()
    counters.reset()
    with collect_reports(stages=True) as reports, torch.no_grad():
        torch.compile(program.fn, backend=find_backend("mlirind"))(*program.make_inputs())
    assert not counters.fallbacks
    report = reports[-1]
    assert '"host.copy"' not in report.stages["host"]
    assert report.copies == ()
    assert report.written_bytes <= sum(w.whole for w in report.writes)


def test_bytes_of_a_write_through_a_view(backend_name):
    """The report counts the bytes of the written row, not those of the cache."""
    if backend_name != "mlirind":
        pytest.skip("of mlirind's own")
    torch._dynamo.reset()
    with collect_reports() as reports, torch.no_grad():
        torch.compile(a_flat_view, backend=find_backend("mlirind"))(counting(2, 8, 4), torch.tensor([5]), torch.ones(1, 4))
    (write,) = reports[0].writes
    assert (write.bytes, write.whole) == (16, 256)


def test_a_collective_writes_an_input(backend_name):
    """The result of an all_reduce of an input is copied onto the input: the collective writes the input itself, and the copy is gone."""
    if backend_name != "mlirind" or not torch.distributed.is_available():
        pytest.skip("of mlirind's own")

    def program(x):
        reduced = torch.ops._c10d_functional.wait_tensor(torch.ops._c10d_functional.all_reduce(x, "sum", "0"))
        return reduced * 2, torch.ops.aten.copy_.default(x, reduced)

    with compile_context():
        graph = make_fx(program, tracing_mode="fake")(counting(4))
        output = graph.graph.output_node()
        output.args = (output.args[0][:1],)
        module = import_graph(graph).module
        run_passes(module, [*GRAPH, *KERNELS, *HOST], Options(verify_each=True))
        host = str(module)
    assert 'target = "_c10d_functional.all_reduce_.default"' in host
    assert "host.copy" not in host


def test_a_collective_writes_its_operand(backend_name):
    """all_reduce becomes all_reduce_ if nothing reads the operand later, and stays all_reduce if something does."""
    if backend_name != "mlirind" or not torch.distributed.is_available():
        pytest.skip("of mlirind's own")

    def program(x):
        own, kept = x.relu(), x.neg()
        return torch.ops._c10d_functional.all_reduce(own, "sum", "0"), torch.ops._c10d_functional.all_reduce(kept, "sum", "0"), kept

    with compile_context():
        module = import_graph(make_fx(program, tracing_mode="fake")(counting(4))).module
        run_passes(module, [*GRAPH, *KERNELS, *HOST], Options(verify_each=True))
        host = str(module)
    assert 'target = "_c10d_functional.all_reduce_.default"' in host
    assert "host.copy" not in host
    assert 'target = "_c10d_functional.all_reduce.default"' in host
