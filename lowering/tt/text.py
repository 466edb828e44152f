"""The text of a `.ttir` file that Triton compiles."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.tt import Ptr
from ...triton_settings import triton_version

ALIGNED = 16  # the alignment that Triton needs for accesses of 16 bytes
_SEGMENTS = re.compile(r", operandSegmentSizes = array<i32: [^>]*>, resultSegmentSizes = array<i32: [^>]*>")
_HINTS = re.compile(r", cache = 1 : i32, evict = ([123]) : i32")


def _policy(eviction: str) -> str:
    return f", cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = {eviction}>"


# The same for Triton from 3.9 on.
_POLICY = {"1": "", "2": _policy("evict_first"), "3": _policy("evict_last")}
_RETURN = re.compile(r'"tt\.(reduce|scan)_return"\((.*?)\) \{operandSegmentSizes = array<i32: [^>]*>\}')


def kernel_text(func: ir.Operation, divisible: Sequence[bool] | None = None) -> str:
    """The text of a `tt.func`, as a module of its own, for the installed Triton. `divisible`: for each argument, whether the address or
    value is a multiple of 16 at every launch; the default is all addresses and no value. Equal kernels of different graphs have the same
    text."""
    arguments = list(func.regions[0].blocks[0].arguments)
    if divisible is None:
        divisible = [isinstance(a.type, Ptr) for a in arguments]
    facts = [f"{{tt.divisibility = {ALIGNED} : i32}}" if d else "{}" for d in divisible]
    copy = func.clone()
    try:
        for name in [a for a in copy.attributes if a not in ("function_type", "sym_name")]:
            del copy.attributes[name]
        copy.attributes["sym_name"] = ir.StringAttr.get(public_name(func))
        copy.attributes["sym_visibility"] = ir.StringAttr.get("public")
        copy.attributes["arg_attrs"] = ir.Attribute.parse(f"[{', '.join(facts)}]")
        text = copy.get_asm(use_local_scope=True)
    finally:
        copy.erase()
    text = _RETURN.sub(r'"tt.\1.return"(\2)', _SEGMENTS.sub("", text))
    if _has_policies(triton_version()):
        text = _HINTS.sub(lambda found: _POLICY[found[1]], text)
    return f"module {{\n{text}\n}}\n"


def public_name(func: ir.Operation) -> str:
    """The kernel's name in the text: without the number that distinguishes it in its graph."""
    return re.sub(r"_\d+$", "", ir.StringAttr(func.attributes["kernel"]).value)


def _has_policies(version: str | None) -> bool:
    return version is not None and tuple(int(n) for n in re.findall(r"\d+", version)[:2]) >= (3, 9)
