"""Converts a pattern's Python functions to functions of the `aten` dialect, with symbols for the sizes of their examples."""

from __future__ import annotations

import functools
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy
import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch_mlir import ir

from ...bridge.symbols import is_unbacked, size_from_torch
from ...dialects import aten_ops
from ...dialects.aten import parse_expr, symbol
from ...dialects.context import compile_context
from ...errors import MlirindError
from ...passes.driver import QUIET, run_passes
from ...passes.patterns.engine.pattern_conversion import convert
from ...passes.pipeline import PATTERN_FORM
from ...passes.recording import unrecorded
from ...passes.rewrite_limit import unnumbered
from ...passes.snapshots import without_snapshots
from ...torch_internals.dynamo import ConstantSource
from ...torch_internals.fake_tensors import FakeTensor, FakeTensorMode
from ...torch_internals.modes import python_dispatcher
from ...torch_internals.operators import schema_of
from ...torch_internals.trees import tree_leaves
from ..decompositions.table import decomposition_table
from ..importing.importer import import_graph
from .pattern_calls import on_tensors, with_gradients
from .pattern_ends import check_ends
from .pattern_parameters import check_integers, checked_parameters, distinct_examples
from .pattern_scalars import as_expressions

ADD = aten_ops.op_name("aten.add.Tensor")
_EXPRESSION = re.compile(r'#aten\.expr<"([^"]*)">')
_SYMBOL = re.compile(r"\bs\d+\b")


def trace_pattern(
    name: str,
    search: Callable[..., Any],
    replace: Callable[..., Any],
    examples: Sequence[torch.Tensor],
    *,
    joint: bool = False,
    scalars: Mapping[str, int | float] | None = None,
    bake_shapes: bool = False,
    accumulated: Sequence[str] = (),
) -> str:
    """The text of the pattern. Raises MlirindError with the reason if the pattern can't work.

    `examples`: a tensor for each parameter of `search` that is not named in `scalars`. A size of 0 or 1 stays that size; any other stands
    for all sizes, unless `bake_shapes`. `accumulated`, with `joint`: inputs that have other uses too; autograd adds the function's
    gradient, term by term, to the gradient from those uses, which is a further input.
    """
    names = checked_parameters(name, search, replace, examples, scalars or {})
    scalars, others = distinct_examples(scalars or {}), [names.index(n) for n in accumulated]
    with compile_context(), unnumbered(), unrecorded(), without_snapshots():  # a graph may be the reason for tracing now
        inputs = _fake_inputs(names, examples, bake_shapes)
        traced = [_Traced(name, function, names, inputs, scalars, joint, others) for function in (search, replace)]
        # Only now are all equalities of sizes known that either function requires.
        symbols = _symbols_in_order(inputs)
        found, made = (_renamed(t.import_(), symbols) for t in traced)
        check_integers(
            name,
            scalars,
            [found, made],
            lambda other: [
                _renamed(_Traced(name, function, names, inputs, other, joint, others).import_(), symbols) for function in (search, replace)
            ],
        )
        if not joint:
            check_ends(name, found, PATTERN_FORM)
        return rename_symbols(convert(name, found, made, list(scalars)))


def _inputs(names: Sequence[str], count: int, accumulated: Sequence[int]) -> list[str]:
    """The names of `count` inputs: the function's, the gradients of its results, and the gradients of `accumulated` inputs from other
    uses."""
    tangents = count - len(names) - len(accumulated)
    return [*names, *(f"tangent_{i}" for i in range(tangents)), *(f"gradient_{names[i]}" for i in accumulated)]


def _fake_inputs(names: Sequence[str], examples: Sequence[torch.Tensor], bake_shapes: bool) -> list[torch.Tensor]:
    mode = FakeTensorMode(shape_env=ShapeEnv(duck_shape=False))
    mode.cache_enabled = False  # the cache would compute everything twice, and the mode is used once
    fakes: list[torch.Tensor] = []
    for number, (name, example) in enumerate(zip(names, examples, strict=True)):
        if any(example is other for other in examples[:number]):
            example = example.detach().clone().requires_grad_(example.requires_grad)  # two inputs, as far as the pattern knows
        dims = [DimDynamic.STATIC if bake_shapes or size < 2 else DimDynamic.DYNAMIC for size in example.shape]
        context = StatelessSymbolicContext(dynamic_sizes=dims)
        fakes.append(mode.from_tensor(example, symbolic_context=context, source=ConstantSource(name)))
    return fakes


class _Traced:
    """A function traced to ATen operators, the symbols of its sizes still those of PyTorch."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        names: Sequence[str],
        inputs: Sequence[torch.Tensor],
        scalars: Mapping[str, Any],
        joint: bool,
        accumulated: Sequence[int],
    ) -> None:
        self.name, self.names, self.role = name, list(names), getattr(function, "__name__", "function")
        self.scalars: dict[float, str] = {}

        call = on_tensors(function, names, scalars, self.scalars)
        mode = next(i.fake_mode for i in inputs if isinstance(i, FakeTensor))
        traced, arguments = with_gradients(call, inputs, accumulated) if joint else call, list(inputs)
        try:
            with torch.set_grad_enabled(joint), python_dispatcher(), mode:
                self.graph = make_fx(traced, decomposition_table=decomposition_table())(*arguments)
            if joint:
                tangents = _as_inputs(self.graph.graph, sum(i.requires_grad for i in inputs), len(accumulated))
                self.names = _inputs(names, len(names) + len(tangents), accumulated)
                arguments += tangents
            if any(_writes(node) for node in self.graph.graph.nodes):
                # Autograd does not work within functionalization, so a function traced through it is traced again.
                self.graph.recompile()
                functional = torch.func.functionalize(self.graph, remove="mutations")
                with torch.no_grad(), python_dispatcher(), mode:
                    self.graph = make_fx(functional, decomposition_table=decomposition_table())(*arguments)
        except Exception as error:
            raise MlirindError(f"pattern {name!r}: {self.role} can't be traced: {_reason(error)}{_line(error, function)}") from error
        self.graph.graph.eliminate_dead_code()
        if any(node.target is torch.ops.aten.copy_.default for node in self.graph.graph.nodes):
            raise MlirindError(f"pattern {name!r}: {self.role} writes to an input: let it compute a new tensor")
        self._check()

    def _check(self) -> None:
        """Raises if the graph has what a pattern can't have."""
        nodes = list(self.graph.graph.nodes)
        if any(node.op == "get_attr" for node in nodes):
            raise MlirindError(
                f"pattern {self.name!r}: {self.role} has a tensor that is no input (torch.tensor(...)): "
                "use a number or torch.full, or make it a parameter"
            )
        if any(node.target is torch.ops.aten._local_scalar_dense.default for node in nodes):
            raise MlirindError(
                f"pattern {self.name!r}: {self.role} takes a number out of a tensor (item, float, int): compute with the tensor"
            )
        maker = next((node for node in nodes if _has_size_from_data(node)), None)
        if maker is not None:
            raise MlirindError(f"pattern {self.name!r}: {self.role} calls {maker.target}, whose result's size depends on data")

    def import_(self) -> str:
        """The text of the function, its symbols renamed in order, its scalars by name."""
        try:
            module = import_graph(self.graph).module
        except MlirindError as error:
            raise MlirindError(f"pattern {self.name!r}: {self.role} can't be imported: {error}") from error
        function = module.body.operations[0]
        attributes = [ir.DictAttr.get({"aten.name": ir.StringAttr.get(n)}) for n in self.names]
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
        run_passes(module, PATTERN_FORM, QUIET)
        as_expressions(function, self.scalars)
        return str(module)


def _writes(node: torch.fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and schema_of(node.target).is_mutable


def _has_size_from_data(node: fx.Node) -> bool:
    """Whether a size of a node's tensors has a symbol that stands for data."""
    values = [v for v in tree_leaves(node.meta.get("val")) if isinstance(v, torch.Tensor)]
    sizes = [s for v in values for s in v.shape if isinstance(s, torch.SymInt)]
    return any(is_unbacked(symbol) for size in sizes for symbol in size.node.expr.free_symbols)


def _reason(error: Exception) -> str:
    """The message of a tracing error; PyTorch's own message for a tensor from outside would not help."""
    text = f"{type(error).__name__}: {error}".split("\n")[0]
    if "FakeTensorMode with 'allow_non_fake_inputs'" in text:
        return f"it computes with a tensor from outside (a global, of a closure or module): make it a parameter. ({text})"
    return text


def _line(error: Exception, function: Callable[..., Any]) -> str:
    """The line in the user's file, if the error arose below it."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return f", at {file}:{lines[-1]}" if lines else ""


def _as_inputs(graph: torch.fx.Graph, gradients: int, accumulated: int) -> list[torch.Tensor]:
    """Makes the tangents, the last results of a graph, its last inputs; the fake tensors that stand for them. There is one for each result
    of the pattern's function, and for each `accumulated` input."""
    ending, last = graph.output_node(), graph.find_nodes(op="placeholder")[-1]
    results = list(ending.args[0])
    first = len(results) - (len(results) - gradients - accumulated) // 2 - accumulated
    for number, node in enumerate(results[first:]):
        with graph.inserting_after(last):
            last = graph.placeholder(f"tangent_{number}")
        last.meta = node.meta
        node.replace_all_uses_with(last)
    ending.args = (results[:first],)
    return [node.meta["val"] for node in results[first:]]


def summed_gradients(text: str, names: Sequence[str]) -> list[str]:
    """Which of the inputs `names` have a gradient that is a sum: used elsewhere, it has another term."""
    with compile_context():
        module = ir.Module.parse(text)
        search = next(op for op in module.body.operations if op.operation.name == "func.func")
        *_, ending = search.regions[0].blocks[0].operations
        gradients = list(ending.operands)[-len(names) :]
        return [n for n, v in zip(names, gradients, strict=True) if isinstance(v, ir.OpResult) and v.owner.name == ADD]


def _symbols_in_order(inputs: Sequence[torch.Tensor]) -> dict[sympy.Symbol, sympy.Symbol]:
    """Names for the symbols by their first position: PyTorch's own are arbitrary, and so would be the order of factors."""
    sizes = (size_from_torch(size) for tensor in inputs for size in tensor.shape)
    found = (s for size in sizes if not isinstance(size, int) for s in sorted(size.free_symbols, key=str))
    return {s: symbol(f"s{n}") for n, s in enumerate(dict.fromkeys(found))}


def _renamed(text: str, symbols: Mapping[sympy.Symbol, sympy.Symbol]) -> str:
    """The text with its expressions rewritten in other symbols."""

    @functools.cache
    def renamed(expression: str) -> str:
        return f'#aten.expr<"{parse_expr(expression).xreplace(symbols)}">'

    return _EXPRESSION.sub(lambda m: renamed(m.group(1)), text)


def rename_symbols(text: str) -> str:
    """Renames sizes to d0, d1, ... in the order of the text."""
    known: dict[str, str] = {}

    def renamed(expression: re.Match[str]) -> str:
        return _SYMBOL.sub(lambda m: known.setdefault(m.group(), f"d{len(known)}"), expression.group())

    return _EXPRESSION.sub(renamed, text)
