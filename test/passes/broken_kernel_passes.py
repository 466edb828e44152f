"""Broken variants of passes on kernels, as in `broken_passes.py`."""

from broken_passes import breach
from mlirind.lowering.fusion import reinplace_kernels
from mlirind.passes.analysis.kernel_updates import KernelAccesses
from mlirind.passes.verify.verify_inplace import Contents

KERNELS = ("convert-aten-to-loop", "fuse-kernels")


@breach("a kernel writes what it reads in another order", "reinplace-kernels", "the kernel reads other elements than",
    "(%x: !m)", """
  %0 = "aten.permute"(%x) {dims = [1, 0]} : (!m) -> !t
  %1 = "aten.neg"(%0) : (!t) -> !t
  %2 = "aten.clone"(%1) {memory_format = #aten.enum<"memory_format", "contiguous_format">} : (!t) -> !m
  %3 = "aten.copy_"(%x, %2) {non_blocking = false} : (!m, !m) -> !m
  return""", before=KERNELS)  # fmt: skip
def _(patch):
    class Careless(KernelAccesses):
        update_problem = lambda *_: None  # noqa: E731

    class Trusting(Contents):
        def accesses(self, place):
            return Careless(self.operations[place])

    patch.setattr(reinplace_kernels, "Contents", Trusting)


@breach("a kernel writes an input that is read later", "reinplace-kernels", "reads a value after a marked call has replaced it",
    "(%x: !m) -> !m", """
  %0 = "aten.neg"(%x) : (!m) -> !m
  %1 = "aten.mm"(%x, %0) : (!m, !m) -> !m
  %2 = "aten.copy_"(%x, %0) {non_blocking = false} : (!m, !m) -> !m
  return %1 : !m""", before=KERNELS)  # fmt: skip
def _(patch):
    patch.setattr(reinplace_kernels._Marker, "_refused", lambda *_: None)


@breach("a kernel writes an input and the caller gets it as a result", "reinplace-kernels", "result 0 shares storage with argument 0",
    "(%x: !m) -> !m", """
  %0 = "aten.neg"(%x) : (!m) -> !m
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (!m, !m) -> !m
  return %0 : !m""", before=KERNELS)  # fmt: skip
def _(patch):
    patch.setattr(reinplace_kernels._Marker, "_refused", lambda *_: None)
