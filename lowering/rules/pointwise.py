"""The decorator of elementwise rules, which are functions on scalars. It adds broadcasting, PyTorch's type promotion, computation of
half types in float32, and the cast to the result's dtype."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from torch_mlir import ir

from ...dialects.dtypes import HALVES
from ..emission.kernel_builder import KernelBuilder, broadcasts_plainly
from ..emission.promotion import number_dtype, opmath, result_dtype, round_float
from ..emission.scalar import Scalar
from .registry import LoweredCall, lowers

ScalarRule = Callable[..., Scalar | tuple[Scalar, ...] | None]
_Rule = TypeVar("_Rule", bound=ScalarRule)

# Keyword-only parameters of a rule that are not arguments of its operator.
_TOOLS = ("builder", "call")


def pointwise(*names: str, promotion: str = "result", raw: tuple[str, ...] = (), exact: tuple[str, ...] = ()) -> Callable[[_Rule], _Rule]:
    """Registers a function on scalars as the elementwise rule for `names`.

    Positional parameters are the operator's tensors, and numbers that take part in promotion, by schema name. The rule gets each as a
    Scalar of the computation's dtype, or None for an absent tensor. Keyword-only parameters are other arguments, unconverted, or
    `builder` (the kernel builder) or `call` (the `LoweredCall`). If the rule can't compute these operands right, it returns
    `call.decline("why")`, or None.

    promotion: the dtype of the computation. "result": the result's. "operands": promoted from the operands, as for comparisons. Both
        compute half types in float32. "copy": exactly the result's, for rules that only move values.
    raw: positional parameters that keep their own dtype and take no part in promotion.
    exact: positional parameters whose numbers and 0-dim tensors are not rounded to the half type of the other operands. On GPUs a rule
        with such a parameter rounds no number, and every 0-dim tensor.
    """

    def register(function: _Rule) -> _Rule:
        rule = _Frame(function, promotion, raw, exact)
        lowers(*names)(rule.lower)
        return function

    return register


class _Frame:
    """One elementwise rule and the parameters of its signature."""

    def __init__(self, function: ScalarRule, promotion: str, raw: tuple[str, ...], exact: tuple[str, ...]):
        self.function, self.promotion, self.raw, self.exact = function, promotion, raw, exact
        parameters = inspect.signature(function).parameters.values()
        self.operands = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in _TOOLS]
        self.tools = [p.name for p in parameters if p.name in _TOOLS]

    def lower(self, call: LoweredCall) -> list[ir.Value] | None:
        """Makes the kernel for `call`."""
        inputs = [v for n in self.operands if isinstance(v := call[n], ir.Value)]
        if not all(broadcasts_plainly(call.info(v).sizes, call.result().sizes) for v in inputs):
            return call.decline("a size may or may not be 1")
        builder = call.kernel(inputs, call.result().sizes)
        common = self._common_dtype(call)
        operands = self._operands(call, builder, common)
        tools = {"builder": builder, "call": call}
        keywords = {n: call[n] for n in self.keywords} | {n: tools[n] for n in self.tools}
        values = self.function(*operands, **keywords)
        if values is None:
            return None
        for number, value in enumerate(values if isinstance(values, tuple) else (values,)):
            builder.store(number, value, builder.dims)
        return builder.finish()

    def _common_dtype(self, call: LoweredCall) -> str:
        if self.promotion != "operands":
            return call.result().dtype
        infos, numbers = [], []
        for name in self.operands:
            value = call[name]
            if name in self.raw or value is None:
                continue
            if isinstance(value, ir.Value):
                infos.append(call.info(value))
            else:
                numbers.append(number_dtype(value))
        return result_dtype([i.dtype for i in infos if i.rank], [i.dtype for i in infos if not i.rank], numbers)

    def _operands(self, call: LoweredCall, builder: KernelBuilder, common: str) -> list[Scalar | None]:
        operands: list[Scalar | None] = []
        loaded = 0
        for name in self.operands:
            value, exact = call[name], name in self.exact
            if isinstance(value, ir.Value):
                info = builder.input_infos[loaded]
                scalar = builder.load(loaded, builder.broadcast(info, builder.dims, builder.domain))
                exact = exact and info.rank == 0 and not builder.on_gpu
                operands.append(scalar if name in self.raw else self._computed(scalar, common, exact))
                loaded += 1
            elif value is None:
                operands.append(None)
            else:
                operands.append(self._number(builder, value, common, exact or bool(self.exact) and builder.on_gpu))
        return operands

    def _computed(self, scalar: Scalar, common: str, exact: bool) -> Scalar:
        scalar = scalar if exact else scalar.to(common)
        return scalar if self.promotion == "copy" else scalar.to(opmath(common))

    def _number(self, builder: KernelBuilder, value: Any, common: str, exact: bool) -> Scalar:
        """A Python number or symbolic integer in the computation's dtype."""
        if not isinstance(value, (bool, int, float)):
            return self._computed(builder.number(value), common, exact)
        if common in HALVES and not exact:
            value = round_float(float(value), common)
        return builder.constant(value, common if self.promotion == "copy" else opmath(common))


def rounded(value: Scalar) -> Scalar:
    """`value` rounded to the result's dtype if that is a half type, as eager does between steps on the CPU. On GPUs `value` unchanged."""
    stored = value.builder.output_infos[0].dtype
    return value.to(stored).to(value.dtype) if stored in HALVES and not value.builder.on_gpu else value
