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
from collections.abc import Callable

from .elf import (
    ABSOLUTE,
    ADDRESS,
    ALLOC,
    DISTANCE,
    EXECUTE,
    LOCAL,
    NO_BITS,
    NO_RELOCATION,
    RELA,
    RESERVED,
    TLS,
    UNDEFINED,
    WRITE,
    Section,
    UnsupportedObject,
    bytes_at,
    elf_symbols,
    sections_of,
)

_FRAMES, _TERMINATOR = ".eh_frame", 4  # the unwinder stops at a zero word after the frames
_PAGE = mmap.PAGESIZE
_READ_WRITE, _READ, _READ_EXECUTE = 3, 1, 5
_PRIVATE_ANONYMOUS = 0x22

Resolve = Callable[[str], int]


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
        sections = sections_of(content)
        starts, groups, total = _placed(sections)
        base = _reserve(total)
        frames: list[int] = []  # what the unwinder knows
        weakref.finalize(self, _free, base, total, frames).atexit = False  # at exit, other threads may still run code
        for number, start in starts.items():
            section = sections[number]
            if section.kind != NO_BITS:
                ctypes.memmove(base + start, bytes_at(content, section.offset, section.size), section.size)
        addresses = {number: base + start for number, start in starts.items()}
        symbols, self._defined = _read_symbols(content, sections, addresses, resolve)
        for section in sections:
            if section.kind == RELA and section.info in addresses:
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


def _placed(sections: list[Section]) -> tuple[dict[int, int], list[tuple[int, int, int]], int]:
    """Where each section lies that the code needs; the ranges of pages with their protection; the bytes of all."""
    starts: dict[int, int] = {}
    groups = []
    position = 0
    for flags, protection in ((EXECUTE, _READ_EXECUTE), (0, _READ), (WRITE, _READ_WRITE)):
        first = position
        for number, section in enumerate(sections):
            if not section.flags & ALLOC or section.flags & (WRITE | EXECUTE) != flags or not section.size:
                continue
            if section.flags & TLS or section.alignment > _PAGE:
                raise UnsupportedObject(f"the section {section.name}")
            position += -position % section.alignment
            starts[number] = position
            position += section.size + (_TERMINATOR if section.name == _FRAMES else 0)
        position += -position % _PAGE
        if position > first:
            groups.append((first, position, protection))
    if any(s.flags & ALLOC and s.flags & WRITE and s.flags & EXECUTE for s in sections) or not position:
        raise UnsupportedObject("code that is writable, or no code")
    return starts, groups, position


def _read_symbols(
    content: bytes, sections: list[Section], addresses: dict[int, int], resolve: Resolve
) -> tuple[list[int | str], dict[str, int]]:
    """The address of each symbol by its number, or the reason why it has none; the addresses by name of the symbols for others."""
    found: list[int | str] = []
    defined: dict[str, int] = {}
    for name, binding, section, value in elf_symbols(content, sections):
        if section == ABSOLUTE:
            found.append(value)
        elif section == UNDEFINED:
            found.append((resolve(name) or f"the process has no {name}") if name else "a symbol without a name")
        elif section >= RESERVED or section not in addresses:
            found.append(f"the symbol {name} lies in no section with memory")
        else:
            found.append(addresses[section] + value)
            if binding != LOCAL:
                defined[name] = addresses[section] + value
    return found, defined


def undefined_symbols(content: bytes) -> list[str]:
    """The names of the symbols that an object needs from others. Raises UnsupportedObject."""
    return [name for name, _, section, _ in elf_symbols(content, sections_of(content)) if name and section == UNDEFINED]


def _relocate(content: bytes, section: Section, target: Section, base: int, symbols: list[int | str]) -> None:
    for offset, info, addend in struct.iter_unpack("<QQq", bytes_at(content, section.offset, section.size)):
        kind, symbol = info & 0xFFFFFFFF, symbols[info >> 32]
        if kind == NO_RELOCATION:
            continue
        if isinstance(symbol, str):
            raise UnsupportedObject(symbol)
        if kind not in (ADDRESS, DISTANCE) or not 0 <= offset <= target.size - 8:
            raise UnsupportedObject(f"a relocation of kind {kind}")
        address = base + offset
        value = symbol + addend - (address if kind == DISTANCE else 0)
        ctypes.memmove(address, struct.pack("<Q", value & 0xFFFFFFFFFFFFFFFF), 8)
