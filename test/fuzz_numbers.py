"""Statements of random programs that use the program's integers, floats and bools: of either sign, and zero, as any of the things that a
number may be; the same function is called again with others."""

from __future__ import annotations

from fuzz_statements import ON, State, is_plain, kind

INTEGERS = [-4, -3, -2, -2, -1, -1, -1, 0, 0, 1, 1, 2, 2, 3, 4]
FLOATS = [-2.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0]
# Out of any range that the tensors have.
FAR = [-9, 7, 20]


def give_numbers(s: State) -> None:
    """The numbers that the program is called with: none in five programs of nine."""
    for name in ["n0", "n1"][: s.random.choice([0, 0, 0, 0, 0, 1, 1, 1, 2])]:
        s.numbers[name] = s.random.choice(INTEGERS)
    if s.numbers and s.random.random() < 0.25:
        s.numbers["f0"] = s.random.choice(FLOATS)
    if s.numbers and s.random.random() < 0.25:
        s.numbers["b0"] = s.random.random() < 0.5


def other_numbers(s: State) -> dict[str, int | float | bool]:
    """What the program is called with later: at least one number is another; in half of the programs only integers are."""
    others = dict(s.numbers)
    only_integers = s.random.random() < 0.5
    while others == s.numbers:
        for name, value in s.numbers.items():
            if isinstance(value, bool):
                others[name] = value if only_integers else s.random.random() < 0.5
            elif isinstance(value, float):
                others[name] = value if only_integers else s.random.choice(FLOATS)
            else:
                others[name] = s.random.choice(INTEGERS if s.random.random() < 0.95 else FAR)
    return others


def _integer(s: State) -> str | None:
    """An expression of the program's integers."""
    names = [n for n in s.numbers if n[0] == "n"]
    if not names:
        return None
    n = s.random.choice(names)
    changed = [
        f"(-{n})",
        f"({n} + 1)",
        f"({n} - 1)",
        f"(2 - {n})",
        f"({n} * 2)",
        f"({n} // 2)",
        f"({n} // -2)",
        f"({n} % 3)",
        f"({n} % -3)",
    ]
    changed += [f"(7 // {n})", f"(7 % {n})", f"({n} * {n})", f"torch.sym_max({n}, 0)", f"torch.sym_min({n}, 1)", f"({n} + {names[0]})"]
    return n if s.random.random() < 0.7 else s.random.choice(changed)


@kind(8)
def number_view(s: State) -> str | None:
    """A view that begins, ends or lies where a number says."""
    name, n = s.pick(is_plain), _integer(s)
    if name is None or n is None:
        return None
    t, d = s.tensors[name], s.dim(s.tensors[name])
    places = [
        f"{name}[{n}]", f"{name}[{n}:]", f"{name}[:{n}]", f"{name}[{n}:{n} + 2]", f"{name}[{n}:-1]", f"{name}[..., {n}]",
        f"{name}[..., {n}:]",
        f"{name}.select({d}, {n})", f"{name}.narrow({d}, {n}, 1)", f"{name}.narrow({d}, 0, {n})", f"{name}.mT[{n}]", f"{name}[None, {n}]",
        f"torch.ops.aten.slice.Tensor({name}, {d}, {n}, {t.shape[d]}, 2)", f"{name}[-1 - {n}]",
    ]  # fmt: skip
    others = [
        f"{name}.unsqueeze({n})", f"{name}.transpose(0, {n})", f"{name}.view({n}, -1)",
        f"{name}.expand({', '.join(map(str, (n, *t.shape)))})",
        f"torch.split({name}, {n}, {d})[-1]", f"{name}.chunk({n}, {d})[0]", f"{name}.flatten({n})", f"{name}.unfold({d}, {n}, 1)",
        f"{name}.as_strided({tuple(t.shape)}, {tuple(t.stride())}, {n})", f"{name}.reshape({n}, -1)",
    ]  # fmt: skip
    if t.dim() > 1:
        places += [f"{name}.diagonal({n})"] * 2
    return f"{s.new()} = {s.random.choice(places if s.random.random() < 0.8 else others)}"


@kind(12)
def number_write(s: State) -> str | None:
    """A write where a number says, or of a number."""
    name, n = s.target(), _integer(s)
    if name is None or n is None:
        return None
    t, number = s.tensors[name], s.number(s.tensors[name])
    values = [f"{name}.fill_({n})", f"{name}.add_({n})", f"{name}.mul_({n})", f"{name}.clamp_(min={n})", f"fuzz_fill({name}, {n})"]
    if not is_plain(t):
        return s.random.choice(values)
    d = s.dim(t)
    places = [
        f"store({name}, ({n},), {number})", f"store({name}, (slice({n}, None),), {number})",
        f"store({name}, (slice(None, {n}),), {number})",
        f"store({name}, (slice({n}, {n} + 2),), {number})", f"store({name}, (slice({n}, -1),), {number})",
        f"store({name}, (..., {n}), {number})",
        f"{name}[{n}].add_({number})", f"{name}[{n}:].mul_({number})", f"{name}[{n}:{n} + 2].mul_(3)",
        f"{name}.select({d}, {n}).fill_({number})",
        f"{name}.narrow({d}, {n}, 1).add_(1)", f"{name}.narrow({d}, {n}, 1).copy_({name}.narrow({d}, 0, 1) * 2)",
        f"{name}[{n}].copy_({name}[0] * 2)",
        f"store({name}.mT, ({n},), {number})", f"{name}.mT[{n}].neg_()", f"fuzz_fill({name}[{n}], {number})", f"fuzz_neg({name}[{n}:])",
        f"fuzz_at({name}, {n})", f"fuzz_add_into({name}.select({d}, {n}), {name}.select({d}, 0) + 1)", f"fuzz_neg({name}[None, {n}])",
        f"{name}.index_fill_({d}, torch.tensor([0]{ON}), {n})", f"{name}.index_fill_({d}, torch.full((1,), {n}{ON}), {number})",
        f"store({name}, (torch.full((1,), {n}{ON}),), {number})",
    ]  # fmt: skip
    if t.dim() > 1:
        places += [f"{name}.diagonal({n}).fill_({number})", f"{name}[0].narrow(0, {n}, 1).add_(2)", f"{name}.tril_({n})"]
    return s.random.choice(places if s.random.random() < 0.8 else values)


@kind(12)
def number_compute(s: State) -> str | None:
    """New tensors by an integer."""
    name, n = s.pick(), _integer(s)
    if name is None or n is None:
        return None
    t, number = s.tensors[name], s.number(s.tensors[name])
    values = [
        f"{name} + {n}", f"{n} - {name}", f"{name} * {n}", f"{name} // {n}", f"{name} % {n}", f"{name} / {n}", f"{name} ** {n}",
        f"{name} == {n}",
        f"torch.add({name}, {name}, alpha={n})", f"{name}.clamp(min={n})", f"{name}.clamp(max={n})", f"torch.full_like({name}, {n})",
        f"torch.full((2,), {n}{ON})", f"{name}.new_full((2,), {n})", f"{name}.masked_fill({name} > {n}, {number})",
        f"torch.where({name} > {number}, {name}, {n})", f"{name} << {n}", f"{name} >> {n}", f"{name} & {n}", f"{n} // {name}",
        f"torch.full((3,), {n} / 2{ON}) + {name}.sum()",
    ]  # fmt: skip
    sizes = [
        f"torch.zeros({n}{ON})",
        f"torch.arange({n}{ON})",
        f"torch.arange({n}, 6{ON})",
        f"torch.ones({n}, 2{ON})",
        f"torch.eye({n}{ON})",
    ]
    if not is_plain(t):
        return f"{s.new()} = {s.random.choice(values + sizes)}"
    d = s.dim(t)
    dims = [f"{name}.{f}({n})" for f in ("sum", "cumsum", "flip", "argmax", "softmax")]
    dims += [f"torch.{f}([{name}, {name}], {n})" for f in ("cat", "stack")] + [f"{name}.amax({n}, keepdim=True)"]
    moved = [
        f"{name}.roll({n}, {d})", f"{name}.roll({n})", f"F.pad({name}, ({n}, 1))", f"F.pad({name}, (1, {n}))", f"{name}[{n}] * 2",
        f"{name}[{n}:] + 1",
        f"torch.select_scatter({name}, {name}.select({d}, 0) * 2, {d}, {n})", f"{name}.index_select({d}, torch.full((1,), {n}{ON}))",
        f"torch.slice_scatter({name}, {name}.narrow({d}, 0, 1) * 2, {d}, {n}, {n} + 1)", f"{name}.take(torch.tensor([{n}]{ON}))",
        f"{name}.gather({d}, torch.full_like({name}, {n}, dtype=torch.int64))", f"{name}.repeat_interleave({n}, {d})",
        f"{name}.repeat({', '.join([n, *'1' * (t.dim() - 1)])})",
        f"torch.slice_scatter({name}, {name}.narrow({d}, 0, 1), {d}, {n}, {n} + 1)",
    ]  # fmt: skip
    if t.dim() > 1:
        moved += [
            f"{name}.tril({n})",
            f"{name}.triu({n})",
            f"torch.diagonal_scatter({name}, {name}.diagonal({n}) * 2, {n})",
            f"{name}.rot90({n})",
        ]
    return f"{s.new()} = {s.random.choice(s.random.choice([values, values, moved, moved, moved, dims, sizes]))}"


@kind(6)
def float_or_bool(s: State) -> str | None:
    """New tensors and writes by a float or a bool."""
    name, numbers = s.pick(), [n for n in s.numbers if n[0] in "fb"]
    if name is None or not numbers:
        return None
    t, v = s.tensors[name], s.random.choice(numbers)
    choices = [
        f"{name} * {v}",
        f"{name} + {v}",
        f"torch.full_like({name}, {v})",
        f"{name} == {v}",
        f"torch.where({name} == {v}, {name}, {v})",
    ]
    choices += [f"torch.full((2,), {v}{ON})", f"{name}.masked_fill({name} > 0, {v})"]
    if v[0] == "f":
        choices += [f"{v} - {name}", f"{name}.clamp(min={v})", f"{name} > {v}", f"torch.add({name}, {name}, alpha={v})", f"{name} / {v}"]
        choices += [f"{name} * ({v} + 1)", f"F.leaky_relu({name}, {v})", f"F.pad({name}, (1, 0), value={v})"]
    elif t.dim():
        choices += [f"{name}.sum({s.dim(t)}, keepdim={v})", f"{name}.cumsum({s.dim(t)}) * {v}", f"{name}.argmax({s.dim(t)}, keepdim={v})"]
    target = s.target()
    if target and s.random.random() < 0.4:
        return f"{target}.{s.random.choice(['fill_', 'mul_', 'add_'])}({v})" if s.random.random() < 0.7 else f"fuzz_fill({target}, {v})"
    return f"{s.new()} = {s.random.choice(choices)}"
