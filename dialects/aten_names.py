"""PyTorch's operator names (`aten.add.Tensor`) as MLIR names of the `aten` dialect (`aten.add_tensor`), injectively.

IRDL allows `[a-z0-9_]` without leading or double underscores. A name gets its plain form if `_plain_inverse` maps that back to the name,
and a spelled form (`x_...`) otherwise. The two forms never coincide, so different operators have different names. Plain:
`aten.permute.default` is `permute`, `aten.add.Tensor` is `add_tensor`, `aten.add_.Tensor` is `add_inplace_tensor`, `aten._softmax.default`
is `u_softmax`, `prims.sum.default` is `lib_prims_sum`.
"""

import functools
import re

# Overloads that may be written as a plain suffix; others are spelled. A default overload whose base ends with one of these
# words (`aten.norm_except_dim.default`) gets the suffix `_default`, unless it is listed in WHOLE.
OVERLOADS = (
    "default", "Tensor", "Scalar", "out", "int", "List", "ScalarList", "dim", "vec", "n_scalar", "x_scalar", "grad_input",
    "Scalar_Tensor", "Tensor_Scalar", "Tensor_Tensor", "input", "output", "dtype", "generator", "periodic", "dims", "padding",
    "correction", "Tensor_mode", "Scalar_mode", "values", "other", "other_scalar", "self_scalar", "dx", "dim_dtype", "reduce",
    "dim_IntList", "dim_int", "dim_values", "dim_max", "dim_min", "msg", "decimals", "float", "stable", "values_stable",
    "start_step", "start", "step", "low", "low_dtype", "low_generator", "src", "value", "value_reduce", "self_int",
    "int_Tensor", "int_Scalar", "float_Tensor", "float_float", "Tensor_float", "unary", "two", "memory_format",
    "no_stats", "using_ints", "dtype_layout", "tensor_lr", "IntList", "x", "array", "self", "all",
)  # fmt: skip
WHOLE = frozenset({"aten.scalar_tensor", "aten._assert_scalar", "aten.index_reduce"})
_SUFFIXES = {o.lower(): o for o in OVERLOADS} | {o.lower() + "_out": o + "_out" for o in OVERLOADS}
_CODES = {c: c for c in "abcdefghijklmnopqrstuvwxy0123456789"} | {"_": "zu", ".": "zd", "z": "zz"}
_CODES |= {c: "zc" + c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_PLAIN = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*_?")

FUNCTIONAL, OPAQUE = "mlirindfunctional", "mlirindopaque"  # namespaces of functional forms and of opaque calls


def is_pytorchs(target: str) -> bool:
    """Whether an operator (`aten.mm.default`) is PyTorch's own, not a custom one."""
    return target.startswith(("aten.", "prims."))


def is_opaque(target: str) -> bool:
    """Whether an operator's name, such as "mlirindopaque.cond_Tx2_r1.default", is that of opaque calls."""
    return target.startswith(OPAQUE + ".")


def operator_name(target: str) -> str:
    """`namespace::operator` of a call's target; for a functional form the operator's own name."""
    namespace, _, rest = target.removesuffix(".default").partition(".")
    return rest.replace("__", "::", 1) if namespace == FUNCTIONAL else f"{namespace}::{rest}"


@functools.cache
def mangle(name: str) -> str:
    """`aten.add.Tensor` -> `aten.add_tensor`."""
    namespace, base, overload = name.split(".")
    stem = base if namespace == "aten" else f"lib_{namespace}_{base}"
    stem = re.sub(r"^_(?!_)", "u_", stem) if namespace == "aten" else stem
    suffixed = (stem[:-1] + "_inplace" if stem.endswith("_") else stem) + "_" + overload.lower()
    for plain in (stem, suffixed) if overload == "default" else (suffixed,):
        if _PLAIN.fullmatch(plain) and _plain_inverse(plain) == name:
            return "aten." + plain
    return "aten.x_" + _spell(name.removeprefix("aten."))


def _plain_inverse(plain: str) -> str | None:
    """The only PyTorch name that a plain form may stand for; None if it is no plain form."""
    if plain.startswith("x_"):
        return None
    namespace = "aten"
    if plain.startswith("lib_"):
        _, namespace, plain = plain.split("_", 2) if plain.count("_") > 1 else ("", "", "")
    elif plain.startswith("u_"):
        plain = plain[1:]
    if f"{namespace}.{plain}" in WHOLE:
        return f"{namespace}.{plain}.default"
    words = plain.split("_")
    for start in range(1, len(words)):
        overload = _SUFFIXES.get("_".join(words[start:]))
        base = "_".join(words[:start])
        if overload and base.strip("_"):
            base = base.removesuffix("_inplace") + "_" if base.endswith("_inplace") else base
            return f"{namespace}.{base}.{overload}"
    return f"{namespace}.{plain}.default"


def _spell(text: str) -> str:
    """An injective spelling in [a-z0-9]: digits, and lower-case letters except z, stand for themselves; the rest are codes that start with
    z."""
    return "".join(_CODES.get(c) or f"zx{ord(c):x}z" for c in text)
