"""The words that the native code of attention in tiles reads: the order is that of these names (`lowering/cpu/attention_tiles.mlir`)."""

from __future__ import annotations


def _numbered(names: str) -> dict[str, int]:
    return {name: number for number, name in enumerate(names.split())}


# Of a call. THREADS: how many; TILES, TILE_COUNT: the tiles; NEXT: the number of the next one, which threads count up; SCRATCH,
# SCRATCH_BYTES: each thread's memory, with scores at its beginning, and other matrices and columns at WEIGHTS, MAXIMA, DIVISORS, SUMS;
# FAILED: not 0 if a kernel failed; PRODUCT, RELEASE: addresses (`torch_internals/tile_products.py`); PACKED: whether operands are bfloat16;
# WIDTH, VALUE_WIDTH; the lengths of rows of queries and of packed keys; the bytes of a row of values and of a weight; SUM_ROW: the length
# of a row of sums; DIRECT: sums are outputs; OTHERS: the first of the captured tensors.
CALL = _numbered(
    "THREADS TILES TILE_COUNT NEXT SCRATCH SCRATCH_BYTES FAILED PRODUCT RELEASE PACKED WIDTH VALUE_WIDTH QUERY_ROW KEY_ROW VALUE_BYTES "
    "WEIGHT_BYTES WEIGHTS MAXIMA DIVISORS SUMS SUM_ROW DIRECT OTHERS"
)
# Of a tile: addresses of its rows, of its first key and value, of its outputs and positions, its numbers of rows, of keys, and of keys with
# padding; its spans; the kernels' numbers.
TILE = _numbered(
    "QUERY KEY VALUE OUT_AT LOGARITHMS_AT LARGEST_AT BATCH_AT HEAD_AT ROW_AT KEY_AT ROWS KEYS PADDED SPANS SPAN_COUNT MAXIMUM_NUMBERS "
    "EXPONENTIALS_NUMBERS WEIGHTS_NUMBERS CONVERT_NUMBERS"
)
# Of a span, some keys of a tile: 0 if scores are masked; its first key in the tile; the kernel's numbers.
SPAN = _numbered("FULL OFFSET NUMBERS")
# Keys of a tile are padded to a multiple of the first; a product has at most as many of them as the second.
PADDING, LARGEST_PART = 64, 512
# The kernels of softmax.
SOFTMAX = ("maximum", "exponentials", "weights")
WORDS = {**CALL, **TILE, **SPAN, "TILE_WORDS": len(TILE), "SPAN_WORDS": len(SPAN), "LARGEST_PART": LARGEST_PART}
