"""The order of groups of kernels, and the readers of each tensor, while groups are merged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .fusion_groups import Group


class Order:
    """The order of groups. `groups`: by number, the group itself, or one into which it was merged (`group` finds the last one)."""

    def __init__(self) -> None:
        self.groups: list[Group] = []

    def group(self, number: int) -> Group:
        """The group that has the nodes of group `number` now."""
        found = self.groups[number]
        while found.number != number:
            number, found = found.number, self.groups[found.number]
        return found

    def add(self, group: Group, before: Collection[Group]) -> None:
        """Adds a group, with the next number, that needs the groups `before`."""
        self.groups.append(group)
        for other in before:
            group.ancestors |= other.ancestors | 1 << other.number
            group.before.add(other.number)
            other.after.add(group.number)

    def would_cycle(self, a: Group, b: Group) -> bool:
        """Whether a third group runs between the two."""
        return self._is_between(a, b) or self._is_between(b, a)

    def _is_between(self, first: Group, second: Group) -> bool:
        if not second.ancestors >> first.number & 1:
            return False
        if len(first.after) < len(second.before):
            after = {self.group(n).number for n in first.after} - {first.number, second.number}
            return any(second.ancestors >> number & 1 for number in after)
        before = {self.group(n).number for n in second.before} - {first.number, second.number}
        return any(self.groups[number].ancestors >> first.number & 1 for number in before)

    def merge(self, later: Group, earlier: Group) -> None:
        """Merges: `earlier` has the nodes of both; the later one's number is no longer used."""
        own = 1 << earlier.number | 1 << later.number
        is_new = later.ancestors & ~(earlier.ancestors | own)
        behind_earlier, behind_later = earlier.after, later.after
        self.groups[later.number] = earlier
        earlier.ancestors = (earlier.ancestors | later.ancestors) & ~own
        earlier.before = _union(earlier.before, later.before)
        self._spread(earlier, behind_later)
        if is_new:
            self._spread(earlier, behind_earlier)
        earlier.after = _union(behind_earlier, behind_later)

    def run_before(self, first: Group, second: Group) -> None:
        """Makes the first group run before the second, which does not run before it yet."""
        first.after.add(second.number)
        second.before.add(first.number)
        self._spread(first, [second.number])

    def _spread(self, group: Group, after: Collection[int]) -> None:
        """Records for groups, and for those after them, that `group` runs before them."""
        waiting = [(group, after)]
        while waiting:
            first, numbers = waiting.pop()
            known = first.ancestors | 1 << first.number
            for other in {self.group(n) for n in numbers} - {first}:
                if known & ~other.ancestors:
                    other.ancestors |= known
                    waiting.append((other, other.after))


def _union(a: set[int], b: set[int]) -> set[int]:
    large, small = (a, b) if len(a) >= len(b) else (b, a)
    large |= small
    return large


class Readers:
    """The groups that read a tensor, in the order of the first reader of each."""

    def __init__(self) -> None:
        self._row: list[Group | None] = []
        self._positions: dict[Group, int] = {}

    def add(self, group: Group) -> None:
        """A new reader."""
        self._positions[group] = len(self._row)
        self._row.append(group)

    def replace(self, later: Group, earlier: Group) -> None:
        """Merges: `earlier` has the nodes of both."""
        position = self._positions.pop(later)
        known = self._positions.get(earlier, position)
        self._row[max(position, known)] = None
        self._positions[earlier] = min(position, known)
        self._row[min(position, known)] = earlier
        if len(self._row) > 2 * len(self._positions):
            self._row = [group for group in self._row if group is not None]
            self._positions = {group: n for n, group in enumerate(self._row) if group is not None}

    def latest_first(self) -> Iterator[Group]:
        """The groups, latest first."""
        return (group for group in reversed(self._row) if group is not None)
