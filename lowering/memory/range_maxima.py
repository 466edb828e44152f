"""A row of numbers in which ranges are raised and searched for their maximum, in time logarithmic in the row's length."""

from __future__ import annotations

from collections.abc import Sequence

_NOTHING = -(1 << 62)


class RangeMaxima:
    """A row of numbers, as a binary tree. A node holds the maximum below it, including what was added to all of them at once; the children
    of `n` are `2 * n` and `2 * n + 1`."""

    def __init__(self, numbers: Sequence[int]) -> None:
        # One leaf before the first number and one after the last, so that the borders of every range are outside of it.
        self._leaves = 1 << (len(numbers) + 1).bit_length()
        spare = self._leaves - 1 - len(numbers)
        self._most = [0] * self._leaves + [_NOTHING, *numbers] + [_NOTHING] * spare
        self._added = [0] * self._leaves * 2
        for position in range(self._leaves - 1, 0, -1):
            self._most[position] = max(self._most[2 * position], self._most[2 * position + 1])

    def add(self, first: int, end: int, amount: int) -> None:
        """Raises the numbers from `first` to before `end`."""
        if first >= end:
            return
        most, added = self._most, self._added
        left, right = first + self._leaves, end + 1 + self._leaves
        while left ^ right != 1:
            for position in ([] if left & 1 else [left + 1]) + ([right - 1] if right & 1 else []):
                most[position] += amount
                added[position] += amount
            left, right = left >> 1, right >> 1
            for position in (left, right):
                most[position] = max(most[2 * position], most[2 * position + 1]) + added[position]
        position = left >> 1
        while position:
            most[position] = max(most[2 * position], most[2 * position + 1]) + added[position]
            position >>= 1

    def largest(self, first: int, end: int, least: int = 0) -> int:
        """The maximum from `first` to before `end`; `least` if that is larger, or the range is empty."""
        if first >= end:
            return least
        most, added = self._most, self._added
        left, right = first + self._leaves, end + 1 + self._leaves
        on_left = on_right = _NOTHING
        while left ^ right != 1:
            if not left & 1:
                on_left = max(on_left, most[left + 1])
            if right & 1:
                on_right = max(on_right, most[right - 1])
            left, right = left >> 1, right >> 1
            on_left, on_right = on_left + added[left], on_right + added[right]
        found, position = max(on_left, on_right), left >> 1
        while position:
            found += added[position]
            position >>= 1
        return max(found, least)
