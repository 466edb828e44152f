"""Describes the Python functions that native host code calls, from the attributes of a module after `convert-host-to-llvm`."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.aten import Operand, size_of
from ...dialects.host import INTO
from ...dialects.narrowing import Attributes, array, dense_integers, dictionary, integer, text, texts
from ...lowering.host.convert_host_to_llvm import CALLABLES
from .declared_results import assignment
from .described_callables import Description, DeviceFailure, KernelFailure, Launch, OperatorCall, Refusal
from .operator_calls import Constants, call_source


def described(module: ir.Module) -> list[Description]:
    """The callables of one graph, in the order in which its native function numbers them."""
    return [_described(entry) for entry in map(dictionary, array(module.operation.attributes[CALLABLES]))]


def _described(entry: ir.DictAttr) -> Description:
    if "kernel" in entry:
        return KernelFailure(text(entry["kernel"]), tuple(texts(entry["computes"])))
    if "launch" in entry:
        return Launch(text(entry["launch"]))
    if "refuses" in entry:
        names, *types = zip(*(texts(tensor) for tensor in array(entry["tensors"])), strict=True)
        return Refusal(
            text(entry["refuses"]), text(entry["place"]), names, tuple((dtype, device) for dtype, device in zip(*types, strict=True))
        )
    return DeviceFailure(text(entry["device"])) if "device" in entry else _operator(entry)


def _operator(entry: Attributes) -> OperatorCall:
    """A function of a call's tensors and symbols. Returns a tuple of the results, with None for integers."""
    constants = Constants()
    tensors = [f"t{n}" for n in range(_operand_count(array(entry["arguments"])) + (INTO in entry))]
    results = [f"r{n}" for n in range(integer(entry["results"]))]
    parameters = ", ".join([*tensors, *texts(entry["symbols"])])
    integers = set(dense_integers(entry["integers"])) if "integers" in entry else set()
    given = ["None" if n in integers else name for n, name in enumerate(results)]
    body = assignment(entry, text(entry["place"]), results, call_source(entry, tensors, constants))
    lines = [f"def call({parameters}):", *body, f"return ({''.join(g + ', ' for g in given)})"]
    return OperatorCall(
        "\n    ".join(lines), constants.namespace, f"<mlirind {text(entry['target'])}>", "repeats" in entry, text(entry["place"])
    )


def _operand_count(arguments: ir.ArrayAttr) -> int:
    numbers = [-1]
    for argument in arguments:
        if isinstance(argument, Operand):
            numbers.append(size_of(argument.index))
        elif isinstance(argument, ir.ArrayAttr):
            numbers.append(_operand_count(argument) - 1)
    return max(numbers) + 1
