"""The forward of `flex_attention` on the CPU in native code: eager's answers, for operands that are packed and for those that are not."""

import dataclasses

import pytest
import torch
from mlirind.bridge import opaque_calls
from mlirind.frontend.calls import attention_plans, attention_tile_kernels, attention_tiles
from mlirind.frontend.calls import flex_attention as expansion
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from mlirind.torch_internals import tile_products
from test_flex_attention import CASES, Case, check, check_index_out_of_range, compiled_call, training_on_cpu  # noqa: F401  a fixture
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

pytestmark = [pytest.mark.usefixtures("fresh_counters", "small_tiles"), pytest.mark.filterwarnings("ignore")]
NEEDS_PRODUCTS = pytest.mark.skipif(tile_products.tile_products() is None, reason="this PyTorch has no products of tiles")


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of 8 or 16 rows, and chunks of 64 keys, for calls of any size."""
    tuning = dataclasses.replace(attention_plans.TUNING, attention_scores=1, tile_rows=16, tile_keys=64, tile_least_rows=8, tiles=12)
    monkeypatch.setattr(attention_plans, "TUNING", tuning)
    monkeypatch.setattr(expansion, "TUNING", tuning)


def without_training(name, **others):
    return dataclasses.replace(CASES[name], train=False, **others)


def check_in_tiles(reports, calls=1):
    """The attention is computed in native code, in `calls` compiled graphs."""
    assert not counters.fallbacks and not counters.dense_attention and all(r.fallback is None for r in reports)
    found = [c.target for r in reports for c in r.calls if c.target.startswith(opaque_calls.OPAQUE)]
    assert len(found) == calls and all("tiled_attention" in c for c in found)


@NEEDS_PRODUCTS
@pytest.mark.parametrize("name", ["relative_bias", "empty_rows", "mask_by_batch_and_head", "constant"])
def test_static(name):
    with collect_reports() as reports:
        case = without_training(name)
        check(case, compiled_call(case, dynamic=False), 37)
    check_in_tiles(reports)


@NEEDS_PRODUCTS
@pytest.mark.parametrize("name", ["other_keys", "one_key_batch", "statistics"])
def test_bfloat16(name):
    check(case := without_training(name, dtype=torch.bfloat16, captured=in_bfloat16(CASES[name])), compiled_call(case, dynamic=False), 70)


def in_bfloat16(case):
    """The captured tensors in bfloat16."""
    return lambda n: [t.bfloat16() if t.is_floating_point() else t for t in case.captured(n)]


@NEEDS_PRODUCTS
def test_symbolic_sizes():
    case = without_training("relative_bias", allow=lambda b, h, i, j, c: i >= j, transposed=True)
    compiled = compiled_call(case, dynamic=True)
    with collect_reports() as reports:
        for length in (37, 50, 64):
            check(case, compiled, length)
    check_in_tiles(reports)


@NEEDS_PRODUCTS
def test_training_takes_the_statistics(training_on_cpu):  # noqa: F811
    with collect_reports() as reports:
        check(case := CASES["grouped_bias"], compiled_call(case, dynamic=False), 37)
    targets = [c.target for r in reports for c in r.calls if c.target.startswith(opaque_calls.OPAQUE)]
    assert ["tiled_attention" in t for t in targets] == [True, False]


@NEEDS_PRODUCTS
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_halves_without_packed_products(monkeypatch, dtype):
    """On a processor without products of half types, or if the program turns oneDNN off after the compilation."""
    case = without_training("documents_causal", dtype=dtype)
    compiled = compiled_call(case, dynamic=False)
    check(case, compiled, 37)
    monkeypatch.setattr(attention_tiles.TiledAttention, "packs", lambda *_: False)
    check(case, compiled, 37)


@NEEDS_PRODUCTS
def test_odd_width_is_not_packed():
    case = Case(shape=(1, 2, 2, 9), value_width=5, dtype=torch.bfloat16, train=False)
    check(case, compiled_call(case, dynamic=False), 37)


@NEEDS_PRODUCTS
def test_strides_of_dimensions_of_one_element_and_odd_addresses():
    """PyTorch calls a tensor contiguous whatever the strides of such dimensions are."""
    compiled = torch.compile(lambda q, k, v: flex_attention(q, k, v, enable_gqa=True), backend="mlirind", dynamic=False)
    numbers = torch.randn(5000, dtype=torch.bfloat16)
    for query, key in (
        (torch.as_strided(numbers, (3, 4, 64, 16), (16, 3, 48, 1), 3), torch.as_strided(numbers, (3, 1, 64, 16), (1024, 16, 16, 1), 0)),
        (torch.as_strided(numbers, (3, 4, 1, 16), (64, 16, 1, 1), 1), torch.as_strided(numbers, (3, 1, 70, 16), (1120, 1120, 16, 1), 1)),
        (numbers[:1024].view(1, 4, 16, 16), torch.as_strided(numbers, (1, 2, 1, 16), (32, 16, 1, 1), 1)),
    ):
        given = [query, key, key]
        torch.testing.assert_close(compiled(*given), flex_attention(*given, enable_gqa=True), atol=2e-2, rtol=2e-2)
    assert not counters.fallbacks and not counters.dense_attention


@NEEDS_PRODUCTS
@pytest.mark.parametrize("block", [5, 24])
def test_keys_that_begin_between_pairs(block):
    """Blocks of odd sizes: the first key of a tile is the second of a pair."""
    case = Case(allow=lambda b, h, i, j, c: (i >= j) & (i - j < 7), dtype=torch.bfloat16, block=block, train=False)
    check(case, compiled_call(case, dynamic=False), 83)


@NEEDS_PRODUCTS
def test_full_blocks_and_blocks_in_no_list_within_a_row():
    """Rows see the first keys and their own; blocks between are computed, and masked."""
    case = Case(allow=lambda b, h, i, j, c: (j < 16) | (i // 16 == j // 16), modify=lambda s, b, h, i, j, c: s * 0.5, train=False)
    check(case, compiled_call(case, dynamic=False), 96)


@NEEDS_PRODUCTS
@pytest.mark.parametrize("scale", [-0.5, 0.0])
def test_scales_that_do_not_keep_masked_scores(scale):
    case = Case(allow=lambda b, h, i, j, c: i >= j, scale=scale, train=False)
    compiled = torch.compile(lambda q, k, v, mask: flex_attention(q, k, v, block_mask=mask, scale=scale), backend="mlirind")
    q, k, v = case.inputs(37)
    mask = case.mask(37, [])
    torch.testing.assert_close(compiled(q, k, v, mask), flex_attention(q, k, v, block_mask=mask, scale=scale))


@NEEDS_PRODUCTS
def test_number_of_the_program():
    compiled = torch.compile(
        lambda q, k, v, offset: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.where(i + offset >= j, s + offset, -1.0)),
        backend="mlirind",
    )
    given = [torch.randn(1, 2, 40, 16) for _ in range(3)]
    for offset in (0, 3, -5):
        eager = flex_attention(*given, score_mod=lambda s, b, h, i, j, o=offset: torch.where(i + o >= j, s + o, -1.0))
        torch.testing.assert_close(compiled(*given, offset), eager)
    assert not counters.fallbacks and not counters.dense_attention


@NEEDS_PRODUCTS
def test_threads_give_equal_results():
    given = [torch.randn(2, 3, 70, 16, dtype=torch.bfloat16) for _ in range(3)]
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 70, 70, device="cpu", BLOCK_SIZE=16)
    compiled = torch.compile(lambda q, k, v: flex_attention(q, k, v, block_mask=mask), backend="mlirind")
    threads, found = torch.get_num_threads(), []
    try:
        for number in (1, 2, 5):
            torch.set_num_threads(number)
            found.append(compiled(*given))
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(found[0], found[1]) and torch.equal(found[0], found[2])


@NEEDS_PRODUCTS
def test_index_out_of_range_raises():
    check_index_out_of_range(40, 30)


def infinite_here_and_there(s, b, h, i, j):
    """Infinity in rows 3 to 5, NaN in rows 4 to 7; of rows 4 to 7 in another chunk of keys, before it or after."""
    s = torch.where((i >= 3) & (i < 6) & (j == 70), float("inf"), s)
    return torch.where(((i == 4) | (i == 6)) & (j == 2) | ((i == 5) | (i == 7)) & (j == 140), float("nan"), s)


@NEEDS_PRODUCTS
def test_infinite_scores_and_nan():
    given = [torch.randn(1, 1, 150, 16) for _ in range(3)]
    given[0][0, 0, 9, 0] = float("nan")

    def program(q, k, v):
        return flex_attention(q, k, v, score_mod=infinite_here_and_there, return_lse=True)

    torch.testing.assert_close(torch.compile(program, backend="mlirind")(*given), program(*given), equal_nan=True)


@NEEDS_PRODUCTS
def test_largest_scores_grow_from_chunk_to_chunk():
    case = without_training("plain", modify=lambda s, b, h, i, j, c: s + 2.0 * j, aux=True)
    check(case, compiled_call(case, dynamic=False), 200)


@NEEDS_PRODUCTS
def test_other_block_masks():
    """A plan is used again only for a block mask with the same elements, also if the tensors are the same."""
    given = [torch.randn(1, 2, 80, 16) for _ in range(3)]
    width = torch.tensor(5)

    def mask_for(number):
        width.fill_(number)
        return create_block_mask(lambda b, h, i, j: (i - j).abs() < width, None, None, 80, 80, device="cpu", BLOCK_SIZE=16)

    compiled = torch.compile(lambda q, k, v, mask: flex_attention(q, k, v, block_mask=mask), backend="mlirind", dynamic=False)
    mask, wide = mask_for(5), mask_for(50)
    lists = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices")
    for number in (5, 50, 5):
        for name in lists:
            getattr(mask, name).copy_(getattr(mask_for(number), name))
        torch.testing.assert_close(compiled(*given, mask), flex_attention(*given, block_mask=mask))
    width.fill_(50)
    torch.testing.assert_close(compiled(*given, wide), flex_attention(*given, block_mask=wide))
    assert counters.compiled == 1


@NEEDS_PRODUCTS
@pytest.mark.parametrize("features", ["-avx512f", "-avx2,-fma,-avx512f"])
def test_without_features_of_the_processor(features):
    case = without_training("relative_bias")
    check(case, compiled_call(case, dynamic=False, options={"target_features": features}), 37)


@NEEDS_PRODUCTS
def test_weights_that_are_no_floats():
    """Exponentials of scores far below the largest one are 0."""
    given = [torch.randn(1, 1, 37, 16) for _ in range(3)]

    def program(q, k, v):
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s - 30.0 * (i - j).abs(), return_lse=True)

    torch.testing.assert_close(torch.compile(program, backend="mlirind")(*given), program(*given))


def test_float64_and_a_pytorch_without_the_products(monkeypatch):
    for case, products in ((without_training("float64"), True), (without_training("bfloat16"), False)):
        if not products:
            monkeypatch.setattr(attention_tile_kernels, "tile_products", lambda: None)
        with collect_reports() as reports:
            check(case, compiled_call(case, dynamic=False), 37)
        targets = [c.target for r in reports for c in r.calls if c.target.startswith(opaque_calls.OPAQUE)]
        assert len(targets) == 1 and "blocked_attention" in targets[0]


@NEEDS_PRODUCTS
def test_products_of_other_operands_are_not_used(monkeypatch):
    """The probe finds it if this PyTorch wants the second operand in another order."""
    products = tile_products._products()
    assert tile_products._is_right(products, torch.float32)
    monkeypatch.setattr(tile_products, "packed_rows", lambda matrix: matrix.flip(0).contiguous())
    assert not tile_products._is_right(products, torch.float32)
