"""Libraries of eager operators on disk, in the form that PyTorch's holder reads: one JSON file for each operator, which lists the calls
that are compiled, each with its library.

A file is `<cache>/aoti_eager/<surroundings>/<namespace>/<device>/<operator>.json`, the libraries are in `lib/` beside it. The surroundings
are a checksum of what code depends on beside the call, options included. Each entry has the library's checksum and its own: a damaged one
is compiled again. Libraries count for the cache's limit, and may be removed.
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

from ...disk_cache import folder
from ...disk_cache.folder import TEMPORARY, check_trusted, make_private, note_use, note_written
from ...disk_cache.root import replace_file
from ...options import Options
from ...runtime.artifacts.surroundings import of_moment, of_process

Metadata = list[dict[str, Any]]
# What the file says as text, and PyTorch's holder takes as objects.
_OBJECTS = ("dtype", "dtype_value", "layout_value")


def operators_folder(namespace: str, device: str, options: Options) -> Path:
    """The folder of a namespace's operators that are compiled with these options; it need not exist."""
    moment = {name: value for name, value in of_moment().items() if name != "modes"}
    surroundings = hashlib.sha256(json.dumps([of_process(), moment, str(options)], sort_keys=True).encode()).hexdigest()
    return folder.folder(folder.LIBRARIES) / surroundings[:16] / namespace / device


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
        replace_file(path, library, TEMPORARY)
        note_written(len(library))
    with _locked(directory, operator):
        known = [entry for entry in _entries(directory, operator) if (libraries / Path(entry["kernel_path"]).name).exists()]
        entries = [entry for entry in known if entry["meta_info"] != metadata]
        entries.append({"meta_info": metadata, "kernel_path": f"lib/{path.name}", "sha256": digest})
        entries = [{**entry, "checksum": _entry_checksum(entry)} for entry in entries]
        replace_file(directory / f"{operator}.json", json.dumps(entries, indent=4).encode(), TEMPORARY)
    return str(path)


@contextlib.contextmanager
def _locked(directory: Path, operator: str) -> Iterator[None]:
    with (directory / f"{operator}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _entries(directory: Path, operator: str) -> list[dict[str, Any]]:
    """The entries of an operator's file that are what was written, without their checksums."""
    try:
        found = json.loads((directory / f"{operator}.json").read_bytes())
    except (OSError, ValueError):
        return []
    listed = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    return [entry for entry in listed if entry.pop("checksum", None) == _entry_checksum(entry)]


def _entry_checksum(entry: dict[str, Any]) -> str:
    """The checksum of an entry: of the call's metadata, the path and the library's checksum."""
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()


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
                note_use(path)
                yield entry["meta_info"], path


def _as_objects(metadata: dict[str, Any]) -> dict[str, Any]:
    made = {name: getattr(torch, value.rpartition(".")[2]) if name in _OBJECTS else value for name, value in metadata.items()}
    if "tensor_list" in made:
        made["tensor_list"] = list(map(_as_objects, made["tensor_list"]))
    return made
