"""Compares one operator's lowering with eager: builds the graph of one call, converts it and evaluates the kernels."""

from __future__ import annotations

from typing import Any

import torch
from mlirind.dialects import aten_ops
from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.context import compile_context
from mlirind.lowering.aten_to_loop import convert_aten_to_loop
from mlirind.passes.verify.verify_ir import verify_ir
from mlirind.runtime.reference.evaluate import evaluate_kernel
from torch_mlir import ir
from torch_mlir.dialects import func


def tensor_type(tensor: torch.Tensor) -> ir.Type:
    """The type of an eager tensor; its offset counts as 0, as a kernel's buffer starts at the tensor's first element."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    return TensorInfo(tuple(tensor.shape), dtype, str(tensor.device), tuple(tensor.stride())).type()


def _plain(value: Any) -> Any:
    """An argument as the graph holds it."""
    if isinstance(value, (torch.dtype, torch.memory_format, torch.device)):
        return str(value).removeprefix("torch.")
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def _overload(name: str) -> Any:
    namespace, base, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), overload)


class OneCall:
    """The module of one operator call and the results of its kernels."""

    def __init__(self, name: str, *args: Any, **kwargs: Any):
        self.operator = _overload(name)
        schema = self.operator._schema.arguments
        self.arguments = dict(zip([a.name for a in schema], args, strict=False)) | kwargs
        self.name = name

    def eager(self) -> list[torch.Tensor | None]:
        """What eager gives."""
        results = self.operator(**self.arguments)
        return list(results) if isinstance(results, (list, tuple)) else [results]

    def tensors(self) -> list[torch.Tensor]:
        """The tensors among the arguments."""
        flat: list[torch.Tensor] = []
        for value in self.arguments.values():
            flat += [v for v in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(v, torch.Tensor)]
        return flat

    def build(self, results: list[torch.Tensor | None]) -> tuple[ir.Module, list[torch.Tensor]]:
        """The module and the tensors that are its arguments."""
        flat = self.tensors()
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            types = [r if r is None else tensor_type(r) for r in results]
            types = [ir.Type.parse("none") if t is None else t for t in types]
            returned = [t for t, r in zip(types, results, strict=True) if r is not None]
            function = func.FuncOp("graph", ([tensor_type(t) for t in flat], returned))
            block = function.add_entry_block()
        with ir.InsertionPoint(block):
            values = iter(block.arguments)
            arguments = {n: self._argument(v, values) for n, v in self.arguments.items()}
            returns = [str(r.type) for r in self.operator._schema.returns]
            grouped = [types] if returns == ["List[Tensor]"] else types
            op = aten_ops.create(self.name, arguments, grouped)
            func.ReturnOp([r for r in op.results if not isinstance(r.type, ir.NoneType)])
        return module, flat

    def _argument(self, value: Any, values: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return next(values)
        if isinstance(value, (list, tuple)):
            return [self._argument(v, values) for v in value]
        return _plain(value)


def evaluate(module: ir.Module, inputs: list[torch.Tensor]) -> list[torch.Tensor | None]:
    """Runs the kernels of a converted function; an operator that is left is an error."""
    block = module.body.operations[0].regions[0].blocks[0]
    values: dict[ir.Value, torch.Tensor | None] = dict(zip(block.arguments, inputs, strict=True))
    for op in block.operations:
        op = op.operation
        if op.name == "func.return":
            return [values.get(o) for o in op.operands]
        if op.name == "aten.number":
            continue
        if op.name != "loop.kernel":
            reason = op.attributes.get("aten.reason", "no reason")
            raise AssertionError(f"{op.name} was not lowered: {reason}")
        values.update(zip(op.results, evaluate_kernel(op, [values[o] for o in op.operands], {}), strict=True))
    raise AssertionError("no return")


def lowered(name: str, *args: Any, **kwargs: Any) -> list[torch.Tensor | None]:
    """The results of the kernels that one call is lowered to."""
    call = OneCall(name, *args, **kwargs)
    with compile_context():
        module, inputs = call.build(call.eager())
        convert_aten_to_loop(module)
        module.operation.verify()
        verify_ir(module)
        return evaluate(module, inputs)


def _is_half(tensor: torch.Tensor) -> bool:
    return tensor.dtype in (torch.bfloat16, torch.float16)


def _widened(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_widened(v) for v in value]
    return value.float() if isinstance(value, torch.Tensor) and _is_half(value) else value


def _matches(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    try:
        torch.testing.assert_close(actual, expected, equal_nan=True)
    except AssertionError:
        return False
    return True


def check(name: str, *args: Any, exact: bool = False, **kwargs: Any) -> None:
    """Fails unless the kernels of a call give eager's results: dtype, sizes, strides and values (all bits if `exact`).
    Results of half types may also be what eager computes in float32 and rounds once."""
    expected = OneCall(name, *args, **kwargs).eager()
    present = [n for n, e in enumerate(expected) if e is not None]
    actual = lowered(name, *args, **kwargs)
    expected = [e for e in expected if e is not None]
    assert len(expected) == len(actual)
    for number, e, a in zip(present, expected, actual, strict=True):
        assert a is not None and (a.dtype, a.shape, a.stride()) == (e.dtype, e.shape, e.stride())
        if _is_half(e) and not exact and not _matches(a, e):
            e = OneCall(name, *_widened(args), **{k: _widened(v) for k, v in kwargs.items()}).eager()[number].to(e.dtype)
        tolerance = {"rtol": 0.0, "atol": 0.0} if exact else {}
        torch.testing.assert_close(a, e, equal_nan=True, **tolerance)
