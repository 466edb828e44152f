"""The remote tier of the cache of graphs: a Redis server that several machines share, through Redis's own client.

Others may write to the server, and object code, cubins and pickles in an entry are executed. So each value begins with an HMAC of key and
content under a secret that the user's machines share, and nothing of a value is read before that agrees. A server that fails or is slow
costs a timeout: then it is left alone for a while. The client's timeouts are for parts of an answer; one of ours is for the whole.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import logging
import os
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from ...disk_cache.folder import limit

log = logging.getLogger(__name__)

_MAGIC = b"mlirind-remote\x01"  # the last byte is the version of the format
_DIGEST = hashlib.sha256().digest_size
_PREFIX = "mlirind:graph:"  # begins the keys on the server
_SHORTEST_SECRET = 16  # characters
_KEPT = 30 * 24 * 3600  # seconds: the server forgets an entry this long after it was written
CONNECT_SECONDS, ANSWER_SECONDS = 1.0, 5.0  # timeouts of the client
WHOLE_SECONDS = 10.0  # for all of a question and its answer
SLOW_SECONDS = 2.0  # a server that takes longer is used no more for a while: compiling may be faster
PAUSE_SECONDS = 60.0  # after a failure, or a slow answer


class RemoteFailure(Exception):
    """The server can't be used; the message is the reason."""


class ForeignEntry(Exception):
    """A value that nobody with the secret wrote for this key."""


def remote_is_on() -> bool:
    """Whether the user names a server: MLIRIND_REMOTE_CACHE, a URL as `redis://host:6379/0`, `rediss://` or `unix://`."""
    return bool(os.environ.get("MLIRIND_REMOTE_CACHE"))


def fetch(key: str) -> bytes | None:
    """The content of an entry, None if the server has none, or is left alone after a failure. Raises RemoteFailure, ForeignEntry."""
    value = _asked(lambda client: _value_within_limit(client, _PREFIX + key))
    return None if value is None else _opened(key, value)


def put(key: str, content: bytes) -> None:
    """Writes an entry, unless the server is left alone after a failure. Raises RemoteFailure."""
    if len(content) <= limit():
        _asked(lambda client: client.set(_PREFIX + key, _sealed(key, content), ex=_KEPT))


def _value_within_limit(client: Any, name: str) -> bytes | None:
    from redis.exceptions import ResponseError

    try:
        size = client.strlen(name)
        if not size:
            return None
        if size > limit() + len(_MAGIC) + _DIGEST:
            raise ForeignEntry("an entry of the remote cache is larger than the limit")
        value: bytes = client.getrange(name, 0, size - 1)  # no more, should it grow in between
    except ResponseError as error:
        if "WRONGTYPE" in str(error):
            raise ForeignEntry("an entry of the remote cache is no string") from error
        raise
    return value


def _sealed(key: str, content: bytes) -> bytes:
    return b"".join([_MAGIC, _seal(key, content), content])


def _opened(key: str, value: bytes) -> bytes:
    start = len(_MAGIC) + _DIGEST
    content = value[start:]
    if not value.startswith(_MAGIC) or not hmac.compare_digest(value[len(_MAGIC) : start], _seal(key, content)):
        raise ForeignEntry("an entry of the remote cache has no valid signature")
    return content


def _seal(key: str, content: bytes) -> bytes:
    return hmac.digest(_secret(), _MAGIC + key.encode() + b"\0" + content, "sha256")


def _secret() -> bytes:
    secret = os.environ.get("MLIRIND_REMOTE_CACHE_SECRET", "")
    if len(secret) < _SHORTEST_SECRET:
        raise RemoteFailure(f"MLIRIND_REMOTE_CACHE_SECRET must have at least {_SHORTEST_SECRET} characters")
    return secret.encode()


# The connection, by URL, and until when each server is left alone.
_paused: dict[str, float] = {}


def _asked(question: Callable[[Any], Any]) -> Any:
    """What `question(client)` gives; None if the server is left alone."""
    _secret()
    url = os.environ["MLIRIND_REMOTE_CACHE"]
    if time.monotonic() < _paused.get(url, 0.0):
        return None
    try:
        import redis  # noqa: F401
    except ImportError as error:
        raise RemoteFailure("the client is missing: pip install redis") from error
    start = time.monotonic()
    try:
        found = _in_time(question, _client(url, os.getpid()))
    except (RemoteFailure, ForeignEntry):
        raise
    except Exception as error:  # of the client, of the connection, of the URL
        _paused[url] = time.monotonic() + PAUSE_SECONDS
        raise RemoteFailure(_without_password(f"{type(error).__name__}: {error}", url)) from error
    if time.monotonic() - start > SLOW_SECONDS:
        _paused[url] = time.monotonic() + PAUSE_SECONDS
        log.warning("the remote cache took more than %s seconds: it is left alone for %s", SLOW_SECONDS, PAUSE_SECONDS)
    return found


def _in_time(question: Callable[[Any], Any], client: Any) -> Any:
    """What `question(client)` gives. Raises TimeoutError if that takes too long: each byte of an answer may come in time, the last one
    never."""
    results: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            results.put((question(client), None))
        except Exception as error:  # raised in the other thread
            results.put((None, error))

    threading.Thread(target=ask, name="mlirind remote cache", daemon=True).start()
    try:
        found, error = results.get(timeout=WHOLE_SECONDS)
    except queue.Empty:
        client.connection_pool.disconnect()  # ends the thread
        raise TimeoutError(f"no whole answer in {WHOLE_SECONDS} seconds") from None
    if error is not None:
        raise error
    return found


@functools.lru_cache(maxsize=4)
def _client(url: str, process: int) -> Any:
    """The client for a server; a process that was forked makes its own."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    timeouts = {"socket_timeout": ANSWER_SECONDS} | ({} if url.startswith("unix:") else {"socket_connect_timeout": CONNECT_SECONDS})
    return Redis.from_url(url, retry=Retry(NoBackoff(), 0), decode_responses=False, **timeouts)


def _without_password(text: str, url: str) -> str:
    """The text without the user and the password in the URL."""
    for part in url.rpartition("@")[0].partition("://")[2].split(":"):
        text = text.replace(part, "...") if part else text
    return text
