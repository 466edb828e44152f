"""Which results of kernels become tensors: those that other operations than kernels use, and those that cost more to recompute than to
store and load. The others are computed inside the kernels that need them."""

from __future__ import annotations

from torch_mlir import ir

from ...tuning.kernels import TUNING
from ..index.index_expr import IndexExpr
from ..index.index_substitution import substitute_dims
from .fusion_domains import product
from .fusion_graph import FusionNode, Graph, dims_at
from .fusion_groups import Group, Grouping, estimate
from .fusion_updates import reads_what_it_replaces


class Stores:
    """The decision for a grouping. `stored`: (node, result) of every tensor that is written; `homes`: the groups that compute a node's
    value; `inlined`: for each group, the nodes of other groups that it computes."""

    def __init__(self, graph: Graph, grouping: Grouping) -> None:
        self.graph, self.grouping = graph, grouping
        self.stored: set[tuple[FusionNode, int]] = set()
        self.homes: dict[FusionNode, set[Group]] = {}
        self.inlined: dict[Group, set[FusionNode]] = {}
        self._users: dict[FusionNode, list[tuple[FusionNode, int]]] = {}
        self._costs: dict[FusionNode, int] = {}
        self._reads: dict[FusionNode, set[ir.Value]] = {}
        for node in graph.nodes:
            self._read(node)
        for node in reversed(graph.nodes):
            if node.fusible:
                self._decide(node)

    def _read(self, node: FusionNode) -> None:
        """Notes the node's users, and the cost of computing it together with cheap producers."""
        for value in dict.fromkeys(node.inputs):
            found = self.graph.kernel_of(value)
            if found is not None:
                self._users.setdefault(found[0], []).append((node, found[1]))
        if node.kernel is None:
            return
        cost, reads = node.cost, set()
        for value in dict.fromkeys(s.value for s in node.sources.values()):
            found = self.graph.kernel_of(value)
            if found is not None and not found[0].body.reduced and not found[0].scans and found[0].cost < TUNING.heavy_math:
                cost += self._costs[found[0]]
                reads |= self._reads[found[0]]
            else:
                reads.add(value)
        self._costs[node] = min(cost, TUNING.most_cost)
        if cost > TUNING.cheap_cost:  # the inputs of such a node are not needed, and may be as many as the graph has
            reads = set()
        own = estimate(product(node.body.extents))
        self._reads[node] = {v for v in reads if 2 * estimate(product(self.graph.size(v))) > own}

    def _decide(self, node: FusionNode) -> None:
        own = self.grouping.group_of[node]
        outside: set[Group] = set()
        results: set[int] = set()
        inside = False
        for user, number in self._users.get(node, ()):
            homes = self.homes.get(user, {self.grouping.group_of[user]})
            if user.kernel is None or self.graph.updates(user, node.op.results[number]):
                self.stored.add((node, number))
            if user.kernel is None:
                continue
            inside |= own in homes
            if homes - {own}:
                outside |= homes - {own}
                results.add(number)
        is_stored = any((node, n) in self.stored for n in range(len(node.op.results)))
        if outside and not self._computed_in(node, outside, inside, is_stored):
            self.stored.update((node, n) for n in results)
            outside, is_stored = set(), True
        if node.checks and not inside and not is_stored:
            self.stored.add((node, 0))
            is_stored = True
        for group in outside:
            self._inline(node, group)
        self.homes[node] = outside | ({own} if inside or is_stored else set())

    # Is it worth it?
    def _computed_in(self, node: FusionNode, groups: set[Group], inside: bool, is_stored: bool) -> bool:
        """Whether the node is computed in the groups that need it instead of stored."""
        if not self._is_worth_it(node, groups, inside, is_stored):
            return False
        memory = self.grouping.memory
        at = max(memory.at[n] for group in groups for n in group.coordinates)
        if not (inside or is_stored):
            return memory.allows([node], at, node.op.results)
        return memory.allows([node, *self._cheap_producers(node)], at, ())

    def _cheap_producers(self, node: FusionNode) -> list[FusionNode]:
        """The nodes of the node's group that the groups would compute with it. If there is no memory for that, these would be stored in its
        place, and the groups would read more."""
        found: dict[FusionNode, None] = {}
        waiting = [node]
        while waiting:
            for source in waiting.pop().sources.values():
                made = self.graph.kernel_of(source.value)
                if made is not None and made[0] not in found and self._goes_with(made[0], node):
                    found[made[0]] = None
                    waiting.append(made[0])
        return list(found)

    def _goes_with(self, producer: FusionNode, node: FusionNode) -> bool:
        if not producer.fusible or self.grouping.group_of[producer] is not self.grouping.group_of[node]:
            return False
        if producer.body.reduced or producer.scans or producer.checks or any((producer, n) in self.stored for n in producer.stores):
            return False
        return self._costs[producer] <= TUNING.cheap_cost and len(self._reads[producer]) <= TUNING.cheap_reads

    def _is_worth_it(self, node: FusionNode, groups: set[Group], inside: bool, is_stored: bool) -> bool:
        """Whether computing the node in these groups costs less than storing and loading its results."""
        if node.body.reduced or node.scans or node.checks:
            return False
        if not all(self._fits(node, g) for g in groups):
            return False
        if len(groups) + inside + is_stored > 1:
            return self._costs[node] <= TUNING.cheap_cost and len(self._reads[node]) <= (0 if is_stored else TUNING.cheap_reads)
        (group,) = groups
        points = estimate(product(node.body.extents))
        asked = self._asked_points(node, group)
        return asked <= 2 * points or (asked - points) * self._costs[node] <= TUNING.extra_work or self._costs[node] <= 2

    def _fits(self, node: FusionNode, group: Group) -> bool:
        for writer in node.overwritten_by:
            own = self.grouping.group_of[writer]
            if group.ancestors >> own.number & 1 or (
                own is group and not reads_what_it_replaces(self.graph, node, writer, self._coordinates_in(node, group))
            ):
                return False
        read = ({*group.read, *(s.value for s in node.sources.values())} - group.made.keys()).difference(node.op.results)
        steps = group.steps + len(node.body.steps)
        return (
            steps <= TUNING.max_steps
            and len(read) <= TUNING.max_reads
            and len({v.type for v in read | group.made.keys()}) <= TUNING.max_types
        )

    def _asked_points(self, node: FusionNode, group: Group) -> int:
        """The number of points at which the group needs the node's results, by the dimensions that they depend on: a value that changes
        along a reduced dimension is computed again for every row."""
        most = 1
        for value, coordinates in group.read.items():
            found = self.graph.kernel_of(value)
            if found is None or found[0] is not node:
                continue
            for coords in coordinates:
                dims = dims_at(node.stores[found[1]], coords).values()
                most = max(most, len(coordinates) * self._points(group, list(dims)))
        return most

    def _points(self, group: Group, exprs: list[IndexExpr]) -> int:
        variables = {v for e in exprs for v in e.variables()}
        opaque = any(v[0] == "v" for v in variables)
        dims = set(range(len(group.extents)) if opaque else [v[1] for v in variables if v[0] == "d"])
        if dims & group.reduced:
            dims |= group.parallel
        return estimate(product(group.extents[d] for d in dims))

    def _inline(self, node: FusionNode, group: Group) -> None:
        """Computes `node` in `group`, which then reads the node's inputs."""
        self.inlined.setdefault(group, set()).add(node)
        for writer in node.overwritten_by:
            if self.grouping.group_of[writer] is not group:
                self.grouping.order.run_before(group, self.grouping.group_of[writer])
                writer.before.update(group.coordinates)
        group.steps += len(node.body.steps)
        for source in node.sources.values():
            found = self.graph.kernel_of(source.value)
            coordinates = group.read.setdefault(source.value, [])
            for at in self._coordinates_in(node, group) if found is not None else ():
                coords = tuple(substitute_dims(c, at, None) for c in source.coords)
                coordinates += [] if coords in coordinates else [coords]

    def _coordinates_in(self, node: FusionNode, group: Group) -> list[tuple[IndexExpr, ...]]:
        found = []
        for number, store in node.stores.items():
            for coords in group.read.get(node.op.results[number], ()):
                dims = dims_at(store, coords)
                found.append(tuple(dims[d] for d in range(len(node.body.extents))))
        return list(dict.fromkeys(found))
