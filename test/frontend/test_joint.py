"""Training through the joint graph: what the partition saves and computes again, checkpoints, written inputs, the nodes' identity."""

import functools
from pathlib import Path

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.frontend.backend import mlirind
from mlirind.frontend.counters import counters
from mlirind.frontend.importing.exporter import export_graph
from mlirind.frontend.importing.importer import import_graph
from mlirind.frontend.joint import joint_partition
from mlirind.frontend.joint.partition_report import collect_partitions
from mlirind.passes.analysis.node_identity import NODE, identity, merged_meta, node_names, same_region
from mlirind.passes.driver import run_passes
from torch import fx
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

pytestmark = pytest.mark.usefixtures("fresh_counters")


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * 3 * x  # not the true one: the user's counts


def block(x, w):
    return torch.nn.functional.gelu(x @ w).softmax(-1) @ w


def no_grad_region(x, w):
    with torch.no_grad():
        scale = (x @ w).abs().amax()
    return (x @ w / scale).tanh()


def used_twice(x, w):
    y = (x @ w).sin()
    return y, y, y * 2 + x


def some_outputs(x, w):
    return (x @ w).exp(), x.detach() * 2, w.sum()


def checkpointed(x, w):
    return checkpoint(block, checkpoint(block, x, w, use_reentrant=False), w, use_reentrant=False).cos()


def save_products(_context, operator, *_args, **_kwargs):
    return CheckpointPolicy.MUST_SAVE if operator == torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


CONTEXTS = functools.partial(create_selective_checkpoint_contexts, save_products)


def selective(x, w):
    return checkpoint(block, x, w, use_reentrant=False, context_fn=CONTEXTS)


PROGRAMS = {
    "block": block,
    "checkpoint": checkpointed,
    "selective checkpoint": selective,
    "no_grad": no_grad_region,
    "custom function": lambda x, w: Square.apply(x @ w).sum(0) + Square.apply(x).sum(0),
    "used twice": used_twice,
    "some outputs": some_outputs,
    "gradient of an input that is returned": lambda x, w: (x, x @ w),
    "detached in between": lambda x, w: ((x @ w).detach() * x).sum() + (x * w).sum(),
}


def gradients(function, *, compiled, options=None, inputs=None):
    """Outputs, gradients and the inputs afterwards."""
    torch.manual_seed(0)
    x, w = (torch.randn(4, 4, requires_grad=True) for _ in range(2))
    more = [i.clone() for i in inputs or ()]
    torch.manual_seed(1)
    if compiled:
        function = torch.compile(function, backend=mlirind, options={"fallback": False, **(options or {})})
    outputs = function(x, w, *more)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    sum((n + 1) * o.square().sum() for n, o in enumerate(outputs) if o.requires_grad).backward()
    return [o.detach() for o in outputs], x.grad, w.grad, more


OPTIONS = [{}, {"activation_memory_budget": 0.3}, {"activation_memory_budget": 0.0}, {"partition": "default"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_eagers(name, options):
    want = gradients(PROGRAMS[name], compiled=False)
    got = gradients(PROGRAMS[name], compiled=True, options=options)
    for found, expected in zip(tree_leaves(got), tree_leaves(want), strict=True):
        # Products are added up in another order than the library's: the terms' roundings are of the largest elements' size.
        torch.testing.assert_close(found, expected, rtol=1.3e-6, atol=max(1e-5, 1e-6 * float(expected.abs().max())))
    assert not counters.joint_unchanged


WRITES = {
    "a copy": lambda x, w, b: (w * b.clone(), b.add_(1))[0] * x,
    "computed": lambda x, w, b: (w * b.sin(), b.add_(1))[0] * x,
    "through a view": lambda x, w, b: (w * b.t()[1].cos(), b.zero_())[0] * x,
    "through one of several views": lambda x, w, b: (w * b.split(1)[2].clone(), b.zero_())[0] * x,
    "by an operator of two results": lambda x, w, b: (w * b.sin().sort(1)[0] * b.max(1, keepdim=True)[0], b.add_(1))[0] * x,
}


@pytest.mark.parametrize("budget", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("name", WRITES)
def test_an_input_that_is_written_is_not_read_again(name, budget):
    """The backward needs what the input was before: it is saved, not computed from the input."""
    b = torch.arange(16.0).reshape(4, 4)
    want = gradients(WRITES[name], compiled=False, inputs=[b])
    got = gradients(WRITES[name], compiled=True, inputs=[b], options={"activation_memory_budget": budget})
    torch.testing.assert_close(got, want)


def saved_by(function, **options):
    torch._dynamo.reset()
    with collect_partitions() as partitions:
        gradients(function, compiled=True, options=options)
    (partition,) = partitions
    return partition


def deep(x, w):
    for _ in range(6):
        x = block(x, w) + x
    return x


def test_a_smaller_budget_saves_fewer_bytes():
    saved = [saved_by(deep, activation_memory_budget=budget).bytes for budget in (1.0, 0.5, 0.2)]
    assert saved[0] > saved[1] > saved[2] > 0


def wide(x, w):
    for _ in range(6):
        x = torch.nn.functional.gelu(x @ w) @ w.t() / 8 + x
    return x


def test_a_smaller_budget_has_a_lower_peak_and_equal_gradients(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    from memory import peak_bytes

    found = []
    for budget in (1.0, 0.3, 0.1):
        torch._dynamo.reset()
        torch.manual_seed(0)
        x, w = (torch.randn(size, requires_grad=True) for size in ((512, 32), (32, 128)))
        function = torch.compile(wide, backend=mlirind, options={"activation_memory_budget": budget})
        gradients = torch.autograd.grad(function(x, w).sum(), (x, w))
        found.append((peak_bytes(lambda f=function, x=x, w=w: torch.autograd.grad(f(x, w).sum(), (x, w))), gradients))
    peaks = [peak for peak, _ in found]
    assert peaks[0] > peaks[1] > peaks[2] > 0
    assert all(torch.equal(a, b) for _, gradients in found for a, b in zip(gradients, found[0][1], strict=True))


def test_what_the_backward_computes_in_passing_is_not_saved():
    """GELU's gradient reads GELU's input: GELU is computed there again. Not where the caller has it, nor where nothing reads the input."""
    x, w = (torch.randn(size, requires_grad=True) for size in ((512, 32), (32, 128)))

    def saved(function):
        torch._dynamo.reset()
        with collect_partitions() as partitions:
            compiled = torch.compile(function, backend=mlirind, options={"fallback": False})
            got = torch.autograd.grad(tree_leaves(compiled(x, w))[0].sum(), (x, w))
        want = torch.autograd.grad(tree_leaves(function(x, w))[0].sum(), (x, w))
        for found, expected in zip(got, want, strict=True):
            torch.testing.assert_close(found, expected, rtol=1.3e-6, atol=1e-6 * float(expected.abs().max()))
        return partitions[0]

    def returned(x, w):
        hidden = torch.nn.functional.gelu(x @ w)
        return hidden @ w.t(), hidden

    hidden = 512 * 128 * 4
    passing = saved(lambda x, w: torch.nn.functional.gelu((x @ w).view(8, 64, 128)).view(512, 128) @ w.t())
    names = {s.name for s in passing.saved}
    assert not any("gelu" in name for name in names), names
    assert passing.recomputed["aten.gelu.default"] == 1
    assert saved(returned).bytes == passing.bytes + hidden
    assert "relu" in {s.name for s in saved(lambda x, w: (x @ w).relu() @ w.t()).saved}


def test_checkpointed_values_are_computed_again():
    assert saved_by(checkpointed).recomputed["aten.mm.default"] >= 2
    assert "aten.mm.default" not in saved_by(selective).recomputed
    assert saved_by(checkpointed).bytes < saved_by(lambda x, w: block(block(x, w), w).cos()).bytes


def test_a_draw_is_not_repeated():
    """Dropout's mask is the forward's in the backward, whatever the budget."""

    def function(x, w):
        y = torch.nn.functional.dropout(x @ w, 0.5)
        return y, y * 0 + torch.nn.functional.dropout(torch.ones_like(x) * x, 0.5)

    for budget in (1.0, 0.2, 0.0):
        torch._dynamo.reset()
        torch.manual_seed(0)
        x = torch.randn(8, 8, requires_grad=True)
        w = torch.eye(8)
        y, z = torch.compile(function, backend=mlirind, options={"activation_memory_budget": budget})(x, w)
        (y + z).sum().backward()
        torch.testing.assert_close(x.grad, ((y != 0) * 2.0) + ((z != 0) * 2.0))


@pytest.mark.parametrize("budget", [0.5, 0.0])
def test_draws_of_several_results(budget):
    """Of an operator that gives values and mask, the mask is saved, also where nothing else could be."""
    programs = [
        lambda x: torch.nn.functional.rrelu(x, training=True).exp(),
        lambda x: torch.native_dropout(x.sin(), 0.5, True)[0].exp(),
        lambda x: (
            checkpoint(lambda x: torch.nn.functional.dropout(x.tanh(), 0.3) + x, x, use_reentrant=False) + torch.nn.functional.dropout(x)
        ),
    ]
    for program in programs:
        torch._dynamo.reset()
        found = []
        for function in (program, torch.compile(program, backend=mlirind, options={"activation_memory_budget": budget})):
            torch.manual_seed(0)
            x = torch.ones(8, 8, requires_grad=True)
            found.append(torch.autograd.grad(function(x).sum(), x))
        torch.testing.assert_close(found[1], found[0])


def test_what_cannot_be_imported_is_partitioned_as_it_is():
    def function(x):
        packed = x.detach().view(torch.uint8).view(torch.float4_e2m1fn_x2)
        return x * packed.view(torch.uint8)[..., :1]

    x = torch.randn(3, 2, requires_grad=True)
    with collect_partitions() as partitions:
        torch.compile(function, backend=mlirind)(x).square().sum().backward()
    (reason,) = counters.joint_unchanged
    assert "float4" in reason and partitions[0].unchanged == reason
    want = torch.autograd.grad(function(x).square().sum(), x)[0]
    torch.testing.assert_close(x.grad, want)


@pytest.mark.parametrize("option", [{"partition": "max-cut"}, {"activation_memory_budget": 1.5}], ids=str)
def test_wrong_options_say_what_is_possible(option):
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=r"are possible|from 0 to 1"):
        torch.compile(lambda x: x + 1, backend=mlirind, options=option)(torch.ones(2))


def joint_graph(function, monkeypatch):
    """The joint graph as AOTAutograd gives it, and as it is after the passes."""
    seen = []

    def keep(joint_module, options, stages):
        before = {n.name: dict(n.meta) for n in joint_module.graph.nodes}
        reason = transform(joint_module, options, stages)
        kept = fx.Graph()  # the partition marks nodes
        kept.output(kept.graph_copy(joint_module.graph, {})).meta = dict(joint_module.graph.output_node().meta)
        seen.append((before, kept))
        return reason

    transform = joint_partition._transform
    monkeypatch.setattr(joint_partition, "_transform", keep)
    gradients(function, compiled=True)
    return seen[0]


FIELDS = ("partitioner_tag", "recompute", "ac_graph_id", "seq_nr", "nn_module_stack", "custom", "desc", "stack_trace")


@pytest.mark.parametrize("name", ["checkpoint", "selective checkpoint", "block"])
def test_nodes_keep_what_they_are(name, monkeypatch):
    """Whatever the passes make stands for nodes that were there, with all that PyTorch knows of those."""
    before, graph = joint_graph(PROGRAMS[name], monkeypatch)
    tags = set()
    for node in graph.nodes:
        if node.op == "call_function" and node.name in before:
            assert {f: node.meta.get(f) for f in FIELDS} == {f: before[node.name].get(f) for f in FIELDS}, node
        if node.op in ("placeholder", "output"):
            assert node.meta["desc"] == before[node.name]["desc"]
        else:
            tags.add(node.meta["partitioner_tag"])
    assert tags == {"is_forward", "is_backward"}


def test_the_rule_of_inheritance():
    save, prefer = CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_RECOMPUTE
    first = {"partitioner_tag": "is_forward", "recompute": prefer, "ac_graph_id": 1, "seq_nr": 3, "val": 1, "custom": {"a": 1}}
    other = {"partitioner_tag": "is_backward", "seq_nr": 9, "stack_trace": "line", "custom": {"a": 2, "b": 2}}
    assert merged_meta([first]) == {k: v for k, v in first.items() if k != "val"}
    both = merged_meta([first, other])
    assert both == {"partitioner_tag": "is_backward", "seq_nr": 3, "stack_trace": "line", "custom": {"a": 1, "b": 2}}
    assert merged_meta([first, {**first, "recompute": save}])["recompute"] is save
    assert merged_meta([first, {"recompute": save}])["recompute"] is save


def test_an_operator_that_stands_for_several(monkeypatch):
    """A pass puts two calls into one: the node has the identity of the first, completed by the other's."""
    graphs = []
    monkeypatch.setattr(joint_partition, "_adopt", lambda joint_module, changed: graphs.append(joint_module))
    gradients(block, compiled=True)
    with compile_context():
        imported = import_graph(graphs[0], joint=True)
        run_passes(imported.module, ["canonicalize-aten"])
        ops = [op for op in imported.module.body.operations[0].regions[0].blocks[0].operations if NODE in op.attributes]
        gelu, mm = (next(op for op in ops if op.operation.name == name) for name in ("aten.gelu", "aten.mm"))
        assert same_region([gelu, mm])
        for name, attribute in identity(gelu, mm).items():
            gelu.attributes[name] = attribute
        assert list(node_names(gelu)) == ["gelu", "mm"]
        del imported.metas["gelu"]["stack_trace"]
        node = next(n for n in export_graph(imported).graph.nodes if n.name == "gelu")
    assert node.meta["stack_trace"] == imported.metas["mm"]["stack_trace"]
    assert node.meta["val"].shape == (4, 4)


def drop(x, w):
    return torch.nn.functional.dropout(torch.nn.functional.gelu(torch.nn.functional.dropout(x @ w, 0.5)) @ w, 0.3)


def noise(x, w):
    drawn = torch.bernoulli(torch.full_like(x, 0.5)) + torch.rand(x.shape)
    return (x @ w + torch.rand_like(x)).sin() * drawn


def attend(x, w):
    return torch.nn.functional.scaled_dot_product_attention(x[None, None], (x @ w)[None, None], x[None, None], dropout_p=0.2)[0, 0]


@pytest.mark.parametrize("draw", [drop, noise, attend])
def test_checkpoints_draw_again_what_was_drawn(draw):
    """Compiled, the generator's state kept: equal to eager, and the generator is where eager leaves it."""

    def run(compiled):
        torch._dynamo.reset()
        function = lambda x, w: checkpoint(draw, checkpoint(draw, x, w, use_reentrant=False), w, use_reentrant=False)  # noqa: E731
        return gradients(function, compiled=compiled), torch.rand(3)

    torch.testing.assert_close(run(True), run(False), rtol=1e-4, atol=2e-3)  # the numbers grow
    assert not counters.joint_unchanged and not counters.fallbacks


def a_returned_copy(x, w):
    v = (x * w).exp()
    return v.clone().view(-1), v * 2


def a_returned_copy_of_what_is_detached(x, w):
    v = (x * w).exp()
    return v.clone().detach(), v * 2


@pytest.mark.parametrize("program", [a_returned_copy, a_returned_copy_of_what_is_detached])
def test_a_copy_that_the_caller_writes_is_not_what_was_saved(program, backend):
    """What is saved for the backward is a boundary too: the caller's tensor does not lie in it."""

    def gradient(fn):
        torch.manual_seed(0)
        x, w = torch.randn(3, 4), torch.randn(3, 4, requires_grad=True)
        first, second = fn(x, w)
        with torch.no_grad():
            first.add_(1)
        second.sum().backward()
        return w.grad

    torch.testing.assert_close(gradient(torch.compile(program, backend=backend)), gradient(program))
