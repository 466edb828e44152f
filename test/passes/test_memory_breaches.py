"""`verify-memory` refuses the plans of broken variants of `plan-memory`, on the programs of plan_memory.mlir."""

from dataclasses import replace
from pathlib import Path

import pytest
from mlirind.dialects.context import compile_context
from mlirind.lowering.memory import plan_memory
from mlirind.lowering.memory.plan_memory import Planner
from mlirind.options import Options
from mlirind.passes.driver import PassFailed, run_passes
from torch_mlir import ir

CHAIN, FLIPS, SWEEPS, SYMBOLIC, KEPT, DONATED = Path(__file__).with_name("plan_memory.mlir").read_text().split("// -----")[:6]

LAUNCH = (
    next(line for line in SYMBOLIC.splitlines() if "(%c, %d)" in line)
    .replace("%c, %d", "%d, %e")
    .replace("(!y, !z)", "(!z, !z)")
    .replace("<i32: 1, 1,", "<i32: 2, 0,")
)
# The larger buffer is a temporary.
LONGER = SYMBOLIC.replace(
    "return %d",
    f"""%e = "host.alloc"() : () -> !z
  {LAUNCH}
  "host.free"(%d) : (!z) -> ()
  return %e""",
)


def too_early(patch):
    """A buffer is dead before its last use."""
    donors = Planner._donors
    patch.setattr(Planner, "_donors", lambda self: (replace(d, end=0, gone=1) for d in donors(self)))


def anywhere(patch):
    """A result takes the memory of any dead buffer of its size."""
    kinds_for = Planner._kinds_for

    def kinds(self, buffer):
        self.outside.discard(buffer)
        return kinds_for(self, buffer)

    patch.setattr(Planner, "_kinds_for", kinds)
    patch.setattr(Planner, "_fits", lambda *_: True)


BREACHES = {
    "kernels always work in place": (FLIPS, "may read an element", lambda p: p.setattr(plan_memory, "may_lie_in", lambda *_: True)),
    "softmax always works in place": (SWEEPS, "may read an element", lambda p: p.setattr(plan_memory, "may_lie_in", lambda *_: True)),
    "a buffer dies too early": (FLIPS, "after its memory was taken", too_early),
    "operators keep nothing": (KEPT, "an operator may have kept", lambda p: p.setattr(Planner, "_is_private", lambda *_: True)),
    "sizes are not compared": (LONGER, "takes memory of", lambda p: p.setattr(plan_memory, "bytes_of", lambda _: 32)),
    "results lie anywhere": (DONATED, "returns a tensor in memory", anywhere),
}  # fmt: skip


@pytest.mark.parametrize("name", BREACHES)
def test_the_verifier_sees_it(name, monkeypatch):
    program, message, breaks = BREACHES[name]

    def plan():
        with compile_context():
            run_passes(ir.Module.parse(program), ["plan-memory"], Options(verify_each=True, reproducer=False))

    plan()
    breaks(monkeypatch)
    with pytest.raises(PassFailed, match=message):
        plan()
