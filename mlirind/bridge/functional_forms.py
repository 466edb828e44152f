"""Functional forms of operators that write to their arguments: they copy these first, and return the copies as results.

The form of `ns::op(Tensor(a!) x, Tensor y) -> Tensor` is `mlirindfunctional::ns__op(Tensor x, Tensor y) -> (Tensor, Tensor)`, an ordinary
operator. Calls that leave out an optional written argument have a form of their own, without a result for it.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import torch

from ..errors import UnsupportedGraph
from ..torch_internals.operators import given_arguments, schema_of

NAMESPACE = "mlirindfunctional"
_ALIAS = re.compile(r"\(\w+(!| -> \*)?\)")

_library = torch.library.Library(NAMESPACE, "FRAGMENT")
# The operator of each form, by the form's name.
originals: dict[str, torch._ops.OpOverload] = {}


def arguments_written_by_operator(operator: torch._ops.OpOverload) -> list[Any]:
    """The arguments of the schema that the operator writes."""
    return [a for a in schema_of(operator).arguments if a.alias_info is not None and a.alias_info.is_write]


@functools.cache
def functional_form(operator: torch._ops.OpOverload, absent: frozenset[str] = frozenset()) -> torch._ops.OpOverload:
    """The functional form, made at the first call. Results: the operator's own, then what it wrote, argument by argument. `absent`: the
    names of written arguments that are None."""
    schema = schema_of(operator)
    if any(r.alias_info is not None for r in schema.returns):
        raise UnsupportedGraph(f"{operator} writes an argument and returns it")
    namespace, _, base = schema.name.partition("::")
    name = f"{namespace}__{base}" + (f"__{schema.overload_name}" if schema.overload_name else "")
    name += "".join(f"__no_{argument}" for argument in sorted(absent))
    given = str(schema)
    arguments = given[given.index("(") : given.rindex(" -> ")]
    results = [str(r.type) for r in schema.returns]
    written = [a for a in arguments_written_by_operator(operator) if a.name not in absent]
    results += ["Tensor[]" if _is_list(a) else "Tensor" for a in written]
    _library.define(f"{name}{_ALIAS.sub('', arguments)} -> ({', '.join(map(schema_type, results))})")
    run = functools.partial(_run, operator)
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", run, lib=_library)
    originals[f"{NAMESPACE}.{name}.default"] = operator
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def _is_list(argument: Any) -> bool:
    return "List[" in str(argument.type)


def schema_type(text: str) -> str:
    """`List[Tensor]` -> `Tensor[]`"""
    return text[5:-1] + "[]" if text.startswith("List[") else text


def _run(operator: torch._ops.OpOverload, *args: Any, **kwargs: Any) -> Any:
    values = given_arguments(operator, args, kwargs)
    names = [a.name for a in arguments_written_by_operator(operator) if values.get(a.name) is not None]
    written = [_copy(values[name]) for name in names]
    values |= dict(zip(names, written, strict=True))
    out = operator(**values)
    own = [] if not schema_of(operator).returns else [out] if len(schema_of(operator).returns) == 1 else list(out)
    results = (*own, *written)
    return results if len(results) > 1 else results[0]


def _copy(value: Any) -> Any:
    """A copy with the same strides; for a list, of each tensor."""
    if isinstance(value, (list, tuple)):
        return [_copy(v) for v in value]
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device).copy_(value)
