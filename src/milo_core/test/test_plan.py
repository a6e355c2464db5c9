import math

import pytest

from milo_core.actions import ACTIONS, UnknownActionError, get_action
from milo_core.plan import IssueCode, PlannedStep, errors_of, goal_holds, validate
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, Provenance, WorldModel

STORE = SubGoal("store", "mug", "drawer")


@pytest.fixture
def world(change):
    return WorldModel.from_snapshot(change(), step=4, episode=1, stamp=2.5)


def step(action, obj="mug", **more):
    return PlannedStep(action, {"object": obj, **more})


PLACE = step("place", receptacle="drawer")
GOOD = [
    step("locate"),
    step("navigate"),
    step("pickup"),
    step("locate", "drawer"),
    step("navigate", "drawer"),
    step("open", "drawer"),
    PLACE,
    step("close", "drawer"),
]


def test_model_from_snapshot_is_truth_in_the_map_frame(world):
    mug = world.objects["Mug|1"]
    assert mug.position == (3.0, -1.0, 2.0)
    assert mug.box_size == (0.3, 0.1, 0.2)
    assert mug.provenance is Provenance.SIMULATED
    assert mug.observed == 2.5
    assert mug.is_open is None
    assert math.isnan(mug.openness)
    assert world.objects["Drawer|near"].is_open is False


def test_names_resolve_nearest_first_and_unknown_distances_last(world):
    assert [o.object_id for o in world.instances("drawers")] == ["Drawer|near", "Drawer|far"]
    world.objects["Drawer|near"].distance = math.nan
    assert world.nearest("drawer").object_id == "Drawer|far"
    assert world.nearest("Drawer|near").object_id == "Drawer|near"
    assert world.nearest("unicorn") is None


def test_older_observations_never_replace_newer_ones(world):
    old = ObjectBelief("Mug|1", "Mug", (9, 9, 9), (9, 9, 9), (1, 1, 1), observed=1.0)
    world.fold([old])
    assert world.objects["Mug|1"].position == (3.0, -1.0, 2.0)
    new = ObjectBelief("Mug|1", "Mug", (9, 9, 9), (9, 9, 9), (1, 1, 1), observed=3.0)
    world.fold([new])
    assert world.objects["Mug|1"].position == (9, 9, 9)


def test_a_good_plan_is_valid_and_leaves_the_world_alone(world):
    assert validate(GOOD, world, STORE) == []
    assert world.held_id is None
    assert world.objects["Drawer|near"].is_open is False
    assert not world.located


def codes(steps, world, goal=STORE):
    return [(issue.code, issue.step) for issue in validate(steps, world, goal)]


def test_each_kind_of_issue(world):
    assert codes([step("fly")], world, None) == [(IssueCode.UNKNOWN_ACTION, 1)]
    assert codes([PlannedStep("locate", {})], world, None) == [(IssueCode.MISSING_ARGUMENT, 1)]
    extra = PlannedStep("locate", {"object": "mug", "container": "drawer"})
    assert codes([extra], world, None) == [(IssueCode.UNKNOWN_ARGUMENT, 1)]
    assert codes([step("locate", "vase")], world, None) == [(IssueCode.OBJECT_UNKNOWN, 1)]
    assert codes([step("pickup")], world, None) == [(IssueCode.PRECONDITION_FAILED, 1)]
    assert codes([step("locate"), step("locate")], world, None) == [(IssueCode.DUPLICATE_STEP, 2)]
    assert codes(GOOD[:3], world) == [(IssueCode.GOAL_NOT_SATISFIED, None)]


@pytest.mark.parametrize("left_out", [0, 1, 2, 3, 4, 5, 6])
def test_leaving_out_any_needed_step_makes_the_plan_invalid(world, left_out):
    assert errors_of(validate(GOOD[:left_out] + GOOD[left_out + 1 :], world, STORE))


def test_a_duplicate_is_only_a_warning(world):
    assert errors_of(validate([GOOD[0], *GOOD], world, STORE)) == []


def test_precondition_messages_say_what_must_hold(world):
    (message,) = errors_of(validate([step("locate"), step("pickup")], world))
    assert message == "step 2, pickup(mug): the robot must stand near mug (target_near)"


def test_a_full_hand_forbids_another_pickup(world):
    steps = [*GOOD[:3], step("pickup")]
    assert any("hand_empty" in text for text in errors_of(validate(steps, world)))


def test_goal_without_symbolic_test_does_not_invalidate(world):
    assert validate(GOOD[:2], world, SubGoal("clean", "mug")) == []
    assert goal_holds(SubGoal("clean", "mug"), world) is None
    assert goal_holds(SubGoal("find", "vase"), world) is False


def test_effects_of_put_down(world):
    ACTIONS["pickup"].apply(world, {"object": "Mug|1"})
    assert world.objects["CounterTop|1"].receptacle_object_ids == ()
    assert goal_holds(SubGoal("pick_up", "mug"), world)
    ACTIONS["put_down"].apply(world, {"object": "Mug|1"})
    assert world.held_id is None


def test_action_table_is_complete():
    for action in ACTIONS.values():
        assert action.description.endswith(".")
        roles = {role.name for role in action.roles}
        for condition in action.preconditions:
            assert condition.sentence.format_map(dict.fromkeys(roles, "it"))
    with pytest.raises(UnknownActionError, match="no action 'fly'; use close, locate"):
        get_action("fly")


def test_state_actions_have_preconditions_and_effects(world):
    mug = world.objects["Mug|1"]
    mug.is_toggled, mug.is_sliced, mug.visible = False, False, False
    steps = [step("locate"), step("navigate")]
    for verb, action, undo in (
        ("turn_on", "toggle_on", "toggle_off"),
        ("slice", "slice", "slice"),
        ("look_at", "look", None),
    ):
        goal = SubGoal(verb, "mug")
        assert goal_holds(goal, world) is False
        assert validate([*steps, step(action)], world, goal) == []
        assert validate([step(action)], world, goal)
        if undo:
            ACTIONS[action].apply(world, {"object": "Mug|1"})
            assert goal_holds(goal, world) is True
            again = [*steps, step(action)]
            assert (IssueCode.PRECONDITION_FAILED, 3) in codes(again, world, goal)
    assert goal_holds(SubGoal("turn_off", "mug"), world) is False
    assert validate([*steps, step("toggle_off")], world, SubGoal("turn_off", "mug")) == []


def test_what_is_held_can_not_be_cut(world):
    texts = errors_of(validate([*GOOD[:3], step("slice")], world))
    assert any("not_holding_target" in text for text in texts)
