"""Recordings that fail in the middle leave random numbers, memory and streams usable. In processes of their own: were it not so,
whatever ran behind would fail."""

from __future__ import annotations

import subprocess
import sys

import pytest

CAPTURES = """
import sys
import torch
from mlirind.runtime.cuda.capturing.capture import capture

place, shares = torch.device("cuda:0"), sys.argv[1] == "shared"

def start():
    torch.manual_seed(3)
    torch.randn(2, device=place)

def waits():
    torch.ones(1 << 20, device=place).add_(torch.randn(1, device=place))
    torch.cuda.synchronize()

start()
want = torch.randn(5, device=place)
capture(place, lambda: [torch.randn(4, device=place)], shares)
torch.cuda.empty_cache()
reserved = torch.cuda.memory_reserved()
for run, error in ((waits, RuntimeError), (lambda: [torch.randn(3, device=place), 1 // 0], ZeroDivisionError)):
    start()
    try:
        capture(place, run, shares)
    except error:
        assert torch.equal(torch.randn(5, device=place), want)
    else:
        raise SystemExit("nothing was raised")
    torch.cuda.empty_cache()  # raises where the allocator takes a capture to be going on
    assert shares or torch.cuda.memory_reserved() <= reserved, torch.cuda.memory_reserved() - reserved
start()
graph, (twos, drawn) = capture(place, lambda: [torch.ones(8, device=place) * 2, torch.randn(5, device=place)], shares)
graph.replay()
assert twos.tolist() == [2.0] * 8 and torch.equal(drawn, want)
"""

PROGRAM = """
import sys
import torch
from mlirind.frontend.backend import mlirind

@torch.library.custom_op("mine::waits", mutates_args=())
def waits(x: torch.Tensor) -> torch.Tensor:
    return x * float(x.sum().item() > 0)

@waits.register_fake
def _(x):
    return torch.empty_like(x)

def function(x):
    x = torch.nn.functional.dropout(x, 0.5)
    for _ in range(4):
        x = torch.softmax(x @ x, 0)
    return waits(x + 1)

call = torch.compile(function, backend=mlirind, mode="reduce-overhead")
x = torch.rand(16, 16, device="cuda")
for n in range(5):
    torch.manual_seed(n)
    got = call(x)
    torch.manual_seed(n)
    torch.testing.assert_close(got, function(x), rtol=1e-4, atol=1e-5)
torch.cuda.empty_cache()
"""


@pytest.mark.parametrize("memory", ["shared", "own"])
def test_failing_captures_leave_nothing(memory):
    subprocess.run([sys.executable, "-P", "-c", CAPTURES, memory], check=True, timeout=120)


def test_a_program_whose_capture_fails_runs_as_ever():
    subprocess.run([sys.executable, "-P", "-c", PROGRAM], check=True, timeout=240)
