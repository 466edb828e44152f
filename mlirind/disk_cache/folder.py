"""The files of the cache. What they hold is executed or trusted, so a folder is used only if no other user can write to it.

Files are written under another name and renamed, so that a reader finds a whole file or none. If all files together are larger than the
limit, those that were used longest ago are removed, of whatever kind.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .container import DamagedEntry, unpack_entry
from .root import cache_root, replace_file

log = logging.getLogger(__name__)

GRAPHS, CUBINS, TUNED, PATTERNS = "graphs", "cubins", "tuned", "patterns"
OPERATORS, WRAPPERS = "operators", "wrappers"  # the table of operators, and what is known of AOTAutograd's wrappers
KINDS = (GRAPHS, CUBINS, TUNED, PATTERNS, OPERATORS, WRAPPERS)  # of entries: `<kind>/<key>`
LIBRARIES = "aoti_eager"  # the kind of libraries of eager operators: `aoti_eager/.../lib/<operator>.<checksum>.so`

LIMIT = 1 << 30  # bytes, unless MLIRIND_CACHE_SIZE says something else
TEMPORARY = ".writing-"  # begins the names of files that are being written
_KEPT = 0.9  # of the limit, after files were removed
_ABANDONED = 3600  # seconds: a temporary file that is older is no longer written
# All files are listed if this process has written this share of the limit, or after this many seconds: listing them for each file would
# take longer than writing it.
_UNLISTED_SHARE, _UNLISTED_SECONDS = 0.01, 5.0
_NAME, _LIBRARY = re.compile(r"[0-9a-f]{64}"), re.compile(r".+\.([0-9a-f]{32})\.so")


class UntrustedFolder(Exception):
    """Another user can write to the folder, to a file in it, or to one of its parents."""


@dataclass(frozen=True)
class CachedFile:
    """A file of the cache: its kind, its bytes, and when it was last used, in seconds since 1970."""

    kind: str
    path: Path
    size: int
    used: float

    @property
    def key(self) -> str:
        """The key."""
        return self.path.name


def folder(kind: str = GRAPHS) -> Path:
    """The folder of the files of a kind; it need not exist."""
    return cache_root() / kind


def limit() -> int:
    """The bytes that all files may have together: MLIRIND_CACHE_SIZE, else 1 GiB."""
    given = os.environ.get("MLIRIND_CACHE_SIZE", "")
    return int(given) if given.isdecimal() else LIMIT


def is_key(name: str) -> bool:
    """Whether a file with this name is an entry."""
    return _NAME.fullmatch(name) is not None


def read(key: str, kind: str = GRAPHS) -> bytes | None:
    """The content of a file, None if there is none. Raises UntrustedFolder, OSError."""
    path = folder(kind) / key
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
    note_use(path)
    return content


def write(key: str, content: bytes, kind: str = GRAPHS) -> None:
    """Writes a file, and removes the oldest ones if all are too large. Raises UntrustedFolder, OSError."""
    if len(content) > limit():
        return
    place = folder(kind)
    make_private(place)
    check_trusted(place)
    replace_file(place / key, content, TEMPORARY)
    note_written(len(content))


def note_use(path: Path) -> None:
    """Makes a file the one that was used last."""
    with contextlib.suppress(OSError):  # a folder that is read-only
        os.utime(path)


def remove_file(key: str, kind: str = GRAPHS) -> None:
    """Removes a file, if that is possible."""
    _remove(folder(kind) / key)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def cached_files(kind: str = GRAPHS) -> Iterator[CachedFile]:
    """The files of a kind, in any order."""
    for path, status in _files(kind):
        if (_LIBRARY if kind == LIBRARIES else _NAME).fullmatch(path.name):
            yield CachedFile(kind, path, status.st_size, status.st_mtime)


def all_files() -> Iterator[CachedFile]:
    """The files of all kinds."""
    for kind in (*KINDS, LIBRARIES):
        yield from cached_files(kind)


def clear() -> int:
    """Removes all files; returns their number."""
    removed = list(all_files())
    for entry in removed:
        _remove(entry.path)
    return len(removed)


def verify(kind: str = GRAPHS) -> dict[str, str]:
    """The damaged files of a kind by name, with the reason. Raises UntrustedFolder."""
    found = {}
    for entry in cached_files(kind):
        try:
            if kind == LIBRARIES:
                _verify_library(entry.path)
                continue
            content = read(entry.key, kind)
            if content is not None:
                unpack_entry(entry.key, content)
        except (DamagedEntry, OSError) as error:
            found[entry.key] = str(error)
    return found


def _verify_library(path: Path) -> None:
    known = _LIBRARY.fullmatch(path.name)
    if known is None or not hashlib.sha256(path.read_bytes()).hexdigest().startswith(known[1]):
        raise DamagedEntry("the checksum is wrong")


@dataclass
class _Listing:
    """What is known of the size of a cache: the bytes of its files when they were listed, when that was, and what was written since."""

    total: int
    time: float
    written: int = 0


_listings: dict[Path, _Listing] = {}


def note_written(size: int) -> None:
    """Notes that a file of this size was written; removes the oldest files if all may be too large."""
    known = _listings.get(cache_root())
    if known is not None:
        known.written += size
        is_recent = time.monotonic() - known.time < _UNLISTED_SECONDS and known.written <= limit() * _UNLISTED_SHARE
        if is_recent and known.total + known.written <= limit():
            return
    shrink()


def shrink() -> None:
    """Removes the files that were used longest ago until all are within the limit, and what interrupted writers left."""
    found = sorted(all_files(), key=lambda entry: entry.used)
    total = sum(entry.size for entry in found)
    if total > limit():
        for entry in found:
            if total <= limit() * _KEPT:
                break
            _remove(entry.path)
            total -= entry.size
    for kind in (*KINDS, LIBRARIES):
        for path, status in _files(kind):
            if path.name.startswith(TEMPORARY) and abs(time.time() - status.st_mtime) > _ABANDONED:
                _remove(path)
    _listings[cache_root()] = _Listing(total, time.monotonic())


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


def _files(kind: str) -> Iterator[tuple[Path, os.stat_result]]:
    """The regular files of a kind, temporary ones too. None if the folder is not this user's alone: what is in it may be somebody's."""
    top = folder(kind)
    try:
        _check(top, top.lstat())
        found = list(_library_files(top)) if kind == LIBRARIES else list(top.iterdir())
    except (UntrustedFolder, OSError):
        return
    for path in found:
        with contextlib.suppress(OSError):  # another process removed it
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                yield path, status


def _library_files(top: Path) -> Iterator[Path]:
    for directory, _, names in os.walk(top):  # follows no links
        if Path(directory).name == "lib":
            yield from (Path(directory, name) for name in names)
