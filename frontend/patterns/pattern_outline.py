"""Finds the calls of a pattern's functions by running them once on copies of the examples, or on fake tensors if these are large.

This is cheap compared to tracing, whose cost is mostly symbolic sizes, and tells which graphs can contain the pattern: it is traced when
one appears. If anything is unusual there is no outline, and the pattern is traced at once, which finds any mistake in it.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ...dialects import aten_registry
from ...passes.analysis.alias_analysis import STRIDED_VIEWS, base_name
from ...passes.analysis.uniform_values import is_fill
from ...passes.patterns.engine.pattern_needs import Maker, Needs
from ...passes.remove_noops import gives_again
from ...torch_internals.fake_tensors import FakeTensor, FakeTensorMode
from ...torch_internals.modes import has_dispatch_modes, has_function_modes
from ...torch_internals.operators import can_decompose, schema_of
from ...torch_internals.tensors import storage_id
from ..decompositions.pointwise_layouts import leaves_alone
from ..decompositions.table import decomposition_table
from .pattern_calls import on_tensors, run_recorded

log = logging.getLogger(__name__)

# Identifies a tensor: its memory and layout. Autograd returns saved tensors as other objects.
_Key = tuple[Any, ...]
# These can vanish if one operand is a number, but not if both depend on inputs.
_SUMS = frozenset({torch.ops.aten.add.Tensor, torch.ops.aten.sub.Tensor})
_MAY_VANISH = _SUMS | {torch.ops.aten.mul.Tensor, torch.ops.aten.div.Tensor}
# These return their operand, whatever its sizes.
_SAME = frozenset({torch.ops.aten.detach.default, torch.ops.aten.alias.default})
# Writes to their own tensors by which PyTorch computes gradients; users may use them too.
_WRITING = frozenset(getattr(torch.ops.aten, name).Tensor for name in ("add_", "sub_", "mul_", "div_")) | {torch.ops.aten.fill_.Scalar}


class Unusual(Exception):
    """Something that an outline can't show."""


@dataclass(frozen=True)
class Seen:
    """A call of an operator: its literals in order, with tensors as numbers; and the numbers of its results. `whole`: no decomposition
    takes it."""

    operator: Any
    arguments: tuple[Any, ...]
    operands: tuple[int, ...]
    results: tuple[int, ...]
    whole: bool


@dataclass(frozen=True)
class Outline:
    """The calls of both functions, to compare for equality, and the numbers of their inputs; `needs`: what a graph must have for the
    search function to be in it."""

    calls: tuple[tuple[Seen, ...], tuple[Seen, ...]]
    inputs: tuple[tuple[int, ...], tuple[int, ...]]
    needs: Needs


# Functions that return a tensor's sizes.
_SIZES = frozenset({
    torch.Tensor.shape.__get__, torch.Tensor.size, torch.Tensor.stride, torch.Tensor.numel, torch.Tensor.nelement, torch.Tensor.__len__,
    torch.Tensor.element_size, torch.Tensor.nbytes.__get__, torch.Tensor.storage_offset, torch.numel,
})  # fmt: skip
# Examples of up to this many elements are copied on the CPU.
_SMALL = 1 << 14
_PLAIN = (torch.Tensor, torch.nn.Parameter, FakeTensor)


class _Recorder(TorchDispatchMode):
    """Records every call of an operator."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: list[torch.Tensor] = []
        self.numbers: dict[_Key, int] = {}
        self.inputs: list[int] = []
        self.forgotten = 0
        self.calls: list[Seen] = []
        self.unusual: Unusual | None = None
        self.generator: torch.Tensor | None = None  # its state before the first random number

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and the wrapper against that costs as much as a call

    def add_inputs(self, tensors: Sequence[torch.Tensor]) -> None:
        """Tensors from outside that the function may take."""
        for tensor in tensors:
            self.inputs.append(len(self.numbers) + self.forgotten)
            self.numbers[self._key(tensor)] = self.inputs[-1]

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch.Tag.nondeterministic_seeded in operator.tags and self.generator is None:
            self.generator = torch.get_rng_state()
        result = operator(*args, **(kwargs or {}))
        try:
            self._note(operator, args, kwargs or {}, result)
        except Unusual as reason:  # it must not pass through autograd's C++
            self.unusual = reason
        return result

    def _note(self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if operator.namespace == "prim":
            return
        written = operator in _WRITING
        if (
            schema_of(operator).is_mutable != written
            or operator is torch.ops.aten._local_scalar_dense.default
            or self.generator is not None
        ):
            raise Unusual(operator)
        operands: list[int] = []
        literals = tuple(self._literal(a, operands) for a in (*args, *sorted(kwargs.items())))
        if written:
            self._forget(args[0])
        results = result if isinstance(result, (tuple, list)) else [result]
        whole = operator not in decomposition_table() or leaves_alone(operator, args)
        self.calls.append(Seen(operator, literals, tuple(operands), tuple(self._made(r) for r in results), whole))

    def _literal(self, value: Any, operands: list[int]) -> Any:
        """A tensor by its number, also noted in `operands`; a number with its type, as 1 is equal to 1.0."""
        if isinstance(value, torch.Tensor):
            number = self.number(value)
            operands.append(number)
            return number
        if isinstance(value, (tuple, list)):
            return tuple(self._literal(v, operands) for v in value)
        return type(value), repr(float(value)) if isinstance(value, float) else repr(value)

    def number(self, tensor: Any) -> int:
        """The number of a known tensor."""
        number = self.numbers.get(self._key(tensor))
        if number is None:
            raise Unusual("a tensor from outside")
        return number

    def _made(self, result: Any) -> int:
        return self.numbers.setdefault(self._key(result), len(self.numbers) + self.forgotten) if isinstance(result, torch.Tensor) else -1

    def _forget(self, tensor: torch.Tensor) -> None:
        """Gives a written tensor a new number. Raises Unusual if other tensors share its memory, or it comes from outside."""
        key = self._key(tensor)
        if self.numbers[key] in self.inputs or sum(other[0] == key[0] for other in self.numbers) > 1:
            raise Unusual("a tensor that others see is written")
        del self.numbers[key]
        self.forgotten += 1

    def _key(self, tensor: Any) -> _Key:
        if type(tensor) not in _PLAIN or tensor.layout != torch.strided or tensor.is_complex():
            raise Unusual(type(tensor))
        self.alive.append(tensor)
        return storage_id(tensor), tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


def outline(
    functions: Sequence[Callable[..., Any]],
    names: Sequence[str],
    examples: Sequence[torch.Tensor],
    scalars: Mapping[str, int | float],
    joint: bool,
) -> Outline | None:
    """The outline of a search function and its replacement, with parameters `names` and `scalars`; None if only tracing can find it.
    `joint`: with the gradients of the examples that require them."""
    if any(isinstance(v, int) for v in scalars.values()) or has_function_modes() or has_dispatch_modes():
        return None
    try:
        found, made = (_Record(f, names, examples, scalars, joint) for f in functions)
        if found.results != made.results:
            return None
        return Outline((tuple(found.calls), tuple(made.calls)), (tuple(found.inputs), tuple(made.inputs)), found.needs())
    except Exception:  # tracing reports whatever is wrong
        log.debug("no outline", exc_info=True)
        return None


class _Record:
    """A function, run once."""

    def __init__(
        self,
        function: Callable[..., Any],
        names: Sequence[str],
        examples: Sequence[torch.Tensor],
        scalars: Mapping[str, float],
        joint: bool,
    ) -> None:
        self.joint = joint
        known: dict[float, str] = {}
        function_on_tensors, self.written = on_tensors(function, names, scalars, known), _Numbers()

        def call(*tensors: torch.Tensor) -> list[torch.Tensor]:
            with self.written:
                return function_on_tensors(*tensors)

        with _mode(examples):
            recorder = _Recorder()
            results = run_recorded(recorder, call, [_like(e, joint) for e in examples], joint)
            if recorder.generator is not None:
                torch.set_rng_state(recorder.generator)
            if recorder.unusual is not None:
                raise recorder.unusual
            self.outputs = [recorder.number(r) for r in results]
        self.calls, self.inputs = recorder.calls, recorder.inputs
        self.results = [(r.dtype, r.dim()) for r in results]
        self.literals = {literal for c in self.calls for literal in _flat(c.arguments)}
        self.scalars = [repr(float(v)) for v in scalars.values()]
        self.derived = {repr(value) for value, name in known.items() if name not in scalars}

    def needs(self) -> Needs:
        """What a graph must have for the function to be in it. Raises Unusual if its calls don't tell."""
        live = self._live()
        used = {n for c in live for n in c.operands}
        made = {n for c in live for n in c.results}
        written = {text for kind, text in self.literals if kind is float}
        inputs, results = set(self.inputs), set(self.outputs)
        if not inputs <= used or not results <= made - inputs or not set(self.scalars) <= written or not _is_one(live):
            raise Unusual("an input that is returned or not used, or parts that have nothing in common")
        if not written.isdisjoint(self.derived):
            raise Unusual("what is computed of an open number")
        if not self.joint and not self._ends(live):
            raise Unusual("a result that other operators may give in a graph")
        makers: dict[int, list[Maker]] = {}
        varying = inputs
        operators: set[Maker] = set()
        links: set[tuple[Maker, str]] = set()
        for call in live:
            # A view with the layout of another tensor has its number: from here on it is unknown whose result that is.
            for n in call.results if call.operator not in _SAME else ():
                makers.pop(n, None)
            if not varying.isdisjoint(call.operands) and not _is_fill(call.operator):
                varying.update(call.results)
                name = _lasting(call.operator) if call.whole else None
                number = self._number(call)
                if name is None or (call.operator in _MAY_VANISH and number is None and len(varying.intersection(call.operands)) < 2):
                    continue
                here: list[Maker] = [name] if number is None else [name, (name, number)]
                operators.update(here)
                links.update((maker, name) for n in call.operands for maker in makers.get(n, ()))
                makers.update(dict.fromkeys(call.results, here))
        return Needs(frozenset(operators), frozenset(links))

    def _ends(self, live: Sequence[Seen]) -> bool:
        """Whether each call that makes a result is a separate call in a graph too: no view of a view, no copy, no product with 1."""
        varying = self._varying(live)
        makers = {n: c for c in live if c.operator not in _SAME for n in c.results}
        return all(self._stays(c, varying, makers) for c in live if not set(self.outputs).isdisjoint(c.results))

    def _stays(self, call: Seen, varying: set[int], makers: Mapping[int, Seen]) -> bool:
        if len(varying.intersection(call.operands)) > 1:
            return True
        before = [makers[n].operator for n in call.operands if n in makers and makers[n] is not call]
        numbers = [float(text) for kind, text in _flat(call.arguments) if kind in (int, float)]
        if call.operator in _MAY_VANISH:
            return (0.0 if call.operator in _SUMS else 1.0) not in numbers and not any(map(_is_fill, before))
        if _shows(call.operator):
            return set(call.results).isdisjoint(call.operands) and not any(map(_passes_on, before))
        return not _passes_on(call.operator) or not {0.0, 1.0}.issuperset(numbers)

    def _varying(self, live: Sequence[Seen]) -> set[int]:
        """The numbers of values that depend on inputs."""
        varying = set(self.inputs)
        for call in live:
            if not varying.isdisjoint(call.operands) and not _is_fill(call.operator):
                varying.update(call.results)
        return varying

    def _number(self, call: Seen) -> float | None:
        """The number that an arithmetic call has as an operand, if it is a literal of the function, not computed from a size, and the call
        can't vanish."""
        if call.operator not in _MAY_VANISH or self.scalars or self.written.sizes or len(call.arguments) != 2:
            return None
        (kind, text), *_ = [a for a in call.arguments if isinstance(a, tuple)] or [(None, "")]
        number = float(text) if kind is float else 1.0
        return number if number in self.written.numbers and number not in (-1.0, 0.0, 1.0) else None

    def _live(self) -> list[Seen]:
        """The calls that the results depend on, in order."""
        wanted, live = set(self.outputs), []
        for call in reversed(self.calls):
            if not wanted.isdisjoint(call.results):
                wanted.update(call.operands)
                live.append(call)
        return live[::-1]


class _Numbers(TorchFunctionMode):
    """The numbers that a function passes to torch functions, and whether it reads a size, from which it may compute numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: set[float] = set()
        self.sizes = False

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.numbers.update(a for a in args if type(a) is float)
        self.sizes = self.sizes or function in _SIZES
        return function(*args, **(kwargs or {}))


def _mode(examples: Sequence[torch.Tensor]) -> contextlib.AbstractContextManager[Any]:
    """The mode that the functions run under: fake tensors cost ten times as much as small ones."""
    small = all(e.device.type == "cpu" and e.numel() <= _SMALL for e in examples)
    return contextlib.nullcontext() if small else _fake_mode()


@functools.cache
def _fake_mode() -> FakeTensorMode:
    return FakeTensorMode()


def _like(example: torch.Tensor, joint: bool) -> torch.Tensor:
    """A tensor like the example, filled with ones."""
    if type(example) not in _PLAIN or example.layout != torch.strided:
        raise Unusual(type(example))
    made = torch.empty_strided(example.shape, example.stride(), dtype=example.dtype, device=example.device)
    return made.fill_(1).requires_grad_(joint and example.requires_grad)


def _flat(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, str]]:
    for argument in arguments:
        if isinstance(argument, tuple) and len(argument) == 2 and isinstance(argument[0], type):
            yield argument
        elif isinstance(argument, tuple):
            yield from _flat(argument)


def _is_one(calls: Sequence[Seen]) -> bool:
    """Whether all calls are connected by their tensors."""
    groups: list[set[int]] = []
    for call in calls:
        group = {*call.operands, *call.results}
        for other in [g for g in groups if not g.isdisjoint(group)]:
            groups.remove(other)
            group |= other
        groups.append(group)
    return len(groups) == 1


@functools.cache
def _is_fill(operator: Any) -> bool:
    schema = aten_registry.add_schema(operator)
    return schema is not None and is_fill(schema)


@functools.cache
def _shows(operator: Any) -> bool:
    """Whether an operator returns a view, or another dtype."""
    schema = aten_registry.add_schema(operator)
    return schema is not None and (schema.is_view or base_name(schema) in STRIDED_VIEWS or base_name(schema) == "_to_copy")


@functools.cache
def _passes_on(operator: Any) -> bool:
    """Whether an operator may return elements of its operand unchanged."""
    schema = aten_registry.add_schema(operator)
    return schema is not None and operator not in _MAY_VANISH and (_shows(operator) or gives_again(schema.name))


@functools.cache
def _lasting(operator: Any) -> str | None:
    """The op's name, if its whole calls that depend on an input remain in the graph through tracing and the normalizing passes."""
    schema = aten_registry.add_schema(operator)
    if schema is None or schema.mutates or can_decompose(operator):
        return None
    if schema.is_view or base_name(schema) in STRIDED_VIEWS or (gives_again(schema.name) and operator not in _MAY_VANISH):
        return None
    return schema.op_name
