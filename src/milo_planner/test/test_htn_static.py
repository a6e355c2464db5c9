"""Static plans of the task network: those of the rule-based planner, found by methods."""

import pytest

from milo_core.error_codes import RunTaskError
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.agenda import VOCABULARY
from milo_planner.registry import make_planner

HTN, RULES = make_planner("htn"), make_planner("rule_based")


def thing(object_id, **facts):
    kind = object_id.split("|")[0]
    facts = {"distance": 1.0, **facts}
    return ObjectBelief(object_id, kind, (0, 0, 0), (0, 0, 0), (1, 1, 1), **facts)


def world_of(*things):
    return WorldModel(objects={t.object_id: t for t in things})


@pytest.fixture
def world():
    return world_of(
        thing("Mug|1", pickupable=True, toggleable=True, is_toggled=False),
        thing("Fridge|1", openable=True, is_open=False),
        thing("Box|1", openable=True, is_open=True),
        thing("Shelf|1"),
    )


@pytest.mark.parametrize("verb", VOCABULARY)
@pytest.mark.parametrize("target", ["fridge", "box", "shelf", None])
def test_every_verb_has_the_plan_of_the_rule_based_planner(world, verb, target):
    for names in (("mug", target), (None, target)):
        goal = SubGoal(verb, *names)
        theirs, ours = RULES.plan(goal, world), HTN.plan(goal, world)
        assert ours.success is theirs.success, (str(goal), ours.errors, theirs.errors)
        if theirs.success:
            assert ours.steps == theirs.steps, str(goal)


@pytest.mark.parametrize("verb", ["store", "put_away", "place", "pick_and_place", "Store"])
@pytest.mark.parametrize(
    ("openable", "is_open"), [(False, None), (True, True), (True, False), (True, None)]
)
def test_opening_follows_the_published_truth_table(verb, openable, is_open):
    target = thing("Drawer|1", openable=openable, is_open=is_open)
    world = world_of(thing("Mug|1"), target)
    steps = [step.action for step in HTN.plan(SubGoal(verb, "mug", "drawer"), world).steps]
    opens = openable and is_open is not True and (verb.lower() in STORING or is_open is False)
    assert steps[5:] == (["open", "place", "close"] if opens else ["place"])


STORING = ("store", "put_away")


def test_names_stand_for_the_nearest_instance():
    near = thing("Drawer|1", openable=True, is_open=True, distance=0.5)
    far = thing("Drawer|2", openable=True, is_open=False, distance=2.0)
    world = world_of(thing("Mug|1"), far, near)
    assert len(HTN.plan(SubGoal("store", "mug", "drawer"), world).steps) == 6
    assert len(HTN.plan(SubGoal("store", "mug", "Drawer|2"), world).steps) == 8


@pytest.mark.parametrize(
    ("goal", "code", "text"),
    [
        (("juggle", "mug"), RunTaskError.UNSUPPORTED_GOAL, "use one of close, count, deliver,"),
        (("store", "mug"), RunTaskError.INVALID_GOAL, "needs its target"),
        (("deliver", "mug"), RunTaskError.INVALID_GOAL, "needs its target"),
        (("pick_up",), RunTaskError.INVALID_GOAL, "needs its object"),
        (("find",), RunTaskError.INVALID_GOAL, "needs an object or a target"),
        (("find", "unicorn"), RunTaskError.UNKNOWN_OBJECT_TYPE, "'unicorn' is no AI2-THOR"),
    ],
)
def test_impossible_goals_fail_with_code_and_sentence(world, goal, code, text):
    result = HTN.plan(SubGoal(*goal), world)
    assert not result.success
    assert text in result.errors[0]
    with pytest.raises(Exception, match=r"goal|type") as caught:
        HTN.check(SubGoal(*goal), world)
    assert caught.value.code == code


def test_an_absent_object_and_a_broken_rule_are_told(world):
    absent = HTN.plan(SubGoal("pick_up", "vase"), world)
    assert absent.errors == (
        "No plan brings about 'pick_up vase': no instance is known of 'vase'.",
    )
    world.held_id = "Box|1"
    assert (
        "the hand must be empty (hand_empty)"
        in HTN.plan(SubGoal("pick_up", "mug"), world).errors[0]
    )
    assert "must not be open already" in HTN.plan(SubGoal("open", "box"), world).errors[0]


def test_what_is_infeasible_now_is_not_refused_before_the_task_begins(world):
    HTN.check(SubGoal("open", "box"), world)
    HTN.check(SubGoal("pick_up", "vase"), world)
