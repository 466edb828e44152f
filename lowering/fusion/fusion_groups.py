"""Which kernels share a loop nest: a kernel joins the group of a kernel that it reads from, or that reads the same tensors, if their
domains can be merged and no cycle results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from torch_mlir import ir

from ...passes.rewrite_limit import may_rewrite
from ...tuning.kernels import TUNING
from ..index import index_expr as ie
from ..index.index_expr import IndexExpr, Ranges
from ..index.index_substitution import evaluate, substitute_dims
from .fusion_domains import Domain, Link, dims_in, placed_dimensions, product
from .fusion_graph import FusionNode, Graph, dims_at
from .fusion_memory import LiveTensors
from .fusion_order import Order, Readers

Coordinates = tuple[IndexExpr, ...]


@dataclass(slots=True, eq=False)
class Group:
    """Nodes that become one kernel, or one node of another kind.

    `coordinates`: each member's dimensions in terms of the group's; `made` and `read`: the coordinates at which it makes and reads tensors;
    `before` and `after`: the numbers of the groups that it needs and that need it. Groups with these numbers may have been merged since:
    `Order.group` finds the present ones.
    """

    number: int
    extents: tuple[IndexExpr, ...] = ()
    reduced: frozenset[int] = frozenset()
    coordinates: dict[FusionNode, Coordinates] = field(default_factory=dict)
    made: dict[ir.Value, Coordinates] = field(default_factory=dict)
    read: dict[ir.Value, list[Coordinates]] = field(default_factory=dict)
    before: set[int] = field(default_factory=set)
    after: set[int] = field(default_factory=set)
    ancestors: int = 0  # a bit for each group that runs before it; some of these may have been merged since
    fusible: bool = False
    steps: int = 0
    device: str = ""

    @property
    def parallel(self) -> frozenset[int]:
        """The dimensions that are not reduced over."""
        return frozenset(range(len(self.extents))) - self.reduced


def estimate(expr: IndexExpr) -> int:
    """A size as a number, with estimates for symbols."""
    known = expr.constant
    return max(1, evaluate(expr, {v: TUNING.symbol_estimate for v in expr.variables()}) if known is None else known)


def coordinates_in(group: Group, node: FusionNode, dims: dict[int, IndexExpr]) -> Coordinates | None:
    """The coordinates at which `node` is computed for its result at `dims`. A reduction or scan is computed for the group's rows alone:
    None if `dims` names other rows."""
    count = len(node.body.extents)
    own = group.coordinates.get(node)
    if not node.body.reduced and not node.scans:
        return tuple(dims[d] for d in range(count))
    if own is None:
        return None
    free = node.body.reduced if not node.scans else frozenset()
    if any(dims[d] != own[d] for d in dims if d not in free):
        return None
    return tuple(dims.get(d, own[d]) for d in range(count))


class Grouping:
    """All groups of a graph. `group_of` maps a node to its group."""

    def __init__(self, graph: Graph, memory: LiveTensors) -> None:
        self.graph, self.memory = graph, memory
        self.order = Order()
        self.group_of: dict[FusionNode, Group] = {}
        self.readers: dict[ir.Value, Readers] = {}
        self.points: list[Group] = []  # groups of one point
        self.refusals: list[tuple[FusionNode, FusionNode, str]] = []  # a member of each of two groups, and why these were not merged
        for node in graph.nodes:
            self._add(node)

    def _add(self, node: FusionNode) -> None:
        own = self._new_group(node)
        if not own.fusible:
            return
        for group in self._candidates(node):
            current = self.group_of[node]
            if group is not current and group.fusible and self.order.group(group.number) is group:
                self._try_merge(current, group)

    def _new_group(self, node: FusionNode) -> Group:
        group = Group(len(self.order.groups))
        self.group_of[node] = group
        self.order.add(group, {self.group_of[other] for other in node.before})
        kernel = node.kernel
        group.coordinates[node] = ()
        if kernel is None:
            return group
        group.extents, group.reduced = tuple(kernel.extents), kernel.reduced
        group.coordinates[node] = tuple(ie.dim(d) for d in range(len(kernel.extents)))
        group.made = {node.op.results[n]: store.coords for n, store in node.stores.items()}
        group.fusible = node.fusible and not node.scans
        group.steps = len(kernel.steps)
        group.device = node.device
        for source in node.sources.values():
            coords = group.read.setdefault(source.value, [])
            coords += [] if source.coords in coords else [source.coords]
        for value in group.read:
            self.readers.setdefault(value, Readers()).add(group)
        return group

    def _candidates(self, node: FusionNode) -> list[Group]:
        """The groups that `node` may join: first the groups that make its inputs, reductions and later groups in front; then groups that
        read the same tensors."""
        producers = {self.group_of[f[0]] for s in node.sources.values() if (f := self.graph.kernel_of(s.value)) is not None}
        ordered = sorted(producers, key=lambda g: (bool(g.reduced), g.number), reverse=True)
        rank = len(node.kernel.extents) if node.kernel else 0
        found = ordered + (self._siblings(node, producers) if rank else [])
        if rank == 0:  # work on single numbers is merged even if unrelated: a launch costs more
            found += [self.order.group(g.number) for g in self.points[-1:]]
            self.points.append(self.group_of[node])
        return found

    def _siblings(self, node: FusionNode, others: Collection[Group]) -> list[Group]:
        """The latest groups outside of `others` that read a tensor that `node` reads."""
        found: dict[Group, None] = {}
        for source in node.sources.values():
            known = self.readers.get(source.value) if self._is_whole(source.value, node) else None
            for group in known.latest_first() if known else ():
                if group not in others:
                    found[group] = None
                if len(found) == TUNING.siblings_tried:
                    return list(found)
        return list(found)

    def _is_whole(self, value: ir.Value, node: FusionNode) -> bool:
        """Whether a tensor has at least as many dimensions as the kernel, or as many elements as the kernel has points."""
        sizes, extents = self.graph.size(value), node.body.extents
        return sum(s != ie.ONE for s in sizes) >= len(extents) or product(sizes) == product(extents)

    # Merging.
    def _try_merge(self, later: Group, earlier: Group) -> None:
        merged = self._merged(later, earlier)
        if isinstance(merged, str):
            self.refusals.append((next(iter(later.coordinates)), next(iter(earlier.coordinates)), merged))
        elif may_rewrite("fusion with an earlier kernel", next(reversed(later.coordinates)).op):
            self._commit(merged, later, earlier)

    def _merged(self, later: Group, earlier: Group) -> Group | str:
        """The two as one group, or the reason why they are not fused."""
        if later.device != earlier.device:
            return "they run on different devices"
        if self._too_large(later, earlier):
            return "the kernel would be too large"
        if self.order.would_cycle(later, earlier):
            return "an operation between them needs the one and is needed by the other"
        links = list(self._links(later, earlier))
        merged = self._placed(later, earlier, links) or self._placed(earlier, later, [Link(x.sizes, x.host, x.guest) for x in links])
        if merged is None:
            return "their loops do not match: other domains, or reductions over other dimensions"
        if self._needs_parts(merged):
            return "the reduction has few rows, is split, and every element needs its result"
        if not self._consistent(merged):
            return "the one needs results of the other's reductions or checks at other elements than its own"
        if not self._fits_memory(merged):
            return "inputs would live longer, which raises the peak of memory"
        return merged

    def _too_large(self, a: Group, b: Group) -> bool:
        made = a.made.keys() | b.made.keys()
        read = (a.read.keys() | b.read.keys()) - made
        return a.steps + b.steps > TUNING.max_steps or len(read) > TUNING.max_reads or len({v.type for v in made | read}) > TUNING.max_types

    def _links(self, guest: Group, host: Group) -> Iterator[Link]:
        """Tensors that both access: first those that one makes and the other reads, then those that both read."""
        size = self.graph.size
        for value, coordinates in guest.read.items():
            if value in host.made:
                yield from (Link(size(value), at, host.made[value]) for at in coordinates)
        for value, coordinates in host.read.items():
            if value in guest.made:
                yield from (Link(size(value), guest.made[value], at) for at in coordinates)
        for value, coordinates in guest.read.items():
            if value in host.read:
                yield Link(size(value), coordinates[0], host.read[value][0])

    def _placed(self, guest: Group, host: Group, links: Sequence[Link]) -> Group | None:
        """The two as one group over the host's dimensions; None if the guest's do not fit."""
        found = placed_dimensions(tuple(links), Domain(guest.extents, guest.reduced), Domain(host.extents, host.reduced))
        if found is None:
            return None
        ranges = Ranges(host.extents)

        def moved(coordinates: Coordinates) -> Coordinates:
            return tuple([substitute_dims(e, found, ranges) for e in coordinates])

        reduced = dims_in([found[d] for d in guest.reduced])
        merged = Group(-1, host.extents, host.reduced | reduced, dict(host.coordinates), dict(host.made), dict(host.read))
        merged.coordinates.update((n, moved(p)) for n, p in guest.coordinates.items())
        merged.made.update((v, moved(p)) for v, p in guest.made.items())
        for value, coordinates in guest.read.items():
            merged.read[value] = list(dict.fromkeys([*merged.read.get(value, ()), *map(moved, coordinates)]))
        return merged

    def _needs_parts(self, group: Group) -> bool:
        """Whether the group reduces few rows of much work, and a member needs the reduction's result for every element."""
        if not group.reduced or estimate(product(group.extents)) < TUNING.much_work:
            return False
        if estimate(product(group.extents[d] for d in group.parallel)) >= TUNING.few_rows:
            return False
        after: set[FusionNode] = set()
        for node in sorted(group.coordinates, key=lambda n: n.index):
            made_by = [self.graph.kernel_of(s.value) for s in node.sources.values()]
            if any(f is not None and f[0] in group.coordinates and (f[0] in after or f[0].body.reduced) for f in made_by):
                after.add(node)
        return any(dims_in(group.coordinates[n]) & group.reduced for n in after)

    def _consistent(self, group: Group) -> bool:
        """Whether every reduction of the group is read in its own row only."""
        if all(at == group.made[v] for v, coordinates in group.read.items() if v in group.made for at in coordinates):
            return True
        ranges, waiting = Ranges(group.extents), list(group.coordinates.items())
        seen = set(waiting)
        while waiting:
            node, coordinates = waiting.pop()
            for source in node.sources.values():
                found = self.graph.kernel_of(source.value)
                if found is None or found[0] not in group.coordinates:
                    continue
                coords = tuple(substitute_dims(c, coordinates, ranges) for c in source.coords)
                wanted = coordinates_in(group, found[0], dims_at(found[0].stores[found[1]], coords))
                if wanted is None or (found[0].checks and wanted != group.coordinates[found[0]]):
                    return False
                if (found[0], wanted) not in seen:
                    seen.add((found[0], wanted))
                    waiting.append((found[0], wanted))
            if len(seen) > TUNING.max_copies * len(group.coordinates):
                return False
        return True

    def _fits_memory(self, group: Group) -> bool:
        """Whether the inputs of the group's members can be held until all of them exist."""
        gone = [v for v in group.made if self.memory.only_read_by(v, group.coordinates)]
        return self.memory.allows(group.coordinates, self.memory.ready(group.coordinates), gone)

    def _commit(self, merged: Group, later: Group, earlier: Group) -> None:
        """Replaces the earlier group by `merged`; the later one's number is no longer used."""
        earlier.extents, earlier.reduced = merged.extents, merged.reduced
        earlier.coordinates, earlier.made, earlier.read = merged.coordinates, merged.made, merged.read
        earlier.steps += later.steps
        self.order.merge(later, earlier)
        for value in later.read:
            self.readers[value].replace(later, earlier)
        for node in later.coordinates:
            self.group_of[node] = earlier
