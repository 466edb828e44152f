"""An ATen FX graph, as AOTAutograd hands it over, becomes a module of the `aten` dialect."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy
import torch
from torch import fx
from torch_mlir import ir

from ...bridge import symbols
from ...bridge.opaque_calls import OpaqueCall
from ...bridge.tensor_types import check_known_symbols, tensor_info
from ...dialects import aten, aten_ops
from ...dialects.aten import Size, TensorInfo
from ...dialects.aten_schema import Argument, Schema
from ...dialects.requirements import Condition, add_requirements, decided
from ...dialects.symbolic_floats import is_float_expression
from ...errors import RefusedArguments, UnsupportedGraph
from ...passes.analysis.node_identity import NODE
from ...passes.analysis.saved_values import TANGENTS
from ...torch_internals.aot import makes_views_by_offset
from ...torch_internals.fake_tensors import FakeTensor
from ...torch_internals.trees import tree_leaves
from ..calling.number_conditions import argument_conditions, division_conditions, float_conditions, size_conditions
from ..calling.size_guards import asserted_condition, check_condition, is_condition_node, symbols_in_sizes, unbacked_inputs
from ..decompositions.foreach import USED
from ..joint.joint_nodes import is_tangent
from .canonical_arguments import canonicalize, plain_argument
from .function_attributes import alias_groups, copied_onto_arguments, joint_attributes, symbol_attribute
from .given_symbols import computed_sizes, given_symbols
from .locations import Locations, reasons_at
from .opaque_nodes import HIDDEN, OpaqueNode, attribute, is_opaque_node, nested
from .storage_offsets import StorageOffsets, begins_anywhere
from .subgraph_bodies import SubgraphBody
from .untrue_metadata import check_metadata


@dataclass
class ImportedGraph:
    """The module, and what a module can't hold: the constant tensors (the last arguments of `@graph`), the nodes' `meta`, the opaque
    calls, and the subgraphs that these run."""

    module: ir.Module
    constants: list[torch.Tensor]
    metas: dict[str, dict[str, Any]] = field(repr=False)
    calls: list[OpaqueCall] = field(default_factory=list, repr=False)
    bodies: list[SubgraphBody] = field(default_factory=list, repr=False)


def import_graph(graph_module: fx.GraphModule, joint: bool = False) -> ImportedGraph:
    """Imports a graph into the current context (`dialects.context.compile_context`). `joint`: forward and backward in one.

    Raises UnsupportedGraph, with the reason, for what the dialect can't express.
    """
    return _Importer(graph_module, joint).run()


class _Importer:
    def __init__(self, graph_module: fx.GraphModule, joint: bool) -> None:
        self.graph_module, self.joint = graph_module, joint
        self.env: dict[fx.Node, Any] = {}
        self.locations = Locations()
        self.constants: dict[str, torch.Tensor] = {}
        self.metas: dict[str, dict[str, Any]] = {}
        self.offsets = StorageOffsets()
        self.seen: set[sympy.Symbol] = set()
        self.measured: set[Size] = set()  # sizes and strides of tensors
        self.conditions: list[Condition] = []
        self.asserted: list[Condition | None] = []
        self.ordered: list[str] = []
        self.calls: list[OpaqueCall] = []
        self.bodies: list[SubgraphBody] = []
        self.unbacked = unbacked_inputs(graph_module.graph)
        self.shape_env: Any = None
        self.function_attributes: dict[str, ir.Attribute] = {}
        self.result_types: list[ir.Type] = []
        self.placeholders = list(graph_module.graph.find_nodes(op="placeholder"))
        self.get_attrs = [n for n in graph_module.graph.find_nodes(op="get_attr") if self._is_constant(n)]
        self.inputs = [*self.placeholders, *self.get_attrs]

    def run(self) -> ImportedGraph:
        module = ir.Module.create()
        argument_types, argument_attributes = self._arguments()
        attributes = {"sym_name": ir.StringAttr.get("graph"), "function_type": ir.TypeAttr.get(ir.FunctionType.get(argument_types, []))}
        function = ir.Operation.create("func.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module.body))
        block = function.regions[0].blocks.append(*argument_types)
        for node, argument in zip(self.inputs, block.arguments, strict=True):
            self.env.setdefault(node, argument)
            self.offsets.note_input(argument, node.meta.get("val"), self.placeholders)
        with ir.InsertionPoint(block):
            for node in [n for n in self.graph_module.graph.nodes if n.op not in ("placeholder", "get_attr")]:
                with reasons_at(node):
                    self._node(node)
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(argument_types, self.result_types))
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(argument_attributes)
        function.attributes["aten.stage"] = ir.StringAttr.get("functional")
        function.attributes["aten.symbols"] = self._symbols()
        function.attributes["aten.io_writes"] = copied_onto_arguments(block)
        if self.ordered:
            function.attributes["aten.io_order"] = ir.ArrayAttr.get([ir.StringAttr.get(name) for name in self.ordered])
        if self.joint:
            tangents = [n for n, node in enumerate(self.inputs) if is_tangent(node)]
            function.attributes[TANGENTS] = ir.ArrayAttr.get([aten.size_attr(n) for n in tangents])
        if torch.are_deterministic_algorithms_enabled():
            function.attributes["aten.deterministic"] = ir.UnitAttr.get()
        for name, value in self.function_attributes.items():
            function.attributes[name] = value
        if not self.joint:  # the forward and backward of a joint graph are imported again, and get the requirements then
            self._require(function)
        return ImportedGraph(module, list(self.constants.values()), self.metas, self.calls, self.bodies)

    # Arguments.

    def _arguments(self) -> tuple[list[ir.Type], list[ir.Attribute]]:
        types: list[ir.Type] = []
        attributes: list[ir.Attribute] = []
        for node in self.placeholders:
            type_, extra = self._placeholder(node)
            types.append(type_)
            attributes.append(ir.DictAttr.get({"aten.name": ir.StringAttr.get(node.name), **extra}))
        for node in self.get_attrs:
            tensor = self._constant(node)
            types.append(tensor_info(tensor).type())
            attributes.append(ir.DictAttr.get({"aten.name": ir.StringAttr.get(node.name), "aten.constant": ir.StringAttr.get(node.target)}))
        return types, attributes

    def _placeholder(self, node: fx.Node) -> tuple[ir.Type, dict[str, ir.Attribute]]:
        value = node.meta.get("val")
        self.metas[node.name] = node.meta
        if value is None:
            self.env[node] = None
            return ir.NoneType.get(), {}
        if isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool):
            self.env[node] = expression = self._size(value)
            return ir.IndexType.get(), symbol_attribute(expression)
        if isinstance(value, torch.SymBool):
            self.env[node] = expression = self._truth(value)
            return ir.IndexType.get(), symbol_attribute(expression)
        if isinstance(value, torch.SymFloat):
            self.env[node] = expression = self._number(value)
            return ir.F64Type.get(), {"aten.expr": aten.size_attr(expression)}
        return self._tensor_type(value, None if begins_anywhere(value, self.placeholders) else 0), {}

    def _is_constant(self, node: fx.Node) -> bool:
        """Whether a `get_attr` node is a constant of the graph, not a subgraph."""
        if not isinstance(attribute(self.graph_module, node), fx.GraphModule):
            return True
        if self.joint:
            raise UnsupportedGraph("a subgraph of a higher-order operator")
        self.env[node] = HIDDEN
        return False

    def _constant(self, node: fx.Node) -> torch.Tensor:
        value = attribute(self.graph_module, node)
        if not isinstance(value, torch.Tensor) or isinstance(value, FakeTensor):
            raise UnsupportedGraph(f"a constant of type {type(value).__name__}")
        self.metas[node.name] = node.meta
        self.constants[node.name] = value
        return value

    # Types and sizes.

    def _size(self, value: int | torch.SymInt) -> Size:
        if isinstance(value, torch.SymInt):
            self.shape_env = value.node.shape_env
        size = symbols.size_from_torch(value)
        self._see([size])
        return size

    def _truth(self, condition: torch.SymBool) -> Size:
        """A condition on sizes as an expression with the value 0 or 1."""
        number = symbols.number_from_condition(condition)
        self.shape_env = condition.node.shape_env
        self._see([number])
        return number

    def _number(self, value: Any) -> Any:
        """A PyTorch float as an expression; any other value unchanged."""
        if not isinstance(value, torch.SymFloat):
            return value
        number = symbols.float_from_torch(value)
        if not isinstance(number, float):
            self.shape_env = value.node.shape_env
            self.seen |= number.free_symbols
            self.conditions += float_conditions(number)
        return number

    def _tensor_type(self, value: Any, start: Size | None = 0) -> ir.Type:
        """The type of a tensor from a node's `meta["val"]`, or from an element of it; `start`: see `StorageOffsets.start`."""
        if value is None:
            return ir.NoneType.get()
        if isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool):
            return ir.IndexType.get()
        info = tensor_info(value)
        if self.shape_env is None and isinstance(value, FakeTensor):
            self.shape_env = value.fake_mode.shape_env
        if start is None or start != 0:
            info = replace(info, offset=0 if start is None else info.offset - start)
        self._see([*info.sizes, *info.strides, info.offset])
        self.measured.update(info.sizes, info.strides)
        return info.type()

    def _see(self, sizes: Sequence[Size]) -> None:
        check_known_symbols(sizes, self.unbacked)
        for size in sizes:
            if not isinstance(size, int):
                self.seen |= size.free_symbols

    def _symbols(self) -> ir.Attribute:
        """The ranges of the symbols. Raises UnsupportedGraph for a symbol that a call can't know: it is not the value, a size or a stride
        of an input, and no input has a size that is a multiple of it plus a number."""
        missing = self.seen - set(given_symbols(self.env[n] for n in self.placeholders))
        if self.joint:
            missing -= computed_sizes(self.seen, [self.env[n] for n in self.placeholders if not is_tangent(n)])
        if missing:
            raise UnsupportedGraph(f"the symbols {sorted(map(str, missing))} are not among the sizes of the inputs")
        facts = symbols.symbol_facts(self.shape_env, {s.name for s in self.seen}, symbols_in_sizes(self.graph_module.graph))
        self.conditions += size_conditions(self.measured, facts, self.joint)
        i64 = ir.IntegerType.get_signless(64)
        return ir.DictAttr.get({n: ir.ArrayAttr.get([ir.IntegerAttr.get(i64, v) for v in vs]) for n, vs in facts.items()})

    def _require(self, function: ir.Operation) -> None:
        """Adds the conditions to the graph's requirements, except those that always hold, and what the graph asserts."""
        add_requirements(function, [c for c in self.asserted if c is not None and c.free_symbols <= self.seen])
        for condition in self.conditions:
            holds = decided(condition, function)
            assumed = any(map(symbols.is_unbacked, condition.free_symbols)) if holds is False and condition != sympy.false else False
            if holds is False and not assumed:
                raise UnsupportedGraph(f"the condition {condition} is false for the integer arguments of this call")
            if not holds:
                add_requirements(function, [condition])

    # Nodes.

    def _node(self, node: fx.Node) -> None:
        if node.op == "output":
            self._output(node)
        elif node.op != "call_function":
            raise UnsupportedGraph(f"a node of kind {node.op}")
        elif node.target is operator.getitem:
            self._getitem(node)
        elif isinstance(node.meta.get("val"), (int, torch.SymInt)) and not isinstance(node.meta["val"], bool):
            self.env[node] = self._size(node.meta["val"])
            self.conditions += division_conditions(node)
        elif isinstance(node.meta.get("val"), (float, torch.SymFloat)):
            self.env[node] = node.meta["val"]  # made an expression at its use: most are only converted to an integer
            self.conditions += division_conditions(node)
        elif is_condition_node(node):
            check_condition(node)  # not imported: checked before each call
            self.asserted.append(asserted_condition(node))
        elif isinstance(node.meta.get("val"), (bool, torch.SymBool)):
            self.env[node] = HIDDEN
        elif is_opaque_node(node):
            self._opaque(node)
        elif node.target is USED:
            return  # a marker of `decompositions/foreach.py`: its operands are imported by their own nodes
        elif isinstance(node.target, torch._ops.OpOverload):
            self._operator(node, node.target)
        else:
            raise UnsupportedGraph(f"a call of {getattr(node.target, '__name__', node.target)}")

    def _getitem(self, node: fx.Node) -> None:
        source, index = node.args
        value = node.meta.get("val")
        self.env[node] = self._size(value) if isinstance(value, (int, torch.SymInt)) else self.env[source][index]

    def _operator(self, node: fx.Node, target: torch._ops.OpOverload) -> None:
        schema = aten_ops.declare(target)
        if schema is None:
            raise UnsupportedGraph(f"{target}: its schema has types that the dialect doesn't know")
        self._check_mutation(node, schema)
        value = node.meta.get("val")
        returned = [] if not schema.returns else [value] if len(schema.returns) == 1 else list(value)
        arguments = dict(self._operator_arguments(node, schema))
        conditions = argument_conditions(schema.name, arguments)
        if False in conditions:
            raise RefusedArguments(f"eager refuses the arguments of {schema.name} (`{node.name}`)")
        self.conditions += conditions
        self.offsets.check_alignment(schema, arguments)
        self.conditions += self.offsets.shift(schema, arguments)
        viewed = self.offsets.viewed(schema, arguments)
        start = self.offsets.start(viewed)
        types = [
            [self._tensor_type(v, start) for v in r] if s.is_list else self._tensor_type(r, start)
            for s, r in zip(schema.returns, returned, strict=True)
        ]
        infos = _infos(types)
        check_metadata(schema, node, infos)
        canonicalize(schema, arguments, _infos(arguments.values()), infos)
        self.metas[node.name] = node.meta
        location = self.locations.of(node.meta)
        self.ordered += [node.name] if schema.ordered else []
        extra = {NODE: ir.StringAttr.get(node.name), **(joint_attributes(node) if self.joint else {})}
        op = aten_ops.create(schema.name, arguments, types, loc=location, extra=extra)
        results = aten_ops.results(op)
        self.env[node] = results[0] if len(results) == 1 else results
        self.offsets.note(op, viewed, value)

    def _opaque(self, node: fx.Node) -> None:
        """Imports a node that the dialect has no operator for, as an opaque call."""
        if self.joint:
            raise UnsupportedGraph(f"a call of {node.target}")
        opaque = OpaqueNode(self.graph_module, node, self.env, self._number)
        details = {"loc": self.locations.of(node.meta), "extra": {NODE: ir.StringAttr.get(node.name)}}
        call, op = opaque.create(lambda value: self._tensor_type(value, None), **details)
        self.calls.append(call)
        self.bodies += opaque.bodies
        self.metas[node.name] = node.meta
        value = node.meta["val"]
        leaves = tree_leaves(value)
        self.env[node] = nested(value, dict(zip(opaque.leaves, op.results, strict=True)), self._size)
        self.offsets.note(op, None, [leaves[n] for n in opaque.leaves])

    def _check_mutation(self, node: fx.Node, schema: Schema) -> None:
        if not schema.mutates:
            return
        if schema.name != "aten.copy_.default" or node.args[0].op != "placeholder":
            raise UnsupportedGraph(f"{schema.name} mutates a value of the graph")

    def _operator_arguments(self, node: fx.Node, schema: Schema) -> Iterator[tuple[str, Any]]:
        args, kwargs = node.args, node.kwargs
        if schema.base_name in ("sub", "rsub") and any(isinstance(n.meta.get("val"), torch.SymBool) for n in node.all_input_nodes):
            raise RefusedArguments(f"eager subtracts no booleans (`{node.name}`)")
        for index, argument in enumerate(schema.arguments):
            if index < len(args):
                given = args[index]
            elif argument.name in kwargs:
                given = kwargs[argument.name]
            else:
                continue
            yield argument.name, plain_argument(self._value(given, argument))

    def _value(self, given: Any, argument: Argument) -> Any:
        if isinstance(given, fx.Node):
            value = self._number(self.env[given])
            if value is HIDDEN and isinstance(given.meta["val"], torch.SymBool) and (argument.is_tensor or argument.kind == "Scalar"):
                return self._truth(given.meta["val"])  # in the place of a tensor or number a condition is the number 0 or 1
            if isinstance(value, ir.Value) and not argument.is_tensor:
                raise UnsupportedGraph(f"a tensor or number that depends on data as {argument.name}")
            return value
        if isinstance(given, (list, tuple)):
            return [self._value(g, argument) for g in given]
        return given

    def _output(self, node: fx.Node) -> None:
        (outputs,) = node.args
        self.metas[node.name] = node.meta
        operands: list[ir.Value] = []
        self._check_offsets(outputs)
        entries = [self._output_entry(o, operands) for o in outputs]
        ir.Operation.create("func.return", operands=operands)
        self.result_types = [o.type for o in operands]
        self.function_attributes["aten.outputs"] = ir.ArrayAttr.get(entries)
        returned = [o for o in outputs if isinstance(o, fx.Node) and not isinstance(self.env[o], (int, type(None)))]
        self.function_attributes["aten.io_aliases"] = alias_groups(self.inputs, returned)

    def _output_entry(self, output: Any, operands: list[ir.Value]) -> ir.Attribute:
        value = self._number(self.env[output]) if isinstance(output, fx.Node) else output
        if value is HIDDEN and isinstance(output.meta.get("val"), torch.SymBool):
            value = self._truth(output.meta["val"])
        if value is None:
            return aten.NoneValue.get()
        if isinstance(value, int) and not isinstance(value, bool):
            return aten.size_attr(value)
        if isinstance(value, sympy.Expr):
            type_ = ir.F64Type.get() if is_float_expression(value) else ir.IndexType.get()
            value = ir.Operation.create("aten.sym_value", [type_], attributes={"expr": aten.size_attr(value)}).result
        if not isinstance(value, ir.Value):
            raise UnsupportedGraph(f"an output of type {type(value).__name__}")
        operands.append(value)
        return aten.Operand.get(aten.size_attr(len(operands) - 1))

    def _check_offsets(self, outputs: Sequence[Any]) -> None:
        """Refuses an output that begins late in its real storage (`StorageOffsets`) if AOTAutograd makes the caller's view by offset."""
        values = [self.env[o] for o in outputs if isinstance(o, fx.Node)]
        if any(isinstance(v, ir.Value) and self.offsets.begins_late(v) for v in values) and makes_views_by_offset():
            raise UnsupportedGraph("an output with an offset in its storage, which AOTAutograd uses")


def _infos(values: Any) -> list[TensorInfo]:
    """The tensor types among values and types, which may be in lists."""
    flat = [v for value in values for v in aten_ops.listed(value)]
    types = [v.type if isinstance(v, ir.Value) else v for v in flat if isinstance(v, (ir.Value, ir.Type))]
    return [TensorInfo.of(t) for t in types if isinstance(t, ir.RankedTensorType)]
