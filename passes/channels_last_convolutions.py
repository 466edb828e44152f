"""`channels-last-convolutions`: uses channels-last layouts within a graph of many depthwise convolutions.

The CPU's library reorders a contiguous image before and after a depthwise convolution. So between arguments and results of such a graph,
images get the layout that the library needs: the first images are copied, the types of their users are inferred again, and values for
other operators and for the caller are copied back. In a joint graph the images that the forward saves have this layout for the backward
too. A graph stays as it is if the caller gets many images, since each of them costs a copy back.
"""

from __future__ import annotations

from dataclasses import replace

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo, contiguous_strides
from .analysis.alias_analysis import functions_with_body
from .analysis.infer_metadata import MetaFailed, TypeInference, is_pointwise
from .analysis.node_identity import identity
from .refresh_metadata import retype_results
from .registry import register_pass

CONVOLUTION, BACKWARD = "aten.convolution.default", "aten.convolution_backward.default"
# Equally fast on either layout. The results have the layout of the first operand, the image.
_FOLLOWING = frozenset({
    CONVOLUTION, "aten.constant_pad_nd.default", "aten.native_batch_norm.default", "aten._native_batch_norm_legit_no_training.default",
    "aten._native_batch_norm_legit.default", "aten._native_batch_norm_legit.no_stats", "aten._native_batch_norm_legit_functional.default",
})  # fmt: skip
# Equally fast on either layout. As with pointwise operators, the results have the layout that all operands of their sizes have; but
# PyTorch's registry does not call these operators pointwise.
_ALIKE = frozenset({
    "aten.native_batch_norm_backward.default", "aten.hardtanh_backward.default", "aten.hardswish_backward.default",
    "aten.hardsigmoid_backward.default", "aten.leaky_relu_backward.default", "aten.elu_backward.default",
})  # fmt: skip
# Equally fast on either layout. PyTorch's meta functions, which are slow, infer the layout of the results.
_INFERRED = frozenset({
    BACKWARD,
    "aten.mean.dim", "aten.sum.dim_IntList", "aten.amax.default", "aten.cat.default", "aten.clone.default", "aten._to_copy.default",
    "aten.max_pool2d_with_indices.default", "aten.avg_pool2d.default", "aten._adaptive_avg_pool2d.default", "aten.var_mean.correction",
})  # fmt: skip
# The operands that are images.
_IMAGES = {aten_ops.op_name(CONVOLUTION): (0,), aten_ops.op_name(BACKWARD): (0, 1)}
# A result whose images have more elements than this is an activation, not the gradient of a weight (the largest kernels are 7 x 7).
_KERNEL = 49


def channels_last_convolutions(module: ir.Module) -> None:
    """Changes the layouts of every function that gains from it."""
    for function in functions_with_body(module):
        if _gains(function):
            _Layouts(function).run()


def _gains(function: ir.OpView) -> bool:
    """Whether the depthwise convolutions on the CPU are more than twice as many as the caller's images, each of which costs a copy back."""
    operations = list(function.regions[0].blocks[0].operations)
    depthwise = sum(_is_depthwise(op.operation) for op in operations if op.operation.name == aten_ops.op_name(CONVOLUTION))
    infos = [TensorInfo.of(v.type) for v in operations[-1].operands if isinstance(v.type, ir.RankedTensorType)]
    return bool(depthwise > 2 * sum(_is_image(info) and info.sizes[2] * info.sizes[3] > _KERNEL for info in infos))


def _is_depthwise(op: ir.Operation) -> bool:
    arguments = aten_ops.arguments(op)
    image, weight = (TensorInfo.of(arguments[n].type) for n in ("input", "weight"))
    return _is_image(image) and image.device == "cpu" and weight.sizes[1] == 1 < arguments["groups"]


def _is_image(info: TensorInfo) -> bool:
    return info.rank == 4 and all(isinstance(s, int) and s > 0 for s in info.sizes)


def _in_rows(info: TensorInfo) -> bool:
    return _is_image(info) and info.strides == contiguous_strides(info.sizes)


class _Layouts:
    """The walk over one function."""

    def __init__(self, function: ir.OpView) -> None:
        self.block = function.regions[0].blocks[0]
        self.inference = TypeInference(function)
        self.before: dict[ir.Value, ir.Type] = {}  # the former type of each value with a new layout
        self.sources: dict[ir.Value, ir.Value] = {}  # the sources of copies that were made for convolutions
        self.copies: dict[tuple[ir.Value, str], ir.Value] = {}

    def run(self) -> None:
        for view in list(self.block.operations):
            op = view.operation
            for number in _IMAGES.get(op.name, ()):
                self._take_channels_last(op, number)
            moved = any(v in self.before or v in self.sources for v in op.operands)
            if moved and not self._retyped(view):
                self._restore(op)

    def _take_channels_last(self, op: ir.Operation, number: int) -> None:
        """Copies operand `number`, the convolution's image, if it is contiguous."""
        image = op.operands[number]
        info = TensorInfo.of(image.type)
        if _in_rows(info) and info.sizes[1] > 1 and info.sizes[2] * info.sizes[3] > 1 and info.device == "cpu":
            copy = op.operands[number] = self._copy(image, "channels_last", op)
            self.sources[copy] = image

    def _copy(self, value: ir.Value, layout: str, before: ir.Operation) -> ir.Value:
        """clone(value, memory_format=layout), made once"""
        if (value, layout) not in self.copies:
            info = TensorInfo.of(value.type)
            strides = contiguous_strides(info.sizes) if layout == "contiguous_format" else channels_last_strides(info.sizes)
            type_ = replace(info, strides=strides, offset=0).type()
            arguments = {"self": value, "memory_format": layout}
            extra = identity(value.owner) if isinstance(value, ir.OpResult) else None
            made = aten_ops.create("aten.clone.default", arguments, [type_], before.location, ir.InsertionPoint(before), extra)
            self.copies[value, layout] = made.results[0]
        return self.copies[value, layout]

    def _retyped(self, view: ir.OpView) -> bool:
        """Whether the operator accepts its operands with their new layouts, and its results could be copied back; then sets the results'
        new types."""
        if not aten_ops.is_operator(view):
            return False
        schema = aten_ops.schema(view)
        if schema.mutates:
            return False
        if schema.name in _FOLLOWING | _ALIKE or is_pointwise(schema):
            return self._follow(view.operation) or self._infer(view)
        return schema.name in _INFERRED and self._infer(view)

    def _follow(self, op: ir.Operation) -> bool:
        """Gives the results the layout of the operator's images, if these agree."""
        results = [r for r in op.results if isinstance(r.type, ir.RankedTensorType) and _is_image(TensorInfo.of(r.type))]
        if not results or not all(_in_rows(TensorInfo.of(r.type)) for r in results):
            return False
        images = list(op.operands)[:1]
        if aten_ops.pytorch_name(op) not in _FOLLOWING:
            sizes = TensorInfo.of(results[0].type).sizes
            images = [v for v in op.operands if isinstance(v.type, ir.RankedTensorType) and TensorInfo.of(v.type).sizes == sizes]
        if not images or not all(v in self.before or v in self.sources for v in images):
            return False
        for result in results:
            info = TensorInfo.of(result.type)
            self.before[result] = result.type
            result.set_type(replace(info, strides=channels_last_strides(info.sizes)).type())
        return True

    def _infer(self, view: ir.OpView) -> bool:
        op = view.operation
        types: dict[ir.Value, ir.Type] = {r: r.type for r in op.results}
        try:
            changed = list(retype_results(view, self.inference))
            fine = all(_is_plain(TensorInfo.of(types[v])) for v in changed)
        except MetaFailed:
            changed, fine = [], False
        if fine:
            self.before |= {v: types[v] for v in changed}
            return True
        for result, type_ in types.items():
            result.set_type(type_)
        return False

    def _restore(self, op: ir.Operation) -> None:
        """Gives the operation its former operands again, as copies."""
        for number, value in enumerate(op.operands):
            if value in self.sources:
                op.operands[number] = self.sources[value]
            elif value in self.before:
                op.operands[number] = self._copy(value, "contiguous_format", op)
        if aten_ops.is_operator(op):
            aten_ops.renew_runs(op)


def channels_last_strides(sizes: tuple[Size, ...]) -> tuple[Size, ...]:
    """PyTorch's strides of an image [n, c, h, w] whose channels are neighbours."""
    _, channels, height, width = sizes
    return (channels * height * width, 1, width * channels, channels)


def _is_plain(info: TensorInfo) -> bool:
    """Whether the layout is that of a contiguous copy."""
    return info.strides == contiguous_strides(info.sizes) and info.offset == 0


register_pass("channels-last-convolutions", channels_last_convolutions)
