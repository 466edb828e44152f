"""`split-complex`: arithmetic of complex numbers becomes arithmetic of their real and imaginary parts, which kernels compute. A result that
the caller or another operator reads is a view of both parts, stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from ..tuning.kernels import TUNING
from .analysis.alias_analysis import functions_with_body
from .analysis.infer_metadata import MetaFailed, TypeInference
from .analysis.node_identity import identity
from .dce_aten import erase_unused
from .refresh_metadata import set_types
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .rewriting.complex_formulas import COMPLEX, FORMULAS, MOVES, VIEWS, Formula, Pair, Part
from .working_on import works_on_operation

VIEW_AS_REAL, VIEW_AS_COMPLEX = (aten_ops.op_name(f"aten.{n}.default") for n in ("view_as_real", "view_as_complex"))
_FORMULAS: dict[str, Formula] = {aten_ops.op_name(name): rule for name, rule in FORMULAS.items()}
_VIEWS, _MOVES = (frozenset(map(aten_ops.op_name, names)) for names in (VIEWS, MOVES))


def split_complex(module: ir.Module) -> None:
    """z * w -> view_as_complex(stack([re(z) * re(w) - im(z) * im(w), re(z) * im(w) + im(z) * re(w)])), and other operators likewise"""
    for function in functions_with_body(module):
        ops = [view.operation for view in function.regions[0].blocks[0].operations]
        if any(_is_complex(value) for op in ops for value in (*op.operands, *op.results)):
            _Splitting(function).run(ops)
            erase_unused(function)


def _is_alike(new: ir.Value, old: ir.Value) -> bool:
    """Whether a new value has the sizes, strides and dtype of the old one, so that it can take its place."""
    a, b = TensorInfo.of(new.type), TensorInfo.of(old.type)
    strides = all(s == t for size, s, t in zip(a.sizes, a.strides, b.strides, strict=False) if size != 1)
    return (a.sizes, a.dtype, a.device) == (b.sizes, b.dtype, b.device) and strides


def is_supported(op: ir.Operation) -> bool:
    """Whether all tensors of an operator, and at least one complex one, are on one device, and none is of complex halves."""
    values = [v for v in (*op.operands, *op.results) if isinstance(v.type, ir.RankedTensorType) and not aten_ops.is_number(v)]
    infos = [TensorInfo.of(v.type) for v in values]
    complexes = {i.dtype for i in infos} & COMPLEX.keys()
    return bool(complexes) and "complex32" not in complexes and len({i.device for i in infos}) == 1


def _estimate(stride: Any) -> int:
    """A stride, for comparisons; of symbols, the value if each is large."""
    return stride if isinstance(stride, int) else int(stride.subs(dict.fromkeys(stride.free_symbols, TUNING.symbol_estimate)))


def _is_complex(value: Any) -> bool:
    return (
        isinstance(value, ir.Value) and isinstance(value.type, ir.RankedTensorType) and isinstance(value.type.element_type, ir.ComplexType)
    )


class _Splitting:
    """The rewrite of one function. `pairs`: the parts of complex values, as far as they are known."""

    def __init__(self, function: ir.OpView) -> None:
        self.block = function.regions[0].blocks[0]
        self.inference = TypeInference(function)
        self.pairs: dict[ir.Value, Pair] = {}
        self.current: ir.Operation = self.block.operations[0].operation  # the operator that is being split

    def run(self, ops: list[ir.Operation]) -> None:
        """Splits the operators, in order."""
        for op in ops:
            if op.name == VIEW_AS_REAL:
                self._join_views(op)
            elif (op.name in _FORMULAS or op.name in _MOVES) and is_supported(op) and self._is_worth(op):
                self._split(op)

    def _is_worth(self, op: ir.Operation) -> bool:
        """Whether parts save anything: an operator that only moves elements is split if other split ones are before or behind it."""
        if op.name in _FORMULAS:
            return True
        users = (use.owner.operation.name for use in op.results[0].uses)
        return any(v in self.pairs for v in op.operands) or any(n in _FORMULAS or n == VIEW_AS_REAL for n in users)

    @works_on_operation
    def _split(self, op: ir.Operation) -> None:
        """Replaces an operator by operators on parts. One without a formula for its operands stays."""
        self.current = op
        formula, call = _FORMULAS.get(op.name), SplitCall(self, op)
        try:
            found = formula(call) if formula else self._moved(op, call)
            result = self._together(op, call, found) if isinstance(found, tuple) else found
        except MetaFailed:
            return
        if found is None or result is None or not _is_alike(result, op.results[0]) or not may_rewrite("split", op):
            return
        result.set_type(op.results[0].type)
        op.results[0].replace_all_uses_with(result)
        if isinstance(found, tuple):
            self.pairs[result] = found
        op.erase()

    def _moved(self, op: ir.Operation, call: SplitCall) -> Pair:
        """An operator that moves elements, on each part."""
        real, imaginary = (call.apply(op, number)[0] for number in (0, 1))
        return real, imaginary

    def _together(self, op: ir.Operation, call: SplitCall, pair: Pair) -> ir.Value:
        """The complex tensor of a pair, with the layout of the operator's result."""
        info = TensorInfo.of(op.results[0].type)
        order = sorted(range(info.rank), key=lambda d: -_estimate(info.strides[d]))
        plain = order == list(range(info.rank))
        parts = [call.whole(part, info.sizes) for part in pair]
        if not plain:
            parts = [call.emit("permute.default", self=part, dims=order) for part in parts]
        value = call.emit("stack.default", tensors=parts, dim=info.rank)
        if not plain:
            value = call.emit("permute.default", self=value, dims=[*(order.index(d) for d in range(info.rank)), info.rank])
        return call.emit("view_as_complex.default", self=value)

    @works_on_operation
    def _join_views(self, op: ir.Operation) -> None:
        """view_as_real(view_as_complex(x)) -> x"""
        made = op.operands[0].owner if isinstance(op.operands[0], ir.OpResult) else None
        if made is None or made.name != VIEW_AS_COMPLEX:
            return
        # The caller gets a tensor of its own: not an input, and no tensor twice.
        source, returned = made.operands[0], any(use.owner.operation.name == "func.return" for use in op.results[0].uses)
        is_own = isinstance(source, ir.OpResult) and len(list(source.uses)) == 1
        same = is_own and TensorInfo.of(source.type) == TensorInfo.of(op.results[0].type) or source.type == op.results[0].type
        if not same or (returned and not is_own) or not may_rewrite("removal", op):
            return
        source.set_type(op.results[0].type)
        op.results[0].replace_all_uses_with(source)
        op.erase()

    # Parts of values.

    def pair(self, value: ir.Value) -> Pair:
        """The parts of a complex tensor: those computed before, or views of its memory right behind the operator that makes it."""
        if value not in self.pairs:
            self.pairs[value] = self._viewed(value) or self._in_memory(value)
        return self.pairs[value]

    def _viewed(self, value: ir.Value) -> Pair | None:
        """The parts of a view: views of its base's parts. None for what is no view of a split value."""
        op = value.owner.operation if isinstance(value, ir.OpResult) else None
        if op is None or op.name not in _VIEWS:
            return None
        try:
            call = SplitCall(self, op, ir.InsertionPoint.after(op))
            both = [call.apply(op, number) for number in (0, 1)]
        except MetaFailed:  # parts may have strides with which they can't be viewed so
            return None
        for result, real, imaginary in zip(op.results, *both, strict=True):
            self.pairs[result] = real, imaginary
        return self.pairs[value]

    def _in_memory(self, value: ir.Value) -> Pair:
        made = value.owner.operation if isinstance(value, ir.OpResult) else None
        ip = ir.InsertionPoint.after(made) if made is not None else ir.InsertionPoint(self.block.operations[0])
        call = SplitCall(self, made or self.current, ip)
        if made is not None and made.name == VIEW_AS_COMPLEX:
            parts = made.operands[0]
        else:
            parts = call.emit("view_as_real.default", self=value)
        dim = TensorInfo.of(value.type).rank
        real, imaginary = (call.emit("select.int", self=parts, dim=dim, index=n) for n in (0, 1))
        return real, imaginary


class SplitCall:
    """An operator that is being split: its arguments as parts, and new operators before it, or at `ip`."""

    def __init__(self, splitting: _Splitting, op: ir.Operation, ip: ir.InsertionPoint | None = None) -> None:
        self._splitting, self._op = splitting, op
        self._ip = ip or ir.InsertionPoint(op)
        self._extra, self._location = identity(op), op.location
        self.arguments = aten_ops.arguments(op) if aten_ops.is_operator(op) else {}
        self.result = TensorInfo.of(op.results[0].type) if len(op.results) else None

    def __getitem__(self, argument: str) -> Any:
        return self.arguments[argument]

    @property
    def on_gpu(self) -> bool:
        """Whether eager computes the result on a GPU."""
        return self.result is not None and self.result.device != "cpu"

    @property
    def dtype(self) -> str:
        """The dtype of the result's parts."""
        assert self.result is not None
        return COMPLEX.get(self.result.dtype, self.result.dtype)

    def pair(self, value: Any) -> Pair | None:
        """The parts of an operand in the result's dtype; the imaginary part of a real one is 0. None for a number that sizes determine."""
        if isinstance(value, (bool, int, float, complex)):
            return float(value.real), float(value.imag)
        if not isinstance(value, ir.Value):
            return None
        if not _is_complex(value):
            return self.converted(value), 0.0
        real, imaginary = self._splitting.pair(value)
        return self.converted(real), self.converted(imaginary)

    def converted(self, part: Part) -> Part:
        """A part in the result's dtype."""
        if not isinstance(part, ir.Value) or TensorInfo.of(part.type).dtype == self.dtype:
            return part
        return self.emit("_to_copy.default", self=part, dtype=self.dtype)

    def whole(self, part: Part, sizes: tuple[Any, ...]) -> ir.Value:
        """A part as a tensor of these sizes."""
        assert self.result is not None
        if not isinstance(part, ir.Value):
            return self.emit("full.default", size=list(sizes), fill_value=part, dtype=self.dtype, device=self.result.device)
        return part if TensorInfo.of(part.type).sizes == sizes else self.emit("expand.default", self=part, size=list(sizes))

    def emit(self, name: str, /, **arguments: Any) -> ir.Value:
        """The result of a new operator."""
        return self._made(f"aten.{name}", arguments, 1, False)[0]

    def apply(self, op: ir.Operation, number: int) -> Sequence[Part]:
        """The results of an operator that moves elements, on part `number` of its complex operands. Of real tensors that are joined with
        complex ones the imaginary part is 0. Of a part that is a number, results are the number."""
        moved = next((v for v in self.arguments.values() if _is_complex(v)), None)
        if moved is not None and not isinstance(constant := self._splitting.pair(moved)[number], ir.Value):
            return [constant] * len(op.results)

        def part(value: Any) -> Any:
            if isinstance(value, list):
                return [joined(v) for v in value] if any(map(_is_complex, value)) else value
            return self._splitting.pair(value)[number] if _is_complex(value) else value

        def joined(value: ir.Value) -> ir.Value:
            info, pair = TensorInfo.of(value.type), self.pair(value)
            assert pair is not None
            return self.whole(pair[number], info.sizes)

        schema = aten_ops.schema(op)
        given = {name: part(value) for name, value in self.arguments.items()}
        return self._made(schema.name, given, len(op.results), schema.returns[0].is_list)

    def _made(self, name: str, arguments: dict[str, Any], count: int, is_list: bool) -> list[ir.Value]:
        placeholder = TensorInfo((), "float32", "cpu", ()).type()  # until the types are inferred
        types: Any = [[placeholder] * count] if is_list else [placeholder] * count
        made = aten_ops.create(name, arguments, types, self._location, self._ip, self._extra)
        set_types(made, self._splitting.inference)
        aten_ops.renew_runs(made)
        return list(made.results)


register_pass("split-complex", split_complex)
