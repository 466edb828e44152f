"""Saves the indices of max pools in a byte each: where in its window the largest element is, instead of where in the image."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...torch_internals.operators import given_arguments
from .joint_nodes import new_value

aten = torch.ops.aten
_POOLS = {aten.max_pool2d_with_indices.default: 2, aten.max_pool3d_with_indices.default: 3}
_GRADIENTS = {aten.max_pool2d_with_indices_backward.default, aten.max_pool3d_with_indices_backward.default}
_LARGEST = 127  # of a byte
_INHERITED = ("stack_trace", "nn_module_stack", "partitioner_tag")


@dataclass(frozen=True)
class PoolAxis:
    """One spatial dimension of a pool: its size, the number of windows, and their kernel size (`taps`), stride, padding and dilation."""

    size: int
    windows: int
    taps: int
    stride: int
    padding: int
    dilation: int


def narrow_pool_indices(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
    """Replaces the indices of max pools among what the forward saves, if only the pools' gradients read them, and the caller does not get
    them. Changes both graphs in place."""
    output = forward.graph.output_node()
    outputs = list(output.args[0])
    arguments = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    results = {n for n in outputs[:num_fwd_outputs] if isinstance(n, fx.Node)}
    changed = False
    for number in range(num_fwd_outputs, len(outputs)):
        node = outputs[number]
        argument = arguments.get(node.name) if isinstance(node, fx.Node) else None
        axes = None if argument is None or node in results else _axes(node)
        if argument is None or axes is None or not argument.users or any(u.target not in _GRADIENTS for u in argument.users):
            continue
        with forward.graph.inserting_before(node.next):  # at the end of the graph, a kernel would keep the image until then
            outputs[number] = _narrowed(node, axes)
        with backward.graph.inserting_before(next(n for n in backward.graph.nodes if n in argument.users)):
            _widen(argument, outputs[number], axes)
        changed = True
    if changed:
        output.args = (type(output.args[0])(outputs),)
        for graph_module in (forward, backward):
            graph_module.recompile()


def _axes(node: fx.Node) -> list[PoolAxis] | None:
    """The dimensions of the pool whose indices `node` is; None if it is something else, its sizes are symbolic or its windows too large."""
    if node.target is not operator.getitem or node.args[1] != 1 or node.args[0].target not in _POOLS:
        return None
    pool = node.args[0]
    rank = _POOLS[pool.target]
    given = given_arguments(pool.target, pool.args, pool.kwargs)
    sizes, windows = given["self"].meta["val"].shape[-rank:], node.meta["val"].shape[-rank:]
    if not all(isinstance(s, int) for s in (*sizes, *windows)) or math.prod(sizes) >= 2**31:
        return None
    taps = _each(given["kernel_size"], rank)
    stride = _each(given.get("stride") or taps, rank)
    padding, dilation = _each(given.get("padding", 0), rank), _each(given.get("dilation", 1), rank)
    if math.prod(taps) > _LARGEST:
        return None
    return [PoolAxis(*axis) for axis in zip(sizes, windows, taps, stride, padding, dilation, strict=True)]


def _each(value: int | Sequence[int], rank: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * rank if len(values) == 1 else values


class _Writer:
    """Inserts operators at the graph's insertion point, with the source lines of `node`. Their names begin with `name`, which the other
    graph must not use: a name in both graphs stands for a value that the backward computes again."""

    def __init__(self, node: fx.Node, name: str) -> None:
        self.graph, self.value, self.name = node.graph, node.meta["val"], name
        self.meta = {k: node.meta[k] for k in _INHERITED if k in node.meta}

    def call(self, target: torch._ops.OpOverload, *args: Any, **kwargs: Any) -> fx.Node:
        """A call of an operator, with its fake result."""
        node = self.graph.create_node("call_function", target, args, kwargs, self.name)
        node.meta = dict(self.meta)
        node.meta["val"] = new_value(node, self.value)
        return node

    def starts(self, axis: PoolAxis, dims_after: int) -> fx.Node:
        """The first element of each window along `axis`, for indices that have `dims_after` dimensions after it."""
        end = axis.stride * axis.windows - axis.padding
        found = self.call(aten.arange.start_step, -axis.padding, end, axis.stride, dtype=torch.int32, device=self.value.device)
        return self.call(aten.view.default, found, [axis.windows, *[1] * dims_after]) if dims_after else found

    def coordinates(self, number: fx.Node, sizes: Sequence[int]) -> list[fx.Node]:
        """The coordinates of elements of a tensor of these sizes, from their row-major numbers."""
        found, rest = [], self.call(aten._to_copy.default, number, dtype=torch.int32)
        for size in reversed(sizes[1:]):
            found.append(self.call(aten.remainder.Scalar, rest, size))
            rest = self.call(aten.div.Scalar_mode, rest, size, rounding_mode="floor")
        return [rest, *reversed(found)]

    def number(self, coordinates: Sequence[fx.Node], sizes: Sequence[int], dtype: torch.dtype) -> fx.Node:
        """The row-major numbers of elements of a tensor of these sizes, from their coordinates."""
        found = coordinates[0]
        for coordinate, size in zip(coordinates[1:], sizes[1:], strict=True):
            found = self.call(aten.add.Tensor, self.call(aten.mul.Scalar, found, size), coordinate)
        return self.call(aten._to_copy.default, found, dtype=dtype)


def _narrowed(indices: fx.Node, axes: list[PoolAxis]) -> fx.Node:
    """The number of each element in its window, in bytes."""
    write, taps = _Writer(indices, "place_in_window"), []
    for number, (axis, place) in enumerate(zip(axes, write.coordinates(indices, [a.size for a in axes]), strict=True)):
        tap = write.call(aten.sub.Tensor, place, write.starts(axis, len(axes) - 1 - number))
        taps.append(tap if axis.dilation == 1 else write.call(aten.div.Scalar_mode, tap, axis.dilation, rounding_mode="floor"))
    return write.number(taps, [a.taps for a in axes], torch.int8)


def _widen(argument: fx.Node, narrow: fx.Node, axes: list[PoolAxis]) -> None:
    """Makes an argument of the backward the bytes `narrow`, and gives its users the indices."""
    users = list(argument.users)
    argument.meta["val"] = narrow.meta["val"]
    argument.meta.pop("tensor_meta", None)
    write, places = _Writer(argument, "place_in_image"), []
    for number, (axis, tap) in enumerate(zip(axes, write.coordinates(argument, [a.taps for a in axes]), strict=True)):
        tap = tap if axis.dilation == 1 else write.call(aten.mul.Scalar, tap, axis.dilation)
        places.append(write.call(aten.add.Tensor, tap, write.starts(axis, len(axes) - 1 - number)))
    index = write.number(places, [a.size for a in axes], torch.int64)
    for user in users:
        user.replace_input_with(argument, index)
