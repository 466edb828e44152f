"""Sizes that depend on data."""

import torch
from torch.nn.functional import dropout
from torch.utils.checkpoint import checkpoint

from .program import TRAINING, GraphPrograms, rows, rows_and_weights

programs = GraphPrograms()


@torch.library.custom_op("graph_kinds::positive", mutates_args=())
def positive(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].clone()


@positive.register_fake
def _positive(x):
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


@torch.library.custom_op("graph_kinds::kept_rows", mutates_args=())
def kept_rows(x: torch.Tensor, keep: torch.Tensor) -> list[torch.Tensor]:
    return [x[keep].clone(), keep.nonzero().squeeze(1)]


@kept_rows.register_fake
def _kept_rows(x, keep):
    size = torch.library.get_ctx().new_dynamic_size()
    return [x.new_empty(size, x.shape[1]), x.new_empty(size, dtype=torch.int64)]


def count(condition):
    """How many are true, as a number whose bounds are known."""
    found = condition.sum().item()
    torch._check(found >= 0)
    torch._check(found <= condition.numel())
    return found


@programs(rows, grad=False)
def nonzero(x):
    found = (x * 2).relu().nonzero()
    return (found + 1).sum(0), found.float().sin() * 2


@programs(rows)
def nonzero_indices_read(x):
    i, j = torch.nonzero(x > 0, as_tuple=True)
    return x[i, j].sin() + 1


@programs(rows, grad=False)
def argwhere(x):
    return torch.argwhere(x > 0.3) * 2 + 1


@programs(rows)
def where_with_one_argument(x):
    found = torch.where(x[:, 0] > -0.5)[0]
    return x[found] * found[:, None]


@programs(rows_and_weights)
def mask_selects(x, w):
    return (x.exp()[x > 0] * 2).sin(), w + 1


@programs(rows_and_weights)
def mask_selects_rows(x, w):
    return ((x[x[:, 0] > -0.5] @ w).relu() + 1).sum(0)


@programs(rows, recompiled=("training, dynamic",))
def masked_select(x):
    return torch.masked_select(x * 2, x > 0).cos() + 1


@programs(rows)
def mask_of_a_mask(x):
    y = x[x > -0.5].sin() * 3
    return y[y > 0] + 1


@programs(rows_and_weights)
def several_masks(x, w):
    y, z = x[x > 0] * 2, w[w > 0] + 1
    return y.sin(), z.cos(), y.sum() * z.sum()


@programs(rows)
def masks_concatenated(x):
    return torch.cat([x[x > 0].sin(), x[x <= 0].cos(), x.flatten()]) * 2


@programs(rows)
def mask_assigns_a_number(x):
    y = x * 2
    y[y > 0.5] = 0.25
    return y.sin()


@programs(rows)
def mask_assigns_a_tensor(x):
    y = x * 2
    y[x > 0] = x[x > 0].exp()
    return y.sin()


@programs(rows)
def mask_adds_at_positions(x):
    return torch.index_put(x.sin(), (x > 0,), x[x > 0] * 2, accumulate=True)


@programs(rows)
def masked_mean(x):
    chosen = x[x.abs() > 0.2]
    return chosen.mean(), (chosen - chosen.mean()).square().sum()


@programs(rows, grad=False)
def unique_values(x):
    return (x * 3).long().unique() + 1


@programs(rows, grad=False)
def unique_with_inverse_and_counts(x):
    values, inverse, counts = torch.unique((x * 2).long(), return_inverse=True, return_counts=True)
    return values * 2, inverse + 1, counts.float().sqrt()


@programs(rows, grad=False)
def unique_rows(x):
    return torch.unique((x[:, :1] > 0).long(), dim=0) + 1


@programs(rows, grad=False)
def unique_consecutive(x):
    values, counts = torch.unique_consecutive(x[:, 0] > 0, return_counts=True)
    return ~values, counts + 1


@programs(rows)
def repeat_interleave_by_data(x):
    return torch.repeat_interleave(x * 2, (x[:, 0] > 0).long() + 2, dim=0).sin()


@programs(rows, grad=False)
def bincount(x):
    return torch.bincount((x.reshape(-1) > 0).long() * 5 + 1) * 2


@programs(rows, grad=False)
def bincount_with_weights(x):
    return torch.bincount((x.reshape(-1) > 0).long() * 3, weights=x.reshape(-1).abs()).sqrt() + 1


@programs(rows)
def item_as_a_number(x):
    return x * (x > 0).sum().item() + 1


@programs(rows)
def float_item_as_a_number(x):
    return x.sin() * x.abs().max().detach().item() + 2


@programs(rows, grad=False)
def item_as_a_size(x):
    found = count(x > 0)
    return torch.arange(found) * 2.0, x.new_full((found, 2), 3.0) + 1


@programs(rows)
def item_as_the_end_of_a_slice(x):
    return x.reshape(-1)[: count(x > 0)].sin() + 1


@programs(rows, grad=False)
def item_of_an_argument(x):
    end = x[0, 0].abs().ceil().long().item()
    torch._check(end >= 1)
    return x.new_ones(end + 2, 2).cumsum(0) * end


@programs(rows)
def rows_kept_and_dropped(x):
    kept = count(x[:, 0] > 0)
    torch._check(kept <= x.shape[0])
    a, b = x[:kept] * 2, x[kept:] + 1
    return a.sum(0), b.sin()


@programs(rows)
def split_by_counts(x):
    lengths = [count(x > 0), count(x <= 0)]
    torch._check(sum(lengths) == x.numel())
    a, b = torch.split(x.reshape(-1), lengths)
    return a.sin() + 1, b.cos() * 2


@programs(lambda n: (torch.randn(n, 4), torch.tensor([2, n - 3, 1])))
def ragged_splits(x, lengths):
    sizes = lengths.tolist()
    for size in sizes:
        torch._check(size >= 0)
        torch._check(size <= x.shape[0])
    torch._check(sum(sizes) == x.shape[0])
    return torch.stack([part.sum(0) for part in torch.split(x.sin(), sizes)])


@programs(lambda n: (torch.randn(n, 4), torch.randn(3, 4, 4)), in_suite="forward")
def experts_by_index(x, w):
    chosen = (x @ w[0]).argmax(-1) % 3
    out = torch.zeros_like(x)
    for expert in range(3):
        (at,) = torch.where(chosen == expert)
        out = out.index_add(0, at, (x[at] @ w[expert]).relu())
    return out


@programs(lambda n: (torch.randn(n, 4), torch.randn(2, 4, 4)))
def experts_by_masks(x, w):
    chosen = (x @ w[0]).argmax(-1) % 2
    out = torch.zeros_like(x)
    for expert in range(2):
        mask = chosen == expert
        out[mask] = x[mask] @ w[expert]
    return out


@programs(lambda n: (torch.randn(n, 4), torch.randn(3, 4, 4)), in_suite="forward")
def two_experts_for_each_row(x, w):
    weights, chosen = torch.topk((x @ w[0, :, :3]).softmax(-1), 2, dim=-1)
    out = torch.zeros_like(x)
    for expert in range(3):
        row, place = torch.where(chosen == expert)
        out.index_add_(0, row, (x[row] @ w[expert]).relu() * weights[row, place, None])
    return out


@programs(rows, grad=False)
def operator_with_a_size_from_data(x):
    return positive(x * 2).sin() + 1


@programs(rows, grad=False)
def operator_with_a_list_of_one_size(x):
    kept, at = kept_rows(x * 2, x[:, 0] > 0)
    return kept.sin() + at[:, None], at * 2


@programs(rows)
def nonzero_of_a_fixed_size(x):
    at = torch.nonzero_static(x[:, 0] > 0, size=3, fill_value=0).squeeze(1)
    return x[at] * 2


@programs(lambda n: (torch.randn(n, 4), torch.arange(n) // 3))
def segments_summed(x, segment):
    counts = torch.bincount(segment)
    sums = x.new_zeros(counts.shape[0], 4).index_add(0, segment, x)
    return sums / counts[:, None]


@programs(rows)
def assertion_that_fails(x):
    found = (x > 100).sum().item()
    torch._check(found >= 1, lambda: "no element is above 100")
    return x * found


@programs(lambda n: (torch.randn(n, 4), torch.tensor(3)))
def index_from_an_item(x, at):
    number = at.item()
    torch._check(number >= 0)
    torch._check(number < x.shape[0])
    return x[number].sin() + x.select(0, number)


@programs(rows)
def nothing_is_selected(x):
    return x[x > 100].sin() * 2, x[x[:, 0] > 100].sum(0)


@programs(rows)
def one_is_selected(x):
    top = x.max()
    return (x[x >= top.detach()] * 2).exp(), top


@programs(rows)
def rows_scattered_back(x):
    (at,) = torch.where(x[:, 1] > -0.3)
    return x.index_copy(0, at, x[at].flip(1) * 2)


@programs(rows, refused=TRAINING)
def sorted_and_cut(x):
    values, _ = x.reshape(-1).sort(descending=True)
    return values[: count(x > 0.1)].cumsum(0)


@programs(rows, in_suite="training, dynamic")
def dropout_between_masks(x):
    kept = dropout(x, 0.5)
    chosen = dropout(kept[kept[:, 0].abs() > -1].sin(), 0.5)
    return chosen[chosen[:, 0] > -5] * 2, dropout(x, 0.3)


@programs(rows, in_suite="training")
def mask_in_a_checkpoint(x):
    return checkpoint(lambda x: x[x > 0].sin().exp(), x, use_reentrant=False) * 2


@programs(rows, in_suite="training")
def identities_of_a_selection(x):
    y = x[x[:, 0] > -9]
    return ((y * 1 + 0).t().t().reshape(-1, 4) * 1).sum(0), y.to(y.dtype).view(y.shape).exp().log()


@programs(rows, in_suite="training, dynamic")
def selection_as_complex_numbers(x):
    z = torch.view_as_complex(x[x[:, 0] > -1].reshape(-1, 2, 2))
    return torch.view_as_real(z * z.conj()).sum(0)
