"""Trains GPT-2 (124M parameters) on random text with several backends and compares losses, memory and speed.

python benchmarks/training_run.py [--backend NAME ...] [--steps N] [--block N] [--dropout P] [--tiny] [--json FILE]

Each backend trains its own copy of the same model: AdamW (fused) with a linear warm-up, autocast to bfloat16, gradients clipped to norm
1, dropout 0.1, 8 x 1024 tokens a step. The backends take turns after each block of steps. All see the same tokens, but drop different
elements. Two further runs of eager (`eager again`) show how far losses may be apart for that alone. The text is a random walk over 1,000
tokens, each of which has few possible successors, so there is something to learn.

For each block: the mean loss, tokens per second, the peak of memory beyond what the block began with in MiB, and the graphs compiled in
it. The table leaves out the first block, in which all is compiled, from the speeds. `--tiny` takes a small model on the CPU.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers
from mlirind.tools.backends import find_backend
from mlirind.torch_internals import dynamo

SUCCESSORS = 16  # of a token
WARM_UP = 30  # steps until the learning rate is at its height


@dataclass(frozen=True)
class Size:
    """A model's size, and the batch: rows of `length` tokens, of which `used` occur."""

    vocabulary: int
    used: int
    width: int
    layers: int
    heads: int
    rows: int
    length: int


GPT2 = Size(50257, 1000, 768, 12, 12, 8, 1024)
TINY = Size(211, 211, 32, 2, 2, 4, 24)


@dataclass
class Block:
    """What happened in a block of steps: the loss of each, seconds, bytes and compilations."""

    losses: list[float]
    seconds: float
    peak: int
    compilations: int


@dataclass
class Run:
    """A model that one backend trains, and its blocks so far."""

    name: str
    step: Callable[[torch.Tensor], torch.Tensor]
    blocks: list[Block] = field(default_factory=list)


def text(size: Size, device: str, seed: int = 0) -> Iterator[torch.Tensor]:
    """Batches of random walks over the vocabulary. Tokens' first successors are likelier than later ones."""
    random = torch.Generator(device).manual_seed(seed)
    successors = torch.randint(size.used, (size.used, SUCCESSORS), generator=random, device=device)
    weights = 1 / torch.arange(1, SUCCESSORS + 1, device=device, dtype=torch.float32)
    while True:
        tokens = [torch.randint(size.used, (size.rows,), generator=random, device=device)]
        chosen = torch.multinomial(weights.expand(size.length, -1), size.rows, replacement=True, generator=random)
        for choice in chosen[1:]:
            tokens.append(successors[tokens[-1], choice])
        yield torch.stack(tokens, 1)


def train_with(backend: str, size: Size, device: str, dropout: float = 0.1) -> Callable[[torch.Tensor], torch.Tensor]:
    """A function that takes a batch of tokens, trains one step, and returns the loss."""
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=size.vocabulary, n_embd=size.width, n_layer=size.layers, n_head=size.heads, n_positions=size.length, use_cache=False,
        resid_pdrop=dropout, embd_pdrop=dropout, attn_pdrop=dropout,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config).to(device).train()
    model.loss_type = "ForCausalLM"  # otherwise a warning breaks the graph before the loss
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=6e-4, weight_decay=0.1, fused=True)
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / WARM_UP, 1.0, WARM_UP)
    forward: Callable[..., Any] = model if backend == "eager" else torch.compile(model, backend=find_backend(backend))

    def step(tokens: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        with torch.autocast(device, torch.bfloat16):
            loss = forward(input_ids=tokens, labels=tokens).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        warm_up.step()
        return loss.detach()

    return step


def compilations() -> int:
    """Graphs that Dynamo has compiled so far."""
    return int(dynamo.counters["stats"]["unique_graphs"])


def run_block(run: Run, batches: list[torch.Tensor], device: str) -> Block:
    """Trains a step on each batch."""
    on_gpu = device == "cuda"
    before = compilations()
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    held = torch.cuda.memory_allocated() if on_gpu else 0
    start = time.perf_counter()
    losses = torch.stack([run.step(tokens) for tokens in batches]).tolist()  # waits for the GPU
    seconds = time.perf_counter() - start
    peak = torch.cuda.max_memory_allocated() - held if on_gpu else 0
    return Block(losses, seconds, peak, compilations() - before)


def summary(runs: list[Run], tokens: int) -> list[str]:
    """A row for each run. `tokens`: in a step. "distance": the largest difference of a block's mean loss from eager's, in the second half
    of the run."""
    eager = [statistics.mean(block.losses) for block in runs[0].blocks]
    heads = {"first block s": 15, "tokens/s": 12, "of eager": 10, "loss": 8, "distance": 10, "peaks MiB": 16, "compiled": 16}
    lines = [f"{'backend':14}" + "".join(f"{head:>{width}}" for head, width in heads.items())]
    speeds = {}
    for run in runs:
        steady = run.blocks[1:]
        speeds[run.name] = speed = statistics.median(tokens * len(block.losses) / block.seconds for block in steady)
        means = [statistics.mean(block.losses) for block in run.blocks]
        half = len(means) // 2
        distance = max(abs(a - b) for a, b in zip(means[half:], eager[half:], strict=True))
        peaks = sorted(block.peak / 2**20 for block in steady)
        compiled = f"{run.blocks[0].compilations} then {sum(block.compilations for block in steady)}"
        lines.append(
            f"{run.name:14}{run.blocks[0].seconds:15.1f}{speed:12.0f}{speed / speeds[runs[0].name]:10.2f}{means[-1]:8.3f}{distance:10.4f}"
            f"{f'{peaks[0]:.0f} to {peaks[-1]:.0f}':>16}{compiled:>16}"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", action="append", help="may be repeated; default: inductor, mlirind")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--block", type=int, default=20, help="steps until the next backend's turn")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--tiny", action="store_true", help="a small model on the CPU")
    parser.add_argument("--json", type=Path, help="also writes every block here")
    args = parser.parse_args()
    size, device = (TINY, "cpu") if args.tiny else (GPT2, "cuda")
    backends = args.backend or ["inductor", "mlirind"]
    names = ["eager", "eager again", "eager again 2", *backends]
    runs = [Run(name, train_with(name.split()[0], size, device, args.dropout)) for name in names]
    batches = text(size, device)
    for _ in range(0, args.steps, args.block):
        block = [next(batches) for _ in range(args.block)]
        for run in runs:
            run.blocks.append(run_block(run, block, device))
        losses = ", ".join(f"{run.name} {statistics.mean(run.blocks[-1].losses):.4f}" for run in runs)
        print(f"step {args.block * len(runs[0].blocks)}: {losses}", flush=True)
    if args.json:
        args.json.write_text(json.dumps({run.name: [vars(block) for block in run.blocks] for run in runs}, indent=1))
    print("\n".join(summary(runs, size.rows * size.length)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
