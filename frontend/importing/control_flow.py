"""What native code needs of a call of `cond`, `while_loop`, `scan` or `map`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ...bridge.opaque_calls import ControlFlow
from .subgraph_bodies import SubgraphBody


def control_flow(target: Any, call: fx.Node, root: torch.nn.Module, leaves: Sequence[int], is_random: bool) -> ControlFlow | None:
    """The description of the call of `target` in the graph of an opaque call, whose placeholders are its arguments, in order, and whose
    subgraphs are in `root`. `leaves`: the operator's result for each of the call's results. None if Python has to make the call."""
    if not isinstance(target, torch._ops.HigherOrderOperator) or target.name() not in _FORMS or call.kwargs:
        return None
    form: Form = _FORMS[target.name()](*call.args)
    subgraphs, groups, loops = form
    bodies = [getattr(root, str(node.target)) for node in subgraphs]
    numbers = {node: n for n, node in enumerate(call.graph.find_nodes(op="placeholder"))}
    given = [value for group in groups for value in group]
    complete = sorted(leaves) == list(range(len(leaves)))  # all results are tensors
    if not complete or not all(isinstance(b, SubgraphBody) for b in bodies) or not all(_is_plain(v, numbers) for v in given):
        return None
    places = sorted(range(len(leaves)), key=leaves.__getitem__)
    inputs = tuple((numbers[v],) if isinstance(v, fx.Node) else v for v in given)
    carried, sliced = (len(group) for group in groups[:2]) if loops else (0, 0)
    return ControlFlow(target.name(), tuple(bodies), inputs, carried, sliced, tuple(places), is_random)


def _is_plain(value: Any, numbers: dict[fx.Node, int]) -> bool:
    """Whether a value is an argument of the opaque call or an integer."""
    return value in numbers if isinstance(value, fx.Node) else isinstance(value, int) and not isinstance(value, bool)


# The subgraphs of a call, what it takes, and whether the first two groups of this are carried and sliced.
Form = tuple[Sequence[fx.Node], Sequence[Sequence[Any]], bool]


def _cond(predicate: Any, true: fx.Node, false: fx.Node, operands: Sequence[Any] = ()) -> Form:
    return (true, false), ((predicate,), operands), False


def _while(condition: fx.Node, body: fx.Node, carried: Sequence[Any], others: Sequence[Any] = ()) -> Form:
    return (condition, body), (carried, (), others), True


def _scan(body: fx.Node, carried: Sequence[Any], sliced: Sequence[Any], others: Sequence[Any] = ()) -> Form:
    return (body,), (carried, sliced, others), True


def _map(body: fx.Node, sliced: Sequence[Any], others: Sequence[Any] = ()) -> Form:
    return (body,), ((), sliced, others), True


_FORMS: dict[str, Callable[..., Form]] = {"cond": _cond, "while_loop": _while, "scan": _scan, "map_impl": _map}
