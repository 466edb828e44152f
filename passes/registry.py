"""The passes by name. Registration is explicit and unique; a pass is a function on a module."""

import contextlib
import difflib
import functools
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from torch_mlir import ir

from ..errors import MlirindError
from ..pattern_registry import PROJECTS
from .pipeline import NAMED


@dataclass(frozen=True)
class Pass:
    """A registered pass: `run(module)` changes the module in place. `summary`: the first paragraph of its module's docstring; `identity`:
    see `mlirind/identities.py`, None if it has none."""

    name: str
    run: Callable[[ir.Module], None]
    summary: str
    identity: str | None = PROJECTS


Watcher = Callable[[Pass, ir.Module], None]
_Rule = TypeVar("_Rule", bound=Callable[..., Any])

_passes: dict[str, Pass] = {}
_watchers: list[Watcher] = []


def add_rule(rules: dict[str, _Rule], *names: str) -> Callable[[_Rule], _Rule]:
    """A decorator that enters a function into a pass's table of rules under these names; none of them may have a rule."""

    def register(rule: _Rule) -> _Rule:
        for name in names:
            assert name not in rules, f"{name} has two rules"
            rules[name] = rule
        return rule

    return register


def register_pass(name: str, run: Callable[[ir.Module], None], summary: str = "", identity: str | None = PROJECTS) -> None:
    """Registers `run` as the pass `name`; a second registration of a name raises. `summary`: the default is the first paragraph of the
    caller's docstring. `identity`: a user's pass has the one that the user gives, if any."""
    if not re.fullmatch(r"[A-Za-z_][\w.-]*", name):
        raise MlirindError(f"a pass can't be named {name!r}: a pipeline takes letters, digits and -, _ or . in a name")
    if name in _passes or name in NAMED:
        raise MlirindError(f"pass {name!r} is registered twice: choose another name")
    doc = summary or sys._getframe(1).f_globals["__doc__"] or ""
    _passes[name] = Pass(name, run, first_paragraph(doc), identity)


def first_paragraph(doc: str) -> str:
    """The text of a docstring up to its first empty line, as one line."""
    return " ".join(re.split(r"\n\s*\n", doc.strip())[0].split())


def passes() -> dict[str, Pass]:
    """All registered passes, by name."""
    return dict(_passes)


def identity_of(step: str) -> str | None:
    """The identity of a pass; None if it has none. A step that is no registered pass is MLIR's own."""
    return _passes[step].identity if step in _passes else PROJECTS


def is_registered(name: str) -> bool:
    """Whether there is a pass `name`."""
    return name in _passes


def find_pass(name: str) -> Pass:
    """The pass `name`; an unknown name raises with the closest ones."""
    if name in _passes:
        return _watched(_passes[name])
    close = difflib.get_close_matches(name, _passes, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "`mlirind-opt --list-passes` shows all"
    raise MlirindError(f"unknown pass {name!r}: {hint}")


@contextlib.contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Inside, every pass runs as `watcher(pass, module)`, which has to run it."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def _watched(found: Pass) -> Pass:
    for watcher in _watchers:
        found = replace(found, run=functools.partial(watcher, found))
    return found
