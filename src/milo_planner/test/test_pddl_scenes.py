"""The planner `pddl` in packaged scenes."""

import random
import sys
from pathlib import Path

import pytest

from milo_core.plan import errors_of, replay
from milo_core.profiles import get_profile
from milo_core.tasks import load_tasks
from milo_core.world_model import ObjectBelief
from milo_planner.agenda import AgendaItem, Verb, unmet_items
from milo_planner.execution import seeded_belief
from milo_planner.memory import Memory
from milo_planner.pddl_engines import ENGINES
from milo_planner.pddl_planner import PddlPlanner
from milo_planner.pddl_scope import agenda_scope
from milo_planner.pddl_task import ground
from milo_planner.registry import make_planner

# pytest's importlib mode leaves the path alone.
sys.path.insert(0, str(Path(__file__).parent))

from packaged_scenes import packaged


def plan(agenda, world, planner):
    """Plan, and check that it keeps the rules, brings everything about and tidies up."""
    steps = planner.plan_agenda(agenda, world)
    issues, end = replay([step.planned for step in steps], world, "physical")
    assert errors_of(issues) == []
    assert unmet_items(agenda, end) == []
    for belief in end:
        assert belief.is_open == world.objects[belief.object_id].is_open
        assert belief.is_toggled == world.objects[belief.object_id].is_toggled


def test_static_plans_of_the_benchmark_are_those_of_the_rule_based_planner():
    """But where a goal is true already the robot only goes there."""
    pddl, rules, profile = PddlPlanner(), make_planner("rule_based"), get_profile("milo")
    for task in list(load_tasks("1.1"))[::9]:
        belief = seeded_belief(packaged(task.scene.removesuffix("_physics")), profile)
        for goal in task.sub_goals():
            ours, theirs = pddl.plan(goal, belief), rules.plan(goal, belief)
            assert ours.errors == (), str(goal)
            assert ours.steps == theirs.steps or len(ours.steps) == 2, str(goal)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "auto"])
def test_random_agendas(engine):
    if engine == "fast_downward":
        pytest.importorskip("up_fast_downward")
    planner, generator, found = PddlPlanner(engine), random.Random(3), 0
    live = packaged("FloorPlan1")
    movable = [b.object_id for b in live if b.pickupable]
    targets = [b.object_id for b in live if b.receptacle and not b.pickupable]
    for _ in range(4):
        agenda = [
            AgendaItem(i, Verb.STORE, generator.choice(movable), generator.choice(targets))
            for i in range(2)
        ]
        if len({item.object_id for item in agenda}) == len(agenda):
            plan(agenda, Memory().belief(live), planner)
            found += 1
    assert found >= 2


def crowded(count):
    """A kitchen with so many mugs more, all of them far away."""
    world = Memory().belief(packaged("FloorPlan1"))
    for number in range(count):
        mug = ObjectBelief(
            f"Mug|{number}", "Mug", (0, 0, 0), (0, 0, 0), (1, 1, 1), distance=9.0, pickupable=True
        )
        world.objects[mug.object_id] = mug
    world.located = set(world.objects)
    return world


def test_a_crowd_does_not_make_the_problem_larger():
    few, many = crowded(2), crowded(900)
    target = next(b.object_id for b in few if b.object_type == "Fridge")
    agenda = [AgendaItem(i, Verb.STORE, f"Mug|{i}", target) for i in range(2)]
    plan(agenda, many, PddlPlanner())
    small, large = (ground(agenda_scope(agenda, w, Memory()), w) for w in (few, many))
    assert large.actions == small.actions
    assert large.goals == small.goals
