"""Infers the result types of operator calls with PyTorch's meta functions."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops, aten_registry
from ...dialects.aten import Size, TensorInfo, memory, size_of, symbol
from ...dialects.aten_schema import Argument, Schema
from ...dialects.lazy import sympy
from ...dialects.narrowing import AnyOp, array, dictionary

# Elements of the fake storage of an operand with an offset: more than any meta function requires.
_LARGE = 2**50


class MetaFailed(Exception):
    """The meta function refuses the operands; the message is the reason."""


class TypeInference:
    """Infers the result types of the operators of one function."""

    def __init__(self, function: AnyOp) -> None:
        self._symbols: dict[str, tuple[int, int, int]] = {}
        if "aten.symbols" in function.attributes:
            for entry in dictionary(function.attributes["aten.symbols"]):
                least, most, hint = (int(size_of(n)) for n in array(entry.attr))
                self._symbols[entry.name] = (least, most, hint)
        self.evaluated = 0
        self._known: dict[Any, Any] = memory().inferred.setdefault(tuple(sorted(self._symbols.items())), {})

    @functools.cached_property
    def _sizes(self) -> _Sizes:
        return _Sizes(self._symbols)

    @functools.cached_property
    def _mode(self) -> Any:
        from ...torch_internals.fake_tensors import FakeTensorMode

        return FakeTensorMode(shape_env=self._sizes.shape_env) if self._symbols else _mode_without_symbols()

    def types(self, op: ir.Operation) -> list[ir.Type]:
        """The types that the results should have; `none` for a result that the operator leaves out. Raises `MetaFailed`."""
        key = _key(op)
        found = self._known.get(key)
        if found is None:
            self.evaluated += 1
            try:
                found = self._evaluate(op)
            except Exception as error:
                found = MetaFailed(f"{type(error).__name__}: {error}".split("\n")[0][:300])
            self._known[key] = found
        if isinstance(found, MetaFailed):
            raise found
        return [info.type() if isinstance(info, TensorInfo) else info for info in found]

    def equal(self, a: Size, b: Size) -> bool:
        """Whether two sizes are equal: by algebra, by the ranges of their symbols, or by guards that meta functions have added."""
        if a == b:
            return True
        if isinstance(a, int) and isinstance(b, int):
            return False
        difference = sympy.expand(a - b)
        if difference == 0:
            return True
        if not self._symbols:
            return False
        from torch.fx.experimental.symbolic_shapes import statically_known_true

        return bool(statically_known_true(self._sizes.to_torch(a) == self._sizes.to_torch(b)))

    def _evaluate(self, op: ir.Operation) -> list[Any]:
        """The results' types. The C++ kernel of a composite operator may specialize a symbolic size to its traced value. If it does, the
        types are inferred again from the operator's decomposition in Python, as AOTAutograd does."""
        from ...torch_internals.modes import python_dispatcher

        for dispatcher in (contextlib.nullcontext, python_dispatcher):
            found = self._evaluate_with(op, dispatcher)
            if not (self._symbols and self._sizes.are_numbers()):
                return found
            del self._mode, self._sizes  # without the guards that this evaluation added
        raise MetaFailed("its meta function takes symbolic sizes for numbers")

    def _evaluate_with(self, op: ir.Operation, dispatcher: Callable[[], contextlib.AbstractContextManager[Any]]) -> list[Any]:
        from ...bridge.operators import operator_of
        from ...dialects.aten_names import is_opaque

        schema = aten_ops.schema(op)
        if schema.name == "aten.as_strided_scatter.default":
            return [self._with_region_replaced(aten_ops.arguments(op))]
        if is_opaque(schema.name):
            return _declared(op)
        with outside_tracing(), self._mode, dispatcher():
            tensors: dict[ir.Value, Any] = {}
            positional, named = [], {}
            given = aten_ops.arguments(op)
            for argument in schema.arguments:
                value = self._argument(given[argument.name], argument, tensors)
                if argument.keyword_only:
                    named[argument.name] = value
                else:
                    positional.append(value)
            results = operator_of(schema)(*positional, **named)
        listed = list(results) if isinstance(results, (tuple, list)) else [] if results is None and not schema.returns else [results]
        flat = [t for r in listed for t in (r if isinstance(r, (tuple, list)) else [r])]
        return [self._result(t) for t in flat]

    def _with_region_replaced(self, arguments: dict[str, Any]) -> TensorInfo:
        """The type of `self`, which kernels return. PyTorch's meta function fails for a tensor with gaps: it counts elements as the size of
        the storage, so the last elements seem to lie beyond it."""
        base, source = (TensorInfo.of(arguments[name].type) for name in ("self", "src"))
        if len(source.sizes) != len(arguments["size"]) or not all(map(self.equal, source.sizes, arguments["size"])):
            raise MetaFailed(f"as_strided_scatter of {source.sizes} into {arguments['size']}")
        return base

    def _argument(self, value: Any, argument: Argument, tensors: dict[ir.Value, Any]) -> Any:
        from ...bridge.operators import to_torch

        if isinstance(value, list):
            return [self._argument(v, argument, tensors) for v in value]
        if isinstance(value, ir.Value):
            if value not in tensors:
                tensors[value] = self._tensor(TensorInfo.of(value.type))
            return tensors[value]
        return self._sizes.to_torch(value) if isinstance(value, sympy.Expr) else to_torch(value, argument)

    def _tensor(self, info: TensorInfo) -> Any:
        """A fake tensor of a type."""
        import torch

        sizes, strides = self._sizes.all(info.sizes), self._sizes.all(info.strides)
        dtype, device = getattr(torch, info.dtype), info.device
        if info.offset == 0:
            return torch.empty_strided(sizes, strides, dtype=dtype, device=device)
        return torch.empty(_LARGE, dtype=dtype, device=device).as_strided(sizes, strides, self._sizes.to_torch(info.offset))

    def _result(self, result: Any) -> Any:
        from ...bridge.tensor_types import check_known_symbols, tensor_info

        if result is None:
            return ir.NoneType.get()
        if not hasattr(result, "storage_offset"):
            return ir.IndexType.get()
        info = tensor_info(result)
        check_known_symbols((*info.sizes, *info.strides, info.offset))
        return self._sizes.renamed(info)


def _declared(op: ir.Operation) -> list[Any]:
    """The results of an opaque call, which are known for its original operands only."""
    from ...bridge.opaque_calls import opaque_call

    arguments = aten_ops.arguments(op)
    call = opaque_call(arguments["call"])
    given = [TensorInfo.of(v.type) for v in arguments.values() if isinstance(v, ir.Value)]
    if list(map(_without_unused, given)) != list(map(_without_unused, call.operands)):
        raise MetaFailed(f"an opaque call of {given} instead of {call.operands}")
    return list(call.results)


def _without_unused(info: TensorInfo) -> TensorInfo:
    """The type without its offset, and without strides that distinguish no elements."""
    return replace(info, offset=0, strides=tuple(0 if s == 1 else t for s, t in zip(info.sizes, info.strides, strict=True)))


@functools.cache
def _mode_without_symbols() -> Any:
    """One mode for all functions without symbols; it keeps nothing of them. Making a mode is slow: PyTorch records a stack trace."""
    from ...torch_internals.fake_tensors import FakeTensorMode

    return FakeTensorMode()


def _key(op: ir.Operation) -> Any:
    attributes = tuple((n, op.attributes[n]) for n in op.attributes if not n.startswith("aten."))
    operands = list(op.operands)
    numbers = tuple(v.owner.attributes["value"] if aten_ops.is_number(v) else v.type for v in operands)
    same = tuple(operands.index(v) for v in operands)
    return op.name, numbers, same, attributes


def is_pointwise(schema: Schema) -> bool:
    """Whether PyTorch's registry says that each element of the result depends on the same elements of the operands only."""
    return _is_pointwise(schema.op_name)


@functools.cache
def _is_pointwise(op_name: str) -> bool:
    import torch

    from ...bridge.operators import operator_of

    schema = aten_registry.schema_by_name(op_name)
    assert schema is not None, op_name
    return torch.Tag.pointwise in operator_of(schema).tags


def outside_tracing() -> contextlib.AbstractContextManager[None]:
    """Hides the modes and the tracing context of a running compilation, and switches logging off."""
    from ...torch_internals import modes

    return modes.outside_tracing()


class _Sizes:
    """Converts expressions of `dialects.aten` to PyTorch's symbolic integers, and back."""

    def __init__(self, symbols: Mapping[str, tuple[int, int, int]]) -> None:
        self.shape_env: Any = None
        self._values: Any = None
        self._names: dict[sympy.Symbol, sympy.Symbol] = {}
        self._open: list[sympy.Symbol] = []
        if symbols:
            self._make(symbols)

    def _make(self, symbols: Mapping[str, tuple[int, int, int]]) -> None:
        from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

        from ...bridge.symbol_nodes import SymbolNodes
        from ...torch_internals.dynamo import ConstantSource

        self._values = SymbolNodes(None)
        self.shape_env = ShapeEnv(specialize_zero_one=False, duck_shape=False)
        for name, (lowest, highest, seen) in symbols.items():
            source = ConstantSource(f"mlirind_{name}")
            sign = True if lowest >= 0 else None  # PyTorch's sizes are positive; a number that is an argument has any sign
            made = self.shape_env.create_symbol(seen, source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None, positive=sign)
            self.shape_env.constrain_symbol_range(made, lowest, highest)
            self._values.bind(symbol(name), self.shape_env.create_symintnode(made, hint=seen, source=source))
            self._names[symbol(made.name)] = symbol(name)
            if lowest < highest:
                self._open.append(made)

    def are_numbers(self) -> bool:
        """Whether a meta function specialized a symbol to its traced value: the types that it infers hold for this value only."""
        return any(made in self.shape_env.replacements and self.shape_env.replacements[made].is_number for made in self._open)

    def to_torch(self, size: Size) -> Any:
        """The (symbolic) integer of a size."""
        return size if isinstance(size, int) else self._values.node(size)

    def all(self, sizes: tuple[Size, ...]) -> list[Any]:
        return [self.to_torch(s) for s in sizes]

    def renamed(self, info: TensorInfo) -> TensorInfo:
        """The type in the function's own symbols."""
        if not self._names:
            return info
        sizes, strides = (tuple(map(self._renamed, s)) for s in (info.sizes, info.strides))
        return TensorInfo(sizes, info.dtype, info.device, strides, self._renamed(info.offset))

    def _renamed(self, size: Size) -> Size:
        if isinstance(size, int):
            return size
        renamed = size.xreplace(self._names)
        new = renamed.free_symbols - {*self._names.values()}
        if new:
            renamed = renamed.xreplace(self._rounded(new))
        return int(renamed) if renamed.is_Integer else renamed

    def _rounded(self, new: Iterable[sympy.Symbol]) -> dict[sympy.Symbol, sympy.Symbol]:
        """The function's own symbols for those of rounded floats that a meta function has made. Raises `MetaFailed` for others."""
        from ...bridge.symbols import rounded_floats

        own = {(r.operation, r.number): symbol(name) for name, r in rounded_floats(self._names.values()).items()}
        made = {symbol(name): (r.operation, r.number.xreplace(self._names)) for name, r in rounded_floats(new).items()}
        if any(s not in made or made[s] not in own for s in new):
            raise MetaFailed("a result's size is a rounded float that the graph does not have")
        return {s: own[rounded] for s, rounded in made.items()}
