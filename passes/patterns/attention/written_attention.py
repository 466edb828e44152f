"""Attention that is written out, as it was found in a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_mlir import ir

from ....dialects.aten import Size, TensorInfo
from ..engine.candidates import Candidate
from ..engine.new_operations import NewOperations
from ..engine.planned_calls import PlannedOperations
from .conditions import compare_forms, is_equal
from .fused_calls import fused
from .step_forms import AttentionStep

if TYPE_CHECKING:
    from ..engine.pattern_rewriting import Round


@dataclass(frozen=True, eq=False)
class Gradients:
    """The gradients of q, k (transposed) and v, and the steps that lead to them. `tangent`: the gradient of the result."""

    q: AttentionStep
    k: AttentionStep
    v: AttentionStep
    others: Sequence[AttentionStep]
    tangent: ir.Value


@dataclass(frozen=True, eq=False)
class WrittenAttention(Candidate):
    """`result = softmax(mask(scale(q @ k))) @ v`, where k is transposed. `others`: softmax and conversions. `half`: the dtype of q, k and v
    if their softmax is computed in float32, else None. A product may add the mask; it is `product` and `mask` then."""

    product: AttentionStep
    scale: AttentionStep | None
    mask: AttentionStep | None
    result: AttentionStep
    others: Sequence[AttentionStep]
    half: str | None
    gradients: Gradients | None = None

    @property
    def q(self) -> ir.Value:
        """The queries."""
        return self.product.value("left")

    @property
    def k(self) -> ir.Value:
        """The keys, transposed: the last dimension counts them."""
        return self.product.value("right")

    @property
    def v(self) -> ir.Value:
        """The values."""
        return self.result.value("right")

    @property
    def rank(self) -> int:
        """4, or 3 if batch and heads are one dimension."""
        return TensorInfo.of(self.q.type).rank

    @property
    def merged(self) -> bool:
        """Whether batch and heads are one dimension."""
        return self.rank == 3

    @property
    def scaled_by_tensor(self) -> bool:
        """Whether the scale is a tensor of no dimensions, not a number."""
        return self.scale is not None and isinstance(self.scale.of["scale"], ir.Value)

    @property
    def mask_name(self) -> str:
        """The name of the mask's form."""
        return "unmasked" if self.mask is None else self.mask.name

    @property
    def name(self) -> str:
        """What the log calls it."""
        scale = "plain" if self.scale is None else self.scale.name + "_by_tensor" * self.scaled_by_tensor
        more = ["training"] * (self.gradients is not None) + ["merged"] * self.merged + [self.half or ""]
        return "_".join(filter(None, ["attention", scale, self.mask_name, *more]))

    @property
    def scores(self) -> list[AttentionStep]:
        """The product, the scale and the mask, as far as they are there."""
        return list(dict.fromkeys(s for s in (self.product, self.scale, self.mask) if s is not None))

    @property
    def operations(self) -> list[ir.Operation]:
        """All operations, the last result last."""
        steps = [*self.scores, *self.others, self.result]
        if self.gradients is not None:
            steps += [*self.gradients.others, self.gradients.v, self.gradients.k, self.gradients.q]
        return [op for step in steps for op in step.operations]

    def results(self) -> list[ir.Value]:
        """The result; with gradients also those of q, k (transposed) and v."""
        found = [] if self.gradients is None else [self.gradients.q, self.gradients.k, self.gradients.v]
        return [step.result for step in (self.result, *found)]

    def compare(self, equal: Callable[[Size, Size], bool]) -> None:
        """Compares dtypes, sizes and the combination of forms. Raises `Refused`."""
        compare_forms(self, equal)

    def accepted(self) -> bool:
        """Whether the fused operator is equal and has a kernel of its own."""
        return is_equal(self)

    def replacement(self, round_: Round) -> NewOperations:
        """Calls of the fused operator. Raises `Refused` if the scale can't be its argument."""
        return PlannedOperations(round_, self, fused(self), self.q.type)
