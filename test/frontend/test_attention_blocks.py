"""`flex_attention` in blocks: the answers of eager's attention, and no block that the mask leaves out."""

import dataclasses

import pytest
import torch
from mlirind.bridge import opaque_calls
from mlirind.errors import UnsupportedGraph
from mlirind.frontend.calls import attention_blocks, attention_tile_kernels
from mlirind.frontend.calls import flex_attention as expansion
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from test_flex_attention import CASES, Case, check, check_index_out_of_range, compiled_call, training_on_cpu  # noqa: F401  a fixture
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention

pytestmark = [pytest.mark.usefixtures("fresh_counters", "training_on_cpu"), pytest.mark.filterwarnings("ignore")]

ROWS, SCORES = 16, 1000


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of at most 16 rows and about 1,000 scores, whose body Python calls."""
    tuning = dataclasses.replace(attention_blocks.TUNING, attention_scores=SCORES, attention_rows=ROWS, attention_least_rows=8)
    monkeypatch.setattr(attention_blocks, "TUNING", tuning)
    monkeypatch.setattr(expansion, "TUNING", tuning)
    monkeypatch.setattr(attention_tile_kernels, "tile_products", lambda: None)


def check_in_blocks(reports):
    """Each attention is one call in blocks, whose body is compiled."""
    assert not counters.fallbacks and not counters.dense_attention and all(r.fallback is None for r in reports)
    calls = [c.target for r in reports for c in r.calls if c.target.startswith(opaque_calls.OPAQUE)]
    assert len(calls) == 2 and all("blocked_attention" in c for c in calls)
    bodies = [r for r in reports if ".body_" in r.name]
    assert len(bodies) == 2 and {c.target for r in bodies for c in r.calls} <= {"aten.bmm.default"}


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    "name",
    ["documents_causal", "grouped_bias", "empty_rows", "bfloat16", "one_key_batch"],
)
def test_static(name):
    case = CASES[name]
    with collect_reports() as reports:
        check(case, compiled_call(case, dynamic=False), 37)
    check_in_blocks(reports)


@pytest.mark.usefixtures("small_blocks")
def test_symbolic_sizes():
    case = dataclasses.replace(CASES["relative_bias"], shape=(2, 4, 2, 16), allow=lambda b, h, i, j, c: i >= j, transposed=True)
    compiled = compiled_call(case, dynamic=True, options={"verify_each": True})
    with collect_reports() as reports:
        for length in (37, 50, 64):
            check(case, compiled, length)
    check_in_blocks(reports)


@pytest.mark.usefixtures("small_blocks")
def test_number_of_the_program_and_graph_that_runs_uncompiled():
    def program(q, k, v, offset):
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.where(i + offset >= j, s + offset, -1.0))

    given = [torch.randn(1, 2, 40, 16) for _ in range(3)]
    for options, offsets in (({}, (0, 3, -5)), ({"stop_after": "import"}, (4,))):
        compiled = torch.compile(program, backend="mlirind", options=options)
        for offset in offsets:
            torch.testing.assert_close(compiled(*given, offset), program(*given, offset))
    assert not counters.fallbacks and not counters.dense_attention


def test_few_scores_are_operators():
    case = Case(train=False)
    with collect_reports() as reports:
        check(case, compiled_call(case), 37)
    assert not any(c.target.startswith(opaque_calls.OPAQUE) for r in reports for c in r.calls)


@pytest.mark.usefixtures("small_blocks")
def test_what_cannot_be_cut_is_dense_and_counted(monkeypatch):
    def refuse(*_):
        raise UnsupportedGraph("a reason")

    monkeypatch.setattr(expansion, "AttentionBody", refuse)
    case = Case(train=False)
    with collect_reports() as reports:
        check(case, compiled_call(case), 37)
    assert counters.dense_attention == {"a reason": 1} and not counters.fallbacks
    assert not any(c.target.startswith(opaque_calls.OPAQUE) for r in reports for c in r.calls)


# The walk over the blocks, with a body in Python.


def walked(mask, batch=1, heads=2, length=48):
    """The number of scores that the body is asked for; compares the output and the statistics with dense attention."""
    torch.manual_seed(0)
    query, key, value = (torch.randn(batch, heads, length, 8) for _ in range(3))
    counted = []

    def allowed(starts, shape):
        positions = torch.meshgrid(*(torch.arange(s, s + n) for s, n in zip(starts, shape, strict=True)), indexing="ij")
        return mask.mask_mod(*positions).expand(shape)

    def attended(scores, value):
        largest = scores.amax(-1)
        logarithms = scores.logsumexp(-1)
        return scores.softmax(-1).nan_to_num().flatten(0, 1) @ value, logarithms, largest

    def body(b, h, i, j, batches, key_heads, rows, query, key, value):
        shape = (batches, key_heads, rows, key.size(1))
        counted.append(batches * key_heads * rows * key.size(1))
        return attended((query @ key.mT).view(shape).masked_fill(~allowed((b, h, i, j), shape), -float("inf")), value)

    parts = mask.as_tuple()
    found = attention_blocks.blocked_attention(body, (query, key, value), (*parts[2:6], *parts[-3:-1]), (), (), ((0, 2, 1, 3), (), ()))
    scores = (query @ key.mT).masked_fill(~allowed((0, 0, 0, 0), (batch, heads, length, length)), -float("inf"))
    out, *statistics = attended(scores, value.flatten(0, 1))
    torch.testing.assert_close(found, [out.view(query.shape), *statistics])
    assert found[0].transpose(1, 2).is_contiguous()
    return sum(counted)


def block_mask(allow, batch=None, heads=None, block=8):
    return create_block_mask(allow, batch, heads, 48, 48, device="cpu", BLOCK_SIZE=block)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_that_the_mask_leaves_out_are_not_computed():
    assert walked(block_mask(lambda b, h, i, j: i >= j)) == 2 * 16 * (16 + 32 + 48)
    assert walked(block_mask(lambda b, h, i, j: i // 16 == j // 16)) == 2 * 16 * 48
    assert walked(block_mask(lambda b, h, i, j: j == 47 - i // 48)) == 2 * 48 * 8
    assert walked(block_mask(lambda b, h, i, j: i >= 0)) == 2 * 48 * 48


@pytest.mark.usefixtures("small_blocks")
def test_rows_that_see_nothing():
    assert walked(block_mask(lambda b, h, i, j: (i // 16 == 1) & (j < 8))) == 2 * 16 * 8
    assert walked(block_mask(lambda b, h, i, j: i < 0)) == 0


@pytest.mark.usefixtures("small_blocks")
def test_masks_of_batches_and_heads():
    """Each batch has its own keys; heads that are computed together have those of all of them."""
    assert walked(block_mask(lambda b, h, i, j: j // 16 == b, batch=3), batch=3) == 3 * 2 * 48 * 16
    assert walked(block_mask(lambda b, h, i, j: j // 16 == h, heads=2)) in (2 * 48 * 32, 2 * 48 * 16)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_that_are_larger_than_parts_or_end_late():
    assert walked(block_mask(lambda b, h, i, j: i >= j, block=32)) == 2 * 16 * (32 + 32 + 48)


@pytest.mark.usefixtures("small_blocks")
def test_a_mask_function_that_allows_everything_is_eagers():
    """Eager ignores what a block mask lists; where the mask function does not say the same, all blocks are computed."""
    counts, indices = torch.ones(1, 1, 3, dtype=torch.int32), torch.zeros(1, 1, 3, 3, dtype=torch.int32)
    mask = BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=16)
    given = [torch.randn(1, 2, 48, 8) for _ in range(3)]
    compiled = torch.compile(lambda q, k, v: flex_attention(q, k, v, block_mask=mask), backend="mlirind")
    torch.testing.assert_close(compiled(*given), flex_attention(*given, block_mask=mask))
    assert not counters.dense_attention


@pytest.mark.usefixtures("small_blocks")
def test_index_out_of_range_raises():
    check_index_out_of_range(40, 30)
