"""What a run of a graph gives, and how two runs differ: results, written inputs, exceptions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ...runtime.reference.copies import copied
from ...runtime.reference.differences import NEGLIGIBLE, largest_element, wrong_value


class CallArguments:
    """The arguments of one call and the state of the CPU's random generator, for several runs."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = copied(values)
        self._state = torch.get_rng_state()

    def fresh(self) -> list[Any]:
        """New copies; the CPU's random generator is as it was before the call."""
        self.restore_random()
        return copied(self._values)

    def restore_random(self) -> None:
        """Sets the CPU's random generator to the state before the call."""
        torch.set_rng_state(self._state)


@dataclass(frozen=True)
class GraphOutcome:
    """Results and the arguments after the call, or an exception. `least` and `smallest`: passed to `wrong_value` when another outcome is
    compared with this one."""

    results: tuple[Any, ...] = ()
    arguments: tuple[Any, ...] = ()
    error: Exception | None = None
    least: float = 0.0
    smallest: float = 0.0

    @staticmethod
    def of(run: Callable[[list[Any]], Sequence[Any]], arguments: list[Any], least: float = 0.0) -> GraphOutcome:
        """Runs a function on a list of arguments."""
        try:
            with torch.no_grad():
                return GraphOutcome(tuple(run(list(arguments))), tuple(arguments), least=least)
        except Exception as error:
            return GraphOutcome(error=error, least=least)

    def with_gradients(self) -> GraphOutcome:
        """The same, with results of which some are gradients."""
        return replace(self, smallest=NEGLIGIBLE * largest_element(self.results))

    def copied(self) -> GraphOutcome:
        """The same in memory of its own."""
        values = copied([*self.results, *self.arguments])
        count = len(self.results)
        return GraphOutcome(tuple(values[:count]), tuple(values[count:]), self.error, self.least, self.smallest)


@dataclass(frozen=True)
class Wrong:
    """The first difference: the number of a result or an argument, or None for an exception, and what is wrong."""

    kind: str
    number: int | None
    problem: str

    def __str__(self) -> str:
        where = f"{self.kind} {self.number}" if self.number is not None else self.kind
        return f"{where}: {self.problem}"


def wrong_outcome(wanted: GraphOutcome, found: GraphOutcome, unread: Collection[int] = ()) -> Wrong | None:
    """The first difference between eager's outcome and another; None if there is none. `unread`: arguments that may hold anything after
    the call."""
    if wanted.error is not None or found.error is not None:
        if wanted.error is not None and isinstance(found.error, type(wanted.error)):
            return None
        given, eager = (f"{type(e).__name__}: {e}" if e is not None else "no exception" for e in (found.error, wanted.error))
        return Wrong("exception", None, f"{given}; eager: {eager}")
    if len(wanted.results) != len(found.results):
        return Wrong("results", None, f"{len(found.results)} in place of {len(wanted.results)}")
    for kind, one, other in (("result", wanted.results, found.results), ("input", wanted.arguments, found.arguments)):
        for number, (a, b) in enumerate(zip(one, other, strict=False)):
            problem = None if kind == "input" and number in unread else wrong_value(a, b, least=wanted.least, smallest=wanted.smallest)
            if problem is not None:
                return Wrong(kind, number, problem)
    return None
