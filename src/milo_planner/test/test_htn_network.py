"""The search itself, on small networks and on the effects of every action."""

import random

import pytest

from milo_core.actions import ACTIONS
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.htn_network import (
    Method,
    Network,
    NoDecompositionError,
    NotApplicableError,
    SearchLimitError,
    State,
    Task,
)


def thing(object_id, **facts):
    kind = object_id.split("|")[0]
    return ObjectBelief(object_id, kind, (0, 0, 0), (0, 0, 0), (1, 1, 1), distance=1.0, **facts)


@pytest.fixture
def world():
    things = [
        thing("Mug|1", pickupable=True, parent_receptacles=("Shelf|1", "Room|9")),
        thing("Mug|2", pickupable=True),
        thing("Apple|1", pickupable=True, sliceable=True, is_sliced=False),
        thing("Fridge|1", receptacle=True, openable=True, is_open=False),
        thing("Shelf|1", receptacle=True, receptacle_object_ids=("Mug|1",)),
        thing("Lamp|1", toggleable=True, is_toggled=False),
    ]
    return WorldModel(
        objects={t.object_id: t for t in things}, near={"Mug|1", "Apple|1", "Lamp|1", "Gone|1"}
    )


def method(*expansions):
    return Method("m", lambda state, task: iter(expansions))


def actions(steps):
    return [f"{step.action} {' '.join(step.arguments.values())}" for step in steps]


def facts(world):
    """Everything about a model, independent of what becomes of it."""
    kept = world.copy()
    return kept.objects, kept.held_id, kept.near, kept.located


GO = [Task("locate", ("Mug|1",)), Task("navigate", ("Mug|1",))]


def test_methods_are_tried_in_order_and_their_tasks_are_done_in_order(world):
    network = Network({"root": [method(GO, [Task("locate", ("Lamp|1",))])]})
    assert actions(network.solve(Task("root"), State(world, "published"))) == [
        "locate Mug|1",
        "navigate Mug|1",
    ]


def test_a_later_failure_changes_an_earlier_choice(world):
    # Any mug can be taken, but only the second one is in the hand when it is to be placed.
    take = [[Task("locate", (m,)), Task("navigate", (m,)), Task("pickup", (m,))] for m in MUGS]
    place = [Task("place", ("Mug|2", "Shelf|1"))]
    network = Network(
        {
            "root": [method([Task("take"), Task("wait"), Task("put")])],
            "take": [method(take[0]), method(take[1])],
            "wait": [method([], [])],
            "put": [method(place)],
        }
    )
    state = State(world, "published")
    assert actions(network.solve(Task("root"), state)) == [
        "locate Mug|2",
        "navigate Mug|2",
        "pickup Mug|2",
        "place Mug|2 Shelf|1",
    ]
    assert state.world.objects["Mug|1"].parent_receptacles == ("Shelf|1", "Room|9")
    assert state.world.near == {"Mug|1", "Mug|2", "Apple|1", "Lamp|1", "Gone|1"}


MUGS = ("Mug|1", "Mug|2")


def test_methods_see_the_state_after_the_tasks_before_them(world):
    seen = []

    def look(state, task):
        seen.append("Mug|1" in state.world.located)
        yield []

    network = Network(
        {"root": [method([*GO, Task("look_around")])], "look_around": [Method("", look)]}
    )
    network.solve(Task("root"), State(world, "published"))
    assert seen == [True]


def test_the_reason_is_that_of_the_attempt_that_got_furthest(world):
    near = [*GO, Task("open", ("Shelf|1",), 7)]
    network = Network({"root": [method([Task("pickup", ("Mug|2",))], near)]})
    with pytest.raises(
        NoDecompositionError, match=r"stand near Shelf\|1 \(target_near\)"
    ) as caught:
        network.solve(Task("root"), State(world, "published"))
    assert caught.value.item == 7


def test_methods_say_why_they_do_not_apply(world):
    def refuse(state, task):
        raise NotApplicableError("the moon is full")
        yield

    with pytest.raises(NoDecompositionError, match="the moon is full"):
        Network({"root": [Method("", refuse)]}).solve(Task("root"), State(world, "published"))
    with pytest.raises(NoDecompositionError, match=r"no method of root\(\) applies"):
        Network({"root": [method()]}).solve(Task("root"), State(world, "published"))
    with pytest.raises(NoDecompositionError, match="no instance is known of 'Vase'"):
        Network({"root": [method([Task("locate", ("Vase",))])]}).solve(
            Task("root"), State(world, "published")
        )


def test_endless_recursion_ends_at_a_limit(world):
    deep = Network({"root": [method([Task("root")])]}, depth_limit=50)
    with pytest.raises(NoDecompositionError, match="nested more than 50 tasks deep"):
        deep.solve(Task("root"), State(world, "published"))
    wide = Network({"root": [method([Task("root")], [Task("root")])]}, expansion_limit=500)
    with pytest.raises(SearchLimitError, match="among the first 500 tasks"):
        wide.solve(Task("root"), State(world, "published"))


@pytest.mark.parametrize("physics", ["published", "physical"])
def test_effects_are_those_of_the_table_and_undo_takes_them_back(world, physics):
    generator = random.Random(5)
    before = facts(world)
    ids = list(world.objects)
    performed = set()
    for _ in range(150):
        state, expected = State(world, physics), world.copy()
        trail = [facts(state.world)]
        for _ in range(40):
            action = generator.choice(list(ACTIONS.values()))
            # Mostly about what is at hand, or else next to nothing would be possible.
            at_hand = sorted(expected.near & expected.objects.keys())
            pool = at_hand if at_hand and generator.random() < 0.7 else ids
            arguments = tuple(generator.choice(pool) for _ in action.roles)
            if action.name == "place" and expected.held_id is not None:
                arguments = (expected.held_id, *arguments[1:])
            bound = {role.name: i for role, i in zip(action.roles, arguments, strict=True)}
            unmet = action.unmet(expected, bound, physics)
            assert bool(state.perform(Task(action.name, arguments))) is bool(unmet)
            if unmet:
                continue
            action.apply(expected, bound, physics)
            assert facts(state.world) == facts(expected)
            performed.add(action.name)
            trail.append(facts(state.world))
        keep = generator.randrange(len(trail))
        state.undo(keep)
        assert facts(state.world) == trail[keep]
        state.undo(0)
        assert facts(state.world) == trail[0] == before
    assert performed == set(ACTIONS)
    assert facts(world) == before


def test_names_stand_for_the_nearest_instance(world):
    world.objects["Mug|1"].distance = 3.0
    state = State(world, "published")
    assert state.resolve("mug") == "Mug|2"
    assert state.resolve("Mug|1") == "Mug|1"
    assert state.belief("vase") is None
    network = Network({"root": [method([Task("locate", ("mug",))])]})
    assert actions(network.solve(Task("root"), state)) == ["locate mug"]
    assert state.world.located == {"Mug|2"}
