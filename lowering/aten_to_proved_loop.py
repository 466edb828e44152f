"""`convert-aten-to-proved-loop`: as `convert-aten-to-loop`, but an operator stays a call if an access of its kernels is not proved.

The compiler runs it after `require-bounds` has refused a kernel: the refused kernel may compute several operators, and this pass finds the
one without a proof.
"""

from torch_mlir import ir

from ..dialects.narrowing import function_of
from ..passes.registry import register_pass
from .aten_to_loop import convert_aten_to_loop
from .bounds.access_bounds import Facts
from .bounds.verify_bounds import kernel_findings
from .rules.registry import LoweredCall


def why_unproved(call: LoweredCall) -> str | None:
    """The access of a rule's kernels that has no proof, with the reason; None if all have one."""
    facts = Facts.of(function_of(call.op), call.required)
    refused = [message for kernel in call.kernels for _, message in kernel_findings(kernel, facts).refused]
    return refused[0] if refused else None


def convert_aten_to_proved_loop(module: ir.Module) -> None:
    """Applies the rules of `lowering/rules` whose kernels are proved."""
    convert_aten_to_loop(module, why_unproved)


register_pass("convert-aten-to-proved-loop", convert_aten_to_proved_loop)
