"""Replaces launches of users' Triton kernels by calls of operators that write: one operator for each kernel with its constants.

Dynamo captures a launch as `triton_kernel_wrapper_functional`, with numbers of the kernel and its constants in a table of PyTorch's. The
operator `mlirindtriton::<kernel>_<n>(Tensor(a0!) x, Tensor y, SymInt n, SymInt[] grid) -> ()` launches the same kernel through Triton,
autotuned if the user's is. What it writes is copied first only if something still needs it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...bridge.functional_forms import functional_form
from ...errors import UnsupportedGraph
from ...torch_internals.fake_tensors import detect_fake_mode
from ...torch_internals.fx_graphs import kernel_side_table, triton_kernel_wrapper

NAMESPACE = "mlirindtriton"
_library = torch.library.Library(NAMESPACE, "FRAGMENT")
_SCALARS = {bool: "bool", int: "SymInt", float: "float"}


def expand_triton_calls(graph_module: fx.GraphModule) -> None:
    """Rewrites the calls of a graph, in place."""
    for node in [n for n in graph_module.graph.nodes if n.target is triton_kernel_wrapper]:
        _expand(graph_module.graph, node)


@dataclass(frozen=True)
class _Launch:
    """The parts that all launches of an operator share. `arguments`: names of the kernel's arguments and their schema types; `fixed`:
    constants, and arguments that are neither tensors nor numbers; `grids`: the number of entries in each grid, one grid for each
    configuration."""

    kernel: int
    arguments: tuple[tuple[str, str], ...]
    fixed: tuple[tuple[str, Any], ...]
    grids: tuple[int, ...]

    def run(self, *values: Any) -> None:
        """Launches the kernel: `values` are the arguments, then all grids' numbers as one list."""
        kernel = kernel_side_table.get_kernel(self.kernel)
        given = dict(zip((name for name, _ in self.arguments), values, strict=False)) | dict(self.fixed)
        positional = []
        for name in kernel.arg_names:  # Triton's hooks of autotuned kernels want arguments by position
            if name not in given:
                break
            positional.append(given.pop(name))
        kernel[self._grid(kernel, values[-1])](*positional, **given)

    def _grid(self, kernel: Any, numbers: Sequence[int]) -> tuple[int, ...] | Callable[[dict[str, Any]], tuple[int, ...]]:
        grids = []
        for count in self.grids:
            grids.append(tuple(numbers[:count]))
            numbers = numbers[count:]
        return grids[0] if len(grids) == 1 else functools.partial(_grid_of_configuration, kernel.configs, grids)


def _grid_of_configuration(configs: Sequence[Any], grids: Sequence[tuple[int, ...]], meta: dict[str, Any]) -> tuple[int, ...]:
    """The grid for the configuration that an autotuned kernel runs with."""
    for config, grid in zip(configs, grids, strict=True):
        if all(meta.get(name) == value for name, value in config.kwargs.items()):
            return grid
    raise AssertionError("an autotuned kernel runs with a configuration that it does not have")


def _expand(graph: fx.Graph, node: fx.Node) -> None:
    given = node.kwargs
    if given["tma_descriptor_metadata"]:
        raise UnsupportedGraph("a Triton kernel with tensor descriptors")
    written = list(given["tensors_to_clone"])
    arguments: list[tuple[str, str]] = []
    fixed = list(kernel_side_table.get_constant_args(given["constant_args_idx"]).items())
    for name, value in given["kwargs"].items():
        kind = _schema_type(value)
        if kind is None:
            fixed.append((name, value))
        else:
            arguments.append((name, f"Tensor(a{len(arguments)}!)" if name in written else kind))
    grids = tuple(len(grid) for grid in given["grid"])
    made = _operator(_Launch(given["kernel_idx"], tuple(arguments), tuple(fixed), grids))
    values = [given["kwargs"][name] for name, _ in arguments]
    with graph.inserting_before(node):
        call = _call(graph, node, functional_form(made), (*values, [n for grid in given["grid"] for n in grid]))
        names = [name for name, kind in arguments if kind.endswith("!)")]
        results = {name: _call(graph, node, operator.getitem, (call, n)) if len(names) > 1 else call for n, name in enumerate(names)}
    for user in list(node.users):
        user.replace_all_uses_with(results[user.args[1]])
        graph.erase_node(user)
    graph.erase_node(node)


def _schema_type(value: Any) -> str | None:
    value = value.meta["val"] if isinstance(value, fx.Node) else value
    if isinstance(value, torch.Tensor):
        return "Tensor"
    return "SymInt" if isinstance(value, torch.SymInt) else _SCALARS.get(type(value))


@functools.cache
def _operator(launch: _Launch) -> torch._ops.OpOverload:
    kernel = kernel_side_table.get_kernel(launch.kernel)
    name = f"{getattr(kernel.fn, '__name__', 'kernel')}_{_operator.cache_info().misses}"
    arguments = ", ".join(f"{kind} a{n}" for n, (_, kind) in enumerate(launch.arguments))
    _library.define(f"{name}({arguments}{', ' if arguments else ''}SymInt[] grid) -> ()")
    _library.impl(name, launch.run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", lambda *values: None, lib=_library)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def _call(graph: fx.Graph, node: fx.Node, target: Any, args: tuple[Any, ...]) -> fx.Node:
    made = graph.call_function(target, args)
    made.meta = {k: v for k, v in node.meta.items() if k not in ("val", "tensor_meta")}
    values = fx.map_arg(made.args, lambda n: n.meta["val"])
    with detect_fake_mode([n.meta.get("val") for n in node.all_input_nodes]):
        made.meta["val"] = target(*values)
    return made
