"""`require-bounds`: adds the conditions on symbolic sizes that accesses need as requirements, and refuses accesses without a proof.

It runs the proof of `verify-bounds` in every compilation, once, when there are fewest accesses. The function's attribute `host.bounds`
counts the accesses that are proved by sizes, by a mask of their kernel, or by a requirement (`aten.requires`).
"""

from torch_mlir import ir

from ...dialects.aten import size_attr
from ...dialects.narrowing import integer, named_entries, text
from ...dialects.requirements import add_requirements
from ...errors import UnprovedAccess, UnprovedKernel
from ...passes.registry import register_pass
from ..launch.convert_to_host import graph_function
from .access_bounds import REQUIRABLE, REQUIRED, Findings
from .verify_bounds import BOUNDS, HostBounds, host_findings


def require_bounds(module: ir.Module) -> None:
    """Raises `UnprovedKernel` if an access of a kernel has no proof, `UnprovedAccess` if a view has none."""
    function = graph_function(module)
    total = Findings()
    for op, found in host_findings(module, HostBounds(function)):
        if found.refused:
            step, message = found.refused[0]
            if op.operation.name == "host.view":
                raise UnprovedAccess(f"a view: {message}")
            raise UnprovedKernel(f"kernel {text(op.attributes['sym_name'])}: {step.name}: {message}")
        total.add(found)
    if total.conditions:
        add_requirements(function, total.conditions)
    total.counts[REQUIRED] += total.counts.pop(REQUIRABLE, 0)
    counted = {kind: size_attr(number) for kind, number in sorted(total.counts.items()) if number}
    function.attributes[BOUNDS] = ir.DictAttr.get(counted)


def access_counts(module: ir.Module) -> dict[str, int]:
    """The number of accesses and views of a module by kind of proof; empty before `require-bounds`."""
    return {entry.name: integer(entry.attr) for entry in named_entries(graph_function(module), BOUNDS)}


register_pass("require-bounds", require_bounds)
