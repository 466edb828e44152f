"""What generated code depends on beside graph and options: versions, the project's own files, the processor, settings of PyTorch."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import sympy
import torch

from ...torch_internals.c_numbers import numbers_hold
from ...torch_internals.entries import missing
from ...torch_internals.python_objects import memory_offsets, objects_are_known, views_switch
from ...triton_settings import TRITON_OPTIONS, triton_variables, triton_version

_FILES = (".py", ".mlir")
_TORCH = Path(torch.__file__).parent / "lib"
# Where PyTorch's Python code for tracing is.
_TRACING = (
    "_functorch", "_decomp", "_prims", "_prims_common", "_refs", "_subclasses", "_higher_order_ops", "_dispatch", "_library", "fx",
    "_dynamo/_trace_wrapped_higher_order_op.py", "autograd", "nn/functional.py", "functional.py", "_meta_registrations.py", "_ops.py",
    "_tensor.py", "utils/_python_dispatch.py",
)  # fmt: skip
_PARTS = ("mlirind", "mlirind.frontend", "mlirind.dialects", "mlirind.passes", "mlirind.lowering", "mlirind.runtime")
# Variables that change which kernels PyTorch's libraries use, which some rules probe.
_VARIABLES = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ONEDNN_CPU_ISA_HINTS", "MKL_ENABLE_INSTRUCTIONS")
# Variables that PyTorch reads while it traces.
_TRACING_VARIABLES = ("FAKE_ALLOW_META", "PYTORCH_JIT", "TORCH_COMPILE_GRAPH_FORMAT")
# Settings of matrix products on GPUs, and variables by which PyTorch's libraries choose kernels there.
_PRODUCTS = ("allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction", "allow_fp16_accumulation")
_CUDA_VARIABLES = ("CUBLAS_WORKSPACE_CONFIG", "CUBLASLT_WORKSPACE_SIZE", "TORCH_BLAS_PREFER_CUBLASLT", "NVIDIA_TF32_OVERRIDE")
_PROCESSOR = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")


@functools.cache
def sources() -> tuple[str, str]:
    """A checksum of the project's own files, and one of their sizes and times, both of the first call."""
    times = source_times()
    digest = hashlib.sha256()
    for folder, path in _paths():
        content = Path(path).read_bytes()
        digest.update(f"{path.removeprefix(folder)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest(), times


def sources_changed() -> bool:
    """Whether the project's own files have changed since `sources` read them. Then a key may be that of newer code than was imported."""
    return source_times() != sources()[1]


def source_times() -> str:
    """A checksum of the sizes and times of the project's own files now."""
    digest = hashlib.sha256()
    for _, path in _paths():
        status = os.stat(path)  # noqa: PTH116  (half the time of Path.stat, for 400 files)
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}\n".encode())
    return digest.hexdigest()


def _paths() -> Iterator[tuple[str, str]]:
    """The folders of the package's parts, each with the files in it, in an order that does not depend on the file system."""
    for folder in map(str, _folders()):
        found = [os.path.join(directory, name) for directory, _, names in os.walk(folder) for name in names if name.endswith(_FILES)]  # noqa: PTH118
        yield from ((folder, path) for path in sorted(found))


def _folders() -> Iterable[Path]:
    """The folders of the package's parts, which may lie apart."""
    found: list[Path] = []
    for name in _PARTS:
        spec = importlib.util.find_spec(name)
        for directory in map(Path, (spec.submodule_search_locations or ()) if spec is not None else ()):
            if not any(directory.is_relative_to(other) for other in found):
                found.append(directory)
    return found


@functools.cache
def of_process() -> dict[str, Any]:
    """What stays the same in a process."""
    return {
        "mlirind": sources()[0],
        "torch": [torch.__version__, torch.version.git_version, torch.__config__.show(), *_library(_TORCH, "*.so")],
        "mlir": _mlir(),
        "python": [sys.version, sys.implementation.cache_tag],
        "libc": [os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else None, platform.machine()],
        "processor": _processor(),
        "variables": [os.environ.get(name) for name in _VARIABLES],
        "facts": [numbers_hold(), objects_are_known(), memory_offsets(), bool(any(views_switch()))],
    }


@functools.cache
def of_tracing() -> list[Any]:
    """PyTorch's Python files that trace graphs and decompose operators, by their sizes and times; versions of what they import."""
    digest = hashlib.sha256()
    for name in _TRACING:
        found = [_TORCH.parent / name] if name.endswith(".py") else sorted((_TORCH.parent / name).rglob("*.py"))
        for path in found:
            status = path.stat()
            digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return [digest.hexdigest(), sympy.__version__, [os.environ.get(name) for name in _TRACING_VARIABLES]]


def of_moment() -> dict[str, Any]:
    """What a program may change between two compilations."""
    return {
        "default dtype": str(torch.get_default_dtype()),
        "deterministic": [torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()],
        "mkldnn": [getattr(torch.backends.mkldnn, name, None) for name in ("enabled", "deterministic", "fp32_precision")],
        "precision": torch.get_float32_matmul_precision(),
        "modes": [torch.is_grad_enabled(), torch.is_inference_mode_enabled()],
        "capability": torch.backends.cpu.get_cpu_capability(),
        "missing": sorted(entry.name for entry in missing()),
    }


def of_gpus(numbers: Iterable[int]) -> dict[str, Any]:
    """What the code of graphs on these GPUs depends on."""
    from ..cuda.launching import driver  # not needed on the CPU

    gpu, cudnn, products = driver.driver(), torch.backends.cudnn, torch.backends.cuda.matmul
    return {
        "devices": [[number, *gpu.facts(number)] for number in sorted(numbers)],
        "current device": torch.cuda.current_device() if torch.cuda.is_initialized() else 0,
        "triton": [triton_version(), *_triton()],
        "triton's settings": [TRITON_OPTIONS, triton_variables()],
        "cuda": [torch.version.cuda, cudnn.version()],
        "cudnn": [cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32],
        "products": [str(getattr(products, name, None)) for name in _PRODUCTS],
        "libraries": [str(torch.backends.cuda.preferred_blas_library()), str(torch.backends.cuda.preferred_linalg_library())],
        "variables": [os.environ.get(name) for name in _CUDA_VARIABLES],
    }


@functools.cache
def _triton() -> list[Any]:
    """Triton's compiler and its assembler by their sizes and times; Triton is not imported."""
    spec = importlib.util.find_spec("triton")
    directories = (spec.submodule_search_locations or ()) if spec is not None else ()
    patterns = ("_C/libtriton*.so", "backends/nvidia/bin/ptxas*", "backends/nvidia/lib/*.bc")
    return [entry for directory in directories for pattern in patterns for entry in _library(Path(directory), pattern)]


def _library(folder: Path, pattern: str) -> list[Any]:
    """The names, sizes and times of libraries."""
    found = sorted(folder.glob(pattern))
    return [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in found]


def _mlir() -> list[Any]:
    spec = importlib.util.find_spec("torch_mlir")
    directories = (spec.submodule_search_locations or ()) if spec is not None else ()
    return [entry for directory in directories for entry in _library(Path(directory, "_mlir_libs"), "*.so*")]


def _processor() -> dict[str, str]:
    """What Linux says of the first processor."""
    path = Path("/proc/cpuinfo")
    found: dict[str, str] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        name, _, value = line.partition(":")
        if name.strip() in _PROCESSOR:
            found.setdefault(name.strip(), value.strip())
    return found
