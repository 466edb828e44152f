"""Lowering of batch normalization: statistics per channel over samples and space, then an elementwise kernel."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ..emission.kernel_builder import KernelBuilder
from ..emission.promotion import opmath
from ..emission.scalar import Scalar
from .reduction import Reducer
from .reduction_space import ReductionSpace
from .registry import LoweredCall, lowers

# The roles of each operator's results; None: the reserve buffer, which nothing reads.
_TRAINING_RESULTS = {
    "aten._native_batch_norm_legit_functional.default": ("out", "mean", "rstd", "running_mean", "running_var"),
    "aten._batch_norm_with_update_functional.default": ("out", "mean", "rstd", None, "running_mean", "running_var"),
    "aten._native_batch_norm_legit.no_stats": ("out", "mean", "rstd"),
}
_STATISTICS = ("mean", "rstd", "running_mean", "running_var")


def _channels(call: LoweredCall) -> ReductionSpace:
    sizes = call.info(call["input"]).sizes
    return ReductionSpace(sizes, tuple(d for d in range(len(sizes)) if d != 1))


def _empty(call: LoweredCall, number: int) -> ir.Value:
    """A result whose elements, if any, nothing reads: zeros."""
    builder = call.kernel([], call.result(number).sizes, [call.result_types[number]], name="empty")
    builder.store(0, builder.constant(0, call.result(number).dtype), builder.dims)
    return builder.finish()[0]


@lowers(*_TRAINING_RESULTS)
def batch_norm(call: LoweredCall) -> Sequence[ir.Value | None] | None:
    """(x - mean) * rstd * weight + bias with the batch's statistics; updates the running statistics"""
    if not call.arguments.get("training", True):
        return _batch_norm_inference(call)
    roles = _TRAINING_RESULTS[call.name]
    numbers = {role: n for n, role in enumerate(roles) if role in _STATISTICS}
    running = [call[r] for r in ("running_mean", "running_var") if r in numbers]
    space = _channels(call)
    builder = call.kernel(
        [call["input"], *running], space.domain, [call.result_types[n] for n in numbers.values()], name="batch_norm_statistics"
    )
    values = _statistics(call, builder, space)
    for number, role in enumerate(numbers):
        builder.store(number, values[role], [builder.dims[0]])
    made = dict(zip(numbers, builder.finish(), strict=True))
    made["out"] = _apply(call, made["mean"], made["rstd"], variance=False)
    return [_empty(call, n) if role is None else made[role] for n, role in enumerate(roles)]


def _statistics(call: LoweredCall, builder: KernelBuilder, space: ReductionSpace) -> dict[str, Scalar]:
    """The batch's mean and rstd, and the new running statistics, by role."""
    wide = opmath(builder.input_infos[0].dtype)
    reduce = Reducer(builder, space)
    mean, squares = reduce.moments(builder.load(0, space.coordinates(builder)).to(wide))
    count, less = reduce.count(wide), reduce.count(wide) - 1
    rounded = _round_as_stored if _are_sums_stored(call) else _keep
    mean, squares, count, less = (rounded(v) for v in (mean, squares, count, less))
    values = {"mean": mean, "rstd": (rounded(squares / count) + call["eps"]).math("rsqrt")}
    momentum = rounded(builder.constant(call["momentum"], wide))
    fresh = {"running_mean": rounded(momentum * mean), "running_var": momentum * rounded(squares / less)}
    for number in range(1, len(builder.inputs)):
        role = ("running_mean", "running_var")[number - 1]
        old = builder.load(number, [builder.dims[0]]).to(wide)
        values[role] = fresh[role] + rounded(rounded(1 - momentum) * old)
    return values


def _are_sums_stored(call: LoweredCall) -> bool:
    """Whether eager stores a channel's mean and sum of squares in bfloat16, and divides by the count there: on CPUs, if all is bfloat16."""
    info = call.info(call["input"])
    return info.device == "cpu" and info.dtype == call.result(1).dtype == "bfloat16"


def _round_as_stored(value: Scalar) -> Scalar:
    return value.to("bfloat16").to("float32")


def _keep(value: Scalar) -> Scalar:
    return value


def _apply(call: LoweredCall, mean: ir.Value, spread: ir.Value, variance: bool) -> ir.Value:
    """(x - mean) * rstd * weight + bias. `spread`: the variance if `variance`, else rstd."""
    weight, bias = call["weight"], call["bias"]
    inputs = [call["input"], mean, spread, *[v for v in (weight, bias) if v is not None]]
    builder = call.kernel(inputs, call.result(0).sizes, call.result_types[:1], name="batch_norm")
    wide = opmath(call.result(0).dtype)
    channel = [builder.dims[1]]
    x, mean_value, scale = (builder.load(i, p).to(wide) for i, p in ((0, builder.dims), (1, channel), (2, channel)))
    if variance:
        scale = (scale + call["eps"]).math("rsqrt")
    if weight is not None:
        scale = scale * builder.load(3, channel).to(wide)
    result = (x - mean_value) * scale
    if bias is not None:
        result = result + builder.load(len(inputs) - 1, channel).to(wide)
    elif not builder.on_gpu:
        result = result + 0.0  # eager's CPU kernel takes 0.0 for a missing bias: no zero is negative
    builder.store(0, result, builder.dims)
    return builder.finish()[0]


@lowers("aten._native_batch_norm_legit_no_training.default", "aten._batch_norm_no_update.default")
def _batch_norm_inference(call: LoweredCall) -> Sequence[ir.Value] | None:
    """(x - mean) * rstd * weight + bias with the running statistics; as in eager, mean and rstd are saved on GPUs only"""
    roles = _TRAINING_RESULTS.get(call.name, (None,) * len(call.result_types))
    saved = [n for n in range(1, len(roles)) if roles[n] not in ("running_mean", "running_var")]
    if any(call.result(n).sizes != (0,) for n in saved if n > 2):
        return None
    rest = [_saved(call, n) if n in saved else _copied(call, n, call[str(roles[n])]) for n in range(1, len(roles))]
    return [_apply(call, call["running_mean"], call["running_var"], variance=True), *rest]


def _saved(call: LoweredCall, number: int) -> ir.Value:
    """The running mean (result 1) or 1 / sqrt(running variance + eps) (result 2); an empty tensor where eager saves nothing."""
    if call.result(number).sizes == (0,):
        return _empty(call, number)
    source = call["running_mean" if number == 1 else "running_var"]
    if number == 1 and source.type == call.result_types[1]:
        return _copied(call, 1, source)
    builder = call.kernel([source], call.result(number).sizes, [call.result_types[number]], name="batch_norm_saved")
    value = builder.load(0, builder.dims).to(call.result(number).dtype)
    builder.store(0, value if number == 1 else (value + call["eps"]).math("rsqrt"), builder.dims)
    return builder.finish()[0]


def _copied(call: LoweredCall, number: int, source: ir.Value) -> ir.Value:
    """A copy of an unchanged running statistic, as result `number`."""
    builder = call.kernel([source], call.result(number).sizes, [call.result_types[number]], name="clone")
    builder.store(0, builder.load(0, builder.dims), builder.dims)
    return builder.finish()[0]


@lowers("aten.native_batch_norm_backward.default", "aten.batch_norm_backward.default")
def batch_norm_backward(call: LoweredCall) -> Sequence[ir.Value | None]:
    """The gradients of input, weight and bias"""
    training = bool(call.arguments.get("train", call.arguments.get("update")))
    saved = call.arguments.get("save_invstd", call.arguments.get("save_var"))
    statistics = [call["save_mean"], saved] if training else [call["running_mean"], call["running_var"]]
    sums, parameters = _gradient_sums(call, statistics, training)
    gradient = _input_gradient(call, statistics, sums, training) if call.is_wanted(0) else None
    return [gradient, *parameters]


def _rstd(call: LoweredCall, value: Scalar, training: bool) -> Scalar:
    return value if training else (value + call["eps"]).math("rsqrt")


def _gradient_sums(call: LoweredCall, statistics: list[ir.Value], training: bool) -> tuple[list[ir.Value], list[ir.Value | None]]:
    """sum(g) and sum(g * (x - mean)) per channel, and the gradients of weight and bias"""
    info = call.info(call["input"])
    wide = opmath(info.dtype)
    space = _channels(call)
    temporary = TensorInfo((info.sizes[1],), wide, info.device, (1,)).type()
    wanted = [n for n in (1, 2) if call.is_wanted(n)]
    types = [temporary, temporary, *[call.result_types[n] for n in wanted]]
    builder = call.kernel([call["grad_out"], call["input"], *statistics], space.domain, types, name="batch_norm_backward_sums")
    position, channel = space.coordinates(builder), [builder.dims[0]]
    gradient, x = (builder.load(i, position).to(wide) for i in (0, 1))
    mean, spread = (builder.load(i, channel).to(wide) for i in (2, 3))
    reduce = Reducer(builder, space)
    total, projected = reduce("add", gradient), reduce("add", gradient * (x - mean))
    outputs = [total, projected, *[projected * _rstd(call, spread, training) if n == 1 else total for n in wanted]]
    for number, value in enumerate(outputs):
        builder.store(number, value, channel)
    results = builder.finish()
    parameters = dict(zip(wanted, results[2:], strict=True))
    return results[:2], [parameters.get(1), parameters.get(2)]


def _input_gradient(call: LoweredCall, statistics: list[ir.Value], sums: list[ir.Value], training: bool) -> ir.Value:
    """(g - sum(g) / n - (x - mean) * rstd**2 * sum(g (x - mean)) / n) * rstd * weight; g * rstd * weight in inference"""
    weight = call["weight"]
    inputs = [call["grad_out"], *([] if weight is None else [weight]), statistics[1]]
    inputs += [call["input"], statistics[0], *sums] if training else []
    first = len(inputs) - 4
    builder = call.kernel(inputs, call.result(0).sizes, call.result_types[:1])
    wide = opmath(call.result(0).dtype)
    channel = [builder.dims[1]]
    gradient = builder.load(0, builder.dims).to(wide)
    rstd = _rstd(call, builder.load(1 + (weight is not None), channel).to(wide), training)
    if training:
        x = builder.load(first, builder.dims).to(wide)
        mean, total, projected = (builder.load(first + i, channel).to(wide) for i in (1, 2, 3))
        count = builder.number(_channels(call).count, wide)
        gradient = gradient - total / count - (x - mean) * (rstd * rstd * projected / count)
    scale = rstd if weight is None else rstd * builder.load(1, channel).to(wide)
    builder.store(0, gradient * scale, builder.dims)
    return builder.finish()[0]
