"""Wrong index maps are refused: the accesses of kernels are changed in many ways, and the evaluator says which leave their buffers."""

import functools

import pytest
import torch
import torch.nn.functional as F
from graphs import capture
from mlirind.dialects import aten
from mlirind.dialects.context import compile_context
from mlirind.frontend.importing.importer import import_graph
from mlirind.lowering.bounds.access_bounds import Facts
from mlirind.lowering.bounds.verify_bounds import kernel_findings
from mlirind.passes.driver import QUIET, run_passes
from mlirind.runtime.reference.evaluate import concrete, evaluate_kernel
from torch_mlir import ir

X = torch.arange(24.0).reshape(4, 6)
ROWS = torch.tensor([3, 0, 2])
PROGRAMS = {
    "pointwise": (lambda x: x.exp() + x[0], (X,)),
    "flip": (lambda x: x.flip(0) * 2, (X,)),
    "cat": (lambda x: torch.cat([x, x.flip(1)], 1).exp(), (X,)),
    "pad": (lambda x: F.pad(x, (1, 2)) + 1, (X,)),
    "roll": (lambda x: x.roll(1, 1), (X,)),
    "slices": (lambda x: x[1:, 2:] - x[:-1, :-2], (X,)),
    "view": (lambda x: x.exp().t().reshape(3, 8).sum(1), (X,)),
    "softmax": (lambda x: x.softmax(1), (X,)),
    "cumsum": (lambda x: x.cumsum(1), (X,)),
    "pool": (lambda x: F.max_pool2d(x[None], 2, 2, 1), (X,)),
    "product": (lambda x: x @ x.t(), (X,)),
    "gather": (lambda x, i: x[i] + 1, (X, ROWS)),
    "embedding": (lambda x, i: F.embedding(i, x), (X, ROWS)),
    "scatter": (lambda x, i: x.index_add(0, i, x[:3]), (X, ROWS)),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2) + 1, (torch.ones(2, 8, 3, 5),)),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2) + 1, (torch.ones(2, 3, 4, 6),)),
    "slice_scatter": (lambda x: x.slice_scatter(x[:, :2] * 2, 1, 1, 5, 2), (X,)),
}


def shifted(by, op, results):
    return [*results[:-1], results[-1] + by]


def doubled(op, results):
    return [*results[:-1], results[-1] * 2]


def halved(op, results):
    return [*results[:-1], ir.AffineExpr.get_floor_div(results[-1], 2)]


def swapped(op, results):
    return results[::-1]


def added(op, results):
    return [*results[:-1], results[-1] + results[0]]


MAPS = {
    "an element behind": functools.partial(shifted, 1), "an element before": functools.partial(shifted, -1), "twice the stride": doubled,
    "half the index": halved, "coordinates swapped": swapped, "coordinates added": added,
}  # fmt: skip


def with_map(change, op):
    """The access with other results of its map."""
    old = op.attributes["map"].value
    results = change(op, list(old.results)) if len(old.results) else []
    op.attributes["map"] = ir.AffineMapAttr.get(ir.AffineMap.get(old.n_dims, old.n_symbols, results))


def without_mask(op):
    """The access under a mask that is always true."""
    if op.attributes["operandSegmentSizes"][-1]:
        true = ir.IntegerAttr.get(ir.IntegerType.get_signless(1), 1)
        constant = ir.Operation.create("arith.constant", [true.type], attributes={"value": true}, ip=ir.InsertionPoint(op))
        op.operation.operands[len(op.operands) - 1] = constant.result


def larger(dim, kernel):
    """The kernel over one more element of a dimension."""
    old = kernel.attributes["domain"].value
    results = [e + 1 if d == dim else e for d, e in enumerate(old.results)]
    kernel.attributes["domain"] = ir.AffineMapAttr.get(ir.AffineMap.get(0, old.n_symbols, results))


def accesses(kernel):
    return [op for op in kernel.regions[0].blocks[0].operations if op.operation.name in ("loop.load", "loop.store")]


def mutants(kernel):
    """What may be wrong with a kernel, each with the function that changes a copy of it."""
    for d in range(len(kernel.attributes["domain"].value.results)):
        yield f"dimension {d} one larger", functools.partial(larger, d)
    for n in range(len(accesses(kernel))):
        for name, change in MAPS.items():
            yield f"{name}, access {n}", lambda copy, n=n, change=change: with_map(change, accesses(copy)[n])
        yield f"no mask, access {n}", lambda copy, n=n: without_mask(accesses(copy)[n])


def numbers(type_, symbols):
    """A tensor; of integers, which may be indices, such that are out of any range too."""
    info = aten.TensorInfo.of(type_)
    sizes = [concrete(s, symbols) for s in info.sizes]
    if info.dtype.startswith("float"):
        return torch.randn(sizes, dtype=getattr(torch, info.dtype))
    return torch.randint(-30, 31, sizes).to(getattr(torch, info.dtype))


def leaves_its_buffers(kernel, symbols):
    """Whether the evaluator sees an access out of range."""
    try:
        for _ in range(3):
            evaluate_kernel(kernel.operation, [numbers(v.type, symbols) for v in kernel.operands], symbols)
    except AssertionError as error:
        if "access out of range" not in str(error):
            raise
        return True
    return False


def kernels(graph_module, passes):
    """The kernels of a graph, what is known of its symbols, and the module."""
    module = import_graph(graph_module).module
    run_passes(module, ["canonicalize-aten", *passes], QUIET)
    function = next(op for op in module.body.operations if op.operation.name == "func.func")
    facts = Facts.of(function)
    return [op for op in function.regions[0].blocks[0].operations if op.operation.name == "loop.kernel"], facts, module


def refused_mutants(kernel, facts):
    """How many mutants of a kernel leave their buffers; each of them is refused, and the kernel itself is proved."""
    for op in [op for op in kernel.regions[0].blocks[0].operations if op.operation.name == "loop.check"]:
        op.operation.erase()  # it reports an index, and stops no access; the evaluator would end there
    assert not kernel_findings(kernel, facts).refused and not leaves_its_buffers(kernel, facts.hints)
    seen = 0
    for what, change in mutants(kernel):
        wrong = kernel.operation.clone(ip=ir.InsertionPoint(kernel))
        change(wrong)
        if leaves_its_buffers(wrong, facts.hints):
            assert kernel_findings(wrong, facts).refused, f"{what}: {wrong}"
            seen += 1
        wrong.operation.erase()
    return seen


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("passes", [("convert-aten-to-loop",), ("convert-aten-to-loop", "fuse-kernels")], ids=["single", "fused"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_wrong_kernels(name, passes, dynamic):
    if dynamic and name == "product":
        pytest.skip("a product of unknown sizes is a call")
    program, arguments = PROGRAMS[name]
    (graph_module,) = capture(program, *arguments, dynamic=dynamic)
    with compile_context():
        found, facts, _module = kernels(graph_module, passes)
        assert found and sum(refused_mutants(kernel, facts) for kernel in found) >= 3
