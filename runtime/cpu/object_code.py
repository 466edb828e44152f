"""Loads relocatable object code (ELF, x86-64) into the process, without LLVM: what the compiler's engine wrote in another process.

LLVM's large code model needs two kinds of relocations alone: the 64-bit address of a symbol, and the 64-bit distance to one. Everything
else is refused with `UnsupportedObject`, so that the caller compiles instead.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import struct
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# ELF's numbers.
_MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian, version 1
_RELOCATABLE, _X86_64 = 1, 62
_SYMBOLS, _RELA, _NO_BITS, _REL = 2, 4, 8, 9  # kinds of sections
_WRITE, _ALLOC, _EXECUTE, _TLS = 1, 2, 4, 0x400  # flags of sections
_UNDEFINED, _ABSOLUTE, _RESERVED = 0, 0xFFF1, 0xFF00  # section numbers of symbols
_LOCAL = 0
_NONE, _ADDRESS, _DISTANCE = 0, 1, 24  # relocations: R_X86_64_NONE, _64, _PC64

_FRAMES, _TERMINATOR = ".eh_frame", 4  # the unwinder stops at a zero word after the frames
_PAGE = mmap.PAGESIZE
_READ_WRITE, _READ, _READ_EXECUTE = 3, 1, 5
_PRIVATE_ANONYMOUS = 0x22

Resolve = Callable[[str], int]


class UnsupportedObject(Exception):
    """Object code that this loader does not take: damaged, for another machine, or with a symbol that the process does not have."""


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


class LoadedObject:
    """Object code in memory, which is freed with the last reference to it."""

    def __init__(self, content: bytes, resolve: Resolve) -> None:
        """`resolve`: the address of a symbol that the object does not define, 0 if there is none. Raises UnsupportedObject."""
        try:
            self._load(content, resolve)
        except (struct.error, ValueError, IndexError, UnicodeDecodeError) as error:
            raise UnsupportedObject(f"damaged object code: {error}") from error

    def address(self, name: str) -> int:
        """The address of a symbol that the object defines. Raises UnsupportedObject."""
        if name not in self._defined:
            raise UnsupportedObject(f"the object code has no {name}")
        return self._defined[name]

    def names(self) -> list[str]:
        """The symbols that the object defines for others."""
        return list(self._defined)

    def _load(self, content: bytes, resolve: Resolve) -> None:
        sections = _sections(content)
        starts, groups, total = _placed(sections)
        base = _reserve(total)
        frames: list[int] = []  # what the unwinder knows
        weakref.finalize(self, _free, base, total, frames).atexit = False  # at exit, other threads may still run code
        for number, start in starts.items():
            section = sections[number]
            if section.kind != _NO_BITS:
                ctypes.memmove(base + start, _part(content, section.offset, section.size), section.size)
        addresses = {number: base + start for number, start in starts.items()}
        symbols, self._defined = _read_symbols(content, sections, addresses, resolve)
        for section in sections:
            if section.kind == _RELA and section.info in addresses:
                _relocate(content, section, sections[section.info], addresses[section.info], symbols)
        for start, end, protection in groups:
            if _memory().mprotect(base + start, end - start, protection):
                raise UnsupportedObject("the system refuses to make memory executable")
        for number in addresses:
            if sections[number].name == _FRAMES:
                _unwinder()[0](addresses[number])  # as LLVM's own loader does
                frames.append(addresses[number])


@functools.cache
def _memory() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library


@functools.cache
def _unwinder() -> list[Callable[[int], None]]:
    """The functions that make the frames of functions known, and that forget them."""
    try:
        library = ctypes.CDLL("libgcc_s.so.1")
        found = [getattr(library, name) for name in ("__register_frame", "__deregister_frame")]
    except (OSError, AttributeError) as error:
        raise UnsupportedObject(f"the system has no unwinder: {error}") from error
    for function in found:
        function.argtypes, function.restype = [ctypes.c_void_p], None
    return found


def _free(base: int, size: int, frames: list[int]) -> None:
    for address in frames:
        _unwinder()[1](address)
    _memory().munmap(base, size)


def _reserve(size: int) -> int:
    found = _memory().mmap(None, size, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
    if found is None or found == ctypes.c_void_p(-1).value:
        raise UnsupportedObject("no memory for object code")
    address: int = found
    return address


def _part(content: bytes, offset: int, size: int) -> bytes:
    found = content[offset : offset + size]
    if len(found) != size:
        raise ValueError("it is cut short")
    return found


def _text(content: bytes, offset: int) -> str:
    return content[offset : content.index(b"\0", offset)].decode()


def _sections(content: bytes) -> list[_Section]:
    kind, machine = struct.unpack_from("<HH", content, 16)
    if not content.startswith(_MAGIC) or kind != _RELOCATABLE or machine != _X86_64:
        raise UnsupportedObject("no relocatable object code for x86-64")
    (table,) = struct.unpack_from("<Q", content, 40)
    size, count, names = struct.unpack_from("<HHH", content, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", content, table + number * size) for number in range(count)]
    strings = headers[names][4]
    return [
        _Section(_text(content, strings + h[0]), h[1], h[2], h[4], h[5], h[6], h[7], max(h[8], 1)) for h in headers
    ]  # fmt: skip


def _placed(sections: list[_Section]) -> tuple[dict[int, int], list[tuple[int, int, int]], int]:
    """Where each section lies that the code needs; the ranges of pages with their protection; the bytes of all."""
    starts: dict[int, int] = {}
    groups = []
    position = 0
    for flags, protection in ((_EXECUTE, _READ_EXECUTE), (0, _READ), (_WRITE, _READ_WRITE)):
        first = position
        for number, section in enumerate(sections):
            if not section.flags & _ALLOC or section.flags & (_WRITE | _EXECUTE) != flags or not section.size:
                continue
            if section.flags & _TLS or section.alignment > _PAGE:
                raise UnsupportedObject(f"the section {section.name}")
            position += -position % section.alignment
            starts[number] = position
            position += section.size + (_TERMINATOR if section.name == _FRAMES else 0)
        position += -position % _PAGE
        if position > first:
            groups.append((first, position, protection))
    if any(s.flags & _ALLOC and s.flags & _WRITE and s.flags & _EXECUTE for s in sections) or not position:
        raise UnsupportedObject("code that is writable, or no code")
    return starts, groups, position


def _read_symbols(
    content: bytes, sections: list[_Section], addresses: dict[int, int], resolve: Resolve
) -> tuple[list[int | str], dict[str, int]]:
    """The address of each symbol by its number, or the reason why it has none; the addresses by name of the symbols for others."""
    found: list[int | str] = []
    defined: dict[str, int] = {}
    for name, binding, section, value in _symbols(content, sections):
        if section == _ABSOLUTE:
            found.append(value)
        elif section == _UNDEFINED:
            found.append((resolve(name) or f"the process has no {name}") if name else "a symbol without a name")
        elif section >= _RESERVED or section not in addresses:
            found.append(f"the symbol {name} lies in no section with memory")
        else:
            found.append(addresses[section] + value)
            if binding != _LOCAL:
                defined[name] = addresses[section] + value
    return found, defined


def _symbols(content: bytes, sections: list[_Section]) -> Iterator[tuple[str, int, int, int]]:
    """Name, binding, section number and value of each symbol."""
    table = next((s for s in sections if s.kind == _SYMBOLS), None)
    if table is None:
        raise UnsupportedObject("no symbols")
    strings = sections[table.link].offset
    for name, info, _, section, value, _ in struct.iter_unpack("<IBBHQQ", _part(content, table.offset, table.size)):
        yield _text(content, strings + name), info >> 4, section, value


def undefined_symbols(content: bytes) -> list[str]:
    """The names of the symbols that an object needs from others. Raises UnsupportedObject."""
    return [name for name, _, section, _ in _symbols(content, _sections(content)) if name and section == _UNDEFINED]


def _relocate(content: bytes, section: _Section, target: _Section, base: int, symbols: list[int | str]) -> None:
    for offset, info, addend in struct.iter_unpack("<QQq", _part(content, section.offset, section.size)):
        kind, symbol = info & 0xFFFFFFFF, symbols[info >> 32]
        if kind == _NONE:
            continue
        if isinstance(symbol, str):
            raise UnsupportedObject(symbol)
        if kind not in (_ADDRESS, _DISTANCE) or not 0 <= offset <= target.size - 8:
            raise UnsupportedObject(f"a relocation of kind {kind}")
        address = base + offset
        value = symbol + addend - (address if kind == _DISTANCE else 0)
        ctypes.memmove(address, struct.pack("<Q", value & 0xFFFFFFFFFFFFFFFF), 8)
