"""The forms of each step of attention that is written out, as tables: product, scale, mask, conversion, softmax."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch_mlir import ir

from ....dialects import aten_ops
from ....dialects.aten_ops import op_name


@dataclass(frozen=True)
class Form:
    """A call of `operator` (the op's name) with a role for some of its arguments. `fixed`: the arguments that must have these values."""

    name: str
    operator: str
    roles: Mapping[str, str]
    fixed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class AttentionStep:
    """A call that has a form; `of`: what it takes, by role. Numbers are Python numbers."""

    form: Form
    op: ir.Operation
    of: Mapping[str, Any]

    @property
    def result(self) -> ir.Value:
        """The value that it computes."""
        return self.op.results[0]

    @property
    def name(self) -> str:
        """The name of its form."""
        return self.form.name

    def value(self, role: str) -> ir.Value:
        """The tensor in a role."""
        found = self.of[role]
        assert isinstance(found, ir.Value), (self.name, role)
        return found

    @property
    def operations(self) -> list[ir.Operation]:
        """The call, and the numbers that it takes."""
        return [*(v.owner.operation for v in self.op.operands if aten_ops.is_number(v)), self.op]


PRODUCTS = (
    Form("matmul", op_name("aten.matmul.default"), {"self": "left", "other": "right"}),
    Form("bmm", op_name("aten.bmm.default"), {"self": "left", "mat2": "right"}),
)
# A product that adds the mask.
ADDED_TO_PRODUCT = Form(
    "added_to_product", op_name("aten.baddbmm.default"), {"self": "mask", "batch1": "left", "batch2": "right"}, {"alpha": 1, "beta": 1}
)
SCALES = (
    Form("multiplied", op_name("aten.mul.Tensor"), {"self": "scores", "other": "scale"}),
    Form("multiplied", op_name("aten.mul.Tensor"), {"other": "scores", "self": "scale"}),
    Form("divided", op_name("aten.div.Tensor"), {"self": "scores", "other": "scale"}),
)
# A mask is added, or selects the scores that a number (`fill`) replaces.
MASKS = (
    Form("added", op_name("aten.add.Tensor"), {"self": "scores", "other": "mask"}, {"alpha": 1}),
    Form("added", op_name("aten.add.Tensor"), {"other": "scores", "self": "mask"}, {"alpha": 1}),
    Form("kept", op_name("aten.where.self"), {"condition": "mask", "self": "scores", "other": "fill"}),
    Form("dropped", op_name("aten.where.self"), {"condition": "mask", "self": "fill", "other": "scores"}),
    Form("filled", op_name("aten.masked_fill.Scalar"), {"self": "scores", "mask": "mask", "value": "fill"}),
)

SOFTMAX = op_name("aten._softmax.default")


def softmax_form(rank: int) -> Form:
    """A softmax along the last dimension."""
    return Form("softmax", SOFTMAX, {"self": "scores"}, {"dim": rank - 1, "half_to_float": False})


def softmax_gradient_form(rank: int) -> Form:
    """The gradient of that softmax in float32."""
    roles = {"grad_output": "gradient", "output": "weights"}
    return Form("gradient", op_name("aten._softmax_backward_data.default"), roles, {"dim": rank - 1, "input_dtype": "float32"})


def conversion_form(dtype: str) -> Form:
    """A conversion that changes nothing but the dtype."""
    fixed = {"dtype": dtype, "layout": None, "device": None, "pin_memory": None, "non_blocking": False, "memory_format": None}
    return Form("conversion", op_name("aten._to_copy.default"), {"self": "value"}, fixed)


def transposed_form(rank: int) -> Form:
    """The last two dimensions exchanged."""
    return Form("transposed", op_name("aten.permute.default"), {"self": "value"}, {"dims": transposed_dims(rank)})


def transposed_dims(rank: int) -> list[int]:
    """The dimensions with the last two exchanged."""
    return [*range(rank - 2), rank - 1, rank - 2]


def zero_form(device: str | None) -> Form:
    """The zero that takes the place of a mask's number in gradients."""
    fixed = {"s": 0, "dtype": "float32", "layout": "strided", "device": device, "pin_memory": None}
    return Form("zero", op_name("aten.scalar_tensor.default"), {}, fixed)


def read_step(form: Form, op: ir.Operation) -> AttentionStep | None:
    """The call as a step of this form, or None."""
    if op.name != form.operator:
        return None
    arguments = aten_ops.arguments(op)
    if not all(same(arguments[name], value) for name, value in form.fixed.items()):
        return None
    return AttentionStep(form, op, {role: arguments[name] for name, role in form.roles.items()})


def made_by(forms: Sequence[Form], value: Any) -> Iterator[AttentionStep]:
    """The calls that make `value`, as steps of these forms: none, one, or the two orders of a sum or product."""
    if isinstance(value, ir.OpResult):
        yield from (step for form in forms if (step := read_step(form, value.owner.operation)) is not None)


def used_by(forms: Sequence[Form], value: ir.Value, **wanted: Any) -> AttentionStep | None:
    """The first user of `value` that has one of these forms and, in these roles, these values."""
    steps = (read_step(form, use.owner.operation) for use in value.uses for form in forms)
    return next((s for s in steps if s is not None and all(same(s.of[role], of) for role, of in wanted.items())), None)


def same(one: Any, other: Any) -> bool:
    """Whether two arguments are one value, or equal numbers of one type."""
    return bool(one == other) and (isinstance(one, ir.Value) or type(one) is type(other))
