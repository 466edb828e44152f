"""An exported program as a graph that the compiler takes, and what surrounds the graph: inputs, constants, outputs."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument

from ...bridge.functional_forms import arguments_written_by_operator
from ...bridge.symbols import allow_one, symbol_facts
from ...errors import MlirindError, NotALibrary
from ...runtime.library.description import BUFFER, CPU, PARAMETER, TENSOR_CONSTANT, Dimension, Input
from ...torch_internals.layout import DEVICE_TYPES, DTYPES
from ...torch_internals.operators import given_arguments, schema_of
from ..decompositions.resampling import whole_resampling
from ..decompositions.table import decomposition_table
from ..joint.joint_nodes import viewed_value
from .attention_choice import attention_on_gpus

_CONSTANTS = {InputKind.PARAMETER: PARAMETER, InputKind.BUFFER: BUFFER, InputKind.CONSTANT_TENSOR: TENSOR_CONSTANT}
_WRITES = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION, OutputKind.USER_INPUT_MUTATION)
_MOST = (1 << 62) - 1
# Compares a value of the graph with the trace; the library compares its inputs, which determine these values.
_ASSERTION = torch.ops.aten._assert_tensor_metadata.default


@dataclass(frozen=True)
class ExportedConstant:
    """A tensor of the module: its path there, kind (`description.PARAMETER`...), whether the graph writes it, the type of its device in
    the library; here it may be on another one."""

    path: str
    kind: int
    tensor: torch.Tensor
    written: bool
    device: int = CPU


@dataclass
class ExportedGraph:
    """`graph_module`: its placeholders are tensors; copies at its end write what the program writes. `sources`: what each
    placeholder is, an input by its number or a constant by -1 - its number; `gpu`: the GPU of its tensors, None if all are on the CPU."""

    graph_module: fx.GraphModule
    inputs: list[Input] = field(default_factory=list)
    constants: list[ExportedConstant] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    symbols: list[sympy.Symbol] = field(default_factory=list)
    gpu: torch.device | None = None

    def note_device(self, name: str, device: torch.device) -> None:
        """Takes the device of a tensor. Raises NotALibrary if a library with the tensors so far can't have it."""
        if device.type not in DEVICE_TYPES:
            raise NotALibrary(f"{name} is on the device {device}: libraries are for the CPU and for NVIDIA GPUs")
        if device.type == "cuda":
            if self.gpu is not None and self.gpu != device:
                raise NotALibrary(f"{name} is on {device}, and others are on {self.gpu}: a library is for one GPU")
            self.gpu = device


def exported_graph(program: ExportedProgram, values: Mapping[str, torch.Tensor] | None = None) -> ExportedGraph:
    """The graph of a program, decomposed. `values`: the tensors of parameters, buffers and constants, where the program has other ones.
    Raises NotALibrary for what a library can't have."""
    squeezed, returned = _squeezed(program), _returned_inputs(program)
    on_cpu = all(value.device.type == "cpu" for value in _tensors(program))
    table = decomposition_table(True, on_cpu)
    if values is not None:
        table = {**table, torch.ops.aten.scaled_dot_product_attention.default: attention_on_gpus}
    whole = whole_resampling() if on_cpu else contextlib.nullcontext()
    with torch.no_grad(), whole, _refused() if values is not None else contextlib.nullcontext():
        program = program.run_decompositions(table)
    made = ExportedGraph(program.graph_module)
    graph = made.graph_module.graph
    for node in graph.find_nodes(op="call_function", target=_ASSERTION):
        graph.erase_node(node)
    written = {spec.target for spec in program.graph_signature.output_specs if spec.kind in _WRITES}
    ranges = _Ranges(program, squeezed)
    placeholders = graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, program.graph_signature.input_specs, strict=True):
        if spec.kind in _CONSTANTS:
            _add_constant(made, program, spec, written, values)
        elif spec.kind != InputKind.USER_INPUT:
            raise NotALibrary(f"the input {node.name}: {spec.kind.name.lower()}s are not supported")
        elif isinstance(spec.arg, ConstantArgument):
            _drop(graph, node)
        elif isinstance(spec.arg, TensorArgument):
            made.sources.append(len(made.inputs))
            made.inputs.append(_input(node, ranges, made))
        else:
            raise NotALibrary(f"the input {node.name} is a number that varies: pass a tensor, or a number that the export fixes")
    made.symbols = ranges.symbols
    _write_back(made, program, {node.name: node for node in placeholders}, returned)
    graph.lint()
    made.graph_module.recompile()
    return made


def _tensors(program: ExportedProgram) -> list[torch.Tensor]:
    """What stands for the program's inputs, parameters, buffers and constants."""
    values = [node.meta.get("val") for node in program.graph.find_nodes(op="placeholder")]
    return [value for value in values if isinstance(value, torch.Tensor)]


@contextlib.contextmanager
def _refused() -> Iterator[None]:
    """What a program that was moved to a GPU can't do without one raises NotALibrary."""
    try:
        yield
    except (RuntimeError, AssertionError, ValueError) as error:
        known = "cuda" in str(error).lower() or "Cannot view" in str(error)
        if isinstance(error, MlirindError) or not known:
            raise
        lines = [line for line in str(error).splitlines() if line]
        place = next((line for line in lines if line.startswith("While executing")), "")
        raise NotALibrary(f"without a GPU PyTorch can't trace the program on one: {lines[0]}. {place}".rstrip()) from error


def _squeezed(program: ExportedProgram) -> set[str]:
    """The symbols of dimensions that a squeeze would remove at size 1: the graph keeps them, as for other sizes."""
    found: set[str] = set()
    for node in program.graph.nodes:
        if node.op == "call_function" and str(node.target).startswith("aten.squeeze"):
            sizes = node.args[0].meta["val"].shape
            given = node.args[1] if len(node.args) > 1 else range(len(sizes))
            chosen = [sizes[d] for d in ([given] if isinstance(given, int) else given)]
            found |= {s.name for size in chosen if isinstance(size, torch.SymInt) for s in size.node.expr.free_symbols}
    return found


def _returned_inputs(program: ExportedProgram) -> dict[int, str]:
    """By the numbers of results: the inputs that eager returns themselves, after operators that write them."""
    (output,) = program.graph.find_nodes(op="output")
    specs = program.graph_signature.output_specs
    results = [value for value, spec in zip(output.args[0], specs, strict=True) if spec.kind == OutputKind.USER_OUTPUT]
    returned: dict[int, str] = {}
    for number, value in enumerate(results):
        while isinstance(value, fx.Node) and (written := _written_argument(value)) is not None:
            value = written
        if isinstance(value, fx.Node) and value.op == "placeholder":
            returned[number] = value.name
    return returned


def _written_argument(node: fx.Node) -> fx.Node | None:
    """The argument that an operator writes and returns."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return None
    returns = [r.alias_info for r in schema_of(node.target).returns]
    if len(returns) != 1 or returns[0] is None or not returns[0].is_write:
        return None
    values = given_arguments(node.target, node.args, node.kwargs)
    found = [values.get(a.name) for a in arguments_written_by_operator(node.target)]
    return found[0] if len(found) == 1 and isinstance(found[0], fx.Node) else None


def _drop(graph: fx.Graph, node: fx.Node) -> None:
    """Removes an input whose value the export fixed."""
    if node.users:
        raise NotALibrary(f"the input {node.name} is no tensor")
    graph.erase_node(node)


def _add_constant(
    made: ExportedGraph, program: ExportedProgram, spec: Any, written: set[str | None], values: Mapping[str, torch.Tensor] | None
) -> None:
    kept = program.state_dict if spec.target in program.state_dict else program.constants
    device = kept[spec.target].device
    tensor = kept[spec.target] if values is None else values[spec.target]
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.layout != torch.strided:
        raise NotALibrary(f"{spec.target}: only plain tensors can be constants of a library")
    made.note_device(spec.target, device)
    made.sources.append(-1 - len(made.constants))
    constant = ExportedConstant(spec.target, _CONSTANTS[spec.kind], tensor.detach(), spec.target in written, DEVICE_TYPES[device.type])
    made.constants.append(constant)


class _Ranges:
    """The symbols of input sizes, with their bounds."""

    def __init__(self, program: ExportedProgram, squeezed: set[str]) -> None:
        self.symbols: list[sympy.Symbol] = []
        self.given = program.range_constraints
        self.squeezed = squeezed

    def number(self, symbol: sympy.Symbol) -> int:
        if symbol not in self.symbols:
            self.symbols.append(symbol)
        return self.symbols.index(symbol)

    def bounds(self, symbol: sympy.Symbol, shape_env: Any) -> tuple[int, int]:
        """The bounds that the export states, within those that the compiler assumes."""
        stated = self.given.get(symbol)
        if stated is not None and _integer(stated.lower, 2) <= 1 and symbol.name not in self.squeezed:
            allow_one(shape_env, symbol.name)
        least, most, _ = symbol_facts(shape_env, {symbol.name})[symbol.name]
        if stated is not None:
            least, most = max(least, _integer(stated.lower, 0)), min(most, _integer(stated.upper, _MOST))
        return max(least, 0), min(most, _MOST)

    def dimension(self, size: Any) -> Dimension:
        """A size of an input. Raises NotALibrary if it is not a multiple of a symbol plus a number."""
        if isinstance(size, int):
            return Dimension(-1, 0, size, size, size)
        expression = sympy.sympify(size.node.expr)
        if expression.is_Integer:
            return self.dimension(int(expression))
        symbols = sorted(expression.free_symbols, key=str)
        form = sympy.Poly(expression, *symbols) if expression.is_polynomial(*symbols) else None
        if len(symbols) != 1 or form is None or form.degree() != 1 or not all(c.is_Integer for c in form.all_coeffs()):
            raise NotALibrary(f"an input's size is {expression}: only multiples of one size plus a number are supported")
        factor, summand = map(int, form.all_coeffs())
        least, most = self.bounds(symbols[0], size.node.shape_env)
        ends = sorted((factor * least + summand, min(factor * most + summand, _MOST) if factor > 0 else 0))
        return Dimension(self.number(symbols[0]), factor, summand, max(ends[0], 0), ends[1])


def _integer(bound: Any, otherwise: int) -> int:
    return int(bound) if getattr(bound, "is_Integer", isinstance(bound, int)) else otherwise


def _input(node: fx.Node, ranges: _Ranges, made: ExportedGraph) -> Input:
    value = node.meta["val"]
    if value.layout != torch.strided or value.dtype.is_complex:
        raise NotALibrary(f"the input {node.name}: only real tensors with strides are supported")
    made.note_device(f"the input {node.name}", value.device)
    dtype = DTYPES[str(value.dtype).removeprefix("torch.")]
    return Input(node.name, dtype, tuple(ranges.dimension(size) for size in value.shape), DEVICE_TYPES[value.device.type])


def _write_back(made: ExportedGraph, program: ExportedProgram, placeholders: dict[str, fx.Node], returned: dict[int, str]) -> None:
    """Adds the copies into what the program writes; the other outputs are the graph's, or the inputs `returned`."""
    signature, graph = program.graph_signature, made.graph_module.graph
    (output,) = graph.find_nodes(op="output")
    inputs = graph.find_nodes(op="placeholder")
    constants = {node for node, source in zip(inputs, made.sources, strict=True) if source < 0}
    by_target = {spec.target: spec.arg.name for spec in signature.input_specs if spec.target is not None}
    results: list[Any] = []
    for value, spec in zip(output.args[0], signature.output_specs, strict=True):
        if spec.kind in _WRITES:
            assert spec.target is not None
            target = placeholders[spec.target if spec.kind == OutputKind.USER_INPUT_MUTATION else by_target[spec.target]]
            with graph.inserting_before(output):
                copy = graph.call_function(torch.ops.aten.copy_.default, (target, value))
                copy.meta = {"val": target.meta["val"]}
        elif spec.kind != OutputKind.USER_OUTPUT or not isinstance(spec.arg, (TensorArgument, ConstantArgument)):
            raise NotALibrary(f"the output {spec.arg}: only tensors can be results")
        elif isinstance(spec.arg, ConstantArgument) and spec.arg.value is not None:
            raise NotALibrary(f"the output {spec.arg.value!r}: only tensors can be results")
        else:
            given = placeholders.get(returned.get(len(results), ""))
            with graph.inserting_before(output):
                results.append(given if given is not None and given not in constants else _not_of_constants(value, constants))
            made.outputs.append(f"output_{len(made.outputs)}")
    output.args = (tuple(results),)


def _not_of_constants(value: Any, constants: Collection[fx.Node]) -> Any:
    """A result; a copy, made at the graph's point of insertion, of one that is a constant or a view of one: a constant's memory goes with
    the library. PyTorch's libraries return a copy, too."""
    if not isinstance(value, fx.Node):
        return value
    base = viewed_value(value)
    while base.target is operator.getitem:  # an element of a list of views
        base = viewed_value(base.all_input_nodes[0])
    if base not in constants:
        return value
    copy = value.graph.call_function(torch.ops.aten.clone.default, (value,))
    copy.meta = {"val": torch.ops.aten.clone.default(value.meta["val"])}
    return copy
