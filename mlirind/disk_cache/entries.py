"""Reads and writes entries for those that go on without them: what can't be read or written is made again."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from . import folder
from .container import DamagedEntry, pack_entry, unpack_entry
from .folder import UntrustedFolder

log = logging.getLogger(__name__)


def load_entry(kind: str, key: str) -> tuple[dict[str, Any], list[bytes]] | None:
    """The header and the pieces of an entry; None if there is none that can be used. A damaged one is removed."""
    try:
        content = folder.read(key, kind)
        return None if content is None else unpack_entry(key, content)
    except DamagedEntry as error:
        drop_entry(kind, key, error)
    except (UntrustedFolder, OSError) as error:
        log.debug("%s: %s can't be read: %s", kind, key, error)
    return None


def drop_entry(kind: str, key: str, error: Exception) -> None:
    """Removes an entry that can't be used."""
    log.debug("%s: %s can't be used: %s", kind, key, error)
    folder.remove_file(key, kind)


def keep_entry(kind: str, key: str, header: dict[str, Any], pieces: Sequence[bytes] = ()) -> None:
    """Writes an entry, if that is possible. `header`: what JSON can hold."""
    try:
        folder.write(key, pack_entry(key, header, pieces), kind)
    except (UntrustedFolder, OSError) as error:
        log.debug("%s: %s can't be written: %s", kind, key, error)
