"""Single operators at usual sizes, by name: the function, and a function that makes its inputs."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

Case = tuple[Callable[..., torch.Tensor], Callable[[], tuple[torch.Tensor, ...]]]


def image(*sizes: int, channels_last: bool = False, grad: bool = False) -> torch.Tensor:
    """A random float tensor, by default of size 16x64x56x56."""
    x = torch.randn(sizes or (16, 64, 56, 56))
    if channels_last:
        x = x.contiguous(memory_format=torch.channels_last)
    return x.requires_grad_(grad)


def indices(top: int, *sizes: int) -> torch.Tensor:
    return torch.randint(0, top, sizes)


def _grid() -> tuple[torch.Tensor, ...]:
    return image(), torch.rand(16, 56, 56, 2) * 2 - 1


def _norm(fn: Callable[..., torch.Tensor], channels_last: bool = False, grad: bool = False) -> Case:
    def inputs() -> tuple[torch.Tensor, ...]:
        return (
            image(channels_last=channels_last, grad=grad),
            torch.randn(64, requires_grad=grad),
            torch.randn(64, requires_grad=grad),
        )

    return fn, inputs


def _batch_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.batch_norm(x, None, None, w, b, training=True)


def _group_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.group_norm(x, 8, w, b)


def _instance_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.instance_norm(x, None, None, w, b)


def _embedding(index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.embedding(index, weight)


CASES: dict[str, Case] = {
    "reflection_pad2d": (lambda x: F.pad(x, (1, 1, 1, 1), "reflect"), lambda: (image(),)),
    "reflection_pad2d 3": (lambda x: F.pad(x, (3, 3, 3, 3), "reflect"), lambda: (image(),)),
    "reflection_pad2d channels last": (lambda x: F.pad(x, (1, 1, 1, 1), "reflect"), lambda: (image(channels_last=True),)),
    "reflection_pad1d": (lambda x: F.pad(x, (8, 8), "reflect"), lambda: (image(32, 64, 1024),)),
    "replication_pad2d": (lambda x: F.pad(x, (1, 1, 1, 1), "replicate"), lambda: (image(),)),
    "replication_pad2d channels last": (lambda x: F.pad(x, (1, 1, 1, 1), "replicate"), lambda: (image(channels_last=True),)),
    "replication_pad3d": (lambda x: F.pad(x, (1, 1, 1, 1, 1, 1), "replicate"), lambda: (image(4, 16, 16, 56, 56),)),
    "circular pad": (lambda x: F.pad(x, (1, 1, 1, 1), "circular"), lambda: (image(),)),
    "constant pad": (lambda x: F.pad(x, (1, 1, 1, 1)), lambda: (image(),)),
    "constant pad channels last": (lambda x: F.pad(x, (1, 1, 1, 1)), lambda: (image(channels_last=True),)),
    "reflection_pad2d training": (lambda x: F.pad(x, (1, 1, 1, 1), "reflect"), lambda: (image(grad=True),)),
    "replication_pad2d training": (lambda x: F.pad(x, (1, 1, 1, 1), "replicate"), lambda: (image(grad=True),)),
    "bilinear 2x": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), lambda: (image(4, 64, 56, 56),)),
    "bilinear 2x corners": (
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
        lambda: (image(4, 64, 56, 56),),
    ),
    "bilinear 2x channels last": (
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda: (image(4, 64, 56, 56, channels_last=True),),
    ),
    "bilinear to 32": (lambda x: F.interpolate(x, size=(32, 32), mode="bilinear"), lambda: (image(),)),
    "bicubic 2x": (lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), lambda: (image(4, 16, 56, 56),)),
    "linear 2x": (lambda x: F.interpolate(x, scale_factor=2, mode="linear"), lambda: (image(16, 64, 1024),)),
    "trilinear 2x": (lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), lambda: (image(1, 16, 16, 28, 28),)),
    "bilinear 2x training": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), lambda: (image(4, 64, 56, 56, grad=True),)),
    "nearest 2x": (lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), lambda: (image(4, 64, 56, 56),)),
    "nearest 2x channels last": (lambda x: F.interpolate(x, scale_factor=2), lambda: (image(4, 64, 56, 56, channels_last=True),)),
    "nearest to 84": (lambda x: F.interpolate(x, size=(84, 84)), lambda: (image(4, 64, 56, 56),)),
    "nearest-exact 2x": (lambda x: F.interpolate(x, scale_factor=2, mode="nearest-exact"), lambda: (image(4, 64, 56, 56),)),
    "nearest 2x training": (lambda x: F.interpolate(x, scale_factor=2), lambda: (image(4, 64, 56, 56, grad=True),)),
    "grid_sample": (lambda x, g: F.grid_sample(x, g, align_corners=False), _grid),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), lambda: (image(),)),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2), lambda: (image(),)),
    "channel shuffle": (lambda x: F.channel_shuffle(x, 4), lambda: (image(),)),
    "unfold": (lambda x: F.unfold(x, 3, padding=1), lambda: (image(2, 64, 56, 56),)),
    "fold": (lambda x: F.fold(x, (56, 56), 3, padding=1), lambda: (image(2, 576, 3136),)),
    "gather dim 1": (lambda x, i: x.gather(1, i), lambda: (image(1024, 1024), indices(1024, 1024, 1024))),
    "gather dim 0": (lambda x, i: x.gather(0, i), lambda: (image(1024, 1024), indices(1024, 1024, 1024))),
    "take": (lambda x, i: x.take(i), lambda: (image(1024, 1024), indices(1 << 20, 1 << 20))),
    "x[i] rows": (lambda x, i: x[i], lambda: (image(4096, 512), indices(4096, 4096))),
    "x[i] elements": (lambda x, i: x[i], lambda: (image(1 << 20), indices(1 << 20, 1 << 20))),
    "x[:, i]": (lambda x, i: x[:, i], lambda: (image(1024, 1024), indices(1024, 1024))),
    "index_select rows": (lambda x, i: x.index_select(0, i), lambda: (image(4096, 512), indices(4096, 4096))),
    "index_select dim 1": (lambda x, i: x.index_select(1, i), lambda: (image(64, 256, 64), indices(256, 256))),
    "index_select last": (lambda x, i: x.index_select(1, i), lambda: (image(1024, 1024), indices(1024, 1024))),
    "embedding": (_embedding, lambda: (indices(30000, 16, 256), image(30000, 256))),
    "embedding training": (_embedding, lambda: (indices(30000, 16, 256), image(30000, 256, grad=True))),
    "scatter": (lambda x, i, s: x.scatter(1, i, s), lambda: (image(1024, 1024), indices(1024, 1024, 1024), image(1024, 1024))),
    "scatter_add": (lambda x, i, s: x.scatter_add(1, i, s), lambda: (image(1024, 1024), indices(1024, 1024, 1024), image(1024, 1024))),
    "scatter_add dim 0": (
        lambda x, i, s: x.scatter_add(0, i, s),
        lambda: (image(1024, 1024), indices(1024, 1024, 1024), image(1024, 1024)),
    ),
    "scatter_add expanded": (
        lambda x, i, s: x.scatter_add(0, i[:, None].expand_as(s), s),
        lambda: (image(1024, 512), indices(1024, 4096), image(4096, 512)),
    ),
    "index_add": (lambda x, i, s: x.index_add(0, i, s), lambda: (image(1024, 512), indices(1024, 4096), image(4096, 512))),
    "index_add dim 1": (lambda x, i, s: x.index_add(1, i, s), lambda: (image(512, 1024), indices(1024, 1024), image(512, 1024))),
    "index_put": (lambda x, i, s: x.index_put((i,), s), lambda: (image(4096, 512), indices(4096, 4096), image(4096, 512))),
    "index_put add": (
        lambda x, i, s: x.index_put((i,), s, accumulate=True),
        lambda: (image(4096, 512), indices(4096, 4096), image(4096, 512)),
    ),
    "index_copy": (lambda x, i, s: x.index_copy(0, i, s), lambda: (image(4096, 512), torch.randperm(4096), image(4096, 512))),
    "index_fill": (lambda x, i: x.index_fill(0, i, 1.0), lambda: (image(4096, 512), indices(4096, 512))),
    "one_hot": (lambda i: F.one_hot(i, 1000), lambda: (indices(1000, 2048),)),
    "masked_fill": (lambda x, m: x.masked_fill(m, 0.0), lambda: (image(2048, 1024), image(2048, 1024) > 0)),
    "where": (lambda x, y: torch.where(x > 0, x, y), lambda: (image(2048, 1024), image(2048, 1024))),
    "cumsum last": (lambda x: x.cumsum(-1), lambda: (image(2048, 1024),)),
    "cumsum dim 0": (lambda x: x.cumsum(0), lambda: (image(2048, 1024),)),
    "cumsum middle": (lambda x: x.cumsum(1), lambda: (image(32, 1024, 64),)),
    "cumsum of one row": (lambda x: x.cumsum(0), lambda: (image(1 << 20),)),
    "cumsum int64": (lambda x: x.cumsum(-1), lambda: (indices(100, 2048, 1024),)),
    "cumprod last": (lambda x: x.cumprod(-1), lambda: (image(2048, 1024),)),
    "cummax last": (lambda x: x.cummax(-1)[0], lambda: (image(2048, 1024),)),
    "logcumsumexp": (lambda x: x.logcumsumexp(-1), lambda: (image(1024, 1024),)),
    "flip last": (lambda x: x.flip(-1), lambda: (image(2048, 1024),)),
    "flip images": (lambda x: x.flip(3), lambda: (image(),)),
    "flip dim 0": (lambda x: x.flip(0), lambda: (image(2048, 1024),)),
    "flip both": (lambda x: x.flip(2, 3), lambda: (image(),)),
    "roll last": (lambda x: x.roll(5, -1), lambda: (image(2048, 1024),)),
    "roll windows": (lambda x: x.roll((-3, -3), (1, 2)), lambda: (image(16, 56, 56, 96),)),
    "roll images": (lambda x: x.roll((3, 3), (2, 3)), lambda: (image(),)),
    "cat channels": (lambda x, y: torch.cat([x, y], 1), lambda: (image(), image())),
    "cat channels last": (lambda x, y: torch.cat([x, y], 1), lambda: (image(channels_last=True), image(channels_last=True))),
    "cat last": (lambda x, y: torch.cat([x, y], -1), lambda: (image(2048, 512), image(2048, 512))),
    "cat 4 of 7": (lambda *xs: torch.cat(xs, -1), lambda: tuple(image(8192, n) for n in (7, 9, 64, 30))),
    "stack": (lambda x, y: torch.stack([x, y], -1), lambda: (image(1024, 1024), image(1024, 1024))),
    "stack 0": (lambda x, y: torch.stack([x, y]), lambda: (image(1024, 1024), image(1024, 1024))),
    "repeat": (lambda x: x.repeat(1, 1, 2, 2), lambda: (image(4, 64, 56, 56),)),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, -1), lambda: (image(2048, 512),)),
    "tile": (lambda x: x.tile(4, 1), lambda: (image(512, 1024),)),
    "transpose copy": (lambda x: x.t().contiguous(), lambda: (image(1536, 1536),)),
    "permute to channels last": (lambda x: x.contiguous(memory_format=torch.channels_last), lambda: (image(),)),
    "permute from channels last": (lambda x: x.contiguous(), lambda: (image(channels_last=True),)),
    "heads": (lambda x: x.view(8, 512, 12, 64).transpose(1, 2).contiguous(), lambda: (image(8, 512, 768),)),
    "slice copy": (lambda x: x[:, ::2].contiguous(), lambda: (image(2048, 2048),)),
    "diagonal copy": (lambda x: x.diagonal(dim1=1, dim2=2).contiguous(), lambda: (image(512, 64, 64),)),
    "tril": (lambda x: x.tril(), lambda: (image(16, 512, 512),)),
    "sort": (lambda x: x.sort(-1)[0], lambda: (image(256, 1024),)),
    "topk": (lambda x: x.topk(8, -1)[0], lambda: (image(256, 1024),)),
    "argmax last": (lambda x: x.argmax(-1), lambda: (image(2048, 1024),)),
    "argmax dim 0": (lambda x: x.argmax(0), lambda: (image(2048, 1024),)),
    "max last": (lambda x: x.max(-1)[0], lambda: (image(2048, 1024),)),
    "sum": (lambda x: x.sum(), lambda: (image(2048, 1024),)),
    "sum last": (lambda x: x.sum(-1), lambda: (image(2048, 1024),)),
    "sum last 56": (lambda x: x.sum(-1), lambda: (image(),)),
    "sum dim 0": (lambda x: x.sum(0), lambda: (image(2048, 1024),)),
    "sum dim 1": (lambda x: x.sum(1), lambda: (image(),)),
    "sum of bfloat16": (lambda x: x.sum(-1), lambda: (image(2048, 1024).bfloat16(),)),
    "mean of images": (lambda x: x.mean((2, 3)), lambda: (image(),)),
    "mean channels last": (lambda x: x.mean((2, 3)), lambda: (image(channels_last=True),)),
    "var last": (lambda x: x.var(-1), lambda: (image(2048, 1024),)),
    "var channels": (lambda x: x.var((0, 2, 3)), lambda: (image(),)),
    "norm": (lambda x: x.norm(), lambda: (image(2048, 1024),)),
    "norm last": (lambda x: x.norm(dim=-1), lambda: (image(2048, 1024),)),
    "logsumexp": (lambda x: x.logsumexp(-1), lambda: (image(2048, 1024),)),
    "prod last": (lambda x: x.prod(-1), lambda: (image(2048, 1024),)),
    "all last": (lambda x: x.all(-1), lambda: (image(2048, 1024) > -9,)),
    "count nonzero": (lambda x: x.count_nonzero(), lambda: (image(2048, 1024),)),
    "softmax": (lambda x: x.softmax(-1), lambda: (image(2048, 1024),)),
    "softmax dim 1": (lambda x: x.softmax(1), lambda: (image(),)),
    "log_softmax training": (lambda x: x.log_softmax(-1), lambda: (image(2048, 1024, grad=True),)),
    "max_pool2d 2": (lambda x: F.max_pool2d(x, 2), lambda: (image(),)),
    "max_pool2d 3/2": (lambda x: F.max_pool2d(x, 3, 2, 1), lambda: (image(16, 64, 112, 112),)),
    "max_pool2d 3/2 channels last": (lambda x: F.max_pool2d(x, 3, 2, 1), lambda: (image(16, 64, 112, 112, channels_last=True),)),
    "max_pool2d 3/2 training": (lambda x: F.max_pool2d(x, 3, 2, 1), lambda: (image(8, 64, 112, 112, grad=True),)),
    "max_pool2d 5/1": (lambda x: F.max_pool2d(x, 5, 1, 2), lambda: (image(4, 64, 56, 56),)),
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2, 1), lambda: (image(32, 64, 1024),)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), lambda: (image(2, 16, 32, 56, 56),)),
    "avg_pool2d 2": (lambda x: F.avg_pool2d(x, 2), lambda: (image(),)),
    "avg_pool2d 3/1": (lambda x: F.avg_pool2d(x, 3, 1, 1), lambda: (image(),)),
    "avg_pool2d 7": (lambda x: F.avg_pool2d(x, 7), lambda: (image(),)),
    "avg_pool2d 3/2 channels last": (lambda x: F.avg_pool2d(x, 3, 2, 1), lambda: (image(channels_last=True),)),
    "avg_pool2d training": (lambda x: F.avg_pool2d(x, 3, 2, 1), lambda: (image(grad=True),)),
    "adaptive_avg_pool2d 1": (lambda x: F.adaptive_avg_pool2d(x, 1), lambda: (image(),)),
    "adaptive_avg_pool2d 7": (lambda x: F.adaptive_avg_pool2d(x, 7), lambda: (image(),)),
    "adaptive_avg_pool2d 6": (lambda x: F.adaptive_avg_pool2d(x, 6), lambda: (image(),)),
    "adaptive_max_pool2d 7": (lambda x: F.adaptive_max_pool2d(x, 7), lambda: (image(),)),
    "lp_pool2d": (lambda x: F.lp_pool2d(x, 2, 2), lambda: (image(),)),
    "batch norm": _norm(_batch_norm),
    "batch norm channels last": _norm(_batch_norm, channels_last=True),
    "batch norm training": _norm(_batch_norm, grad=True),
    "batch norm training channels last": _norm(_batch_norm, channels_last=True, grad=True),
    "group norm": _norm(_group_norm),
    "group norm channels last": _norm(_group_norm, channels_last=True),
    "group norm training": _norm(_group_norm, grad=True),
    "group norm training channels last": _norm(_group_norm, channels_last=True, grad=True),
    "instance norm": _norm(_instance_norm),
    "instance norm training": _norm(_instance_norm, grad=True),
    "layer norm": (lambda x: F.layer_norm(x, (1024,)), lambda: (image(2048, 1024),)),
    "layer norm training": (lambda x: F.layer_norm(x, (1024,)), lambda: (image(2048, 1024, grad=True),)),
    "local response norm": (lambda x: F.local_response_norm(x, 5), lambda: (image(4, 64, 56, 56),)),
    "cross entropy": (lambda x, t: F.cross_entropy(x, t), lambda: (image(512, 8192), indices(8192, 512))),
    "cross entropy of images": (lambda x, t: F.cross_entropy(x, t), lambda: (image(4, 21, 128, 128), indices(21, 4, 128, 128))),
    "nll_loss": (lambda x, t: F.nll_loss(x, t), lambda: (image(512, 8192), indices(8192, 512))),
    "mse_loss": (lambda x, y: F.mse_loss(x, y), lambda: (image(2048, 1024), image(2048, 1024))),
    "smooth_l1_loss": (lambda x, y: F.smooth_l1_loss(x, y), lambda: (image(2048, 1024), image(2048, 1024))),
    "add": (lambda x, y: x + y, lambda: (image(2048, 1024), image(2048, 1024))),
    "add of a row": (lambda x, y: x + y, lambda: (image(2048, 1024), image(1024))),
    "add of a channel": (lambda x, y: x + y[:, None, None], lambda: (image(), image(64))),
    "exp": (lambda x: x.exp(), lambda: (image(2048, 1024),)),
    "log": (lambda x: x.log(), lambda: (image(2048, 1024).abs(),)),
    "sin": (lambda x: x.sin(), lambda: (image(2048, 1024),)),
    "tanh": (lambda x: x.tanh(), lambda: (image(2048, 1024),)),
    "sigmoid": (lambda x: x.sigmoid(), lambda: (image(2048, 1024),)),
    "erf": (lambda x: x.erf(), lambda: (image(2048, 1024),)),
    "gelu": (lambda x: F.gelu(x), lambda: (image(2048, 1024),)),
    "silu": (lambda x: F.silu(x), lambda: (image(2048, 1024),)),
    "mish": (lambda x: F.mish(x), lambda: (image(2048, 1024),)),
    "softplus": (lambda x: F.softplus(x), lambda: (image(2048, 1024),)),
    "elu": (lambda x: F.elu(x), lambda: (image(2048, 1024),)),
    "pow": (lambda x, y: x.pow(y), lambda: (image(1024, 1024).abs(), image(1024, 1024))),
    "pow 3": (lambda x: x**3, lambda: (image(2048, 1024),)),
    "atan2": (lambda x, y: x.atan2(y), lambda: (image(1024, 1024), image(1024, 1024))),
    "fmod": (lambda x, y: x.fmod(y), lambda: (image(1024, 1024), image(1024, 1024))),
    "remainder": (lambda x, y: x.remainder(y), lambda: (image(1024, 1024), image(1024, 1024))),
    "int division": (lambda x, y: x // y, lambda: (indices(1000, 1024, 1024), indices(1000, 1024, 1024) + 1)),
    "clamp": (lambda x: x.clamp(-1, 1), lambda: (image(2048, 1024),)),
    "round": (lambda x: x.round(), lambda: (image(2048, 1024),)),
    "to bfloat16": (lambda x: x.bfloat16(), lambda: (image(2048, 1024),)),
    "to int64": (lambda x: x.long(), lambda: (image(2048, 1024),)),
    "to bool": (lambda x: x.bool(), lambda: (image(2048, 1024),)),
    "arange": (lambda x: torch.arange(1 << 20) + x, lambda: (indices(9, 1),)),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), lambda: (image(2048, 1024), image(2048, 1024))),
    "bucketize": (lambda x, b: torch.bucketize(x, b), lambda: (image(1024, 1024), torch.linspace(-3, 3, 64))),
    "triu_indices": (lambda x: torch.triu_indices(512, 512) + x, lambda: (indices(9, 1),)),
    "meshgrid": (lambda x: torch.stack(torch.meshgrid(x, x, indexing="ij"), -1), lambda: (image(512),)),
    "outer": (lambda x, y: torch.outer(x, y), lambda: (image(1024), image(1024))),
    "cdist": (lambda x, y: torch.cdist(x, y), lambda: (image(512, 64), image(512, 64))),
    "nan_to_num": (lambda x: x.nan_to_num(), lambda: (image(2048, 1024),)),
    "diff": (lambda x: x.diff(dim=-1), lambda: (image(2048, 1024),)),
    "trapezoid": (lambda x: torch.trapezoid(x), lambda: (image(2048, 1024),)),
}
