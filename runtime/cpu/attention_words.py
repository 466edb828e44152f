"""The words that the native code of attention in tiles reads: the order is that of these names (`lowering/cpu/attention_tiles.mlir`)."""

from __future__ import annotations


def _numbered(names: str) -> dict[str, int]:
    return {name: number for number, name in enumerate(names.split())}


# Of a call. THREADS: how many; BLOCKS, BLOCK_COUNT: the blocks of keys and values to pack; TILES, TILE_COUNT: the tiles; NEXT_BLOCK, NEXT:
# the numbers of the next ones, which threads count up; SCRATCH, SCRATCH_BYTES: each thread's memory, with scores at its beginning, and
# other matrices and columns at WEIGHTS, MAXIMA, TOTALS, SUMS; FAILED: not 0 if a kernel failed; PRODUCT, RELEASE: addresses
# (`torch_internals/tile_products.py`); PACKED: whether operands are bfloat16; WIDTH, VALUE_WIDTH; QUERY_ROW: the length of a row of
# queries; KEY_BYTES, VALUE_BYTES, WEIGHT_BYTES: of a packed key, of a row of values, of a weight; BASE: a weight is 2 to the power of this
# float32 times the score less the largest one; OTHERS: the first of the captured tensors.
CALL = _numbered(
    "THREADS BLOCKS BLOCK_COUNT NEXT_BLOCK TILES TILE_COUNT NEXT SCRATCH SCRATCH_BYTES FAILED PRODUCT RELEASE PACKED WIDTH VALUE_WIDTH "
    "QUERY_ROW KEY_BYTES VALUE_BYTES WEIGHT_BYTES WEIGHTS MAXIMA TOTALS SUMS BASE OTHERS"
)
# Of a block to pack: addresses, and the kernels' numbers; 0 for values that stay as they are.
BLOCK = _numbered("KEY_SOURCE KEY_TARGET VALUE_SOURCE VALUE_TARGET KEY_NUMBERS VALUE_NUMBERS")
# Of a tile: addresses of its rows, of its first key and value, of its outputs and positions, its number of rows; its chunks of keys; the
# kernels' numbers.
TILE = _numbered(
    "QUERY KEY VALUE OUT_AT LOGARITHMS_AT LARGEST_AT BATCH_AT HEAD_AT ROW_AT KEY_AT ROWS CHUNK_COUNT CHUNKS STATISTICS_NUMBERS "
    "CONVERT_NUMBERS"
)
# Of a chunk: its first key in the tile, its numbers of keys and of keys with padding, the length of a row of its scores; its spans.
CHUNK = _numbered("START KEYS PADDED LENGTH SPAN_COUNT SPANS")
# Of a span, some keys of a chunk: 0 if scores are masked; its first key in the chunk and in the tile; the kernel's numbers.
SPAN = _numbered("FULL OFFSET KEY_OFFSET NUMBERS")
# Keys of a block. Tiles begin with a block, and their keys are padded to a multiple of its size.
PADDING = 64
_SIZES = {"TILE_WORDS": len(TILE), "BLOCK_WORDS": len(BLOCK), "CHUNK_WORDS": len(CHUNK), "SPAN_WORDS": len(SPAN), "PADDING": PADDING}
WORDS = {**CALL, **BLOCK, **TILE, **CHUNK, **SPAN, **_SIZES}
assert len(WORDS) == sum(map(len, (CALL, BLOCK, TILE, CHUNK, SPAN, _SIZES)))  # no name has two meanings
