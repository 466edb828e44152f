"""From an op's location to the file and line in the user's program."""

import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass

from torch_mlir import ir

_MODULE_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"(:\d)?')  # a file's name is followed by its line
_FILE_POSITION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


@dataclass(frozen=True)
class SourcePosition:
    """A position in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def text(self) -> str:
        """The line, without indentation; empty if the file can't be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def with_text(self) -> str:
        """File, line number and the line's text."""
        return f"{self.file}:{self.line}: {self.text}".rstrip(": ")


def position(location: ir.Location) -> SourcePosition | None:
    """The first file position in `location`, however nested; None if there is none."""
    return next(positions(location), None)


def at_position(location: ir.Location) -> str:
    """` at FILE:LINE (TEXT)` for a message; empty if the location has no file position."""
    found = position(location)
    return f" at {found.file}:{found.line} ({found.text})" if found else ""


def positions(location: ir.Location) -> Iterator[SourcePosition]:
    """All file positions in `location`: several in the fused location of a kernel that computes several operators."""
    for found in _FILE_POSITION.finditer(str(location)):
        yield SourcePosition(found[1], int(found[2]), int(found[3]))


def module_names(location: ir.Location) -> tuple[str, ...]:
    """The paths of the modules in whose `forward` a location lies, such as `layers.0.linear`."""
    return tuple(dict.fromkeys(name.removeprefix("L.") for name, line in _MODULE_NAME.findall(str(location)) if not line))
