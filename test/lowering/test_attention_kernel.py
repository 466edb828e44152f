"""`flex_attention` as one kernel of Triton's IR: eager's values, from the evaluator, and code for GPUs that are not there."""

import pytest
import torch
from fake_gpu import fake_gpu
from mlirind.dialects.context import compile_context
from mlirind.frontend.calls import attention_kernels
from mlirind.frontend.calls import flex_attention as expansion
from mlirind.frontend.counters import counters
from mlirind.tools.emit import triton_kernel
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
        monkeypatch.setattr(attention_kernels, "driver", lambda: fake)
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
    pytest.importorskip("triton")
    gpu.execute = False
    torch.compile(lambda q, k, v, m: flex_attention(q, k, v, score_mod=alibi, block_mask=m), backend="mlirind")(
        *inputs(length=64, width=64, value_width=64), create_block_mask(causal, None, None, 64, 64, device="cpu", BLOCK_SIZE=64)
    )
    (text,) = [text for name, text in gpu.loaded]
    with compile_context():
        module = ir.Module.parse(text)
        found = triton_kernel(module.body.operations[0].operation, target)
    assert ("wgmma.mma_async" if target == "sm_90" else "mma.sync") in found.asm["ptx"]
    assert "cvt.rn.f32.s64" not in found.asm["ptx"] and "cvt.rn.f32.s32" in found.asm["ptx"]
