"""`channels-last-convolutions`: uses channels-last layouts within a graph of many convolutions whose library reorders contiguous images.

The CPU's library reorders a contiguous image before and after a depthwise convolution; cuDNN reorders images and weights of half types
before and after a convolution that is not grouped. So between arguments and results of such a graph, images get the layout that the
library needs: the first images are copied, the types of their users are inferred again, and values for other operators and for the caller
are copied back. In a joint graph on the CPU the images that the forward saves have this layout for the backward too. A graph stays as it is
if the caller gets many images, since each of them costs a copy back. Graphs on GPUs stay as they are in training, and if
`aten.rounding = "eager"` (option `rounding`) asks for the very calls that eager makes.
"""

from __future__ import annotations

import math
from dataclasses import replace

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo, contiguous_strides
from ..dialects.dtypes import HALVES
from ..tuning.gpu import TUNING
from .analysis.alias_analysis import functions_with_body
from .analysis.infer_metadata import MetaFailed, TypeInference, is_pointwise
from .analysis.node_identity import identity
from .reassociate_products import rounding_of
from .refresh_metadata import retype_results
from .registry import register_pass
from .rewriting.norm_by_channels import normalized_by_channels
from .rewriting.relayout import relaid

CONVOLUTION, BACKWARD = "aten.convolution.default", "aten.convolution_backward.default"
TO_COPY_NAME = "aten._to_copy.default"
TO_COPY, NORM = aten_ops.op_name(TO_COPY_NAME), aten_ops.op_name("aten.native_group_norm.default")
_VIEWS = frozenset(map(aten_ops.op_name, ("aten.view.default", "aten.permute.default")))
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
    "aten.mean.dim", "aten.sum.dim_IntList", "aten.amax.default", "aten.cat.default", "aten._unsafe_index.Tensor",
    "aten.clone.default", "aten._to_copy.default",
    "aten.max_pool2d_with_indices.default", "aten.avg_pool2d.default", "aten._adaptive_avg_pool2d.default", "aten.var_mean.correction",
})  # fmt: skip
# The operands that are images.
_IMAGES = {aten_ops.op_name(CONVOLUTION): (0,), aten_ops.op_name(BACKWARD): (0, 1)}
# A result whose images have more elements than this is an activation, not the gradient of a weight (the largest kernels are 7 x 7).
_KERNEL = 49


def channels_last_convolutions(module: ir.Module) -> None:
    """Changes the layouts of every function that gains from it."""
    for function in functions_with_body(module):
        device = _gaining_device(function)
        if device is not None:
            _Layouts(function, device).run()


def _gaining_device(function: ir.OpView) -> str | None:
    """The kind of device whose convolutions gain: they are more than twice as many as the caller's images, each of which costs a copy back;
    on GPUs they also make more than half of the multiplications of all convolutions."""
    operations = [view.operation for view in function.regions[0].blocks[0].operations]
    convolutions = [op for op in operations if op.name == aten_ops.op_name(CONVOLUTION)]
    infos = [TensorInfo.of(v.type) for v in operations[-1].operands if isinstance(v.type, ir.RankedTensorType)]
    returned = sum(_is_image(info) and info.sizes[2] * info.sizes[3] > _KERNEL for info in infos)
    if sum(map(_is_depthwise, convolutions)) > 2 * returned:
        return "cpu"
    gaining = [op for op in convolutions if _gains_on_gpu(op)]
    if len(gaining) <= 2 * returned or rounding_of(function) == "eager" or any(op.name == aten_ops.op_name(BACKWARD) for op in operations):
        return None
    return "cuda" if 2 * sum(map(_multiplications, gaining)) > sum(map(_multiplications, convolutions)) else None


def _is_depthwise(op: ir.Operation) -> bool:
    arguments = aten_ops.arguments(op)
    image, weight = (TensorInfo.of(arguments[n].type) for n in ("input", "weight"))
    return _is_image(image) and image.device == "cpu" and weight.sizes[1] == 1 < arguments["groups"]


def _gains_on_gpu(op: ir.Operation) -> bool:
    """Whether cuDNN reorders the contiguous image of a convolution, and has at least as many channels as a tensor core multiplies."""
    image, result = (TensorInfo.of(v.type) for v in (op.operands[0], op.result))
    if not (_is_reordered_on_gpu(op) and _in_rows(image) and _is_image(result)):
        return False
    return all(info.sizes[1] % TUNING.image_channels == 0 for info in (image, result))


def _is_reordered_on_gpu(op: ir.Operation) -> bool:
    """Whether a convolution of images is one that cuDNN computes in channels-last layouts: on a GPU, of a half type, and not grouped."""
    info = TensorInfo.of(op.operands[0].type)
    return _is_image(info) and info.device.startswith("cuda") and info.dtype in HALVES and aten_ops.arguments(op)["groups"] == 1


def _multiplications(op: ir.Operation) -> Size:
    """The number of multiplications of a convolution of known sizes; 0 for others."""
    weight, *images = (TensorInfo.of(v.type).sizes for v in (op.operands[1], op.operands[0], op.result))
    sizes = [*weight[1:], *images[aten_ops.arguments(op)["transposed"] is False]]
    return math.prod(sizes) if all(isinstance(s, int) for s in sizes) else 0


def _is_image(info: TensorInfo) -> bool:
    return info.rank == 4 and all(isinstance(s, int) and s > 0 for s in info.sizes)


def _in_rows(info: TensorInfo) -> bool:
    return _is_image(info) and info.strides == contiguous_strides(info.sizes)


def _images_of(op: ir.Operation, device: str) -> tuple[int, ...]:
    """The operands that a convolution takes channels-last: the images, on GPUs the weight too."""
    if op.name not in _IMAGES or not TensorInfo.of(op.operands[0].type).device.startswith(device):
        return ()
    if device == "cpu":
        return _IMAGES[op.name]
    return (0, 1) if op.name == aten_ops.op_name(CONVOLUTION) and _is_reordered_on_gpu(op) else ()


class _Layouts:
    """The walk over one function, for the convolutions of one kind of device."""

    def __init__(self, function: ir.OpView, device: str) -> None:
        self.device = device
        self.block = function.regions[0].blocks[0]
        self.inference = TypeInference(function)
        self.before: dict[ir.Value, ir.Type] = {}  # the former type of each value with a new layout
        self.sources: dict[ir.Value, ir.Value] = {}  # the sources of copies that were made for convolutions
        self.copies: dict[tuple[ir.Value, str], ir.Value] = {}

    def run(self) -> None:
        for view in list(self.block.operations):
            op = view.operation
            for number in _images_of(op, self.device):
                self._take_channels_last(op, number)
            if op.name == NORM and self._norm_by_channels(op):
                continue
            moved = any(v in self.before or v in self.sources for v in op.operands)
            if moved and not self._retyped(view):
                self._restore(op)
            elif op.name == TO_COPY:
                self._copy_in_rows(op)

    def _take_channels_last(self, op: ir.Operation, number: int) -> None:
        """Copies operand `number`, the convolution's image or weight, if it is contiguous."""
        image = op.operands[number]
        info = TensorInfo.of(image.type)
        if _in_rows(info) and info.sizes[1] > 1 and info.sizes[2] * info.sizes[3] > 1:
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
        if schema.mutates or (schema.name == CONVOLUTION and not _images_of(view.operation, self.device)):
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

    def _norm_by_channels(self, op: ir.Operation) -> bool:
        """Rewrites a group norm of a large channels-last image on a GPU, if only its elements are read. Others get rows: fusion makes one
        kernel of a norm and its copies, which serves small images best."""
        image, info = op.operands[0], TensorInfo.of(op.results[0].type)
        if image not in self.before or not info.device.startswith("cuda") or any(next(iter(r.uses), None) for r in op.results[1:3]):
            return False
        if info.sizes[2] * info.sizes[3] < TUNING.summed_channels or info.dtype not in (*HALVES, "float32"):
            return False
        made = normalized_by_channels(op, image, self.inference)
        self.before[made] = op.results[0].type
        op.results[0].replace_all_uses_with(made)
        op.erase()
        return True

    def _copy_in_rows(self, op: ir.Operation) -> None:
        """_to_copy(permute(view(x))) in rows, where x is a value copied back, or a norm of it: with channels last, elements are computed
        in this order. The copy keeps its layout if others read it than views and operators whose results do not depend on it."""
        info, source = TensorInfo.of(op.result.type), op.operands[0]
        while isinstance(source, ir.OpResult) and source.owner.name in _VIEWS:
            source = source.owner.operands[0]
        if isinstance(source, ir.OpResult) and source.owner.name == NORM:
            source = source.owner.operands[0]
        if source not in self.copies.values() or not info.device.startswith("cuda") or info.strides == contiguous_strides(info.sizes):
            return
        arguments = aten_ops.arguments(op) | {"memory_format": "contiguous_format"}
        made = aten_ops.create(TO_COPY_NAME, arguments, [op.result.type], op.location, ir.InsertionPoint(op), identity(op))
        op.result.replace_all_uses_with(made.result)
        if not relaid(made.result, replace(info, strides=contiguous_strides(info.sizes), offset=0).type(), self.inference, []):
            made.result.replace_all_uses_with(op.result)
            made.erase()
        else:
            op.erase()

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
