"""The Python functions of a pattern become functions of the `aten` dialect, with symbols for the sizes of their examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.context import compile_context
from ..errors import MlirindError
from ..passes.driver import QUIET, run_passes
from ..passes.pattern_conversion import convert
from .decompositions import decomposition_table
from .importer import import_graph
from .pattern_parameters import check_integers, checked_parameters, distinct_examples
from .pattern_scalars import as_expressions, open_number

# What brings both the pattern and the graphs that it is to be found in to one form.
NORMALIZE = ("canonicalize-aten", "constant-fold", "remove-noops", "remove-redundant-views", "refresh-metadata", "cse-aten", "dce-aten")
ADD = aten_ops.op_name("aten.add.Tensor")
_EXPRESSION = re.compile(r'#aten\.expr<"[^"]*">')
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
    prepare: Sequence[str] = (),
    any_size: Sequence[str] = (),
    accumulated: Sequence[str] = (),
) -> str:
    """The text of the pattern. Raises MlirindError where the pattern can't work, with the reason.

    `examples`: a tensor for each parameter of `search` that is not named in `scalars`. A size of 0 or 1 is that size, any other
    stands for all sizes, unless `bake_shapes`. `prepare`: passes that the graph has gone through when the pattern is looked for.
    `any_size`: inputs that are broadcast, whose sizes don't count. `accumulated`, with `joint`: inputs that are used elsewhere too; to
    the gradient from there, a further input, autograd adds that of the function term by term.
    """
    scalars = dict(scalars or {})
    names = checked_parameters(name, search, replace, examples, scalars)
    scalars = distinct_examples(scalars)
    with compile_context():
        inputs = _fake_inputs(names, examples, bake_shapes)
        steps = [*NORMALIZE, *prepare, *NORMALIZE] if prepare else list(NORMALIZE)
        others = [names.index(n) for n in accumulated]
        traced = [_Traced(name, function, names, inputs, scalars, joint, others) for function in (search, replace)]
        # Only now all equalities of sizes are known that either of them demands.
        found, made = (t.import_(steps) for t in traced)
        check_integers(
            name,
            scalars,
            [found, made],
            lambda other: [_Traced(name, function, names, inputs, other, joint, others).import_(steps) for function in (search, replace)],
        )
        return rename_symbols(convert(name, found, made, list(scalars), any_size))


def _fake_inputs(names: Sequence[str], examples: Sequence[torch.Tensor], bake_shapes: bool) -> list[torch.Tensor]:
    mode = FakeTensorMode(shape_env=ShapeEnv(duck_shape=False))
    mode.cache_enabled = False  # it would compute everything twice to remember it, and the mode is used once
    fakes = []
    for name, example in zip(names, examples, strict=True):
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

        def call(*tensors: torch.Tensor) -> list[torch.Tensor]:
            given = {s: open_number(value, s, self.scalars) for s, value in scalars.items()}
            result = function(**dict(zip(names, tensors, strict=True)), **given)
            return list(result) if isinstance(result, (tuple, list)) else [result]

        mode = next(i.fake_mode for i in inputs if isinstance(i, FakeTensor))
        try:
            traced, arguments = (with_gradients(call, inputs, accumulated), [*inputs]) if joint else (call, list(inputs))
            if joint:
                tangents = _tangents(call, inputs)
                self.names += [*(f"tangent_{i}" for i in range(len(tangents))), *(f"gradient_{names[i]}" for i in accumulated)]
                arguments += [*tangents, *_tangents(lambda *given: [given[i] for i in accumulated], inputs)]
            with torch.set_grad_enabled(joint), enable_python_dispatcher(), mode:
                # Autograd does not work within functionalization: what is traced through it may not write.
                functional = traced if joint else torch.func.functionalize(traced, remove="mutations")
                self.graph = make_fx(functional, decomposition_table=decomposition_table())(*arguments)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".split("\n")[0]
            raise MlirindError(f"pattern {name!r}: {self.role} can't be traced: {reason}") from error
        self.graph.graph.eliminate_dead_code()
        if any(node.target is torch.ops.aten.copy_.default for node in self.graph.graph.nodes):
            raise MlirindError(f"pattern {name!r}: {self.role} writes to an input: let it compute a new tensor")

    def import_(self, steps: Sequence[str]) -> str:
        """The text of the function, its symbols renamed in order, its scalars by name."""
        try:
            module = import_graph(self.graph).module
        except MlirindError as error:
            raise MlirindError(f"pattern {self.name!r}: {self.role} has {error}") from error
        function = module.body.operations[0]
        attributes = [ir.DictAttr.get({"aten.name": ir.StringAttr.get(n)}) for n in self.names]
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
        run_passes(module, steps, QUIET)
        as_expressions(function, self.scalars)
        return str(module)


def with_gradients(
    call: Callable[..., list[torch.Tensor]], inputs: Sequence[torch.Tensor], accumulated: Sequence[int]
) -> Callable[..., list[torch.Tensor]]:
    """The function with its gradients: takes inputs and tangents, gives the results and the gradient of each input that wants one.
    The last tangents are gradients of the `accumulated` inputs that come from elsewhere."""
    wanted = [i for i, t in enumerate(inputs) if t.requires_grad]

    def joint(*arguments: torch.Tensor) -> list[torch.Tensor]:
        given = list(arguments[: len(inputs)])
        for i in wanted:
            given[i] = given[i].detach().requires_grad_()
        results = call(*given)
        outputs = [*results, *(given[i] for i in accumulated)]
        gradients = torch.autograd.grad(outputs, [given[i] for i in wanted], list(arguments[len(inputs) :]))
        return [*results, *gradients]

    return joint


def _tangents(call: Callable[..., list[torch.Tensor]], inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    mode = next(i.fake_mode for i in inputs if isinstance(i, FakeTensor))
    with torch.enable_grad(), enable_python_dispatcher(), mode:
        return [torch.empty_like(r.detach()) for r in call(*inputs)]


def summed_gradients(text: str, names: Sequence[str]) -> list[str]:
    """Which of the inputs `names`, those that have gradients, have one that is a sum: used elsewhere, they have another term in it."""
    with compile_context():
        module = ir.Module.parse(text)
        search = next(op for op in module.body.operations if op.operation.name == "func.func")
        *_, ending = search.regions[0].blocks[0].operations
        gradients = list(ending.operands)[-len(names) :]
        return [n for n, v in zip(names, gradients, strict=True) if isinstance(v, ir.OpResult) and v.owner.name == ADD]


def rename_symbols(text: str) -> str:
    """Sizes are d0, d1, ... in the order in which the text has them."""
    known: dict[str, str] = {}

    def renamed(expression: re.Match[str]) -> str:
        return _SYMBOL.sub(lambda m: known.setdefault(m.group(), f"d{len(known)}"), expression.group())

    return _EXPRESSION.sub(renamed, text)
