"""The operators that libtorch exports as C functions (`aoti_torch_cpu_addmm_out`), read from the header that comes with torch."""

from __future__ import annotations

import functools
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = "include/torch/csrc/inductor/aoti_torch/generated"
_DECLARATION = re.compile(r"AOTITorchError (aoti_torch_\w+)\(([^)]*)\);")


@dataclass(frozen=True)
class Shim:
    """A C function: (type, name) of its parameters, without `out` and those for results. `out`: it writes to a tensor that is its first
    argument; `results`: the number of handles that it returns."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    out: bool
    results: int


@functools.cache
def shims(device: str) -> dict[str, Shim]:
    """The C functions for "cpu" or "cuda", by name without the prefix: `addmm_out`."""
    found: dict[str, Shim] = {}
    specification = importlib.util.find_spec("torch")
    if specification is None or specification.origin is None:
        return found
    for kind in ("aten", device):
        header = Path(specification.origin).parent / FOLDER / f"c_shim_{kind}.h"
        if not header.exists():
            continue
        for name, parameters in _DECLARATION.findall(header.read_text()):
            found[name.removeprefix(f"aoti_torch_{kind}_")] = _shim(name, parameters)
    return found


def _shim(name: str, text: str) -> Shim:
    parameters = [_parameter(p) for p in text.split(",")]
    out = parameters[0] == ("AtenTensorHandle", "out")
    results = [p for p in parameters if re.fullmatch(r"ret\d+", p[1])]
    rest = [p for p in parameters[out:] if p not in results]
    return Shim(name, tuple(rest), out, 1 if out else len(results))


def _parameter(text: str) -> tuple[str, str]:
    type_, _, name = text.strip().rpartition(" ")
    return type_, name


def find_shim(target: str, device: str) -> Shim | None:
    """The C function that computes the operator `target` ("aten.addmm.default")."""
    namespace, name, overload = target.split(".")
    if namespace != "aten":
        return None
    known = shims(device)
    if overload != "default":
        return known.get(f"{name}_{overload}")
    return known.get(name) or known.get(f"{name}_out")
