"""Opaque calls: nodes that the dialect has no operator for, such as `cond`, as calls of operators that run them in Python.

The operator `mlirindopaque::cond_Tx2i_r1(int call, Tensor a0, Tensor a1, SymInt a2) -> Tensor` runs the `OpaqueCall` with the number
`call`. Its name holds the kinds of its arguments and the number of its results: calls of one form share it.
"""

from __future__ import annotations

import functools
import itertools
import re
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from ..dialects.aten_names import OPAQUE
from ..torch_internals.tensors import storage_id

if TYPE_CHECKING:
    from ..dialects.aten import TensorInfo  # loaded graphs make opaque calls without MLIR

_library = torch.library.Library(OPAQUE, "FRAGMENT")
_KINDS = {"Tensor": "T", "SymInt": "i", "float": "f"}
_numbers = itertools.count()


@dataclass(frozen=True)
class ControlFlow:
    """What native code needs to make the call of `cond`, `while_loop`, `scan` or `map_impl` (`kind`) itself.

    `bodies`: the compiled subgraphs; `inputs`: what the operator takes beside them, the predicate of `cond` first, each the number of an
    argument of the opaque call as (number,), or an integer; `carried` and `sliced`: how many of them are carried from step to step, and
    how many are sliced; `places`: the number of the call's result for each result of the operator; `is_random`: a body draws random
    numbers."""

    kind: str
    bodies: tuple[Any, ...]
    inputs: tuple[tuple[int] | int, ...]
    carried: int
    sliced: int
    places: tuple[int, ...]
    is_random: bool


@dataclass(eq=False)
class OpaqueCall:
    """One node: `function` takes the operands and returns the list of results; `operands` and `results`: the types of the tensors among
    them, from the graph's fake tensors; `control`: the same for native code, if it can make the call; `fresh`: the results share no memory;
    `graph`: what the cache writes of the call (`frontend/importing/call_graphs.py`), None if it can't.
    The call exists as long as something refers to it."""

    function: Callable[..., Sequence[torch.Tensor]]
    operands: tuple[TensorInfo, ...]
    results: tuple[TensorInfo, ...]
    control: ControlFlow | None = None
    fresh: bool = False
    graph: Any = None
    number: int = field(default_factory=lambda: next(_numbers))

    def __post_init__(self) -> None:
        _calls[self.number] = self

    def run(self, _number: int, *values: Any) -> Any:
        """The results; a tuple if there are several. None shares memory with an operand or another result."""
        results = self.function(*values)
        if self.fresh:
            return results[0] if len(results) == 1 else tuple(results)
        known = {storage_id(v) for v in values if isinstance(v, torch.Tensor)}
        own = [_own(r, known) for r in results]
        return own[0] if len(own) == 1 else tuple(own)


_calls: weakref.WeakValueDictionary[int, OpaqueCall] = weakref.WeakValueDictionary()


def opaque_call(number: int) -> OpaqueCall:
    """The opaque call with this number. Raises KeyError if nothing refers to it any more."""
    return _calls[number]


@functools.cache
def opaque_operator(node_name: str, kinds: tuple[str, ...], results: int, random: bool) -> torch._ops.OpOverload:
    """The operator for calls of a form, made at the first call. `kinds`: schema types of the arguments; `random`: it draws random
    numbers."""
    runs = [(_KINDS[kind], len(list(run))) for kind, run in itertools.groupby(kinds)]
    form = "".join(letter + (f"x{count}" if count > 1 else "") for letter, count in runs)
    name = f"{re.sub(r'[^A-Za-z0-9]+', '_', node_name).strip('_')}_{form}_r{results}{'_random' if random else ''}"
    arguments = "".join(f", {kind} a{n}" for n, kind in enumerate(kinds))
    returns = "Tensor" if results == 1 else f"({', '.join(['Tensor'] * results)})"
    tags = (torch.Tag.nondeterministic_seeded,) if random else ()
    _library.define(f"{name}(int call{arguments}) -> {returns}", tags=tags)
    _library.impl(name, _run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{OPAQUE}::{name}", _run, lib=_library)
    return getattr(getattr(torch.ops, OPAQUE), name).default


def _run(number: int, *values: Any) -> Any:
    return opaque_call(number).run(number, *values)


def _own(result: torch.Tensor, known: set[int]) -> torch.Tensor:
    """The result, or a copy if its storage is among `known`. Adds its storage to `known`."""
    if storage_id(result) in known:
        result = result.clone()
    known.add(storage_id(result))
    return result
