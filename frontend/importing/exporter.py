"""Converts a module of the `aten` dialect to an FX GraphModule of ATen operators."""

from __future__ import annotations

import operator
from typing import Any

import sympy
import torch
from torch import fx
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from torch_mlir import ir

from ...bridge.operators import operator_of, to_torch
from ...bridge.symbol_nodes import SymbolNodes
from ...bridge.tensor_types import tensor_info
from ...dialects import aten, aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.aten_schema import Argument, Schema
from ...dialects.host import argument_attributes
from ...dialects.narrowing import text
from ...errors import UnsupportedGraph
from ...passes.analysis.alias_analysis import shared
from ...passes.analysis.node_identity import merged_meta, node_names
from ...torch_internals.fake_tensors import detect_fake_mode
from ...torch_internals.fx_graphs import make_graph_module
from ...torch_internals.tensors import storage_id
from .importer import ImportedGraph


def export_graph(imported: ImportedGraph) -> fx.GraphModule:
    """The graph of `imported.module`, however passes changed it. Nodes that still exist keep their name and `meta`."""
    return _Exporter(imported).run()


class _Exporter:
    def __init__(self, imported: ImportedGraph) -> None:
        self.imported = imported
        self.graph = fx.Graph()
        self.root = torch.nn.Module()
        self.env: dict[ir.Value, Any] = {}
        self.sizes = SymbolNodes(self.graph)
        self.fake_mode = detect_fake_mode([m.get("val") for m in imported.metas.values()])

    def run(self) -> fx.GraphModule:
        function = next(op for op in self.imported.module.body.operations if text(op.attributes["sym_name"]) == "graph")
        block = function.regions[0].blocks[0]
        constants = iter(self.imported.constants)
        for argument, known in zip(block.arguments, argument_attributes(function), strict=True):
            self.env[argument] = self._argument(argument, known, constants)
        for op in block.operations:
            self._operation(op, function)
        return make_graph_module(self.root, self.graph)

    def _argument(self, argument: ir.BlockArgument, known: Any, constants: Any) -> fx.Node:
        name = known["aten.name"].value if "aten.name" in known else f"arg{argument.arg_number}"
        # A result of `frozen.py` is an input.
        constant = next(constants, None) if "aten.constant" in known else None
        if constant is not None:
            target = known["aten.constant"].value
            self.root.register_buffer(target.replace(".", "_"), constant, persistent=False)
            node = self.graph.create_node("get_attr", target.replace(".", "_"), name=name)
        else:
            node = self.graph.placeholder(name)
            node.name = name
        node.meta = dict(self.imported.metas.get(name, {}))
        if isinstance(argument.type, ir.RankedTensorType):
            info = TensorInfo.of(argument.type)
            self.sizes.bind_tensor(node, info.sizes, info.strides)
        elif "aten.symbol" in known:
            self.sizes.bind(aten.symbol(known["aten.symbol"].value), node)
        elif "aten.expr" in known:
            self.sizes.bind(aten.size_of(known["aten.expr"]), node)
        return node

    def _operation(self, op: ir.OpView, function: ir.OpView) -> None:
        name = op.operation.name
        if name == "func.return":
            self._output(op, function)
        elif name == "aten.sym_value":
            self.env[op.results[0]] = self.sizes.node(aten.size_of(op.attributes["expr"]))
        elif name != "aten.number":
            self._operator(op)

    def _operator(self, op: ir.OpView) -> None:
        schema = aten_ops.schema(op)
        args, kwargs = self._call_arguments(op, schema)
        names = list(node_names(op))
        node = self.graph.create_node("call_function", operator_of(schema), args, kwargs, name=names[0] if names else None)
        results = aten_ops.results(op)
        metas = [self.imported.metas[name] for name in names if name in self.imported.metas]
        if len(metas) == 1 and _agrees(metas[0].get("val"), results) and self._lies_as(op, metas[0]["val"]):
            node.meta = dict(metas[0])
        else:
            node.meta = {**merged_meta(metas), **self._new_meta(node)}
        if len(schema.returns) == 1:
            self._bind(results[0], node)
            return
        for index, result in enumerate(results):
            self._bind_item(result, node, index)

    def _lies_as(self, op: ir.OpView, value: Any) -> bool:
        """Whether a node's `meta["val"]` shares storage with its operands as the op's results do: it may belong to another op."""
        given = {v: _storage(self.env[v].meta["val"]) for v in op.operands if v in self.env}
        sources = [given.get(operand) for _, operand, _ in shared(op)]
        found = [_storage(v) for v in (value if isinstance(value, (tuple, list)) else [value])]
        return all(s in sources if sources else s not in given.values() for s in found if s is not None)

    def _bind(self, result: Any, node: fx.Node) -> None:
        """Binds `result`: a value, or the values of a list."""
        if isinstance(result, ir.Value):
            self.env[result] = node
            return
        for index, value in enumerate(result):
            self._bind_item(value, node, index)

    def _bind_item(self, result: Any, node: fx.Node, index: int) -> None:
        values = result if isinstance(result, list) else [result]
        if not any(_used(v) for v in values):
            return
        item = self.graph.call_function(operator.getitem, (node, index))
        item.meta = {**node.meta, "val": node.meta["val"][index]}
        self._bind(result, item)

    def _call_arguments(self, op: ir.OpView, schema: Schema) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, without trailing defaults."""
        values = aten_ops.arguments(op)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        rest: list[Argument] = []
        for argument in schema.arguments:
            value = values[argument.name]
            if not argument.is_tensor and argument.has_default and value == argument.default and type(value) is type(argument.default):
                rest.append(argument)
                continue
            node = self._argument_node(to_torch(value, argument))
            if argument.keyword_only:
                kwargs[argument.name] = node
                continue
            args += [to_torch(a.default, a) for a in rest if not a.keyword_only]
            rest = [a for a in rest if a.keyword_only]
            args.append(node)
        return tuple(args), kwargs

    def _argument_node(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._argument_node(v) for v in value]
        if isinstance(value, ir.Value):
            return self.env[value]
        return self.sizes.node(value) if isinstance(value, sympy.Expr) else value

    def _new_meta(self, node: fx.Node) -> dict[str, Any]:
        """The `meta` of a node that the imported graph did not have: the results of its operator for the arguments' values."""
        args, kwargs = fx.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
        with self.fake_mode:
            try:
                return {"val": node.target(*args, **kwargs)}
            except GuardOnDataDependentSymNode:
                raise UnsupportedGraph(
                    f"a new call of {node.target}, of which PyTorch does not know the result for unbacked sizes"
                ) from None

    def _output(self, op: ir.OpView, function: ir.OpView) -> None:
        outputs = aten.outputs_of(function, op.operands)
        node = self.graph.output(tuple(self.env[o] if isinstance(o, ir.Value) else o for o in outputs))
        node.meta = dict(self.imported.metas.get(node.name, {}))


def _storage(value: Any) -> int | None:
    return storage_id(value) if isinstance(value, torch.Tensor) else None


def _used(value: ir.Value) -> bool:
    return next(iter(value.uses), None) is not None


def _agrees(value: Any, results: list[Any]) -> bool:
    """Whether a node's `meta["val"]` still describes the op's results."""
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    flat = [r for result in results for r in (result if isinstance(result, list) else [result])]
    return len(values) == len(flat) and all(_describes(v, r.type) for v, r in zip(values, flat, strict=True))


def _describes(value: Any, type_: ir.Type) -> bool:
    return tensor_info(value).type() == type_ if isinstance(value, torch.Tensor) else not isinstance(type_, ir.RankedTensorType)
