"""What the bridge refuses by itself when a goal is not forced, over a scripted world."""

import math
from collections.abc import Callable

import pytest
from bridge_scripted_player import APPLE, COUNTER, DRAWER, LAMP, MUG
from bridge_world_engine import WorldEngine

from milo_core.error_codes import PickError, PlaceError, SetOpenError, SetToggledError, SliceError
from milo_sim_bridge import skills
from milo_sim_bridge.skill_run import Control, SkillResult
from milo_sim_bridge.skills import PickGoal, PlaceGoal, SetOpenGoal, SetToggledGoal, SliceGoal

Skill = Callable[[WorldEngine], SkillResult]

PICK: Skill = lambda e: skills.pick(e, Control(), PickGoal(APPLE))  # noqa: E731
PICK_MUG: Skill = lambda e: skills.pick(e, Control(), PickGoal(MUG))  # noqa: E731
PLACE: Skill = lambda e: skills.place(e, Control(), PlaceGoal(COUNTER))  # noqa: E731
OPEN: Skill = lambda e: skills.set_open(e, Control(), SetOpenGoal(DRAWER, 1.0))  # noqa: E731
SWITCH: Skill = lambda e: skills.set_toggled(  # noqa: E731
    e, Control(), SetToggledGoal(LAMP, True)
)
CUT: Skill = lambda e: skills.slice_object(e, Control(), SliceGoal(APPLE))  # noqa: E731


def world(*, holding: str = "", hidden: bool = False, far: bool = False) -> WorldEngine:
    """A world in which nothing is in sight, or everything is at the other end of the room too."""
    engine = WorldEngine()
    if holding:
        assert skills.pick(engine, Control(), PickGoal(holding, force=True)).error_code == 0
    for obj in engine.world.objects.values():
        obj["visible"] = not (hidden or far)
    if far:
        engine.world.agent["x"] = -4.0
    engine.step("Pass")
    engine.calls.clear()
    return engine


@pytest.mark.parametrize(
    ("skill", "engine", "code", "words"),
    [
        (
            lambda e: skills.pick(e, Control(), PickGoal(COUNTER)),
            {},
            PickError.NOT_PICKUPABLE,
            "can't be picked up",
        ),
        (PICK_MUG, {"holding": APPLE}, PickError.HAND_FULL, f"holds {APPLE}"),
        (PICK_MUG, {}, PickError.CONTAINER_CLOSED, f"in {DRAWER}, which is closed"),
        (PICK, {"hidden": True}, PickError.NOT_VISIBLE, "1.27 m away, but not in sight"),
        (PICK, {"far": True}, PickError.TOO_FAR, "5.02 m away, and the arm reaches 1.5 m"),
        (PLACE, {}, PlaceError.HAND_EMPTY, "holds nothing"),
        (
            lambda e: skills.place(e, Control(), PlaceGoal(LAMP)),
            {"holding": APPLE},
            PlaceError.NOT_A_RECEPTACLE,
            "takes no objects",
        ),
        (
            lambda e: skills.place(e, Control(), PlaceGoal(COUNTER, MUG)),
            {"holding": APPLE},
            PlaceError.OTHER_OBJECT_HELD,
            f"holds {APPLE}, not {MUG}",
        ),
        (
            lambda e: skills.place(e, Control(), PlaceGoal(DRAWER)),
            {"holding": APPLE},
            PlaceError.RECEPTACLE_CLOSED,
            "is closed; open it first",
        ),
        (
            lambda e: skills.place(e, Control(), PlaceGoal(COUNTER, turn=math.nan)),
            {"holding": APPLE},
            PlaceError.INVALID_GOAL,
            "turn must be",
        ),
        (PLACE, {"holding": APPLE, "hidden": True}, PlaceError.NOT_VISIBLE, "not in sight"),
        (PLACE, {"holding": APPLE, "far": True}, PlaceError.TOO_FAR, "the arm reaches"),
        (
            lambda e: skills.set_open(e, Control(), SetOpenGoal(LAMP, 1.0)),
            {},
            SetOpenError.NOT_OPENABLE,
            "can't be opened",
        ),
        (OPEN, {"far": True}, SetOpenError.TOO_FAR, "the arm reaches"),
        (
            lambda e: skills.set_toggled(e, Control(), SetToggledGoal(APPLE, True)),
            {},
            SetToggledError.NOT_TOGGLEABLE,
            "has no switch",
        ),
        (SWITCH, {"far": True}, SetToggledError.TOO_FAR, "the arm reaches"),
        (
            lambda e: skills.slice_object(e, Control(), SliceGoal(LAMP)),
            {},
            SliceError.NOT_SLICEABLE,
            "can't be cut",
        ),
        (CUT, {"hidden": True}, SliceError.NOT_VISIBLE, "not in sight"),
        (CUT, {"far": True}, SliceError.TOO_FAR, "the arm reaches"),
    ],
)
def test_a_failed_check_takes_no_engine_action(
    skill: Skill, engine: dict[str, object], code: int, words: str
) -> None:
    bridge = world(**engine)  # type: ignore[arg-type]
    result = skill(bridge)
    assert (result.error_code, bridge.calls) == (code, [])
    assert words in result.error_msg
    assert result.error_msg.endswith(".")
    assert result.snapshot is not None


@pytest.mark.parametrize(
    ("object_id", "skill", "code"),
    [
        (DRAWER, OPEN, SetOpenError.NOT_VISIBLE),
        (LAMP, SWITCH, SetToggledError.NOT_VISIBLE),
    ],
)
def test_what_is_near_but_hidden_is_not_visible(object_id: str, skill: Skill, code: int) -> None:
    engine = world(hidden=True)
    place = engine.world.objects[object_id]["position"]
    engine.world.agent |= {"x": place["x"], "z": place["z"] - 1.0}
    engine.step("Pass")
    engine.calls.clear()
    result = skill(engine)
    assert (result.error_code, engine.calls) == (code, [])


@pytest.mark.parametrize("skill", [PICK, OPEN, SWITCH, CUT])
def test_what_the_engine_calls_visible_is_left_to_the_engine(skill: Skill) -> None:
    engine = world(far=True)
    for obj in engine.world.objects.values():
        obj["visible"] = True
    engine.step("Pass")
    engine.calls.clear()
    assert skill(engine).error_code == 0
    (call,) = engine.calls
    assert call[1]["forceAction"] is False


def test_a_forced_goal_is_not_checked() -> None:
    engine = world(far=True)
    assert skills.pick(engine, Control(), PickGoal(MUG, force=True)).error_code == 0
    place = PlaceGoal(COUNTER, force=True)
    assert skills.place(engine, Control(), place).error_code == 0
    assert [arguments["forceAction"] for _, arguments in engine.calls] == [True, True]


def test_what_lies_on_a_closed_toilet_is_not_shut_in() -> None:
    engine = world()
    engine.world.objects[DRAWER]["objectType"] = "Toilet"
    engine.step("Pass")
    assert skills.pick(engine, Control(), PickGoal(MUG)).error_code == 0
