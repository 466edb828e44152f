"""A compiled graph that is compared with eager's results in each call."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Sequence
from typing import Any

from torch import fx
from torch_mlir import ir

from ...dialects.aten import outputs_of
from ...dialects.context import compile_context
from ...dialects.locations import position
from ...errors import WrongResult
from ...lowering.launch.convert_to_host import graph_function
from ...options import Options
from ...passes.snapshots import Snapshot
from ...runner import Runner
from ...runtime.reference.differences import least_share
from ...torch_internals.aot import boxed_function, mark_boxed
from ..importing.importer import ImportedGraph
from .culprits import IMPORTED, Culprit, Evaluation, find_culprit
from .outcomes import CallArguments, GraphOutcome, Wrong, wrong_outcome
from .reproducers import wrong_result

__all__ = ["IMPORTED", "checked"]

log = logging.getLogger(__name__)


class _Ordered(threading.local):
    """The number of graphs with effects that this thread has compiled for one captured graph."""

    graphs = 0


ordered = _Ordered()


def checked(
    runner: Runner,
    graph_module: fx.GraphModule,
    imported: ImportedGraph,
    snapshots: Sequence[Snapshot],
    options: Options,
    name: str,
    donated: Collection[int] = (),
) -> Runner:
    """The runner of a graph; each call also runs the graph in eager mode, on copies of the inputs, and raises WrongResult if the results,
    the inputs afterwards or the exceptions differ. Without option `check` it is the same runner. A graph with
    effects that AOTAutograd orders by tokens runs unchecked."""
    if not options.check:
        return runner
    if "aten.io_order" in graph_function(imported.module).attributes:
        ordered.graphs += 1
        log.warning("%s is not checked: it has effects, which a second run would repeat", name)
        return runner
    graph = _CheckedGraph(runner, graph_module, imported, snapshots, options, name, frozenset(donated))
    return mark_boxed(lambda inputs: graph.run(inputs))


class _CheckedGraph:
    def __init__(
        self,
        runner: Runner,
        graph_module: fx.GraphModule,
        imported: ImportedGraph,
        snapshots: Sequence[Snapshot],
        options: Options,
        name: str,
        donated: Collection[int],
    ) -> None:
        self.runner, self.snapshots, self.options, self.name, self.donated = runner, snapshots, options, name, donated
        self.eager = boxed_function(graph_module.forward)
        self.least = least_share(snapshots[0].text)
        self.constants, self.calls = list(imported.constants), imported.calls  # operators of opaque calls live as long as these

    def run(self, inputs: list[Any]) -> Sequence[Any]:
        """One call."""
        given = CallArguments(inputs)
        eager = GraphOutcome.of(self.eager, given.fresh(), self.least).copied()
        eager = eager.with_gradients() if "backward" in self.name else eager  # AOTAutograd's name for it
        given.restore_random()
        # A donated input that something else refers to is not written: only the others may be kept here.
        seen = [None if number in self.donated else value for number, value in enumerate(inputs)]
        results: Sequence[Any] = ()
        try:
            results = self.runner(inputs)
        except Exception as error:
            wrong = wrong_outcome(eager, GraphOutcome(error=error))
            if wrong is None:
                raise
            raise self._failure(wrong, given, eager) from error
        wrong = wrong_outcome(eager, GraphOutcome(tuple(results), tuple(seen)), self.donated)
        if wrong is not None:
            raise self._failure(wrong, given, eager)
        return results

    def _failure(self, wrong: Wrong, given: CallArguments, eager: GraphOutcome) -> WrongResult:
        said = f"graph {self.name} differs from eager: {wrong}{self._made_at(wrong)}"
        searched = self.options.check != "graphs"
        culprit = self._culprit(wrong, given, eager) if searched else None
        if searched and culprit is None:
            said += "\n  no single pass is wrong: two of them differ by rounding, or the call is to blame"
        return wrong_result(said, culprit, self.snapshots, self.name, given, self.constants, self.options)

    def _culprit(self, wrong: Wrong, given: CallArguments, eager: GraphOutcome) -> Culprit | None:
        try:
            return find_culprit(
                self.snapshots, Evaluation(given, self.constants, self.least), eager, wrong, self.options, tuple(self.donated)
            )
        except Exception:
            log.warning("the search for the culprit failed", exc_info=True)
            return None

    def _made_at(self, wrong: Wrong) -> str:
        """The operator that makes a result and its line."""
        if wrong.kind != "result" or wrong.number is None:
            return ""
        with compile_context():
            module = ir.Module.parse(self.snapshots[0].text)
            function = graph_function(module)
            ending = list(function.regions[0].blocks[0].operations)[-1]
            value = outputs_of(function, ending.operands)[wrong.number]
            if not isinstance(value, ir.OpResult):
                return ""
            found = position(value.owner.location)
            return f"\n  result {wrong.number} is made by {value.owner.name}" + (f" at {found.with_text}" if found else "")
