"""An access without a proof does not run: a kernel's operator becomes a call of ATen, a graph with such a view runs through FX."""

import json

import mlirind
import pytest
import torch
from mlirind.frontend.counters import counters
from mlirind.lowering.rules import RULES
from mlirind.passes.registry import watched
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from mlirind.tools.count_accesses import summary
from programs import check
from torch_mlir import ir

# Behind the pass at fault a verifier would end the compilation.
UNVERIFIED = {"verify_each": False, "fallback": False}


def program(x, y):
    return x.neg().exp() + y.flip(0)


def inputs():
    return torch.randn(5, 4), torch.randn(5, 4)


def off_by_one(call):
    """flip without the - 1 in its index."""
    builder = call.kernel([call["self"]], call.result().sizes)
    first, *rest = builder.dims
    builder.store(0, builder.load(0, [builder.size(builder.domain[0]) - first, *rest]), builder.dims)
    return builder.finish()


@pytest.mark.parametrize("dynamic", [False, True])
def test_the_operator_of_a_wrong_rule_is_a_call(fresh_counters, monkeypatch, dynamic):
    monkeypatch.setitem(RULES, "aten.flip.default", off_by_one)
    with collect_reports() as reports:
        check(find_backend("mlirind"), program, inputs, dynamic=dynamic, options=UNVERIFIED)
    (report,) = reports
    assert [c.target for c in report.calls] == ["aten.flip.default"] and "is not proved to lie within" in report.calls[0].reason
    assert [computed for kernel in report.kernels for computed in kernel.computes] == ["neg", "exp", "add"]
    assert counters.compiled == 1 and sum(counters.unproved.values()) == 1 and not counters.fallbacks


def shift_a_load(found, module):
    """fuse-kernels that moves what a kernel of several operators loads by one element."""
    found.run(module)
    if found.name != "fuse-kernels":
        return
    for op in module.body.operations[0].regions[0].blocks[0].operations:
        if op.operation.name != "loop.kernel" or len(op.attributes["computes"]) == 1:
            continue
        load = next(inner for inner in op.regions[0].blocks[0].operations if inner.operation.name == "loop.load")
        map_ = load.attributes["map"].value
        results = [*list(map_.results)[:-1], map_.results[len(map_.results) - 1] + 1]
        load.attributes["map"] = ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims, map_.n_symbols, results))


def test_without_fusion_where_fusion_is_wrong(fresh_counters):
    with watched(shift_a_load), collect_reports() as reports:
        check(find_backend("mlirind"), program, inputs, options=UNVERIFIED)
    (report,) = reports
    assert not report.calls and len(report.kernels) == 4
    assert counters.compiled == 1 and sum(counters.unproved.values()) == 2


STRIDED = {
    "size": lambda x: (x + 1).as_strided((5,), (1,)) * 2,
    "stride": lambda x: (x + 1).as_strided((2,), (3,)) * 2,
    "offset": lambda x: (x + 1).as_strided((2,), (1,), 2) * 2,
    "of an input": lambda x: x.as_strided((5,), (1,)) * 2,
    "returned": lambda x: (x + 1).as_strided((5,), (1,)),
    "read by ATen": lambda x: (x + 1).as_strided((2, 2), (2, 1)) @ torch.ones(2, 2),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", STRIDED)
def test_as_strided_beyond_its_storage(backend, name, dynamic):
    x = torch.arange(3.0)
    with pytest.raises(RuntimeError, match="out of bounds"):
        STRIDED[name](x)
    with pytest.raises(RuntimeError, match="out of bounds"):
        torch.compile(STRIDED[name], backend=backend, dynamic=dynamic)(x)


def test_as_strided_with_other_sizes_than_those_that_were_traced(backend):
    def every_other(x, n):
        return (x + 1).as_strided((n,), (2,), 1) * 2

    compiled = torch.compile(every_other, backend=backend, dynamic=True)
    for size, n in ((9, 4), (6, 3), (8, 4)):
        assert torch.equal(compiled(torch.arange(float(size)), n), every_other(torch.arange(float(size)), n))
    with pytest.raises(RuntimeError, match="out of bounds"):
        compiled(torch.arange(7.0), 4)


def test_as_strided_of_an_input_that_has_more_in_its_storage(backend):
    check(backend, lambda x: x.as_strided((5,), (1,), 0) * 2, lambda: (torch.arange(8.0)[1:4],))


def test_how_accesses_are_proved_is_shown_and_logged(fresh_counters, tmp_path, monkeypatch):
    log = tmp_path / "accesses"
    monkeypatch.setenv("MLIRIND_ACCESS_LOG", str(log))
    explanation = mlirind.explain(lambda x, i: x[i] * 2, torch.randn(5, 4), torch.tensor([0, 3]))
    assert explanation.graphs[0].accesses == {"checked": 1, "proved": 2} == dict(counters.accesses)
    assert "accesses of kernels, and views: 1 checked, 2 proved" in str(explanation)
    torch.compile(STRIDED["size"], backend=find_backend("mlirind"))(torch.arange(5.0))
    with pytest.raises(RuntimeError):
        torch.compile(STRIDED["size"], backend=find_backend("mlirind"), dynamic=False)(torch.arange(3.0))
    assert sum(counters.unproved.values()) == 1
    text = summary(map(json.loads, log.read_text().splitlines()))
    assert text.startswith("1 times: as_strided: index d0 is not proved to lie within the 3 elements")
    assert text.endswith("accesses of 2 graphs: 4 proved, 1 checked, 0 required, 1 unproved")
