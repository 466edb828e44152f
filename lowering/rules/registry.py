"""The lowering rules by operator. A rule takes a `LoweredCall` and returns the values that replace the operator's results. If it returns
None, the operator stays a call of ATen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import Size, TensorInfo
from ...dialects.dtypes import FLOAT8, KERNEL_DTYPES
from ...dialects.narrowing import function_of
from ...dialects.requirements import Condition, decided, equal, symbol_sources
from ...dialects.size_bounds import lowest_size
from ...errors import MlirindError
from ..emission.kernel_builder import ContextTables, KernelBuilder
from ..emission.promotion import is_representable
from .eager_dtypes import why_refused
from .preconditions import broken

# A value is None if the operator does not return that result.
Rule = Callable[["LoweredCall"], Sequence[ir.Value | None] | None]

RULES: dict[str, Rule] = {}
# Operators whose kernels take floats of 8 bits: they copy and convert.
_CONVERSIONS = frozenset({"aten._to_copy.default", "aten.clone.default", "prims.convert_element_type.default"})


_Declined = TypeVar("_Declined")


class LoweredCall:
    """An `aten` operator that is being lowered: its arguments by schema name, the types of its tensors, and methods that create kernels
    in its place."""

    def __init__(self, tables: ContextTables, op: ir.Operation, name: str, arguments: dict[str, Any]):
        self.tables, self.op, self.name, self.arguments = tables, op, name, arguments
        self.result_types = [r.type for r in op.results]
        self.ip = ir.InsertionPoint(op)
        self.loc = op.location
        self.kernels: list[ir.Operation] = []  # created by the rule
        self.required: list[Condition] = []  # conditions that the kernels rely on

    def __getitem__(self, argument: str) -> Any:
        """An argument by its schema name. The error for an unknown name lists the schema's names."""
        if argument not in self.arguments:
            raise MlirindError(f"{self.name} has no argument {argument!r}; its arguments: {', '.join(self.arguments)}")
        return self.arguments[argument]

    @property
    def short_name(self) -> str:
        """aten.add.Tensor -> add"""
        return self.name.split(".")[1]

    def info(self, tensor: ir.Value) -> TensorInfo:
        """Sizes, dtype and strides of a tensor."""
        return self.tables.info(tensor.type)

    def result(self, number: int = 0) -> TensorInfo:
        """Sizes, dtype and strides of a result."""
        return self.tables.info(self.result_types[number])

    def is_wanted(self, number: int) -> bool:
        """Whether the operator returns result `number`."""
        return not isinstance(self.result_types[number], ir.NoneType)

    def tensors(self) -> list[ir.Value]:
        """All tensor arguments, including those in lists."""
        groups = (v if isinstance(v, list) else [v] for v in self.arguments.values())
        return [v for group in groups for v in group if isinstance(v, ir.Value)]

    def is_at_least(self, size: Size, bound: int) -> bool:
        """Whether the graph's ranges of symbols prove `size` >= `bound`."""
        return lowest_size(size, function_of(self.op)) >= bound

    def require(self, condition: Condition) -> bool:
        """Whether the kernels may rely on a condition on sizes (`dialects.requirements`): it always holds, or is checked before each call.
        False if it does not hold, or if it depends on sizes that no input has: then the rule must decline, and ATen checks it."""
        holds = decided(condition, function_of(self.op))
        if holds is None:
            holds = {s.name for s in condition.free_symbols} <= symbol_sources(function_of(self.op)).keys()
            self.required.append(condition)
        return holds is not False

    def require_broadcast(self, sizes: Sequence[Size], wanted: Sequence[Size]) -> bool:
        """Whether `sizes` broadcast to `wanted` as in `KernelBuilder.broadcast`: each size is the number 1, or is required to equal the
        wanted one."""
        lead = len(wanted) - len(sizes)
        return lead >= 0 and all(s == 1 or self.require(equal(s, w)) for s, w in zip(sizes, wanted[lead:], strict=True))

    def kernel(
        self,
        inputs: Sequence[ir.Value],
        domain: Sequence[Size],
        results: Sequence[ir.Type] | None = None,
        updates: Sequence[int] | None = None,
        name: str | None = None,
    ) -> KernelBuilder:
        """Creates a kernel in front of the operator. `results`: its result types; the operator's by default."""
        results = self.result_types if results is None else results
        builder = KernelBuilder(self.tables, self.ip, self.loc, inputs, results, domain, name or self.short_name, updates)
        self.kernels.append(builder.op)
        return builder

    def decline(self, reason: str) -> _Declined | None:
        """Records why the operator stays a call, and returns None: `return call.decline("...")`, whatever the caller returns otherwise."""
        self.op.attributes["aten.reason"] = self.tables.string(reason)
        return None

    def _numbers(self) -> Iterator[Any]:
        """The values of arguments that the schema declares as Scalar or Tensor; a number may stand for a tensor."""
        for argument in aten_ops.schema(self.op).arguments:
            if argument.kind in ("Scalar", "Tensor"):
                yield self.arguments[argument.name]

    def unsupported(self) -> str | None:
        """The reason why no kernel can compute with these arguments and results, whatever the rule; None if one can."""
        tensors = self.tensors()
        types = [v.type for v in tensors] + self.result_types
        infos = [self.tables.info(t) for t in types if not isinstance(t, ir.NoneType)]
        if any(isinstance(v, complex) for v in self.arguments.values()):
            return "a complex number"
        if self.result_types and self.is_wanted(0) and not all(is_representable(n, self.result().dtype) for n in self._numbers()):
            return "a number beyond the range of the dtype"
        if any(isinstance(r.type, ir.NoneType) and next(iter(r.uses), None) for r in self.op.results):
            return "an absent result is used"
        dtypes = [info.dtype for info in infos[: len(tensors) or 1]]
        refused = why_refused(self.name, dtypes, on_cpu=bool(infos) and infos[0].device == "cpu")
        if refused:
            return refused
        for info in infos:
            if info.dtype not in KERNEL_DTYPES and not (info.dtype in FLOAT8 and self.name in _CONVERSIONS):
                return f"dtype {info.dtype}"
            if info.device != infos[0].device or info.device.split(":")[0] not in ("cpu", "cuda"):
                return f"devices {infos[0].device} and {info.device}"
        return broken(self)


def lowers(*names: str) -> Callable[[Rule], Rule]:
    """Registers the decorated rule for PyTorch's operators `names` ("aten.gelu.default"). Raises if one already has a rule."""

    def register(rule: Rule) -> Rule:
        for name in names:
            if name in RULES:
                raise MlirindError(f"operator {name} has two lowering rules: {RULES[name].__name__} and {rule.__name__}")
            RULES[name] = rule
        return rule

    return register
