"""functorch's partition of a joint graph, as it is wanted here, without a change that another thread could see.

functorch's choice of what to save may name an operator that gives several tensors, marked as to be saved, where it means these: no tensor,
so the partition fails (PyTorch 2.13: below a budget of 1, where nothing else is left to choose from). The partition that is called here
is functorch's own code over a copy of its module's names, in which the choice is wrapped. A PyTorch whose partition does not call that
choice by its name gets a budget of 1 for such graphs: more is saved, nothing is wrong.
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

# What functorch's partition by min-cut calls to choose what is saved.
CHOICE = "choose_saved_values_set"
# functorch's settings were the process's before PyTorch made them the thread's.
_settings = threading.RLock()


def partition(
    joint_module: fx.GraphModule, inputs: Sequence[Any], *, kind: str, budget: float, num_fwd_outputs: int, static_indices: list[int] | None
) -> Partition:
    """The forward and the backward of a joint graph. `kind`: "min-cut" within `budget` (from 0 to 1), or "default"."""
    run: Callable[..., Partition] | None = default_partition if kind == "default" else min_cut()
    if run is None:
        run, budget = min_cut_partition, _budget_without_choice(joint_module.graph, budget)
    # functorch merges equal calls of several results, and so gives two results of the caller's one memory; `cse-aten` does not.
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
    """functorch's partition by min-cut with the choice of tensors alone; None where it does not call its choice as is known here."""
    function = min_cut_partition
    if not _choice_is_known or not _calls_choice(function):
        return None
    names = {**function.__globals__, CHOICE: _of_tensors(function.__globals__[CHOICE])}
    own = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    own.__kwdefaults__ = function.__kwdefaults__
    return own


def _of_tensors(choose: Callable[..., list[fx.Node]]) -> Callable[..., list[fx.Node]]:
    """The choice, with the results of an operator that gives several in its place."""

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
    """The budget at which functorch's own choice names tensors alone."""
    if budget == 1 or not any(_gives_several(n) and n.meta.get("recompute") == CheckpointPolicy.MUST_SAVE for n in graph.nodes):
        return budget
    log.warning("activation_memory_budget counts as 1 for a graph: this PyTorch would choose to save an operator of several results")
    return 1.0
