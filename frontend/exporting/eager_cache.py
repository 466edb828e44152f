"""Libraries of eager operators on disk, in the form that PyTorch's holder reads: one JSON file for each operator, which lists the calls
that are compiled, each with its library.

A file is `<cache>/aoti_eager/<surroundings>/<namespace>/<device>/<operator>.json`, the libraries are in `lib/` beside it. The surroundings
are a checksum of what code depends on beside the call, options included. Each entry has the library's checksum: a damaged one is compiled
again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from ...disk_cache import cache_root, replace_file
from ...options import Options
from ...runtime.artifacts.folder import check_trusted, make_private
from ...runtime.artifacts.surroundings import of_moment, of_process

Metadata = list[dict[str, Any]]
# What the file says as text, and PyTorch's holder takes as objects.
_OBJECTS = ("dtype", "dtype_value", "layout_value")


def operators_folder(namespace: str, device: str, options: Options) -> Path:
    """The folder of a namespace's operators that are compiled with these options; it need not exist."""
    moment = {name: value for name, value in of_moment().items() if name != "modes"}
    surroundings = hashlib.sha256(json.dumps([of_process(), moment, str(options)], sort_keys=True).encode()).hexdigest()
    return cache_root() / "aoti_eager" / surroundings[:16] / namespace / device


def find_library(directory: Path, operator: str, metadata: Metadata) -> str | None:
    """The path of the library for a call, None if there is no sound one. Raises UntrustedFolder, OSError."""
    return next((str(path) for known, path in _sound(directory, operator) if known == metadata), None)


def known_calls(directory: Path, operator: str) -> list[dict[str, Any]]:
    """All calls of an operator that have sound libraries, for PyTorch's holder. Raises UntrustedFolder, OSError."""
    return [{"meta_info": list(map(_as_objects, known)), "kernel_path": str(path)} for known, path in _sound(directory, operator)]


def add_library(directory: Path, operator: str, metadata: Metadata, library: bytes) -> str:
    """Writes the library for a call and lists it. Returns its path. Raises UntrustedFolder, OSError."""
    libraries = directory / "lib"
    make_private(libraries)
    check_trusted(libraries)
    digest = hashlib.sha256(library).hexdigest()
    path = libraries / f"{operator}.{digest[:32]}.so"
    if not path.exists() or path.read_bytes() != library:
        replace_file(path, library)
    with _locked(directory, operator):
        entries = [entry for entry in _entries(directory, operator) if entry["meta_info"] != metadata]
        entries.append({"meta_info": metadata, "kernel_path": f"lib/{path.name}", "sha256": digest})
        replace_file(directory / f"{operator}.json", json.dumps(entries, indent=4).encode())
    return str(path)


@contextlib.contextmanager
def _locked(directory: Path, operator: str) -> Iterator[None]:
    with (directory / f"{operator}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _entries(directory: Path, operator: str) -> list[dict[str, Any]]:
    """The entries of an operator's file that have the right form."""
    try:
        found = json.loads((directory / f"{operator}.json").read_bytes())
    except (OSError, ValueError):
        return []
    forms = {"meta_info": list, "kernel_path": str, "sha256": str}
    listed = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    return [entry for entry in listed if all(isinstance(entry.get(name), form) for name, form in forms.items())]


def _sound(directory: Path, operator: str) -> Iterator[tuple[Metadata, Path]]:
    """The entries whose libraries are what was written."""
    entries = _entries(directory, operator)
    if entries:
        check_trusted(directory)
        check_trusted(directory / "lib")
    for entry in entries:
        path = directory / "lib" / Path(entry["kernel_path"]).name
        with contextlib.suppress(OSError):
            if not path.is_symlink() and hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]:
                yield entry["meta_info"], path


def _as_objects(metadata: dict[str, Any]) -> dict[str, Any]:
    made = {name: getattr(torch, value.rpartition(".")[2]) if name in _OBJECTS else value for name, value in metadata.items()}
    if "tensor_list" in made:
        made["tensor_list"] = list(map(_as_objects, made["tensor_list"]))
    return made
