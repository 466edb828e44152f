"""The patterns by pass. Registration is explicit and unique."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .... import pattern_registry
from ....dialects.aten_names import mangle
from ....errors import MlirindError
from ....pattern_registry import note_change
from .pattern_needs import Needs, Present, needs_of

if TYPE_CHECKING:
    from torch_mlir import ir

    from .pattern_matching import Match

# Between the patterns of a text.
SEPARATOR = "\n// -----\n"
_NAME = re.compile(r"^module @(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Pattern:
    """A pattern as text. `needs`: what a graph must have; `check`: accepts or refuses a match; `exclusive`: inputs that nothing else in
    the graph may use; `converted`: PDL from a search function, not written by a user; `identity`: see `mlirind/identities.py`."""

    name: str
    pass_name: str
    text: str
    needs: Needs
    check: Callable[[Match], bool] | None = None
    exclusive: tuple[str, ...] = ()
    converted: bool = True
    identity: str | None = None

    def described(self) -> list[Any] | None:
        """What identifies the pattern in other processes; None if that is unknown."""
        return None if self.check is not None and self.identity is None else [self.text, self.exclusive, self.identity]


@dataclass(frozen=True, eq=False)
class Deferred:
    """A pattern that is traced when a graph first has what it `needs`. `trace()` returns its texts, several for one with gradients.
    `look()` raises MlirindError if the functions have changed since registration."""

    name: str
    pass_name: str
    needs: Needs
    trace: Callable[[], Sequence[str]]
    look: Callable[[], None]
    check: Callable[[Match], bool] | None = None
    exclusive: tuple[str, ...] = ()
    identity: str | None = None

    def described(self) -> list[Any] | None:
        """What identifies the pattern in other processes; None if that is unknown."""
        return None if self.identity is None else [self.name, self.exclusive, self.identity]

    @functools.cached_property
    def traced(self) -> list[Pattern]:
        """The patterns, traced once. Raises MlirindError if they can't be traced, or the name of one is taken."""
        found = [from_text(text, self.pass_name, self.check, self.exclusive, self.identity) for text in self.trace()]
        for pattern in found[1:]:
            if pattern.name in _patterns.get(self.pass_name, {}):
                raise MlirindError(
                    f"pattern {self.name!r} needs a variant named {pattern.name!r}, which is taken: rename that other pattern"
                )
        return found

    @functools.cached_property
    def unchanged(self) -> bool:
        """True, checked once. Raises MlirindError if the functions have changed."""
        self.look()
        return True


_patterns: dict[str, dict[str, Pattern | Deferred]] = pattern_registry.patterns


def add_pattern(pattern: Pattern | Deferred) -> None:
    """Registers a pattern; a second registration of its name for its pass raises."""
    note_change()
    of_pass = _patterns.setdefault(pattern.pass_name, {})
    if pattern.name in of_pass:
        raise MlirindError(f"pattern {pattern.name!r} is registered twice for pass {pattern.pass_name!r}: give it another name")
    of_pass[pattern.name] = pattern


@dataclass(frozen=True)
class Rewrite:
    """A Python function for the calls of one operator, by op name."""

    op_name: str
    run: Callable[[ir.Operation], ir.Value | None]
    identity: str | None = None

    @property
    def name(self) -> str:
        """What a user calls it."""
        return f"a rewrite of {self.op_name}"

    def described(self) -> list[Any] | None:
        """What identifies the function in other processes; None if that is unknown."""
        return None if self.identity is None else [self.op_name, self.identity]


_rewrites: dict[str, list[Rewrite]] = pattern_registry.rewrites


def add_rewrite(
    operator: str, run: Callable[[ir.Operation], ir.Value | None], pass_name: str, identity: str | None = pattern_registry.PROJECTS
) -> None:
    """Registers a function for the calls of `operator` (PyTorch's name). `identity`: a user's function has the one that the user gives, if
    any."""
    note_change()
    _rewrites.setdefault(pass_name, []).append(Rewrite(mangle(operator), run, identity))


def rewrites(pass_name: str) -> list[Rewrite]:
    """The functions of a pass, in the order of registration."""
    return list(_rewrites.get(pass_name, ()))


def remove(pass_name: str, name: str) -> None:
    """Forgets a pattern."""
    note_change()
    del _patterns[pass_name][name]


def remove_all(pass_name: str) -> None:
    """Forgets every pattern and function of a pass."""
    note_change()
    _patterns.pop(pass_name, None)
    _rewrites.pop(pass_name, None)


def patterns(pass_name: str) -> list[Pattern | Deferred]:
    """The patterns of a pass, in the order of registration."""
    return list(_patterns.get(pass_name, {}).values())


def possible(wanted: Sequence[Pattern | Deferred], graph: Present) -> list[Pattern]:
    """The patterns whose needs a graph fulfils, traced if they were not traced yet. Raises MlirindError if one can't be traced."""
    met = []
    for pattern in wanted:
        if pattern.needs.met_by(graph):
            met.append(pattern)
        elif isinstance(pattern, Deferred) and pattern.needs.without_numbers().met_by(graph):
            assert pattern.unchanged  # raises if the functions changed: the changed numbers may be in the graph
    traced = (t for p in met for t in (p.traced if isinstance(p, Deferred) else [p]))
    return [p for p in traced if p.needs.met_by(graph)]


def from_text(
    text: str,
    pass_name: str,
    check: Callable[[Match], bool] | None = None,
    exclusive: tuple[str, ...] = (),
    identity: str | None = None,
) -> Pattern:
    """The pattern of a module's text. Raises MlirindError if it is no pattern."""
    named = _NAME.search(text)
    if named is None or "func.func @search(" not in text or "func.func @replace(" not in text:
        raise MlirindError(f"no pattern as register_replacement gives it: {text[:80]!r}")
    return Pattern(named.group(1), pass_name, text, needs_of(text), check, exclusive, identity=identity)


def pdl_pattern(name: str, pass_name: str, text: str) -> Pattern:
    """A user's PDL. It may have several patterns, so it is unknown which operators all of them need."""
    return Pattern(name, pass_name, text, Needs(), converted=False)
