"""The action table: predicates, and the two sets of rules."""

import pytest

from milo_core.actions import ACTIONS
from milo_core.admissible import admissible_actions
from milo_core.predicates import PREDICATES, Literal
from milo_core.world_model import ObjectBelief, WorldModel


def row(object_id, **facts):
    kind = object_id.split("|")[0]
    return ObjectBelief(object_id, kind, (0, 0, 0), (0, 0, 0), (1, 1, 1), distance=1.0, **facts)


@pytest.fixture
def world():
    rows = [
        row("Mug|1", pickupable=True, parent_receptacles=("Cabinet|1",)),
        row("Cabinet|1", receptacle=True, openable=True, is_open=False),
        row("Shelf|1", receptacle=True),
        row("Microwave|1", receptacle=True, openable=True, is_open=False, toggleable=True),
    ]
    rows[1].receptacle_object_ids = ("Mug|1",)
    return WorldModel(objects={r.object_id: r for r in rows}, located={r.object_id for r in rows})


def unmet(action, world, physics="physical", **arguments):
    return [c.name for c in ACTIONS[action].unmet(world, arguments, physics)]


def test_every_literal_of_the_table_names_a_predicate_with_its_arity():
    for action in ACTIONS.values():
        literals = [c.literal for c in action.conditions("physical")]
        effects = action.changes("physical")
        for literal in (*literals, *(effect.literal for effect in effects)):
            assert len(literal.arguments) == PREDICATES[literal.predicate].arity, str(literal)
        for effect in effects:
            assert PREDICATES[effect.literal.predicate].assign is not None
    for predicate in PREDICATES.values():
        for literal in predicate.definition:
            assert len(literal.arguments) == PREDICATES[literal.predicate].arity


def test_definitions_agree_with_the_predicates(world):
    def defined(predicate, object_id):
        return any(
            all(part.holds(world, {"object": object_id, "?x": x}) for part in predicate.definition)
            for x in world.objects
        )

    world.objects["Microwave|1"].is_toggled = True
    for predicate in PREDICATES.values():
        if predicate.definition:
            for object_id in world.objects:
                holds = predicate.holds(world, object_id)
                assert holds is defined(predicate, object_id), (predicate.name, object_id)


def test_what_is_shut_in_can_only_be_reached_in_the_published_model(world):
    assert unmet("navigate", world, "published", object="Mug|1") == []
    assert unmet("navigate", world, object="Mug|1") == ["not_enclosed"]
    ACTIONS["open"].apply(world, {"object": "Cabinet|1"}, "physical")
    assert unmet("navigate", world, object="Mug|1") == []


def test_nearness_ends_with_the_next_drive_only_in_the_physical_model(world):
    for physics, near in (("published", {"Shelf|1", "Cabinet|1"}), ("physical", {"Shelf|1"})):
        copy = world.copy()
        ACTIONS["navigate"].apply(copy, {"object": "Cabinet|1"}, physics)
        ACTIONS["navigate"].apply(copy, {"object": "Shelf|1"}, physics)
        assert copy.near == near


def test_placing_needs_the_receptacle_near_and_open(world):
    world.held_id = "Mug|1"
    arguments = {"object": "Mug|1", "receptacle": "Cabinet|1"}
    assert unmet("place", world, **arguments) == ["container_ready", "container_near"]
    assert unmet("place", world, "published", **arguments) == ["container_ready"]
    assert unmet("place", world, object="Mug|1", receptacle="Mug|1") == [
        "is_receptacle",
        "container_near",
    ]


def test_what_runs_is_switched_off_before_it_opens_and_closed_before_it_runs(world):
    microwave = world.objects["Microwave|1"]
    world.near.add("Microwave|1")
    microwave.is_toggled = True
    assert unmet("open", world, object="Microwave|1") == ["not_running"]
    microwave.is_toggled, microwave.is_open = False, True
    assert unmet("toggle_on", world, object="Microwave|1") == ["door_closed"]


def test_pickup_and_place_move_the_containment(world):
    ACTIONS["pickup"].apply(world, {"object": "Mug|1"}, "physical")
    assert world.held_id == "Mug|1"
    assert world.objects["Mug|1"].parent_receptacles == ()
    assert world.objects["Cabinet|1"].receptacle_object_ids == ()
    ACTIONS["place"].apply(world, {"object": "Mug|1", "receptacle": "Shelf|1"}, "physical")
    assert world.held_id is None
    assert world.objects["Mug|1"].parent_receptacles == ("Shelf|1",)
    assert world.objects["Shelf|1"].receptacle_object_ids == ("Mug|1",)


def test_accomplished(world):
    world.near.add("Shelf|1")
    assert ACTIONS["navigate"].accomplished(world, {"object": "Shelf|1"})
    assert not ACTIONS["navigate"].accomplished(world, {"object": "Shelf|1"}, "physical")
    world.objects["Shelf|1"].visible = True
    assert ACTIONS["navigate"].accomplished(world, {"object": "Shelf|1"}, "physical")


def test_admissible_actions_are_those_without_an_unmet_precondition(world):
    found = {str(step) for step in admissible_actions(world)}
    assert found == {
        "navigate(Cabinet|1)",
        "navigate(Shelf|1)",
        "navigate(Microwave|1)",
    }
    world.near |= {"Cabinet|1", "Shelf|1"}
    world.held_id = "Mug|1"
    found = {str(step) for step in admissible_actions(world)}
    assert {"open(Cabinet|1)", "place(Mug|1, Shelf|1)", "put_down(Mug|1)"} <= found
    assert not any(step.startswith(("pickup", "slice")) for step in found)


def test_a_literal_reads_like_a_sentence():
    assert str(Literal("near", ("object",), False)) == "not near(object)"
