"""`mlirind.aot_compile`: an exported program becomes a shared library with PyTorch's AOTInductor model container, or a package with one."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import threading
import types
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch.export import ExportedProgram

from ...errors import MlirindError, NotALibrary, UnsupportedGraph
from ...lowering.tt.gpu_target import TARGETS, GpuTarget
from ...options import Options
from ...runtime.artifacts.parts import GraphParts
from ...runtime.cpu.kept_code import KeptCode
from ...runtime.cuda.launching.named_gpu import NamedGpu
from ...runtime.library.build import write_library
from ...runtime.library.data import Buffer
from ...runtime.library.description import CPU, CUDA, TENSOR_CONSTANT, Constant, LibraryInterface, WeightsFile
from ...torch_internals.layout import DEVICE_NAMES, DEVICE_TYPES, DTYPES
from ...torch_internals.trees import treespec_dumps
from ..compile import compile_graph
from .exported import ExportedConstant, ExportedGraph, exported_graph
from .on_gpus import move_to_gpu

_ALIGNMENT = 64
_REFUSED = ("freezing", "cuda_graphs", "replay", "max_autotune")  # options that need a process with Python
# The package's format: PyTorch's archive (torch/csrc/export/pt2_archive_constants.h) with one model.
_ROOT, _MODEL = "package", "data/aotinductor/model/model.wrapper"
_RECORDS = {"archive_format": "pt2", "archive_version": "0", ".data/version": "6\n", "byteorder": "little"}


def aot_compile(
    program: ExportedProgram | Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    dynamic_shapes: Any,
    options: Mapping[str, Any] | None,
    package: str | Path,
    weights: str,
    device: str | None = None,
    targets: Sequence[str] | None = None,
) -> str:
    """See `mlirind.aot_compile`."""
    path = Path(package)
    if path.suffix not in (".pt2", ".so"):
        raise MlirindError(f"package={str(path)!r}: the name must end in .pt2 or .so")
    if weights not in ("inside", "beside"):
        raise MlirindError(f"weights={weights!r}: must be 'inside' or 'beside'")
    if not isinstance(args, (tuple, list)):
        raise MlirindError(f"args is a {type(args).__name__}: must be a tuple or a list of the program's arguments, such as (x,)")
    given, gpus = library_options(options), _gpus(targets)
    if device not in (None, "cpu", "cuda"):
        raise MlirindError(f"device={device!r}: must be 'cpu' or 'cuda'")
    program = _exported(program, tuple(args), dict(kwargs or {}), dynamic_shapes, device)
    moved = move_to_gpu(program) if device == "cuda" else None
    content = io.BytesIO()
    beside: io.BytesIO | None = io.BytesIO() if weights == "beside" else None
    type_ = write_library_of(program, given, content, beside, moved, gpus)
    if device == "cpu" and type_ != CPU:
        raise MlirindError("device='cpu': the program is on a GPU; move the module and its arguments to the CPU")
    values = None if beside is None else beside.getbuffer()
    if path.suffix == ".pt2":
        _replace(path, lambda file: _write_package(file, content.getbuffer(), values, DEVICE_NAMES[type_]))
    else:
        if values:
            _replace(path.with_name(f"{path.stem}_weights.blob"), lambda file: file.write(values))
        _replace(path, lambda file: file.write(content.getbuffer()))
    return str(path)


def library_options(options: Mapping[str, Any] | None) -> Options:
    """The options for a library. Raises MlirindError."""
    given = Options.from_dict(dict(options or {}), None)
    for name in _REFUSED:
        if getattr(given, name):
            raise MlirindError(f"option {name}: not for ahead-of-time libraries")
    return given


def _gpus(targets: Sequence[str] | None) -> tuple[NamedGpu, ...]:
    """The GPUs that a user names. Raises MlirindError."""
    known = ", ".join(TARGETS)
    if isinstance(targets, str):
        raise MlirindError(f"targets={targets!r}: must be a list, such as ['sm_80', 'sm_90']")
    for name in targets or ():
        if name not in TARGETS:
            raise MlirindError(f"targets: {name!r} is not known; known are {known}")
    return tuple(NamedGpu(int(name.removeprefix("sm_")), TARGETS[name]) for name in dict.fromkeys(targets or ()))


def _exported(
    program: ExportedProgram | Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], shapes: Any, device: str | None
) -> ExportedProgram:
    if isinstance(program, ExportedProgram):
        if device is not None:
            raise MlirindError("device: an exported program has its own")
        if shapes is not None:
            raise MlirindError("dynamic_shapes: an exported program has its own")
        return program
    return export_call(program, args, kwargs, shapes)


def export_call(
    program: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, shapes: Any = None
) -> ExportedProgram:
    """A module or function as an exported program."""
    module = program if isinstance(program, torch.nn.Module) else _Function(program)
    with torch.no_grad():
        return torch.export.export(module, args, kwargs, dynamic_shapes=shapes)


class _Function(torch.nn.Module):
    """A function as a module, which is what PyTorch exports."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = _named_forward(function) if isinstance(function, types.FunctionType) else function


def _named_forward(function: types.FunctionType) -> types.FunctionType:
    """The function under the name `forward`: the export keeps the lines of functions of this name alone."""
    code = function.__code__.replace(co_name="forward")
    named = types.FunctionType(code, function.__globals__, "forward", function.__defaults__, function.__closure__)
    named.__kwdefaults__ = function.__kwdefaults__
    return named


def write_library_of(
    program: ExportedProgram,
    options: Options,
    file: BinaryIO,
    weights: BinaryIO | None = None,
    moved: Mapping[str, torch.Tensor] | None = None,
    gpus: Sequence[NamedGpu] = (),
) -> int:
    """Writes a program's shared library, and the values of its parameters and buffers into `weights` if that is given; returns the type of
    device that it is for. `moved`: see `move_to_gpu`; `gpus`: those that it is for, in place of this machine's. Raises NotALibrary."""
    specs = _specs(program)
    exported = exported_graph(program, moved)
    static = [number for number, source in enumerate(exported.sources) if source < 0]
    made = GraphParts(keeps=KeptCode.LIBRARY)
    own = replace(options, fallback=False, cache=False, fuse_attention=False)  # the fused operator has no C function
    if exported.gpu is None and gpus:
        raise MlirindError("targets: the program's tensors are on the CPU; device='cuda' makes a library for GPUs")
    if exported.gpu is not None:
        made.gpu = gpus[0] if gpus else _gpu_at_hand(exported.gpu)
    try:
        with torch.no_grad():
            compile_graph(exported.graph_module, own, "library", static, (), made)
    except UnsupportedGraph as unsupported:
        at = f" ({unsupported.at})" if unsupported.at else ""
        raise NotALibrary(f"{unsupported}{at}") from unsupported
    if not made.done or made.native is None:
        raise NotALibrary("a graph with sizes that come from data, with control flow or other calls that Python makes")
    if made.conditions:
        raise NotALibrary(f"the code would need conditions on sizes: {' and '.join(made.conditions)}; narrow the bounds of dynamic_shapes")
    lifted = [
        ExportedConstant(f"_constant_{n}", TENSOR_CONSTANT, t.detach(), False, DEVICE_TYPES[t.device.type])
        for n, t in enumerate(made.constants)
    ]
    listed = len(exported.constants)
    sources = [*exported.sources, *(-1 - listed - n for n in range(len(lifted)))]
    names: set[str] = set()
    constants, blob = _blob(exported.constants if weights else [*exported.constants, *lifted], names)
    beside = None
    if weights and constants:
        beside = _write_weights(weights, constants, blob)
    if weights:
        more, blob = _blob(lifted, names)
        constants += more
    _check_aliases(exported)
    type_ = CPU if exported.gpu is None else CUDA
    inside = (tuple(constants), listed, tuple(sources), len(exported.symbols))
    outline = LibraryInterface(tuple(exported.inputs), tuple(exported.outputs), *inside, *specs, beside, type_)
    capabilities = [gpu.number for gpu in gpus] if gpus or made.gpu is None else [made.gpu.capability(0)]
    write_library(made.native, outline, blob, file, capabilities)
    return type_


def _gpu_at_hand(device: torch.device) -> NamedGpu:
    """The machine's GPU. Raises MlirindError if there is none."""
    if not torch.cuda.is_available():
        raise MlirindError("this machine has no GPU: name those that the library is for, such as targets=['sm_80', 'sm_90']")
    capability, properties = torch.cuda.get_device_capability(device), torch.cuda.get_device_properties(device)
    return NamedGpu(10 * capability[0] + capability[1], GpuTarget(properties.multi_processor_count, properties.L2_cache_size))


def _write_weights(file: BinaryIO, constants: Sequence[Constant], blob: Sequence[Buffer]) -> WeightsFile:
    """Writes the file beside a library: values, and 8 bytes that stand for the names and layouts of the constants."""
    layouts = [(c.name, c.dtype, c.sizes, c.strides, c.offset) for c in constants]
    (identity,) = struct.unpack("<q", hashlib.blake2b(json.dumps(layouts).encode(), digest_size=8).digest())
    for piece in blob:
        file.write(piece)
    file.write(struct.pack("<q", identity))
    return WeightsFile(sum(map(len, blob)) + 8, identity)


def _specs(program: ExportedProgram) -> tuple[str, str]:
    """The structure of arguments and results, as texts."""
    call = program.call_spec
    if treespec_dumps is None:
        raise NotALibrary("this PyTorch does not write the structure of arguments")
    try:
        return treespec_dumps(call.in_spec), treespec_dumps(call.out_spec)
    except NotImplementedError as error:
        raise NotALibrary(f"the structure of arguments or results: {error}") from error


def _check_aliases(exported: ExportedGraph) -> None:
    """Raises NotALibrary if a written tensor shares memory with another constant: in the library each has its own."""
    storages = [c.tensor.untyped_storage().data_ptr() for c in exported.constants if c.tensor.numel()]
    for constant in exported.constants:
        if constant.written and storages.count(constant.tensor.untyped_storage().data_ptr()) > 1:
            raise NotALibrary(f"{constant.path} is written and shares memory with another tensor of the module")


def _blob(constants: Sequence[ExportedConstant], names: set[str]) -> tuple[list[Constant], list[Buffer]]:
    """The constants as a library describes them, and their bytes, piece by piece. Equal tensors in the same memory are written once.
    `names`: those that are taken."""
    described: list[Constant] = []
    pieces: list[Buffer] = []
    places: dict[tuple[int, int], int] = {}
    end = 0
    for constant in constants:
        content = _content(constant.tensor)
        key = (constant.tensor.data_ptr(), len(content))
        if constant.written or key not in places:
            places[key] = end
            pieces += [content, b"\0" * (-len(content) % _ALIGNMENT)]
            end += len(content) + len(pieces[-1])
        tensor = constant.tensor
        dtype = DTYPES[str(tensor.dtype).removeprefix("torch.")]
        described.append(
            Constant(
                _new_name(constant.path, names), constant.path, dtype, constant.kind, tuple(tensor.shape), tensor.stride(),
                places[key], tensor.numel() * tensor.element_size(), constant.written, constant.device,
            )
        )  # fmt: skip
    return described, pieces


def _content(tensor: torch.Tensor) -> Buffer:
    """The bytes from a tensor's first element to its last, in memory's order."""
    if tensor.numel() == 0:
        return b""
    extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    flat = tensor.as_strided((extent,), (1,))
    return memoryview(flat.cpu().view(torch.uint8).numpy())


def _new_name(path: str, names: set[str]) -> str:
    """The path as a C identifier that no other constant has."""
    base = re.sub(r"\W", "_", path)
    name, number = base, 1
    while name in names:
        name, number = f"{base}_{number}", number + 1
    names.add(name)
    return name


def _replace(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Writes a file under a name of this thread's own, then renames it: processes that have loaded the old file keep it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        with new.open("wb") as file:
            write(file)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _write_package(file: BinaryIO, library: Any, weights: Any, device: str) -> None:
    metadata = json.dumps({"AOTI_DEVICE_KEY": device})
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{_ROOT}/{_MODEL}.so", library)
        archive.writestr(f"{_ROOT}/{_MODEL}_metadata.json", metadata)
        archive.writestr(f"{_ROOT}/{_MODEL}.cpp", "// PyTorch 2.11 finds the metadata by the name of this file.\n")
        if weights:
            archive.writestr(f"{_ROOT}/{_MODEL}_weights.blob", weights)
        for name, text in _RECORDS.items():
            archive.writestr(f"{_ROOT}/{name}", text)
