"""The order of collectives in the host sequence: early starts, late waits, and all starts in the graph's order."""

import random

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.dialects.narrowing import text
from mlirind.frontend.importing.importer import import_graph
from mlirind.lowering.fusion.collectives import overlapped
from mlirind.lowering.launch.convert_to_host import graph_function
from mlirind.options import Options
from mlirind.passes.driver import run_passes
from mlirind.passes.pipeline import GRAPH, HOST, KERNELS
from torch.fx.experimental.proxy_tensor import make_fx

pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch has no collectives")


def wait(value):
    return torch.ops._c10d_functional.wait_tensor(value)


def all_reduce(value):
    return torch.ops._c10d_functional.all_reduce(value, "sum", "0")


def all_gather(value):
    return torch.ops._c10d_functional.all_gather_into_tensor(value, 1, "0")


def sequence(program, *inputs):
    """What the graph executes, in order: the operators called, and for kernels the first operator that they compute."""
    with compile_context():
        graph = make_fx(lambda *given: tuple(program(*given)), tracing_mode="fake")(*inputs)
        module = import_graph(graph).module
        run_passes(module, [*GRAPH, *KERNELS, *HOST], Options(verify_each=True))
        kernels = {text(o.attributes["sym_name"]): o for o in module.body.operations if o.operation.name == "loop.func"}
        executed = []
        for op in graph_function(module).regions[0].blocks[0].operations:
            if op.operation.name == "host.call":
                executed.append(text(op.attributes["target"]).split(".")[1])
            elif op.operation.name == "host.launch":
                executed.append(kernels[text(op.attributes["kernel"])].attributes["computes"][0].value)
            elif op.operation.name == "host.copy":
                executed.append("copy")
        return executed


def matrix():
    return torch.ones(64, 64)


def experts(x, w):
    shared = torch.sort(x @ w)[0]
    return (shared + wait(all_gather(x.sin())),)


def layers(x, w):
    for _ in range(2):
        weights = torch.sort(x @ w)[0].sum(0)
        x = x + wait(all_reduce(x.sin())) * weights
    return x, weights


def updated_operand(x, at):
    y = x.sin()
    gathered = all_gather(y)
    return torch.sort(y.index_fill(0, at, 2.0))[0], wait(gathered)


def written_input(x, w):
    first = wait(all_gather(x))
    new = x + 1
    return first.sum(0), torch.ops.aten.copy_(x, new)


def several(x, w):
    first, second = torch.ops._c10d_functional.all_reduce_coalesced([x.sin(), w.sin()], "sum", "0")
    third = all_reduce(x.cos())
    return torch.sort(w)[0], wait(first) + wait(second), wait(third)


WANTED = {
    # Two branches: what only the other one needs runs between start and wait.
    experts: ["sin", "all_gather_into_tensor", "mm", "sort", "wait_tensor", "add"],
    layers: 2 * ["sin", "all_reduce_", "mm", "sort", "wait_tensor", "sum"],
    # The collective may still read the operand, so the update takes a copy.
    updated_operand: ["sin", "all_gather_into_tensor", "copy", "index_fill", "sort", "wait_tensor"],
    # The same for a graph input: it is written after the wait.
    written_input: ["all_gather_into_tensor", "add", "wait_tensor", "sum", "copy"],
    # Both collectives run while the rows are sorted; the caller gets all results, so the last wait is at the end.
    several: ["sin", "sin", "all_reduce_coalesced_", "all_reduce_", "sort", "wait_tensor", "wait_tensor", "add", "wait_tensor"],
}


@pytest.mark.parametrize("program", WANTED, ids=lambda p: p.__name__)
def test_the_sequence(program):
    second = torch.tensor([1]) if program is updated_operand else matrix()
    assert sequence(program, matrix(), second) == WANTED[program]


@pytest.mark.parametrize("seed", range(20))
def test_random_orders(seed):
    """The order stays topological, the starts keep theirs, no element stands between a wait and the first that needs it, and what stands
    between a start and the last element that it needs stands there because of an earlier collective."""
    draw = random.Random(seed)
    count = 40
    kinds = ["work"] * count
    before = {0: set()}
    starts = []
    for n in range(1, count):
        before[n] = set(draw.sample(range(n), min(n, draw.randint(0, 2))))
        kind = draw.random()
        if kind < 0.2:
            kinds[n] = "start"
            before[n] |= set(starts[-1:])
            starts.append(n)
        elif kind < 0.4 and starts:
            kinds[n] = "wait"
            before[n] = {draw.choice(starts)}
    found = overlapped(range(count), before, lambda n: kinds[n] == "start", lambda n: kinds[n] == "wait")
    at = {n: position for position, n in enumerate(found)}
    assert sorted(found) == list(range(count))
    assert all(at[b] < at[n] for n in before for b in before[n])
    assert [n for n in found if kinds[n] == "start"] == starts
    for n in range(count):
        readers = [at[r] for r in range(count) if n in before[r]]
        if kinds[n] == "wait" and readers:
            assert all(kinds[m] == "wait" for m in found[at[n] + 1 : min(readers)])
    for earlier, start in zip([-1, *starts], starts, strict=False):
        needed, waiting = set(), [start]
        while waiting:
            needed |= (new := before[waiting.pop()] - needed)
            waiting += new
        begin = -1 if earlier < 0 else at[earlier]
        overdue = [m for m in found[begin + 1 : at[start]] if m not in needed]
        assert all(m < earlier for m in overdue)
