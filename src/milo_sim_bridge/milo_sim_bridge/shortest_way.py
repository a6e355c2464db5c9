"""How far the robot would have to drive for a task at least, for success weighted by path length.

The way visits, in the order of the goals, a cell from which an object can be handled and, where
something is put somewhere, one from which the target can be. It is the shortest over all instances
and all cells: dynamic programming over the stages, with one breadth-first search each. Only
instances that could still shorten the way are asked about.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence

from milo_core.goals import FIND_VERBS
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_core.strict_goals import Allowed, allowed_instances, holds
from milo_core.tasks import SubGoal
from milo_sim_bridge.path_planning import Cell
from milo_sim_bridge.skill_run import SkillEngine

_HEADINGS = (0.0, 90.0, 180.0, 270.0)
_FAR = 100.0
"""Metres; lifts the pose search's limit of distance."""
_NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def shortest_way(engine: SkillEngine, goals: Sequence[SubGoal]) -> float:
    """Return the metres of the shortest way for the goals from here; NaN: there is none.

    A goal that is true already costs nothing. What is in a closed container is reached from where
    the container is. Turns don't count.

    Raises:
        EngineFailure: no scene is loaded, or the player died or hung.
    """
    return _Search(engine).length(goals)


class _Search:
    def __init__(self, engine: SkillEngine) -> None:
        self._engine = engine
        self._state: Snapshot = engine.latest.snapshot
        self._size = engine.grid_size
        found = engine.step("GetReachablePositions").action_return or ()
        here = self._state.agent_position
        self._start = self._cell(here[0], here[2])
        self._cells = {self._cell(p["x"], p["z"]) for p in found} | {self._start}
        self._diameter = 2.0 * max(self._spread({self._start: 0.0}).values())
        """Metres that no drive exceeds."""
        self._poses: dict[tuple[str, bool], frozenset[Cell]] = {}

    def length(self, goals: Sequence[SubGoal]) -> float:
        costs: Mapping[Cell, float] = self._spread({self._start: 0.0})
        allowed = allowed_instances(goals, self._state)
        stages = [
            stage
            for goal, instances in zip(goals, allowed, strict=True)
            if not holds(goal, self._state, instances)
            for stage in _stages(goal, instances)
        ]
        for number, (ids, seeing) in enumerate(stages, start=1):
            visited = self._visit(costs, ids, seeing, last=number == len(stages))
            if not visited:
                return math.nan
            costs = self._spread(visited)
        return min(costs.values())

    def _cell(self, x: float, z: float) -> Cell:
        return (round(x / self._size), round(z / self._size))

    def _spread(self, costs: Mapping[Cell, float]) -> dict[Cell, float]:
        """Return the least cost of every cell, given costs to begin with at some."""
        best: dict[Cell, float] = {}
        queue = [(cost, cell) for cell, cost in costs.items()]
        heapq.heapify(queue)
        while queue:
            cost, cell = heapq.heappop(queue)
            if cell in best:
                continue
            best[cell] = cost
            for dx, dz in _NEIGHBOURS:
                other = (cell[0] + dx, cell[1] + dz)
                if other in self._cells and other not in best:
                    heapq.heappush(queue, (cost + self._size, other))
        return best

    def _visit(
        self, costs: Mapping[Cell, float], ids: Iterable[str], seeing: bool, *, last: bool
    ) -> dict[Cell, float]:
        """Return the costs of the cells from which one of some instances is handled.

        In the last stage an instance is left out that costs more to come near than another one to
        handle; before, only if it costs more than that and the longest drive thereafter.
        """
        objects = [o for i in ids if (o := self._state.objects.get(i)) is not None]
        bounds = sorted((self._bound(costs, o), o.object_id) for o in objects)
        visited: dict[Cell, float] = {}
        slack = 0.0 if last else self._diameter
        for bound, object_id in bounds:
            if visited and bound > min(visited.values()) + slack:
                break
            for cell in self._handled_from(self._state.objects[object_id], seeing):
                if cell in costs:
                    visited[cell] = costs[cell]
        return visited

    def _bound(self, costs: Mapping[Cell, float], target: SnapshotObject) -> float:
        """Return what it costs at least to come within reach of an object."""
        x, _, z = target.box_center
        reach = self._engine.reach + math.hypot(target.box_size[0], target.box_size[2]) / 2
        close = (
            cost
            for cell, cost in costs.items()
            if math.hypot(cell[0] * self._size - x, cell[1] * self._size - z) <= reach
        )
        return min(close, default=math.inf)

    def _handled_from(self, target: SnapshotObject, seeing: bool) -> frozenset[Cell]:
        for parent in target.parent_receptacles:
            container = self._state.objects.get(parent)
            if container is not None and container.openable and not container.is_open:
                target = container
                break
        key = (target.object_id, seeing)
        if key not in self._poses:
            cells = self._ask(target.object_id)
            if seeing and not cells:
                cells = self._ask(target.object_id, _FAR) or frozenset({self._nearest(target)})
            self._poses[key] = cells
        return self._poses[key]

    def _nearest(self, target: SnapshotObject) -> Cell:
        """Return the cell nearest to an object: from there it is looked at through glass."""
        x, _, z = target.box_center
        return min(
            sorted(self._cells),
            key=lambda cell: math.hypot(cell[0] * self._size - x, cell[1] * self._size - z),
        )

    def _ask(self, object_id: str, distance: float | None = None) -> frozenset[Cell]:
        limit = {} if distance is None else {"maxDistance": distance}
        found = self._engine.step(
            "GetInteractablePoses", objectId=object_id, rotations=list(_HEADINGS), **limit
        )
        poses = (found.action_return if found.success else None) or ()
        return frozenset(self._cell(p["x"], p["z"]) for p in poses) & self._cells


def _stages(goal: SubGoal, instances: Allowed) -> list[tuple[tuple[str, ...], bool]]:
    """Return the instances that a goal visits, one stage after the other, and if seeing will do."""
    verb = goal.goal.strip().lower()
    stages = [(instances.objects, verb in FIND_VERBS)]
    if goal.object and goal.target:
        stages.append((instances.targets, False))
    return stages
