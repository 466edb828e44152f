"""What operators return is compared with what their fake functions declare, before any kernel reads it."""

import gc
import re
import weakref

import pytest
import torch
from fake_gpu import backend_on, fake_gpu
from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.context import compile_context
from mlirind.errors import ResultNotAsDeclared
from mlirind.frontend.backend import mlirind
from mlirind.lowering.host.declared import declared_tensors
from torch_mlir import ir

pytestmark = pytest.mark.usefixtures("fresh_counters")
LIBRARY = torch.library.Library("mlirind_declared", "FRAGMENT")
ADVICE = re.escape("; correct its register_fake function, which must give the sizes, strides, dtype and device that the operator returns")


@pytest.fixture(autouse=True, params=["native", "python"])
def host(request, monkeypatch):
    monkeypatch.setenv("MLIRIND_HOST", request.param)
    return request.param


def define(signature, operator, fake):
    name = signature.partition("(")[0]
    LIBRARY.define(signature)
    LIBRARY.impl(name, operator, "CPU")
    torch.library.register_fake(f"mlirind_declared::{name}", fake, lib=LIBRARY)


define("same(Tensor x) -> Tensor", torch.clone, torch.empty_like)
define("first(Tensor x) -> Tensor", lambda x: x[:3].clone(), torch.empty_like)
define("row(Tensor x) -> Tensor", lambda x: x[None].clone(), torch.empty_like)
define("double(Tensor x) -> Tensor", lambda x: x.double(), torch.empty_like)
define("meta(Tensor x) -> Tensor", lambda x: x.to("meta"), torch.empty_like)
define("sparse(Tensor x) -> Tensor", lambda x: x.to_sparse(), torch.empty_like)
define("none(Tensor x) -> Tensor?", lambda x: None, torch.empty_like)
define("second(Tensor x) -> (Tensor, Tensor)", lambda x: (x.clone(), x[:2].clone()), lambda x: (torch.empty_like(x), torch.empty_like(x)))
define("third(Tensor x) -> Tensor[]", lambda x: [x.clone(), x.clone(), x[1:].clone()], lambda x: [torch.empty_like(x) for _ in range(3)])
define("many(Tensor x) -> Tensor[]", lambda x: [x.clone() for _ in range(3)], lambda x: [torch.empty_like(x) for _ in range(2)])
define("few(Tensor x) -> Tensor[]", lambda x: [x.clone()], lambda x: [torch.empty_like(x) for _ in range(2)])
define("shrink(Tensor(a!) x) -> ()", lambda x: None if x.resize_(2) is x else x, lambda x: None)
define("conjugate(Tensor x) -> Tensor", lambda x: (x * 1j).conj(), lambda x: torch.empty_like(x, dtype=torch.complex64))
define("negative(Tensor x) -> Tensor", lambda x: (x * 1j).conj().imag, torch.empty_like)
kept = []
define("kept(Tensor x) -> Tensor", lambda x: kept.append(weakref.ref(x)) or x[: int(x[0])].clone(), torch.empty_like)
ops = torch.ops.mlirind_declared

UNTRUE = [
    ("first", lambda x: ops.first(x) * 2, r"the result is \[3\] torch.float32 on cpu, declared as \[6\] torch.float32 on cpu" + ADVICE),
    ("first", lambda x: ops.first(x), r"the result is \[3\] "),
    ("row", lambda x: ops.row(x) * 2, r"the result is \[1, 6\] torch.float32 on cpu, declared as \[6\] "),
    ("double", lambda x: ops.double(x) * 2, r"the result is \[6\] torch.float64 on cpu, declared as \[6\] torch.float32 on cpu" + ADVICE),
    ("meta", lambda x: ops.meta(x) * 2, r"the result is \[6\] torch.float32 on meta, declared as \[6\] torch.float32 on cpu" + ADVICE),
    ("sparse", lambda x: ops.sparse(x) * 2, "a result has the layout torch.sparse_coo, declared as torch.strided" + ADVICE),
    ("none", lambda x: ops.none(x) * 2, r"the result is None, declared as \[6\] torch.float32 on cpu" + ADVICE),
    ("second", lambda x: ops.second(x)[1] * 2, r"result 2 of 2 is \[2\] torch.float32 on cpu, declared as \[6\] "),
    ("third", lambda x: ops.third(x)[0] * 2, r"result 3 of 3 is \[5\] torch.float32 on cpu, declared as \[6\] "),
    ("many", lambda x: ops.many(x)[1] * 2, "it returns 3 tensors, 2 are declared" + ADVICE),
    ("few", lambda x: ops.few(x)[1] * 2, "it returns 1 tensors, 2 are declared" + ADVICE),
]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize(("name", "program", "text"), UNTRUE, ids=[f"{name}_{n}" for n, (name, _, _) in enumerate(UNTRUE)])
def test_what_is_not_as_declared_raises(name, program, text, dynamic):
    """With the operator, the line that called it, what it returned and what was declared."""
    line = program.__code__.co_firstlineno
    with pytest.raises(ResultNotAsDeclared, match=rf"mlirind_declared::{name}, called at .*{re.escape(__file__)}:{line}: {text}"):
        torch.compile(program, backend=mlirind, dynamic=dynamic)(torch.arange(6.0))


def test_symbolic_sizes_are_those_of_the_call():
    """A fake function that is true for some sizes only."""
    compiled = torch.compile(lambda x: ops.first(x) * 2, backend=mlirind, dynamic=True)
    assert compiled(torch.arange(3.0)).tolist() == [0, 2, 4]
    with pytest.raises(ResultNotAsDeclared, match=r"the result is \[3\] torch.float32 on cpu, declared as \[4\] "):
        compiled(torch.arange(4.0))
    assert compiled(torch.arange(2.0)).tolist() == [0, 2]


def test_what_a_custom_operator_writes_keeps_its_size():
    def program(x):
        y = x + 1
        ops.shrink(y)
        return y * 2

    with pytest.raises(
        ResultNotAsDeclared, match=r"a tensor that it writes is \[2\] .*, declared as \[6\] .*; write to the tensor's elements"
    ):
        torch.compile(program, backend=mlirind)(torch.arange(6.0))


@pytest.mark.parametrize("trained", [False, True])
def test_what_only_the_backward_operator_reads_may_differ(trained):
    """Sums of bags of bfloat16 return an empty `offset2bag`; PyTorch declares an element for each index."""

    def program(weight, indices, offsets):
        return torch.nn.functional.embedding_bag(indices, weight, offsets, mode="sum") * 2

    indices, offsets = torch.tensor([0, 1, 2, 1]), torch.tensor([0, 3])
    weights = [torch.arange(20.0).reshape(5, 4).bfloat16().requires_grad_(trained) for _ in range(2)]
    want, got = program(weights[0], indices, offsets), torch.compile(program, backend=mlirind)(weights[1], indices, offsets)
    assert torch.equal(got, want)
    if trained:
        want.sum().backward()
        got.sum().backward()
        assert torch.equal(weights[1].grad, weights[0].grad)


LAID_OUT = {
    "transposed": lambda x: x.t().clone(memory_format=torch.contiguous_format).t(),
    "of_one_element": lambda x: x[:1, :1].clone().expand(x.shape),
    "with_gaps": lambda x: torch.stack((x, x), 2)[:, :, 0],
}
STRIDES = {"transposed": [1, 2], "of_one_element": [0, 0], "with_gaps": [6, 2]}
for operator_name, laid_out in LAID_OUT.items():
    define(f"{operator_name}(Tensor x) -> Tensor", laid_out, torch.empty_like)
    define(f"some_{operator_name}(Tensor x) -> Tensor[]", lambda x, f=laid_out: [x.clone(), f(x)], lambda x: [torch.empty_like(x)] * 2)
define("behind_others(Tensor x) -> Tensor", lambda x: torch.cat((x.flatten(), x.flatten()))[x.numel() :].view(x.shape), torch.empty_like)
define("turn(Tensor(a!) x) -> ()", lambda x: None if x.t_() is x else x, lambda x: None)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize("name", LAID_OUT)
def test_other_strides_than_declared_raise(name, dynamic):
    """The strides of what is computed from such a result would be those of the declaration. It also raises where nothing is computed."""
    x, given = torch.arange(6.0).view(2, 3), getattr(ops, name)
    strides = re.escape(str(STRIDES[name]))
    text = rf"mlirind_declared::{name}, called at .*: the result is \[2, 3\] .* with strides {strides}, declared as .* \[3, 1\]"
    for program in (lambda x: given(x) * 2, lambda x: given(x), lambda x: given(x).as_strided((3,), (1,))):
        with pytest.raises(ResultNotAsDeclared, match=text + ADVICE):
            torch.compile(program, backend=mlirind, dynamic=dynamic)(x)
    listed = getattr(ops, f"some_{name}")
    with pytest.raises(ResultNotAsDeclared, match=r"result 2 of 2 is \[2, 3\] .* with strides"):
        torch.compile(lambda x: listed(x)[1] * 2, backend=mlirind, dynamic=dynamic)(x)


NOT_COMPARED = [("transposed", (1, 3)), ("transposed", (3, 1)), ("with_gaps", (1, 1)), ("with_gaps", (0, 3)), ("with_gaps", (3, 0))]


@pytest.mark.parametrize(("name", "shape"), NOT_COMPARED)
def test_strides_that_reach_no_element_are_not_compared(name, shape):
    x = torch.arange(float(shape[0] * shape[1])).view(shape)
    compiled = torch.compile(lambda x: getattr(ops, name)(x) * 2, backend=mlirind, dynamic=False)
    assert compiled(x).tolist() == (x * 2).tolist()


def test_symbolic_strides_are_those_of_the_call():
    """What is declared is true for one row alone."""
    compiled = torch.compile(lambda x: ops.transposed(x) + 1, backend=mlirind, dynamic=True)
    with pytest.raises(ResultNotAsDeclared, match=r"with strides \[1, 3\], declared as .* \[2, 1\]"):
        compiled(torch.zeros(3, 2))
    with pytest.raises(ResultNotAsDeclared, match=r"with strides \[1, 2\], declared as .* \[4, 1\]"):
        compiled(torch.zeros(2, 4))


def test_what_a_custom_operator_writes_keeps_its_strides():
    def program(x):
        y = x + 1
        ops.turn(y)
        return y * 2

    text = r"mlirind_declared::turn, called at .*: a tensor that it writes is .* with strides \[1, 3\], declared as .* \[3, 1\]"
    with pytest.raises(ResultNotAsDeclared, match=text):
        torch.compile(program, backend=mlirind)(torch.arange(9.0).view(3, 3))


def test_another_offset_is_right():
    """A result may begin inside its storage."""
    x = torch.arange(6.0).view(2, 3)
    found = torch.compile(lambda x: (ops.behind_others(x) * 2, ops.behind_others(x + 1)[1]), backend=mlirind)(x)
    assert [f.tolist() for f in found] == [(x * 2).tolist(), (x[1] + 1).tolist()]


def test_bits_of_results_become_values():
    """A conjugate or negative view is read by kernels as the numbers that it stands for."""
    x = torch.arange(1.0, 4.0)
    assert torch.compile(lambda x: ops.conjugate(x) * 2, backend=mlirind)(x).tolist() == [-2j, -4j, -6j]
    assert torch.compile(lambda x: ops.negative(x) * 2, backend=mlirind)(x).tolist() == [-2, -4, -6]


def test_nothing_stays_behind_an_error():
    """What the graph holds when it raises is dropped, and the next call is right."""
    kept.clear()
    compiled = torch.compile(lambda x: ops.kept(x + 1).sum() + (x + 1).sin().sum(), backend=mlirind)
    for _ in range(2):
        with pytest.raises(ResultNotAsDeclared):
            compiled(torch.ones(6))
    gc.collect()
    assert len(kept) == 2 and all(reference() is None for reference in kept)
    x = torch.full((6,), 5.0)
    torch.testing.assert_close(compiled(x), (x + 1).sum() + (x + 1).sin().sum())


def test_inputs_are_not_written_before_it_raises():
    def program(x):
        y = ops.first(x) * 2
        x.copy_(y)
        return y

    x = torch.arange(6.0)
    with pytest.raises(ResultNotAsDeclared):
        torch.compile(program, backend=mlirind)(x)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def with_wrong_tracer(monkeypatch, change):
    """Makes PyTorch's tracer wrong for one of ATen's operators that has a C function."""
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    dispatch = FakeTensorMode.dispatch

    def wrong(mode, function, types, args=(), kwargs=None):
        found = dispatch(mode, function, types, args, kwargs)
        return change(found) if function is torch.ops.aten._cdist_forward.default and isinstance(found, FakeTensor) else found

    monkeypatch.setattr(FakeTensorMode, "dispatch", wrong)


def test_pytorchs_own_operators_are_compared(monkeypatch):
    with_wrong_tracer(monkeypatch, lambda found: found[:, :2].clone())
    with pytest.raises(
        ResultNotAsDeclared, match=r"aten._cdist_forward, called at .*: the result is \[3, 3\] .*declared as \[3, 2\].*aot_eager"
    ):
        torch.compile(lambda x: torch.cdist(x, x) * 2, backend=mlirind)(torch.randn(3, 4))


def test_strides_of_pytorchs_own_operators_are_mended(monkeypatch):
    """For kernels, and for a custom operator, whose own strides follow from its argument's: it is not blamed."""
    with_wrong_tracer(monkeypatch, lambda found: found.t().clone(memory_format=torch.contiguous_format).t())

    def program(x):
        distances = torch.cdist(x, x + 1)
        return distances * 2, ops.same(distances)

    x = torch.randn(3, 4)
    for found, right in zip(torch.compile(program, backend=mlirind)(x), program(x), strict=True):
        assert torch.equal(found, right)


def test_graphs_with_kernels_on_a_gpu_compare(host):
    with fake_gpu():
        backend = backend_on({"host": host})
        assert torch.compile(lambda x: ops.same(x * 2) + 1, backend=backend)(torch.arange(3.0)).tolist() == [1, 3, 5]
        with pytest.raises(ResultNotAsDeclared, match=r"mlirind_declared::first, called at .*: the result is \[3\] "):
            torch.compile(lambda x: ops.first(x * 2) + 1, backend=backend)(torch.arange(6.0))
        with pytest.raises(ResultNotAsDeclared, match=r"mlirind_declared::double, called at .*: the result is \[6\] torch.float64"):
            torch.compile(lambda x: ops.double(x * 2) + 1, backend=backend, dynamic=True)(torch.arange(6.0))


def test_which_results_of_pytorchs_operators_are_compared():
    """Those that something reads; of fused attention not the random state, which may lie on the CPU."""
    counts = {
        "aten._scaled_dot_product_efficient_attention.default": 2,
        "aten._scaled_dot_product_efficient_attention_backward.default": 4,
        "aten.native_layer_norm.default": 4,
    }
    with compile_context(), ir.Location.unknown():
        info = TensorInfo((4,), "float32", "cuda:0", (1,)).type()
        for target, count in counts.items():
            call = ir.Operation.create("host.call", [info] * 4, attributes={"target": ir.StringAttr.get(target)})
            assert declared_tensors(call, ()) == []
            reader = ir.Operation.create("host.call", [info], list(call.results), {"target": ir.StringAttr.get("aten.cat.default")})
            found = declared_tensors(call, ())
            assert [declared.name for declared in found] == [f"result {n} of 4" for n in range(1, count + 1)]
            assert declared_tensors(reader, ()) == []


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_mask_without_elements_has_another_dtype(dynamic):
    """`native_dropout` of an empty tensor returns a mask of the tensor's dtype, not of booleans."""
    call = torch.compile(lambda x: torch.native_dropout(x * 2, 0.5, True), backend=mlirind, dynamic=dynamic, options={"fallback": False})
    for rows in (3, 0):
        out, mask = call(torch.ones(rows, 4))
        want = torch.native_dropout(torch.ones(rows, 4), 0.5, True)
        assert (out.shape, out.dtype, mask.dtype) == (want[0].shape, want[0].dtype, want[1].dtype)
