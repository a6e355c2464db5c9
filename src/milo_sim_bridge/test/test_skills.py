"""Skills over a scripted world in this process."""

import math
from collections.abc import Callable
from typing import Any

import bridge_scripted_player as scripted
import pytest
from bridge_scripted_player import APPLE, COUNTER, DRAWER, LAMP, MUG
from bridge_world_engine import WorldEngine

from milo_core.error_codes import (
    EngineError,
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.frames import AGENT_CENTRE_HEIGHT, Quaternion
from milo_sim_bridge import skills
from milo_sim_bridge.looking import LookAtGoal, look_at
from milo_sim_bridge.navigation import BasePose, NavigateGoal, navigate_to
from milo_sim_bridge.skill_run import Control, SkillResult
from milo_sim_bridge.skills import (
    PickGoal,
    PlaceGoal,
    ReleaseGoal,
    SetOpenGoal,
    SetToggledGoal,
    SliceGoal,
)

AHEAD = Quaternion(0.0, 0.0, 0.0, 1.0)


def done(result: SkillResult) -> SkillResult:
    assert (result.error_code, result.error_msg) == (0, "")
    return result


def pick_up(engine: WorldEngine, object_id: str = APPLE) -> None:
    done(skills.pick(engine, Control(), PickGoal(object_id, force=True)))
    engine.calls.clear()


def test_navigate_teleports_to_the_first_pose() -> None:
    engine = WorldEngine()
    stages: list[tuple[str, float]] = []
    control = Control(feedback=lambda stage, distance: stages.append((stage, distance)))
    result = done(navigate_to(engine, control, NavigateGoal(APPLE)))
    assert result.poses_found == 2
    assert engine.calls == [
        ("GetInteractablePoses", {"objectId": APPLE}),
        (
            "TeleportFull",
            {
                "position": {"x": 1.0, "y": scripted.FLOOR_HEIGHT, "z": 0.25},
                "rotation": {"x": 0, "y": 90.0, "z": 0},
                "horizon": 30.0,
                "standing": True,
            },
        ),
    ]
    assert stages == [
        ("querying_poses", 1.0),
        ("moving", pytest.approx(math.hypot(1.0, 0.25))),
    ]
    assert result.snapshot is not None
    assert result.snapshot.agent_position == (1.0, scripted.FLOOR_HEIGHT, 0.25)


def test_navigate_stops_within_the_wanted_distance() -> None:
    engine = WorldEngine()
    result = done(navigate_to(engine, Control(), NavigateGoal(APPLE, stop_distance=0.5)))
    assert result.poses_found == 1
    assert engine.calls[-1][1]["position"]["z"] == 0.5  # type: ignore[index]
    result = navigate_to(engine, Control(), NavigateGoal(APPLE, stop_distance=0.1))
    assert result.error_code == NavigateToError.NO_INTERACTABLE_POSE
    assert "within 0.1 m" in result.error_msg


def test_navigate_without_a_pose_stays() -> None:
    engine = WorldEngine()
    result = navigate_to(engine, Control(), NavigateGoal(MUG))
    assert (result.error_code, result.poses_found) == (NavigateToError.NO_INTERACTABLE_POSE, 0)
    assert MUG in result.error_msg
    assert [action for action, _ in engine.calls] == ["GetInteractablePoses"]


def test_navigate_to_a_pose_converts_the_frame_and_stays_on_the_floor() -> None:
    engine = WorldEngine()
    left = Quaternion(0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4))
    pose = BasePose("map", (2.0, -1.0, 0.3), left)
    result = done(navigate_to(engine, Control(), NavigateGoal(pose=pose)))
    ((action, arguments),) = engine.calls
    assert action == "Teleport"
    assert arguments["position"] == pytest.approx({"x": 1.0, "y": AGENT_CENTRE_HEIGHT, "z": 2.0})
    assert arguments["rotation"] == {"x": 0, "y": pytest.approx(270.0), "z": 0}
    assert result.poses_found == 0


def test_navigate_into_a_wall_is_blocked() -> None:
    pose = BasePose("map", (0.0, -9.0, 0.0), AHEAD)
    result = navigate_to(WorldEngine(), Control(), NavigateGoal(pose=pose))
    assert result.error_code == NavigateToError.BLOCKED
    assert "Wall is blocking" in result.error_msg


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        (NavigateGoal(), NavigateToError.INVALID_GOAL),
        (NavigateGoal("Nothing|1"), NavigateToError.OBJECT_NOT_FOUND),
        (NavigateGoal(APPLE, mode="fly"), NavigateToError.INVALID_GOAL),
        (NavigateGoal(APPLE, stop_distance=math.nan), NavigateToError.INVALID_GOAL),
        (NavigateGoal(APPLE, stop_distance=-1.0), NavigateToError.INVALID_GOAL),
        (NavigateGoal(pose=BasePose("", (0, 0, 0), AHEAD)), NavigateToError.INVALID_GOAL),
        (NavigateGoal(pose=BasePose("odom", (0, 0, 0), AHEAD)), NavigateToError.INVALID_GOAL),
        (NavigateGoal(pose=BasePose("map", (math.nan, 0, 0), AHEAD)), NavigateToError.INVALID_GOAL),
        (NavigateGoal(pose=BasePose("map", (0, 0, math.inf), AHEAD)), NavigateToError.INVALID_GOAL),
        (
            NavigateGoal(pose=BasePose("map", (0, 0, 0), Quaternion(0, 0, 0, 0))),
            NavigateToError.INVALID_GOAL,
        ),
        (
            NavigateGoal(pose=BasePose("map", (0, 0, 0), Quaternion(math.nan, 0, 0, 1))),
            NavigateToError.INVALID_GOAL,
        ),
    ],
)
def test_navigate_refuses_goals_without_asking_the_engine(goal: NavigateGoal, code: int) -> None:
    engine = WorldEngine()
    result = navigate_to(engine, Control(), goal)
    assert result.error_code == code
    assert result.error_msg.endswith(".")
    assert engine.calls == []


def test_pick_takes_the_object() -> None:
    engine = WorldEngine()
    result = done(skills.pick(engine, Control(), PickGoal(APPLE, force=True)))
    assert engine.calls == [("PickupObject", {"objectId": APPLE, "forceAction": True})]
    assert result.snapshot is not None
    assert result.snapshot.held_id == result.object_id == APPLE


def test_pick_failures() -> None:
    engine = WorldEngine()
    assert skills.pick(engine, Control(), PickGoal("")).error_code == PickError.INVALID_GOAL
    missing = skills.pick(engine, Control(), PickGoal("Mug|9"))
    assert missing.error_code == PickError.OBJECT_NOT_FOUND
    assert "'Mug|9'" in missing.error_msg
    heavy = skills.pick(engine, Control(), PickGoal(COUNTER, force=True))
    assert heavy.error_code == PickError.NOT_PICKUPABLE
    pick_up(engine)
    full = skills.pick(engine, Control(), PickGoal(MUG, force=True))
    assert full.error_code == PickError.HAND_FULL
    assert full.error_msg.startswith(
        "InvalidOperationException: Agent hand has something in it already!"
    )
    lie = skills.pick(WorldEngine("PickupObject"), Control(), PickGoal(APPLE))
    assert lie.error_code == PickError.NO_EFFECT
    assert "holds nothing" in lie.error_msg


@pytest.mark.parametrize("named", ["", APPLE])
def test_place_puts_the_held_object(named: str) -> None:
    engine = WorldEngine()
    pick_up(engine)
    done(skills.set_open(engine, Control(), SetOpenGoal(DRAWER, 1.0)))
    engine.calls.clear()
    result = done(skills.place(engine, Control(), PlaceGoal(DRAWER, named, force=True)))
    assert engine.calls == [("PutObject", {"objectId": DRAWER, "forceAction": True})]
    assert (result.object_id, result.receptacle_id) == (APPLE, DRAWER)


def test_place_failures() -> None:
    engine = WorldEngine()

    def place(*goal: str) -> SkillResult:
        return skills.place(engine, Control(), PlaceGoal(*goal))

    assert place("").error_code == PlaceError.INVALID_GOAL
    assert place("Shelf|1").error_code == PlaceError.OBJECT_NOT_FOUND
    assert place(COUNTER, "Fork|1").error_code == PlaceError.OBJECT_NOT_FOUND
    assert place(COUNTER).error_code == PlaceError.HAND_EMPTY
    assert place(COUNTER, APPLE).error_code == PlaceError.HAND_EMPTY
    pick_up(engine)
    other = place(COUNTER, MUG)
    assert (other.error_code, engine.calls) == (PlaceError.OTHER_OBJECT_HELD, [])
    assert f"holds {APPLE}, not {MUG}" in other.error_msg
    assert place(DRAWER).error_code == PlaceError.RECEPTACLE_CLOSED
    assert place(MUG).error_code == PlaceError.NOT_A_RECEPTACLE


def test_place_that_lands_elsewhere_has_no_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = WorldEngine("PutObject")
    pick_up(engine)
    held = skills.place(engine, Control(), PlaceGoal(COUNTER))
    assert held.error_code == PlaceError.NO_EFFECT
    assert "still in the hand" in held.error_msg
    engine = WorldEngine()
    pick_up(engine)
    aside = engine.world.do_PutObject
    monkeypatch.setattr(engine.world, "do_PutObject", lambda _: aside({"objectId": COUNTER}))
    missed = skills.place(engine, Control(), PlaceGoal(DRAWER, force=True))
    assert missed.error_code == PlaceError.NO_EFFECT
    assert f"{APPLE} is in or on {COUNTER}, not in or on {DRAWER}" in missed.error_msg
    assert (missed.object_id, missed.receptacle_id) == (APPLE, COUNTER)


@pytest.mark.parametrize(
    ("openness", "call"),
    [
        (1.0, ("OpenObject", {"objectId": DRAWER, "forceAction": True})),
        (0.5, ("OpenObject", {"objectId": DRAWER, "forceAction": True, "openness": 0.5})),
        (0.0, ("CloseObject", {"objectId": DRAWER, "forceAction": True})),
    ],
)
def test_set_open(openness: float, call: tuple[str, dict[str, Any]]) -> None:
    engine = WorldEngine()
    result = done(skills.set_open(engine, Control(), SetOpenGoal(DRAWER, openness, force=True)))
    assert engine.calls == [call]
    assert result.snapshot is not None
    assert result.snapshot.objects[DRAWER].openness == openness


@pytest.mark.parametrize("openness", [math.nan, -0.01, 1.01, math.inf])
def test_set_open_refuses_what_is_no_degree(openness: float) -> None:
    engine = WorldEngine()
    result = skills.set_open(engine, Control(), SetOpenGoal(DRAWER, openness))
    assert (result.error_code, engine.calls) == (SetOpenError.INVALID_GOAL, [])
    assert "0..1" in result.error_msg


def test_set_open_failures() -> None:
    engine = WorldEngine("CloseObject")
    rigid = skills.set_open(engine, Control(), SetOpenGoal(APPLE, 1.0, force=True))
    assert (rigid.error_code, rigid.error_msg) == (
        SetOpenError.NOT_OPENABLE,
        f"{APPLE} is not an Openable object",
    )
    done(skills.set_open(engine, Control(), SetOpenGoal(DRAWER, 1.0)))
    stuck = skills.set_open(engine, Control(), SetOpenGoal(DRAWER, 0.0))
    assert stuck.error_code == SetOpenError.NO_EFFECT
    assert "open to 1, not 0" in stuck.error_msg


def test_set_toggled() -> None:
    engine = WorldEngine()
    on = done(skills.set_toggled(engine, Control(), SetToggledGoal(LAMP, True, force=True)))
    assert engine.calls == [("ToggleObjectOn", {"objectId": LAMP, "forceAction": True})]
    assert (on.object_id, engine.latest.snapshot.objects[LAMP].is_toggled) == (LAMP, True)
    again = skills.set_toggled(engine, Control(), SetToggledGoal(LAMP, True))
    assert again.error_code == SetToggledError.ALREADY_IN_STATE
    done(skills.set_toggled(engine, Control(), SetToggledGoal(LAMP, False)))
    assert engine.calls[-1] == ("ToggleObjectOff", {"objectId": LAMP, "forceAction": False})
    rigid = skills.set_toggled(engine, Control(), SetToggledGoal(MUG, True))
    assert rigid.error_code == SetToggledError.NOT_TOGGLEABLE
    missing = skills.set_toggled(engine, Control(), SetToggledGoal("Lamp|9", True))
    assert missing.error_code == SetToggledError.OBJECT_NOT_FOUND
    nothing = skills.set_toggled(engine, Control(), SetToggledGoal("", True))
    assert nothing.error_code == SetToggledError.INVALID_GOAL
    lie = skills.set_toggled(
        WorldEngine("ToggleObjectOn"), Control(), SetToggledGoal(LAMP, toggled=True)
    )
    assert lie.error_code == SetToggledError.NO_EFFECT
    assert "still off" in lie.error_msg


def test_slice() -> None:
    engine = WorldEngine()
    cut = done(skills.slice_object(engine, Control(), SliceGoal(APPLE, force=True)))
    assert engine.calls == [("SliceObject", {"objectId": APPLE, "forceAction": True})]
    assert cut.piece_ids == (f"{APPLE}|AppleSliced_0", f"{APPLE}|AppleSliced_1")
    twice = skills.slice_object(engine, Control(), SliceGoal(APPLE))
    assert (twice.error_code, len(engine.calls)) == (SliceError.ALREADY_SLICED, 1)
    hard = skills.slice_object(engine, Control(), SliceGoal(MUG))
    assert hard.error_code == SliceError.NOT_SLICEABLE
    missing = skills.slice_object(engine, Control(), SliceGoal("Apple|9"))
    assert missing.error_code == SliceError.OBJECT_NOT_FOUND
    lie = skills.slice_object(WorldEngine("SliceObject"), Control(), SliceGoal(APPLE))
    assert (lie.error_code, lie.piece_ids) == (SliceError.NO_EFFECT, ())


def test_look_at_an_object() -> None:
    engine = WorldEngine()
    # The counter's centre is to the right and below the camera.
    result = done(look_at(engine, Control(), LookAtGoal(COUNTER)))
    down = math.degrees(math.atan2(scripted.FLOOR_HEIGHT + 0.675 - 0.9, math.sqrt(2)))
    assert engine.calls == [
        ("RotateRight", {"degrees": pytest.approx(45.0)}),
        ("LookDown", {"degrees": pytest.approx(down, abs=0.05)}),
    ]
    assert result.angle_error < math.radians(0.1)
    engine.calls.clear()
    done(look_at(engine, Control(), LookAtGoal(LAMP)))
    assert [action for action, _ in engine.calls] == ["RotateLeft", "LookUp"]
    engine.calls.clear()
    done(look_at(engine, Control(), LookAtGoal(LAMP)))
    assert engine.calls == []


def test_look_at_a_point_goes_as_far_as_the_head_can() -> None:
    engine = WorldEngine()
    # In the map x is ahead: a point near the feet needs 72 degrees, the head goes to 60.
    feet = LookAtGoal(frame="map", point=(0.5, 0.0, 0.0))
    result = done(look_at(engine, Control(), feet))
    assert engine.calls == [("LookDown", {"degrees": 60.0})]
    assert math.degrees(result.angle_error) == pytest.approx(72.4 - 60.0, abs=0.1)
    above = look_at(engine, Control(), LookAtGoal(frame="map", point=(0.1, 0.0, 2.5)))
    assert above.error_code == LookAtError.OUT_OF_RANGE
    assert len(engine.calls) == 1
    lie = look_at(WorldEngine("LookDown"), Control(), feet)
    assert lie.error_code == LookAtError.NO_EFFECT


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        (LookAtGoal(), LookAtError.INVALID_GOAL),
        (LookAtGoal(frame="odom", point=(1, 1, 1)), LookAtError.INVALID_GOAL),
        (LookAtGoal(frame="map"), LookAtError.INVALID_GOAL),
        (LookAtGoal(frame="map", point=(0, math.inf, 0)), LookAtError.INVALID_GOAL),
        (LookAtGoal("Mug|0"), LookAtError.OBJECT_NOT_FOUND),
    ],
)
def test_look_at_refuses_what_is_no_place(goal: LookAtGoal, code: int) -> None:
    engine = WorldEngine()
    assert look_at(engine, Control(), goal).error_code == code
    assert engine.calls == []


def test_release() -> None:
    engine = WorldEngine()
    empty = skills.release(engine, Control(), ReleaseGoal())
    assert empty.error_code == ReleaseError.HAND_EMPTY
    pick_up(engine)
    other = skills.release(engine, Control(), ReleaseGoal(MUG))
    assert other.error_code == ReleaseError.OTHER_OBJECT_HELD
    result = done(skills.release(engine, Control(), ReleaseGoal(APPLE)))
    assert engine.calls == [("DropHandObject", {"forceAction": False})]
    assert result.object_id == APPLE
    engine = WorldEngine("DropHandObject")
    pick_up(engine)
    lie = skills.release(engine, Control(), ReleaseGoal())
    assert lie.error_code == ReleaseError.NO_EFFECT


Skill = Callable[[WorldEngine, Control], SkillResult]
ALL_SKILLS: list[tuple[Skill, str, int]] = [
    (
        lambda e, c: navigate_to(e, c, NavigateGoal(APPLE)),
        "GetInteractablePoses",
        NavigateToError.CANCELED,
    ),
    (
        lambda e, c: navigate_to(e, c, NavigateGoal(APPLE)),
        "TeleportFull",
        NavigateToError.CANCELED,
    ),
    (lambda e, c: skills.pick(e, c, PickGoal(APPLE)), "PickupObject", PickError.CANCELED),
    (
        lambda e, c: skills.place(e, c, PlaceGoal(COUNTER, force=True)),
        "PutObject",
        PlaceError.CANCELED,
    ),
    (
        lambda e, c: skills.set_open(e, c, SetOpenGoal(DRAWER, 1)),
        "OpenObject",
        SetOpenError.CANCELED,
    ),
    (
        lambda e, c: navigate_to(e, c, NavigateGoal(APPLE, mode="path")),
        "GetReachablePositions",
        NavigateToError.CANCELED,
    ),
    (
        lambda e, c: skills.set_toggled(e, c, SetToggledGoal(LAMP, True)),
        "ToggleObjectOn",
        SetToggledError.CANCELED,
    ),
    (lambda e, c: skills.slice_object(e, c, SliceGoal(APPLE)), "SliceObject", SliceError.CANCELED),
    (lambda e, c: look_at(e, c, LookAtGoal(COUNTER)), "RotateRight", LookAtError.CANCELED),
    (lambda e, c: skills.release(e, c, ReleaseGoal()), "DropHandObject", ReleaseError.CANCELED),
]


@pytest.mark.parametrize(("skill", "before", "code"), ALL_SKILLS)
def test_cancel_is_honoured_before_every_engine_action(
    skill: Skill, before: str, code: int
) -> None:
    engine = WorldEngine()
    earlier = {"TeleportFull": 1, "GetReachablePositions": 1}.get(before, 0)
    control = Control(canceled=lambda: len(engine.calls) >= earlier)
    result = skill(engine, control)
    assert result.error_code == code
    assert before in result.error_msg
    assert before not in [action for action, _ in engine.calls]


@pytest.mark.parametrize(("skill", "before", "code"), ALL_SKILLS)
def test_the_engines_failure_is_the_skills_failure(skill: Skill, before: str, code: int) -> None:
    engine = WorldEngine()
    engine.failing = before
    died = skill(engine, Control())
    assert (died.error_code, died.snapshot) == (EngineError.ENGINE_DIED, None)
    assert skill(engine, Control()).error_code == EngineError.ENGINE_NOT_READY
