"""Values that depend on a graph's parameters alone (`freezing=True`): computed when the parameters are first seen, and again when they
have changed.

A tensor has changed if another object is passed, if its version counter was raised (by any write except through `.data`), if its memory is
another, or if an optimizer that has it made a step: fused optimizers do not raise counters. One compiled graph may serve several modules:
each has its own constants.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch_mlir import ir

from ...dialects import aten, aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.narrowing import array, function_type, text
from ...lowering.launch.convert_to_host import graph_function
from ...passes.analysis.frozen_values import mark_frozen
from ...passes.freeze_parameters import ARGUMENTS, FUNCTION
from ...runner import Runner
from ...torch_internals.modes import outside_tracing
from ...torch_internals.tensors import version_of
from .exporter import export_graph
from .importer import ImportedGraph

_address = torch.Tensor.data_ptr

# Constants are kept for this many sets of parameters.
KEPT = 64
# All live parts, for the hook on optimizers' steps.
_parts: weakref.WeakSet[FrozenPart] = weakref.WeakSet()

# Operators whose operands must be finite: a weight that folding made infinite would give other values than eager.
_PRODUCTS = frozenset(aten_ops.op_name(f"aten.{n}.default") for n in ("convolution", "mm", "addmm", "bmm", "baddbmm"))


def mark_parameters(imported: ImportedGraph, static: Collection[int]) -> None:
    """Marks the arguments that are parameters and buffers."""
    mark_frozen(graph_function(imported.module), frozenset(static))


class NotFinite(Exception):
    """A weight is infinite or NaN: the graph must run as it is written."""


@dataclass
class _Kept:
    """Constants, and the state of the parameters that they were computed from. An entry is dropped when one of its `parameters` is."""

    parameters: list[weakref.ref[torch.Tensor]]
    addresses: list[int]
    versions: list[int]
    constants: list[torch.Tensor]


class FrozenPart:
    """The function `@frozen` of a module, as a callable on the graph's inputs."""

    def __init__(self, compute: fx.GraphModule, operands: list[int | torch.Tensor], infos: list[TensorInfo], weights: list[int]) -> None:
        """`operands`: numbers of the graph's inputs, or the graph's own tensors. `weights`: the results that must be finite."""
        self.compute, self.operands, self.infos, self.weights = compute, operands, infos, weights
        self.kept: dict[tuple[int, ...], _Kept] = {}
        _watch_optimizers()
        _parts.add(self)

    @staticmethod
    def take(imported: ImportedGraph) -> FrozenPart | None:
        """Takes the function out of the module; None if nothing is frozen."""
        module = imported.module
        function = next((op for op in module.body.operations if text(op.attributes["sym_name"]) == FUNCTION), None)
        if function is None:
            return None
        numbers = [int(aten.size_of(n)) for n in array(function.attributes[ARGUMENTS])]
        infos = [TensorInfo.of(t) for t in function_type(function).results]
        alone = ir.Module.create()
        copy = function.operation.clone(ir.InsertionPoint(alone.body))
        copy.attributes["sym_name"] = ir.StringAttr.get("graph")
        function.operation.erase()
        compute = export_graph(ImportedGraph(alone, [], imported.metas))
        for number, node in enumerate(compute.graph.output_node().args[0]):
            imported.metas[f"frozen_{number}"] = {"val": node.meta["val"]}
        arguments = list(graph_function(module).regions[0].blocks[0].arguments)
        inputs = len(arguments) - len(infos) - len(imported.constants)
        operands = [n if n < inputs else imported.constants[n - inputs] for n in numbers]
        return FrozenPart(compute, operands, infos, _weights(arguments[-len(infos) :]))

    def constants(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """The constants for the parameters among the graph's inputs. Raises NotFinite."""
        parameters = [inputs[n] if isinstance(n, int) else n for n in self.operands]
        key = tuple(map(id, parameters))
        kept = self.kept.get(key)
        addresses, versions = list(map(_address, parameters)), _versions(parameters)
        if kept is None or kept.addresses != addresses or kept.versions != versions:
            references = [weakref.ref(p, lambda _: self.kept.pop(key, None)) for p in parameters]
            kept = _Kept(references, addresses, versions, self._computed(parameters))
            self.kept.pop(key, None)
            if len(self.kept) >= KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = kept
        return kept.constants

    def _computed(self, parameters: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        with outside_tracing():
            made = self.compute(*parameters)
            memory = {p.untyped_storage().data_ptr() for p in parameters}
            constants = [_laid(t, info, memory) for t, info in zip(made, self.infos, strict=True)]
            if not all(bool(constants[n].isfinite().all()) for n in self.weights):
                raise NotFinite
        return constants


@functools.cache
def _watch_optimizers() -> None:
    register_optimizer_step_post_hook(_forget_stepped)


def _forget_stepped(optimizer: torch.optim.Optimizer, _args: Any, _kwargs: Any) -> None:
    """Drops the constants computed from parameters of an optimizer that has made a step."""
    stepped = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    for part in list(_parts):
        for key in [key for key in list(part.kept) if not stepped.isdisjoint(key)]:
            part.kept.pop(key, None)


def _versions(tensors: Sequence[torch.Tensor]) -> list[int]:
    """The version counters; tensors made in inference mode have none."""
    try:
        return list(map(version_of, tensors))
    except RuntimeError:
        return [0 if t.is_inference() else version_of(t) for t in tensors]


def _laid(tensor: torch.Tensor, info: TensorInfo, memory: set[int]) -> torch.Tensor:
    """The tensor in new memory, with the layout for which the graph was compiled."""
    if tensor.stride() == info.strides and tensor.storage_offset() == 0 and tensor.untyped_storage().data_ptr() not in memory:
        return tensor
    made = torch.empty_strided(tuple(info.sizes), tuple(info.strides), dtype=tensor.dtype, device=tensor.device)
    return made.copy_(tensor)


def _weights(arguments: Sequence[ir.Value]) -> list[int]:
    """The arguments that are operands of products."""
    return [n for n, a in enumerate(arguments) if any(use.owner.operation.name in _PRODUCTS for use in a.uses)]


def with_frozen(runner: Runner, part: FrozenPart, own: Sequence[torch.Tensor], unfrozen: Callable[[], Runner]) -> Runner:
    """The runner with its last arguments: the graph's `own` tensors, and the frozen values. If a weight would be infinite or NaN, the
    runner that `unfrozen` makes runs instead."""
    made: list[Runner] = []

    def run(inputs: list[Any]) -> Sequence[Any]:
        try:
            constants = part.constants(inputs)
        except NotFinite:
            if not made:
                made.append(unfrozen())
            return made[0](inputs)
        inputs.extend(own)
        inputs.extend(constants)
        return runner(inputs)

    return run
