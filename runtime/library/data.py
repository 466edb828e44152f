"""Data of a shared library: words and texts, with addresses that the loader fills in."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

Buffer = bytes | memoryview


@dataclass
class Data:
    """Words and bytes for the library, with addresses in them that the loader fills in. Its places are offsets."""

    content: bytearray = field(default_factory=bytearray)
    addresses: dict[int, str | int] = field(default_factory=dict)  # by place: a symbol, or another place

    def reserve(self, count: int) -> int:
        """The place of `count` new zeroed words."""
        self.content += b"\0" * (-len(self.content) % 16)
        place = len(self.content)
        self.content += b"\0" * (8 * count)
        return place

    def words(self, values: Sequence[int]) -> int:
        """The place of these 64-bit numbers."""
        place = self.reserve(max(len(values), 1))
        self.content[place : place + 8 * len(values)] = struct.pack(f"<{len(values)}q", *values)
        return place

    def text(self, value: str) -> int:
        """The place of a zero-terminated text."""
        place = len(self.content)
        self.content += value.encode() + b"\0"
        return place

    def bytes(self, value: bytes) -> int:
        """The place of bytes, a multiple of 16."""
        place = self.reserve(0)
        self.content += value
        return place

    def set(self, place: int, value: int) -> None:
        """Writes a number."""
        self.content[place : place + 8] = struct.pack("<q", value)

    def point(self, place: int, target: str | int) -> None:
        """The word at `place` becomes the address of a symbol or of another place."""
        self.addresses[place] = target

    def texts(self, values: Sequence[str]) -> int:
        """The place of the addresses of texts."""
        places = [self.text(value) for value in values]
        table = self.reserve(max(len(places), 1))
        for number, place in enumerate(places):
            self.point(table + 8 * number, place)
        return table
