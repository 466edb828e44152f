"""Import of FX graphs, and export: the round trip gives an equal graph."""

import pytest
import torch
from graphs import capture
from mlirind.bridge.tensor_types import tensor_info
from mlirind.dialects import aten_ops, aten_registry
from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.context import compile_context
from mlirind.errors import UnsupportedGraph
from mlirind.frontend.importing.canonical_arguments import canonicalize
from mlirind.frontend.importing.exporter import export_graph
from mlirind.frontend.importing.importer import import_graph
from mlirind.torch_internals.fake_tensors import FakeTensorMode, true_offsets
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir


def graph_text(graph_module):
    with compile_context():
        module = import_graph(graph_module).module
        assert module.operation.verify()
        text = str(module)
        assert str(ir.Module.parse(text)) == text
        return text


def targets(graph_module):
    return [str(n.target) for n in graph_module.graph.nodes if isinstance(n.target, torch._ops.OpOverload) and "sym_" not in str(n.target)]


def linear_step(x, w, factor):
    first = x.view(-1)[:4] + torch.tensor([1.0, 2.0, 3.0, 4.0])
    halves = (x * 2).split(2, 1)
    values, indices = torch.topk(x @ w, 2)
    return (x @ w).relu() * factor + x.size(0), first, x.shape[0] * 2, x[1:].t(), halves[1], indices, torch.cat([x, x], -1)


PROGRAMS = {
    "step": (linear_step, lambda: (torch.randn(4, 3), torch.randn(3, 3, requires_grad=True), 3)),
    "norm": (
        lambda x, w: torch.nn.functional.layer_norm(x, (3,), w).softmax(-1),
        lambda: (torch.randn(4, 3), torch.randn(3, requires_grad=True)),
    ),
    "index": (
        lambda x, i: x[:, i].pow(2.5).sum(1) + x.index_put((i,), torch.ones(3)).sum(0),
        lambda: (torch.randn(3, 3), torch.tensor([0, 2])),
    ),
    "write": (lambda x: (x.add_(1), x[:2] * float("-inf"))[1], lambda: (torch.randn(4, 3),)),
    "random": (lambda x: torch.nn.functional.dropout(x, 0.5) + torch.rand(4, 3), lambda: (torch.randn(4, 3),)),
    "convolution": (torch.nn.Conv2d(2, 3, 3, bias=False), lambda: (torch.randn(1, 2, 5, 5),)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_round_trip(name, dynamic):
    function, make_inputs = PROGRAMS[name]
    inputs = make_inputs()
    backward = name == "convolution" or any(isinstance(i, torch.Tensor) and i.requires_grad for i in inputs)
    graphs = capture(function, *inputs, backward=backward, dynamic=dynamic)
    assert len(graphs) == 1 + backward
    for graph in graphs:
        with compile_context():
            exported = export_graph(import_graph(graph))
        assert targets(exported) == targets(graph)
        assert graph_text(exported) == graph_text(graph)
        assert [n.meta["val"] is not None for n in exported.graph.nodes if n.op == "placeholder"]


def test_locations_name_the_line_and_the_module():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3)])

        def forward(self, x):
            return self.layers[0](x).relu()

    (graph,) = capture(Model(), torch.randn(2, 3))
    with compile_context():
        module = import_graph(graph).module
        ops = module.body.operations[0].regions[0].blocks[0].operations
        places = {aten_ops.pytorch_name(op): str(op.location) for op in ops if aten_ops.is_operator(op)}
    assert places["aten.addmm.default"].startswith('loc("layers.0"(') and "test_import_export.py" in places["aten.addmm.default"]
    assert "test_import_export.py" in places["aten.relu.default"]


def test_arguments_are_canonical():
    (graph,) = capture(lambda x: x.view(-1).view(2, -1).softmax(-1).unsqueeze(-1)[:, -2:], torch.randn(3, 4))
    text = graph_text(graph)
    assert "size = [12]" in text and "size = [2, 6]" in text
    assert "dim = 1 : i64" in text and "dim = 2 : i64" in text
    assert "end = 6 : i64, start = 4 : i64" in text
    assert "-1" not in text.replace("[-1", "")


def test_a_dim_counts_what_the_operator_counts():
    (graph,) = capture(lambda e, x: torch.cat([e, x], -1), torch.zeros(0), torch.randn(3, 4))
    assert "dim = 1 : i64" in graph_text(graph)
    gradient = torch.ops.aten.value_selecting_reduction_backward.default
    arguments = {"grad": 0, "dim": -1, "indices": 0, "sizes": [3, 4], "keepdim": False}
    reduced, whole = TensorInfo((3,), "float32", "cpu", (1,)), TensorInfo((3, 4), "float32", "cpu", (4, 1))
    canonicalize(aten_registry.add_schema(gradient), arguments, [reduced, reduced], [whole])
    assert arguments["dim"] == 1


def test_symbols_are_described():
    (graph,) = capture(lambda x, n: x * n, torch.randn(5, 4), 7, dynamic=True)
    text = graph_text(graph)
    assert text.count("aten.symbol =") == 3
    assert ", 9223372036854775807, 5]" in text and "9223372036854775807, 4]" in text and ", 9223372036854775807, 7]" in text


def test_aliases_of_the_boundary():
    (graph,) = capture(lambda x: (x[1:], x * 1, x.view(-1)[:2]), torch.randn(4))
    assert "aten.io_aliases = [[0, -1, -3]]" in graph_text(graph)


UNSUPPORTED = {
    "data": (lambda x: torch.nonzero(x) * 2, lambda: (torch.randn(3),), "depends on data"),
    "data, by a mask": (lambda x: x[x > 0] + 1, lambda: (torch.tensor([1.0, -1.0]),), "depends on data"),
    "data, by a number": (lambda x: x[: x.long().sum().item()] * 2, lambda: (torch.ones(3),), "depends on data"),
    "data, by counts": (lambda x: torch.repeat_interleave(x, x.long()), lambda: (torch.ones(3),), "depends on data"),
    "a number of data": (lambda x: (x * 2, x.long().sum().item()), lambda: (torch.ones(3),), "depends on data"),
    "conjugate": (lambda x: torch.view_as_real(x.conj().resolve_conj()), lambda: (torch.randn(3, dtype=torch.complex64),), "conjugate"),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_the_dialect_does_not_hold_is_refused_with_the_reason(name):
    function, make_inputs, reason = UNSUPPORTED[name]
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        graphs = capture(function, *make_inputs())
    with compile_context(), pytest.raises(UnsupportedGraph, match=reason):
        list(map(import_graph, graphs))


def test_a_branch_with_an_assertion_is_refused():
    (graph,) = capture(lambda x: torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,)), torch.randn(3))
    branch = graph.true_graph_0.graph
    with branch.inserting_before(branch.output_node()):
        branch.call_function(torch.ops.aten._assert_async.default, tuple(branch.find_nodes(op="placeholder")))
    with compile_context(), pytest.raises(UnsupportedGraph, match="_assert_async.default in a subgraph of cond"):
        import_graph(graph)


def test_tensors_without_strides_are_refused():
    with pytest.raises(UnsupportedGraph, match="sparse, nested, quantized"):
        tensor_info(torch.eye(3).to_sparse())
    with pytest.raises(UnsupportedGraph, match="dtype"):
        tensor_info(torch.empty(3, dtype=torch.uint8).view(torch.float4_e2m1fn_x2))


def test_dropout_of_unaligned_memory_on_a_gpu_is_refused():
    """Which random number an element gets depends on the alignment, and here a copy of an input's storage is moved to its start."""

    aten = torch.ops.aten

    def program(x):
        return aten.native_dropout(aten.select_scatter(x, aten.select(x, 0, 1), 0, 0), 0.5, True)

    with FakeTensorMode() as mode, true_offsets([mode.from_tensor(torch.ones(1))]):
        whole = torch.empty(4, 4, device="cuda")
        graphs = [make_fx(program)(x) for x in (whole, aten.slice(whole, 0, 1), aten.slice(whole, 1, 1))]
    with compile_context():
        import_graph(graphs[0])
        for graph in graphs[1:]:
            with pytest.raises(UnsupportedGraph, match="dropout of a tensor with an offset"):
                import_graph(graph)
