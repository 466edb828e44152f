"""The private names of PyTorch that the project uses (entries), each with its purpose and with what happens if a PyTorch lacks it."""

from __future__ import annotations

import functools
import importlib
import logging
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """A private name of PyTorch. `without`: what happens if it is missing; `probed`: how that is tested; `needed`: without it no graph is
    compiled; `module`: the file that registers it."""

    name: str
    purpose: str
    without: str
    found: bool
    probed: str
    needed: bool = False
    module: str = ""

    def __str__(self) -> str:
        return f"PyTorch lacks {self.name} ({self.purpose}): {self.without}"


_entries: dict[str, Entry] = {}
_hidden: set[str] = set()

NOTHING_COMPILES = "graphs run as PyTorch captured them, nothing is compiled"


def private(
    name: str,
    purpose: str,
    without: str,
    instead: Any = None,
    probe: Callable[[Any], bool] | None = None,
    older: Collection[str] = (),
    expected: bool = True,
) -> Any:
    """The object with this name; `instead` if there is none, or if `probe` returns False for it. `older`: its names in other versions; not
    `expected`: this build of PyTorch has no use for it. Registers the entry; a missing one is logged once."""
    if name in _entries:
        raise ValueError(f"{name} is registered twice")
    found = None if name in _hidden else next((o for o in map(_find, (name, *older)) if o is not None and _is_right(o, probe)), None)
    probed = "name" if probe is None else "name, and what it gives"
    _note(Entry(name, purpose, without, found is not None or not expected, probed, module=_caller()))
    return instead if found is None else found


def needed(name: str, purpose: str, instead: Any = None) -> Any:
    """The object with this name, without which no graph is compiled; `instead` if there is none, which is then never called."""
    found = None if name in _hidden else _find(name)
    _note(Entry(name, purpose, NOTHING_COMPILES, found is not None, "name", needed=True, module=_caller()))
    return instead if found is None else found


def fact(name: str, purpose: str, without: str, holds: Callable[[], bool]) -> bool:
    """Whether a property that has no name holds: the behaviour of a function, a number, a layout. An exception means that it does not.
    Registers the entry."""
    try:
        found = name not in _hidden and bool(holds())
    except Exception:
        log.debug("%s can't be asked", name, exc_info=True)
        found = False
    _note(Entry(name, purpose, without, found, "behaviour", module=_caller()))
    return found


def _caller() -> str:
    """The file of the module that calls the function which calls this one."""
    return f"{sys._getframe(2).f_globals['__name__'].rpartition('.')[2]}.py"


def _note(entry: Entry) -> None:
    _entries[entry.name] = entry
    if not entry.found:
        log.warning("%s", entry)


def _find(name: str) -> Any:
    first, *rest = name.split(".")
    try:
        return functools.reduce(_step, rest, (first, importlib.import_module(first)))[1]
    except (AttributeError, ImportError):
        return None


def _step(known: tuple[str, Any], part: str) -> tuple[str, Any]:
    path = f"{known[0]}.{part}"
    value = getattr(known[1], part, None)
    return path, value if value is not None else importlib.import_module(path)


def _is_right(value: Any, probe: Callable[[Any], bool] | None) -> bool:
    try:
        return probe is None or bool(probe(value))
    except Exception:
        log.debug("a probe failed", exc_info=True)
        return False


def boundary_entries() -> list[Entry]:
    """The entries of the modules that are imported, in order."""
    return list(_entries.values())


def missing() -> list[Entry]:
    """The entries that this PyTorch does not have."""
    return [entry for entry in _entries.values() if not entry.found]


def can_compile() -> bool:
    """Whether this PyTorch has every needed entry."""
    return all(entry.found for entry in _entries.values() if entry.needed)


def hide(*names: str) -> None:
    """Entries of these names are missing from now on: for tests, before the modules that have them are imported."""
    _hidden.update(names)
