"""A file of the cache: a header in JSON and pieces of bytes, with a checksum. Nothing in it is executed while it is read."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from typing import Any

_MAGIC = b"mlirind\x01"  # the last byte is the version of the format
_LENGTH = struct.Struct("<Q")
_DIGEST = hashlib.sha256().digest_size


class DamagedEntry(Exception):
    """A file of the cache that is cut short, changed, of another format or of another key."""


def pack_entry(key: str, header: dict[str, Any], pieces: Sequence[bytes]) -> bytes:
    """The content of a file. `header`: what JSON can hold."""
    text = json.dumps({"key": key, "header": header, "sizes": [len(piece) for piece in pieces]}).encode()
    content = b"".join([_MAGIC, _LENGTH.pack(len(text)), text, *pieces])
    return content + hashlib.sha256(content).digest()


def unpack_entry(key: str, content: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The header and the pieces. Raises DamagedEntry."""
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if not body.startswith(_MAGIC) or hashlib.sha256(body).digest() != digest:
        raise DamagedEntry("the checksum is wrong")
    try:
        (length,) = _LENGTH.unpack_from(body, len(_MAGIC))
        start = len(_MAGIC) + _LENGTH.size + length
        read = json.loads(body[start - length : start])
        found, header, sizes = read["key"], read["header"], read["sizes"]
    except (struct.error, ValueError, KeyError, TypeError) as error:
        raise DamagedEntry(f"the header is wrong: {error}") from error
    if found != key:
        raise DamagedEntry("it is of another key")
    pieces = []
    for size in sizes:
        pieces.append(body[start : start + size])
        start += size
    if start != len(body):
        raise DamagedEntry("its pieces have other sizes")
    return header, pieces
