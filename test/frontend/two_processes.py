"""Trains networks in two processes with gloo, compiled and not: `python two_processes.py RANK FILE` prints a line of JSON for each kind."""

import json
import sys

import torch
import torch.distributed as dist
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

STEPS = 20


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(16), nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.blocks, self.last = nn.Linear(8, 16), nn.ModuleList([Block()]), nn.Linear(16, 4)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


def data_parallel(network, mesh):
    return nn.parallel.DistributedDataParallel(network, bucket_cap_mb=0.005)


def fully_sharded(network, mesh):
    for block in network.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(network, mesh=mesh)


def tensor_parallel(network, mesh):
    for block in network.blocks:
        parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    return network


def losses(prepare, mesh, rank, compiled):
    """The loss of each step, and the parameters after the last one."""
    torch._dynamo.reset()
    network = prepare(Network(), mesh)
    call = torch.compile(network, backend=backend) if compiled else network
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2)
    found = []
    for step in range(STEPS):
        draw = torch.Generator().manual_seed(step if prepare is tensor_parallel else 2 * step + rank)
        x, wanted = torch.randn(5, 8, generator=draw), torch.randn(5, 4, generator=draw)
        loss = (call(x) - wanted).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(loss.detach())
    return torch.stack(found), [p.full_tensor() if isinstance(p, DTensor) else p.detach() for p in network.parameters()]


def of_distributed_tensors(mesh, rank, compiled):
    """A function whose inputs and result are distributed tensors, of symbolic sizes, and the gradient of one."""
    torch._dynamo.reset()

    def function(x, w):
        return (x @ w).relu().redistribute(mesh, [Replicate()])

    call = torch.compile(function, backend=backend, dynamic=True) if compiled else function
    torch.manual_seed(0)
    w = distribute_tensor(torch.randn(8, 4), mesh, [Shard(1)]).requires_grad_()
    results = [call(distribute_tensor(torch.randn(rows, 8), mesh, [Replicate()]), w) for rows in (6, 5)]
    sum(r.sum() for r in results).backward()
    kinds = torch.tensor([float(isinstance(r, DTensor)) for r in results])
    return kinds, [w.grad.full_tensor(), *(r.detach().full_tensor() for r in results)]


KINDS = {
    "data_parallel": lambda *args: losses(data_parallel, *args),
    "fully_sharded": lambda *args: losses(fully_sharded, *args),
    "tensor_parallel": lambda *args: losses(tensor_parallel, *args),
    "distributed tensors": of_distributed_tensors,
}


def main(rank, store):
    torch.set_num_threads(1)
    dist._DEFAULT_FIRST_BUCKET_BYTES = 4000  # several buckets, though the network is small
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    for kind, run in KINDS.items():
        wanted = run(mesh, rank, False)
        counters.reset()
        found = run(mesh, rank, True)
        difference = max(float((a - b).detach().abs().max()) for a, b in zip([found[0], *found[1]], [wanted[0], *wanted[1]], strict=True))
        record = {"kind": kind, "difference": difference, "compiled": counters.compiled, "fallbacks": [*counters.fallbacks]}
        print(json.dumps(record | {"joint": [*counters.joint_unchanged]}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
