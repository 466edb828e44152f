"""Operators with subgraphs, and functions of functions."""

import functools

import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from .program import DYNAMIC, GraphPrograms, rows, rows_and_weights

programs = GraphPrograms()


@programs(rows)
def cond(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin() * 2, lambda x: x.cos(), (x * 2,)) + 1


@programs(rows_and_weights)
def cond_with_closures(x, w):
    return torch.cond((x.sum() > 0).reshape(1), lambda: (x @ w, x.sum()), lambda: (x - 1, w.sum()))


@programs(rows, in_suite="forward")
def cond_in_cond(x):
    def inner(x):
        return torch.cond(x.max() > 1, lambda x: x * 3, lambda x: x.sin(), (x,))

    return torch.cond(x.sum() > 0, inner, lambda x: x.cos(), (x,))


@programs(rows)
def cond_of_a_size(x):
    return torch.cond(x.shape[0] > 8, lambda x: x.sin(), lambda x: x.cos() * 2, (x,))


@programs(rows, refused=DYNAMIC)
def cond_of_an_operand_in_a_view(x):
    return torch.cond(x[0, 0] > 0, lambda y: y.t().contiguous() + 1, lambda y: (y * 2).t().contiguous(), (x[1:],))


@programs(rows, grad=False)
def cond_of_integers(x):
    return torch.cond(x.sum() > 0, lambda n: n + 1, lambda n: n * 2, (x.long(),)) + 1


@programs(rows_and_weights, in_suite="forward")
def two_conds_in_a_row(x, w):
    y = torch.cond(x.sum() > 0, lambda x: x @ w, lambda x: x * 2, (x,))
    return torch.cond(y.sum() > 0, lambda y: y.relu(), lambda y: y.sigmoid(), (y,)).sum(0)


@programs(rows_and_weights, grad=False)
def while_loop_until_small(x, w):
    return while_loop(lambda i, a: (i < 8) & (a.abs().max() > 0.2), lambda i, a: (i + 1, a * 0.7), (torch.tensor(0), x))


@programs(rows_and_weights, grad=False)
def while_loop_with_closures(x, w):
    return while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, (a @ w).tanh(), b + a.sum()), (torch.tensor(0), x, x[0] * 0))


@programs(rows, in_suite="forward")
def while_loop_with_gradients(x):
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.sin() * 2), (torch.tensor(0), x))[1]


@programs(rows, grad=False)
def while_loop_over_numbers(x):
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (0, x))[1]


@programs(rows, grad=False, in_suite="forward")
def while_loop_with_a_cond(x):
    def step(i, a):
        return i + 1, torch.cond(a.sum() > 0, lambda a: a - 0.5, lambda a: a + 0.7, (a,))

    return while_loop(lambda i, a: i < 4, step, (torch.tensor(0), x))[1]


@programs(rows_and_weights)
def scan_with_weights(x, w):
    def step(h, row):
        h = torch.tanh(h @ w + row)
        return h, h * 2

    return scan(step, x[0] * 0, x, dim=0)


@programs(rows, in_suite="forward")
def scan_from_the_end(x):
    return scan(lambda c, row: (c + row, c * row), x[0] * 0, x, dim=0, reverse=True)


@programs(rows, in_suite="forward")
def scan_of_a_tree(x):
    def step(carry, row):
        return {"sum": carry["sum"] + row["a"], "last": row["b"].sin()}, row["a"] * carry["last"]

    start = {"sum": x[0] * 0, "last": x[0] * 2}
    return scan(step, start, {"a": x, "b": x * 2}, dim=0)


@programs(rows_and_weights, in_suite="forward")
def map_over_rows(x, w):
    return map_rows(lambda row, w: (row @ w).relu() * 2, x, w)


@programs(rows)
def map_of_a_tree(x):
    return map_rows(lambda pair: {"sum": pair[0] + pair[1].sin(), "max": pair[0].max()}, (x, x * 2))


@programs(rows, recompiled=DYNAMIC, in_suite="forward")
def associative_scan_of_sums(x):
    return associative_scan(lambda a, b: a + b, x * 2, dim=0, combine_mode="generic")


@programs(rows, recompiled=DYNAMIC, in_suite="forward")
def associative_scan_from_the_end(x):
    return associative_scan(lambda a, b: a * b + a, x * 0.5, dim=0, combine_mode="generic", reverse=True)


@programs(rows, in_suite="forward")
def associative_scan_along_columns(x):
    return associative_scan(lambda a, b: torch.maximum(a, b), x.sin(), dim=1, combine_mode="generic")


@programs(rows, recompiled=DYNAMIC, in_suite="forward")
def associative_scan_of_pairs(x):
    """A linear recurrence, as in state space models."""

    def combine(left, right):
        return left[0] * right[0], left[1] * right[0] + right[1]

    return associative_scan(combine, (x.sigmoid(), x * 2), dim=0, combine_mode="generic")[1]


@torch.compiler.nested_compile_region
def region(x, w):
    return (x @ w).sin()


@programs(rows_and_weights)
def nested_regions(x, w):
    return region(region(x, w) + 1, w)


@programs(rows_and_weights)
def nested_regions_of_views(x, w):
    return region(x[1:], w.t()).sum() + region(x[:2], w)


@programs(rows_and_weights)
def checkpointed(x, w):
    return checkpoint(lambda x, w: (x @ w).sin().exp(), x, w, use_reentrant=False) + 1


def _keep_products(ctx, operator, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if operator == torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


@programs(rows_and_weights)
def checkpointed_by_a_policy(x, w):
    context = functools.partial(create_selective_checkpoint_contexts, _keep_products)
    return checkpoint(lambda x, w: (x @ w).sin().exp(), x, w, use_reentrant=False, context_fn=context)


@programs(rows_and_weights)
def checkpoints_in_checkpoints(x, w):
    def inner(x):
        return checkpoint(lambda x: (x @ w).tanh(), x, use_reentrant=False) * 2

    return checkpoint(inner, x, use_reentrant=False)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin() * 2

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * 3 + x


class Clipped(torch.autograd.Function):
    """Has numbers, a result without a gradient, and an argument that needs none."""

    @staticmethod
    def forward(ctx, x, low, high):
        ctx.low, ctx.high = low, high
        inside = (x > low) & (x < high)
        ctx.save_for_backward(inside)
        ctx.mark_non_differentiable(inside)
        return x.clamp(low, high), inside

    @staticmethod
    def backward(ctx, gradient, _):
        (inside,) = ctx.saved_tensors
        return gradient * inside * (ctx.high - ctx.low), None, None


@programs(rows)
def autograd_function(x):
    return Doubled.apply(x * 2) + 1


@programs(rows)
def autograd_function_with_numbers(x):
    y, inside = Clipped.apply(x, -0.5, 1.0)
    return y * 2, inside


@programs(rows)
def autograd_functions_in_a_row(x):
    return Doubled.apply(Clipped.apply(Doubled.apply(x), -1.0, 1.0)[0])


@programs(rows, grad=False)
def product_of_another_dtype(x):
    a = (x * 10).to(torch.int8)
    return out_dtype(torch.ops.aten.mm.default, torch.int32, a, a.t().contiguous()) + 1


@programs(rows_and_weights)
def gradient_of_a_function(x, w):
    return torch.func.grad(lambda x: (x @ w).sin().sum())(x) + 1


@programs(rows_and_weights)
def mapped_by_vmap(x, w):
    return torch.vmap(lambda row: (row @ w).softmax(0))(x)


@programs(rows_and_weights, in_suite="forward")
def jacobian(x, w):
    return torch.func.jacrev(lambda row: (row @ w).sin())(x[0]) + x.sum()


@programs(rows)
def forward_mode(x):
    return torch.func.jvp(lambda x: x.sin() * x, (x,), (x * 2,))


@programs(rows)
def without_gradients_inside(x):
    with torch.no_grad():
        scale = x.abs().max()
    return x / scale + (x * 2).detach()
