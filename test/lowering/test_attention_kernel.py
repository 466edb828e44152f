"""`flex_attention` as one kernel of Triton's IR: eager's values, from the evaluator, and code for GPUs that are not there."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
import torch.nn.attention.flex_attention as flex
from fake_gpu import fake_gpu
from mlirind.dialects.context import compile_context
from mlirind.frontend.calls import attention_kernels, attention_launches
from mlirind.frontend.calls import flex_attention as expansion
from mlirind.frontend.counters import counters
from mlirind.tools.emit import triton_kernel
from mlirind.tuning.attention import attention_tuning
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch_mlir import ir

pytestmark = [pytest.mark.usefixtures("fresh_counters"), pytest.mark.filterwarnings("ignore")]

SLOPES, BIAS, DOCUMENTS = torch.tensor([0.5, 0.25, 0.12, 0.06]), torch.randn(4, 140), torch.arange(37) // 9


@pytest.fixture
def gpu(monkeypatch):
    """The CPU passes for a GPU, whose kernels the evaluator runs."""
    monkeypatch.setattr(expansion, "GPUS", frozenset({"cpu"}))
    torch._dynamo.reset()
    with fake_gpu() as fake:
        for module in (attention_kernels, attention_launches):
            monkeypatch.setattr(module, "driver", lambda: fake)
        monkeypatch.setattr(flex, "_validate_device", lambda *_: None)  # it refuses gradients on CPUs
        yield fake


def causal(b, h, i, j):
    return i >= j


def alibi(score, b, h, i, j):
    return score - SLOPES[h] * (i - j).abs()


def relative(score, b, h, i, j):
    return score + BIAS[h, i - j + 70]


def inputs(length=37, keys=None, heads=4, key_heads=4, width=16, value_width=16, dtype=torch.bfloat16):
    torch.manual_seed(0)
    sizes = ((heads, length, width), (key_heads, keys or length, width), (key_heads, keys or length, value_width))
    return [torch.randn(2, n, h, w, dtype=dtype).transpose(1, 2) for h, n, w in sizes]


def block_mask(allow, length=37, keys=None):
    return create_block_mask(allow, None, None, length, keys or length, device="cpu", BLOCK_SIZE=16)


def check(given, score_mod=None, mask=None, dynamic=False):
    """Compares output, logarithms and strides with eager's."""

    def program(q, k, v, mask):
        return flex_attention(q, k, v, score_mod=score_mod, block_mask=mask, return_lse=True, enable_gqa=q.size(1) != k.size(1))

    found = torch.compile(program, backend="mlirind", dynamic=dynamic, fullgraph=True)(*given, mask)
    eager = program(*given, mask)
    limit = 2e-2 if given[0].dtype == torch.bfloat16 else 4e-3
    torch.testing.assert_close(found[0], eager[0], atol=limit, rtol=limit)
    torch.testing.assert_close(found[1], eager[1], atol=1e-4, rtol=1e-4)
    assert [t.stride() for t in found] == [t.stride() for t in eager]


CASES = {
    "plain": lambda: (inputs(),),
    "alibi": lambda: (inputs(), alibi),
    "causal_with_bias": lambda: (inputs(), relative, block_mask(causal)),
    "documents_grouped": lambda: (inputs(key_heads=2), None, block_mask(lambda b, h, i, j: DOCUMENTS[i] == DOCUMENTS[j])),
    "empty_rows_of_any_length": lambda: (inputs(), None, block_mask(lambda b, h, i, j: (i % 3 != 1) & (i >= j)), True),
    "other_keys_and_widths": lambda: (inputs(keys=48, width=32, dtype=torch.float16), None, block_mask(causal, keys=48)),
}


@pytest.mark.parametrize("name", CASES)
def test_values(gpu, name):
    check(*CASES[name]())
    assert len(gpu.launches) == 1 and not counters.dense_attention and not counters.fallbacks


def learned(score, b, h, i, j, captured):
    return score * captured[0][h] + captured[1][h, i - j + 70]


def read_twice(score, b, h, i, j, captured):
    return torch.tanh(score + captured[0][b, h, i, j]) + captured[1][i] - captured[1][j] * 0.5


@dataclass(frozen=True)
class Backward:
    """A call whose gradients are compared: arguments of `inputs`, shapes of captured tensors, `modify(score, b, h, i, j, captured)`, and
    the mask."""

    given: dict[str, Any] = field(default_factory=dict)
    captured: tuple[tuple[int, ...], ...] = ()
    modify: Callable[..., Any] | None = None
    allow: Callable[..., Any] | None = None
    captured_dtype: torch.dtype = torch.float32
    with_logarithms: bool = True

    def inputs(self):
        return inputs(**{"heads": 2, "key_heads": 2, **self.given})

    def run(self, function, mask):
        """Outputs and gradients."""
        given = [t.detach().requires_grad_() for t in self.inputs()]
        torch.manual_seed(1)
        captured = [torch.randn(shape).to(self.captured_dtype).requires_grad_() for shape in self.captured]
        modify = None if self.modify is None else lambda s, b, h, i, j: self.modify(s, b, h, i, j, captured)
        out, logarithms = function(*given, modify, mask)
        total = (out * torch.randn(out.shape)).sum()
        if self.with_logarithms:
            total = total + (torch.where(logarithms == -float("inf"), 0.0, logarithms) * torch.randn(logarithms.shape)).sum()
        return [out, logarithms], torch.autograd.grad(total, [*given, *captured])


BACKWARD = {
    "plain": Backward(),
    "causal_of_any_length": Backward(allow=causal, with_logarithms=False),
    "alibi_causal_grouped": Backward({"key_heads": 1}, (), lambda s, b, h, i, j, c: alibi(s, b, h, i, j), causal),
    "learned_of_any_length": Backward({}, ((2,), (2, 140)), learned, causal),
    "learned_grouped_float16": Backward({"key_heads": 1, "dtype": torch.float16}, ((2,), (2, 140)), learned, None, torch.float16),
    "read_twice": Backward({"length": 6}, ((2, 2, 6, 6), (6,)), read_twice),
    "other_keys_and_empty_rows": Backward(
        {"keys": 48, "width": 32, "dtype": torch.float16}, (), None, lambda b, h, i, j: (i % 3 != 1) & (i >= j)
    ),
}


@pytest.mark.parametrize("name", BACKWARD)
def test_gradients(gpu, name):
    check_gradients(BACKWARD[name], dynamic="any_length" in name)
    assert not counters.dense_attention and not counters.fallbacks
    assert len(gpu.launches) == 3


@pytest.mark.parametrize("name", ["causal_of_any_length", "learned_of_any_length"])
def test_more_positions_than_float32_has_are_dense_and_counted(gpu, monkeypatch, name):
    """Sizes are symbolic, so only the call knows; the limit is lower here."""
    monkeypatch.setattr(attention_kernels, "EXACT", 32)
    check_gradients(BACKWARD[name], dynamic=True)
    assert counters.dense_attention == {"of so many rows or keys on GPUs": 2} and not counters.fallbacks and not gpu.launches


def check_gradients(case, dynamic):
    """Compares outputs and gradients with eager's."""
    given = case.inputs()
    mask = None if case.allow is None else block_mask(case.allow, given[0].size(2), given[1].size(2))

    def program(q, k, v, modify, mask):
        return flex_attention(q, k, v, score_mod=modify, block_mask=mask, return_lse=True, enable_gqa=q.size(1) != k.size(1))

    found, gradients = case.run(torch.compile(program, backend="mlirind", dynamic=dynamic, fullgraph=True), mask)
    eager, wanted = case.run(program, mask)
    limit = 2e-2 if given[0].dtype == torch.bfloat16 else 4e-3
    for one, other in zip([*found, *gradients], [*eager, *wanted], strict=True):
        assert one.dtype == other.dtype and one.stride() == other.stride()
        scale = torch.where(other.isfinite(), other, 0.0).abs().max().clamp(min=1).item()
        torch.testing.assert_close(one, other, atol=2 * limit * scale, rtol=0)


def test_gradients_that_atomic_additions_do_not_give_are_dense_and_counted(gpu):
    case = Backward({"length": 10}, ((2,), (2, 140)), learned)

    def program(q, k, v, modify, mask):
        return flex_attention(q, k, v, score_mod=modify, return_lse=True)

    torch.use_deterministic_algorithms(True)
    try:
        _, gradients = case.run(torch.compile(program, backend="mlirind"), None)
        _, wanted = case.run(program, None)
    finally:
        torch.use_deterministic_algorithms(False)
    assert len(gpu.launches) == 1 and sum(counters.dense_attention.values()) == 1
    for one, other in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=4e-2, rtol=4e-2)


@pytest.mark.parametrize(
    ("allow", "documents"),
    [
        (lambda b, h, i, j: (DOCUMENTS[i] == DOCUMENTS[j]) & (i >= j), True),
        (lambda b, h, i, j: j < DOCUMENTS[b] + 9, False),
        (lambda b, h, i, j: (DOCUMENTS[i] > 1) | (i >= j), False),
        (causal, False),
    ],
    ids=["documents", "lengths", "rows", "causal"],
)
def test_masks_of_documents_have_tiles_of_their_own(gpu, monkeypatch, allow, documents):
    found = []
    original = attention_kernels.emit_attention_backward

    def emit(codes, shape):
        found.append(shape.of_keys)
        return original(codes, shape)

    monkeypatch.setattr(attention_kernels, "emit_attention_backward", emit)
    gpu.execute = False
    given = [t.requires_grad_() for t in inputs(width=128, value_width=128)]
    mask = create_block_mask(allow, None, None, 37, 37, device="cpu")
    torch.compile(lambda q, k, v, m: flex_attention(q, k, v, block_mask=m), backend="mlirind")(*given, mask).sum().backward()
    tuning = attention_tuning(gpu.capability(0))
    tile = (tuning.of_keys_of_documents if documents else tuning.of_keys)[1]
    assert [(s.rows, s.keys, s.warps) for s in found] == [(tile.rows, tile.keys, tile.warps)]


def test_rows_that_are_not_contiguous(gpu):
    """The output has the query's order of dimensions, gradients those of their tensors."""
    given = [torch.randn(1, 2, 16, 20, dtype=torch.bfloat16).transpose(2, 3).requires_grad_() for _ in range(3)]
    compiled, of_out = torch.compile(lambda q, k, v: flex_attention(q, k, v), backend="mlirind"), torch.randn(1, 2, 20, 16).bfloat16()
    found, eager = compiled(*given), flex_attention(*given)
    gradients = [torch.autograd.grad(out, given, of_out) for out in (found, eager)]
    for one, other in zip([found, *gradients[0]], [eager, *gradients[1]], strict=True):
        assert one.stride() == other.stride()
        torch.testing.assert_close(one, other, atol=4e-2, rtol=4e-2)
    assert not counters.dense_attention


def test_blocks_that_the_mask_leaves_out_are_not_read(gpu):
    """Half of the keys are NaN, in blocks that no row sees."""
    given = inputs(length=32)
    for tensor in given[1:]:
        tensor[:, :, 16:] = torch.nan
    mask = block_mask(lambda b, h, i, j: j < 16, length=32)
    found = torch.compile(lambda q, k, v, m: flex_attention(q, k, v, block_mask=m), backend="mlirind")(*given, mask)
    assert found.isfinite().all() and len(gpu.launches) == 1


@pytest.mark.parametrize("given", [{"dtype": torch.float32}, {"width": 24, "value_width": 24}])
def test_what_the_kernel_cannot_compute_is_dense_and_counted(gpu, given):
    q, k, v = inputs(**given)
    found = torch.compile(lambda q, k, v: flex_attention(q, k, v), backend="mlirind")(q, k, v)
    torch.testing.assert_close(found, flex_attention(q, k, v), atol=2e-2, rtol=2e-2)
    assert not gpu.launches and sum(counters.dense_attention.values()) == 1


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_tensor_cores_and_positions_of_32_bits(gpu, target):
    """A failed check would call a function: with such a call, products on the tensor cores are not asynchronous."""
    pytest.importorskip("triton")
    gpu.execute = False
    given = [t.requires_grad_(target == "sm_90") for t in inputs(length=64, width=64, value_width=64)]
    found = torch.compile(lambda q, k, v, m: flex_attention(q, k, v, score_mod=alibi, block_mask=m), backend="mlirind")(
        *given, create_block_mask(causal, None, None, 64, 64, device="cpu", BLOCK_SIZE=64)
    )
    if target == "sm_90":
        found.sum().backward()
    assert len(gpu.loaded) == (3 if target == "sm_90" else 1)
    for _, text in gpu.loaded:
        with compile_context():
            module = ir.Module.parse(text)
            ptx = triton_kernel(module.body.operations[0].operation, target).asm["ptx"]
        assert ("wgmma.mma_async" if target == "sm_90" else "mma.sync") in ptx
        assert "cvt.rn.f32.s64" not in ptx and "cvt.rn.f32.s32" in ptx and "assertfail" not in ptx
