"""Driving on the floor: free cells, shortest way, and motion with limited speed. ROS-free."""

import contextlib
import heapq
import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from milo_sim_bridge.mock_robot.state import Box

CELL = 0.1
"""Metres."""
RADIUS = 0.2
"""Of the round base, metres."""
SPEED, TURN_RATE = 0.8, 2.0
"""Metres and radians a second."""
_NEIGHBOURS = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
Point = tuple[float, float]


@dataclass
class Base:
    """The pose of base_link in the map frame; metres and radians."""

    x: float
    y: float
    yaw: float
    speed: float = 0.0
    turning: float = 0.0
    driven: float = 0.0
    """Metres since the start."""

    @property
    def position(self) -> Point:
        """Where it stands."""
        return self.x, self.y


class FloorGrid:
    """The cells on which the base can stand.

    Args:
        low: corner of the floor.
        high: the opposite corner.
        obstacles: boxes that stand on it.
    """

    def __init__(self, low: Point, high: Point, obstacles: Sequence[Box]) -> None:
        self._low, self._high, self._obstacles = low, high, list(obstacles)
        self._shape = tuple(int((h - a) / CELL + 1e-9) + 1 for a, h in zip(low, high, strict=True))
        self.free: NDArray[np.bool_] = np.array(
            [
                [self.is_free(self.point((i, j))) for j in range(self._shape[1])]
                for i in range(self._shape[0])
            ]
        )

    def point(self, cell: tuple[int, int]) -> Point:
        """Return the centre of a cell."""
        return self._low[0] + cell[0] * CELL, self._low[1] + cell[1] * CELL

    def cell(self, point: Point) -> tuple[int, int]:
        """Return the nearest cell, which may lie outside the floor."""
        return (
            round((point[0] - self._low[0]) / CELL),
            round((point[1] - self._low[1]) / CELL),
        )

    def is_free(self, point: Point) -> bool:
        """Whether the base fits at a point."""
        inside = all(
            low + RADIUS - 1e-9 <= value <= high - RADIUS + 1e-9
            for low, value, high in zip(self._low, point, self._high, strict=True)
        )
        return inside and all(
            box.floor_distance(*point) >= RADIUS - 1e-9 for box in self._obstacles
        )

    def path(self, start: Point, goals: Sequence[Point]) -> list[Point] | None:
        """Return the corners of the shortest way to the nearest of some points (Dijkstra).

        The way begins with the point after `start`. None: none can be reached; empty: already
        there.
        """
        ends = {self.cell(goal): goal for goal in goals if self.is_free(goal)}
        first = self._free_cell(start)
        if first is None or not ends:
            return None
        came: dict[tuple[int, int], tuple[int, int] | None] = {}
        queue: list[tuple[float, tuple[int, int], tuple[int, int] | None]] = [(0.0, first, None)]
        while queue:
            length, cell, before = heapq.heappop(queue)
            if cell in came:
                continue
            came[cell] = before
            if cell in ends:
                return self._corners(start, cell, came, ends[cell])
            for i, j in _NEIGHBOURS:
                step = (cell[0] + i, cell[1] + j)
                if step not in came and self._passable(cell, step):
                    heapq.heappush(queue, (length + math.hypot(i, j), step, cell))
        return None

    def _free_cell(self, point: Point) -> tuple[int, int] | None:
        """Return the free cell nearest to a point, among those around it."""
        i, j = self.cell(point)
        around = [(i + a, j + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        free = [cell for cell in around if self._is_free_cell(cell)]
        return min(free, key=lambda c: math.dist(self.point(c), point), default=None)

    def _is_free_cell(self, cell: tuple[int, int]) -> bool:
        inside = 0 <= cell[0] < self._shape[0] and 0 <= cell[1] < self._shape[1]
        return inside and bool(self.free[cell])

    def _passable(self, cell: tuple[int, int], step: tuple[int, int]) -> bool:
        """A diagonal step must not cut a corner."""
        return all(self._is_free_cell(c) for c in (step, (cell[0], step[1]), (step[0], cell[1])))

    def _corners(
        self,
        start: Point,
        end: tuple[int, int],
        came: dict[tuple[int, int], tuple[int, int] | None],
        goal: Point,
    ) -> list[Point]:
        cells: list[tuple[int, int]] = []
        cell: tuple[int, int] | None = end
        while cell is not None:
            cells.append(cell)
            cell = came[cell]
        cells.reverse()
        turns = [
            b
            for a, b, c in zip(cells, cells[1:], cells[2:], strict=False)
            if (b[0] - a[0], b[1] - a[1]) != (c[0] - b[0], c[1] - b[1])
        ]
        way = [self.point(cells[0]), *map(self.point, turns), goal]
        return [point for point in dict.fromkeys(way) if math.dist(point, start) > 1e-6]


def angle_between(a: float, b: float) -> float:
    """Return b - a in radians, in [-pi, pi)."""
    return (b - a + math.pi) % (2 * math.pi) - math.pi


def length_of(start: Point, way: Sequence[Point]) -> float:
    """Return the length of a way in metres."""
    points = [start, *way]
    return sum(math.dist(a, b) for a, b in pairwise(points))


def turn(base: Base, yaw: float) -> Generator[float, float, None]:
    """Turn on the spot; takes seconds, yields the radians that remain."""
    while abs(rest := angle_between(base.yaw, yaw)) > 1e-6:
        seconds = yield abs(rest)
        step = min(abs(rest), TURN_RATE * seconds)
        base.turning = math.copysign(TURN_RATE, rest)
        base.yaw = angle_between(0.0, base.yaw + math.copysign(step, rest))


def drive(base: Base, way: Sequence[Point]) -> Generator[float, float, None]:
    """Drive from corner to corner, turning first; takes seconds, yields the metres that remain."""
    for index, corner in enumerate(way):
        if math.dist(base.position, corner) < 1e-6:
            continue
        heading = math.atan2(corner[1] - base.y, corner[0] - base.x)
        remaining = length_of(base.position, way[index:])
        yield from _while(turn(base, heading), remaining)
        while (rest := math.dist(base.position, corner)) > 1e-9:
            seconds = yield length_of(base.position, way[index:])
            step = min(rest, SPEED * seconds)
            base.speed = SPEED
            base.x += (corner[0] - base.x) * step / rest
            base.y += (corner[1] - base.y) * step / rest
            base.driven += step


def _while(
    motion: Generator[float, float, None], remaining: float
) -> Generator[float, float, None]:
    """Do another motion while the same distance remains."""
    with contextlib.suppress(StopIteration):
        next(motion)
        while True:
            motion.send((yield remaining))
