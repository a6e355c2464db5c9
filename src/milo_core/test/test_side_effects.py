import copy

import pytest

from milo_core.side_effects import side_effects
from milo_core.snapshot import Snapshot
from milo_core.tasks import SubGoal

MUG, COUNTER, NEAR, FAR = "Mug|1", "CounterTop|1", "Drawer|near", "Drawer|far"
STORE = SubGoal("store", "mug", "drawer")
FIND = SubGoal("find", "vase")


@pytest.fixture
def room(metadata):
    """The kitchen corner, with more things in it."""
    template = metadata["objects"][0]

    def add(object_id, **values):
        row = copy.deepcopy(template) | {"receptacle": False, "receptacleObjectIds": None}
        row |= {"objectId": object_id, "objectType": object_id.split("|")[0]}
        metadata["objects"].append(row | values)

    add("Floor|1", receptacle=True)
    add("Pot|1", receptacle=True, pickupable=True, parentReceptacles=[COUNTER])
    add("Potato|1", pickupable=True, sliceable=True, parentReceptacles=["Pot|1", COUNTER])
    add("Fork|1", pickupable=True, parentReceptacles=[NEAR])
    add("StoveKnob|1", toggleable=True)
    add("StoveBurner|1", toggleable=True)
    add("Lamp|1", toggleable=True)
    return metadata


def moved(x, y=2.0, z=3.0):
    return {"position": {"x": x, "y": y, "z": z}}


@pytest.fixture
def after(room):
    """Return a function: goals, and what has changed by object id (None: it is gone)."""

    def snapshot(changes):
        rows = copy.deepcopy(room)
        rows["objects"] = [r for r in rows["objects"] if changes.get(r["objectId"], r) is not None]
        for row in rows["objects"]:
            row.update(changes.get(row["objectId"], {}))
        held = [row["objectId"] for row in rows["objects"] if row["isPickedUp"]]
        rows["inventoryObjects"] = [{"objectId": i, "objectType": "x"} for i in held]
        return Snapshot.from_metadata(rows)

    def apply(goals, changes, before=None):
        return side_effects(goals, snapshot(before or {}), snapshot(changes))

    return apply


def test_nothing_happened(after):
    assert after([STORE], {}) == ()


def test_the_goal_itself_is_no_side_effect(after):
    assert after([STORE], {MUG: {"parentReceptacles": [FAR], **moved(4.0)}}) == ()


def test_what_was_opened_has_to_be_closed(after):
    effects = after([STORE], {NEAR: {"isOpen": True}})
    assert effects == ("Drawer|near was closed and is open now.",)
    assert after([SubGoal("open", "drawer")], {NEAR: {"isOpen": True}}) == ()


def test_what_was_open_stays_open(after):
    before = {FAR: {"isOpen": True}}
    assert after([STORE], {}, before) == ("Drawer|far was open and is closed now.",)
    assert after([SubGoal("close", "drawer"), STORE], {}, before) == ()


def test_an_object_of_an_unfinished_goal_is_displaced_elsewhere(after):
    effects = after([STORE], {MUG: {"parentReceptacles": ["Pot|1"], **moved(1.4)}})
    assert effects == ("Mug|1 was in or on CounterTop|1 and is in or on Pot|1 now.",)


def test_put_back_it_is_where_it_was(after):
    assert after([STORE], {MUG: moved(1.4)}) == ()


def test_another_object_may_not_even_be_pushed(after):
    assert after([FIND], {MUG: moved(1.04)}) == ()
    assert after([FIND], {MUG: moved(1.3)}) == ("Mug|1 was moved by 0.30 m in or on CounterTop|1.",)


def test_contents_move_with_their_drawer(after):
    changes = {NEAR: {"isOpen": True, **moved(1.5)}, "Fork|1": moved(1.5)}
    assert after([FIND], changes) == ("Drawer|near was closed and is open now.",)


def test_contents_of_a_pot_travel_with_it(after):
    goal = SubGoal("store", "pot", "drawer")
    changes = {
        "Pot|1": {"parentReceptacles": [NEAR], **moved(2.0)},
        "Potato|1": {"parentReceptacles": ["Pot|1", NEAR], **moved(2.08)},
    }
    assert after([goal], changes) == ()


def test_what_fell_is_named(after):
    effects = after([STORE], {"Fork|1": {"parentReceptacles": ["Floor|1"], **moved(1.0, 0.0)}})
    assert effects == ("Fork|1 lies on the floor now; it was in or on Drawer|near.",)


def test_a_list_of_receptacles_that_flickers_is_no_move(after):
    assert after([FIND], {MUG: {"parentReceptacles": [COUNTER, NEAR]}}) == ()


def test_lifted_out_of_all_receptacles(after):
    effects = after([FIND], {MUG: {"parentReceptacles": None}})
    assert effects == ("Mug|1 is no longer in or on CounterTop|1.",)


def test_the_hand_holds_only_what_a_goal_wanted(after):
    held = {"Fork|1": {"isPickedUp": True, "parentReceptacles": None}}
    sentence = "Fork|1 is in the hand, and no goal wanted it there."
    assert after([STORE], held) == (sentence,)
    assert after([SubGoal("pick_up", "fork")], held) == ()
    assert after([SubGoal("pick_up", "mug")], held) == (sentence,)
    assert after([STORE], held, before=held) == ()


def test_switched_things(after):
    on = {"isToggled": True}
    assert after([FIND], {"Lamp|1": on}) == ("Lamp|1 was switched off and is on now.",)
    both = {"StoveKnob|1": on, "StoveBurner|1": on}
    assert after([SubGoal("turn_on", "stove burner")], both) == ()
    assert len(after([FIND], both)) == 2


def test_cut_things(after):
    cut = {"Potato|1": {"isSliced": True, "parentReceptacles": None}}
    assert after([FIND], cut) == ("Potato|1 was whole and is in pieces now.",)
    assert after([SubGoal("slice", "potato")], cut) == ()


def test_broken_things(room, after):
    assert after([FIND], {"Potato|1": None}) == ("Potato|1 is no longer there.",)
    room["objects"].append(room["objects"][-1] | {"objectId": "Potato|1|PotatoCracked_0"})
    before = {"Potato|1|PotatoCracked_0": None}
    assert after([FIND], {}, before) == ("Potato|1 is no longer there.",)
