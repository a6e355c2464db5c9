"""Unforced placing and navigation with a purpose, on the scenes of milo_sim in this process."""

import math

import pytest
from bridge_session_engine import SessionEngine

from milo_core.error_codes import NavigateToError, PlaceError
from milo_core.snapshot import SnapshotObject
from milo_sim_bridge import skills, viewpoints
from milo_sim_bridge.navigation import NavigateGoal, navigate_to
from milo_sim_bridge.skill_run import Control, EnginePose, SkillResult
from milo_sim_bridge.skills import PickGoal, PlaceGoal, SetOpenGoal

MODES = ("path", "teleport")
DRAWER = "Drawer|+00.30|+00.16|+01.16"
"""Of FloorPlan302: the alarm clock fits into it."""


def thing(engine: SessionEngine, kind: str) -> SnapshotObject:
    found = engine.latest.snapshot.nearest(kind)
    assert found is not None
    return found


def go(engine: SessionEngine, goal: NavigateGoal) -> SkillResult:
    engine.actions.clear()
    return navigate_to(engine, Control(), goal)


def done(result: SkillResult) -> SkillResult:
    assert (result.error_code, result.error_msg) == (0, "")
    return result


def here(engine: SessionEngine) -> EnginePose:
    state = engine.latest.snapshot
    return EnginePose(state.agent_position, state.agent_yaw, state.camera_horizon, state.standing)


def is_same(one: EnginePose, other: EnginePose) -> bool:
    near = math.dist(one.position, other.position) <= 0.1
    turn = (one.yaw - other.yaw + 180.0) % 360.0 - 180.0
    return near and abs(turn) <= 10.0


@pytest.fixture
def holding() -> tuple[SessionEngine, str]:
    """FloorPlan302 with the alarm clock in the hand, in front of an open drawer."""
    engine = SessionEngine("FloorPlan302")
    clock = thing(engine, "AlarmClock")
    drawer = engine.latest.snapshot.objects[DRAWER]
    done(go(engine, NavigateGoal(clock.object_id, mode="path")))
    done(skills.pick(engine, Control(), PickGoal(clock.object_id)))
    done(go(engine, NavigateGoal(drawer.object_id, mode="path", purpose="place")))
    done(skills.set_open(engine, Control(), SetOpenGoal(drawer.object_id, 1.0)))
    engine.actions.clear()
    return engine, drawer.object_id


def test_the_table_of_types_is_overruled_only_where_that_is_allowed(
    holding: tuple[SessionEngine, str],
) -> None:
    engine, drawer = holding
    refused = skills.place(engine, Control(), PlaceGoal(drawer))
    assert (refused.error_code, refused.type_forced) == (PlaceError.TYPE_NOT_ALLOWED, False)
    assert engine.actions == ["PutObject"]
    engine.actions.clear()
    placed = done(skills.place(engine, Control(), PlaceGoal(drawer, any_type=True)))
    assert engine.actions == ["PutObject", "PutObject"]
    assert placed.type_forced
    assert placed.receptacle_id == drawer


def test_an_allowed_type_is_not_forced() -> None:
    engine = SessionEngine("FloorPlan1")
    bread, fridge = thing(engine, "Bread"), thing(engine, "Fridge")
    done(go(engine, NavigateGoal(bread.object_id, mode="path")))
    done(skills.pick(engine, Control(), PickGoal(bread.object_id)))
    done(go(engine, NavigateGoal(fridge.object_id, mode="path", purpose="place")))
    done(skills.set_open(engine, Control(), SetOpenGoal(fridge.object_id, 1.0)))
    engine.actions.clear()
    goal = PlaceGoal(fridge.object_id, any_type=True)
    placed = done(skills.place(engine, Control(), goal))
    assert (placed.type_forced, engine.actions) == (False, ["PutObject"])


def test_the_object_is_turned_in_the_hand_first(holding: tuple[SessionEngine, str]) -> None:
    """Anticlockwise from above is the map frame's positive turn and Unity's negative one."""
    engine, drawer = holding
    held = engine.latest.snapshot.held_id
    assert held is not None
    before = engine.latest.snapshot.objects[held].rotation[1]
    skills.place(engine, Control(), PlaceGoal(drawer, turn=math.pi / 2))
    assert engine.actions == ["RotateHeldObject", "PutObject"]
    after = engine.latest.snapshot.objects[held].rotation[1]
    assert (after - before) % 360.0 == pytest.approx(270.0, abs=0.1)


def test_a_refused_turn_does_not_keep_it_from_placing() -> None:
    def refuse(action: str, _: object) -> str:
        return "no room to turn" if action == "RotateHeldObject" else ""

    engine = SessionEngine("FloorPlan1", refuse)
    bread, counter = thing(engine, "Bread"), thing(engine, "CounterTop")
    done(skills.pick(engine, Control(), PickGoal(bread.object_id, force=True)))
    goal = PlaceGoal(counter.object_id, force=True, turn=1.0)
    done(skills.place(engine, Control(), goal))
    assert engine.actions[-2:] == ["RotateHeldObject", "PutObject"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["SoapBar", "Cloth"])
def test_what_is_behind_glass_is_viewed(kind: str, mode: str) -> None:
    engine = SessionEngine("FloorPlan402")
    target = thing(engine, kind).object_id
    result = done(go(engine, NavigateGoal(target, mode=mode, purpose="view")))
    assert (result.viewing, result.poses_found) == (True, 0)
    seen = engine.step("GetVisibleObjects", maxDistance=100.0).action_return
    assert target in seen
    moved = {"Teleport", "TeleportFull"} & set(engine.actions)
    assert bool(moved) == (mode == "teleport")


@pytest.mark.parametrize("mode", MODES)
def test_excluded_views_make_room_for_others(mode: str) -> None:
    engine = SessionEngine("FloorPlan402")
    target = thing(engine, "Cloth").object_id
    taken: list[EnginePose] = []
    for _ in range(4):
        goal = NavigateGoal(target, mode=mode, purpose="view", excluded=tuple(taken))
        assert done(go(engine, goal)).viewing
        assert not any(is_same(here(engine), other) for other in taken)
        taken.append(here(engine))


def test_views_tried_in_vain_count_as_driven_and_not_as_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = SessionEngine("FloorPlan402")
    target = thing(engine, "SoapBar").object_id
    start = here(engine).position
    looks = iter([frozenset(), frozenset(), frozenset({target})])
    monkeypatch.setattr(viewpoints, "perceived", lambda _: next(looks))
    result = done(go(engine, NavigateGoal(target, mode="path", purpose="view")))
    assert result.viewing
    x, _, z = here(engine).position
    straight = abs(x - start[0]) + abs(z - start[2])
    assert result.shortest_length == pytest.approx(straight, abs=1e-3)
    assert result.path_length > result.shortest_length


@pytest.mark.parametrize("mode", MODES)
def test_what_can_be_interacted_with_is_not_only_viewed(mode: str) -> None:
    engine = SessionEngine("FloorPlan402")
    target = thing(engine, "Plunger").object_id
    result = done(go(engine, NavigateGoal(target, mode=mode, purpose="view")))
    assert not result.viewing
    assert engine.metadata(target)["isInteractable"]
    assert "GetVisibleObjects" not in engine.actions


@pytest.mark.parametrize("mode", MODES)
def test_what_is_in_a_closed_container_is_not_seen_from_anywhere(mode: str) -> None:
    engine = SessionEngine("FloorPlan1")
    inside = next(
        o
        for o in engine.latest.snapshot.objects.values()
        if o.pickupable and any(parent.startswith("Fridge") for parent in o.parent_receptacles)
    )
    result = go(engine, NavigateGoal(inside.object_id, mode=mode, purpose="view"))
    assert (result.error_code, result.viewing) == (NavigateToError.UNREACHABLE, False)
    assert "no pose that sees it was found" in result.error_msg


def test_an_unknown_purpose_is_no_goal() -> None:
    engine = SessionEngine("FloorPlan1")
    result = go(engine, NavigateGoal(thing(engine, "Mug").object_id, purpose="admire"))
    assert (result.error_code, engine.actions) == (NavigateToError.INVALID_GOAL, [])
    assert "'view'" in result.error_msg


@pytest.mark.parametrize("mode", MODES)
def test_excluded_poses_are_not_taken_again(mode: str) -> None:
    engine = SessionEngine("FloorPlan1")
    fridge = thing(engine, "Fridge").object_id
    taken: list[EnginePose] = []
    for _ in range(3):
        result = done(go(engine, NavigateGoal(fridge, mode=mode, excluded=tuple(taken))))
        pose = here(engine)
        assert not any(is_same(pose, other) for other in taken)
        assert engine.metadata(fridge)["isInteractable"]
        taken.append(pose)
    assert result.poses_found > 0


@pytest.mark.parametrize(
    ("mode", "code"),
    [("path", NavigateToError.UNREACHABLE), ("teleport", NavigateToError.NO_INTERACTABLE_POSE)],
)
def test_where_all_poses_are_excluded_it_says_how_many(mode: str, code: int) -> None:
    engine = SessionEngine("FloorPlan402")
    target = thing(engine, "Plunger").object_id
    rotations = {"rotations": [0.0, 90.0, 180.0, 270.0]} if mode == "path" else {}
    found = engine.step("GetInteractablePoses", objectId=target, **rotations).action_return
    excluded = tuple(EnginePose((p["x"], p["y"], p["z"]), p["rotation"] + 9.0) for p in found)
    result = go(engine, NavigateGoal(target, mode=mode, excluded=excluded))
    assert result.error_code == code
    assert f"({len(found)} were excluded)" in result.error_msg
    other_way = tuple(EnginePose(pose.position, pose.yaw + 45.0) for pose in excluded)
    done(go(engine, NavigateGoal(target, mode=mode, excluded=other_way)))


def test_excluded_poses_need_finite_numbers() -> None:
    engine = SessionEngine("FloorPlan1")
    for pose in (EnginePose((math.nan, 0.0, 0.0), 0.0), EnginePose((0.0, 0.0, 0.0), math.nan)):
        goal = NavigateGoal(thing(engine, "Fridge").object_id, excluded=(pose,))
        result = go(engine, goal)
        assert (result.error_code, engine.actions) == (NavigateToError.INVALID_GOAL, [])
        assert "excluded poses" in result.error_msg


@pytest.mark.parametrize(
    ("scene", "kind", "mode"),
    [
        ("FloorPlan1", "Fridge", "teleport"),
        ("FloorPlan201", "DiningTable", "path"),
        ("FloorPlan201", "DiningTable", "teleport"),
        ("FloorPlan301", "Bed", "path"),
    ],
)
def test_for_placing_the_robot_comes_closer(scene: str, kind: str, mode: str) -> None:
    gaps = {}
    for purpose in ("interact", "place"):
        engine = SessionEngine(scene)
        target = thing(engine, kind)
        done(go(engine, NavigateGoal(target.object_id, mode=mode, purpose=purpose)))
        x, _, z = engine.latest.snapshot.agent_position
        gaps[purpose] = math.hypot(x - target.box_center[0], z - target.box_center[2])
    assert gaps["place"] < gaps["interact"] - 0.1
