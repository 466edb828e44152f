"""Masks that keep every score, and are computed from numbers alone, are dropped before AOTAutograd chooses attention's kernels."""

import pytest
import torch
from mlirind.frontend.calls import true_masks
from mlirind.frontend.calls.true_masks import drop_true_masks
from torch.nn.functional import scaled_dot_product_attention as attention

ROWS, COLUMNS = 5, 7


def bidirectional(q, k, v):
    """The mask of Hugging Face's bidirectional models under torch.compile."""
    rows = torch.arange(ROWS, device=q.device) + 0
    return attention(q, k, v, attn_mask=(rows[None, None, :, None] >= 0).expand(2, -1, ROWS, COLUMNS), scale=0.5)


def positional(q, k, v):
    return attention(q, k, v, torch.ones(ROWS, COLUMNS, dtype=torch.bool, device=q.device), 0.0)


def twice(q, k, v):
    mask = torch.arange(COLUMNS)[None, :] < COLUMNS
    return attention(attention(q, k, v, attn_mask=mask), k, v, attn_mask=mask)


def causal(q, k, v):
    return attention(q, k, v, attn_mask=torch.arange(ROWS)[:, None] >= torch.arange(COLUMNS)[None, :])


def written(q, k, v):
    mask = torch.ones(ROWS, COLUMNS, dtype=torch.bool)
    mask[:, 0] = False
    return attention(q, k, v, attn_mask=mask)


def written_as_a_view(q, k, v):
    mask = torch.ones(ROWS, COLUMNS, dtype=torch.bool)
    mask.view(-1).logical_not_()
    mask[:, 1].fill_(True)
    return attention(q, k, v, attn_mask=mask)


def of_data(q, k, v):
    return attention(q, k, v, attn_mask=torch.ones(ROWS, COLUMNS, dtype=torch.bool) & (q[0, 0, :, :1] == q[0, 0, :, :1]))


def of_floats(q, k, v):
    return attention(q, k, v, attn_mask=torch.ones(ROWS, COLUMNS))


def captured(fn, *inputs):
    """The graph that Dynamo captures, and how many calls of attention it has."""
    graphs = []

    def backend(graph_module, _):
        graphs.append(graph_module)
        return graph_module.forward

    torch.compile(fn, backend=backend, dynamic=False)(*inputs)
    return graphs[0]


def tensors(*batch):
    torch.manual_seed(0)
    return [torch.randn(*batch, n, 8) for n in (ROWS, COLUMNS, COLUMNS)]


@pytest.mark.parametrize(("fn", "calls"), [(bidirectional, 1), (positional, 1), (twice, 2)])
def test_dropped(fn, calls):
    inputs = tensors(2, 3)
    graph_module = captured(fn, *inputs)
    wanted = fn(*inputs)
    assert drop_true_masks(graph_module) == 0  # these tensors are on no GPU
    assert drop_true_masks(graph_module, "cpu") == calls
    torch.testing.assert_close(graph_module(*inputs)[0], wanted)
    graph_module.graph.eliminate_dead_code()
    assert not graph_module.graph.find_nodes(op="call_function", target=torch.arange)


@pytest.mark.parametrize("fn", [causal, written, written_as_a_view, of_data, of_floats])
def test_kept(fn):
    inputs = tensors(2, 3)
    graph_module = captured(fn, *inputs)
    assert drop_true_masks(graph_module, "cpu") == 0
    torch.testing.assert_close(graph_module(*inputs)[0], fn(*inputs))


def test_a_mask_that_does_not_fit_is_kept():
    """Eager raises then."""
    graph_module = captured(positional, *tensors(1, 2))
    (made,) = graph_module.graph.find_nodes(op="call_function", target=torch.ones)
    made.meta["example_value"] = torch.ones(3, 1, 1, 1, dtype=torch.bool)
    assert drop_true_masks(graph_module, "cpu") == 0


def test_large_masks_are_not_computed(monkeypatch):
    monkeypatch.setattr(true_masks, "LARGEST", ROWS * COLUMNS - 1)
    assert drop_true_masks(captured(positional, *tensors(2)), "cpu") == 0


@pytest.mark.parametrize(("rounding", "calls"), [("library", 1), ("eager", 0)])
def test_the_backend_drops_them_unless_eager_rounding_is_asked_for(rounding, calls, monkeypatch):
    found = []

    def counted(graph_module):
        found.append(drop_true_masks(graph_module, "cpu"))

    monkeypatch.setattr(true_masks, "drop_true_masks", counted)
    inputs = tensors(2, 3)
    result = torch.compile(bidirectional, backend="mlirind", options={"rounding": rounding})(*inputs)
    torch.testing.assert_close(result, bidirectional(*inputs))
    assert sum(found) == calls
