"""Traces a pattern's functions by running them twice on tensors without data, with distinct sizes.

This costs about a tenth of tracing with symbolic sizes and has the same result: the decomposed calls, and the sizes, strides and integers
in terms of the inputs' sizes. If a call depends on anything else (data, memory, random numbers, sizes that are not products of input
sizes), there is no recording, and the functions are traced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ...dialects.aten import contiguous_strides
from ...torch_internals.operators import is_composite, schema_of
from ...torch_internals.tensors import storage_id
from ..decompositions.table import decomposition_table
from .pattern_outline import Outline, Seen
from .pattern_runs import run
from .pattern_sizes import Sizes, Unusual
from .remembered_results import result_of

aten = torch.ops.aten
# The sizes of two operands that must be equal, counted from the end.
_CONTRACTIONS = {
    aten.mm.default: ((0, -1, 1, -2),),
    aten.bmm.default: ((0, -1, 1, -2), (0, -3, 1, -3)),
    aten.addmm.default: ((1, -1, 2, -2), (0, -1, 2, -1)),
    aten.baddbmm.default: ((1, -1, 2, -2), (1, -3, 2, -3), (0, -1, 2, -1)),
}
_REFUSED = frozenset({torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape, torch.Tag.nondeterministic_seeded})
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_MATMULS = frozenset({torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__})
# The most runs of a function until all sizes that must be equal are equal.
_RUNS = 12


@dataclass(frozen=True)
class Ref:
    """A tensor among the arguments of a call, by its number."""

    number: int


@dataclass(frozen=True)
class Shape:
    """A tensor's layout and its memory."""

    dtype: torch.dtype
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage: int


@dataclass(frozen=True)
class RecordedCall:
    """A call of an operator. `results`: the numbers of its results, None for one that is left out."""

    operator: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: tuple[int | None, ...]


class _Again(Exception):
    """Two sizes must be equal that were not: the function must run again."""


class Recording(TorchDispatchMode):
    """The decomposed calls of a run (`calls`), those that the function itself makes (`outer`), and the tensors by number: the inputs first,
    then the calls' results."""

    def __init__(self, sizes: Sizes | None, device: torch.device) -> None:
        super().__init__()
        self.sizes = sizes
        self._device = device
        self.calls: list[RecordedCall] = []
        self.outer: list[RecordedCall] = []
        self.shapes: list[Shape] = []
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self._table = decomposition_table()
        self._depth = 0
        self._known: dict[Any, int] = {}
        self._numbers: dict[int, int] = {}
        self._alive: list[torch.Tensor] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # Dynamo never traces this mode; the wrapper that would prevent it costs as much as a call

    def add_inputs(self, tensors: Sequence[torch.Tensor]) -> None:
        """Numbers the inputs of the function."""
        for tensor in tensors:
            self.inputs.append(self._made(tensor))

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if operator.namespace == "prim":
            return operator(*args, **kwargs)
        self._check(operator, args)
        decomposition = self._table.get(operator)
        if decomposition is None and is_composite(operator, self._device):
            with self:
                return operator.decompose(*args, **kwargs)
        result = NotImplemented
        if decomposition is not None:
            result = self._decomposed(decomposition, args, kwargs)
        if result is NotImplemented:
            result = result_of(operator, args, kwargs)
            self.calls.append(self._call(operator, args, kwargs, result))
        if not self._depth:
            self.outer.append(self.calls[-1] if decomposition is None else self._call(operator, args, kwargs, result))
        return result

    def _decomposed(self, decomposition: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        self._depth += 1
        try:
            with self:
                return decomposition(*args, **kwargs)
        finally:
            self._depth -= 1

    def _check(self, operator: Any, args: Any) -> None:
        if schema_of(operator).is_mutable or not _REFUSED.isdisjoint(operator.tags) or operator is aten._local_scalar_dense.default:
            raise Unusual(operator)
        if self.sizes is None:
            return
        shapes = [a.shape for a in args if isinstance(a, torch.Tensor)]
        if len(shapes) > 1 and any([self.sizes.join(a, b) for a, b in _unequal(operator, shapes)]):
            raise _Again

    def _call(self, operator: Any, args: Any, kwargs: Any, result: Any) -> RecordedCall:
        results = result if isinstance(result, (tuple, list)) else (result,)
        given = [self._given(a) for a in args]
        named = {n: self._given(a) for n, a in kwargs.items()} if kwargs else {}
        return RecordedCall(operator, tuple(given), named, tuple(None if r is None else self._made(r) for r in results))

    def _given(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return Ref(self.number(value))
        if isinstance(value, (tuple, list)):
            return [self._given(v) for v in value]
        return value

    def number(self, tensor: torch.Tensor) -> int:
        """The number of a tensor. Autograd returns saved tensors as other objects, so a tensor is identified by its memory. Raises
        Unusual."""
        number = self._numbers.get(id(tensor))
        if number is None:
            number = self._known.get(self._shape(tensor))
            if number is None:
                raise Unusual("a tensor from outside")
            self._note(tensor, number)
        return number

    def _made(self, tensor: Any) -> int:
        """The number of a call's result: a new one if it is a new tensor."""
        number = self._numbers.get(id(tensor))
        if number is None:
            number, shape = len(self.shapes), self._shape(tensor)
            self._known.setdefault(shape, number)
            self.shapes.append(shape)
            self._note(tensor, number)
        return number

    def _note(self, tensor: torch.Tensor, number: int) -> None:
        self._numbers[id(tensor)] = number
        self._alive.append(tensor)

    def _shape(self, tensor: Any) -> Shape:
        if type(tensor) not in _PLAIN or tensor.layout != torch.strided or tensor.is_complex() or tensor.device.type != "meta":
            raise Unusual(type(tensor))
        storage = storage_id(tensor)
        return Shape(tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), storage)


def _unequal(operator: Any, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Sizes of a call's operands that must be equal, and are not."""
    contraction = _CONTRACTIONS.get(operator)
    if contraction is not None:
        pairs = [(shapes[a][i], shapes[b][j]) for a, i, b, j in contraction if max(-i - len(shapes[a]), -j - len(shapes[b])) <= 0]
        return [(a, b) for a, b in pairs if a != b]
    if torch.Tag.pointwise not in operator.tags or all(s == shapes[0] for s in shapes):
        return []
    columns = (sorted({*column} - {1}) for column in zip_longest(*(s[::-1] for s in shapes), fillvalue=1))
    return [(column[0], other) for column in columns for other in column[1:]]


class Recorded:
    """A function's calls, with sizes as expressions, from two runs."""

    def __init__(self, first: Recording, second: Recording, sizes: Sizes, device: torch.device) -> None:
        self.first, self.second, self.sizes, self.device = first, second, sizes, device
        one, other = (([c.results for c in r.calls], r.inputs, r.outputs, len(r.shapes)) for r in (first, second))
        if one != other:
            raise Unusual("what is called depends on sizes")

    def calls(self) -> list[tuple[RecordedCall, RecordedCall]]:
        """The calls that the results depend on, of both runs, in order."""
        wanted, live = set(self.first.outputs), []
        for one, other in zip(reversed(self.first.calls), reversed(self.second.calls), strict=True):
            if not wanted.isdisjoint(one.results):
                wanted.update(_refs([*one.args, *one.kwargs.values()]))
                live.append((one, other))
        return live[::-1]

    def value(self, one: Any, other: Any) -> Any:
        """An argument: a Ref for a tensor, sizes as expressions."""
        if type(one) is not type(other):
            raise Unusual(one)
        if isinstance(one, list):
            if len(one) != len(other):
                raise Unusual(one)
            return [self.value(a, b) for a, b in zip(one, other, strict=True)]
        if type(one) is int:
            return self.sizes.size(one, other)
        if isinstance(one, torch.device):
            return self.device
        if one != other:
            raise Unusual(one)
        return one

    def agrees(self, seen: Sequence[Seen], inputs: Sequence[int]) -> bool:
        """Whether the calls are the ones that were `seen` with the examples. `inputs`: the numbers of the inputs in `seen`."""
        outer = list(zip(self.first.outer, self.second.outer, strict=True))
        numbers = dict(zip(self.first.inputs, inputs, strict=True))
        return len(outer) == len(seen) and all(self._agrees(s, a, b, numbers) for s, (a, b) in zip(seen, outer, strict=True))

    def _agrees(self, seen: Seen, one: RecordedCall, other: RecordedCall, numbers: dict[int, int]) -> bool:
        given, also = ([*c.args, *(list(item) for item in sorted(c.kwargs.items()))] for c in (one, other))
        if seen.operator is not one.operator or not self._is(seen.arguments, given, also, numbers):
            return False
        numbers.update((result, number) for number, result in zip(seen.results, one.results, strict=True) if result is not None)
        return True

    def _is(self, seen: Any, one: Any, other: Any, numbers: dict[int, int]) -> bool:
        if isinstance(seen, int):
            return isinstance(one, Ref) and numbers.get(one.number) == seen
        if len(seen) == 2 and isinstance(seen[0], type):
            if type(one) is int:
                one = self.sizes.example(one, other)
            return isinstance(one, torch.device) or seen == (type(one), repr(float(one)) if isinstance(one, float) else repr(one))
        return (
            isinstance(one, list)
            and len(one) == len(seen) == len(other)
            and all(self._is(s, a, b, numbers) for s, a, b in zip(seen, one, other, strict=True))
        )


def _refs(values: Sequence[Any]) -> set[int]:
    found: set[int] = set()
    for value in values:
        if isinstance(value, Ref):
            found.add(value.number)
        elif isinstance(value, list):
            found |= _refs(value)
    return found


def record(
    calls: Sequence[Callable[..., list[torch.Tensor]]],
    examples: Sequence[torch.Tensor],
    *,
    joint: bool,
    baked: bool,
    accumulated: Sequence[int],
    seen: Outline,
) -> list[Recorded]:
    """The recordings of the functions. Sizes that any function requires to be equal are equal in all. Raises Unusual, or the functions'
    exceptions. `seen`: the functions' calls with the examples, compared with the recordings if nothing is `accumulated`; so record without
    `accumulated` first."""
    device = examples[0].device
    if any(e.storage_offset() or e.device != device for e in examples):
        raise Unusual("examples on several devices, or within others")
    sizes = Sizes(examples, baked)
    runs = _Runs(examples, device, joint, accumulated)
    firsts: list[Recording] = [Recording(sizes, device)] * len(calls)
    joined = [-1] * len(calls)
    while stale := [n for n, j in enumerate(joined) if j != sizes.joined]:
        firsts[stale[0]] = runs.first(calls[stale[0]], sizes)
        joined[stale[0]] = sizes.joined
    found = [Recorded(one, runs.second(call, sizes), sizes, device) for call, one in zip(calls, firsts, strict=True)]
    if not accumulated and not all(r.agrees(c, i) for r, c, i in zip(found, seen.calls, seen.inputs, strict=True)):
        raise Unusual("other calls than with the examples")
    return found


@dataclass
class _Runs:
    """Runs functions on tensors without data."""

    examples: Sequence[torch.Tensor]
    device: torch.device
    joint: bool
    accumulated: Sequence[int]

    def first(self, call: Any, sizes: Sizes) -> Recording:
        """A run with the first set of sizes, repeated while the function requires further sizes to be equal."""
        for _ in range(_RUNS):
            try:
                with _Products(sizes):
                    return self._run(Recording(sizes, self.device), call, sizes.shapes(False))
            except _Again:
                continue
        raise Unusual("sizes that are equal")

    def second(self, call: Any, sizes: Sizes) -> Recording:
        """A run with the second set of sizes."""
        return self._run(Recording(None, self.device), call, sizes.shapes(True))

    def _run(self, recording: Recording, call: Any, shapes: Any) -> Recording:
        inputs = [_like(e, shape, self.joint) for e, shape in zip(self.examples, shapes, strict=True)]
        results = run(recording, call, inputs, self.joint, self.accumulated)
        recording.outputs = [recording.number(r) for r in results]
        return recording


def _like(example: torch.Tensor, shape: tuple[int, ...], joint: bool) -> torch.Tensor:
    """A tensor without data of another shape, dense in the example's order of dims. Raises Unusual."""
    order = list(range(example.dim()))
    if example.stride() != contiguous_strides(tuple(example.shape)):
        order.sort(key=lambda d: -example.stride(d))
    if tuple(example.stride(d) for d in order) != contiguous_strides(tuple(example.shape[d] for d in order)):
        raise Unusual("an example with gaps")
    strides = dict(zip(order, contiguous_strides(tuple(shape[d] for d in order)), strict=True))
    made = torch.empty_strided(shape, [strides[d] for d in range(example.dim())], dtype=example.dtype, device="meta")
    return made.requires_grad_(joint and example.requires_grad)


class _Products(TorchFunctionMode):
    """Records which sizes a matrix product requires to be equal, before it is decomposed."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function in _MATMULS and len(args) == 2 and min(args[0].dim(), args[1].dim()) > 1:
            one, other = args[0].shape, args[1].shape
            pairs = [(one[-1], other[-2]), *zip(one[-3::-1], other[-3::-1], strict=False)]
            if any([self.sizes.join(a, b) for a, b in pairs if a != b]):
                raise _Again
        return function(*args, **(kwargs or {}))
