"""`mlirind-opt --run`: runs a graph on generated inputs, before and after passes, and compares the results. Imports torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch_mlir import ir

from ..dialects.aten import TensorInfo, size_of, stage_of
from ..dialects.host import argument_attributes
from ..dialects.narrowing import text
from ..dialects.size_bounds import declared_ranges
from ..dialects.size_hints import size_hints
from ..errors import MlirindError
from ..frontend.calling.size_guards import requirement_guards
from ..options import Options
from ..passes.analysis.alias_analysis import functions_with_body
from ..passes.pipeline import GRAPH, HOST, KERNELS
from ..runtime.build import build_runner
from ..runtime.reference.copies import copied
from ..runtime.reference.differences import compared, exact
from ..runtime.reference.evaluate import concrete
from ..runtime.reference.evaluate_graph import evaluate_graph


@dataclass(frozen=True)
class Settings:
    """How inputs are generated. `sizes`: values of symbols that override those in `aten.symbols`. `integers`: the half-open range of
    integers; None: from 0 to the smallest dimension, so that they are valid indices. `file`: has the inputs, saved by `torch.save`."""

    sizes: Mapping[str, int]
    integers: tuple[int, int] | None
    seed: int
    file: str | None = None

    @staticmethod
    def of(sizes: Sequence[str], integers: str | None, seed: int, file: str | None = None) -> Settings:
        """Parses `s0=5` and `0:10`. Raises MlirindError for other forms."""
        try:
            low, high = map(int, integers.split(":")) if integers else (0, 1)
            named = {name: int(value) for name, value in (size.split("=") for size in sizes)}
        except ValueError:
            raise MlirindError("--size takes a symbol and its value (s0=5), --ints the lowest integer and the range's end (0:10)") from None
        if low >= high:
            raise MlirindError(f"--ints={integers}: the range is empty")
        return Settings(named, (low, high) if integers else None, seed, file)


def steps_to_host(module: ir.Module, named: bool) -> list[str]:
    """The passes that compile the graph; none if the command names passes (`named`). Renames the only function to @graph, which the passes
    expect."""
    function = graph_of(module)
    function.attributes["sym_name"] = ir.StringAttr.get("graph")
    names = _operation_names(function)
    if named:
        return []
    if any(name.startswith("host.") for name in names):
        raise MlirindError("--run compares a graph before and after passes, and this one is in `host` form: begin with `aten` or `loop`")
    return [*KERNELS[1:], *HOST] if "loop.kernel" in names else [*GRAPH, *KERNELS, *HOST]


def graph_of(module: ir.Module) -> ir.OpView:
    """The function to run: @graph, or the only one."""
    found = list(functions_with_body(module))
    named = [f for f in found if text(f.attributes["sym_name"]) == "graph"] or found
    if len(named) != 1:
        names = ", ".join(text(f.attributes["sym_name"]) for f in found)
        raise MlirindError(f"--run runs the function @graph, or the only function of a text; the functions here: {names or 'none'}")
    return named[0]


def compare_runs(before: ir.Module, after: ir.Module, settings: Settings) -> tuple[list[str], list[str]]:
    """Runs both modules on equal inputs. Returns a line for each result and each written input, and a list of differences.

    `before` is in `aten` or `loop` form and computes ATen's results; `after` may also be in `host` form.
    """
    inputs = _Inputs(graph_of(before), settings)
    wanted, expected_inputs = _outcome(_runner(before, inputs.symbols), inputs.make(), settings.seed)
    found, found_inputs = _outcome(_runner(after, inputs.symbols), inputs.make(), settings.seed)
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        return _compare_errors(wanted, found)
    names = [f"result {n}" for n in range(len(wanted))]
    names += [f"input {inputs.name(n)} afterwards" for n, _ in enumerate(expected_inputs)]
    lines, differences = inputs.described(), []
    for name, a, b, always in zip(
        names, [*wanted, *expected_inputs], [*found, *found_inputs], [True] * len(wanted) + inputs.written(expected_inputs), strict=True
    ):
        text, problem = compared(a, b)
        if always or problem:
            lines.append(f"{name}: {text}")
        if problem:
            differences.append(f"{name} differs from ATen's: {problem}")
    return lines, differences


def _operation_names(function: ir.OpView) -> set[str]:
    return {op.operation.name for op in function.regions[0].blocks[0].operations}


def _runner(module: ir.Module, symbols: Mapping[str, int]) -> Callable[[list[Any]], Sequence[Any]]:
    """A callable for the graph: native code if it is in `host` form, else ATen for operators and the reference evaluator for kernels."""
    if any(op.operation.name not in ("func.func", "loop.func", "loop.group") for op in module.body.operations):
        raise MlirindError("--run runs graphs in the forms `aten`, `loop` and `host`: leave out the passes behind them")
    function = graph_of(module)
    names = _operation_names(function)
    if any(name.startswith("host.") for name in names) or stage_of(function) == "host":
        conditions = requirement_guards(module)
        runner = build_runner(module, Options())

        def run(inputs: list[Any]) -> Sequence[Any]:
            _check(conditions, inputs)
            return runner(inputs)

        return run
    return lambda inputs: evaluate_graph(function, inputs, symbols)


def _check(conditions: Sequence[str], inputs: list[Any]) -> None:
    """Raises if the inputs' sizes violate a requirement of the kernels."""
    broken = [c for c in conditions if not eval(c, {"inputs": inputs})]
    if broken:
        raise MlirindError(f"the kernels are for calls where {' and '.join(broken)}; others run through FX: choose sizes with --size")


class _Inputs:
    """Generates a function's inputs from its argument types."""

    def __init__(self, function: ir.OpView, settings: Settings) -> None:
        self.settings = settings
        self.types = [a.type for a in function.regions[0].blocks[0].arguments]
        self.notes = argument_attributes(function)
        self.symbols = self._symbols(function)
        self.saved = None if settings.file is None else torch.load(settings.file)

    def _symbols(self, function: ir.OpView) -> dict[str, int]:
        found = dict(size_hints(function))
        for name, value in self.settings.sizes.items():
            if name not in found:
                raise MlirindError(f"--size={name}={value}: the graph's symbols (aten.symbols): {', '.join(found) or 'none'}")
        for name, (low, high) in declared_ranges(function).items():
            value = self.settings.sizes.get(name, found[name])
            if not low <= value <= high:
                raise MlirindError(f"--size={name}={value}: aten.symbols says that it is from {low} to {high}")
        return found | dict(self.settings.sizes)

    def name(self, number: int) -> str:
        """The name of an argument, or its number if it has none."""
        return text(self.notes[number]["aten.name"]) if "aten.name" in self.notes[number] else str(number)

    def make(self) -> list[Any]:
        """New inputs, with equal values in every call. No two share memory."""
        if self.saved is not None:
            return copied(self.saved)
        generator = torch.Generator().manual_seed(self.settings.seed)
        return [self._input(type_, note, generator) for type_, note in zip(self.types, self.notes, strict=True)]

    def described(self) -> list[str]:
        """Lines that describe the inputs: the values of symbols, if there are any."""
        sizes = ", ".join(f"{name}={value}" for name, value in self.symbols.items())
        return [f"sizes: {sizes}"] if sizes else []

    def written(self, inputs: Sequence[Any]) -> list[bool]:
        """Whether each of `inputs`, the inputs after a call, was written."""
        return [isinstance(a, torch.Tensor) and not _equal(a, b) for a, b in zip(inputs, self.make(), strict=True)]

    def _input(self, type_: ir.Type, note: Any, generator: torch.Generator) -> Any:
        if isinstance(type_, ir.NoneType):
            return None
        if "aten.symbol" in note:
            return self.symbols[note["aten.symbol"].value]
        if "aten.expr" in note:
            return self._number(size_of(note["aten.expr"]))
        if not isinstance(type_, ir.RankedTensorType):
            raise MlirindError(f"--run makes tensors and sizes, no {type_}: mark an argument with aten.symbol")
        info = TensorInfo.of(type_)
        sizes, strides = ([self._number(s) for s in values] for values in (info.sizes, info.strides))
        offset = self._number(info.offset)
        count = offset + (0 if 0 in sizes else 1 + sum((s - 1) * d for s, d in zip(sizes, strides, strict=True)))
        memory = self._random(count, getattr(torch, info.dtype), generator)
        return memory.to(info.device).as_strided(sizes, strides, offset)

    def _number(self, size: Any) -> int:
        try:
            return int(concrete(size, self.symbols))
        except KeyError as error:
            raise MlirindError(f"the symbol {error} is not in aten.symbols of the function") from None

    def _random(self, count: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
        if dtype.is_complex:
            return torch.randn(count, dtype=torch.complex128, generator=generator).to(dtype)
        if dtype.is_floating_point:
            return torch.randn(count, generator=generator).to(dtype)
        if dtype == torch.bool:
            return torch.randint(2, (count,), generator=generator).to(dtype)
        low, high = self.settings.integers or (0, self._smallest_dimension())
        limits = torch.iinfo(dtype)
        return torch.randint(max(low, limits.min), min(high, limits.max), (count,), generator=generator).to(dtype)

    def _smallest_dimension(self) -> int:
        tensors = [TensorInfo.of(t) for t in self.types if isinstance(t, ir.RankedTensorType)]
        sizes = [self._number(s) for info in tensors for s in info.sizes]
        return min((s for s in sizes if s > 1), default=2)


def _outcome(run: Callable[[list[Any]], Sequence[Any]], inputs: list[Any], seed: int) -> tuple[list[Any] | Exception, list[Any]]:
    """The results or the exception of a run, and the inputs afterwards."""
    torch.manual_seed(seed)
    try:
        return list(run(list(inputs))), inputs
    except MlirindError:
        raise
    except Exception as error:
        return error, inputs


def _compare_errors(wanted: Any, found: Any) -> tuple[list[str], list[str]]:
    texts = [f"{type(r).__name__}: {r}" if isinstance(r, Exception) else "no exception" for r in (wanted, found)]
    if isinstance(wanted, Exception) and isinstance(found, type(wanted)):
        return [f"both raise {texts[0]}"], []
    return [f"ATen: {texts[0]}", f"the graph: {texts[1]}"], ["the exception differs from ATen's; --ints=LOW:HIGH chooses integers"]


def _equal(a: Any, b: Any) -> bool:
    return isinstance(b, torch.Tensor) and torch.equal(torch.nan_to_num(exact(a)), torch.nan_to_num(exact(b)))
