"""A plan that the validator accepts meets no unmet precondition when it is carried out."""

import random

import pytest

from milo_benchmark.offline import EngineObservations, EngineSkills
from milo_core.error_codes import (
    PickError,
    PlaceError,
    ReleaseError,
    RunTaskError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.plan import errors_of, replay
from milo_core.profiles import get_profile
from milo_core.scenes import SCENES
from milo_core.tasks import SubGoal
from milo_planner.agenda_maker import AgendaMaker
from milo_planner.execution import Executor, StepOptions, StepRecord
from milo_planner.memory import Memory
from milo_planner.policy import NoAgendaPlanError
from milo_planner.registry import make_planner
from milo_sim_bridge.engine import Engine, EngineConfig

PRECONDITIONS = {
    PickError.HAND_FULL,
    PickError.NOT_PICKUPABLE,
    PickError.CONTAINER_CLOSED,
    PickError.TOO_FAR,
    PlaceError.RECEPTACLE_CLOSED,
    PlaceError.NOT_A_RECEPTACLE,
    PlaceError.HAND_EMPTY,
    PlaceError.OTHER_OBJECT_HELD,
    PlaceError.TOO_FAR,
    SetOpenError.NOT_OPENABLE,
    SetOpenError.TARGET_ON,
    SetOpenError.TOO_FAR,
    SetToggledError.NOT_TOGGLEABLE,
    SetToggledError.ALREADY_IN_STATE,
    SetToggledError.TARGET_OPEN,
    SetToggledError.TOO_FAR,
    SliceError.NOT_SLICEABLE,
    SliceError.ALREADY_SLICED,
    SliceError.TARGET_IN_HAND,
    SliceError.TOO_FAR,
    ReleaseError.HAND_EMPTY,
    RunTaskError.PRECONDITION_FAILED,
}
"""What a right plan never meets; that there is no room or no way is not the plan's fault."""


@pytest.fixture(scope="module")
def engine():
    engine = Engine(EngineConfig(headless=True))
    yield engine
    engine.close()


def draw_goals(world, generator):
    """One to three goals on instances, most of which make sense."""
    rows = list(world)
    carried = [o for o in rows if o.pickupable]
    spots = [o for o in rows if o.receptacle and not o.pickupable and o.object_type != "Floor"]
    opened = [o for o in rows if o.openable and not o.pickupable]
    switched = [o for o in rows if o.toggleable and o.object_type != "StoveBurner"]
    sliced = [o for o in rows if o.sliceable]
    goals = []
    for _ in range(generator.choice((1, 1, 2, 3))):
        verb = generator.choice(
            ("store", "store", "pick_up", "find", "open", "close", "turn_on", "turn_off", "slice")
        )
        pool = {
            "store": carried,
            "pick_up": carried,
            "find": rows,
            "open": opened,
            "close": opened,
            "turn_on": switched,
            "turn_off": switched,
            "slice": sliced,
        }[verb]
        if not pool:
            continue
        target = generator.choice(spots).object_id if verb == "store" else None
        goals.append(SubGoal(verb, generator.choice(pool).object_id, target))
    return goals


def carry_out(engine, planner, goals):
    """Plan once and carry the plan out blindly; returns the precondition it met, and the steps."""
    observations = EngineObservations(engine)
    live, memory = observations.current(0), Memory()
    maker = AgendaMaker(goals, live, memory, lambda _: None)
    agenda, belief = maker.agenda(live), memory.belief(live)
    try:
        plan = planner.plan_agenda(agenda, belief)
    except NoAgendaPlanError:
        return "", 0
    issues, end = replay([step.planned for step in plan], belief, "physical")
    assert not errors_of(issues)
    assert all(item.holds(end) for item in agenda)
    executor = Executor(EngineSkills(engine), observations, get_profile("strict"))
    for number, step in enumerate(plan, start=1):
        place = any(step.arguments["object"] == item.target_id for item in agenda)
        record = StepRecord(
            step_id=number,
            sub_goal=step.goal,
            action=step.action,
            object=step.arguments["object"],
            receptacle=step.arguments.get("receptacle", ""),
            options=StepOptions(purpose="place" if place else ""),
        )
        if not executor.execute(record, belief):
            met = record.error_code in PRECONDITIONS
            return (f"{step}: {record.error_msg} ({plan})" if met else ""), number
    return "", len(plan)


def violations(engine, count):
    """Try a number of generated goals on all planners in turn; return what went wrong."""
    planners = [make_planner(name) for name in ("rule_based", "htn")]
    found, steps = [], 0
    for case in range(count):
        generator = random.Random(case)
        scene = generator.choice(SCENES)
        engine.reset(scene)
        goals = draw_goals(EngineObservations(engine).current(0), generator)
        if goals:
            problem, taken = carry_out(engine, planners[case % 2], goals)
            steps += taken
            if problem:
                found.append(f"{case} {scene} {[str(g) for g in goals]}: {problem}")
    return found, steps


@pytest.mark.parametrize(
    "count", [60, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
def test_accepted_plans_meet_no_unmet_precondition(engine, count):
    found, steps = engine.submit(lambda: violations(engine, count)).result()
    assert found == []
    assert steps > 2 * count
