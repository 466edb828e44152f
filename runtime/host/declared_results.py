"""Python statements that call an operator and compare its results with the sizes, strides, dtype and device that its fake function
declares, for which the graph was compiled. Strides of PyTorch's own operators are not compared: if kernels read a tensor with other
strides, it is copied into the right layout (`restride`)."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...bridge.operators import overload
from ...dialects.aten_names import is_pytorchs
from ...dialects.narrowing import Attributes, text
from ...lowering.host.declared import Declared, call_site
from ...torch_internals.operators import schema_of
from .operator_calls import results_source
from .size_source import tuple_source


def comparison_source(call: ir.OpView, declared: Declared, tensor: str) -> str:
    """A Python statement that raises if the tensor of this name differs from its declaration."""
    sizes, dtype, device = tuple_source(declared.info.sizes), f"torch.{declared.info.dtype}", f"torch.device({declared.info.device!r})"
    strides = tuple_source(declared.info.strides) if declared.strides else "None"
    differs = f"{tensor} is None or {tensor}.shape != {sizes} or {tensor}.dtype is not {dtype} or {tensor}.device != {device}"
    if declared.strides:
        differs += f" or {tensor}.stride() != {strides} and _has_other_strides({tensor}, {strides})"
    known = f"{text(call.attributes['target'])!r}, {call_site(call)!r}, {declared.name!r}"
    return f"if {differs}: _refuse_result({known}, {tensor}, {sizes}, {strides}, {dtype}, {device})"


def assignment(attributes: Attributes, site: str, results: Sequence[str], call: str) -> list[str]:
    """Python statements that call an operator by the source `call` and assign its results, made readable for kernels, to these names.
    `site`: the user's line of the call."""
    target = text(attributes["target"])
    taken, known = results_source(attributes, results), f"{target!r}, {site!r}"
    lists = any(str(r.type).startswith("List") for r in schema_of(overload(target)).returns)
    if not results or not lists and is_pytorchs(target):
        return [f"{taken} = {call}"]
    lines = [f"given = {call}"]
    if lists:
        lines += [f"try: {taken} = given", f"except (TypeError, ValueError): _refuse_list({known}, given, {len(results)})", "del given"]
    else:
        lines += [f"{taken} = given", "del given"]
    if not is_pytorchs(target):
        lines += [f"{name} = _readable({known}, {name})" for name in results]
    return lines
