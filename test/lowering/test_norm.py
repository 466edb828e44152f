"""Layer, group and batch normalization and their gradients against eager."""

import pytest
import torch
from one_call import check

aten = torch.ops.aten
DTYPES = [torch.float32, torch.float64, torch.bfloat16]


def values(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("normalized", [[5], [4, 5], [3, 4, 5]], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_layer_norm(dtype: torch.dtype, normalized: list[int], affine: bool) -> None:
    x, g = values(dtype, 3, 4, 5), values(dtype, 3, 4, 5) * 0.5
    weight, bias = (values(dtype, *normalized), values(dtype, *normalized) + 1) if affine else (None, None)
    check("aten.native_layer_norm.default", x, normalized, weight, bias, 1e-5)
    _, mean, rstd = aten.native_layer_norm(x, normalized, weight, bias, 1e-5)
    for mask in ([True, affine, affine], [True, False, False], [False, affine, affine]):
        check("aten.native_layer_norm_backward.default", g, x, normalized, mean, rstd, weight, bias, mask)


def test_layer_norm_of_other_strides_and_dtypes() -> None:
    x = values(torch.float32, 5, 4, 3).permute(2, 1, 0)
    check("aten.native_layer_norm.default", x, [5], None, None, 1e-5)
    weight = values(torch.float32, 5)
    check("aten.native_layer_norm.default", values(torch.bfloat16, 3, 4, 5), [5], weight, weight, 1e-5)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_group_norm(dtype: torch.dtype, affine: bool) -> None:
    x, g = values(dtype, 2, 6, 3, 4), values(dtype, 2, 6, 3, 4) * 0.5
    weight, bias = (values(dtype, 6), values(dtype, 6) + 1) if affine else (None, None)
    check("aten.native_group_norm.default", x, weight, bias, 2, 6, 12, 3, 1e-5)
    _, mean, rstd = aten.native_group_norm(x, weight, bias, 2, 6, 12, 3, 1e-5)
    check("aten.native_group_norm_backward.default", g, x, mean, rstd, weight, 2, 6, 12, 3, [True, affine, affine])


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_group_norm_by_channels(dtype: torch.dtype, affine: bool) -> None:
    weight, bias = (values(dtype, 6), values(dtype, 6) + 1) if affine else (None, None)
    x = values(dtype, 2, 6, 3, 4).contiguous(memory_format=torch.channels_last)
    check("aten.native_group_norm.default", x, weight, bias, 2, 6, 12, 3, 1e-5)
    volume = values(dtype, 2, 6, 3, 4, 2).contiguous(memory_format=torch.channels_last_3d)
    check("aten.native_group_norm.default", volume, weight, bias, 2, 6, 24, 2, 1e-5)
    for image in (x, volume, values(dtype, 2, 6, 20, 13)):
        count, mask = image[0, 0].numel(), [True, affine, affine]
        _, mean, rstd = aten.native_group_norm(image, weight, bias, 2, 6, count, 3, 1e-5)
        check("aten.native_group_norm_backward.default", image * 0.5 + 1, image, mean, rstd, weight, 2, 6, count, 3, mask)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", [(4, 3, 5, 2), (6, 3)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_batch_norm(dtype: torch.dtype, shape: tuple[int, ...], affine: bool) -> None:
    x, g = values(dtype, *shape), values(dtype, *shape) * 0.5
    weight, bias = (values(dtype, 3), values(dtype, 3) + 1) if affine else (None, None)
    mean, variance = values(dtype, 3), values(dtype, 3).abs() + 0.5
    for training in (True, False):
        check("aten._native_batch_norm_legit_functional.default", x, weight, bias, mean, variance, training, 0.1, 1e-5)
        saved = aten._native_batch_norm_legit_functional(x, weight, bias, mean, variance, training, 0.1, 1e-5)[1:3]
        mask = [True, affine, affine]
        check("aten.native_batch_norm_backward.default", g, x, weight, mean, variance, *saved, training, 1e-5, mask)
    check("aten._native_batch_norm_legit_no_training.default", x, weight, bias, mean, variance, 0.1, 1e-5)
    check("aten._batch_norm_with_update_functional.default", x, weight, bias, mean, variance, 0.1, 1e-5)
    check("aten._batch_norm_no_update.default", x, weight, bias, mean, variance, 0.1, 1e-5)
    check("aten._native_batch_norm_legit.no_stats", x, weight, bias, True, 0.1, 1e-5)
