"""The properties of a GPU that tile and split choices depend on: the attribute `mlirind.gpu_target` of a `loop.func` or its module."""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.narrowing import integer
from ...errors import UnsupportedGraph

ATTRIBUTE = "mlirind.gpu_target"
_NUMBERS = ("multiprocessors", "l2_bytes")


@dataclass(frozen=True, slots=True)
class GpuTarget:
    """`multiprocessors`: their number; `l2_bytes`: the size of the L2 cache that they share."""

    multiprocessors: int
    l2_bytes: int

    @property
    def programs(self) -> int:
        """The number of programs that fills the GPU: two for each multiprocessor."""
        return 2 * self.multiprocessors

    def attribute(self) -> ir.Attribute:
        """{l2_bytes = ..., multiprocessors = ...}"""
        number = ir.IntegerType.get_signless(64)
        return ir.DictAttr.get({name: ir.IntegerAttr.get(number, getattr(self, name)) for name in _NUMBERS})


# By architecture, one card each: A100, A40, L40S, H100, B200. NVIDIA's data sheets give the numbers. For a GPU at hand PyTorch's
# `torch.cuda.get_device_properties` does.
TARGETS = {
    "sm_80": GpuTarget(108, 40 << 20),
    "sm_86": GpuTarget(84, 6 << 20),
    "sm_89": GpuTarget(142, 96 << 20),
    "sm_90": GpuTarget(132, 50 << 20),
    "sm_100": GpuTarget(148, 126 << 20),
}
DEFAULT = TARGETS["sm_90"]


def gpu_target(op: ir.Operation) -> GpuTarget:
    """The target of a `loop.func`: its own attribute, else its module's, else an H100. Raises UnsupportedGraph if the attribute describes
    no GPU."""
    named = next((o for o in (op, op.parent) if o is not None and ATTRIBUTE in o.attributes), None)
    if named is None:
        return DEFAULT
    given = named.attributes[ATTRIBUTE]
    entries = ir.DictAttr(given) if isinstance(given, ir.DictAttr) else ir.DictAttr.get({})
    numbers = [entries[name] for name in _NUMBERS if name in entries]
    found = [integer(number) for number in numbers if isinstance(number, ir.IntegerAttr)]
    if len(found) < len(_NUMBERS) or min(found) < 1:
        raise UnsupportedGraph(f"{ATTRIBUTE} is {given}; it takes {{multiprocessors = 132 : i64, l2_bytes = 52428800 : i64}}")
    return GpuTarget(*found)
