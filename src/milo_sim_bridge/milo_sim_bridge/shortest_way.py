"""How far the robot would have to drive for a task at least, for success weighted by path length.

The way visits, in the order of the goals, a cell from which an object can be handled and, where
something is put somewhere, one from which its destination can be. It is the shortest over all
instances and all cells: dynamic programming over the stops, with one breadth-first search each.

From where an instance can be handled is a question to the engine that takes long, so it is asked
of few: until then an instance counts as in reach from every cell that is near enough. That can
only make a way shorter. While the shortest way leans on such a guess, the instance is asked about;
once it doesn't, it is the answer.
"""

import math
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from milo_core.goals import FIND_VERBS, PICK_VERBS, STORE_VERBS
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_core.strict_goals import Allowed, allowed_instances, holds
from milo_core.tasks import SubGoal
from milo_sim_bridge.checks import closed_container
from milo_sim_bridge.path_planning import HEADINGS, Cell
from milo_sim_bridge.skill_run import SkillEngine
from milo_sim_bridge.viewpoints import ANY_DISTANCE

_STEP = 1 << 16
"""Cost of a cell. What is below counts guesses, so that of equal ways the surest is taken."""
_GUESS = 1
_SLACK = 0.05
"""Metres that a pose may lie farther from an object's box than the arm reaches."""
_NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))
_CARRY_VERBS = STORE_VERBS | {"deliver", "fetch"}
"""Verbs that bring an object to a target, where there is one."""


@dataclass(frozen=True)
class _Stop:
    """A place on the way: wherever one of some instances can be handled."""

    ids: tuple[str, ...]
    seeing: bool = False
    """Where none of them can be handled from anywhere, seeing one will do."""


_Question = tuple[str, bool]
"""An instance, and whether it only has to be seen."""
_Trail = tuple[_Question, "_Trail | None"]
"""The guesses on which a way leans, the last one first."""
_Costs = Mapping[Cell, tuple[int, "_Trail | None"]]


def shortest_way(
    engine: SkillEngine,
    goals: Sequence[SubGoal],
    initial: Snapshot | None = None,
    seen: Iterable[str] = (),
) -> float:
    """Return the metres of the shortest way for the goals from here; NaN: there is none.

    A goal that is true already costs nothing. What is in a closed container is reached from where
    the container is. Turns don't count.

    Args:
        engine: the simulator; asked, but nothing is changed.
        goals: in the order in which they are to be fulfilled.
        initial: the state right after the reset; None: the present one.
        seen: ids of what the agent has found already.

    Raises:
        EngineFailure: no scene is loaded, or the player died or hung.
    """
    state = engine.latest.snapshot
    allowed = allowed_instances(goals, initial or state)
    known = frozenset(seen)
    legs = [
        tuple(_ways(goal, state, instances))
        for goal, instances in zip(goals, allowed, strict=True)
        if not holds(goal, state, instances, known)
    ]
    return _Search(engine, state).length(legs) if legs else 0.0


def _ways(goal: SubGoal, state: Snapshot, allowed: Allowed) -> Iterator[tuple[_Stop, ...]]:
    """Yield the sequences of stops of which one fulfils a goal."""
    verb = goal.goal.strip().lower()
    objects = [o for i in allowed.objects if (o := state.objects.get(i)) and _affords(verb, o)]
    if verb not in _CARRY_VERBS or not (goal.object and goal.target):
        ids = tuple(o.object_id for o in objects if (o.object_id, None) not in allowed.taken)
        yield (_Stop(ids, verb in FIND_VERBS),)
        return
    # Not every object may go everywhere: what was in its place at the reset needs another one.
    groups: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for obj in objects:
        targets = tuple(t for t in allowed.targets if (obj.object_id, t) not in allowed.taken)
        held = state.held_id == obj.object_id
        groups.setdefault((targets, held), []).append(obj.object_id)
    for (targets, held), ids_of_group in groups.items():
        yield (_Stop(targets),) if held else (_Stop(tuple(ids_of_group)), _Stop(targets))


def _affords(verb: str, obj: SnapshotObject) -> bool:
    if verb in PICK_VERBS | STORE_VERBS:
        return obj.pickupable
    if verb in ("open", "close"):
        return obj.openable
    return verb != "slice" or obj.sliceable


class _Search:
    """One search over the cells that the robot can reach."""

    def __init__(self, engine: SkillEngine, state: Snapshot) -> None:
        self._engine = engine
        self._state = state
        self._size = engine.grid_size
        found = engine.step("GetReachablePositions").action_return or ()
        self._start = self._cell(state.agent_position[0], state.agent_position[2])
        cells = {self._cell(p["x"], p["z"]) for p in found} | {self._start}
        self._neighbours = {
            (x, z): [c for dx, dz in _NEIGHBOURS if (c := (x + dx, z + dz)) in cells]
            for x, z in cells
        }
        self._answers: dict[_Question, frozenset[Cell]] = {}
        self._guesses: dict[str, frozenset[Cell]] = {}

    def length(self, legs: Sequence[Sequence[Sequence[_Stop]]]) -> float:
        """Return the metres of the shortest way that takes one of the ways of every leg."""
        while True:
            costs: _Costs = {self._start: (0, None)}
            for ways in legs:
                costs = _cheapest(self._follow(costs, way) for way in ways)
            if not costs:
                return math.nan
            cost, trail = min(costs.values(), key=lambda entry: entry[0])
            if trail is None:
                return cost // _STEP * self._size
            while trail[1] is not None:
                trail = trail[1]
            self._ask(trail[0])

    def _cell(self, x: float, z: float) -> Cell:
        return (round(x / self._size), round(z / self._size))

    def _follow(self, costs: _Costs, way: Iterable[_Stop]) -> _Costs:
        """Return what it costs to have made some stops, for each cell where the last may be."""
        for stop in way:
            costs = self._visit(self._spread(costs), stop)
        return costs

    def _spread(self, costs: _Costs) -> _Costs:
        """Return the least cost of every cell, given where the robot may be and at what cost.

        Every move costs the same, so that what has been reached needs no sorting: it comes in
        order by itself.
        """
        best: dict[Cell, tuple[int, _Trail | None]] = {}
        waiting = deque(
            sorted(((c, t, cell) for cell, (c, t) in costs.items()), key=lambda e: e[0])
        )
        reached: deque[tuple[int, _Trail | None, Cell]] = deque()
        while waiting or reached:
            first = not reached or (waiting and waiting[0][0] <= reached[0][0])
            cost, trail, cell = (waiting if first else reached).popleft()
            if cell in best:
                continue
            best[cell] = (cost, trail)
            for other in self._neighbours[cell]:
                if other not in best:
                    reached.append((cost + _STEP, trail, other))
        return best

    def _visit(self, costs: _Costs, stop: _Stop) -> _Costs:
        """Return the costs of the cells where a stop can be made."""
        handles = dict.fromkeys(map(self._handle_of, stop.ids))
        seeing = stop.seeing and not any(self._cells_of((i, False)) for i in handles)
        best: dict[Cell, tuple[int, _Trail | None]] = {}
        for question in ((object_id, seeing) for object_id in handles):
            guessed = question not in self._answers
            for cell in self._cells_of(question):
                if cell not in costs:
                    continue
                cost, trail = costs[cell]
                if guessed:
                    cost, trail = cost + _GUESS, (question, trail)
                if cell not in best or cost < best[cell][0]:
                    best[cell] = (cost, trail)
        return best

    def _handle_of(self, object_id: str) -> str:
        """Return what has to be reached for an instance: itself, or what it is shut in."""
        container = closed_container(self._state, self._state.objects[object_id])
        return object_id if container is None else container.object_id

    def _cells_of(self, question: _Question) -> Collection[Cell]:
        """Return the engine's answer; if it was not asked, more cells than it would name."""
        if question in self._answers:
            return self._answers[question]
        object_id, seeing = question
        if seeing:
            return self._neighbours.keys()
        if object_id not in self._guesses:
            obj = self._state.objects[object_id]
            reach = self._engine.reach + _SLACK
            self._guesses[object_id] = frozenset(
                cell for cell in self._neighbours if self._gap(cell, obj) <= reach
            )
        return self._guesses[object_id]

    def _gap(self, cell: Cell, obj: SnapshotObject) -> float:
        """Return the metres on the floor between a cell's centre and an object's box."""
        x = abs(cell[0] * self._size - obj.box_center[0]) - obj.box_size[0] / 2
        z = abs(cell[1] * self._size - obj.box_center[2]) - obj.box_size[2] / 2
        return math.hypot(max(x, 0.0), max(z, 0.0))

    def _ask(self, question: _Question) -> None:
        object_id, seeing = question
        found = self._engine.step(
            "GetInteractablePoses",
            objectId=object_id,
            rotations=[float(heading) for heading in HEADINGS],
            **({"maxDistance": ANY_DISTANCE} if seeing else {}),
        )
        poses = (found.action_return if found.success else None) or ()
        cells = {self._cell(p["x"], p["z"]) for p in poses} & self._neighbours.keys()
        if seeing and not cells:
            # Through glass: NavigateTo goes to the nearest cell, too.
            obj = self._state.objects[object_id]
            cells = {min(sorted(self._neighbours), key=lambda cell: self._gap(cell, obj))}
        self._answers[question] = frozenset(cells)


def _cheapest(alternatives: Iterable[_Costs]) -> _Costs:
    best: dict[Cell, tuple[int, _Trail | None]] = {}
    for costs in alternatives:
        for cell, entry in costs.items():
            if cell not in best or entry[0] < best[cell][0]:
                best[cell] = entry
    return best
