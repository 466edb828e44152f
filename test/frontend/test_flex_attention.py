"""`flex_attention` and its backward are compiled in the graph: eager's answers, and the gradients of attention that is written out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.attention.flex_attention as flex
from mlirind.bridge import opaque_calls
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from mlirind.torch_internals.tile_products import tile_products
from torch.nn.attention.flex_attention import AuxRequest, create_block_mask, flex_attention

pytestmark = [pytest.mark.usefixtures("fresh_counters", "training_on_cpu"), pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def training_on_cpu(monkeypatch):
    """PyTorch refuses gradients on CPUs before it calls the operator. The operator has them, as on GPUs."""
    monkeypatch.setattr(flex, "_validate_device", lambda *_: None)


def causal(b, h, i, j):
    return i >= j


@dataclass(frozen=True)
class Case:
    """A call of `flex_attention`. `modify(score, b, h, i, j, captured)`, `allow(b, h, i, j, captured)`; `captured`: makes tensors for a
    length; `shape`: batch, query heads, key heads, width; `keys`: the number of keys for a length; `transposed`: tensors of (batch, length,
    heads, width)."""

    modify: Callable[..., Any] | None = None
    allow: Callable[..., Any] | None = None
    captured: Callable[[int], list[torch.Tensor]] = lambda length: []
    shape: tuple[int, int, int, int] = (2, 4, 4, 16)
    key_batch: int | None = None
    value_width: int = 16
    keys: Callable[[int], int] = lambda length: length
    dtype: torch.dtype = torch.float32
    transposed: bool = False
    block: int = 16
    aux: bool = False
    options: dict[str, Any] | None = None
    scale: float | None = None
    train: bool = True

    def inputs(self, length):
        torch.manual_seed(length)
        batch, heads, key_heads, width = self.shape
        sizes = [(batch, heads, length, width)]
        sizes += [(self.key_batch or batch, key_heads, self.keys(length), w) for w in (width, self.value_width)]
        if self.transposed:
            tensors = [torch.randn(b, n, h, w, dtype=self.dtype).transpose(1, 2) for b, h, n, w in sizes]
        else:
            tensors = [torch.randn(s, dtype=self.dtype) for s in sizes]
        tensors += self.captured(length)
        return [t.requires_grad_(self.train and t.is_floating_point()) for t in tensors]

    def mask(self, length, captured):
        if self.allow is None:
            return None
        batch, heads = self.shape[:2]
        return create_block_mask(
            lambda b, h, i, j: self.allow(b, h, i, j, captured),
            *(batch, heads, length, self.keys(length)),
            device="cpu",
            BLOCK_SIZE=self.block,
        )

    def call(self, q, k, v, *captured, mask=None):
        """The outputs, in a tuple."""
        modify = None if self.modify is None else lambda score, b, h, i, j: self.modify(score, b, h, i, j, captured)
        given = {"score_mod": modify, "block_mask": mask, "scale": self.scale, "enable_gqa": self.shape[1] != self.shape[2]}
        given |= {"return_aux": AuxRequest(lse=True)} if self.aux else {}
        result = flex_attention(q, k, v, **given, kernel_options=self.options)
        return (result[0], result[1].lse) if self.aux else (result,)

    def dense(self, q, k, v, *captured):
        """The same attention, written out."""
        groups = self.shape[1] // self.shape[2]
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
        exact = torch.float64 if q.dtype == torch.float64 else torch.float32
        scores = (q.to(exact) @ k.to(exact).transpose(-2, -1)) * (self.scale or q.shape[-1] ** -0.5)
        positions = torch.meshgrid(*(torch.arange(n) for n in scores.shape), indexing="ij")
        if self.modify is not None:
            scores = self.modify(scores, *positions, captured)
        if self.allow is not None:
            scores = scores.masked_fill(~self.allow(*positions, captured), -float("inf"))
        empty = (scores == -float("inf")).all(-1, keepdim=True)
        weights = scores.masked_fill(empty, 0.0).softmax(-1).masked_fill(empty, 0.0)
        out = (weights.to(v.dtype) @ v, scores.masked_fill(empty, 0.0).logsumexp(-1).masked_fill(empty[..., 0], -float("inf")))
        return out if self.aux else out[:1]


def window(b, h, i, j, captured):
    return (i - j <= 5) & (j - i <= 3)


def documents(length):
    return [torch.arange(length) // 9]


def alibi(score, b, h, i, j, captured):
    return score - captured[0][h] * (i - j).abs()


def relative(score, b, h, i, j, captured):
    return score + captured[0][h, i - j + 70]


CASES = {
    "plain": Case(),
    "causal": Case(allow=lambda b, h, i, j, c: i >= j),
    "sliding_window": Case(allow=window),
    "alibi": Case(modify=alibi, captured=lambda n: [torch.tensor([0.5, 0.25, 0.125, 0.06])]),
    "alibi_in_bfloat16": Case(modify=alibi, captured=lambda n: [torch.rand(4, dtype=torch.bfloat16)], dtype=torch.bfloat16),
    "soft_cap": Case(modify=lambda score, b, h, i, j, c: 2.0 * torch.tanh(score / 2.0)),
    "documents": Case(allow=lambda b, h, i, j, c: c[0][i] == c[0][j], captured=documents),
    "documents_causal": Case(allow=lambda b, h, i, j, c: (c[0][i] == c[0][j]) & (i >= j), captured=documents),
    "relative_bias": Case(modify=relative, captured=lambda n: [torch.randn(4, 140)]),
    "bias_of_all_scores": Case(modify=lambda s, b, h, i, j, c: s + c[0][b, h, i, j], captured=lambda n: [torch.randn(2, 4, n, n)]),
    "scale_of_heads": Case(modify=lambda s, b, h, i, j, c: s * c[0][h] + c[1][j], captured=lambda n: [torch.rand(4), torch.randn(n)]),
    "grouped": Case(allow=lambda b, h, i, j, c: i >= j, shape=(2, 6, 2, 16)),
    "grouped_bias": Case(modify=relative, captured=lambda n: [torch.randn(6, 140)], shape=(2, 6, 3, 8), value_width=8),
    "one_key_head": Case(modify=alibi, captured=lambda n: [torch.rand(4)], shape=(1, 4, 1, 16)),
    "statistics": Case(modify=relative, captured=lambda n: [torch.randn(4, 140)], allow=lambda b, h, i, j, c: i >= j, aux=True),
    "empty_rows": Case(allow=lambda b, h, i, j, c: (i % 3 != 1) & (i >= j), aux=True),
    "mask_by_batch_and_head": Case(allow=lambda b, h, i, j, c: (i + b >= j) & (h != j)),
    "bfloat16": Case(allow=lambda b, h, i, j, c: i >= j, dtype=torch.bfloat16),
    "float16": Case(modify=lambda s, b, h, i, j, c: s * 0.5 + (i - j) * 0.01, dtype=torch.float16),
    "float64": Case(allow=lambda b, h, i, j, c: i >= j, dtype=torch.float64),
    "transposed": Case(allow=lambda b, h, i, j, c: i >= j, transposed=True),
    "transposed_and_grouped": Case(allow=lambda b, h, i, j, c: i >= j, transposed=True, shape=(2, 6, 2, 16)),
    "other_keys": Case(modify=lambda s, b, h, i, j, c: s + (j - i), keys=lambda n: n + 9, value_width=24),
    "one_key_batch": Case(allow=lambda b, h, i, j, c: i + b >= j, key_batch=1, shape=(3, 2, 2, 16)),
    "kernel_options": Case(allow=lambda b, h, i, j, c: i >= j, options={"BACKEND": "TRITON", "BLOCK_M": 32, "PRESCALE_QK": True}),
    "scale": Case(scale=0.7),
    "constant": Case(modify=lambda s, b, h, i, j, c: torch.where(i >= j, s, torch.tensor(-3.0)) * torch.tensor([0.5, 2.0])[j % 2]),
}  # fmt: skip


def run(case, function, length, *mask, inputs=None):
    """The outputs, and the gradients of a weighted sum."""
    given = case.inputs(length) if inputs is None else inputs
    outputs = function(*given, *mask)
    if not case.train:
        return list(outputs), []
    torch.manual_seed(1)
    finite = [o.masked_fill(o == -float("inf"), 0.0) for o in outputs]
    total = sum((o * torch.randn(o.shape)).sum() for o in finite)
    wanted = [t for t in given if t.requires_grad]
    return [o.detach() for o in outputs], list(torch.autograd.grad(total, wanted))


def wider(dtype):
    return torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype


def check(case, compiled, length):
    """Compares with eager's flex_attention, and gradients with those of dense attention."""
    mask = case.mask(length, case.inputs(length)[3:])
    given, gradients = run(case, compiled, length, mask)
    eager = [o.detach() for o in case.call(*case.inputs(length), mask=mask)]
    limits = {torch.float32: 1e-5, torch.float64: 1e-10, torch.bfloat16: 2e-2, torch.float16: 4e-3}[case.dtype]
    torch.testing.assert_close(given, eager, atol=limits, rtol=limits)
    assert [o.stride() for o in given] == [o.stride() for o in eager]
    exact = [t.detach().to(wider(t.dtype)).requires_grad_(t.requires_grad) for t in case.inputs(length)]
    dense, dense_gradients = run(case, case.dense, length, inputs=exact)
    torch.testing.assert_close(given, dense, atol=2 * limits, rtol=2 * limits, check_dtype=False)
    for one, other in zip(gradients, dense_gradients, strict=True):
        scale = other.abs().max().clamp(min=1).item()
        torch.testing.assert_close(one, other, atol=4 * limits * scale, rtol=0, check_dtype=False)
        assert one.dtype == case.dtype


def compiled_call(case, **options):
    return torch.compile(lambda *given: case.call(*given[:-1], mask=given[-1]), backend=backend, **options)


def check_reports(reports, allow=None, in_blocks=False):
    """Nothing runs uncompiled, and only products are calls, and the sort with which PyTorch makes an empty block mask. `in_blocks`: each
    attention is a call: the backward has a compiled body, the forward, too, if PyTorch has no products of tiles; else it is native code."""
    assert not counters.fallbacks and not counters.dense_attention and all(r.fallback is None for r in reports)
    targets = {call.target for report in reports for call in report.calls}
    forwards = {
        target
        for target in targets
        if target.startswith((f"{opaque_calls.OPAQUE}.tiled_attention", f"{opaque_calls.OPAQUE}.blocked_attention."))
    }
    backwards = {target for target in targets if target.startswith(f"{opaque_calls.OPAQUE}.blocked_attention_backward")}
    assert bool(forwards) == bool(backwards) == in_blocks
    targets -= forwards | backwards
    assert targets <= {"aten.bmm.default", "aten.mm.default", *(() if allow else ("aten.sort.stable",))}


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_static(name, train):
    case = CASES[name] if train else Case(**{**CASES[name].__dict__, "train": False})
    with collect_reports() as reports:
        check(case, compiled_call(case, dynamic=False, options={"verify_each": True}), 37)
    check_reports(reports, case.allow)
    assert len(reports) == 1 + train
    # The scores, and the product with the values; the products of one small matrix are kernels.
    assert sum(c.count for c in reports[0].calls if "mm" in c.target) == (0 if name == "one_key_head" else 2)
    if case.allow and not case.captured(1):
        # One kernel for the scores and the softmax, one for positions; copies of half types in float32, and of transposed operands.
        assert sum(k.launches for k in reports[0].kernels) <= 6


@pytest.mark.parametrize("name", ["causal", "relative_bias", "documents", "grouped", "statistics", "bfloat16", "other_keys"])
def test_symbolic_sizes(name):
    case = CASES[name]
    compiled = compiled_call(case, dynamic=True, options={"verify_each": True})
    with collect_reports() as reports:
        for length in (37, 50, 64):
            check(case, compiled, length)
    check_reports(reports, case.allow, in_blocks=True)
    assert len(reports) == 3 + (tile_products() is None)  # forward and backward, and their bodies


@pytest.mark.parametrize("dynamic", [False, True])
def test_numbers_out_of_the_range_of_the_query(dynamic):
    """Eager modifies scores in float32: -1e9 is not minus infinity, and a row of it is no empty row."""
    modify = lambda s, b, h, i, j, c: torch.where((i >= j) & (i != 5), s, -1e9)  # noqa: E731
    case = Case(modify=modify, dtype=torch.float16, aux=True, train=False)
    compiled = compiled_call(case, dynamic=dynamic)
    check(case, compiled, 37)
    assert compiled(*case.inputs(37), None)[1][0, 0, 5] == -1e9


class Block(torch.nn.Module):
    """Attention between linear layers, with a learned bias."""

    def __init__(self):
        super().__init__()
        self.project, self.out = torch.nn.Linear(32, 96), torch.nn.Linear(32, 32)
        self.bias = torch.nn.Parameter(torch.zeros(4, 128))

    def forward(self, x, mask):
        q, k, v = self.project(x).view(*x.shape[:2], 12, 8).transpose(1, 2).chunk(3, 1)
        heads = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + self.bias[h, i - j + 64], block_mask=mask)
        return x + self.out(heads.transpose(1, 2).flatten(2))


class Network(torch.nn.Module):
    def __init__(self, checkpoint=False):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(2))
        self.checkpoint = checkpoint

    def forward(self, x, mask):
        for block in self.blocks:
            x = torch.utils.checkpoint.checkpoint(block, x, mask, use_reentrant=False) if self.checkpoint else block(x, mask)
        return x


def trained(compiler, checkpoint=False, lengths=(24, 24, 24)):
    """The losses, and the parameters after a few steps."""
    network = Network(checkpoint)
    called = compiler(network)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    losses = []
    for step, length in enumerate(lengths):
        torch.manual_seed(step)
        x, target = torch.randn(2, 2, length, 32)
        mask = create_block_mask(causal, None, None, length, length, device="cpu", BLOCK_SIZE=16)
        loss = (called(x, mask) - target).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach())
    return losses, list(network.parameters())


@pytest.mark.parametrize("checkpoint", [False, True])
def test_training_of_a_network(checkpoint):
    with collect_reports() as reports:
        found = trained(lambda network: torch.compile(network, backend=backend), checkpoint)
    torch.testing.assert_close(found, trained(lambda network: network))
    assert not counters.fallbacks and len(reports) == 2
    assert not any(c.target.startswith(opaque_calls.OPAQUE) for r in reports for c in r.calls)


def test_other_lengths_compile_once_more():
    lengths = (24, 40, 56, 33)
    with collect_reports() as reports:
        found = trained(lambda network: torch.compile(network, backend=backend), lengths=lengths)
    torch.testing.assert_close(found, trained(lambda network: network, lengths=lengths))
    assert not counters.fallbacks and len([r for r in reports if ".body_" not in r.name]) == 4


def test_autocast():
    def program(q, k, v):
        with torch.autocast("cpu", torch.bfloat16):
            return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + (i - j) * 0.1)

    given = [torch.randn(1, 2, 20, 16) for _ in range(3)]
    found, eager = torch.compile(program, backend=backend)(*given), program(*given)
    assert found.dtype == eager.dtype
    torch.testing.assert_close(found, eager, atol=2e-2, rtol=2e-2)
    assert not counters.fallbacks


def test_number_of_the_program():
    def program(q, k, v, offset):
        return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: torch.where(i + offset >= j, score, -1.0)).sin()

    given = [torch.randn(1, 2, 20, 16) for _ in range(3)]
    compiled = torch.compile(program, backend=backend)
    for offset in (0, 3, -5):
        torch.testing.assert_close(compiled(*given, offset), program(*given, offset))
    assert not counters.fallbacks


def check_index_out_of_range(rows, known):
    """The score function reads a tensor of `known` elements at each of more rows."""
    bias = torch.randn(known)
    given = [torch.randn(1, 2, rows, 16) for _ in range(3)]
    compiled = torch.compile(lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + bias[i]), backend=backend)
    with pytest.raises(IndexError):
        compiled(*given)


def test_index_out_of_range_raises():
    check_index_out_of_range(20, 10)


def test_infinite_scores():
    given = [torch.randn(1, 1, 12, 16) for _ in range(3)]

    def program(q, k, v):
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.where((i == 3) & (j == 2), float("inf"), s), return_lse=True)

    compiled = torch.compile(program, backend=backend)
    torch.testing.assert_close(compiled(*given), program(*given), equal_nan=True)


def test_scores_far_below_the_largest():
    """Their exponentials are 0, or would be denormals: the weights' sums, their order and NaN are eager's."""
    given = [torch.randn(1, 1, 37, 16) for _ in range(3)]
    given[0][0, 0, 5, 0] = float("nan")

    def program(q, k, v):
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s - 30.0 * (i - j).abs(), return_lse=True)

    torch.testing.assert_close(torch.compile(program, backend=backend)(*given), program(*given), equal_nan=True)


def test_a_function_that_draws_stays_a_call():
    """PyTorch refuses it when it runs."""

    def program(q, k, v):
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + torch.rand_like(s))

    given = [torch.randn(1, 1, 12, 16) for _ in range(3)]
    with collect_reports() as reports, pytest.raises(RuntimeError, match="randomness"):
        torch.compile(program, backend=backend)(*given)
    assert any(c.target.startswith(opaque_calls.OPAQUE) for r in reports for c in r.calls)


@pytest.mark.parametrize("options", [{"host": "python"}, {"reuse_memory": False}, {"stop_after": "import"}, {"stop_after": "aten"}])
def test_options(options):
    case = CASES["relative_bias"]
    check(case, compiled_call(case, options=options), 37)
    assert not counters.fallbacks
