"""Calls functorch's partition of a joint graph with one change, without patching functorch, so that other threads see no change.

functorch's function `choose_saved_values_set` may return the node of an operator with several results, where it means the results. Such a
node is no tensor, so the partition fails (PyTorch 2.13: with a budget below 1, if nothing else is left to choose). So a copy of functorch's
partition function runs, in whose globals that function is wrapped: the wrapper returns the results. If a PyTorch does not call the function
by this name, the budget counts as 1 for such graphs: more is saved, and results stay right.
"""

from __future__ import annotations

import functools
import logging
import operator
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any

from torch import fx
from torch.utils.checkpoint import CheckpointPolicy

from .aot import config, default_partition, min_cut_partition
from .entries import fact

log = logging.getLogger(__name__)

Partition = tuple[fx.GraphModule, fx.GraphModule]

# The function by which functorch's min-cut partition chooses the saved values.
CHOICE = "choose_saved_values_set"
# In older versions of PyTorch functorch's settings are global, not per thread.
_settings = threading.RLock()


def partition(
    joint_module: fx.GraphModule, inputs: Sequence[Any], *, kind: str, budget: float, num_fwd_outputs: int, static_indices: list[int] | None
) -> Partition:
    """The forward and the backward of a joint graph. `kind`: "min-cut" within `budget` (from 0 to 1), or "default"."""
    run: Callable[..., Partition] | None = default_partition if kind == "default" else min_cut()
    if run is None:
        run, budget = min_cut_partition, _budget_without_choice(joint_module.graph, budget)
    # functorch's CSE merges equal calls with several results, so two results of the caller would share memory; `cse-aten` does not.
    with _settings, config.patch(activation_memory_budget=budget, graphsafe_rng_functionalization=False, cse=False):
        return run(joint_module, inputs, num_fwd_outputs=num_fwd_outputs, static_lifetime_input_indices=static_indices)


def _calls_choice(function: Any) -> bool:
    return isinstance(function, types.FunctionType) and CHOICE in function.__code__.co_names and CHOICE in function.__globals__


_choice_is_known = fact(
    f"{CHOICE} of functorch's partition by min-cut",
    "saves single results of operators that give several",
    "activation_memory_budget counts as 1 for graphs with such operators",
    lambda: _calls_choice(min_cut_partition),
)


def min_cut() -> Callable[..., Partition] | None:
    """functorch's min-cut partition, with a choice of tensors only; None if it does not call `CHOICE` by that name."""
    function = min_cut_partition
    if not _choice_is_known or not _calls_choice(function):
        return None
    names = {**function.__globals__, CHOICE: _of_tensors(function.__globals__[CHOICE])}
    own = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    own.__kwdefaults__ = function.__kwdefaults__
    return own


def _of_tensors(choose: Callable[..., list[fx.Node]]) -> Callable[..., list[fx.Node]]:
    """The choice, in which an operator with several results is replaced by its results."""

    @functools.wraps(choose)
    def tensors(*args: Any, **kwargs: Any) -> list[fx.Node]:
        found: dict[fx.Node, None] = {}
        for node in choose(*args, **kwargs):
            found.update(dict.fromkeys(_results(node) if _gives_several(node) else [node]))
        return list(found)

    return tensors


def _gives_several(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), (tuple, list))


def _results(node: fx.Node) -> list[fx.Node]:
    return [user for user in node.users if user.target is operator.getitem]


def _budget_without_choice(graph: fx.Graph, budget: float) -> float:
    """The budget with which functorch's own choice returns tensors only."""
    if budget == 1 or not any(_gives_several(n) and n.meta.get("recompute") == CheckpointPolicy.MUST_SAVE for n in graph.nodes):
        return budget
    log.warning("activation_memory_budget counts as 1 for a graph: this PyTorch would choose to save an operator of several results")
    return 1.0
