"""Rewrites a group norm of a channels-last image so that each channel is summed first: whole rows of channels are read at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import Size, TensorInfo
from ..analysis.infer_metadata import TypeInference
from ..analysis.node_identity import identity
from ..refresh_metadata import set_types
from .new_calls import call_before


def normalized_by_channels(op: ir.Operation, image: ir.Value, inference: TypeInference) -> ir.Value:
    """group_norm(image)[0] -> ((image - mean) * rstd) * weight + bias, in float32, where mean and rstd of a group come from the mean m and
    the variance v of each of its channels: mean = mean(m), rstd = 1 / sqrt(mean(v + (m - mean)^2) + eps). (Chan, Golub and LeVeque 1979,
    "Updating formulae and a pairwise algorithm for computing sample variances", for parts of equal size.)"""
    given, info = aten_ops.arguments(op), TensorInfo.of(image.type)
    samples, channels = info.sizes[:2]
    groups = given["group"]
    assert isinstance(channels, int)

    def call(name: str, **arguments: Any) -> ir.Value:
        return call_before(op, f"aten.{name}", arguments, inference)

    def wide(value: ir.Value) -> ir.Value:
        return value if TensorInfo.of(value.type).dtype == "float32" else call("_to_copy.default", self=value, dtype="float32")

    def by_group(value: ir.Value) -> ir.Value:
        return call("view.default", self=value, size=[samples, groups, channels // groups])

    def by_channel(value: ir.Value, sizes: Sequence[Size]) -> ir.Value:
        return call("view.default", self=value, size=[*sizes, 1, 1])

    def of_group(value: ir.Value) -> ir.Value:
        expanded = call("expand.default", self=value, size=[samples, groups, channels // groups])
        return by_channel(call("clone.default", self=expanded, memory_format="contiguous_format"), [samples, channels])

    x = wide(image)
    moments = aten_ops.create(
        "aten.var_mean.correction", {"self": x, "dim": [2, 3], "correction": 0, "keepdim": False}, [op.results[1].type] * 2, op.location,
        ir.InsertionPoint(op), identity(op),
    )  # fmt: skip
    set_types(moments, inference)
    variance, mean = map(by_group, moments.results)
    center = call("mean.dim", self=mean, dim=[2], keepdim=True)
    distance = call("sub.Tensor", self=mean, other=center)
    spread = call("add.Tensor", self=variance, other=call("mul.Tensor", self=distance, other=distance))
    total = call("add.Scalar", self=call("mean.dim", self=spread, dim=[2], keepdim=True), other=given["eps"])
    result = call("sub.Tensor", self=x, other=of_group(center))
    result = call("mul.Tensor", self=result, other=of_group(call("rsqrt.default", self=total)))
    if given["weight"] is not None:
        result = call("mul.Tensor", self=result, other=by_channel(wide(given["weight"]), [channels]))
    if given["bias"] is not None:
        result = call("add.Tensor", self=result, other=by_channel(wide(given["bias"]), [channels]))
    return result if info.dtype == "float32" else call("_to_copy.default", self=result, dtype=info.dtype)
