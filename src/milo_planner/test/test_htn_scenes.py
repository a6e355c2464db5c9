"""The task network in packaged scenes."""

import random
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from milo_core.plan import errors_of, replay
from milo_core.profiles import get_profile
from milo_core.tasks import load_tasks
from milo_planner.agenda import AgendaItem, Verb, unmet_items
from milo_planner.execution import seeded_belief
from milo_planner.htn import HtnPlanner
from milo_planner.memory import Memory
from milo_planner.policy import NoAgendaPlanError
from milo_planner.registry import make_planner

# pytest's importlib mode leaves the path alone.
sys.path.insert(0, str(Path(__file__).parent))

from packaged_scenes import packaged

HTN = HtnPlanner()
AGENDAS = 60
_POOLS = {
    Verb.OPEN: "openable",
    Verb.CLOSE: "openable",
    Verb.TURN_ON: "toggleable",
    Verb.TURN_OFF: "toggleable",
    Verb.SLICE: "sliceable",
    Verb.PICK_UP: "pickupable",
    Verb.STORE: "pickupable",
    Verb.DELIVER: "pickupable",
}


def random_item(generator, world, index):
    verb = generator.choice([Verb.STORE, Verb.STORE, Verb.STORE, *Verb])
    pool = [b for b in world if getattr(b, _POOLS[verb])] if verb in _POOLS else list(world)
    if not pool:
        return random_item(generator, world, index)
    target = None
    if verb in (Verb.STORE, Verb.DELIVER):
        targets = [b for b in world if b.receptacle and not b.pickupable]
        target = generator.choice(targets).object_id
    return AgendaItem(index, verb, generator.choice(pool).object_id, target)


def disturbed(generator, scene):
    """A scene in which something is in the hand, open and running now and then."""
    world = Memory(standing_at=generator.choice(list(packaged(scene).objects))).belief(
        packaged(scene)
    )
    for belief in world:
        if belief.openable and generator.random() < 0.2:
            belief.is_open = True
        if belief.toggleable and generator.random() < 0.2:
            belief.is_toggled = True
    if generator.random() < 0.3:
        held = generator.choice([b for b in world if b.pickupable])
        world.held_id, held.is_picked_up, held.parent_receptacles = held.object_id, True, ()
    return world


def left_open(agenda, before, after):
    """What a plan opened and nothing wants open."""
    wanted = {item.object_id for item in agenda if item.verb is Verb.OPEN}
    for item in agenda:
        place = item.target_id if item.verb is Verb.DELIVER else item.object_id
        if item.verb in (Verb.NAVIGATE, Verb.DELIVER):  # the robot is to end in there
            wanted.update(after.objects[place].parent_receptacles)
    return [
        belief.object_id
        for belief in after
        if belief.is_open
        and before.objects[belief.object_id].is_open is False
        and belief.object_id not in wanted
    ]


def test_static_plans_of_the_benchmark_are_those_of_the_rule_based_planner():
    rules, planned = make_planner("rule_based"), 0
    for task in load_tasks("1.1"):
        live = packaged(task.scene.removesuffix("_physics"))
        belief = seeded_belief(live, get_profile("milo"))
        for goal in task.sub_goals():
            ours, theirs = HTN.plan(goal, belief), rules.plan(goal, belief)
            assert ours.steps == theirs.steps, str(goal)
            assert ours.errors == theirs.errors == ()
            planned += 1
    assert planned == 63


@pytest.mark.parametrize("scene", ["FloorPlan1", "FloorPlan205", "FloorPlan309", "FloorPlan417"])
@pytest.mark.parametrize("goals", [1, 3, 5])
def test_plans_of_random_agendas_keep_the_rules_and_bring_everything_about(scene, goals):
    generator, found = random.Random(goals), 0
    for _ in range(AGENDAS // goals):
        world = disturbed(generator, scene)
        agenda = [random_item(generator, world, index) for index in range(goals)]
        try:
            steps = HTN.plan_agenda(agenda, world)
        except NoAgendaPlanError:
            continue
        found += 1
        issues, end = replay([step.planned for step in steps], world, "physical")
        described = [str(item) for item in agenda], [str(step) for step in steps]
        assert errors_of(issues) == [], described
        assert unmet_items(agenda, end) == [], described
        assert left_open(agenda, world, end) == [], described
    assert found > AGENDAS // goals / 3


def crowded(scene, count):
    """A scene with copies of its things, each copy among its own, further and further away."""
    world = Memory().belief(packaged(scene))
    originals = list(world)
    copies = iter(range(1, count))
    while len(world.objects) < count:
        mark = f"|copy{next(copies)}"
        for belief in originals:
            world.objects[belief.object_id + mark] = replace(
                belief,
                object_id=belief.object_id + mark,
                parent_receptacles=tuple(p + mark for p in belief.parent_receptacles),
                receptacle_object_ids=tuple(c + mark for c in belief.receptacle_object_ids),
            )
    world.located = set(world.objects)
    return world


def test_planning_stays_fast_among_a_thousand_things():
    world, generator = crowded("FloorPlan1", 1000), random.Random(1)
    times = []
    for _ in range(20):
        agenda = [
            AgendaItem(i, Verb.STORE, generator.choice(movables), generator.choice(targets))
            for movables, targets in [(_ids(world, "pickupable"), ["Fridge|-02.10|+00.00|+01.07"])]
            for i in range(3)
        ]
        begun = time.process_time()
        HTN.plan_agenda(agenda, world)
        times.append(time.process_time() - begun)
    assert statistics.median(times) < 0.05


def _ids(world, property_name):
    return [b.object_id for b in world if getattr(b, property_name)]
