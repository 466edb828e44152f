"""`verify-bounds`: proves that each load and store of a kernel stays within its buffer, and each view within its base.

Sizes come from the operands' types, with the ranges in `aten.symbols` and the conditions in `aten.requires`. An index that is read from
memory must be masked; a `loop.check` does not count, for it stops nothing. For a kernel in value form the proof is that each coordinate
is within its dimension. For a kernel on flat buffers it is, at each launch, that the element offset is within the span of the operand's
layout. Vector tails and tiles of generated code are masked by the domain and need no proof here.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_mlir import ir

from ...dialects.aten import TensorInfo, stage_of
from ...dialects.narrowing import AnyOp, integer, text
from ...dialects.verify_host import launched_name
from ...passes.registry import register_pass
from ...passes.verify.verify_ir import report
from ..kernel.kernel_body import KernelBody, read_body
from .access_bounds import Accesses, Facts, Findings, extents_of, flat_extent, view_findings

# Attribute of a function whose requirements contain all conditions that the proof needs: the number of accesses by kind of proof.
BOUNDS = "host.bounds"

Broken = tuple[ir.Operation, str]


def kernel_findings(op: AnyOp, facts: Facts) -> Findings:
    """The proof of a `loop.kernel`. Loads from empty tensors are not checked: outlining replaces them by constants."""
    infos = [TensorInfo.of(v.type) for v in op.operands]
    inputs = [None if 0 in info.sizes else extents_of(info) for info in infos]
    outputs = [extents_of(TensorInfo.of(v.type)) for v in op.results]
    return Accesses(read_body(op), facts).findings(inputs, outputs)


class HostBounds:
    """The proof of a graph in `host` form. Launches of one kernel on equal types are proved and counted once; so are views of equal
    types."""

    def __init__(self, function: ir.OpView) -> None:
        self.facts = Facts.of(function)
        self.views: dict[tuple[ir.Type, ...], ir.OpView] = {}
        self.launches: dict[str, set[tuple[ir.Type, ...]]] = {}
        for op in function.regions[0].blocks[0].operations:
            if op.operation.name == "host.view":
                self.views.setdefault((op.operands[0].type, op.results[0].type), op)
            elif op.operation.name == "host.launch":
                self.launches.setdefault(text(op.attributes["kernel"]), set()).add(tuple(v.type for v in op.operands))

    def kernel(self, name: str, kernel: KernelBody, outputs: int) -> Findings:
        """The proof of a `loop.func`, for all its launches."""
        found = Findings()
        for types in self.launches.get(name, ()):
            extents = [[flat_extent(TensorInfo.of(type_), self.facts.bare)] for type_ in types]
            split = len(extents) - outputs
            found.add(Accesses(kernel, self.facts).findings(extents[:split], extents[split:]))
        return found


def host_findings(module: ir.Module, bounds: HostBounds) -> Iterator[tuple[ir.OpView, Findings]]:
    """Each view and kernel of a module in `host` form, with its findings."""
    for view in bounds.views.values():
        yield view, view_findings(view.operands[0], view, bounds.facts)
    for op in module.body.operations:
        if op.operation.name == "loop.func":
            name, outputs = launched_name(op.operation), integer(op.attributes["outputs"])
            yield op, bounds.kernel(name or "", read_body(op), outputs)


def _broken(module: ir.Module) -> Iterator[Broken]:
    for function in (op for op in module.body.operations if op.operation.name == "func.func" and stage_of(op) is not None):
        if stage_of(function) == "host":
            for op, found in host_findings(module, HostBounds(function)):
                yield from _problems(op, found, BOUNDS in function.attributes)
            continue
        facts = Facts.of(function)
        for op in function.regions[0].blocks[0].operations:
            if op.operation.name == "loop.kernel":
                yield from _problems(op, kernel_findings(op, facts), False)


def _problems(op: ir.OpView, found: Findings, settled: bool) -> Iterator[Broken]:
    """The accesses without a proof. `settled`: the requirements are final, so a condition that is missing from them is an error."""
    yield from ((step.origin.operation, message) for step, message in found.refused)
    if settled and found.conditions:
        yield op.operation, f"needs {found.conditions[0]}, which nobody asks"


def verify_bounds(module: ir.Module) -> None:
    """Emits a diagnostic for each access without a proof, then raises `InvalidIR` if there was one."""
    report(list(_broken(module)))


register_pass("verify-bounds", verify_bounds)
