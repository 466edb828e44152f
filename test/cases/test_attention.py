"""Attention as people write it: equal to eager, and the fused operator where that is equal; rows that are masked wholly included."""

import math

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.backend import mlirind
from mlirind.runtime.report import collect_reports
from programs import ON_GPU

B, H, S, T, D = 2, 4, 6, 10, 16
INF = float("inf")


def heads(length, dtype=torch.float32, batch=B):
    """A projection, (batch, length, heads, size)."""
    return torch.randn(batch, length, H, D).to(dtype)


def qkv(dtype=torch.float32, batch=B):
    return [heads(S, dtype, batch), heads(T, dtype, batch), heads(T, dtype, batch)]


def split(q, k, v):
    return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)


def bias():
    """-inf for some, nothing for the first sample's first row."""
    mask = torch.zeros(B, 1, S, T).masked_fill(torch.rand(B, 1, S, T) < 0.4, -INF)
    mask[0, 0, 0] = -INF
    mask[1, 0, 0] = torch.arange(T)
    return mask


def allowed():
    mask = torch.rand(B, 1, S, T) < 0.6
    mask[0, 0, 0] = False
    return mask


def plain(q, k, v):
    q, k, v = split(q, k, v)
    return (torch.softmax(q @ k.mT, -1) @ v).transpose(1, 2).reshape(q.shape[0], S, H * D)


def scores_divided(q, k, v):
    q, k, v = split(q, k, v)
    return torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-2, -1)).div(math.sqrt(D)), dim=-1), v)


def scores_multiplied(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax((q @ k.mT) * D**-0.5, -1) @ v


def query_scaled(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax((q * D**-0.5) @ k.mT, -1) @ v


def both_scaled(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax((q / D**0.25) @ (k / D**0.25).mT, -1) @ v


def key_transposed_first(q, k, v):
    return torch.softmax((q.permute(0, 2, 1, 3) @ k.permute(0, 2, 3, 1)) / 4.0, -1) @ v.permute(0, 2, 1, 3)


def dropout_in_eval(q, k, v):
    q, k, v = split(q, k, v)
    return F.dropout(torch.softmax((q @ k.mT) / 4.0, -1), 0.3, training=False) @ v


def divided_by_a_tensor(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax(q @ k.mT / torch.full([], 4.0), -1) @ v


def contiguous_heads(q, k, v):
    q, k, v = (t.contiguous() for t in split(q, k, v))
    return (torch.softmax(q @ k.mT / 4, -1) @ v).transpose(1, 2).contiguous().view(B, S, -1)


def masked_by_addition(q, k, v, mask):
    q, k, v = split(q, k, v)
    return torch.softmax((q @ k.mT) / 4.0 + mask, -1) @ v


def mask_first(q, k, v, mask):
    q, k, v = split(q, k, v)
    return torch.softmax(mask + (q @ k.mT) * 0.25, -1) @ v


def mask_before_scale_in_the_query(q, k, v, mask):
    q, k, v = split(q, k, v)
    return torch.softmax((q / 4.0) @ k.mT + mask, -1) @ v


def filled(q, k, v, mask):
    q, k, v = split(q, k, v)
    return torch.softmax(((q @ k.mT) / 4.0).masked_fill(~mask, -INF), -1) @ v


def filled_where_zero(q, k, v, mask):
    q, k, v = split(q, k, v)
    return torch.softmax(((q @ k.mT) / 4.0).masked_fill(mask.to(torch.int64) == 0, torch.finfo(q.dtype).min), -1) @ v


def chosen(q, k, v, mask):
    q, k, v = split(q, k, v)
    return torch.softmax(torch.where(mask, (q @ k.mT) * 0.25, torch.full([], -INF)), -1) @ v


def causal(q, k, v):
    q, k, v = split(q, k, v)
    mask = torch.ones(S, T, dtype=torch.bool).tril()
    return torch.softmax(((q @ k.mT) / 4.0).masked_fill(~mask, -INF), -1) @ v


def bert(q, k, v, mask):
    q, k, v = split(q, k, v)
    lowest = (1.0 - mask.to(q.dtype)) * torch.finfo(q.dtype).min
    return F.dropout(torch.softmax(q @ k.mT / math.sqrt(D) + lowest, -1), 0.1, False) @ v


def upcast(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax(q @ k.mT * 0.25, -1, dtype=torch.float32).to(q.dtype) @ v


def upcast_by_float(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax((q @ k.mT / 4).float(), -1).type_as(q) @ v


def grouped(q, k, v):
    q, k, v = split(q, k[:, :, :2], v[:, :, :2])
    k, v = (t[:, :, None].expand(B, 2, H // 2, T, D).reshape(B, H, T, D) for t in (k, v))
    return torch.softmax(q @ k.mT * 0.25, -1) @ v


UNMASKED = [plain, scores_divided, scores_multiplied, query_scaled, both_scaled, key_transposed_first, dropout_in_eval, divided_by_a_tensor]
UNMASKED += [contiguous_heads, causal, grouped]


def check(function, args, backend, backend_name, fused, **tolerance):
    """Equal values and strides; attention is one call where `fused`."""
    with collect_reports() as reports, torch.no_grad():
        made = torch.compile(function, backend=backend)(*args)
    wanted = function(*args)
    torch.testing.assert_close(made, wanted, equal_nan=True, **tolerance)
    assert made.stride() == wanted.stride()
    if backend_name == "mlirind":
        calls = [c.target for r in reports for c in r.calls]
        assert any("scaled_dot_product" in c for c in calls) == fused, calls


@pytest.mark.parametrize("function", UNMASKED, ids=lambda f: f.__name__)
def test_unmasked(function, backend, backend_name):
    check(function, qkv(), backend, backend_name, True)


@pytest.mark.parametrize("function", [masked_by_addition, mask_first, mask_before_scale_in_the_query], ids=lambda f: f.__name__)
def test_added_mask(function, backend, backend_name):
    """A row that is -inf all over gives nan, as in eager."""
    check(function, [*qkv(), bias()], backend, backend_name, True)


@pytest.mark.parametrize("function", [filled, filled_where_zero, chosen, bert], ids=lambda f: f.__name__)
def test_mask_of_booleans(function, backend, backend_name):
    check(function, [*qkv(), allowed()], backend, backend_name, True)


@pytest.mark.parametrize("function", [upcast, upcast_by_float], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_softmax_in_float32(function, dtype, backend, backend_name):
    """The scores are not rounded on the way: nearer to the exact result than eager."""
    check(function, qkv(dtype), backend, backend_name, True, rtol=2e-2, atol=2e-2)


def test_batch_of_one(backend, backend_name):
    check(scores_divided, qkv(batch=1), backend, backend_name, True)


def test_symbolic_sizes(backend, backend_name):
    """The second size compiles for all."""
    compiled = torch.compile(plain, backend=backend, dynamic=True)
    for batch in (2, 3, 5):
        args = qkv(batch=batch)
        with collect_reports() as reports, torch.no_grad():
            torch.testing.assert_close(compiled(*args), plain(*args))
        if backend_name == "mlirind" and batch == 2:
            assert any("scaled_dot_product" in c.target for r in reports for c in r.calls)


def wrong_dim(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax(q @ k.mT / 4, 2) @ v


def weights_returned(q, k, v):
    q, k, v = split(q, k, v)
    weights = torch.softmax(q @ k.mT / 4, -1)
    return weights @ v + weights.amax(-1, keepdim=True)


def scale_of_each_head(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax(q @ k.mT / torch.arange(1.0, H + 1, device=q.device).view(H, 1, 1), -1) @ v


def low_but_not_lowest(q, k, v):
    q, k, v = split(q, k, v)
    return torch.softmax((q @ k.mT).masked_fill(torch.zeros(S, T, dtype=torch.bool), -50.0), -1) @ v


@pytest.mark.parametrize("function", [wrong_dim, weights_returned, scale_of_each_head, low_but_not_lowest], ids=lambda f: f.__name__)
def test_no_attention(function, backend, backend_name):
    check(function, qkv(), backend, backend_name, False)


def test_double_precision_stays(backend, backend_name):
    check(plain, qkv(torch.float64), backend, backend_name, False)


def masked_by_a_finite_mask(q, k, v, mask):
    q, k, v = split(q, k, v)
    lowest = torch.where(mask, 0.0, torch.finfo(q.dtype).min)
    return (torch.softmax(q @ k.mT / 4 + lowest, -1) @ v).transpose(1, 2)


def check_training(function, args, backend, backend_name, fused):
    """Equal results and gradients; forward and backward are one call each where `fused`, which on GPUs they are not."""
    mine, eager = ([a.clone().requires_grad_(a.is_floating_point()) for a in args] for _ in range(2))
    with collect_reports() as reports:
        made = torch.compile(function, backend=backend)(*mine)
        made.square().sum().backward()
    wanted = function(*eager)
    wanted.square().sum().backward()
    torch.testing.assert_close(made, wanted, equal_nan=True)
    for a, b in zip(mine, eager, strict=True):
        torch.testing.assert_close(a.grad, b.grad, equal_nan=True, rtol=1e-4, atol=5e-5)
    if backend_name == "mlirind":
        calls = [c.target for r in reports for c in r.calls]
        assert sum("scaled_dot_product" in c for c in calls) == (2 if fused and not ON_GPU else 0), calls


@pytest.mark.parametrize(
    "function", [plain, scores_divided, scores_multiplied, query_scaled, key_transposed_first], ids=lambda f: f.__name__
)
def test_training(function, backend, backend_name):
    check_training(function, qkv(), backend, backend_name, True)


def causal_by_addition(q, k, v):
    q, k, v = split(q, k, v)
    mask = torch.zeros(S, T).masked_fill(~torch.ones(S, T, dtype=torch.bool).tril(), torch.finfo(q.dtype).min)[None, None]
    return torch.softmax(q @ k.mT / 4 + mask, -1) @ v


def test_training_with_a_mask_that_the_graph_knows(backend, backend_name):
    check_training(causal_by_addition, qkv(), backend, backend_name, True)


def masked_by_an_unknown_number(q, k, v, mask, lowest):
    q, k, v = split(q, k, v)
    return torch.softmax(q @ k.mT / 4 + torch.where(mask, 0.0, lowest), -1) @ v


@pytest.mark.parametrize(
    "mask", [allowed(), allowed()[:, :, :1], torch.zeros(1, 1, S, T, dtype=torch.bool)], ids=["rows", "padding", "nothing"]
)
def test_training_with_a_finite_mask(mask, backend, backend_name):
    """Eager gives a wholly masked row equal weights, and gradients by these: so does the fused operator, if told where such rows are."""
    check_training(masked_by_a_finite_mask, [*qkv(), mask], backend, backend_name, True)


def test_training_with_a_finite_mask_in_bfloat16(backend, backend_name):
    """As near to float64 as eager: the softmax of half types is computed in float32 where the model says so."""

    def upcast_masked(q, k, v, mask):
        q, k, v = split(q, k, v)
        lowest = torch.where(mask, 0.0, torch.finfo(q.dtype).min).to(q.dtype)
        return torch.softmax(q @ k.mT / 4 + lowest, -1, dtype=torch.float32).to(q.dtype) @ v

    args, mask = qkv(torch.bfloat16), allowed()
    mine, eager, exact = ([a.to(d).clone().requires_grad_() for a in args] for d in (torch.bfloat16, torch.bfloat16, torch.float32))
    for function, inputs in ((torch.compile(upcast_masked, backend=backend), mine), (upcast_masked, eager), (upcast_masked, exact)):
        function(*inputs, mask).square().sum().backward()
    for a, b, c in zip(mine, eager, exact, strict=True):
        assert (a.grad - c.grad).abs().max() <= 2 * (b.grad - c.grad).abs().max() + 0.02 * c.grad.abs().max()


def test_training_with_a_mask_of_any_number(backend, backend_name):
    """A low number is no reason yet, a tensor is none known."""
    check_training(
        lambda q, k, v, mask: masked_by_an_unknown_number(q, k, v, mask, -1e4), [*qkv(), allowed()], backend, backend_name, False
    )
    check_training(
        lambda q, k, v, mask: masked_by_an_unknown_number(q, k, v, mask, -INF), [*qkv(), allowed()], backend, backend_name, False
    )


@pytest.mark.parametrize("function", [wrong_dim, weights_returned], ids=lambda f: f.__name__)
def test_training_without_attention(function, backend, backend_name):
    check_training(function, qkv(), backend, backend_name, False)


def test_training_where_a_row_may_be_masked_wholly(backend, backend_name):
    """Eager's gradients are nan there, the fused operator's are not."""
    check_training(filled, [*qkv(), allowed()], backend, backend_name, False)


def test_training_of_the_mask(backend, backend_name):
    """The fused operator gives no gradient of the mask."""
    check_training(masked_by_addition, [*qkv(), torch.randn(B, 1, S, T)], backend, backend_name, False)


def merged(q, k, v):
    """As T5 and BERT variants write it: batch and heads are one dimension."""
    q, k, v = (t.transpose(1, 2).reshape(-1, t.shape[1], D) for t in (q, k, v))
    return torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)) * D**-0.5, -1), v)


def merged_masked(q, k, v, mask):
    q, k, v = (t.transpose(1, 2).reshape(-1, t.shape[1], D) for t in (q, k, v))
    return torch.bmm(torch.softmax(torch.bmm(q / 4, k.transpose(1, 2)) + mask.expand(B, H, S, T).reshape(-1, S, T), -1), v)


def merged_filled(q, k, v, mask):
    q, k, v = (t.transpose(1, 2).reshape(-1, t.shape[1], D) for t in (q, k, v))
    return torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)).masked_fill(mask.expand(B, H, S, T).reshape(-1, S, T), -INF), -1), v)


def test_merged_heads(backend, backend_name):
    check(merged, qkv(), backend, backend_name, True)
    check(merged_masked, [*qkv(), bias()], backend, backend_name, True)
    check(merged_filled, [*qkv(), ~allowed()], backend, backend_name, True)


def test_training_of_merged_heads(backend, backend_name):
    check_training(merged, qkv(), backend, backend_name, True)
    check_training(merged_masked, [*qkv(), torch.randn(B, 1, S, T)], backend, backend_name, False)


@pytest.mark.parametrize("trained", [False, True])
def test_attention_can_be_left_as_it_is_written(trained):
    """Then a row whose scores overflow is nan, as in eager."""
    overflow = lambda q, k, v: plain(q * 1e30, k * -1e30, v)  # noqa: E731
    args = [a.abs().requires_grad_(trained) for a in qkv()]
    with collect_reports() as reports:
        made = torch.compile(overflow, backend=mlirind, options={"fuse_attention": False})(*args)
    assert made.isnan().all() and overflow(*args).isnan().all()
    assert not any("scaled_dot_product" in c.target for r in reports for c in r.calls)


@pytest.mark.parametrize("masked", [False, True])
def test_multihead_attention_module(masked, backend, backend_name):
    """torch.nn.MultiheadAttention, which computes its weights where it may have to return them."""
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(H * D, H, batch_first=True)
    mask = torch.full((S, S), -INF).triu(1) if masked else None
    check(lambda x: module(x, x, x, attn_mask=mask)[0], [torch.randn(B, S, H * D)], backend, backend_name, True)


def test_multihead_attention_module_trained(backend, backend_name):
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(H * D, H, batch_first=True)
    check_training(lambda x: module(x, x, x)[0], [torch.randn(B, S, H * D)], backend, backend_name, True)
    check_training(lambda x: module(x, x, x)[1], [torch.randn(B, S, H * D)], backend, backend_name, False)
