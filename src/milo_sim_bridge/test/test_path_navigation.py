"""NavigateTo along a path, LookAt and the other skills, on milo_sim in this process."""

import math
from statistics import fmean

import pytest
from bridge_session_engine import SessionEngine

from milo_core.error_codes import NavigateToError, SetToggledError, SliceError
from milo_core.frames import (
    AGENT_CENTRE_HEIGHT,
    quaternion_from_yaw,
    to_map,
    yaw_to_map,
)
from milo_core.object_types import to_object_type
from milo_core.snapshot import SnapshotObject
from milo_core.tasks import load_tasks
from milo_sim_bridge.looking import LookAtGoal, look_at
from milo_sim_bridge.navigation import BasePose, NavigateGoal, navigate_to
from milo_sim_bridge.skill_run import Control, SkillResult
from milo_sim_bridge.skills import SetToggledGoal, SliceGoal, set_toggled, slice_object

WITHOUT_POSE = {("FloorPlan402", kind) for kind in ("Cloth", "Shelf", "SoapBar")}
"""They are in the shower; the shelf is the one that is nearest at the start."""
SCENES = sorted({task.scene for task in load_tasks()})


def things(scene: str) -> list[str]:
    """Types of all objects and targets of the benchmark's tasks in a scene."""
    names = {
        name
        for task in load_tasks()
        if task.scene == scene
        for goal in task.sub_goals()
        for name in (goal.object, goal.target)
        if name
    }
    return sorted({to_object_type(name) for name in names})


def reachable(engine: SessionEngine) -> set[tuple[float, float]]:
    positions = engine.step("GetReachablePositions").action_return
    return {(round(p["x"], 3), round(p["z"], 3)) for p in positions}


def open_containers(engine: SessionEngine, target: SnapshotObject) -> None:
    for parent in target.parent_receptacles:
        if engine.latest.snapshot.objects[parent].openable:
            assert engine.step("OpenObject", objectId=parent, forceAction=True).success


def drive(engine: SessionEngine, goal: NavigateGoal) -> SkillResult:
    engine.actions.clear()
    engine.visited.clear()
    return navigate_to(engine, Control(), goal)


def yaw_of(engine: SessionEngine) -> float:
    return engine.latest.snapshot.agent_yaw


@pytest.mark.parametrize("scene", SCENES)
def test_every_object_and_target_is_driven_to(scene: str) -> None:
    ratios = []
    for kind in things(scene):
        engine = SessionEngine(scene)
        target = engine.latest.snapshot.nearest(kind)
        assert target is not None, f"{scene} has no {kind}"
        open_containers(engine, target)
        cells = reachable(engine)
        poses = engine.step("GetInteractablePoses", objectId=target.object_id).action_return
        result = drive(engine, NavigateGoal(target.object_id, mode="path"))
        assert set(engine.visited) <= cells
        assert not {"Teleport", "TeleportFull"} & set(engine.actions)
        assert result.poses_found == len(poses)
        if poses:
            assert (result.error_code, result.error_msg) == (0, ""), f"{scene} {kind}"
            assert engine.metadata(target.object_id)["isInteractable"], f"{scene} {kind}"
            if result.shortest_length:
                ratios.append(result.path_length / result.shortest_length)
        else:
            assert result.error_code == NavigateToError.UNREACHABLE
            assert (scene, kind) in WITHOUT_POSE
            pose = result.viewing_pose
            assert pose is not None
            assert (round(pose.position[0], 3), round(pose.position[2], 3)) in cells
    assert min(ratios) >= 1.0 - 1e-6
    assert fmean(ratios) <= 1.05


def test_the_way_is_announced_and_ends_at_the_pose() -> None:
    engine = SessionEngine("FloorPlan1")
    shelf = engine.latest.snapshot.nearest("Shelf")
    assert shelf is not None
    told: list[tuple[str, float]] = []
    control = Control(feedback=lambda stage, distance: told.append((stage, distance)))
    result = navigate_to(engine, control, NavigateGoal(shelf.object_id, mode="path"))
    assert result.error_code == 0
    assert [stage for stage, _ in told[:2]] == ["querying_poses", "planning"]
    moving = [distance for stage, distance in told if stage == "moving"]
    assert moving[0] == pytest.approx(result.path_length)
    assert moving == sorted(moving, reverse=True)
    assert moving[-1] == pytest.approx(0.0, abs=0.251)
    assert {"GetInteractablePoses", "GetReachablePositions", "MoveAhead"} <= set(engine.actions)


def pose_at(x: float, z: float, yaw: float) -> BasePose:
    east, north, up = to_map(x, AGENT_CENTRE_HEIGHT, z)
    facing = quaternion_from_yaw(yaw_to_map(yaw))
    return BasePose("map", (east, north, up - AGENT_CENTRE_HEIGHT), facing)


def test_a_pose_is_driven_to_and_faced() -> None:
    engine = SessionEngine("FloorPlan1")
    x, z = max(reachable(engine))
    result = drive(engine, NavigateGoal(pose=pose_at(x + 0.04, z, 123.0), mode="path"))
    assert (result.error_code, result.error_msg) == (0, "")
    assert engine.visited[-1] == (x, z)
    assert yaw_of(engine) == pytest.approx(123.0)
    # From a heading between the grid's four, too.
    back = drive(engine, NavigateGoal(pose=pose_at(*min(reachable(engine)), 0.0), mode="path"))
    assert back.error_code == 0
    assert engine.visited[-1] == min(reachable(engine))


def test_a_pose_in_the_wall_is_unreachable() -> None:
    engine = SessionEngine("FloorPlan1")
    result = drive(engine, NavigateGoal(pose=pose_at(9.0, 9.0, 0.0), mode="path"))
    assert result.error_code == NavigateToError.UNREACHABLE
    assert engine.actions == ["GetReachablePositions"]


def test_stop_distance_holds_for_a_path() -> None:
    engine = SessionEngine("FloorPlan1")
    fridge = engine.latest.snapshot.nearest("Fridge")
    assert fridge is not None
    for limit in (0.0, 1.0):
        goal = NavigateGoal(fridge.object_id, mode="path", stop_distance=limit)
        assert drive(engine, goal).error_code == 0
    x, _, z = engine.latest.snapshot.agent_position
    assert math.hypot(x - fridge.box_center[0], z - fridge.box_center[2]) <= 1.0
    too_near = NavigateGoal(fridge.object_id, mode="path", stop_distance=0.01)
    result = drive(engine, too_near)
    assert result.error_code == NavigateToError.UNREACHABLE
    assert "within 0.01 m" in result.error_msg
    assert result.viewing_pose is not None


class Wall:
    """Refuses to let the agent out of a cell in some direction."""

    def __init__(self, crossings: int) -> None:
        self.crossings = crossings
        self.refused: set[tuple[float, float, float]] = set()

    def __call__(self, action: str, state: object) -> str:
        x, _, z = state.agent_position  # type: ignore[attr-defined]
        here = (round(x, 2), round(z, 2), round(state.agent_yaw))  # type: ignore[attr-defined]
        if action != "MoveAhead":
            return ""
        if here not in self.refused and len(self.refused) < self.crossings:
            self.refused.add(here)
        return "A cat is blocking Agent 0 from moving." if here in self.refused else ""


def test_a_blocked_way_is_planned_anew() -> None:
    wall = Wall(3)
    engine = SessionEngine("FloorPlan203", wall)
    vase = engine.latest.snapshot.nearest("Vase")
    assert vase is not None
    result = drive(engine, NavigateGoal(vase.object_id, mode="path"))
    assert (result.error_code, result.error_msg) == (0, "")
    assert len(wall.refused) == 3
    assert engine.actions.count("MoveAhead") == 3 + result.path_length / engine.grid_size
    assert engine.metadata(vase.object_id)["isInteractable"]
    assert result.path_length > result.shortest_length


def test_where_every_way_is_blocked_it_says_so() -> None:
    engine = SessionEngine("FloorPlan1", Wall(10_000))
    shelf = engine.latest.snapshot.nearest("Shelf")
    assert shelf is not None
    start = engine.latest.snapshot.agent_position
    result = drive(engine, NavigateGoal(shelf.object_id, mode="path"))
    assert result.error_code == NavigateToError.BLOCKED
    assert result.error_msg == "A cat is blocking Agent 0 from moving."
    assert engine.latest.snapshot.agent_position == start
    assert engine.actions.count("MoveAhead") <= 4


def test_a_drive_can_be_cancelled_on_the_way() -> None:
    engine = SessionEngine("FloorPlan1")
    shelf = engine.latest.snapshot.nearest("Shelf")
    assert shelf is not None
    control = Control(canceled=lambda: "MoveAhead" in engine.actions)
    result = navigate_to(engine, control, NavigateGoal(shelf.object_id, mode="path"))
    assert result.error_code == NavigateToError.CANCELED
    assert engine.actions.count("MoveAhead") == 1
    assert result.path_length == pytest.approx(0.25)


def test_every_object_in_reach_can_be_looked_at() -> None:
    engine = SessionEngine("FloorPlan301")
    for kind in ("Bed", "Desk", "Laptop", "Book"):
        target = engine.latest.snapshot.nearest(kind)
        assert target is not None
        result = look_at(engine, Control(), LookAtGoal(target.object_id))
        assert (result.error_code, result.error_msg) == (0, "")
        assert result.angle_error < math.radians(30)


def test_toggling_and_cutting_in_the_kitchen() -> None:
    engine = SessionEngine("FloorPlan1")
    objects = engine.latest.snapshot.objects.values()
    switch = next(o for o in objects if o.toggleable and o.object_type == "LightSwitch")
    goal = SetToggledGoal(switch.object_id, not switch.is_toggled, force=True)
    assert set_toggled(engine, Control(), goal).error_code == 0
    assert set_toggled(engine, Control(), goal).error_code == SetToggledError.ALREADY_IN_STATE
    bread = engine.latest.snapshot.nearest("Bread")
    assert bread is not None
    cut = slice_object(engine, Control(), SliceGoal(bread.object_id, force=True))
    assert (cut.error_code, cut.error_msg) == (0, "")
    assert len(cut.piece_ids) > 1
    assert all(piece.startswith(f"{bread.object_id}|BreadSliced_") for piece in cut.piece_ids)
    again = slice_object(engine, Control(), SliceGoal(bread.object_id, force=True))
    assert again.error_code == SliceError.ALREADY_SLICED
