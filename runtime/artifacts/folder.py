"""The folder of cached graphs. Code from it is executed, so it is used only if no other user can write to it.

Files are written under another name and renamed, so that a reader finds a whole file or none. If the files are larger than the limit, those
that were used longest ago are removed.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...disk_cache import cache_root, replace_file
from .container import DamagedEntry, unpack_entry

log = logging.getLogger(__name__)

LIMIT = 1 << 30  # bytes, unless MLIRIND_CACHE_SIZE says something else
_KEPT = 0.9  # of the limit, after files were removed
_ABANDONED = 3600  # seconds: a temporary file that is older is no longer written
_NAME, _TEMPORARY = re.compile(r"[0-9a-f]{64}"), ".writing-"


class UntrustedFolder(Exception):
    """Another user can write to the folder, to a file in it, or to one of its parents."""


@dataclass(frozen=True)
class CachedFile:
    """A file of the cache: its key, its bytes, and when it was last used, in seconds since 1970."""

    path: Path
    size: int
    used: float

    @property
    def key(self) -> str:
        """The key."""
        return self.path.name


def folder() -> Path:
    """The folder of cached graphs; it need not exist."""
    return cache_root() / "graphs"


def limit() -> int:
    """The bytes that the files may have together: MLIRIND_CACHE_SIZE, else 1 GiB."""
    given = os.environ.get("MLIRIND_CACHE_SIZE", "")
    return int(given) if given.isdecimal() else LIMIT


def is_key(name: str) -> bool:
    """Whether a file with this name is an entry."""
    return _NAME.fullmatch(name) is not None


def read(key: str, directory: Path | None = None) -> bytes | None:
    """The content of a file, None if there is none. `directory`: by default that of graphs. Raises UntrustedFolder, OSError."""
    path = (directory or folder()) / key
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)  # the last: a pipe has no end
    except FileNotFoundError:
        return None
    try:
        check_trusted(path.parent)
        status = os.fstat(descriptor)
        _check(path, status)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "No regular file", str(path))
        if status.st_size > limit():  # nothing that `write` has made
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read()
    finally:
        os.close(descriptor)
    with contextlib.suppress(OSError):  # a folder that is read-only
        os.utime(path)
    return content


def write(key: str, content: bytes, directory: Path | None = None) -> None:
    """Writes a file, and removes the oldest graphs if there are too many. `directory`: by default that of graphs. Raises UntrustedFolder,
    OSError."""
    if len(content) > limit():
        return
    place = directory or folder()
    make_private(place)
    check_trusted(place)
    replace_file(place / key, content, _TEMPORARY)
    if directory is None:
        shrink()


def remove_file(key: str) -> None:
    """Removes a file, if that is possible."""
    with contextlib.suppress(OSError):
        (folder() / key).unlink(missing_ok=True)


def cached_files() -> Iterator[CachedFile]:
    """The files, in any order."""
    for path, status in _files():
        if _NAME.fullmatch(path.name):
            yield CachedFile(path, status.st_size, status.st_mtime)


def clear() -> int:
    """Removes all files; returns their number."""
    removed = [entry.key for entry in cached_files()]
    for key in removed:
        remove_file(key)
    return len(removed)


def verify() -> dict[str, str]:
    """The damaged files by key, with the reason. Raises UntrustedFolder."""
    found = {}
    for entry in cached_files():
        try:
            content = read(entry.key)
            if content is not None:
                unpack_entry(entry.key, content)
        except (DamagedEntry, OSError) as error:
            found[entry.key] = str(error)
    return found


def shrink() -> None:
    """Removes the files that were used longest ago until all are within the limit, and what interrupted writers left."""
    found = sorted(cached_files(), key=lambda entry: entry.used)
    total = sum(entry.size for entry in found)
    if total > limit():
        for entry in found:
            if total <= limit() * _KEPT:
                break
            remove_file(entry.key)
            total -= entry.size
    for path, status in _files():
        if path.name.startswith(_TEMPORARY) and abs(time.time() - status.st_mtime) > _ABANDONED:
            remove_file(path.name)


def check_trusted(directory: Path) -> None:
    """Raises UntrustedFolder if another user can write to the folder or replace it."""
    _check(directory, directory.lstat())
    for parent in directory.resolve().parents:
        status = parent.stat()
        shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if status.st_uid not in (0, os.geteuid()) or (shared and not status.st_mode & stat.S_ISVTX):
            raise UntrustedFolder(f"another user can replace folders in {parent}")


def _check(path: Path, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise UntrustedFolder(f"{path} is a symbolic link")
    if status.st_uid != os.geteuid():
        raise UntrustedFolder(f"another user owns {path}")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UntrustedFolder(f"other users can write to {path}: chmod go-w {path}")


def make_private(directory: Path) -> None:
    """Makes the folder and its missing parents, for this user alone."""
    missing = [directory, *directory.parents]
    for path in reversed([p for p in missing if not p.exists()]):
        path.mkdir(mode=0o700, exist_ok=True)


def _files() -> Iterator[tuple[Path, os.stat_result]]:
    try:
        paths = list(folder().iterdir())
    except FileNotFoundError:
        return
    for path in paths:
        with contextlib.suppress(OSError):  # another process removed it
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                yield path, status
