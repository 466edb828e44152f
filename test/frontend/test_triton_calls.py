"""Launches of users' Triton kernels in a graph. The kernels here are Python objects that compute on CPU tensors."""

from __future__ import annotations

import operator
from types import SimpleNamespace

import pytest
import torch
from mlirind.errors import UnsupportedGraph
from mlirind.frontend.calls.triton_calls import expand_triton_calls
from mlirind.frontend.compile import compile_graph
from mlirind.options import Options
from mlirind.runtime.report import collect_reports
from torch import fx
from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table, triton_kernel_wrapper_functional
from torch._subclasses.fake_tensor import FakeTensorMode

STRICT = Options(fallback=False)


class AddKernel:
    """out = x * scale + y, on the first `n` elements; notes its grids."""

    arg_names = ["x", "y", "out", "n", "scale", "BLOCK"]

    def __init__(self, configs=()):
        self.fn = SimpleNamespace(__name__="add_kernel")
        self.configs = configs
        self.grids = []

    def __getitem__(self, grid):
        def launch(x, y, out, n, scale, BLOCK):  # noqa: N803
            meta = {"BLOCK": BLOCK, **(self.configs[1].kwargs if self.configs else {})}
            self.grids.append(grid(meta) if callable(grid) else grid)
            out.view(-1)[:n] = (x * scale + y).view(-1)[:n]

        return launch


def graph_of(kernel, grid, sizes=(4, 5), **overridden):
    """A graph that launches the kernel on `sin(x)`, `y` and a fresh tensor, and returns what it wrote, plus 1."""
    graph, mode = fx.Graph(), FakeTensorMode()

    def node(made, value):
        made.meta["val"] = value
        return made

    with mode:
        x, y = (node(graph.placeholder(name), torch.empty(sizes)) for name in "xy")
        sine = node(graph.call_function(torch.ops.aten.sin.default, (x,)), torch.empty(sizes))
        out = node(graph.call_function(torch.ops.aten.full.default, (list(sizes), 7.0)), torch.empty(sizes))
        keywords = {"x": sine, "y": y, "out": out, "n": 18, "scale": 2.0} | overridden
        call = graph.call_function(
            triton_kernel_wrapper_functional,
            kwargs={
                "kernel_idx": kernel_side_table.add_kernel(kernel),
                "constant_args_idx": kernel_side_table.add_constant_args({"BLOCK": 8}),
                "grid": grid,
                "tma_descriptor_metadata": {},
                "kwargs": keywords,
                "tensors_to_clone": ["out"],
            },
        )
        call.meta["val"] = {"out": torch.empty(sizes)}
        written = node(graph.call_function(operator.getitem, (call, "out")), torch.empty(sizes))
        graph.output((node(graph.call_function(torch.ops.aten.add.Tensor, (written, 1)), torch.empty(sizes)), out))
    return fx.GraphModule(torch.nn.Module(), graph)


def expected(x, y):
    want = torch.full((4, 5), 7.0)
    want.view(-1)[:18] = (x.sin() * 2 + y).view(-1)[:18]
    return want + 1


def test_the_kernel_runs_with_its_grid():
    kernel = AddKernel()
    run = compile_graph(graph_of(kernel, [(3, 1, 1)]), STRICT)
    for _ in range(2):
        x, y = torch.randn(4, 5), torch.randn(4, 5)
        got, untouched = run([x, y])
        torch.testing.assert_close(got, expected(x, y))
        assert untouched.eq(7).all()
    assert kernel.grids == [(3, 1, 1)] * 2


def host_of(graph):
    """The launch sequence, and the copies that stay."""
    with collect_reports(stages=True) as reports:
        run = compile_graph(graph, STRICT)
    return run, reports[-1].stages["host"], reports[-1].copies


def test_a_tensor_that_is_read_later_is_copied():
    _, host, copies = host_of(graph_of(AddKernel(), [(3, 1, 1)]))
    assert 'target = "mlirindfunctional.mlirindtriton__add_kernel' in host  # copies, then launches
    assert [(c.bytes, c.reason) for c in copies] == [(80, "func.return reads the old value later")]


def test_a_tensor_that_nothing_else_needs_is_written_itself():
    graph = graph_of(AddKernel(), [(3, 1, 1)])
    output = graph.graph.output_node()
    output.args = ((output.args[0][0],),)
    run, host, copies = host_of(graph)
    assert '"host.copy"' not in host and copies == () and 'target = "mlirindtriton.add_kernel' in host
    x, y = torch.randn(4, 5), torch.randn(4, 5)
    torch.testing.assert_close(run([x, y])[0], expected(x, y))


def test_a_graph_input_is_written_itself():
    """y = launch(sin(x), y, y): read where it is written, says the kernel's author; nobody else reads it before the epilogue."""
    graph = graph_of(AddKernel(), [(3, 1, 1)])
    (call,) = (n for n in graph.graph.nodes if n.target is triton_kernel_wrapper_functional)
    y, (written,), output = list(graph.graph.find_nodes(op="placeholder"))[1], list(call.users), graph.graph.output_node()
    call.kwargs = {**call.kwargs, "kwargs": {**call.kwargs["kwargs"], "out": y, "y": call.kwargs["kwargs"]["x"]}}
    with graph.graph.inserting_before(output):
        copy = graph.graph.call_function(torch.ops.aten.copy_.default, (y, written))
    copy.meta["val"] = y.meta["val"]
    output.args = ((),)
    run, host, copies = host_of(graph)
    assert '"host.copy"' not in host and copies == ()
    x, given = torch.randn(4, 5), torch.full((4, 5), 7.0)
    address, want = given.data_ptr(), expected(x, x.sin()) - 1
    run([x, given])
    torch.testing.assert_close(given, want)
    assert given.data_ptr() == address


def test_the_grid_of_a_configuration():
    kernel = AddKernel([SimpleNamespace(kwargs={"BLOCK": 8}), SimpleNamespace(kwargs={"BLOCK": 16})])
    x, y = torch.randn(4, 5), torch.randn(4, 5)
    got, _ = compile_graph(graph_of(kernel, [(3, 1, 1), (2, 1, 1)]), STRICT)([x, y])
    torch.testing.assert_close(got, expected(x, y))
    assert kernel.grids == [(2, 1, 1)]


def test_equal_launches_are_one_operator():
    kernel = AddKernel()
    graphs = [graph_of(kernel, [(n, 1, 1)]) for n in (1, 2)]
    for graph in graphs:
        expand_triton_calls(graph)
    names = [[n.target for n in g.graph.nodes if "mlirindfunctional" in str(n.target)] for g in graphs]
    assert names[0] == names[1] and len(names[0]) == 1


def test_tensor_descriptors_are_left_to_pytorch():
    graph = graph_of(AddKernel(), [(1, 1, 1)])
    (node,) = (n for n in graph.graph.nodes if n.target is triton_kernel_wrapper_functional)
    node.kwargs = {**node.kwargs, "tma_descriptor_metadata": {"x": ()}}
    with pytest.raises(UnsupportedGraph, match="tensor descriptors"):
        compile_graph(graph, STRICT)
