"""The data structures that keep fusion and memory planning linear in the size of the graph, compared with simple, slower ones."""

import random

import pytest
import torch
from mlirind.dialects import aten_ops
from mlirind.lowering.fusion.fusion_graph import Graph
from mlirind.lowering.fusion.fusion_groups import Group
from mlirind.lowering.fusion.fusion_order import Order, Readers
from mlirind.lowering.launch.convert_to_host import graph_function
from mlirind.lowering.memory.range_maxima import RangeMaxima
from mlirind.passes import registry
from mlirind.passes.analysis.alias_analysis import marked


@pytest.mark.parametrize("seed", range(20))
def test_ranges_are_raised_and_asked(seed):
    rng = random.Random(seed)
    numbers = [rng.randint(0, 50) for _ in range(rng.randint(0, 40))]
    row = RangeMaxima(numbers)
    for _ in range(60):
        first, end = sorted(rng.randint(0, len(numbers)) for _ in range(2))
        amount = rng.randint(-20, 20)
        row.add(first, end, amount)
        numbers[first:end] = [n + amount for n in numbers[first:end]]
        first, end = sorted(rng.randint(0, len(numbers)) for _ in range(2))
        assert row.largest(first, end, -1000) == max(numbers[first:end], default=-1000)


def test_no_number_is_the_least():
    assert RangeMaxima([]).largest(0, 0) == 0
    assert RangeMaxima([-5]).largest(0, 1) == 0
    assert RangeMaxima([7]).largest(1, 1, 3) == 3


class Plain:
    """The order of groups as a set of edges, searched from the start for each question."""

    def __init__(self):
        self.edges = set()

    def behind(self, first):
        found, waiting = set(), [first]
        while waiting:
            new = {b for a, b in self.edges if a == waiting[-1]} - found
            waiting.pop()
            found |= new
            waiting += new
        return found

    def would_cycle(self, a, b):
        return any(y in self.behind(middle) for x, y in ((a, b), (b, a)) for middle in self.behind(x) - {a, b} if middle in self.behind(x))

    def merge(self, later, earlier):
        names = {later: earlier}
        self.edges = {(names.get(a, a), names.get(b, b)) for a, b in self.edges} - {(earlier, earlier)}


@pytest.mark.parametrize("seed", range(20))
def test_groups_merge_where_none_is_between(seed):
    rng = random.Random(seed)
    order, plain, live = Order(), Plain(), []
    for number in range(30):
        group = Group(number)
        before = rng.sample(live, min(len(live), rng.randint(0, 3)))
        order.add(group, before)
        plain.edges |= {(b.number, number) for b in before}
        live.append(group)
        a, b = rng.choice(live), rng.choice(live)
        if a is not b:
            assert order.would_cycle(a, b) == plain.would_cycle(a.number, b.number)
            if not order.would_cycle(a, b):
                order.merge(a, b)
                plain.merge(a.number, b.number)
                live.remove(a)
                assert order.group(a.number) is b
        a, b = rng.choice(live), rng.choice(live)
        if a is not b and a.number not in plain.behind(b.number):
            order.run_before(a, b)
            plain.edges.add((a.number, b.number))
        for first in live:
            behind = {g.number for g in live if g.ancestors >> first.number & 1}
            assert behind == plain.behind(first.number)


@pytest.mark.parametrize("seed", range(20))
def test_readers_stay_where_their_first_one_came(seed):
    rng = random.Random(seed)
    readers, row = Readers(), []
    for number in range(40):
        group = Group(number)
        readers.add(group)
        row.append(group)
        if len(row) > 1 and rng.random() < 0.7:
            later, earlier = rng.sample(row, 2)
            if rng.random() < 0.3:
                earlier = Group(100 + number)  # one that did not read the tensor
            readers.replace(later, earlier)
            row = list(dict.fromkeys(earlier if g is later else g for g in row))
        assert list(readers.latest_first()) == row[::-1]


def overwriting(choices, x, y):
    """Writes to parts of two tensors, and reads between the writes."""
    results = []
    for kind, target, other, n in choices:
        target, other = (x, y)[target], (x, y)[other]
        part = (target[n], target[n:], target.t()[n])[kind % 3]
        if kind < 3:
            part.mul_(other.sum())
        elif kind < 6:
            part.add_(1)
        else:
            results.append(torch.sin(part) if kind < 9 else part.sum())
    return results


def storages_of(graph, node):
    """(all, written): the storages that a node accesses."""
    root = graph.storages.root
    written = {root(v) for _, v in marked(node.op)}
    if aten_ops.is_operator(node.op) and (schema := aten_ops.schema(node.op)).mutates:
        written |= {root(aten_ops.arguments(node.op)[a.name]) for a in schema.arguments if a.writes}
    return {root(v) for v in node.op.operands}, written


@pytest.mark.parametrize("seed", range(12))
def test_each_writer_of_a_storage_runs_after_earlier_accesses_and_before_later_ones(seed):
    """The order holds one edge from a reader to the next writer of its storage; it orders the later writers too."""
    rng, counts = random.Random(seed), []
    choices = [(rng.randrange(12), rng.randrange(2), rng.randrange(2), rng.randrange(1, 4)) for _ in range(14)]

    def watch(own, module):
        if own.name == "fuse-kernels":
            counts.append(check_order(Graph(graph_function(module).regions[0].blocks[0])))
        own.run(module)

    with registry.watched(watch):
        compiled = torch.compile(lambda x, y: overwriting(choices, x, y), backend="mlirind")
        compiled(torch.ones(4, 4), torch.ones(4, 4))
    assert counts
    assert max(counts) > 2
    torch._dynamo.reset()


def check_order(graph):
    """Checks that two nodes are ordered if one writes a storage that the other accesses, and that a reader's `overwritten_by` holds the
    next writer of its storage. Returns the number of writers."""
    earlier = {}  # by node, all that run before it
    for node in graph.nodes:
        assert all(n.index < node.index for n in node.before)
        earlier[node] = set(node.before).union(*(earlier[n] for n in node.before))
    accesses = {n: storages_of(graph, n) for n in graph.nodes}
    for later in graph.nodes:
        for first in graph.nodes[: later.index]:
            if accesses[first][1] & accesses[later][0] or accesses[first][0] & accesses[later][1]:
                assert first in earlier[later]
    for reader in graph.nodes:
        for storage in accesses[reader][0]:
            writers = [n for n in graph.nodes[reader.index + 1 :] if storage in accesses[n][1]]
            assert set(writers[:1]) <= reader.overwritten_by
            assert not any(n.fusible for n in writers)  # so no group has two of them, which `_fits` relies on
    return sum(bool(written) for _, written in accesses.values())
