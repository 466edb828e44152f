"""Links relocatable objects and data into a shared library (ELF, x86-64), without a linker.

The objects are position-independent code in LLVM's large code model: all addresses are distances to the global offset table or are read
from it. So no text is relocated when the library is loaded; the loader fills the table, and addresses in data.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from ..cpu.elf import (
    ABSOLUTE,
    ADDRESS,
    ALLOC,
    DISTANCE,
    EXECUTE,
    GLOBAL,
    LOCAL,
    MAGIC,
    NO_BITS,
    NO_RELOCATION,
    RELA,
    RESERVED,
    SHARED,
    TLS,
    UNDEFINED,
    WEAK,
    WRITE,
    X86_64,
    Section,
    UnsupportedObject,
    bytes_at,
    elf_symbols,
    sections_of,
)
from .data import Buffer, Data

# ELF's numbers: relocations that use the table (R_X86_64_GOTOFF64, _GOT64, _GOTPC64), relocations for the loader (_GLOB_DAT, _RELATIVE).
_FROM_TABLE, _SLOT, _TABLE_DISTANCE, _SYMBOL_ADDRESS, _OWN_ADDRESS = 25, 27, 29, 6, 8
_LOAD, _DYNAMIC, _FRAMES_HEADER, _STACK = 1, 2, 0x6474E550, 0x6474E551  # kinds of segments
_READ, _WRITABLE, _EXECUTABLE = 4, 2, 1
_TABLE = "_GLOBAL_OFFSET_TABLE_"
_FRAMES = ".eh_frame"
_PAGE = 4096
_HEADER, _SEGMENT, _SEGMENTS = 64, 56, 8  # bytes of the file's header and of a segment's header; the most segments
# Entries for the loader: DT_NEEDED, the tables with their sizes, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_BIND_NOW.
_NEEDED, _HASH, _STRINGS, _SYMBOL_TABLE, _RELA_AT, _RELA_BYTES, _RELA_SIZE, _STRINGS_SIZE, _SYMBOL_SIZE = 1, 4, 5, 6, 7, 8, 9, 10, 11
_BIND_NOW, _LOAD_AT, _UNLOAD_AT, _LOAD_BYTES, _UNLOAD_BYTES = 24, 25, 26, 27, 28
_DYNAMIC_ENTRIES = 14
_FUNCTION = 2  # the kind of a symbol
_RELATIVE_WORD, _OMITTED = 0x1B, 0xFF  # encodings in the unwinder's header: a distance of 32 bits; nothing


@dataclass(frozen=True)
class Library:
    """What a library is made of.

    `objects`: the code; `renamed`: for each object, other names for its symbols. `data`: with `places`, the places by symbol; `slots`:
    where the library itself writes the addresses of functions, by symbol. `exports`: the symbols that others see; `weak`: symbols of other
    libraries that may be missing (their address is then 0). `needed`: libraries that are loaded with it; `load` and `unload`: functions
    that run then. `blob`: bytes behind all else, whose address the symbol `blob_name` has.
    """

    objects: Sequence[bytes]
    renamed: Sequence[Mapping[str, str]]
    data: Data
    places: Mapping[str, int]
    slots: Mapping[str, int]
    exports: Sequence[str]
    weak: Sequence[str]
    needed: Sequence[str]
    load: str
    unload: str
    blob_name: str
    blob: Sequence[Buffer] = field(repr=False)

    def write(self, file: BinaryIO) -> None:
        """Writes the library. Raises UnsupportedObject for code that can't be linked."""
        try:
            linking = _Linking(self)
            linking.place()
            linking.relocate()
            linking.write(file)
        except (struct.error, ValueError, IndexError, UnicodeDecodeError) as error:
            raise UnsupportedObject(f"damaged object code: {error}") from error


@dataclass(frozen=True)
class _Relocation:
    """A place in an object's section that depends on a symbol: a name, or (object, number) of a local symbol."""

    section: tuple[int, int]  # object and number of the section
    offset: int
    kind: int
    symbol: str | tuple[int, int]
    addend: int


class _Linking:
    """One library under construction: `place` decides where everything is, `relocate` computes what depends on that."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.sections = [sections_of(content) for content in library.objects]
        self.symbols = [list(elf_symbols(c, s)) for c, s in zip(library.objects, self.sections, strict=True)]
        self.image = bytearray()
        self.segments: list[tuple[int, ...]] = []  # kind, flags, address (and offset in the file), size, alignment
        self.placed: dict[tuple[int, int], int] = {}  # the address of each section
        self.relocations = [r for n, sections in enumerate(self.sections) for s in sections for r in self._read(n, s)]
        self.own = {*library.places, library.blob_name, *self._definitions()}
        missing = [name for name in (*library.exports, library.load, library.unload) if name not in self.own]
        if missing:
            raise UnsupportedObject(f"no definition of {missing[0]}")
        slots = dict.fromkeys(r.symbol for r in self.relocations if r.kind == _SLOT and r.symbol not in library.slots)
        self.slots: dict[str | tuple[int, int], int] = dict.fromkeys(slots, 0)
        self.outside = sorted(self._undefined() - self.own - {_TABLE, *library.slots})
        self.for_loader: list[bytes] = []

    # What the objects say.

    def _name(self, number: int, name: str) -> str:
        return self.library.renamed[number].get(name, name)

    def _definitions(self) -> list[str]:
        """The names that objects define for others. Raises UnsupportedObject if two define the same."""
        found = [
            self._name(number, name)
            for number, symbols in enumerate(self.symbols)
            for name, binding, section, _ in symbols
            if binding != LOCAL and section not in (UNDEFINED, ABSOLUTE)
        ]
        if len(set(found)) < len(found):
            raise UnsupportedObject(f"two definitions of {next(name for name in found if found.count(name) > 1)}")
        return found

    def _undefined(self) -> set[str]:
        return {self._name(n, name) for n, symbols in enumerate(self.symbols) for name, _, s, _ in symbols if name and s == UNDEFINED}

    def _read(self, number: int, section: Section) -> list[_Relocation]:
        """The relocations that a section contains."""
        if section.kind != RELA or not self.sections[number][section.info].flags & ALLOC:
            return []
        entries = struct.iter_unpack("<QQq", bytes_at(self.library.objects[number], section.offset, section.size))
        target = (number, section.info)
        return [
            _Relocation(target, offset, info & 0xFFFFFFFF, self._key(number, info >> 32), addend)
            for offset, info, addend in entries
            if info & 0xFFFFFFFF != NO_RELOCATION
        ]

    def _key(self, number: int, symbol: int) -> str | tuple[int, int]:
        name, binding, _, _ = self.symbols[number][symbol]
        return (number, symbol) if binding == LOCAL else self._name(number, name)

    # Places.

    def place(self) -> None:
        """Builds the image: tables for the loader and constants; code; data. The tables are filled later."""
        library = self.library
        names = [*self.outside, *library.exports]
        self.strings = bytearray(b"\0")
        self.name_strings, self.needed_strings = ([self._string(name) for name in names_] for names_ in (names, library.needed))
        self.image += b"\0" * (_HEADER + _SEGMENTS * _SEGMENT)
        self.symbols_at = self._room(24 * (1 + len(names)))
        self.hash_at = self._room(8 * (2 + len(names)))
        self.strings_at = self._room(len(self.strings))
        in_data = sum(r.kind == ADDRESS for r in self.relocations)
        self.loader_at = self._room(24 * (len(self.slots) + len(library.data.addresses) + 2 + in_data))
        self._place_sections(0)
        self._place_frames()
        self._segment(_READ, 0)
        start = len(self.image)
        self._place_sections(EXECUTE)
        self._segment(_READ | _EXECUTABLE, start)
        self._place_data(len(self.image))

    def _place_data(self, start: int) -> None:
        self._place_sections(WRITE)
        self.table = self._align(16)
        for key in self.slots:
            self.slots[key] = self._room(8)
        self.functions_at = self._room(16)
        self.data_at = self._align(16)
        self.slots |= {name: self.data_at + place for name, place in self.library.slots.items()}
        self.image += self.library.data.content
        self.dynamic_at = self._align(16)
        self.image += b"\0" * 16 * (_DYNAMIC_ENTRIES + len(self.library.needed))
        self._segment(_READ | _WRITABLE, start)
        self.blob_at = len(self.image)

    def _align(self, alignment: int) -> int:
        self.image += b"\0" * (-len(self.image) % alignment)
        return len(self.image)

    def _room(self, size: int) -> int:
        address = self._align(8)
        self.image += b"\0" * size
        return address

    def _string(self, text: str) -> int:
        place = len(self.strings)
        self.strings += text.encode() + b"\0"
        return place

    def _all_sections(self) -> list[tuple[tuple[int, int], Section]]:
        return [((n, k), s) for n, sections in enumerate(self.sections) for k, s in enumerate(sections) if s.flags & ALLOC and s.size]

    def _place_sections(self, flags: int) -> None:
        """Places the sections with these flags, but the unwinder's frames."""
        for key, section in self._all_sections():
            if section.flags & TLS or section.alignment > _PAGE:
                raise UnsupportedObject(f"the section {section.name}")
            if section.flags & (WRITE | EXECUTE) == flags and section.name != _FRAMES:
                self._put(key, section)

    def _put(self, key: tuple[int, int], section: Section) -> None:
        self.placed[key] = self._align(section.alignment)
        content = self.library.objects[key[0]]
        self.image += bytes(section.size) if section.kind == NO_BITS else bytes_at(content, section.offset, section.size)

    def _place_frames(self) -> None:
        """Places the unwinder's frames one after the other, with the header by which it finds them."""
        start = self._align(8)
        for key, section in self._all_sections():
            if section.name == _FRAMES:
                self._put(key, section)
        self.image += bytes(4)
        header = self._align(4)
        self.image += struct.pack("<BBBBi", 1, _RELATIVE_WORD, _OMITTED, _OMITTED, start - (header + 4))
        self.segments.append((_FRAMES_HEADER, _READ, header, 8, 4))

    def _segment(self, flags: int, start: int) -> None:
        self.segments.append((_LOAD, flags, start, len(self.image) - start, _PAGE))
        self._align(_PAGE)

    # What depends on places.

    def relocate(self) -> None:
        """Writes addresses and distances, and the loader's list of the addresses that it must add."""
        library = self.library
        self.defined = {name: self.data_at + place for name, place in library.places.items()} | {library.blob_name: self.blob_at}
        for number, symbols in enumerate(self.symbols):
            for name, binding, section, value in symbols:
                if binding != LOCAL and section not in (UNDEFINED, ABSOLUTE):
                    self.defined[self._name(number, name)] = self._in_section(number, section) + value
        numbers = {name: number for number, name in enumerate(self.outside, 1)}
        for key, place in self.slots.items():
            if key in numbers:
                self._for_loader(place, _SYMBOL_ADDRESS, numbers[str(key)], 0)
            elif key not in library.slots:
                self._for_loader(place, _OWN_ADDRESS, 0, self._address(key))
        for place, target in library.data.addresses.items():
            address = self.defined[target] if isinstance(target, str) else self.data_at + target
            self._for_loader(self.data_at + place, _OWN_ADDRESS, 0, address)
        for number, name in enumerate((library.load, library.unload)):
            self._for_loader(self.functions_at + 8 * number, _OWN_ADDRESS, 0, self.defined[name])
        for relocation in self.relocations:
            self._relocate(relocation)

    def _relocate(self, relocation: _Relocation) -> None:
        number, index = relocation.section
        section, kind, key = self.sections[number][index], relocation.kind, relocation.symbol
        if not 0 <= relocation.offset <= section.size - 8:
            raise UnsupportedObject("a relocation outside its section")
        place = self.placed[relocation.section] + relocation.offset
        if kind == _SLOT:
            value = self.slots[key] - self.table
        elif kind == _TABLE_DISTANCE:
            value = self.table - place
        elif kind == _FROM_TABLE:
            value = self._address(key) - self.table
        elif kind == DISTANCE:
            value = self._address(key) - place
        elif kind == ADDRESS and section.flags & WRITE:
            self._for_loader(place, _OWN_ADDRESS, 0, self._address(key) + relocation.addend)
            return
        else:
            raise UnsupportedObject(f"a relocation of kind {kind}")
        self._fill(place, struct.pack("<Q", (value + relocation.addend) & 0xFFFFFFFFFFFFFFFF))

    def _in_section(self, number: int, section: int) -> int:
        if section >= RESERVED or (number, section) not in self.placed:
            raise UnsupportedObject("a symbol that lies in no section with memory")
        return self.placed[number, section]

    def _address(self, key: str | tuple[int, int]) -> int:
        """The address of a symbol of the library itself."""
        if isinstance(key, str):
            if key not in self.defined:
                raise UnsupportedObject(f"code takes the address of {key}, which lies in another library, without the table")
            return self.defined[key]
        number, symbol = key
        _, _, section, value = self.symbols[number][symbol]
        return self._in_section(number, section) + value

    def _for_loader(self, place: int, kind: int, symbol: int, addend: int) -> None:
        self.for_loader.append(struct.pack("<QQq", place, symbol << 32 | kind, addend))

    # Writing.

    def write(self, file: BinaryIO) -> None:
        """Fills the tables and writes everything."""
        names = [*self.outside, *self.library.exports]
        self._fill(self.loader_at, b"".join(self.for_loader))
        self._fill(self.symbols_at, self._symbol_table(names))
        self._fill(self.hash_at, _hash_table(names))
        self._fill(self.strings_at, bytes(self.strings))
        dynamic = [(_NEEDED, string) for string in self.needed_strings] + [
            (_HASH, self.hash_at), (_STRINGS, self.strings_at), (_STRINGS_SIZE, len(self.strings)), (_SYMBOL_TABLE, self.symbols_at),
            (_SYMBOL_SIZE, 24), (_RELA_AT, self.loader_at), (_RELA_BYTES, 24 * len(self.for_loader)), (_RELA_SIZE, 24),
            (_LOAD_AT, self.functions_at), (_LOAD_BYTES, 8), (_UNLOAD_AT, self.functions_at + 8), (_UNLOAD_BYTES, 8),
            (_BIND_NOW, 0), (0, 0),
        ]  # fmt: skip
        self._fill(self.dynamic_at, b"".join(struct.pack("<qQ", *entry) for entry in dynamic))
        size = sum(map(len, self.library.blob))
        if size:
            self.segments.append((_LOAD, _READ | _WRITABLE, self.blob_at, size, _PAGE))
        self.segments.append((_DYNAMIC, _READ | _WRITABLE, self.dynamic_at, 16 * len(dynamic), 8))
        self.segments.append((_STACK, _READ | _WRITABLE, 0, 0, 16))
        self._fill(0, self._headers())
        file.write(self.image)
        for piece in self.library.blob:
            file.write(piece)

    def _fill(self, address: int, content: bytes) -> None:
        self.image[address : address + len(content)] = content

    def _symbol_table(self, names: Sequence[str]) -> bytes:
        table = bytes(24)
        for name, string in zip(names, self.name_strings, strict=True):
            if name in self.own:
                # There are no section headers; the loader asks only whether the section's number is 0.
                table += struct.pack("<IBBHQQ", string, GLOBAL << 4 | _FUNCTION, 0, 1, self.defined[name], 0)
            else:
                binding = WEAK if name in self.library.weak else GLOBAL
                table += struct.pack("<IBBHQQ", string, binding << 4, 0, UNDEFINED, 0, 0)
        return table

    def _headers(self) -> bytes:
        segments = sorted(self.segments, key=lambda s: (s[0] != _LOAD, s[2]))
        assert len(segments) <= _SEGMENTS
        numbers = (SHARED, X86_64, 1, 0, _HEADER, 0, 0, _HEADER, _SEGMENT, len(segments), 0, 0, 0)
        header = MAGIC.ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", *numbers)
        for kind, flags, address, size, alignment in segments:
            header += struct.pack("<IIQQQQQQ", kind, flags, address, address, address, size, size, alignment)
        return header


def _hash_table(names: Sequence[str]) -> bytes:
    """The symbols by the hash of their names (System V's), chained in buckets."""
    count = 1 + len(names)
    buckets, chains = [0] * count, [0] * count
    for number, name in enumerate(names, 1):
        value = 0
        for byte in name.encode():
            value = (value << 4) + byte
            high = value & 0xF0000000
            value = (value ^ high >> 24) & ~high
        chains[number] = buckets[value % count]
        buckets[value % count] = number
    return struct.pack(f"<{2 + 2 * count}I", count, count, *buckets, *chains)
