import pytest

from milo_core.goals import UnknownRuleError, all_satisfied, evaluate, evaluate_all
from milo_core.tasks import SubGoal

PICK = SubGoal("pick_up", "mug")
STORE = SubGoal("store", "mug", "drawer")


def test_snapshot_reads_agent_and_hand(change):
    snapshot = change(Mug_1={"isPickedUp": True})
    assert snapshot.scene == "FloorPlan1"
    assert snapshot.agent_yaw == 90.0
    assert snapshot.held_id == "Mug|1"
    assert change(Mug_1={"isPickedUp": False}).held_id is None


def test_pick_up_needs_the_hand(change):
    assert evaluate(PICK, change()).satisfied is False
    assert evaluate(PICK, change(Mug_1={"isPickedUp": True})).satisfied is True


def test_store_needs_the_nearest_instance_as_parent(change):
    assert evaluate(STORE, change()).satisfied is False
    stored = evaluate(STORE, change(Mug_1={"parentReceptacles": ["Drawer|near"]}))
    assert stored.satisfied is True
    assert stored.target_id == "Drawer|near"
    other = evaluate(STORE, change(Mug_1={"parentReceptacles": ["Drawer|far"]}))
    assert other.satisfied is False
    assert "Drawer|near" in other.reason
    moved = change(Drawer_far={"distance": 0.1})
    assert evaluate(STORE, moved).satisfied is True


def test_store_is_false_while_the_object_is_held(change):
    snapshot = change(Mug_1={"parentReceptacles": ["Drawer|near"], "isPickedUp": True})
    assert evaluate(STORE, snapshot).satisfied is False


def test_open_and_close_take_object_or_target(change):
    opened = change(Drawer_near={"isOpen": True})
    assert evaluate(SubGoal("open", "drawer"), opened).satisfied is True
    assert evaluate(SubGoal("open", None, "drawer"), opened).satisfied is True
    assert evaluate(SubGoal("close", "drawer"), opened).satisfied is False
    # Published behaviour: what can't be opened reports isOpen=false and so counts as closed.
    assert evaluate(SubGoal("close", "counter"), opened).satisfied is True


def test_find_is_existence(change):
    assert evaluate(SubGoal("find", "mug"), change()).satisfied is True
    missing = evaluate(SubGoal("find", "vase"), change())
    assert missing.satisfied is False
    assert "no instance of 'vase'" in missing.reason


@pytest.mark.parametrize("verb", ["navigate_to", "clean", "dance"])
def test_a_verb_without_predicate_is_unverifiable(change, verb):
    assert evaluate(SubGoal(verb, "mug"), change()).satisfied is None


def test_unknown_names_are_false_and_never_raise(change):
    assert evaluate(SubGoal("pick_up", "unicorn"), change()).satisfied is False
    assert evaluate(SubGoal("store", "mug", "unicorn"), change()).satisfied is False
    assert evaluate(SubGoal("store", "mug"), change()).satisfied is False
    assert evaluate(SubGoal("pick_up", "Mug|1"), change()).object_id == "Mug|1"


def test_names_are_normalised(change):
    snapshot = change(Mug_1={"isPickedUp": True})
    assert evaluate(SubGoal(" Pick_Up ", " MUGS "), snapshot).satisfied is True


def test_conjunction(change):
    snapshot = change(Mug_1={"isPickedUp": True})
    both = evaluate_all([PICK, SubGoal("find", "mug")], snapshot)
    assert all_satisfied(both)
    assert not all_satisfied(evaluate_all([PICK, STORE], snapshot))
    assert not all_satisfied(evaluate_all([PICK, SubGoal("dance")], snapshot))
    assert not all_satisfied([])


def test_unknown_rule(change):
    with pytest.raises(UnknownRuleError, match="no scoring rule 'lax'; use milo, extended"):
        evaluate(PICK, change(), rule="lax")


@pytest.mark.parametrize("verb", ["turn_on", "turn_off", "slice", "look_at"])
def test_state_verbs_have_no_published_predicate(change, verb):
    assert evaluate(SubGoal(verb, "mug"), change()).satisfied is None


@pytest.mark.parametrize(
    ("verb", "facts", "satisfied"),
    [
        ("turn_on", {"toggleable": True, "isToggled": True}, True),
        ("turn_on", {"toggleable": True}, False),
        ("turn_off", {"toggleable": True}, True),
        ("turn_off", {"toggleable": True, "isToggled": True}, False),
        ("turn_off", {}, False),
        ("slice", {"sliceable": True, "isSliced": True}, True),
        ("slice", {"sliceable": True}, False),
        ("look_at", {"visible": True}, True),
        ("look_at", {"visible": False}, False),
    ],
)
def test_the_extended_rule_judges_state_verbs(change, verb, facts, satisfied):
    snapshot = change(Mug_1=facts)
    for goal in (SubGoal(verb, "mug"), SubGoal(verb, None, "mug")):
        verdict = evaluate(goal, snapshot, rule="extended")
        assert verdict.satisfied is satisfied
        assert verdict.reason.startswith("Mug|1 is ")


def test_the_extended_rule_is_milo_for_all_else(change):
    snapshot = change(Mug_1={"isPickedUp": True})
    for goal in (PICK, STORE, SubGoal("clean", "mug"), SubGoal("find", "vase")):
        assert evaluate(goal, snapshot, "extended") == evaluate(goal, snapshot)
