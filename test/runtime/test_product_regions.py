"""Products on GPUs whose rows begin at odd distances: computed in aligned regions of the tensor that the caller gets, and as eager's.
Calls of ATen run on CPU memory."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from fake_gpu import backend_on, fake_gpu
from mlirind.dialects.aten import TensorInfo
from mlirind.passes import pad_products
from mlirind.passes.analysis import unaligned_products
from mlirind.passes.analysis.unaligned_products import aligned_regions

ROWS, COMMON = 67, 64


@pytest.fixture
def any_size(monkeypatch):
    """Small products pay, too."""
    torch._dynamo.reset()
    monkeypatch.setattr(unaligned_products, "REGION_ROWS", 4)
    monkeypatch.setattr(unaligned_products, "REGION_SECONDS", 0)
    for module in (unaligned_products, pad_products):
        monkeypatch.setattr(module, "padding_pays", lambda *infos: infos[0].device.startswith("cuda"))


def matrix(rows, columns, strides, dtype="bfloat16", device="cuda:0", offset=0):
    return TensorInfo((rows, columns), dtype, device, strides, offset)


def factors(rows, columns, dtype="bfloat16"):
    """The types of a product of rows with the transposed rows of a weight, and of its result."""
    return (
        matrix(rows, COMMON, (COMMON, 1), dtype), matrix(COMMON, columns, (1, COMMON), dtype), matrix(rows, columns, (columns, 1), dtype)
    )  # fmt: skip


@pytest.mark.parametrize(("dtype", "alignment"), [("float16", 8), ("bfloat16", 8), ("float32", 4)])
def test_regions_cover_the_matrix_and_the_wide_ones_are_aligned(any_size, dtype, alignment):
    for columns in range(3 * alignment + 1, 5 * alignment):
        a, b, result = factors(ROWS, columns, dtype)
        regions = aligned_regions(a, b, result)
        if columns % alignment == 0:
            assert not regions
            continue
        matrix_ = torch.zeros(ROWS, columns, dtype=torch.int64)
        for region in regions:
            info = region.of(result)
            matrix_.as_strided(info.sizes, info.strides, info.offset).fill_(1)
            wide = info.sizes[1] > alignment
            assert not wide or (info.strides[0] % alignment, info.offset % alignment, info.sizes[1] % alignment) == (0, 0, 0)
        assert matrix_.all()
        assert [r.of(result).sizes[1] for r in regions[-2:]] == [alignment, alignment]


@pytest.mark.parametrize("changed", [
    {"a": matrix(ROWS, COMMON, (1, ROWS + 5))}, {"a": matrix(ROWS, COMMON, (COMMON + 1, 1))}, {"b": matrix(COMMON, 33, (33, 1))},
    {"b": matrix(COMMON, 33, (1, COMMON + 2))}, {"result": matrix(ROWS, 33, (40, 1))}, {"a": matrix(7, COMMON, (COMMON, 1))},
])  # fmt: skip
def test_no_regions_of_other_layouts_and_few_rows(any_size, changed):
    given = dict(zip(("a", "b", "result"), factors(ROWS, 33), strict=True))
    assert aligned_regions(**given)
    assert not aligned_regions(**given | changed)


def test_no_regions_of_small_products():
    assert not aligned_regions(*factors(2048, 33))
    assert aligned_regions(*large(2048))
    assert not aligned_regions(*large(2047))  # 255 rows a region
    narrow = matrix(8192, 768, (768, 1)), matrix(768, 4095, (1, 768)), matrix(8192, 4095, (4095, 1))
    assert unaligned_products.padding_pays(*narrow) and not aligned_regions(*narrow)  # 11 microseconds a region


def large(rows):
    return matrix(rows, 768, (768, 1)), matrix(768, 50257, (1, 768)), matrix(rows, 50257, (50257, 1))


def logits(x, w):
    return F.linear(x, w)


def parts_of_tensors(x, w):
    return F.linear(x.flatten(0, 1)[2:], w[3:, 8:72])


def onto_a_matrix(x, w):
    c = x.flatten(0, 1)[:, :33]
    return torch.addmm(c, x.flatten(0, 1), w.t(), beta=2, alpha=0.5), c


def heads_with_one_bias(x, w):
    x = x.flatten(0, 1)
    return torch.addmm(w[:, 0], x, w.t()), torch.addmm(w[:, 0], -x, w.t())


# The program, the columns of the weight, and how many kernels it launches.
PROGRAMS = {
    "odd": (logits, 33, 0),
    "period of 4": (logits, 38, 0),
    "period of 2": (logits, 36, 0),
    "aligned": (logits, 40, 0),
    "parts of tensors": (parts_of_tensors, 32, 0),
    "returned as another view": (lambda x, w: F.linear(x, w).transpose(0, 1), 33, 0),
    "read and returned": (lambda x, w: (lambda y: (y, y.amax(-1)))(F.linear(x, w)), 33, 2),
    "bias": (lambda x, w: F.linear(x, w, w.flatten()[: len(w)]), 38, 2),
    "expanded bias": (lambda x, w: torch.addmm(w[:1, :1], x.flatten(0, 1), w.t()), 33, 2),
    "matrix as summand": (onto_a_matrix, 33, 3),
    "two heads with one bias": (heads_with_one_bias, 33, 3),
    "read": (lambda x, w: F.linear(x, w).sin(), 33, 2),
}


@pytest.mark.parametrize("host", ["native", "python"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_eager(any_size, monkeypatch, name, host):
    monkeypatch.setenv("MLIRIND_HOST", host)
    program, columns, launches = PROGRAMS[name]
    torch.manual_seed(0)
    x, w = torch.randn(3, 23, 72 if program is parts_of_tensors else COMMON).bfloat16(), torch.randn(columns, 72).bfloat16()
    x, w = (x[..., 8:], w) if program is parts_of_tensors else (x, w[:, :COMMON].contiguous())
    with fake_gpu() as gpu:
        got = torch.compile(program, backend=backend_on())(x, w)
    assert difference(program(x, w), got) is None
    assert len(gpu.launches) == launches
