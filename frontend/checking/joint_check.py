"""Compares a joint graph of forward and backward before and after the passes on it, on the inputs of each forward call."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import sympy
import torch
from torch import fx
from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ...dialects.context import compile_context
from ...dialects.host import argument_attributes
from ...dialects.narrowing import text
from ...lowering.launch.convert_to_host import graph_function
from ...options import Options
from ...passes.snapshots import Snapshot
from ...runner import Runner
from ...runtime.reference.differences import least_share
from ...runtime.reference.evaluate import empty_result
from ...torch_internals.aot import boxed_function, mark_boxed
from ...torch_internals.fx_graphs import make_graph_module
from .culprits import Evaluation, find_culprit
from .outcomes import CallArguments, GraphOutcome, wrong_outcome
from .reproducers import JOINT, wrong_result

log = logging.getLogger(__name__)


class JointCheck:
    """One joint graph. It is evaluated with random gradients of its results."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.snapshots: list[Snapshot] = []
        self.original: fx.GraphModule | None = None
        self.inputs: list[str] = []

    def keep(self, joint_module: fx.GraphModule) -> None:
        """Copies the graph before the passes."""
        graph = fx.Graph()
        graph.output(graph.graph_copy(joint_module.graph, {}))
        self.original = make_graph_module(joint_module, graph)

    def note(self, snapshots: list[Snapshot], forward: fx.GraphModule) -> None:
        """Records the states of the graph during the passes, and the inputs of the forward graph."""
        self.snapshots = snapshots
        self.inputs = [node.name for node in forward.graph.find_nodes(op="placeholder")]

    def checked(self, runner: Runner) -> Runner:
        """The runner of the forward graph, which compares the joint graph first."""

        def run(inputs: list[Any]) -> Sequence[Any]:
            if self.original is not None and self.snapshots:
                self._compare(inputs)
            return runner(inputs)

        return mark_boxed(run)

    def _compare(self, inputs: Sequence[Any]) -> None:
        assert self.original is not None
        try:
            state = torch.get_rng_state()
            given, constants = self._arguments(dict(zip(self.inputs, inputs, strict=True)))
            torch.set_rng_state(state)
            least = least_share(self.snapshots[0].text)
            evaluation = Evaluation(given, constants, least)
            eager = GraphOutcome.of(boxed_function(self.original.forward), given.fresh(), least).copied().with_gradients()
            last = evaluation.of_text(self.snapshots[-1].text)
        except Exception:
            log.debug("a joint graph is not checked", exc_info=True)
            return
        finally:
            torch.set_rng_state(state)
        wrong = wrong_outcome(eager, last)
        if wrong is None:
            return
        said = f"a joint graph of forward and backward differs from eager after the passes on it: {wrong}"
        searched = self.options.check != "graphs"
        culprit = find_culprit(self.snapshots, evaluation, eager, wrong, self.options) if searched else None
        raise wrong_result(said, culprit, self.snapshots, JOINT, given, constants, self.options)

    def _arguments(self, known: dict[str, Any]) -> tuple[CallArguments, list[torch.Tensor]]:
        """The arguments of the joint graph, and its constants. Raises KeyError if one is unknown."""
        assert self.original is not None
        with compile_context():
            module = ir.Module.parse(self.snapshots[0].text)
            function = graph_function(module)
            symbols: dict[str, int] = {}
            values: list[Any] = []
            constants: list[torch.Tensor] = []
            waiting: list[tuple[int, ir.Type]] = []
            for argument, notes in zip(function.regions[0].blocks[0].arguments, argument_attributes(function), strict=True):
                name = text(notes["aten.name"])
                if "aten.constant" in notes:
                    constants.append(getattr(self.original, text(notes["aten.constant"])))
                    continue
                value = known.get(name)
                if name in known and "aten.symbol" in notes:
                    symbols[text(notes["aten.symbol"])] = known[name]
                elif isinstance(value, torch.Tensor):
                    info = TensorInfo.of(argument.type)
                    sizes = zip((*info.sizes, *info.strides), (*value.shape, *value.stride()), strict=True)
                    symbols.update({size.name: actual for size, actual in sizes if isinstance(size, sympy.Symbol)})
                if name not in known and not name.startswith("tangents"):
                    raise KeyError(name)  # as a value that a call makes from data, which the passes see as an input
                if name not in known:
                    waiting.append((len(values), argument.type))
                values.append(value)
            for number, type_ in waiting:
                values[number] = empty_result(type_, symbols).normal_()
        return CallArguments(values), constants
