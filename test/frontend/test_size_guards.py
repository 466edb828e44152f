"""What is asked of the inputs of a graph with unbacked sizes."""

import pytest
import torch
from graphs import capture
from mlirind.dialects.context import compile_context
from mlirind.errors import UnsupportedGraph
from mlirind.frontend.calling.guarded import guarded
from mlirind.frontend.calling.size_guards import size_guards
from mlirind.frontend.importing.importer import import_graph
from torch._dynamo.decorators import mark_unbacked


def unbacked(*sizes):
    x = torch.randn(*sizes)
    mark_unbacked(x, 0)
    return x


def test_conditions_are_on_the_values_of_the_inputs():
    """Not on symbols: there is one for both sizes."""
    (graph,) = capture(lambda x, y: x + y, unbacked(5, 3), unbacked(5, 3))
    conditions = size_guards(graph)
    assert conditions[0] == "inputs[0] >= 2" and "(inputs[0] == inputs[2])" in conditions
    with compile_context():
        text = str(import_graph(graph).module)
    assert "_assert" not in text and "[2, 9223372036854775807, 1024]" in text


def test_a_graph_of_known_sizes_asks_nothing():
    (graph,) = capture(lambda x: x + 1, torch.randn(5, 3))
    assert size_guards(graph) == []


def test_what_an_assertion_may_be_on():
    def program(x):
        torch._check(x.sum().item() > 0)
        return x * 2

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        (graph,) = capture(program, torch.ones(3))
    with compile_context(), pytest.raises(UnsupportedGraph):
        import_graph(graph)


def test_the_other_runner_runs_where_a_condition_does_not_hold():
    run = guarded(lambda inputs: "fast", ["inputs[0] >= 2", "(inputs[0] % 2) == 0"], lambda inputs: "slow", "g")
    assert [run([n]) for n in (4, 1, 3, 0)] == ["fast", "slow", "slow", "slow"]
