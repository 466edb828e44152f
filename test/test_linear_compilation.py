"""Compilation takes time that grows as the graph does: of twice the graph every pass makes twice the calls of functions, which, other than
seconds, are equal in every run."""

import sys
from collections import Counter

import pytest
import torch
from mlirind.frontend.compile import compile_graph
from mlirind.options import Options
from mlirind.passes import registry
from torch.fx.experimental.proxy_tensor import make_fx

SIZES = (80, 160)
# A pass of a smaller share of the calls is not looked at: what it does once may be most of it.
LEAST = 0.03
MOST = 2.2


def residual(x, w, blocks):
    """A chain of blocks, with a reduction of each that lives to the end."""
    results = []
    for _ in range(blocks):
        h = torch.mm(x, w)
        x = x + torch.sin(h - h.mean(1, keepdim=True))
        results.append(h.sum(0))
    return [x, *results]


def gradients(x, w, blocks):
    """What is made in the beginning is used at the end, last first; sums go on through all of it."""
    saved = [torch.cos(torch.mm(x, w) + n) for n in range(blocks)]
    results, total = [], x
    for h in reversed(saved):
        total = total + torch.mm(h * total, w) * h
        results.append((h * total).sum(0))
    return [total, *results]


def pointwise(x, y, blocks):
    """One long chain of arithmetic with many results, all of which read one tensor."""
    results = []
    for n in range(2 * blocks):
        x = torch.sin(x) * y + n
        results.append(x)
    return results


def calls_by_pass(program, blocks):
    """How many functions each pass calls for a program of this size."""
    inputs = torch.ones(8, 8), torch.ones(8, 8)
    graph = make_fx(torch.func.functionalize(lambda x, y: program(x, y, blocks)), tracing_mode="fake")(*inputs)
    found = Counter()

    def watch(own, module):
        def count(frame, event, argument):
            found[own.name] += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            own.run(module)
        finally:
            sys.setprofile(None)

    with registry.watched(watch):
        compile_graph(graph, Options(fallback=False, verify_each=False))
    return found


@pytest.mark.parametrize("program", [residual, gradients, pointwise])
def test_twice_the_graph_takes_twice_the_calls(program):
    calls_by_pass(program, 2)  # what is made once in a process
    small, large = (calls_by_pass(program, blocks) for blocks in SIZES)
    counted = [name for name in large if large[name] > LEAST * sum(large.values())]
    grown = {name: large[name] / small[name] for name in counted}
    assert "fuse-kernels" in grown
    assert not {name: ratio for name, ratio in grown.items() if ratio > MOST}
