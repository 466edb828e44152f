"""Tiles of the kernels of `flex_attention` on GPUs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """Rows and keys of a tile, at most; warps of a program; stages of its loops."""

    rows: int
    keys: int
    warps: int
    stages: int


@dataclass(frozen=True)
class AttentionTuning:
    """The tiles of the forward, of the query's gradient and of the keys', for widths up to 64 and for larger ones. `of_keys_of_documents`:
    those of the keys under a mask of packed documents, whose walks are short. Measured on an H200 (`docs/design/flex_attention.md`)."""

    forward: tuple[Tile, Tile]
    of_query: tuple[Tile, Tile]
    of_keys: tuple[Tile, Tile]
    of_keys_of_documents: tuple[Tile, Tile]


# GPUs with 227 KiB of shared memory: compute capabilities 9.0 and 10.x.
_LARGE = AttentionTuning(
    forward=(Tile(128, 64, 4, 2), Tile(128, 128, 8, 2)),
    of_query=(Tile(64, 64, 4, 2), Tile(64, 64, 4, 2)),
    of_keys=(Tile(64, 64, 4, 2), Tile(64, 128, 8, 2)),
    of_keys_of_documents=(Tile(64, 64, 4, 2), Tile(32, 64, 4, 2)),
)
# Others have 99 KiB or more. Not measured.
_SMALL = AttentionTuning(
    forward=(Tile(64, 64, 4, 2), Tile(64, 32, 4, 2)),
    of_query=(Tile(64, 64, 4, 2), Tile(64, 32, 4, 2)),
    of_keys=(Tile(64, 64, 4, 2), Tile(32, 64, 4, 2)),
    of_keys_of_documents=(Tile(64, 64, 4, 2), Tile(32, 64, 4, 2)),
)


def attention_tuning(capability: int) -> AttentionTuning:
    """The tiles for a compute capability: 90 for sm_90."""
    return _LARGE if capability // 10 in (9, 10) else _SMALL
