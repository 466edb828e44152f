"""A U-Net as diffusion models have it: residual blocks with group norm, SiLU and a time embedding, attention at the lower resolutions."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F

GROUPS, HEAD = 32, 64


class Residual(nn.Module):
    """Two convolutions; the time embedding is added between them."""

    def __init__(self, inputs: int, outputs: int, time: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(GROUPS, inputs), nn.GroupNorm(GROUPS, outputs)
        self.conv1, self.conv2 = nn.Conv2d(inputs, outputs, 3, padding=1), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.time = nn.Linear(time, outputs)
        self.skip = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        inner = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(inner)))


class Attention(nn.Module):
    """Self-attention over the positions of an image."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(GROUPS, channels)
        self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        rows = self.norm(x).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(rows).view(n, h * w, 3, c // HEAD, HEAD).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, h * w, c)
        return x + self.out(mixed).transpose(1, 2).reshape(n, c, h, w)


class Level(nn.Module):
    """A residual block, with attention behind it if `attend`."""

    def __init__(self, inputs: int, outputs: int, time: int, attend: bool) -> None:
        super().__init__()
        self.residual = Residual(inputs, outputs, time)
        self.attention = Attention(outputs) if attend else nn.Identity()

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        return self.attention(self.residual(x, time))


class UNet(nn.Module):
    """Predicts the noise in latents (n, 4, h, w) at times (n,); `widths`: the channels at each resolution."""

    def __init__(self, widths: tuple[int, ...] = (192, 384, 576, 768)) -> None:
        super().__init__()
        self.width = widths[0]
        time = 4 * self.width
        self.embed = nn.Sequential(nn.Linear(self.width, time), nn.SiLU(), nn.Linear(time, time))
        self.first = nn.Conv2d(4, self.width, 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        self.shrink, self.grow = nn.ModuleList(), nn.ModuleList()
        before = self.width
        for n, width in enumerate(widths):
            self.down.append(nn.ModuleList([Level(before, width, time, n > 0), Level(width, width, time, n > 0)]))
            self.shrink.append(nn.Conv2d(width, width, 3, stride=2, padding=1) if n + 1 < len(widths) else nn.Identity())
            before = width
        self.middle = Level(before, before, time, True)
        for n, width in reversed(list(enumerate(widths))):
            self.up.append(nn.ModuleList([Level(before + width, width, time, n > 0), Level(2 * width, width, time, n > 0)]))
            self.grow.append(nn.Conv2d(width, width, 3, padding=1) if n else nn.Identity())
            before = width
        self.norm, self.last = nn.GroupNorm(GROUPS, before), nn.Conv2d(before, 4, 3, padding=1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        frequencies = torch.exp(-math.log(10000.0) * torch.arange(self.width // 2, device=x.device) / (self.width // 2))
        angles = time[:, None] * frequencies
        embedded = self.embed(torch.cat([angles.sin(), angles.cos()], -1).to(x.dtype))
        x, kept = self.first(x), []
        for n, (levels, shrink) in enumerate(zip(self.down, self.shrink, strict=True)):
            for level in levels:  # type: ignore[attr-defined]
                x = level(x, embedded)
                kept.append(x)
            x = shrink(x) if n + 1 < len(self.down) else x
        x = self.middle(x, embedded)
        for n, (levels, grow) in enumerate(zip(self.up, self.grow, strict=True)):
            for level in levels:  # type: ignore[attr-defined]
                x = level(torch.cat([x, kept.pop()], 1), embedded)
            x = grow(F.interpolate(x, scale_factor=2.0)) if n + 1 < len(self.up) else x
        return self.last(F.silu(self.norm(x)))
