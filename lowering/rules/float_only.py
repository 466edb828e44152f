"""Operators that eager has for tensors of some dtypes only: on others they stay calls of ATen, which raises as eager does."""

FLOAT_ONLY = frozenset({
    "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d", "_adaptive_avg_pool3d_backward", "_log_softmax",
    "_log_softmax_backward_data", "_prelu_kernel", "_prelu_kernel_backward", "_safe_softmax", "_softmax", "_softmax_backward_data",
    "_upsample_nearest_exact1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "batch_norm_backward", "binary_cross_entropy",
    "binary_cross_entropy_backward", "binary_cross_entropy_with_logits", "celu", "col2im", "elu", "elu_backward", "frac", "gelu",
    "gelu_backward", "glu", "glu_backward", "hardshrink", "hardshrink_backward", "hardsigmoid", "hardsigmoid_backward", "hardswish",
    "hardswish_backward", "hardtanh_backward", "huber_loss", "huber_loss_backward", "hypot", "im2col", "leaky_relu", "leaky_relu_backward",
    "lerp", "log_sigmoid_backward", "log_sigmoid_forward", "logaddexp", "logaddexp2", "logit_backward",
    "max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward", "mish", "mish_backward", "mse_loss", "multi_margin_loss",
    "multilabel_margin_loss_forward", "native_batch_norm_backward", "native_group_norm", "native_group_norm_backward",
    "native_layer_norm", "native_layer_norm_backward", "nll_loss2d_backward", "nll_loss2d_forward", "nll_loss_backward",
    "nll_loss_forward", "reflection_pad1d_backward", "sigmoid_backward", "silu", "silu_backward", "smooth_l1_loss",
    "soft_margin_loss", "soft_margin_loss_backward", "softplus", "softplus_backward", "softshrink", "softshrink_backward",
    "tanh_backward", "upsample_linear1d", "upsample_nearest1d",
})  # fmt: skip
# Those that it has for integers, too, but not where a tensor is of booleans.
NOT_OF_BOOLEANS = frozenset({
    "abs", "addcmul", "argmax", "argmin", "ceil", "clamp", "clamp_max", "clamp_min", "floor", "fmod", "max_pool2d_with_indices",
    "max_pool3d_with_indices", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "relu", "remainder", "round", "rsub", "sub",
    "threshold", "trunc",
})  # fmt: skip
FLOAT_ONLY_OVERLOADS = frozenset({"aten.round.decimals"})


def is_float_only(name: str) -> bool:
    """Whether eager has the operator "aten.gelu.default" for floating-point tensors only."""
    namespace, base, _ = name.split(".")
    return namespace == "aten" and base in FLOAT_ONLY or name in FLOAT_ONLY_OVERLOADS


def has_no_booleans(name: str) -> bool:
    """Whether eager has the operator "aten.abs.default" for numbers only."""
    namespace, base, _ = name.split(".")
    return namespace == "aten" and base in NOT_OF_BOOLEANS
