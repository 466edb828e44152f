"""The dtypes that eager's operators accept, where PyTorch's meta functions and decompositions don't check them. With other dtypes an
operator stays a call of ATen, which raises as eager does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...dialects.dtypes import BAREBONES, HALVES, INTEGERS
from ..emission.promotion import is_float

FLOAT_ONLY = frozenset({
    "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d", "_adaptive_avg_pool3d_backward", "_log_softmax",
    "_log_softmax_backward_data", "_prelu_kernel", "_prelu_kernel_backward", "_safe_softmax", "_softmax", "_softmax_backward_data",
    "_upsample_nearest_exact1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "batch_norm_backward", "binary_cross_entropy",
    "binary_cross_entropy_backward", "binary_cross_entropy_with_logits", "celu", "col2im", "elu", "elu_backward", "frac", "gelu",
    "gelu_backward", "glu", "glu_backward", "hardshrink", "hardshrink_backward", "hardsigmoid", "hardsigmoid_backward", "hardswish",
    "hardswish_backward", "hardtanh_backward", "huber_loss", "huber_loss_backward", "hypot", "im2col", "leaky_relu", "leaky_relu_backward",
    "lerp", "log_sigmoid", "log_sigmoid_backward", "log_sigmoid_forward", "logaddexp", "logaddexp2", "logit_backward",
    "max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward", "mish", "mish_backward", "mse_loss", "multi_margin_loss",
    "multilabel_margin_loss_forward", "native_batch_norm_backward", "native_group_norm", "native_group_norm_backward",
    "native_layer_norm", "native_layer_norm_backward", "nll_loss2d_backward", "nll_loss2d_forward", "nll_loss_backward",
    "nll_loss_forward", "reflection_pad1d_backward", "sigmoid_backward", "silu", "silu_backward", "smooth_l1_loss",
    "soft_margin_loss", "soft_margin_loss_backward", "softplus", "softplus_backward", "softshrink", "softshrink_backward",
    "std", "std_mean", "tanh_backward", "upsample_linear1d", "upsample_nearest1d", "var", "var_mean",
})  # fmt: skip
# Operators that accept floats and integers, but no booleans.
NOT_OF_BOOLEANS = frozenset({
    "abs", "addcmul", "arange", "argmax", "argmin", "ceil", "clamp", "clamp_max", "clamp_min", "cross", "floor", "fmod", "isin",
    "linalg_cross", "max_pool2d_with_indices", "max_pool3d_with_indices", "mvlgamma", "reflection_pad1d", "reflection_pad2d",
    "reflection_pad3d", "relu", "remainder", "round", "rsub", "sub", "threshold", "trace", "trunc",
})  # fmt: skip
FLOAT_ONLY_OVERLOADS = frozenset({"aten.round.decimals"})
# Those of them that accept complex numbers too.
COMPLEX_TOO = frozenset({
    "_adaptive_avg_pool2d", "col2im", "im2col", "lerp", "logaddexp", "sigmoid_backward", "silu", "silu_backward", "soft_margin_loss",
    "soft_margin_loss_backward", "std", "std_mean", "tanh_backward", "var", "var_mean",
})  # fmt: skip
# Operators that accept only integers and booleans.
NOT_OF_FLOATS = frozenset({
    "__lshift__", "__rshift__", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
})  # fmt: skip
# Operators that reject these dtypes on the CPU.
NOT_ON_CPU = {
    "avg_pool3d": ("bfloat16", "float16"),
    "avg_pool3d_backward": ("bfloat16", "float16"),
    "isin": BAREBONES,
    "multi_margin_loss": ("bfloat16", "float16"),
    "pixel_shuffle": BAREBONES,
    "pixel_unshuffle": BAREBONES,
    "special_log_ndtr": ("bfloat16", "float16"),
    "trace": ("bfloat16", "float16", *BAREBONES),  # newer versions of PyTorch accept half types: an ATen call there
}
# The index argument of an operator, and the dtypes that it may have.
INDEX_DTYPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "embedding": ("indices", ("int32", "int64")),
    "embedding_dense_backward": ("indices", ("int32", "int64")),
    **dict.fromkeys(("index_add", "index_select"), ("index", ("int32", "int64"))),
    **dict.fromkeys(("index_copy", "index_fill"), ("index", ("int64",))),
    "max_pool2d_with_indices_backward": ("indices", ("int64",)),
    "max_pool3d_with_indices_backward": ("indices", ("int64",)),
    "nll_loss2d_forward": ("target", ("int64", "uint8")),
    "nll_loss_forward": ("target", ("int64", "uint8")),
    "take": ("index", ("int64",)),
}
# Arguments that must have equal dtypes, by operator.
ONE_DTYPE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("mm", "bmm"), ("self", "mat2")),
    "addmm": ("self", "mat1", "mat2"),
    **dict.fromkeys(("index_add", "index_copy"), ("self", "source")),
    **dict.fromkeys(("index_put", "_unsafe_index_put", "_unsafe_masked_index_put_accumulate"), ("self", "values")),
    **dict.fromkeys(("scatter", "scatter_add", "scatter_reduce"), ("self", "src")),
    "heaviside": ("self", "values"),
    **dict.fromkeys(("linalg_cross", "cross"), ("self", "other")),
    "_prelu_kernel": ("self", "weight"),
    "_prelu_kernel_backward": ("grad_output", "self", "weight"),
    **dict.fromkeys(("_softmax_backward_data", "_log_softmax_backward_data"), ("grad_output", "output")),
    "log_sigmoid_backward": ("grad_output", "self", "buffer"),
    **dict.fromkeys(("glu_backward", "mish_backward"), ("grad_output", "self")),
    **dict.fromkeys(("huber_loss_backward",), ("grad_output", "self", "target")),
    **dict.fromkeys(("binary_cross_entropy", "binary_cross_entropy_backward"), ("grad_output", "self", "target", "weight")),
    **dict.fromkeys(("nll_loss_forward", "nll_loss2d_forward"), ("self", "weight")),
    **dict.fromkeys(("nll_loss_backward", "nll_loss2d_backward"), ("grad_output", "self", "weight", "total_weight")),
}
# Arguments of which one must have another dtype than an integer's or bool.
ONE_OF_FLOATS: dict[str, tuple[str, ...]] = {"addcdiv": ("tensor1", "tensor2")}
# The same as ONE_DTYPE, but if the input has a half type, parameters and statistics may be float32.
ONE_DTYPE_BUT_HALVES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("native_layer_norm", "native_group_norm"), ("input", "weight", "bias")),
    **dict.fromkeys(
        ("_native_batch_norm_legit_functional", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training",
         "_batch_norm_with_update_functional", "_batch_norm_no_update"),
        ("input", "weight", "bias", "running_mean", "running_var"),
    ),
}  # fmt: skip


def has_conditions(name: str) -> bool:
    """Whether the functions below can refuse some dtypes of the operator `name` ("aten.gelu.default")."""
    namespace, base, _ = name.split(".")
    tables = (FLOAT_ONLY, NOT_OF_BOOLEANS, NOT_OF_FLOATS, NOT_ON_CPU, INDEX_DTYPES, ONE_DTYPE, ONE_OF_FLOATS, ONE_DTYPE_BUT_HALVES)
    return namespace == "aten" and any(base in table for table in tables) or name in FLOAT_ONLY_OVERLOADS


def why_refused(name: str, dtypes: Sequence[str], on_cpu: bool) -> str | None:
    """The reason why eager's operator `name` ("aten.gelu.default") rejects tensors of `dtypes`, given in the order of its arguments (for
    an operator that creates a tensor: the result's dtype); None if it accepts them."""
    namespace, base, _ = name.split(".")
    if namespace != "aten" or not dtypes:
        return None
    takes_complex = base in COMPLEX_TOO and dtypes[0].startswith("complex")
    complex_refused = not takes_complex and any(d.startswith("complex") for d in dtypes)
    float_only = base in FLOAT_ONLY or name in FLOAT_ONLY_OVERLOADS
    if float_only and (complex_refused or not (is_float(dtypes[0]) or dtypes[0].startswith("complex"))):
        return f"eager does not have it for {dtypes[0]}"
    if base in NOT_OF_BOOLEANS and "bool" in dtypes:
        return "eager does not have it for bool"
    if base in NOT_OF_FLOATS and any(is_float(d) for d in dtypes):
        return "eager does not have it for floats"
    if on_cpu and dtypes[0] in NOT_ON_CPU.get(base, ()):
        return f"eager does not have it for {dtypes[0]} on the CPU"
    return None


def do_not_fit(base: str, dtype_of: Callable[[str], str | None]) -> bool:
    """Whether eager rejects the combination of tensor dtypes, or the dtype of the indices, of operator `base` ("mm"). `dtype_of`: the dtype
    of an argument by name; None if it is absent."""
    if base in INDEX_DTYPES:
        name, allowed = INDEX_DTYPES[base]
        if dtype_of(name) not in (None, *allowed):
            return True
    if base in ONE_OF_FLOATS and all(dtype_of(name) in ("bool", *INTEGERS) for name in ONE_OF_FLOATS[base]):
        return True
    if base in ONE_DTYPE_BUT_HALVES:
        first, *rest = (d for name in ONE_DTYPE_BUT_HALVES[base] if (d := dtype_of(name)) is not None)
        return not (set(rest) <= {first} or (first in HALVES and set(rest) == {"float32"}))
    return len({d for name in ONE_DTYPE.get(base, ()) if (d := dtype_of(name)) is not None}) > 1
