"""Numbers as people read them."""

from __future__ import annotations


def byte_text(count: float) -> str:
    """`51.5 kB`, in powers of 1000."""
    return _scaled(count, ("B", "kB", "MB", "GB", "TB"))


def flop_text(count: float | None) -> str:
    """`1.2 M`; `?` for an unknown number."""
    return "?" if count is None else _scaled(count, ("", "k", "M", "G", "T")).rstrip()


def time_text(seconds: float | None) -> str:
    """`12.3 ms`; nothing for an unknown time."""
    if seconds is None:
        return ""
    return _scaled(seconds * 1e6, ("µs", "ms", "s")) if seconds else "0"


def short_path(path: str) -> str:
    """A path, inside `site-packages` from there on."""
    return path.rpartition("/site-packages/")[2]


def without_folder(line: str) -> str:
    """`model.py:12: text` of `/home/me/model.py:12: text`"""
    path, colon, rest = line.partition(":")
    return path.rpartition("/")[2] + colon + rest


def _scaled(value: float, units: tuple[str, ...]) -> str:
    last = len(units) - 1
    number = 0
    while value >= 1000 and number < last:
        value, number = value / 1000, number + 1
    return f"{value:.0f} {units[number]}" if value >= 100 or (number == 0 and value == int(value)) else f"{value:.3g} {units[number]}"
