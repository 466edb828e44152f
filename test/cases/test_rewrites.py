"""The rewrites of the graph that are no attention: the operators that are left, and values, strides and gradients that are eager's."""

import pytest
import torch
import torch.nn.functional as F
from mlirind.dialects import aten_ops
from mlirind.errors import MlirindError
from mlirind.frontend.backend import mlirind as backend
from mlirind.options import Options
from mlirind.passes import registry
from mlirind.passes.analysis.alias_analysis import functions_with_body
from programs import HERE, ON_GPU


def compiled_operators(function, *args, dynamic=False, train=False, exact=None, **options):
    """The names of the operators that are left of each graph, its results (and gradients) compared with eager's to the bit,
    or with what `exact` gives in float64: they are to be as near to that as eager's."""
    graphs = []

    def watch(found, module):
        if found.name == "reinplace":
            ops = [op for f in functions_with_body(module) for op in f.regions[0].blocks[0].operations if aten_ops.is_operator(op)]
            graphs.append([aten_ops.pytorch_name(op).removeprefix("aten.") for op in ops])
        found.run(module)

    torch._dynamo.reset()
    options = {"fallback": False, "verify_each": True, **options}
    with registry.watched(watch):
        found = results(torch.compile(function, backend=backend, dynamic=dynamic, options=options), args, train)
    wanted = results(function, args, train)
    right = results(exact, [a.double() if isinstance(a, torch.Tensor) else a for a in args], train) if exact else wanted
    for a, b, c in zip(found, wanted, right, strict=True):
        assert (a.stride(), a.dtype) == (b.stride(), b.dtype)
        if exact:
            assert_as_near(a, b, c)
            continue
        torch.testing.assert_close(a, b, equal_nan=True, rtol=0, atol=0)
        if a.is_floating_point():
            assert torch.equal(torch.signbit(a), torch.signbit(b))
    return graphs


def assert_as_near(found, wanted, exact):
    """Nowhere farther from `exact` than twice what eager's `wanted` is somewhere, and two units in the last place of the largest."""
    eps = torch.finfo(found.dtype).eps
    found, wanted, exact = (t.detach().double() for t in (found, wanted, exact))
    most = 2 * float((wanted - exact).abs().max()) + 2 * eps * float(exact.abs().max())
    distance = float((found - exact).abs().max())
    assert distance <= most, (distance, most)


def results(function, args, train):
    given = [a.clone().requires_grad_(train and a.is_floating_point()) if isinstance(a, torch.Tensor) else a for a in args]
    found = function(*given)
    found = list(found) if isinstance(found, (tuple, list)) else [found]
    if not train:
        return found
    inputs = [g for g in given if isinstance(g, torch.Tensor) and g.requires_grad]
    return [*found, *torch.autograd.grad([(f * f).sum() for f in found], inputs)]


X, Y = torch.randn(3, 4), torch.randn(3, 6)


def part_of_a_cat(x, y):
    both = torch.cat([x, y], 1)
    return both[:, 4:].abs(), both[:, 1:3] * 2


def split_of_a_cat(x, y):
    a, b = torch.split(torch.cat([x, y], 1), [4, 6], 1)
    return a.abs(), b * 2


def cat_of_cats(x, y):
    both = torch.cat([x, y], 1)
    return torch.cat([both, both[:, :4], torch.cat([y, x], 1)], 1)


def cat_of_a_split(x, y):
    a, b, c = torch.split(y, 2, 1)
    return torch.cat([a, b, c], 1) + 1, torch.cat([b, c, x], 1)


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize(
    ("function", "cats"),
    [(part_of_a_cat, 0), (split_of_a_cat, 0), (cat_of_cats, 1), (cat_of_a_split, 1)],
    ids=lambda f: getattr(f, "__name__", f),
)
def test_concatenations(function, cats, train):
    forward = compiled_operators(function, X, Y, train=train)[0]
    assert forward.count("cat.default") == cats


def test_concatenations_of_any_size():
    forward = compiled_operators(split_of_a_cat_at_a_size, X, Y, dynamic=True)[0]
    assert "cat.default" not in forward


def split_of_a_cat_at_a_size(x, y):
    a, b = torch.split(torch.cat([x, y], 1), [x.shape[1], y.shape[1]], 1)
    return a.abs(), b * 2


def test_parts_that_the_caller_gets_stay_parts():
    def function(x, y):
        both = torch.cat([x, y], 1)
        return both[:, 4:], both[:, :4]

    found = torch.compile(function, backend=backend, options={"fallback": False, "verify_each": True})(X, Y)
    assert found[0].untyped_storage().data_ptr() == found[1].untyped_storage().data_ptr()
    assert [f.stride() for f in found] == [(10, 1), (10, 1)]


def sums_of_one_number(x):
    ones = torch.ones_like(x, dtype=torch.bool).cumsum(1)
    return (
        ones - 1,
        torch.full((2, 70), 3.0).cumsum(0),
        torch.full((4,), -(2**31) + 1).cumsum(0),
        torch.zeros(3, 2, dtype=torch.int64).cumsum(0),
    )


@pytest.mark.parametrize("dynamic", [False, True])
def test_sums_of_one_number(dynamic):
    (operators,) = compiled_operators(sums_of_one_number, X, dynamic=dynamic)
    assert "cumsum.default" not in operators


def test_sums_that_are_rounded():
    def sums(small, large):
        return (
            torch.full((300,), 0.1, dtype=small, device=HERE).to(large or small).cumsum(0),
            torch.full((300,), 3.0, dtype=torch.bfloat16, device=HERE).to(large or torch.bfloat16).cumsum(0),
            torch.full((2, 400), -0.0, dtype=small, device=HERE).to(large or small).cumsum(1),
        )

    # On a GPU the order of a scan's additions is neither eager's nor that of the elements.
    exact = (lambda x: sums(torch.float32, torch.float64)) if ON_GPU else None
    (operators,) = compiled_operators(lambda x: sums(torch.float32, None), X, exact=exact)
    assert operators.count("cumsum.default") == 3


def two_products(a, b):
    return a @ b + (a * 2) @ (b + 1)


def accumulated(a, b):
    return (a @ b + a[:, :1].expand(a.shape[0], b.shape[1]).contiguous()) @ b.mT


def layers(x, w):
    """As query, key and value have one input, whose gradient is the sum of three products."""
    return torch.stack([torch.nn.functional.linear(x, w * n) for n in (1, 2, 3)])


FACTORS = torch.randn(256, 3), torch.randn(3, 256)


@pytest.mark.parametrize(
    ("function", "args", "train", "products"),
    [
        (two_products, [f.bfloat16() for f in FACTORS], False, ["mm.default"]),
        (two_products, FACTORS, True, []),
        (two_products, [FACTORS[1].mT, FACTORS[0].mT], False, []),
        (accumulated, [torch.randn(128, 40), torch.randn(40, 32)], True, ["addmm.default", "mm.default"]),
        (accumulated, [torch.randn(64, 40), torch.randn(40, 32)], True, ["mm.default", "mm.default"]),  # kernels
        (layers, [torch.randn(8, 64, 12), torch.randn(30, 12)], True, ["mm.default"] * 3),
    ],
)
def test_products_with_free_rounding(function, args, train, products):
    """The rules are for the CPU; on a GPU the option changes nothing."""
    forward, *_ = compiled_operators(function, *args, train=train, exact=function, rounding="free")
    written = ["mm.default"] * (3 if function is layers else 2)
    assert [name for name in forward if "mm" in name] == (written if ON_GPU else products)


def test_products_with_eagers_rounding():
    (forward,) = compiled_operators(two_products, *FACTORS)
    assert [name for name in forward if "mm" in name] == ["mm.default"] * 2


def test_an_unknown_rounding_is_named():
    with pytest.raises(MlirindError, match="rounding='fast'"):
        Options.from_dict({"rounding": "fast"})


def products(a, b):
    product = a @ b
    sums = torch.addmm(b[0], a, b), torch.addmm(product, a, b, alpha=2), torch.addmm(product[:, :1], a, b), torch.addmm(b[0, :1], a, b)
    return product, torch.bmm(a.expand(3, *a.shape), b.expand(3, *b.shape)), *sums


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("sizes", "padded"), [((40, 36, 64), True), ((37, 40, 64), True), ((40, 40, 65), True), ((40, 40, 64), False)])
def test_padded_products(sizes, padded, dtype):
    m, k, n = sizes
    args = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
    for train in (False, True):
        forward, *_ = compiled_operators(products, *args, train=train, exact=products, pad_products=True)
        aligned = not padded or dtype == torch.float32 and k == 36
        assert ("constant_pad_nd.default" in forward) == (not aligned)


def test_products_are_not_padded_unasked():
    (forward,) = compiled_operators(products, torch.randn(37, 40), torch.randn(40, 64), exact=products)
    assert "constant_pad_nd.default" not in forward


LOGITS, TARGETS = torch.randn(6, 1500).bfloat16(), torch.tensor([0, 1499, -100, 7, 700, 7])


def loss(logits):
    return F.cross_entropy(logits.float(), TARGETS)


def shifted_loss(logits):
    """As language models have it: the last row predicts nothing."""
    return F.cross_entropy(logits[:-1].float(), TARGETS[1:], reduction="sum")


def soft_loss(logits):
    return F.cross_entropy(logits.float(), TARGETS, label_smoothing=0.1)


def log_probabilities(logits):
    return logits.float().log_softmax(1).sin().sum()


@pytest.mark.parametrize("function", [loss, shifted_loss, soft_loss, log_probabilities])
def test_logits_of_half_types_are_never_saved_in_float32(function):
    torch._dynamo.reset()
    saved = []
    found, wanted = (LOGITS.clone().requires_grad_() for _ in range(2))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        total = torch.compile(function, backend=backend, options={"fallback": False, "verify_each": True})(found)
    assert saved and not [t for t in saved if t.dtype == torch.float32 and t.numel() >= LOGITS[1:].numel()]
    total.backward()
    function(wanted).backward()
    torch.testing.assert_close(total, function(LOGITS))
    torch.testing.assert_close(found.grad, wanted.grad, rtol=1e-2, atol=1e-6)


def test_a_target_out_of_range_raises():
    def function(x, index):
        return torch.zeros_like(x).scatter(1, index, x[:, :1]).exp() * x

    torch._dynamo.reset()
    x, index = torch.randn(3, 2000), torch.tensor([[1999], [0], [1]])
    compiled = torch.compile(function, backend=backend, options={"fallback": False})
    torch.testing.assert_close(compiled(x, index), function(x, index))
    with pytest.raises(RuntimeError, match="out of"):
        compiled(x, index + 1)
