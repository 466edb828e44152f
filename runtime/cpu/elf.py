"""Reads relocatable object code (ELF, x86-64): sections and symbols."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

# ELF's numbers.
MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian, version 1
RELOCATABLE, SHARED, X86_64 = 1, 3, 62
SYMBOLS, RELA, NO_BITS, REL = 2, 4, 8, 9  # kinds of sections
WRITE, ALLOC, EXECUTE, TLS = 1, 2, 4, 0x400  # flags of sections
UNDEFINED, ABSOLUTE, RESERVED = 0, 0xFFF1, 0xFF00  # section numbers of symbols
LOCAL, GLOBAL, WEAK = 0, 1, 2  # bindings of symbols
# Relocations: none, the address of a symbol, the distance to one.
NO_RELOCATION, ADDRESS, DISTANCE = 0, 1, 24


class UnsupportedObject(Exception):
    """Object code that is not taken: damaged, for another machine, or with a symbol that nobody defines."""


@dataclass(frozen=True)
class Section:
    """A section's header."""

    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


def bytes_at(content: bytes, offset: int, size: int) -> bytes:
    """`size` bytes from `offset` on. Raises ValueError."""
    found = content[offset : offset + size]
    if len(found) != size:
        raise ValueError("it is cut short")
    return found


def _text(content: bytes, offset: int) -> str:
    return content[offset : content.index(b"\0", offset)].decode()


def sections_of(content: bytes) -> list[Section]:
    """The sections of an object. Raises UnsupportedObject."""
    kind, machine = struct.unpack_from("<HH", content, 16)
    if not content.startswith(MAGIC) or kind != RELOCATABLE or machine != X86_64:
        raise UnsupportedObject("no relocatable object code for x86-64")
    (table,) = struct.unpack_from("<Q", content, 40)
    size, count, names = struct.unpack_from("<HHH", content, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", content, table + number * size) for number in range(count)]
    strings = headers[names][4]
    return [
        Section(_text(content, strings + h[0]), h[1], h[2], h[4], h[5], h[6], h[7], max(h[8], 1)) for h in headers
    ]  # fmt: skip


def elf_symbols(content: bytes, sections: list[Section]) -> Iterator[tuple[str, int, int, int]]:
    """Name, binding, section number and value of each symbol. Raises UnsupportedObject."""
    table = next((s for s in sections if s.kind == SYMBOLS), None)
    if table is None:
        raise UnsupportedObject("no symbols")
    strings = sections[table.link].offset
    for name, info, _, section, value, _ in struct.iter_unpack("<IBBHQQ", bytes_at(content, table.offset, table.size)):
        yield _text(content, strings + name), info >> 4, section, value
