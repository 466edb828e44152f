"""The inputs of random programs, and statements that hand parts of tensors to custom operators."""

from __future__ import annotations

from typing import Any

import torch
from fuzz_statements import ON, State, broadcasts, is_plain, kind, overlaps_itself

SHAPES = [(4,), (6,), (2, 3), (3, 4), (4, 4), (2, 3, 4), (1, 4), (3, 1), ()]
DTYPES = ["float32"] * 6 + ["int64", "int32", "float16", "bfloat16", "float64", "uint8"]


def inputs(s: State) -> list[str]:
    """Lines that make the inputs `x0`, `x1`, ... : some of them views of one tensor, or one tensor twice; some begin inside their
    storage, and end before it does."""
    dtype = s.random.choice(DTYPES)
    shape: Any = s.random.choice(SHAPES)
    lines = []
    for number in range(s.random.randint(1, 3)):
        earlier = [f"x{n}" for n in range(number)]
        if earlier and s.random.random() < 0.4:
            base = s.random.choice(earlier)
            views = ["", ".view(-1)", "[:]", ".mT", "[..., 1:]", "[..., ::2]", "[0]", "[1:]"]
            lines.append(base + s.random.choice(views))
            continue
        shape = shape if s.random.random() < 0.5 else s.random.choice(SHAPES)
        size = torch.Size(shape).numel()
        if s.random.random() < 0.3:
            lines.append(_inside(s, shape, dtype))
        elif "float" in dtype and s.random.random() < 0.15:
            numbers = [s.random.choice([0.0, -0.0, 1.0, -2.0]) for _ in range(size)]
            lines.append(f"torch.tensor({numbers}{ON}).reshape({shape}).to(torch.{dtype})")
        else:
            lines.append(f"(torch.arange({size}{ON}) - {s.random.randint(0, 3)}).reshape({shape}).to(torch.{dtype})")
    return lines


def _inside(s: State, shape: tuple[int, ...], dtype: str) -> str:
    """A tensor of a shape that lies in a larger storage, and begins behind its start."""
    before, after = s.random.randint(1, 3), s.random.randint(0, 3)
    around = (*shape[:-1], shape[-1] + before + after) if shape else (before + after + 1,)
    rows = s.random.randint(0, 2) if len(shape) > 1 else 0
    around = (around[0] + rows, *around[1:])
    size = torch.Size(around).numel()
    base = f"torch.arange({size}{ON}).reshape({around}).to(torch.{dtype})"
    if not shape:
        return f"{base}[{before}]"
    if s.random.random() < 0.3:
        strides = torch.empty(shape).stride()
        strides = strides if s.random.random() < 0.5 else torch.empty(shape[::-1]).permute(*range(len(shape))[::-1]).stride()
        return f"{base}.as_strided({shape}, {tuple(strides)}, {before})"
    first = s.random.randint(0, rows)
    lead = f"{first}:{first + shape[0]}, " if len(shape) > 1 else ""
    return f"{base}[{lead}{'..., ' * (len(shape) > 2)}{before}:{before + shape[-1]}]"


@kind(6)
def operator_on_part(s: State) -> str | None:
    """A custom operator that writes a view that is made for it."""
    name = s.target()
    if name is None:
        return None
    t = s.tensors[name]
    number = s.number(t)
    parts = [f"{name}[None]", f"{name}.detach()"]
    if is_plain(t):
        d = s.dim(t)
        a = s.random.randrange(t.shape[d])
        parts += [
            f"{name}.select({d}, {a})",
            f"{name}.narrow({d}, {a}, 1)",
            f"{name}[{a % t.shape[0]}:]",
            f"{name}[{a % t.shape[0]}]",
            f"{name}.mT",
        ]
        parts += [f"{name}[None][0]", f"{name}[::2]", f"{name}[None, {a % t.shape[0]}:]", f"{name}.view(-1)", f"{name}.unbind({d})[{a}]"]
    if t.dim() > 1:
        parts += [f"{name}[1:].mT", f"{name}.mT[0]", f"{name}.diagonal()", f"{name}[..., 1:]", f"{name}.t()", f"{name}[0][1:]"]
    part = s.random.choice(parts)
    choices = [f"fuzz_neg({part})", f"fuzz_fill({part}, {number})", f"fuzz_at({part}, 0)", f"fuzz_neg({name}); fuzz_fill({part}, {number})"]
    choices += [f"fuzz_add_into({part}, {part} * 2)", f"{s.new()} = fuzz_give({part}, {part}.clone())", f"fuzz_list([{part}], {part} * 2)"]
    return s.random.choice(choices)


@kind(5)
def operator(s: State) -> str | None:
    """A custom operator that writes whole tensors, and gives others, or lists of them."""
    name = s.target()
    if name is None:
        return None
    t = s.tensors[name]
    other = s.source(t, lambda o: broadcasts(t, o) and o.dtype == t.dtype)
    if other in s.tensors and torch._C._is_alias_of(s.tensors[other], t):
        other = f"{other}.clone()"  # AOTAutograd gives the operator its value from before the write
    choices = [
        f"fuzz_neg({name})",
        f"fuzz_fill({name}, {s.number(t)})",
        f"{s.new()} = fuzz_optional(None, {name})",
        f"{s.new()} = fuzz_pieces({name})[1]",
    ]
    if other:
        choices += [f"{s.new()} = fuzz_give({name}, {other})"] * 2 + [f"{s.new()} = fuzz_lists([{name}], {other})[0]"]
        choices += [f"{s.new()} = fuzz_optional({name}, {other}, {other})", f"{s.new()} = fuzz_optional({name}, {other})"]
    second = s.like(t)
    apart = second and not torch._C._is_alias_of(t, s.tensors[second]) and not overlaps_itself(s.tensors[second])
    if second and apart:
        choices += [f"fuzz_swap({name}, {second})"] * 3 + [f"{s.new()} = fuzz_lists([{name}, {second}], {name} * 2)[1]"] * 2
        choices += [f"fuzz_swap({name}, {second}); fuzz_neg({second}.mT)", f"fuzz_list([{name}, {second}], {name}.clone())"]
    return s.random.choice(choices)


@kind(1)
def view_in_place(s: State) -> str | None:
    """A variable that becomes a view of what it is."""
    name = s.pick()
    return name and f"{name}.{s.random.choice(['unsqueeze_(0)', 'squeeze_()', 'unsqueeze_(-1)', 'transpose_(0, -1)'])}"
