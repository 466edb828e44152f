"""Ordered forms of operators with effects: operators that take and return the token that orders the call.

The form of `ns::op(Tensor x, str y) -> Tensor` is `mlirindordered::ns_op(Tensor? effect_token, Tensor x, str y) -> (Tensor, Tensor)`; the
first result is the next call's token. A token only represents the order: at run time it is None.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import torch

from ..dialects.aten_schema import EFFECTFUL, ORDERED, ordered_name
from ..errors import UnsupportedGraph
from ..torch_internals.operators import schema_of
from .functional_forms import schema_type

_library = torch.library.Library(ORDERED, "FRAGMENT")
# The operator of each form, by the form's name.
originals: dict[str, torch._ops.OpOverload] = {}


@functools.cache
def ordered_form(called: torch._ops.OpOverload) -> torch._ops.OpOverload:
    """The form of an operator, made at the first call."""
    schema = schema_of(called)
    if schema.is_mutable or any(a.alias_info is not None for a in (*schema.arguments, *schema.returns)):
        raise UnsupportedGraph(f"{called} is ordered by a token, and writes or views an argument")
    name = _free_name(called)
    given = str(schema)
    arguments = given[given.index("(") + 1 : given.rindex(") -> ")]
    results = ", ".join(["Tensor", *(schema_type(str(r.type)) for r in schema.returns)])
    _library.define(f"{name}(Tensor? effect_token{', ' if arguments else ''}{arguments}) -> ({results})")
    _library.impl(name, functools.partial(_run, called), "CompositeExplicitAutograd")
    torch.library.register_fake(f"{ORDERED}::{name}", functools.partial(_fake, called), lib=_library)
    originals[f"{ORDERED}.{name}.default"] = called
    return getattr(getattr(torch.ops, ORDERED), name).default


def form_named(name: str) -> torch._ops.OpOverload:
    """The form with a name; makes those of PyTorch's own operators, for IR from elsewhere."""
    if name not in originals:
        own = next(n for n in EFFECTFUL if ordered_name(n) == name)
        _, base, overload = own.split(".")
        return ordered_form(getattr(getattr(torch.ops.aten, base), overload))
    return ordered_form(originals[name])


def _free_name(called: torch._ops.OpOverload) -> str:
    """The form's name without its namespace; a second operator with the same name gets a number."""
    _, name, _ = ordered_name(str(called)).split(".")
    candidates = itertools.chain([name], (f"{name}_{n}" for n in itertools.count(2)))
    return next(c for c in candidates if f"{ORDERED}.{c}.default" not in originals)


def _run(called: torch._ops.OpOverload, _token: torch.Tensor | None, *args: Any, **kwargs: Any) -> Any:
    return _with_token(called, None, called(*args, **kwargs))


def _fake(called: torch._ops.OpOverload, token: torch.Tensor | None, *args: Any, **kwargs: Any) -> Any:
    """Does not call an operator without results: it might have its effect."""
    made = torch.empty(0) if token is None else torch.empty_like(token)
    return _with_token(called, made, called(*args, **kwargs) if schema_of(called).returns else None)


def _with_token(called: torch._ops.OpOverload, token: torch.Tensor | None, results: Any) -> Any:
    count = len(schema_of(called).returns)
    return token if count == 0 else (token, results) if count == 1 else (token, *results)
