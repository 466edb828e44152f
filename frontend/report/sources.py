"""The user's source lines for the page: the functions that hold lines from which operators come."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...dialects.locations import SourcePosition

AROUND = 2  # lines shown around a line outside of functions
LONG = 120  # lines of a function; of a longer one, only the lines around those in use


@dataclass(frozen=True)
class SourceLine:
    """A line of a file; `number` 0 stands for lines left out. `used`: operators come from it."""

    number: int
    text: str
    used: bool


@dataclass(frozen=True)
class SourceFile:
    """The lines of a file that the page shows."""

    path: str
    lines: tuple[SourceLine, ...]


class Sources:
    """Gives each line of the program a key, such as `L0-12`: line 12 of file 0."""

    def __init__(self, positions: Iterable[SourcePosition]) -> None:
        self._used: dict[str, set[int]] = {}
        for position in positions:
            self._used.setdefault(position.file, set()).add(position.line)
        self._numbers = {path: number for number, path in enumerate(self._used)}

    def key(self, position: SourcePosition) -> str:
        """The key of a line."""
        return f"L{self._numbers[position.file]}-{position.line}"

    def keys(self, positions: Iterable[SourcePosition]) -> list[str]:
        """The keys of lines, each once."""
        return list(dict.fromkeys(map(self.key, positions)))

    @property
    def labels(self) -> Mapping[str, str]:
        """`model.py:12` for each key."""
        return {
            f"L{self._numbers[path]}-{line}": f"{path.rpartition('/')[2]}:{line}" for path, lines in self._used.items() for line in lines
        }

    def files(self) -> list[SourceFile]:
        """The files, in the order of their numbers."""
        return [SourceFile(path, tuple(_shown(path, used))) for path, used in self._used.items()]


def _shown(path: str, used: Collection[int]) -> Iterator[SourceLine]:
    lines = linecache.getlines(path)
    shown = _in_functions("".join(lines), used) | {n for line in used for n in range(line - AROUND, line + AROUND + 1)}
    last = 0
    for number in sorted(n for n in shown if 1 <= n <= len(lines) or n in used):
        if number != last + 1:
            yield SourceLine(0, "", False)
        yield SourceLine(number, lines[number - 1].rstrip("\n") if number <= len(lines) else "", number in used)
        last = number


def _in_functions(text: str, used: Collection[int]) -> set[int]:
    """The lines of the innermost functions around the lines in use."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    found: set[int] = set()
    for line in used:
        around = [(f.lineno, f.end_lineno or f.lineno) for f in functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
        first, last = max(around, default=(1, 0))
        found |= {first} if last - first >= LONG else set(range(first, last + 1))
    return found
