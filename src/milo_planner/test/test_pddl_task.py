"""Planning tasks made from the action table."""

from dataclasses import replace

import pytest

from milo_core.actions import ACTIONS, Action, Effect, Precondition, Role
from milo_core.predicates import PREDICATES, Literal, Predicate
from milo_planner.agenda import AgendaItem, Verb
from milo_planner.memory import Memory
from milo_planner.pddl_model import domain_text, problem_text
from milo_planner.pddl_mutex import exclusive_goals
from milo_planner.pddl_plan import holds
from milo_planner.pddl_scope import agenda_scope, with_containers
from milo_planner.pddl_task import (
    FALSE,
    TRUE,
    Atom,
    Every,
    Scope,
    Some,
    Table,
    facts_of,
    ground,
    negation,
    simplify,
)

POLISH = Action(
    "polish",
    None,
    "Make it shine.",
    (Role("object", "the object"),),
    (Precondition("near", "near {object}", Literal("near", ("object",))),),
    (Effect(Literal("polished", ("object",))),),
)
POLISHED = Predicate(
    "polished", 1, "{0} shines", lambda world, i: i in world.shiny, lambda world, value, i: None
)


@pytest.fixture
def world(house):
    return Memory().belief(house.world)


def grounded(agenda, world):
    return ground(agenda_scope(agenda, world, Memory()), world)


def test_the_domain_is_the_table():
    text = domain_text()
    for name in ACTIONS:
        assert f"(:action {name}\n" in text
    assert "(near ?x1 - thing)" in text
    assert "enclosed" not in text  # replaced by what it follows from
    assert "(not (exists (?x - thing)" in text
    assert "(forall (?x - thing) (not (near ?x)))" in text


def test_the_domain_follows_a_table_with_another_action():
    table = Table({**ACTIONS, "polish": POLISH}, {**PREDICATES, "polished": POLISHED})
    text = domain_text(table)
    assert "(:action polish\n" in text
    assert "(polished ?object)" in text
    assert "polish" not in domain_text()


def test_the_domain_follows_a_changed_action():
    must_look = Precondition("seen", "look at {object}", Literal("seen", ("object",)))
    pickup = ACTIONS["pickup"]
    table = Table({**ACTIONS, "pickup": replace(pickup, preconditions=(must_look,))})
    section = domain_text(table).split("(:action pickup")[1].split("(:action")[0]
    assert "(seen ?object)" in section
    assert "hand_empty" in section.split(":effect")[1]
    assert "hand_empty" not in section.split(":effect")[0]


def test_the_rules_decide_what_is_in_the_domain():
    published = domain_text(Table(physics="published"))
    assert "forall (?x - thing) (not (near ?x))" not in published
    assert "openable" not in published.split("(:action")[5]


def test_a_problem_names_the_objects_and_the_goals(world):
    text = problem_text([AgendaItem(0, Verb.STORE, "Mug|1", "Fridge|1")], world)
    objects = text.split("(:objects")[1].split("(:init")[0]
    assert all(name in objects for name in ("mug_1", "cabinet_1", "fridge_1"))
    assert "book" not in objects
    goal = text.split("(:goal")[1]
    assert "(inside mug_1 fridge_1)" in goal
    assert "(not (is_open cabinet_1))" in goal


@pytest.mark.parametrize("physics", ["published", "physical"])
def test_ground_actions_do_what_the_table_does(world, physics):
    """Every ground action against the table itself, in a world where many things are possible."""
    world.near = {"Cabinet|1", "Drawer|1", "Mug|1"}
    world.held_id = "Apple|1"
    world.objects["Apple|1"].parent_receptacles = ()
    world.objects["Drawer|1"].is_open = True
    objects = ("Mug|1", "Apple|1", "Cabinet|1", "Drawer|1", "Microwave|1", "Faucet|1")
    everything = [
        Atom((name, *ids), not predicate.holds(world, *ids))
        for name, predicate in PREDICATES.items()
        if not predicate.definition
        for ids in ([()], [(i,) for i in objects], [(i, j) for i in objects for j in objects])[
            predicate.arity
        ]
    ]
    pairs = frozenset((i, j) for i in objects for j in objects if i != j)
    scope = Scope(objects, tuple(everything), pairs, dropping=True)
    task = ground(scope, world, Table(physics=physics))
    assert {a.action.name for a in task.actions} >= set(ACTIONS) - {"locate", "slice"}
    for action in task.actions:
        possible = not action.action.unmet(world, action.arguments, physics)
        assert holds(action.condition, set(task.initial)) is possible, str(action)
        if not possible:
            continue
        after = world.copy()
        action.action.apply(after, action.arguments, physics)
        for fact in {f for a in task.actions for f in a.changes}:
            expected = action.changes.get(fact, fact in task.initial)
            assert PREDICATES[fact[0]].holds(after, *fact[1:]) is expected, (str(action), fact)


def test_only_what_serves_the_goals_is_left(world):
    task = grounded([AgendaItem(0, Verb.PICK_UP, "Mug|1")], world)
    assert {str(a).split("(")[0] for a in task.actions} == {
        "navigate",
        "pickup",
        "place",
        "open",
        "close",
    }
    assert {i for a in task.actions for i in a.arguments.values()} == {
        "Mug|1",
        "Cabinet|1",
        "CounterTop|1",
    }
    assert all(fact[0] != "seen" for a in task.actions for fact in a.changes)


def test_a_goal_that_nothing_can_bring_about_is_found(world):
    task = grounded([AgendaItem(0, Verb.OPEN, "CounterTop|1")], world)
    assert task.impossible == (Atom(("open", "CounterTop|1")),)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (AgendaItem(0, Verb.PICK_UP, "Apple|1"), AgendaItem(1, Verb.PICK_UP, "Book|1")),
        (AgendaItem(0, Verb.NAVIGATE, "Fridge|1"), AgendaItem(1, Verb.NAVIGATE, "Faucet|1")),
        (AgendaItem(0, Verb.OPEN, "Drawer|1"), AgendaItem(1, Verb.CLOSE, "Drawer|1")),
        (AgendaItem(0, Verb.OPEN, "Microwave|1"), AgendaItem(1, Verb.TURN_ON, "Microwave|1")),
        (
            AgendaItem(0, Verb.STORE, "Apple|1", "Fridge|1"),
            AgendaItem(1, Verb.STORE, "Apple|1", "Drawer|1"),
        ),
    ],
)
def test_goals_that_exclude_each_other_are_found(world, first, second):
    assert exclusive_goals(grounded([first, second], world)) is not None


def test_goals_that_only_look_alike_are_not_exclusive(world):
    agenda = [
        AgendaItem(0, Verb.STORE, "Apple|1", "Fridge|1"),
        AgendaItem(1, Verb.STORE, "Book|1", "Drawer|1"),
        AgendaItem(2, Verb.PICK_UP, "Mug|1"),
        AgendaItem(3, Verb.NAVIGATE, "Faucet|1"),
        AgendaItem(4, Verb.TURN_OFF, "Microwave|1"),
        AgendaItem(5, Verb.OPEN, "Microwave|1"),
    ]
    assert exclusive_goals(grounded(agenda, world)) is None


def test_containers_that_may_be_closed_belong_to_what_lies_in_them(world):
    world.objects["Cabinet|1"].parent_receptacles = ("Fridge|1", "CounterTop|1", "gone")
    assert with_containers(["Mug|1", "Apple|1"], world) == [
        "Mug|1",
        "Cabinet|1",
        "Fridge|1",
        "Apple|1",
    ]


def test_a_refused_place_is_not_offered_again(world):
    agenda = [AgendaItem(0, Verb.PICK_UP, "Apple|1")]
    assert agenda_scope(agenda, world, Memory()).pairs == {("Apple|1", "CounterTop|1")}
    memory = Memory(no_room={("Apple|1", "CounterTop|1")})
    assert agenda_scope(agenda, world, memory).pairs == {("Apple|1", "DiningTable|1")}
    memory = Memory(unreachable={"CounterTop|1", "DiningTable|1"})
    scope = agenda_scope(agenda, world, memory)
    assert not scope.pairs
    assert scope.dropping


def test_conditions_are_simplified_and_negated():
    a, b = Atom(("a",)), Atom(("b",))
    condition = Every((a, Some((b, Every(())))))
    assert simplify(condition, {}) == a
    assert simplify(Every((a, b)), {("a",): True}) == b
    assert simplify(Every((a, b)), {("a",): False}) == FALSE
    assert simplify(Some((a, b)), {("a",): True}) == TRUE
    assert negation(Every((a, b))) == Some((Atom(("a",), False), Atom(("b",), False)))
    assert set(facts_of(condition)) == {("a",), ("b",)}
