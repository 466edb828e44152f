"""Custom operators, hooks, classes, tensor subclasses and other opaque values."""

import collections
import dataclasses
import enum

import torch
from torch.testing._internal.two_tensor import TwoTensor

from .program import GraphPrograms, rows, rows_and_weights

programs = GraphPrograms()


def jagged(n):
    """A nested tensor of 2 and n rows."""
    return torch.nested.nested_tensor([torch.randn(2, 4), torch.randn(n, 4)], layout=torch.jagged)


library = torch.library.Library("graph_kinds_objects", "FRAGMENT")


@torch.library.custom_op("graph_kinds::swish", mutates_args=())
def swish(x: torch.Tensor, scale: float) -> torch.Tensor:
    return x * torch.sigmoid(x * scale)


@swish.register_fake
def _swish(x, scale):
    return torch.empty_like(x)


def _save(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.scale = inputs[1]


def _swish_gradient(ctx, gradient):
    (x,) = ctx.saved_tensors
    s = torch.sigmoid(x * ctx.scale)
    return gradient * (s + x * ctx.scale * s * (1 - s)), None


swish.register_autograd(_swish_gradient, setup_context=_save)


@torch.library.custom_op("graph_kinds::accumulate", mutates_args=("total", "seen"))
def accumulate(x: torch.Tensor, total: torch.Tensor, seen: torch.Tensor | None = None) -> torch.Tensor:
    total.add_(x.sum(0))
    if seen is not None:
        seen.add_(1)
    return x * 2


@accumulate.register_fake
def _accumulate(x, total, seen=None):
    return torch.empty_like(x)


@torch.library.custom_op("graph_kinds::scale_all", mutates_args=("tensors",))
def scale_all(tensors: list[torch.Tensor], factor: float) -> None:
    for tensor in tensors:
        tensor.mul_(factor)


@scale_all.register_fake
def _scale_all(tensors, factor):
    return None


@torch.library.custom_op("graph_kinds::moments", mutates_args=())
def moments(x: torch.Tensor, dims: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    return x.mean(dims), x.var(dims)


@moments.register_fake
def _moments(x, dims):
    return torch.empty_like(x.mean(dims)), torch.empty_like(x.mean(dims))


library.define("composite(Tensor x) -> Tensor")
library.impl("composite", lambda x: x.sin() * x, "CompositeImplicitAutograd")


@programs(rows)
def custom_operator(x):
    return swish(x * 2, 0.5) + 1


@programs(rows)
def custom_operator_of_others(x):
    return torch.ops.graph_kinds_objects.composite(x * 2) + 1


@programs(rows, grad=False)
def custom_operator_with_lists(x):
    mean, variance = moments(x * 2, [0])
    return (x - mean) / variance.sqrt()


@programs(lambda n: (torch.randn(n, 4), torch.zeros(4), torch.zeros(())), grad=False)
def custom_operator_that_writes(x, total, seen):
    y = accumulate(x, total, seen)
    return y + total, seen * 2


@programs(lambda n: (torch.randn(n, 4), torch.zeros(4)), grad=False)
def optional_written_argument_is_none(x, total):
    y = accumulate(x, total, None)
    return accumulate(y, total) + total


@programs(rows, grad=False)
def custom_operator_that_writes_a_list(x):
    parts = [x.sin(), x[1:] * 2]
    scale_all(parts, 3.0)
    scale_all([x], 0.5)
    return parts[0] + 1, parts[1]


@programs(rows, grad=False)
def custom_operator_that_writes_a_view(x):
    y = x * 2
    accumulate(x, y[0])
    return y


@dataclasses.dataclass
class State:
    hidden: torch.Tensor
    steps: int = 0

    def next(self, x):
        return State((self.hidden + x).tanh(), self.steps + 1)


Pair = collections.namedtuple("Pair", "first second")


class Kind(enum.Enum):
    SIN = "sin"
    COS = "cos"


class Scale:
    """A plain class with a call."""

    def __init__(self, factor):
        self.factor = factor
        self.calls = []

    def __call__(self, x):
        self.calls.append(len(self.calls))
        return x * self.factor + sum(self.calls)


@programs(rows)
def dataclass_state(x):
    state = State(x * 0)
    for _ in range(3):
        state = state.next(x)
    return state.hidden, state.steps


@programs(rows)
def named_tuples(x):
    pair = Pair(x.sin(), second=x.cos())
    return Pair(pair.second * 2, pair.first)


@programs(lambda n: (torch.randn(n, 4), Kind.COS))
def enumerations(x, kind):
    return x.sin() if kind is Kind.SIN else x.cos() * 2


@programs(rows)
def plain_classes(x):
    scale = Scale(3.0)
    return scale(scale(x)).sin()


@programs(lambda n: ({"x": torch.randn(n, 4), "others": [torch.randn(4), 2.5]},))
def trees(tree):
    return {"y": tree["x"] * tree["others"][0], "z": [tree["x"].sum() * tree["others"][1]]}


class Named(torch.Tensor):
    """A tensor subclass that watches functions."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


@programs(rows)
def subclass_by_torch_function(x):
    y = x.as_subclass(Named)
    return y.sin() + 1


@programs(lambda n: (TwoTensor(torch.randn(n, 4), torch.randn(n, 4)),), grad=False)
def subclass_by_torch_dispatch(x):
    return x.sin() * 2 + 1


@programs(lambda n: (jagged(n),), grad=False)
def jagged_input(x):
    return (x.sin() * 2).values()


@programs(lambda n: (torch.randn(n, 4), torch.tensor([0, 2, n])))
def jagged_made_inside(x, offsets):
    nested = torch.nested.nested_tensor_from_jagged(x * 2, offsets)
    return (nested.sin() + 1).values()


@programs(lambda n: (jagged(n), torch.randn(4, 4)), grad=False)
def jagged_product(x, w):
    return (x @ w).values().relu()


@programs(rows)
def tensor_hook(x):
    y = x * 2
    if y.requires_grad:
        y.register_hook(lambda gradient: gradient * 3)
    return y.sin()


@programs(rows_and_weights)
def parameter_in_a_module(x, w):
    linear = torch.nn.functional.linear
    return torch.nn.functional.gelu(linear(x, w), approximate="tanh") @ w


@programs(rows)
def sizes_in_classes(x):
    size = torch.Size([x.shape[0], 2, 2])
    return x.reshape(size).transpose(1, 2) * size.numel()


@programs(rows)
def constants_in_the_graph(x):
    table = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    return x * table + torch.eye(4)[0] + torch.tensor(3)


@programs(rows)
def generators(x):
    return sum((x[i] * i for i in range(3)), start=x[0]) + [row for row in x[:2]][1]
