"""Calls that eager refuses and PyTorch's tracer lets pass: sizes, dtypes, dims and numbers that do not fit. Compiled they raise the same
type of exception, and write nothing before."""

import pytest
import torch
from programs import check, counting, observe
from torch.nn import functional as F

aten = torch.ops.aten
ones, zeros = torch.ones, torch.zeros


def positions(*values):
    return torch.tensor(values)


ROWS = positions(0, 2)
PLACES = positions([0, 2, 1], [0, 2, 1])
SHAPES = {
    "index_add_wide": (lambda x, i, s: x.index_add(0, i, s), zeros(3, 4), ROWS, ones(2, 5)),
    "index_add_very_wide": (lambda x, i, s: x.index_add(0, i, s), zeros(3, 4), ROWS, ones(2, 3000)),
    "index_add_narrow": (lambda x, i, s: x.index_add(0, i, s), zeros(3, 4), ROWS, ones(2, 1)),
    "index_add_more": (lambda x, i, s: x.index_add(0, i, s), zeros(3, 4), ROWS, ones(3, 4)),
    "index_add_in_place": (lambda x, i, s: x.index_add_(0, i, s), zeros(3, 4), ROWS, ones(2, 5)),
    "index_copy": (lambda x, i, s: x.index_copy(0, i, s), zeros(3, 4), ROWS, ones(2, 5)),
    "index_put": (lambda x, i, s: x.index_put((i,), s), zeros(3, 4), ROWS, ones(2, 5)),
    "index_put_indices": (lambda x, i, j, s: x.index_put((i, j), s), zeros(3, 4), ROWS, positions(0, 2, 1), ones(())),
    "index_put_no_index": (
        lambda x, i, j, s: x.index_put((i, j), s),
        zeros(3, 4),
        ROWS[:, None],
        torch.zeros(0, 2, dtype=torch.int64),
        ones(()),
    ),
    "index_fill": (lambda x, i, s: x.index_fill(0, i, s), zeros(3, 4), ROWS[None], torch.tensor(1.0)),
    "scatter_small": (lambda x, i, s: x.scatter(0, i, s), zeros(3, 4), PLACES, ones(1, 3)),
    "scatter_wide": (lambda x, i, s: x.scatter(0, i, s), zeros(3, 2), PLACES, ones(2, 3)),
    "scatter_value": (lambda x, i: x.scatter(0, i, 1.0), zeros(3, 2), PLACES),
    "scatter_add": (lambda x, i, s: x.scatter_add(0, i, s), zeros(3, 4), PLACES, ones(1, 3)),
    "scatter_reduce": (lambda x, i, s: x.scatter_reduce(0, i, s, "amax"), zeros(3, 4), PLACES, ones(1, 3)),
    "gather": (lambda x, i: x.gather(0, i), zeros(3, 2), PLACES),
    "addmm": (torch.addmm, torch.arange(500.0)[:, None], ones(1, 1), ones(1, 1)),
    "mm": (torch.mm, ones(2, 3), ones(4, 2)),
    "bmm": (torch.bmm, ones(2, 2, 3), ones(2, 4, 2)),
    "bmm_of_one": (torch.bmm, ones(2, 2, 3), ones(1, 3, 2)),
    "baddbmm": (torch.baddbmm, ones(5, 2, 2), ones(1, 2, 3), ones(1, 3, 2)),
    "addmv": (torch.addmv, ones(5), ones(1, 3), ones(3)),
    "dot": (torch.dot, ones(5), ones(1)),
    "select_scatter": (lambda x, s: x.select_scatter(s, 0, 1), zeros(3, 4), ones(5)),
    "select_scatter_of_one": (lambda x, s: x.select_scatter(s, 0, 1), zeros(3, 4), ones(1)),
    "select_scatter_beyond": (lambda x, s: x.select_scatter(s, 0, 3), zeros(3, 4), ones(4)),
    "select_scatter_before": (lambda x, s: x.select_scatter(s, 0, -4), zeros(3, 4), ones(4)),
    "slice_scatter_more": (lambda x, s: x.slice_scatter(s, 0, 1, 3), zeros(3, 4), ones(3, 4)),
    "slice_scatter_wide": (lambda x, s: x.slice_scatter(s, 0, 1, 3), zeros(3, 4), ones(2, 5)),
    "slice_scatter_of_one": (lambda x, s: x.slice_scatter(s, 0, 1, 3), zeros(3, 4), ones(2, 1)),
    "diagonal_scatter": (lambda x, s: x.diagonal_scatter(s, 1), zeros(3, 4), ones(4)),
    "as_strided_scatter": (lambda x, s: x.as_strided_scatter(s, (2, 2), (1, 2)), zeros(3, 4), ones(3)),
    "pad_cuts_more": (lambda x: F.pad(x, (-8, 9)), ones(3, 7)),
    "pad_cuts_more_at_the_end": (lambda x: F.pad(x, (5, -3, 9, -8)), ones(7, 3)),
    "embedding_backward": (lambda g, i: aten.embedding_dense_backward(g, i, 5, -1, False), ones(3, 4), positions(1, 2, 3, 4)),
    "softmax_backward": (lambda g, y: aten._softmax_backward_data(g, y, 1, torch.float32), ones(3, 2), ones(3, 4)),
    "layer_norm": (lambda x, w: F.layer_norm(x, (3,), w), ones(2, 3), ones(4)),
    "group_norm": (lambda x, w: F.group_norm(x, 2, w), ones(2, 4, 3), ones(3)),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 2), ones(2, 3, 0)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 2), ones(2, 3, 4, 0)),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 2), ones(2, 0, 4, 4, 4)),
    "group_norm_samples": (lambda x: torch.native_group_norm(x, None, None, -1, 4, 3, 2, 1e-5), ones(2, 4, 3)),
    "group_norm_pixels": (lambda x: torch.native_group_norm(x, None, None, 2, 4, -1, 2, 1e-5), ones(2, 4, 3)),
    "group_norm_uneven": (lambda x: F.group_norm(x, 3), ones(2, 4, 3)),
    "batch_norm": (lambda x, m: F.batch_norm(x, m, m), ones(2, 4, 3), ones(3)),
    "instance_norm": (lambda x, w: F.instance_norm(x, weight=w), ones(2, 4, 3), ones(3)),
    "prelu": (F.prelu, ones(2, 4, 3), ones(3)),
    "nll_loss_weight": (F.nll_loss, ones(2, 3), positions(0, 1), ones(2)),
    "soft_margin_loss": (F.soft_margin_loss, ones(1, 4), ones(3, 4)),
}
HALF = {"dtype": torch.float16}
DTYPES = {
    "mm_bfloat16": (torch.mm, ones(2, 3), ones(3, 2, dtype=torch.bfloat16)),
    "mm_int64": (torch.mm, ones(2, 3, dtype=torch.int64), ones(3, 2)),
    "linear": (F.linear, ones(2, 3), ones(2, 3, **HALF)),
    "linear_bias": (F.linear, ones(2, 3), ones(2, 3), ones(2, dtype=torch.float64)),
    "matmul": (torch.matmul, ones(2, 2, 3), ones(3, 2, **HALF)),
    "matmul_vector": (torch.matmul, ones(2, 3), ones(3, **HALF)),
    "dot": (torch.dot, ones(3), ones(3, **HALF)),
    "layer_norm": (lambda x, w: F.layer_norm(x, (3,), w), ones(2, 3), ones(3, **HALF)),
    "group_norm": (lambda x, w: F.group_norm(x, 2, w), ones(2, 4, 3), ones(4, **HALF)),
    "batch_norm": (lambda x, m: F.batch_norm(x, m, m), ones(2, 4, 3), ones(4, **HALF)),
    "instance_norm": (lambda x, w: F.instance_norm(x, weight=w), ones(2, 4, 3), ones(4, **HALF)),
    "cross": (torch.linalg.cross, ones(2, 3), ones(2, 3, **HALF)),
    "heaviside": (torch.heaviside, ones(2, 3), ones(2, 3, **HALF)),
    "nll_loss_weight": (F.nll_loss, ones(2, 3), positions(0, 1), ones(3, **HALF)),
    "nll_loss_target": (F.nll_loss, ones(2, 3), positions(0, 1).int()),
    "index_add": (lambda x, i, s: x.index_add(0, i, s), zeros(3, 4), ROWS, ones(2, 4, **HALF)),
    "index_copy": (lambda x, i, s: x.index_copy(0, i, s), zeros(3, 4), ROWS, ones(2, 4, **HALF)),
    "index_put": (lambda x, i, s: x.index_put((i,), s), zeros(3, 4), ROWS, ones(2, 4, **HALF)),
    "scatter": (lambda x, i, s: x.scatter(0, i, s), zeros(3, 4), PLACES, ones(2, 3, **HALF)),
    "index_add_int16": (lambda x, i, s: x.index_add(0, i, s), zeros(3, 4), ROWS.short(), ones(2, 4)),
    "index_copy_float64": (lambda x, i, s: x.index_copy(0, i, s), zeros(3, 4), ROWS.double(), ones(2, 4)),
    "index_fill_int32": (lambda x, i: x.index_fill(0, i, 1.0), zeros(3, 4), ROWS.int()),
    "arange_bool": (lambda: torch.arange(5, dtype=torch.bool) ^ True,),
    "arange_bool_in_steps": (lambda: torch.arange(0.0, 2.0, 0.5, dtype=torch.bool),),
    "hann_window_int64": (lambda: torch.hann_window(5, dtype=torch.int64) * 2,),
    "hann_window_bool": (lambda: torch.hann_window(5, periodic=False, dtype=torch.bool),),
    "isin_uint16": (torch.isin, ones(3, dtype=torch.uint16), ones(2, dtype=torch.uint16)),
    "isin_float8": (torch.isin, ones(3, dtype=torch.float8_e5m2), ones(2, dtype=torch.float8_e5m2)),
    "pixel_shuffle_uint32": (lambda x: F.pixel_shuffle(x, 2), ones(1, 4, 2, 2, dtype=torch.uint32)),
    "pixel_unshuffle_float8": (lambda x: F.pixel_unshuffle(x, 2), ones(1, 1, 2, 2, dtype=torch.float8_e4m3fn)),
    "trace_uint64": (torch.trace, ones(3, 3, dtype=torch.uint64)),
    "soft_margin_loss": (F.soft_margin_loss, ones(3), ones(3, dtype=torch.complex64)),
    "multilabel_soft_margin_loss": (F.multilabel_soft_margin_loss, positions([1, 2]), ones(1, 2)),
    "log_sigmoid": (F.logsigmoid, positions(1, 2)),
    "std": (torch.std, positions(1, 2, 3)),
    "bitwise_or": (torch.bitwise_or, ones(3), ones(3)),
    "addcdiv": (torch.addcdiv, ones(3), positions(1, 2, 3), positions(1, 2, 3)),
    "addcdiv_bool": (lambda x, a: torch.addcdiv(x, a, a > 1), ones(3), positions(1, 2, 3)),
    "addcdiv_in_place": (lambda x, a: x.addcdiv_(a > 0, a.to(torch.uint8)), ones(3), positions(1, 2, 3)),
}
DIMS = {
    "softmax": (torch.nn.Softmax(dim=3), zeros(3, 4)),
    "softmax_before": (lambda x: x.softmax(-3), zeros(3, 4)),
    "log_softmax": (lambda x: x.log_softmax(2), zeros(3, 4)),
    "softmin": (lambda x: F.softmin(x, 2), zeros(3, 4)),
    "glu": (lambda x: F.glu(x, 2), zeros(3, 4)),
    **{name: (lambda x, name=name: getattr(x, name)(2), zeros(3, 4)) for name in ("argmax", "cumsum", "logsumexp", "prod", "sum", "std")},
}
NUMBERS = {
    "binary_cross_entropy_target": (F.binary_cross_entropy, ones(3) * 0.5, ones(3) * 2),
    "binary_cross_entropy_input": (F.binary_cross_entropy, ones(3) * 2, ones(3)),
    "smooth_l1_loss": (lambda x, y: F.smooth_l1_loss(x, y, beta=-1.0), zeros(3), ones(3)),
    "huber_loss": (lambda x, y: F.huber_loss(x, y, delta=0.0), zeros(3), ones(3)),
    "celu": (lambda x: F.celu(x, 0.0), ones(3)),
    "mvlgamma": (lambda x: torch.mvlgamma(x, 0), ones(3)),
}


def check_raises(backend, fn, *tensors):
    """Asserts that eager raises, and the compiled function with it: eager's type, or that of aot_eager (PyTorch 2.11's tracer has one of
    its own for dims out of range)."""

    def raised(call):
        return type(observe(call, lambda: tuple(t.clone() for t in tensors))["raises"])

    def compiled(name):
        torch._dynamo.reset()
        return torch.compile(lambda *args: fn(*args), backend=name)

    want, call = raised(fn), compiled(backend)
    for _ in range(2):
        got = raised(call)
        assert issubclass(got, want) or got is raised(compiled("aot_eager"))


@pytest.mark.parametrize("name", SHAPES)
def test_sizes_that_do_not_fit(backend, name):
    check_raises(backend, *SHAPES[name])


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_that_do_not_fit(backend, name):
    check_raises(backend, *DTYPES[name])


@pytest.mark.parametrize("name", DIMS)
def test_dims_out_of_range(backend, name):
    check_raises(backend, *DIMS[name])


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_out_of_range(backend, name):
    check_raises(backend, *NUMBERS[name])


# A function, arguments that fit, and arguments that do not, for which nothing is compiled anew.
SYMBOLIC = {
    "index_add": (lambda x, i, s: x.index_add(0, i, s), (zeros(3, 4), ROWS, ones(2, 4)), (zeros(3, 4), ROWS, ones(2, 5))),
    "index_put": (
        lambda x, i, j: x.index_put((i, j), ones(())),
        (zeros(3, 4), ROWS, positions(0, 1)),
        (zeros(3, 4), ROWS, positions(0, 1, 2)),
    ),
    "index_copy_": (lambda x, i, s: x.index_copy_(0, i, s), (zeros(3, 4), ROWS, ones(2, 4)), (zeros(3, 4), ROWS, ones(2, 5))),
    "scatter": (lambda x, i, s: x.scatter(0, i, s), (zeros(3, 4), PLACES, ones(2, 3)), (zeros(3, 4), PLACES, ones(1, 3))),
    "gather": (lambda x, i: x.gather(0, i), (zeros(3, 4), PLACES), (zeros(3, 2), PLACES)),
    "addmm": (torch.addmm, (ones(3, 4), ones(3, 2), ones(2, 4)), (ones(3, 4), ones(5, 2), ones(2, 4))),
    "select_scatter": (lambda x, s, n: x.select_scatter(s, 0, n), (zeros(3, 4), ones(4), 2), (zeros(3, 4), ones(4), 5)),
    "slice_scatter": (lambda x, s: x.slice_scatter(s, 0, 1, 3), (zeros(3, 4), ones(2, 4)), (zeros(2, 4), ones(2, 4))),
    "slice_scatter_tail": (lambda x, s: x.slice_scatter(s, 0, 1), (zeros(3, 4), ones(2, 4)), (zeros(2, 4), ones(3, 4))),
    "slice_scatter_step": (lambda x, s: x.slice_scatter(s, 0, 1, None, 2), (zeros(7, 4), ones(3, 4)), (zeros(5, 4), ones(3, 4))),
    "diagonal_scatter": (lambda x, s: x.diagonal_scatter(s, 1), (zeros(3, 4), ones(3)), (zeros(2, 4), ones(3))),
    "layer_norm": (lambda x, w: F.layer_norm(x, w.shape, w), (ones(3, 4), ones(4)), (ones(3, 4), ones(3))),
    "batch_norm": (lambda x, m: F.batch_norm(x, m, m), (ones(3, 4), ones(4)), (ones(3, 4), ones(3))),
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_sizes_that_do_not_fit_after_others_that_do(backend, name):
    fn, right, wrong = SYMBOLIC[name]
    compiled = torch.compile(lambda *args: fn(*args), backend=backend, dynamic=True)

    def copies(arguments):
        return tuple(a.clone() if isinstance(a, torch.Tensor) else a for a in arguments)

    assert torch.equal(compiled(*copies(right)), fn(*copies(right)))
    with pytest.raises(Exception) as want:  # noqa: PT011
        fn(*copies(wrong))
    with pytest.raises(want.type):
        compiled(*copies(wrong))
    assert torch.equal(compiled(*copies(right)), fn(*copies(right)))


@pytest.mark.parametrize("divide", [lambda a, n: a % n, lambda a, n: a // n, lambda a, n: a / n], ids=["%", "//", "/"])
@pytest.mark.parametrize(
    "fn", [lambda x, n, divide: x * divide(7, n), lambda x, n, divide: x * divide(x.shape[0], n)], ids=["number", "size"]
)
def test_division_by_a_number_that_is_zero_later(backend, fn, divide):
    compiled = torch.compile(lambda x, n: fn(x, n, divide), backend=backend, dynamic=True)
    for n in (3, 2, -3):
        assert torch.equal(compiled(counting(5, 3), n), fn(counting(5, 3), n, divide))
    with pytest.raises(ZeroDivisionError):
        compiled(counting(5, 3), 0)
    assert torch.equal(compiled(counting(5, 3), 4), fn(counting(5, 3), 4, divide))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("beyond", [2.0, -1.0, float("nan")])
def test_binary_cross_entropy(backend, reduction, beyond):
    x, y, weight = torch.rand(4, 33), torch.rand(4, 33), torch.rand(33)
    fn = lambda x, y, w: F.binary_cross_entropy(x, y, w, reduction=reduction)  # noqa: E731
    compiled = torch.compile(fn, backend=backend)
    torch.testing.assert_close(compiled(x, y, weight), fn(x, y, weight))
    wrong = x.clone()
    wrong[3, 32] = beyond
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        compiled(wrong, y, weight)


def test_what_half_types_may_have_in_float32(backend):
    x, weight = counting(2, 3).half(), torch.tensor([1.0, 2.0, 3.0])
    check(backend, lambda x, w: F.layer_norm(x, (3,), w, w), lambda: (x.clone(), weight.clone()), rtol=2e-3)
    check(backend, lambda x, w: F.batch_norm(x, w, w, w, w), lambda: (x.clone(), weight.clone()), rtol=2e-3)


# Norms of a half input with float32 parameters w: results, and statistics that eager keeps in float32.
MIXED = {
    "layer_norm": lambda x, w: torch.native_layer_norm(x, (6,), w.repeat(2), None, 1e-5),
    "group_norm": lambda x, w: torch.native_group_norm(x, w, w, 4, 3, 6, 1, 1e-5),
    "batch_norm": lambda x, w: torch.native_batch_norm(x, w, w, w + 1, w + 2, True, 0.1, 1e-5),
    "batch_norm_without_statistics": lambda x, w: torch._native_batch_norm_legit(x, w, w, True, 0.1, 1e-5),
    "batch_norm_of_running_statistics": lambda x, w: F.batch_norm(x, w, w, w, w),
    "instance_norm": lambda x, w: F.instance_norm(x, weight=w),
}


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_statistics_of_mixed_norms(backend, name, dtype):
    torch.manual_seed(0)
    x, w = (torch.randn(4, 3, 6) * 3 + 5).to(dtype), torch.rand(3) + 1
    torch._dynamo.reset()
    wanted, found = MIXED[name](x, w), torch.compile(MIXED[name], backend=backend)(x, w)
    for want, got in zip(*([r] if isinstance(r, torch.Tensor) else r for r in (wanted, found)), strict=True):
        assert want.dtype == got.dtype
        # The output is rounded from nearly equal float32 values: to a neighbour at most.
        torch.testing.assert_close(got, want, rtol=1e-4 if want.dtype == torch.float32 else torch.finfo(dtype).eps, atol=1e-4)


@pytest.mark.parametrize("name", ["layer_norm", "group_norm", "batch_norm_without_statistics"])
def test_gradients_of_mixed_norms(backend, name):
    """They are at least as near as eager's, which rounds some sums to the half type, to those of the same numbers in float64."""

    def gradients(call, dtype, wide):
        torch.manual_seed(0)
        x, w = (torch.randn(4, 3, 6) * 3 + 5).bfloat16().to(dtype).requires_grad_(), (torch.rand(3) + 1).to(wide).requires_grad_()
        call(x, w).backward(torch.randn(4, 3, 6).bfloat16().to(dtype))
        return x.grad, w.grad

    torch._dynamo.reset()
    call = lambda x, w: MIXED[name](x, w)[0]  # noqa: E731
    exact = gradients(call, torch.float64, torch.float64)
    wanted, found = (gradients(c, torch.bfloat16, torch.float32) for c in (call, torch.compile(call, backend=backend)))
    for want, got, true in zip(wanted, found, exact, strict=True):
        assert want.dtype == got.dtype
        assert (got - true).abs().max() <= (want - true).abs().max() + 1e-5


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("fn", [lambda x, n: x.select(n, 0) * 2, lambda x, n: x.select(0, n) * 2], ids=["dim", "index"])
def test_select_out_of_range_after_a_valid_one(backend, fn, dynamic):
    def outcomes(name):
        torch._dynamo.reset()
        call = torch.compile(lambda x, n: fn(x, n), backend=name, dynamic=dynamic)
        return [observe(lambda: call(counting(2, 2), n), tuple) for n in (1, 0, -1, -2, 2, 5, -3, 1)]  # noqa: B023

    want, got = outcomes("aot_eager"), outcomes(backend)  # PyTorch 2.11 raises a type of its own
    assert ["raises" in w for w in want] == [False] * 4 + [True] * 3 + [False]
    for w, g in zip(want, got, strict=True):
        assert type(w.get("raises")) is type(g.get("raises"))
        assert "raises" in w or torch.equal(w["outputs"], g["outputs"])
