"""The strict rule on small worlds."""

import pytest

from milo_core.strict_goals import Evidence, allowed_instances, evaluate_strict, holds
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel

STORE = SubGoal("store", "mug", "drawer")


def row(object_id, distance=1.0, **facts):
    kind = object_id.split("|")[0]
    facts = {"visible": False, "is_picked_up": False} | facts
    return ObjectBelief(object_id, kind, (0, 0, 0), (0, 0, 0), (1, 1, 1), distance, **facts)


def world(*rows, held=None):
    return WorldModel(objects={r.object_id: r for r in rows}, held_id=held)


def room(mug_in=(), held=None, **mug):
    return world(
        row("Mug|1", 1.0, pickupable=True, parent_receptacles=tuple(mug_in), **mug),
        row("Mug|2", 2.0, pickupable=True),
        row("Drawer|1", 1.0, receptacle=True, openable=True, is_open=False),
        row("Drawer|2", 2.0, receptacle=True, openable=True, is_open=False),
        row("Lamp|1", 3.0),
        row("Faucet|1", 3.0, toggleable=True, is_toggled=False),
        held=held,
    )


def judge(goals, initial, final, seen=(), in_sight=(), acted=True):
    evidence = Evidence(initial, final, frozenset(seen), frozenset(in_sight), acted)
    return evaluate_strict(goals, evidence)


def test_any_instance_of_the_types_will_do():
    final = room(["Drawer|2"])
    found = judge([STORE], room(), final)
    assert found.satisfied
    assert (found.verdicts[0].object_id, found.verdicts[0].target_id) == ("Mug|1", "Drawer|2")
    assert found.held_at_reset == (False,)


def test_what_made_the_whole_task_true_at_the_reset_does_not_count():
    initial = room(["Drawer|2"])
    still = judge([STORE], initial, room(["Drawer|2"]))
    assert not still.satisfied
    assert judge([STORE], initial, room(["Drawer|1"])).satisfied
    assert allowed_instances([STORE], initial)[0].taken == {("Mug|1", "Drawer|2")}


def test_a_goal_that_was_true_must_stay_true_and_another_be_achieved():
    goals = [STORE, SubGoal("turn_on", "faucet")]
    initial, on = room(["Drawer|1"]), room(["Drawer|1"])
    on.objects["Faucet|1"].is_toggled = True
    assert judge(goals, initial, on).satisfied
    assert judge(goals, initial, on).held_at_reset == (True, False)
    undone = room()
    undone.objects["Faucet|1"].is_toggled = True
    found = judge(goals, initial, undone)
    assert not found.satisfied
    assert "no longer true" in found.reason


def test_a_store_task_ends_with_an_empty_hand():
    final = room(["Drawer|1"], held="Lamp|1")
    found = judge([STORE], room(), final)
    assert not found.satisfied
    assert found.reason == "The hand still holds Lamp|1."
    assert judge([SubGoal("pick_up", "mug")], room(), room(held="Mug|2")).satisfied


def test_nothing_counts_without_an_action_of_the_agent():
    found = judge([STORE], room(), room(["Drawer|1"]), acted=False)
    assert (found.satisfied, found.reason) == (False, "The agent has not acted.")
    find = [SubGoal("find", "mug")]
    assert not judge(
        find, room(), room(), seen=["Mug|1"], in_sight=["Mug|1"], acted=False
    ).satisfied


def test_finding_alone_ends_with_the_object_in_sight_passing_by_is_enough_beside_other_goals():
    find = SubGoal("find", "mug")
    assert not judge([find], room(), room(), seen=["Mug|2"]).satisfied
    assert judge([find], room(), room(), seen=["Mug|2"], in_sight=["Mug|2"]).satisfied
    goals = [find, STORE]
    assert judge(goals, room(), room(["Drawer|1"]), seen=["Mug|2"]).satisfied


@pytest.mark.parametrize(
    ("goal", "change", "held", "true"),
    [
        (SubGoal("open", "drawer"), {"is_open": True}, None, True),
        (SubGoal("close", "drawer"), {}, None, True),
        (SubGoal("close", "lamp"), {}, None, False),  # it is nothing to close
        (SubGoal("turn_off", "faucet"), {}, None, True),
        (SubGoal("turn_off", "lamp"), {}, None, False),
        (SubGoal("turn_on", "faucet"), {}, None, False),
        (SubGoal("navigate_to", "drawer"), {}, None, True),
        (SubGoal("navigate_to", "lamp"), {}, None, False),
        (SubGoal("deliver", "mug", "drawer"), {}, "Mug|1", True),
        (SubGoal("deliver", "mug", "lamp"), {}, "Mug|1", False),
        (SubGoal("fetch", "mug"), {}, "Mug|1", True),
        (SubGoal("sing", "mug"), {}, None, False),
    ],
)
def test_every_verb(goal, change, held, true):
    now = room(held=held)
    for name, value in change.items():
        setattr(now.objects["Drawer|1"], name, value)
    allowed = allowed_instances([goal, SubGoal("sing", "mug")], now)[0]
    assert holds(goal, now, allowed) is true


def test_an_instance_id_means_itself():
    goal = SubGoal("store", "Mug|2", "Drawer|1")
    assert not judge([goal], room(), room(["Drawer|1"])).satisfied
