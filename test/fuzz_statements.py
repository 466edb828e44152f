"""The statements of random programs, as source text. Each kind is a function that looks at what the variables hold, in eager mode,
and gives a line, or None where it has nothing to say."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch

Kind = Callable[["State"], "str | None"]
KINDS: list[tuple[int, Kind]] = []
ON = "<device>"  # where a constructor says its device: `placed`

# Numbers that keep floats exact, and those that identities turn on.
NUMBERS = ["0", "1", "-1", "2", "0.0", "1.0", "-0.0", "0.5", "3"]


class State:
    """The variables of a program so far and the choices of its seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tensors: dict[str, torch.Tensor] = {}
        self.numbers: dict[str, Any] = {}  # the arguments that are integers (n0, n1), floats (f0) and bools (b0)
        self.kinds: list[str] = []  # of the statements so far
        self.count = 0

    def pick(self, wanted: Callable[[torch.Tensor], bool] = lambda t: True) -> str | None:
        """A variable that holds what is wanted; later ones more often."""
        names = [n for n, t in self.tensors.items() if wanted(t)]
        return self.random.choice(names[-4:] if names[4:] and self.random.random() < 0.6 else names) if names else None

    def like(self, tensor: torch.Tensor) -> str | None:
        """A variable of the same shape and dtype."""
        return self.pick(lambda t: t.shape == tensor.shape and t.dtype == tensor.dtype)

    def target(self) -> str | None:
        """A variable that may be written: each element has a place of its own."""
        return self.pick(lambda t: t.numel() > 0 and not overlaps_itself(t))

    def source(self, target: torch.Tensor, wanted: Callable[[torch.Tensor], bool]) -> str | None:
        """A variable to be written to `target`; cloned where they share storage, for eager does not define that."""
        name = self.pick(wanted)
        if name is None:
            return None
        found = self.tensors[name]
        same = found.data_ptr() == target.data_ptr() and found.stride() == target.stride() and found.shape == target.shape
        return name if same or not torch._C._is_alias_of(found, target) else f"{name}.clone()"

    def dim(self, tensor: torch.Tensor) -> int:
        return self.random.randrange(tensor.dim())

    def number(self, tensor: torch.Tensor) -> str:
        numbers = NUMBERS if tensor.is_floating_point() else ["0", "1", "-1", "2", "3"]
        return self.random.choice(numbers if tensor.dtype != torch.uint8 else ["0", "1", "2", "3"])

    def new(self) -> str:
        self.count += 1
        return f"v{self.count}"


def overlaps_itself(tensor: torch.Tensor) -> bool:
    """Whether two elements lie at one place."""
    places = torch.arange(tensor.untyped_storage().nbytes() // tensor.element_size() + 1)
    return places.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).unique().numel() < tensor.numel()


def kind(weight: int) -> Callable[[Kind], Kind]:
    def register(function: Kind) -> Kind:
        KINDS.append((weight, function))
        return function

    return register


def is_plain(tensor: torch.Tensor) -> bool:
    return tensor.dim() > 0 and tensor.numel() > 0


def broadcasts(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dim() >= b.dim() and all(x in (y, 1) for x, y in zip(b.shape[::-1], a.shape[::-1], strict=False))


@kind(9)
def view(s: State) -> str | None:
    name = s.pick(is_plain)
    if name is None:
        return None
    t, d = s.tensors[name], s.dim(s.tensors[name])
    size = t.shape[d]
    a = s.random.randrange(size)
    b = s.random.randint(a, size)
    dims = s.random.sample(range(t.dim()), t.dim())
    choices = [
        f"{name}.select({d}, {a})", f"{name}.narrow({d}, {a}, {b - a})", f"{name}[{'..., ' * (d > 0)}{a}:]",
        f"{name}.permute({', '.join(map(str, dims))})", f"{name}.unsqueeze({d})", f"{name}.detach()", f"{name}[:]",
        f"torch.ops.aten.slice.Tensor({name}, {d}, {a}, {size}, 2)", f"{name}.view({', '.join(map(str, t.shape))})", f"{name}.view(-1)",
        f"{name}.reshape(-1)", f"{name}.transpose(0, {d})", f"{name}.squeeze()", f"{name}.flatten()", f"{name}.contiguous()",
        f"{name}.expand({', '.join(map(str, (2, *t.shape)))})", f"{name}.unbind({d})[{a}]", f"{name}.chunk(2, {d})[0]",
        f"torch.split({name}, {max(a, 1)}, {d})[-1]", f"{name}.view_as({name})", f"{name}.expand_as({name})",
        f"{name}.unfold({d}, {max(1, b - a)}, 1)",
        f"{name}.as_strided({tuple(t.shape)}, {tuple(t.stride())}, {t.storage_offset()})",
    ]  # fmt: skip
    if t.dim() > 1:
        choices += [f"{name}.diagonal({s.random.choice([-1, 0, 1])})", f"{name}.movedim(0, -1)", f"{name}.flatten(0, 1)", f"{name}.mT"]
    room = t.untyped_storage().nbytes() // t.element_size() - sum((n - 1) * k for n, k in zip(t.shape, t.stride(), strict=True))
    choices.append(f"{name}.as_strided({tuple(t.shape)}, {tuple(t.stride())}, {s.random.randrange(room)})")
    if t.dtype in (torch.float32, torch.int32):
        choices.append(f"{name}.view(torch.{'int32' if t.dtype == torch.float32 else 'float32'})")
    return f"{s.new()} = {s.random.choice(choices)}"


@kind(7)
def nothing(s: State) -> str | None:
    """What changes no value, and may or may not be a copy."""
    name = s.pick(lambda t: t.dtype != torch.bool)
    if name is None:
        return None
    t = s.tensors[name]
    choices = [
        f"{name}.clone()", f"{name} + 0", f"{name} * 1", f"{name} - 0", f"{name} - 0.0", f"{name} + -0.0", f"0 - {name}", f"{name} / 1",
        f"{name} ** 1", f"{name}.to(torch.{str(t.dtype)[6:]})", f"torch.cat([{name}])", f"{name} + torch.zeros_like({name})",
        f"{name} * torch.ones_like({name})", f"{name} - torch.zeros_like({name})", f"torch.add({name}, {name}, alpha=0)", f"-(-{name})",
        f"torch.zeros_like({name}) + {name}", f"1 * {name}", f"{name}.contiguous()", f"torch.where({name} == {name}, {name}, {name})",
        f"{name} * torch.ones({tuple(t.shape)}, dtype=torch.float64{ON})", f"{name} + torch.zeros((), dtype=torch.int64{ON})", f"+{name}",
        f"{name}.expand({tuple(t.shape)}).clone()", f"{name}.copysign({name})" if t.is_floating_point() else f"{name} // 1",
    ]  # fmt: skip
    if t.dim():
        d = s.dim(t)
        choices += [
            f"{name}.repeat({', '.join('1' * t.dim())})", f"F.pad({name}, (0, 0))", f"torch.slice_scatter({name}, {name}, {d})",
            f"{name}.flip({d}).flip({d})", f"{name}.roll(0, {d})", f"torch.cat([{name}, {name}.narrow({d}, 0, 0)], {d})",
        ]  # fmt: skip
    if t.dtype not in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        choices += [f"torch.{f}({name})" for f in ("ceil", "floor", "round", "trunc")]
    return f"{s.new()} = {s.random.choice(choices)}"


@kind(7)
def compute(s: State) -> str | None:
    name = s.pick()
    if name is None:
        return None
    t = s.tensors[name]
    other = s.pick(lambda o: broadcasts(t, o)) or name
    number = s.number(t)
    choices = [
        f"{name} + {other}", f"{name} - {other}", f"{name} * {number}", f"{name} + {number}", f"{number} - {name}", f"torch.relu({name})",
        f"torch.abs({name})", f"torch.neg({name})", f"torch.where({name} > {number}, {name}, {other})",
        f"{name}.clamp({s.random.choice(['0', '-1', '1'])})", f"torch.sign({name})", f"{name} > {other}", f"{name} == {number}",
        f"torch.full_like({name}, {number}) * {number} + {name}", f"torch.zeros_like({name})",
        f"{name}.new_full({tuple(t.shape)}, {number}) + {number}",
        f"torch.full({tuple(t.shape)}, {number}{ON}) * 2", f"torch.arange({max(t.numel(), 1)}{ON})", f"fuzz_opaque({name})",
    ]  # fmt: skip
    if is_plain(t):
        d = s.dim(t)
        choices += [
            f"{name}.sum({d})", f"{name}.sum({d}, keepdim=True)", f"torch.cat([{name}, {name}], {d})", f"{name}.flip({d})",
            f"{name}.roll(1, {d})",
            f"{name}.cumsum({d})", f"torch.stack([{name}, {name}], {d})", f"{name}.repeat({', '.join('1' * (t.dim() - 1) + '2')})",
            f"F.pad({name}, (1, 0))", f"{name}.gather({d}, torch.zeros_like({name}, dtype=torch.int64))",
        ]  # fmt: skip
    return f"{s.new()} = {s.random.choice(choices)}"


@kind(3)
def convert(s: State) -> str | None:
    name = s.pick()
    dtype = s.random.choice(["float32", "float64", "float16", "bfloat16", "int32", "int64", "int8", "bool"])
    return name and f"{s.new()} = {name}.to(torch.{dtype})"


@kind(9)
def write(s: State) -> str | None:
    name = s.target()
    if name is None:
        return None
    t = s.tensors[name]
    number = s.number(t)
    other = s.source(t, lambda o: broadcasts(t, o) and o.dtype == t.dtype)
    choices = [
        f"{name}.add_({number})",
        f"{name}.zero_()",
        f"{name}.fill_({number})",
        f"{name}.relu_()",
        f"{name}.neg_()",
        f"{name}.mul_({number})",
    ]
    if other:
        choices += [f"{name}.{f}_({other})" for f in ("add", "sub", "copy", "copy", "copy", "mul")]
        choices += [f"torch._foreach_add_([{name}], [{other}.expand({tuple(t.shape)})])", f"{name}.masked_fill_({other} > 0, {number})"]
        choices += [f"fuzz_add_into({name}, {other})", f"fuzz_list([{name}], {other})"] * 2
    if is_plain(t):
        d, places = s.dim(t), s.random.sample(range(max(t.shape)), 1)[0]
        part = f"{'..., ' * (s.random.random() < 0.3)}{places % t.shape[-1] if t.dim() == 1 else places % min(t.shape)}"
        choices += [f"store({name}, ({part},), {number})"] * 2 + [
            f"{name}.clamp_(0)",
            f"{name}.index_fill_({d}, torch.tensor([0]{ON}), {number})",
        ]
        order = s.random.sample(range(t.shape[d]), t.shape[d])
        rows = s.source(t, lambda o: o.shape == t.shape and o.dtype == t.dtype)
        if rows:
            index = f"torch.tensor({order}{ON})"
            choices += [f"{name}.index_copy_({d}, {index}, {rows})", f"{name}.index_add_({d}, {index}, {rows})"]
            choices += [
                f"store({name}, (slice(None),), {rows})",
                f"{name}.scatter_({d}, torch.zeros_like({name}, dtype=torch.int64), {number})",
            ]
            choices += [f"store({name}, ({index if d == 0 else 'slice(None), ' * d + index},), {rows})"] * 2
    return s.random.choice(choices)


@kind(2)
def write_some(s: State) -> str | None:
    """What is chosen by a mask, or several tensors at once."""
    name = s.target()
    if name is None:
        return None
    t, number = s.tensors[name], s.number(s.tensors[name])
    choices = [f"store({name}, ({name} > {number},), {number})", f"{name}.masked_fill_({name} == {number}, {number})"]
    other = s.target()
    if other and not torch._C._is_alias_of(t, s.tensors[other]):
        choices += [f"torch._foreach_mul_([{name}, {other}], {number})", f"torch._foreach_add_([{name}, {other}], {number})"]
        choices += [f"torch._foreach_zero_([{name}, {other}])"]
    if t.dim() > 1:
        choices += [
            f"store({name}.view(-1), (torch.tensor([0]{ON}),), {number})",
            f"{name}.mT.index_fill_(0, torch.tensor([0]{ON}), {number})",
        ]
        choices += [f"{name}[0].index_fill_(0, torch.tensor([0]{ON}), {number})", f"{name}.select(1, 0).copy_({name}.select(1, 0) + 1)"]
    return s.random.choice(choices)


@kind(1)
def draw(s: State) -> str | None:
    """Random numbers: new, and in place."""
    name = s.pick(lambda t: t.is_floating_point() and t.numel() > 0 and not overlaps_itself(t))
    if name is None:
        return None
    return s.random.choice([
        f"{name}.normal_()", f"{name}.bernoulli_(0.5)", f"{name}.uniform_()", f"{s.new()} = torch.rand_like({name})",
        f"{s.new()} = F.dropout({name}, 0.5)", f"{s.new()} = torch.bernoulli({name}.abs().clamp(max=1))",
    ])  # fmt: skip


@kind(3)
def write_two(s: State) -> str | None:
    """A custom operator that writes two tensors and gives a third."""
    first = s.target()
    second = s.target()
    if first is None or second is None:
        return None
    a, b = s.tensors[first], s.tensors[second]
    if torch._C._is_alias_of(a, b) or a.dtype != b.dtype or not broadcasts(a, b):
        return None
    return f"{s.new()} = fuzz_two({first}, {second})"


@kind(2)
def exchange(s: State) -> str | None:
    """a, b = b, a through a copy."""
    first = s.target()
    second = first and s.like(s.tensors[first])
    if not second or torch._C._is_alias_of(s.tensors[first], s.tensors[second]) or overlaps_itself(s.tensors[second]):
        return None
    kept = s.new()
    return f"{kept} = {first}.clone(); {first}.copy_({second}); {second}.copy_({kept})"


@kind(4)
def scatter(s: State) -> str | None:
    """Functional writes."""
    name = s.pick(lambda t: is_plain(t) and t.dtype != torch.bool)
    if name is None:
        return None
    t, d = s.tensors[name], s.dim(s.tensors[name])
    a = s.random.randrange(t.shape[d])
    other = s.like(t) or name
    index = f"torch.zeros_like({name}, dtype=torch.int64)"
    order = s.random.sample(range(t.shape[0]), t.shape[0])
    choices = [
        f"torch.select_scatter({name}, {other}.select({d}, {a}), {d}, {a})",
        f"torch.slice_scatter({name}, {other}.narrow({d}, {a}, 1), {d}, {a}, {a + 1})",
        f"torch.slice_scatter({name}, {name}.narrow({d}, 0, {a + 1}), {d}, 0, {a + 1})", f"{name}.scatter({d}, {index}, 7)",
        f"{name}.index_put((torch.tensor({order}{ON}),), {other})",
        f"{name}.index_copy({d}, torch.tensor([{a}]{ON}), {other}.narrow({d}, 0, 1))",
        f"torch.as_strided_scatter({name}, {other}.clone(), {tuple(t.shape)}, {tuple(t.contiguous().stride())}, 0)",
        f"{name}.scatter_add({d}, {index}, {other})",
    ]  # fmt: skip
    if t.dim() > 1:
        choices.append(f"torch.diagonal_scatter({name}, {other}.diagonal())")
    return f"{s.new()} = {s.random.choice(choices)}"
