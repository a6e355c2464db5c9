from itertools import islice

import pytest

from milo_core.task_candidates import Usage, plan_slots, ranked, scene_offer


@pytest.fixture
def kitchen(metadata):
    """Returns a function that adds objects to the kitchen corner and says what it offers."""
    from milo_core.snapshot import Snapshot

    pattern = metadata["objects"][0]

    def offer(*added, scene="FloorPlan1"):
        for row in metadata["objects"]:
            row["visible"] = False
        for object_id, changes in added:
            kind = object_id.split("|")[0]
            plain = {"receptacle": False, "receptacleObjectIds": None, "visible": False}
            row = {**pattern, **plain, "objectId": object_id, "objectType": kind, **changes}
            metadata["objects"].append(row)
        metadata["sceneName"] = scene
        return scene_offer(Snapshot.from_metadata(metadata))

    return offer


def box(x, y, z):
    return {
        "axisAlignedBoundingBox": {
            "center": {"x": 0.0, "y": 0.0, "z": 0.0},
            "size": {"x": x, "y": y, "z": z},
        }
    }


def goals(offer, tier):
    return {str(candidate.goals[0]) for candidate in offer.flat[tier]}


CUP = {"pickupable": True}
FRIDGE = {"receptacle": True, "openable": True, **box(0.7, 1.8, 0.7)}


def test_what_is_true_at_the_reset_is_no_task(kitchen):
    offer = kitchen(
        ("Fridge|1", FRIDGE),
        ("Cup|1", {**CUP, "parentReceptacles": ["Fridge|1"]}),
        ("Laptop|1", {**CUP, "openable": True, "isOpen": True, "toggleable": True}),
        ("Bread|1", {**CUP, "visible": True}),
    )
    assert "store cup fridge" not in goals(offer, 3)
    assert "store bread fridge" in goals(offer, 3)
    assert {"open laptop", "close fridge", "turn_off laptop"} & goals(offer, 5) == set()
    assert {"close laptop", "open fridge", "turn_on laptop"} <= goals(offer, 5)
    assert "find bread" not in goals(offer, 1)
    assert {"find cup", "find fridge"} <= goals(offer, 1)


def test_one_of_several_instances_is_enough_to_be_true(kitchen):
    offer = kitchen(
        ("DeskLamp|1", {"toggleable": True, "isToggled": True}),
        ("DeskLamp|2", {"toggleable": True}),
    )
    assert not {"turn_on desklamp", "turn_off desklamp"} & goals(offer, 5)
    assert offer.counts["DeskLamp"] == 2


def test_things_go_where_the_placement_table_has_them(kitchen):
    offer = kitchen(
        ("Fridge|1", FRIDGE),
        ("Floor|1", {"receptacle": True}),
        ("GarbageCan|1", {"receptacle": True}),
        ("Pillow|1", CUP),
        ("Watch|1", CUP),
        ("Apple|1", CUP),
    )
    found = goals(offer, 3)
    assert "store apple fridge" in found
    assert "store apple garbagecan" in found
    assert "store apple countertop" in found
    assert "store pillow fridge" not in found
    assert "store watch garbagecan" not in found
    assert not any("floor" in goal for goal in found)


def test_things_that_are_larger_than_a_container_do_not_go_in(kitchen):
    offer = kitchen(
        ("Drawer|small", {"receptacle": True, **box(0.1, 0.1, 0.1)}),
        ("Book|1", {**CUP, **box(0.05, 0.3, 0.5)}),
        ("Pen|1", {**CUP, **box(0.01, 0.01, 0.15)}),
        ("Candle|1", {**CUP, **box(0.05, 0.08, 0.05)}),
    )
    # The two drawers of the corner measure 0.1 x 0.2 x 0.3.
    assert "store book drawer" not in goals(offer, 3)
    assert {"store pen drawer", "store candle drawer"} <= goals(offer, 3)


def test_what_the_engine_refuses_to_switch_is_no_task(kitchen):
    offer = kitchen(
        ("StoveBurner|1", {"toggleable": True}),
        ("StoveKnob|1", {"toggleable": True}),
        ("Microwave|1", {"toggleable": True, "openable": True, "isOpen": True}),
        ("Sofa|1", {"openable": False, "toggleable": False}),
    )
    found = goals(offer, 5)
    assert "turn_on stoveknob" in found
    assert not {"turn_on stoveburner", "turn_on microwave"} & found
    assert not any("sofa" in goal for goal in found)


def test_names_that_say_nothing_and_fixtures_are_left_out(kitchen):
    offer = kitchen(("TableTopDecor|1", CUP), ("Window|1", {}), ("Sink|1", {}))
    assert goals(offer, 1) == {"find mug"}
    assert goals(offer, 2) == {"pick_up mug"}


def test_two_store_goals_have_two_things_and_two_places(kitchen):
    offer = kitchen(
        ("Fridge|1", FRIDGE),
        ("Bowl|1", {**CUP, "receptacle": True, **box(0.2, 0.1, 0.2)}),
        ("Apple|1", CUP),
        ("Egg|1", CUP),
    )
    pairs = list(ranked(offer, 4, Usage(), "key"))
    assert pairs
    for pair in pairs:
        names = [*pair.objects, *pair.targets]
        assert len(set(names)) == 4
        assert all(goal.goal == "store" for goal in pair.goals)


def test_rarely_used_types_come_first(kitchen):
    offer = kitchen(("Apple|1", CUP), ("Egg|1", CUP), ("Cup|1", CUP))
    usage = Usage()
    picks = {str(c.goals[0]): c for c in offer.flat[2]}
    for name in ("pick_up apple", "pick_up egg", "pick_up mug"):
        usage.add(picks[name])
    order = list(ranked(offer, 2, usage, "key"))
    assert str(order[0].goals[0]) == "pick_up cup"
    assert len(order) == 4


def test_a_plan_spreads_types_and_keeps_its_beginning(kitchen):
    offers = [
        kitchen(("Apple|1", CUP), ("Egg|1", CUP), ("Cup|1", CUP), scene="FloorPlan1"),
        kitchen(scene="FloorPlan2"),
        kitchen(scene="FloorPlan3"),
        kitchen(scene="FloorPlan4"),
    ]
    slots = plan_slots(offers, (2,), 0, 2)
    assert len({tries[0] for tries in slots.values()}) == 4
    deeper = plan_slots(offers, (2,), 0, 4)
    assert all(deeper[slot][:2] == tries for slot, tries in slots.items())
    assert plan_slots(offers, (2,), 0, 2) == slots
    assert any(plan_slots(offers, (2,), seed, 2) != slots for seed in range(1, 5))


def test_tasks_of_one_scene_are_about_different_things(kitchen):
    offer = kitchen(("Apple|1", CUP), ("Egg|1", CUP), ("Cup|1", CUP))
    slots = plan_slots([offer], (1, 2, 3), 0, 1)
    objects = [tries[0].objects[0] for tries in slots.values()]
    assert len(set(objects)) == 3
    assert len(list(islice(ranked(offer, 1, Usage(), "k"), 2))) == 2
