"""Custom operators of random programs: they write what they are given, or give new tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_library = torch.library.Library("mlirind_fuzz", "DEF")


def _operator(schema: str, run: Callable[..., Any], fake: Callable[..., Any]) -> Any:
    name = schema.split("(")[0]
    _library.define(schema)
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"mlirind_fuzz::{name}", fake, lib=_library)
    return getattr(torch.ops.mlirind_fuzz, name).default


def _add_into(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(y)


def _list_into(xs: list[torch.Tensor], y: torch.Tensor) -> None:
    for x in xs:
        x.add_(y)


def _write_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.add_(y)
    y.mul_(2)
    return x - y


def _negate(x: torch.Tensor) -> None:
    x.neg_()


def _fill(x: torch.Tensor, value: float) -> None:
    x.fill_(value)


def _swap(x: torch.Tensor, y: torch.Tensor) -> None:
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)


def _write_and_give(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.add_(y)
    return x * 2


def _add_at(x: torch.Tensor, place: int) -> None:
    x.select(0, place).add_(1)


def _lists(xs: list[torch.Tensor], y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    for x in xs:
        x.sub_(y)
    return y + 1, y * 2


def _pieces(x: torch.Tensor) -> list[torch.Tensor]:
    return [x + 1, x * 2]


def _optional(x: torch.Tensor | None, y: torch.Tensor, z: torch.Tensor | None = None) -> torch.Tensor:
    if x is not None:
        x.add_(y)
    return y * 2 if z is None else y + z


OPERATORS = {
    "fuzz_opaque": _operator("opaque(Tensor x) -> Tensor", lambda x: x + 1, lambda x: x + 1),
    "fuzz_add_into": _operator("add_into(Tensor(a!) x, Tensor y) -> ()", _add_into, lambda x, y: None),
    "fuzz_list": _operator("list_into(Tensor(a!)[] xs, Tensor y) -> ()", _list_into, lambda xs, y: None),
    "fuzz_two": _operator("two(Tensor(a!) x, Tensor(b!) y) -> Tensor", _write_two, lambda x, y: x - y),
    "fuzz_neg": _operator("neg(Tensor(a!) x) -> ()", _negate, lambda x: None),
    "fuzz_fill": _operator("fill(Tensor(a!) x, Scalar value) -> ()", _fill, lambda x, value: None),
    "fuzz_swap": _operator("swap(Tensor(a!) x, Tensor(b!) y) -> ()", _swap, lambda x, y: None),
    "fuzz_give": _operator("give(Tensor(a!) x, Tensor y) -> Tensor", _write_and_give, lambda x, y: x * 2),
    "fuzz_at": _operator("at(Tensor(a!) x, SymInt place) -> ()", _add_at, lambda x, place: None),
    "fuzz_lists": _operator("lists(Tensor(a!)[] xs, Tensor y) -> (Tensor, Tensor)", _lists, lambda xs, y: (y + 1, y * 2)),
    "fuzz_pieces": _operator("pieces(Tensor x) -> Tensor[]", _pieces, _pieces),
    "fuzz_optional": _operator(
        "optional(Tensor(a!)? x, Tensor y, Tensor? z=None) -> Tensor", _optional, lambda x, y, z=None: y * 2 if z is None else y + z
    ),
}
