"""PyTorch's tables of operators: schemas, decompositions, kernels by dispatch key."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import torch

from .entries import needed, private


def _format_of(tensor: torch.Tensor) -> torch.memory_format:
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(tensor.dim())
    return last if last is not None and tensor.is_contiguous(memory_format=last) else torch.contiguous_format


# The schema of an operator of FX's: `torch._C.FunctionSchema`.
needed("torch.ops.aten.add.Tensor._schema", "the arguments and results of an operator")
schema_of = operator.attrgetter("_schema")


def given_arguments(called: torch._ops.OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """What a call gives, by the names of the operator's arguments; arguments that get their defaults are left out."""
    return dict(zip((a.name for a in schema_of(called).arguments), args, strict=False)) | dict(kwargs)


core_aten_decompositions = private(
    "torch._decomp.core_aten_decompositions", "the operators that AOTAutograd decomposes", "more operators stay calls of ATen", dict
)
_decompositions: dict[Any, Any] = private(
    "torch._decomp.decomposition_table", "PyTorch's decomposition of a single operator", "that operator stays a call of ATen", {}
)
suggest_memory_format = private(
    "torch._prims_common.suggest_memory_format",
    "the memory format of a kernel's result",
    "it is derived from the strides of 4-d and 5-d tensors",
    _format_of,
)
can_decompose = private(
    "torch._ops.OpOverload._can_decompose",
    "whether an operator is composite",
    "patterns with composite operators match less",
    lambda called: False,
)
has_kernel = private(
    "torch._C._dispatch_has_kernel_for_dispatch_key",
    "whether autograd decomposes an operator",
    "resampling is decomposed into gathers",
)
_all_names = needed("torch._C._dispatch_get_all_op_names", "the table of operators of the dialect")
_all_schemas = needed("torch._C._jit_get_all_schemas", "the table of operators of the dialect")
_overload_of = needed("torch._C._get_operation_overload", "which operators draw random numbers")
_sym_sqrt = private("torch._sym_sqrt", "square roots and the like of symbolic sizes", "graphs with such numbers run as captured")

_implementations: Any = private(
    "torch.library._impls", "whether a program implements PyTorch's operators itself", "AOTAutograd traces every graph in each process"
)
_predispatch: dict[str, Any] = private(
    "torch._functorch.predispatch.__dict__",
    "the implementations that PyTorch adds when a program first uses torch.vmap",
    "AOTAutograd traces every graph in processes that use torch.vmap",
    {},
)

_convolution_kernel = private(
    "torch._C._select_conv_backend",
    "whether cuDNN computes a convolution: then PyTorch adds the bias in a kernel of its own",
    "biases of convolutions on GPUs are not fused with what follows",
)

# Operators that return nothing and may raise. PyTorch 2.11 drops their calls; later versions order them.
_CHECKS = ("aten::_linalg_check_errors",)
_ORDERED = "aten::_print"  # an operator that every version orders
_PURPOSE = "checks of torch.linalg in graphs, so that singular matrices raise"
_WITHOUT = "PyTorch 2.11 leaves these checks out of graphs"
_effect_of = private("torch._higher_order_ops.effects._get_effect", _PURPOSE, _WITHOUT)
_set_effect = private("torch._higher_order_ops.effects._register_effectful_op", _PURPOSE, _WITHOUT)


# Dispatch keys under which PyTorch itself implements operators in Python. Kernels of other devices are not called while a graph is traced.
_OWN_KEYS = frozenset({"CUDA", "MPS", "XPU", "Meta"})


def has_foreign_implementations() -> bool:
    """Whether the program, not PyTorch, implements or decomposes some of PyTorch's operators in Python, as far as PyTorch tells. True if it
    does not tell."""
    if _implementations is None or not all(map(_is_pytorchs, _decompositions.values())):
        return True
    of_vmap = getattr(_predispatch.get("VMAP_DECOMPOSITIONS_LIB"), "_op_impls", ())
    return any(name.startswith("aten/") and name.rpartition("/")[2] not in _OWN_KEYS and name not in of_vmap for name in _implementations)


def _is_pytorchs(function: Any) -> bool:
    return (getattr(function, "__module__", None) or "").partition(".")[0] == "torch"


def keep_checks() -> None:
    """Makes AOTAutograd keep the calls of `_CHECKS`, in order, in versions of PyTorch that drop them."""
    if _effect_of is None or _set_effect is None or (effect := _effect_of(_ORDERED)) is None:
        return
    for name in _CHECKS:
        if _effect_of(name) is None:
            _set_effect(name, effect)


def is_cudnn_convolution(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> bool:
    """Whether eager calls cuDNN for a convolution of known sizes. The arguments are those of `aten.convolution`."""
    if _convolution_kernel is None or x.device.type != "cuda" or not all(isinstance(s, int) and s > 0 for s in (*x.shape, *weight.shape)):
        return False
    sizes = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": output_padding}
    found = _convolution_kernel(x, weight, bias=bias, transposed=transposed, groups=groups, **sizes)
    return str(found).rpartition(".")[2] in ("Cudnn", "CudnnTranspose")


def decomposed(called: Any, *args: Any) -> Any:
    """The result of PyTorch's decomposition of an operator for these arguments; NotImplemented if there is none, so the operator stays."""
    decomposition = _decompositions.get(called)
    return NotImplemented if decomposition is None else decomposition(*args)


def registered_schemas(namespaces: Collection[str]) -> Iterator[tuple[Any, bool]]:
    """The schemas of the operators of these namespaces that have a kernel, each with whether the operator draws random numbers."""
    names = set(_all_names())
    for schema in _all_schemas():
        name = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
        if schema.name.split("::")[0] in namespaces and name in names:
            _, _, tags = _overload_of(schema.name, schema.overload_name)
            yield schema, torch.Tag.nondeterministic_seeded in tags


def sym_function(name: str) -> Any:
    """PyTorch's function `name` ("sqrt", for example) of a symbolic float; None if PyTorch has none."""
    return None if _sym_sqrt is None else getattr(torch, f"_sym_{name}", None)
