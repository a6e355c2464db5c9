"""The shortest way for a task, against every combination of instances."""

import math
from collections.abc import Iterable, Mapping
from itertools import product

import pytest
from bridge_session_engine import SessionEngine

from milo_core.snapshot import Snapshot
from milo_core.tasks import SubGoal, load_tasks
from milo_sim_bridge.navigation import NavigateGoal, navigate_to
from milo_sim_bridge.shortest_way import shortest_way
from milo_sim_bridge.skill_run import Control
from milo_sim_bridge.skills import PickGoal, SetOpenGoal, pick, set_open

Cell = tuple[int, int]
SIZE = 0.25


def cell(x: float, z: float) -> Cell:
    return (round(x / SIZE), round(z / SIZE))


class Room:
    """A scene at its start, about which everything is asked."""

    def __init__(self, scene: str) -> None:
        self.engine = SessionEngine(scene)
        self.state: Snapshot = self.engine.latest.snapshot
        found = self.engine.step("GetReachablePositions").action_return
        self.cells = {cell(p["x"], p["z"]) for p in found}
        self._poses: dict[str, set[Cell]] = {}

    def ids(self, kind: str) -> list[str]:
        return [o.object_id for o in self.state.objects.values() if o.object_type == kind]

    def poses(self, object_id: str) -> set[Cell]:
        """From where an object, or what it is shut in, can be handled."""
        for parent in self.state.objects[object_id].parent_receptacles:
            container = self.state.objects[parent]
            if container.openable and not container.is_open:
                return self.poses(parent)
        if object_id not in self._poses:
            found = self.engine.step(
                "GetInteractablePoses", objectId=object_id, rotations=[0.0, 90.0, 180.0, 270.0]
            )
            poses = {cell(p["x"], p["z"]) for p in found.action_return}
            self._poses[object_id] = poses & self.cells
        return self._poses[object_id]

    def spread(self, costs: Mapping[Cell, int]) -> dict[Cell, int]:
        """Costs of all cells by as many rounds as it takes."""
        best = dict(costs)
        edge: Iterable[Cell] = costs
        while edge:
            changed = []
            for x, z in edge:
                for other in ((x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1)):
                    if other in self.cells and best[(x, z)] + 1 < best.get(other, 10**6):
                        best[other] = best[(x, z)] + 1
                        changed.append(other)
            edge = changed
        return best

    def through(self, ids: Iterable[str]) -> float:
        """Metres of the shortest way from the start past these instances in this order."""
        x, _, z = self.state.agent_position
        costs: dict[Cell, int] = {cell(x, z): 0}
        for object_id in ids:
            everywhere = self.spread(costs)
            costs = {c: everywhere[c] for c in self.poses(object_id) if c in everywhere}
        return min(costs.values(), default=math.inf) * SIZE

    def shortest(self, *kinds: str) -> float:
        return min(self.through(ids) for ids in product(*map(self.ids, kinds)))


@pytest.fixture(scope="module")
def kitchen() -> Room:
    return Room("FloorPlan1")


def way(engine: SessionEngine, *goals: SubGoal) -> float:
    return shortest_way(engine, goals)


@pytest.mark.parametrize(
    ("goals", "stops"),
    [
        ((SubGoal("find", "spoon"),), ("Spoon",)),
        ((SubGoal("open", "drawer"),), ("Drawer",)),
        ((SubGoal("open", "cabinet"), SubGoal("open", "drawer")), ("Cabinet", "Drawer")),
        ((SubGoal("turn_on", "toaster"),), ("Toaster",)),
        ((SubGoal("slice", "bread"), SubGoal("pick_up", "spoon")), ("Bread", "Spoon")),
        ((SubGoal("store", "bread", "garbagecan"),), ("Bread", "GarbageCan")),
        ((SubGoal("deliver", "egg", "garbagecan"),), ("Egg", "GarbageCan")),
        (
            (SubGoal("store", "spoon", "shelf"), SubGoal("store", "cup", "drawer")),
            ("Spoon", "Shelf", "Cup", "Drawer"),
        ),
    ],
)
def test_it_is_the_least_over_all_instances(
    kitchen: Room, goals: tuple[SubGoal, ...], stops: tuple[str, ...]
) -> None:
    engine = SessionEngine("FloorPlan1")
    assert way(engine, *goals) == pytest.approx(kitchen.shortest(*stops))
    assert set(engine.actions) <= {"GetReachablePositions", "GetInteractablePoses"}


def test_few_instances_are_asked_about() -> None:
    asked = []
    for task in load_tasks():
        if task.tier == 4:
            engine = SessionEngine(task.scene)
            assert math.isfinite(way(engine, *task.sub_goals())), task.task_id
            asked.append(engine.actions.count("GetInteractablePoses"))
    assert sum(asked) / len(asked) <= 4


def test_a_pair_that_would_be_true_without_any_doing_does_not_count(kitchen: Room) -> None:
    """The knife and the cup are in a drawer and a cabinet already: each needs another one."""
    goals = (SubGoal("store", "knife", "drawer"), SubGoal("store", "cup", "cabinet"))
    lengths = [
        kitchen.through((knife, drawer, cup, cabinet))
        for knife, drawer, cup, cabinet in product(
            *map(kitchen.ids, ("Knife", "Drawer", "Cup", "Cabinet"))
        )
        if drawer not in kitchen.state.objects[knife].parent_receptacles
        and cabinet not in kitchen.state.objects[cup].parent_receptacles
    ]
    assert way(SessionEngine("FloorPlan1"), *goals) == pytest.approx(min(lengths))


def test_what_is_true_already_costs_nothing() -> None:
    engine = SessionEngine("FloorPlan1")
    fridge = engine.latest.snapshot.nearest("Fridge")
    assert fridge is not None
    goals = (SubGoal("find", "spoon"), SubGoal("open", "fridge"))
    initial = engine.latest.snapshot
    found = shortest_way(engine, goals[:1], initial)
    assert shortest_way(engine, goals, initial) > found
    assert set_open(engine, Control(), SetOpenGoal(fridge.object_id, 1.0, True)).error_code == 0
    assert shortest_way(engine, goals, initial) == pytest.approx(found)
    spoon = engine.latest.snapshot.nearest("Spoon")
    assert spoon is not None
    engine.actions.clear()
    assert shortest_way(engine, goals, initial, {spoon.object_id}) == 0.0
    assert engine.actions == []
    assert way(engine) == 0.0


def test_what_is_in_the_hand_needs_only_its_destination() -> None:
    engine = SessionEngine("FloorPlan1")
    bread = engine.latest.snapshot.nearest("Bread")
    assert bread is not None
    went = navigate_to(engine, Control(), NavigateGoal(bread.object_id, mode="path"))
    assert went.error_code == 0
    assert pick(engine, Control(), PickGoal(bread.object_id)).error_code == 0
    there = way(engine, SubGoal("navigate_to", "garbagecan"))
    assert way(engine, SubGoal("store", "bread", "garbagecan")) == pytest.approx(there)


def test_what_can_only_be_seen_is_found_from_where_it_is_seen() -> None:
    engine = SessionEngine("FloorPlan402")
    assert 0.0 < way(engine, SubGoal("find", "soapbar")) < 3.0
    assert math.isnan(way(engine, SubGoal("pick_up", "soapbar")))


@pytest.mark.parametrize(
    "goal",
    [
        SubGoal("find", "unicorn"),
        SubGoal("pick_up", "fridge"),
        SubGoal("open", "bread"),
        SubGoal("slice", "mug"),
        SubGoal("store", "bread", "bathtub"),
    ],
)
def test_what_can_not_be_done_has_no_way(goal: SubGoal) -> None:
    assert math.isnan(way(SessionEngine("FloorPlan1"), goal))
