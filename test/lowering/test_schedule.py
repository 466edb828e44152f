"""How a CPU kernel's work is cut into chunks: enough of them for every thread, none too small to be worth one."""

import math

import pytest
import torch
import torch.nn.functional as F
from mlirind.lowering.cpu import functions
from mlirind.lowering.cpu.schedule import choose_schedule, cost, may_be_large
from mlirind.tuning.cpu import TUNING

THREADS = 16

PROGRAMS = {
    "softmax": lambda x: torch.softmax(x, -1),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "sum": lambda x: x.sum(-1),
    "cross_entropy": lambda x: F.cross_entropy(x, torch.zeros(x.shape[0], dtype=torch.int64), reduction="none"),
    "gather": lambda x: x.gather(1, torch.zeros_like(x, dtype=torch.int64)),
    "cumsum": lambda x: x.cumsum(-1),
    "argmax": lambda x: x.argmax(-1),
    "pointwise": lambda x: x[:, :-1] * 2 + 1,
}


@pytest.fixture
def schedules(monkeypatch):
    """The kernels that are emitted, with their schedules."""
    seen = []

    def choose(kernel, target):
        seen.append((kernel, choose_schedule(kernel, target)))
        return seen[-1][1]

    monkeypatch.setattr(functions, "choose_schedule", choose)
    return seen


def items_of(kernel, schedule) -> int:
    return math.prod(-(-kernel.extents[d] // schedule.blocks.get(d, 1)) for d in schedule.chunked)


# Each number of rows and columns here is in no other test: a kernel that was compiled before is not emitted again.
@pytest.mark.parametrize(("rows", "columns"), [(65521, 35), (16381, 771), (4093, 1031), (999983, 3), (1021, 1027)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_thread_gets_items(name, rows, columns, schedules, backend) -> None:
    torch.compile(PROGRAMS[name], backend=backend, dynamic=False)(torch.randn(rows, columns))
    assert schedules
    for kernel, schedule in schedules:
        points = math.prod(kernel.extents)
        chunks = items_of(kernel, schedule)
        assert chunks >= min(THREADS, points * cost(kernel) // TUNING.thread_work), (kernel.name, kernel.extents, schedule)
        # An item of a tiled copy is a tile, however narrow the matrix.
        assert chunks == 1 or len(schedule.blocks) == 2 or points / chunks >= min(TUNING.chunk_points, points) / 2, (
            kernel.name,
            kernel.extents,
            schedule,
        )


@pytest.mark.parametrize("name", PROGRAMS)
def test_symbolic_rows_are_shared_out(name, schedules, backend) -> None:
    x = torch.randn(513, 37)
    torch._dynamo.mark_dynamic(x, 0)
    torch.compile(PROGRAMS[name], backend=backend)(x)
    kernels = [(kernel, schedule) for kernel, schedule in schedules if not all(isinstance(e, int) for e in kernel.extents)]
    assert kernels
    assert all(may_be_large(kernel, schedule) for kernel, schedule in kernels)


@pytest.mark.parametrize("rows", [1, 27, 28, 29, 5003])
def test_rows_in_blocks_are_right(rows, backend) -> None:
    x = torch.randn(rows, 37)
    for program in PROGRAMS.values():
        assert torch.allclose(torch.compile(program, backend=backend)(x).double(), program(x).double(), rtol=1e-5, atol=1e-6)
