"""Conditions on the sizes of a graph's inputs: if one is false for a call, the graph runs through FX.

PyTorch assumes that an unbacked size is neither 0 nor 1, and adds what else it needs to the graph: `_assert_scalar` of comparisons.
Lowering rules state what else their kernels need, as requirements of the graph (`dialects/requirements.py`). All are checked before a
call, so no kernel runs on sizes that it was not made for, and FX raises what an assertion or an operator raises.
"""

from __future__ import annotations

import math
import operator
import re
from typing import Any

import sympy
import torch
from torch import fx
from torch_mlir import ir

from ...bridge.symbols import LEAST, expression_of, float_from_bits, is_unbacked, truth_from_data
from ...dialects.narrowing import text
from ...dialects.requirements import Condition, requirements, symbol_sources
from ...errors import UnsupportedGraph
from ...runtime.host.size_source import condition_source, from_bits_source
from ...torch_internals.fx_graphs import is_unbacked_float_symbol
from ...torch_internals.trees import tree_leaves

_ASSERT = torch.ops.aten._assert_scalar.default
_SIGNS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.floordiv: "//", operator.truediv: "/",
    operator.mod: "%", operator.pow: "**",
    operator.eq: "==", operator.ne: "!=", operator.ge: ">=", operator.gt: ">", operator.le: "<=", operator.lt: "<",
    operator.and_: "&", operator.or_: "|",
}  # fmt: skip
_OF_TENSORS = {
    torch.ops.aten.sym_size.int: "size", torch.ops.aten.sym_stride.int: "stride", torch.ops.aten.sym_numel.default: "numel",
}  # fmt: skip
_FUNCTIONS = {
    torch.sym_not: "not", torch.sym_max: "max", torch.sym_min: "min", operator.neg: "-", operator.abs: "abs", torch.sym_float: "float",
    math.trunc: "math.trunc", math.floor: "math.floor", math.ceil: "math.ceil", round: "round",
}  # fmt: skip


def unbacked_inputs(graph: fx.Graph) -> dict[str, str]:
    """The unbacked symbols that are inputs of a graph, or sizes of inputs, by name: the position of each in the list `inputs`."""
    found: dict[str, str] = {}
    values = {f"inputs[{number}]": node.meta.get("val") for node, number in _numbers(graph).items()}
    sizes = {f"{read}.size({d})": s for read, v in values.items() if isinstance(v, torch.Tensor) for d, s in enumerate(v.shape)}
    for read, value in (values | sizes).items():
        of_truth = truth_from_data(value) if isinstance(value, torch.SymBool) else None
        symbol = value.node.expr if isinstance(value, torch.SymInt) else of_truth
        if symbol is not None and is_unbacked(symbol):
            found.setdefault(symbol.name, read)
    return found


def symbols_in_sizes(graph: fx.Graph) -> set[str]:
    """The unbacked symbols in sizes and strides of a graph's tensors. Others are numbers, as positions are, and may be 0 or 1."""
    tensors = [v for node in graph.nodes for v in tree_leaves(node.meta.get("val")) if isinstance(v, torch.Tensor)]
    sizes = [s for t in tensors if t.layout == torch.strided for s in (*t.shape, *t.stride()) if isinstance(s, torch.SymInt)]
    return {symbol.name for size in sizes for symbol in size.node.expr.free_symbols if is_unbacked(symbol)}


def is_condition_node(node: fx.Node) -> bool:
    """Whether a node only computes a condition on sizes, for assertions."""
    if node.target is _ASSERT:
        return isinstance(node.args[0], fx.Node)
    return isinstance(node.meta.get("val"), (bool, torch.SymBool)) and all(is_condition_node(user) for user in node.users)


def check_condition(node: fx.Node) -> None:
    """Raises `UnsupportedGraph` for an assertion that depends on more than sizes of inputs."""
    if node.target is _ASSERT:
        _source(node.args[0], _numbers(node.graph))


def asserted_condition(node: fx.Node) -> Condition | None:
    """The condition of an assertion, if it compares integers; None for another node."""
    if node.target is not _ASSERT or not isinstance(node.args[0].meta.get("val"), torch.SymBool):
        return None
    relation = node.args[0].meta["val"].node.expr
    if not isinstance(relation, sympy.core.relational.Relational) or any(map(is_unbacked_float_symbol, relation.free_symbols)):
        return None
    return relation.func(*map(expression_of, relation.args))


def size_guards(graph_module: fx.GraphModule) -> list[str]:
    """The conditions on the list `inputs`, as Python expressions; empty for a graph without such sizes and assertions."""
    numbers = _numbers(graph_module.graph)
    sizes = symbols_in_sizes(graph_module.graph)
    least = [f"{read} >= {LEAST}" for name, read in unbacked_inputs(graph_module.graph).items() if name in sizes]
    asserted = [node.args[0] for node in graph_module.graph.find_nodes(op="call_function", target=_ASSERT)]
    return list(dict.fromkeys([*least, *(_source(node, numbers) for node in asserted if isinstance(node, fx.Node))]))


def requirement_guards(module: ir.Module) -> list[str]:
    """The requirements of a module's graph as conditions on the list `inputs`; empty if it has none."""
    function = next(op for op in module.body.operations if op.operation.name == "func.func" and text(op.attributes["sym_name"]) == "graph")
    conditions = requirements(function)
    sources = symbol_sources(function) if conditions else {}
    unknown = {s.name for c in conditions for s in c.free_symbols} - sources.keys()
    if unknown:
        raise UnsupportedGraph(f"no input gives the values of {sorted(unknown)}")
    return [re.sub(r"[A-Za-z_]\w*", lambda name: sources.get(name[0], name[0]), condition_source(c)) for c in conditions]


def copy_assertions(source: fx.Graph, target: fx.Graph) -> None:
    """Copies a graph's assertions on sizes to the start of a graph that was made from it and has the same input names."""
    inputs = {node.name: node for node in target.find_nodes(op="placeholder")}
    made = {node: inputs[node.name] for node in source.find_nodes(op="placeholder")}
    first = next(node for node in target.nodes if node.op != "placeholder")

    def copied(node: fx.Node) -> fx.Node:
        if node not in made:
            arguments = {argument: copied(argument) for argument in node.all_input_nodes}
            made[node] = target.node_copy(node, arguments.__getitem__)
        return made[node]

    with target.inserting_before(first):
        for node in source.find_nodes(op="call_function", target=_ASSERT):
            copied(node)


def _numbers(graph: fx.Graph) -> dict[fx.Node, int]:
    """The inputs, with their numbers."""
    return {node: number for number, node in enumerate(graph.find_nodes(op="placeholder"))}


def _source(value: Any, numbers: dict[fx.Node, int]) -> str:
    """A size, or a condition on sizes, as a Python expression of the inputs' values, not of symbols: PyTorch makes one symbol of two that
    are asserted to be equal."""
    if isinstance(value, (bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if not isinstance(value, fx.Node):
        raise UnsupportedGraph(f"an assertion on a {type(value).__name__}")
    if value in numbers and isinstance(value.meta.get("val"), (int, torch.SymInt, torch.SymFloat, torch.SymBool)):
        return f"inputs[{numbers[value]}]"
    if value.target in _OF_TENSORS and value.args[0] in numbers:
        return f"inputs[{numbers[value.args[0]]}].{_OF_TENSORS[value.target]}({', '.join(map(str, value.args[1:]))})"
    if value.target is torch.sym_sum:
        return f"({' + '.join(_source(part, numbers) for part in value.args[0])})"
    operands = [_source(argument, numbers) for argument in value.args]
    if value.target is torch.sym_ite:
        return f"({operands[1]} if {operands[0]} else {operands[2]})"
    if value.target is float_from_bits:
        return from_bits_source(operands[0])
    if value.target in _SIGNS:
        return f"({operands[0]} {_SIGNS[value.target]} {operands[1]})"
    if value.target in _FUNCTIONS:
        return f"{_FUNCTIONS[value.target]}({', '.join(operands)})"
    raise UnsupportedGraph(f"an assertion on what {value.target} gives")
