"""Reduces a graph that a pass makes wrong to the smallest part that the pass still makes wrong: fewer operations, results and arguments.

First halves of the operations are left out, then quarters, down to single ones (delta debugging: Zeller and Hildebrandt, "Simplifying and
Isolating Failure-Inducing Input", 2002). What a missing operation gave becomes an argument, with the value that it had in the whole graph.
"""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch_mlir import ir

from ...dialects.aten import stage_of
from ...dialects.context import compile_context
from ...lowering.launch.convert_to_host import graph_function
from ...passes.driver import QUIET, PassFailed, run_passes
from ...runtime.build import build_runner
from ...runtime.reference.copies import copied
from ...runtime.reference.differences import compared
from ...runtime.reference.evaluate_graph import evaluate_every_value
from .culprits import Evaluation
from .graph_parts import Place, frontier, graph_part, removable, returned_places
from .outcomes import CallArguments, GraphOutcome, wrong_outcome

log = logging.getLogger(__name__)

SECONDS = 30.0  # the search ends then, with the smallest part so far


@dataclass(frozen=True)
class Reduced:
    """A part of a graph, as text with locations, and its arguments: inputs, then constants."""

    text: str
    values: list[Any]
    operations: int


class Reduction:
    """A search. `shows(module, sources)` says whether a part still shows the fault; the module is the test's own, `sources` are the values
    of the whole graph that its arguments are."""

    def __init__(self, text: str, shows: Callable[[ir.Module, Sequence[Place]], bool], seconds: float = SECONDS) -> None:
        self.text, self.shows, self.end = text, shows, time.monotonic() + seconds
        with compile_context():
            self.module = ir.Module.parse(text)
            self.kept, self.returned = removable(self._function), returned_places(self._function)
        self.sources: list[Place] = []

    @property
    def _function(self) -> ir.OpView:
        return graph_function(self.module)

    def run(self) -> str | None:
        """The smallest part that was found; None if not even the whole graph shows the fault as a part."""
        if not self._try(self.kept, self.returned):
            return None
        self._fewer_results()
        self._fewer_operations(len(self.kept))
        self._fewer_results()
        self._fewer_operations(1)
        with compile_context():
            part = graph_part(self.text, self.kept, self.returned)
            return str(part.module.operation.get_asm(enable_debug_info=True))

    def _try(self, kept: Collection[int], returned: Sequence[Place]) -> bool:
        """Keeps a part if it shows the fault."""
        if time.monotonic() > self.end:
            return False
        with compile_context() as context, _unprinted(context):
            try:
                part = graph_part(self.text, kept, returned)
                sources = list(part.arguments)
                if not self.shows(part.module, sources):
                    return False
            except Exception:
                log.debug("a part of a graph can't be run", exc_info=True)
                return False
        self.kept, self.returned, self.sources = sorted(kept), list(returned), sources
        return True

    def _without(self, gone: Collection[int]) -> bool:
        kept = [n for n in self.kept if n not in gone]
        with compile_context():
            returned = frontier(self._function, kept, self.returned)
        returned += [place for place in self.returned if place.operation < 0]
        return bool(kept) and self._try(kept, returned)

    def _fewer_operations(self, size: int) -> None:
        while size and time.monotonic() < self.end:
            removed = [self._without(chunk) for chunk in _chunks(self.kept, size)]
            if not any(removed):
                size //= 2

    def _fewer_results(self) -> None:
        """One result, if one is enough; else no result that is not needed."""
        if any(self._try(self.kept, [place]) for place in reversed(self.returned)):
            return
        for place in list(self.returned):
            self._try(self.kept, [p for p in self.returned if p != place])


@contextlib.contextmanager
def _unprinted(context: ir.Context) -> Iterator[None]:
    """MLIR's diagnostics for parts that break a rule are not printed."""
    handler = context.attach_diagnostic_handler(lambda _: True)
    try:
        yield
    finally:
        handler.detach()


def _chunks(numbers: Sequence[int], size: int) -> Iterator[list[int]]:
    for start in reversed(range(0, len(numbers), size)):
        yield list(numbers[start : start + size])


def reduce_wrong_graph(text: str, values: Sequence[Any], steps: Sequence[str], least: float, gradients: bool = False) -> Reduced | None:
    """The smallest part of a graph that `steps` make wrong. `values`: its arguments; `least`: passed to `wrong_value`; `gradients`: whether
    some of its results are gradients. None if the steps don't make the graph wrong when they run on it alone."""
    with compile_context():
        places = _values(text, CallArguments(values))
    raises = False

    def shows(module: ir.Module, sources: Sequence[Place]) -> bool:
        evaluation = Evaluation(CallArguments([places[s] for s in sources]), (), least)
        wanted = evaluation.of_module(module).copied()
        wanted = wanted.with_gradients() if gradients else wanted
        run_passes(module, steps, QUIET)
        found = _compiled(evaluation, module)
        return wanted.error is None and (found.error is not None) == raises and _is_wrong(wanted, found)

    search = Reduction(text, shows)
    found = search.run()
    if found is None:
        raises = True
        search = Reduction(text, shows)
        found = search.run()
    return Reduced(found, [places[s] for s in search.sources], len(search.kept)) if found is not None else None


def _compiled(evaluation: Evaluation, module: ir.Module) -> GraphOutcome:
    """The outcome of a module after passes; a launch sequence runs as native code."""
    if stage_of(graph_function(module)) != "host":
        return evaluation.of_module(module)
    return evaluation.of_runner(build_runner(module, QUIET))


def _is_wrong(wanted: GraphOutcome, found: GraphOutcome) -> bool:
    """Whether outcomes differ, by the measure of option `check` and by that of `mlirind-opt --run`."""
    if wrong_outcome(wanted, found) is None:
        return False
    if found.error is not None:
        return True
    pairs = zip((*wanted.results, *wanted.arguments), (*found.results, *found.arguments), strict=True)
    return any(compared(a, b)[1] for a, b in pairs)


def reduce_failing_graph(text: str, failure: PassFailed, seconds: float = SECONDS) -> Reduced | None:
    """The smallest part of a graph, the text in the failure's file, on which its pass fails in the same way."""
    options = replace(QUIET, verify_each=failure.verify_each)

    def shows(module: ir.Module, _sources: Sequence[Place]) -> bool:
        try:
            run_passes(module, failure.steps, options)
        except PassFailed as found:
            return found.step == failure.step and _numbered_alike(found.reason, failure.reason)
        return False

    search = Reduction(text, shows, seconds)
    found = search.run()
    return Reduced(found, [], len(search.kept)) if found is not None else None


def _numbered_alike(one: str, other: str) -> bool:
    """Whether texts are equal but for numbers: those of values change with the graph."""
    return re.sub(r"\d+", "0", one) == re.sub(r"\d+", "0", other)


def _values(text: str, arguments: CallArguments) -> dict[Place, Any]:
    """Every value of a graph, each as it was when it was made."""
    module = ir.Module.parse(text)
    function = graph_function(module)
    places: dict[Place, Any] = {Place(-1, n): value for n, value in enumerate(arguments.fresh())}
    given = arguments.fresh()
    with torch.no_grad():
        for number, results in evaluate_every_value(function, given):
            places |= {Place(number, n): copied([result])[0] for n, result in enumerate(results)}
    return places
