"""Shortest ways over the cells that a robot can reach, with its turns in the cost.

Cells are squares of the grid on which the robot moves straight ahead, one cell at a time, in four
headings. Positions are metres in Unity's frame (x, z on the floor), headings are degrees clockwise
from +z. Nothing here talks to a simulator or to ROS.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Cell = tuple[int, int]
Node = tuple[Cell, int]
"""A cell and one of the four headings."""

HEADINGS = (0, 90, 180, 270)
QUARTER_TURN_COST = 0.25
"""Metres that a turn by 90 degrees counts; with a grid of 0.25 m all single actions count alike."""
_AHEAD: Mapping[int, Cell] = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}
_START = "start"


def turn_between(before: float, after: float) -> float:
    """Return the shorter turn between two headings, degrees in (-180, 180], clockwise positive."""
    return 180.0 - (180.0 - (after - before)) % 360.0


def turn_cost(before: float, after: float) -> float:
    """Return what a turn costs, in metres."""
    return abs(turn_between(before, after)) / 90.0 * QUARTER_TURN_COST


@dataclass(frozen=True)
class Destination:
    """Where a way may end."""

    cell: Cell
    yaw: float
    """Heading to end with, degrees."""
    extra_cost: float = 0.0
    """What it takes once there (crouching, tilting the head), in metres."""


@dataclass(frozen=True)
class Route:
    """A way over the grid."""

    nodes: tuple[Node, ...]
    """Where the robot is after each of its moves; the first is where it stands after turning into
    a heading of the grid. Neighbours differ in the cell (one cell ahead) or in the heading."""
    destination: int
    """Index of the destination it leads to."""
    cost: float
    """Metres, turns included."""

    @property
    def steps_ahead(self) -> int:
        """Number of cells driven."""
        return sum(a[0] != b[0] for a, b in zip(self.nodes, self.nodes[1:], strict=False))


class GridMap:
    """The reachable cells, and which moves between them were found to be blocked.

    Args:
        positions: agent positions that can be reached (x, z), metres.
        size: width of a cell, metres.
    """

    def __init__(self, positions: Iterable[tuple[float, float]], size: float) -> None:
        self.size = size
        self.cells = frozenset(self.cell_of(x, z) for x, z in positions)
        self._graph = _graph_of(self.cells, size)
        self._shared = True

    def cell_of(self, x: float, z: float) -> Cell:
        """Return the cell whose centre is nearest to a place."""
        return (round(x / self.size), round(z / self.size))

    def centre_of(self, cell: Cell) -> tuple[float, float]:
        """Return the centre (x, z) of a cell, metres."""
        return (cell[0] * self.size, cell[1] * self.size)

    @staticmethod
    def ahead_of(cell: Cell, heading: int) -> Cell:
        """Return the neighbour of a cell in a heading."""
        step = _AHEAD[heading]
        return (cell[0] + step[0], cell[1] + step[1])

    def block(self, before: Node, after: Node) -> None:
        """Never plan this move again."""
        if self._shared:
            self._graph, self._shared = self._graph.copy(), False
        if self._graph.has_edge(before, after):
            self._graph.remove_edge(before, after)

    def plan(self, cell: Cell, yaw: float, destinations: Sequence[Destination]) -> Route | None:
        """Return the cheapest way to any of the destinations; None: no way leads to one.

        Args:
            cell: where the robot stands.
            yaw: its heading in degrees, not necessarily one of the four.
            destinations: where the way may end; equal costs take the first.
        """
        if cell not in self.cells:
            return None
        import networkx

        graph = self._graph
        for heading in HEADINGS:
            graph.add_edge(_START, (cell, heading), weight=turn_cost(yaw, heading))
        try:
            costs, ways = networkx.single_source_dijkstra(graph, _START)
        finally:
            graph.remove_node(_START)
        best: tuple[float, int, Node] | None = None
        for index, wanted in enumerate(destinations):
            for heading in HEADINGS:
                node = (wanted.cell, heading)
                if node not in costs:
                    continue
                cost = costs[node] + turn_cost(heading, wanted.yaw) + wanted.extra_cost
                if best is None or cost < best[0] - 1e-9:
                    best = (cost, index, node)
        if best is None:
            return None
        cost, index, node = best
        return Route(nodes=tuple(ways[node][1:]), destination=index, cost=cost)

    def lengths_from(self, cell: Cell) -> Mapping[Cell, float]:
        """Return the metres of the shortest way to each cell that one leads to, turns not counted.

        Blocked moves are not taken.
        """
        lengths = {cell: 0.0}
        reached = deque((cell,))
        while reached:
            here = reached.popleft()
            for heading in HEADINGS:
                ahead = self.ahead_of(here, heading)
                if ahead not in lengths and self._graph.has_edge((here, heading), (ahead, heading)):
                    lengths[ahead] = lengths[here] + self.size
                    reached.append(ahead)
        return lengths


@lru_cache(maxsize=8)
def _graph_of(cells: frozenset[Cell], size: float) -> Any:
    """Return the moves between cells; shared by all maps of the same cells, which mostly stay.

    Making it takes longer than finding a way in it.
    """
    # Takes a quarter of a second, and a bridge that only teleports never needs it.
    import networkx

    graph = networkx.DiGraph()
    for cell in cells:
        for heading in HEADINGS:
            for other in ((heading + 90) % 360, (heading - 90) % 360):
                graph.add_edge((cell, heading), (cell, other), weight=QUARTER_TURN_COST)
            ahead = GridMap.ahead_of(cell, heading)
            if ahead in cells:
                graph.add_edge((cell, heading), (ahead, heading), weight=size)
    return graph
