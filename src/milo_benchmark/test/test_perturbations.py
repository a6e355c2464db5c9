"""The world changes under the agent's hands: it notices and finishes."""

import random
from collections.abc import Callable

import pytest

from milo_benchmark.offline import EngineObservations, EngineSkills
from milo_core.profiles import get_profile
from milo_core.strict_goals import allowed_instances, holds
from milo_core.tasks import load_tasks
from milo_planner.reactive_runner import ReactiveRunner
from milo_planner.registry import make_planner
from milo_sim_bridge.engine import Engine, EngineConfig

INFEASIBLE = {"milo-v1-fp301-t3a", "milo-v1.1-fp201-t4a"}
"""No drawer has room for the book."""
KINDS = ("moved", "closed", "taken")
CASES = 20
NEEDED = 18


@pytest.fixture(scope="module")
def engine():
    engine = Engine(EngineConfig(headless=True))
    yield engine
    engine.close()


class DisturbedSkills(EngineSkills):
    """Skills before one of which something else happens, once."""

    def __init__(self, engine: Engine, kind: str, generator: random.Random) -> None:
        super().__init__(engine)
        self.engine, self.kind, self.generator = engine, kind, generator
        self.happened = False

    def pick(self, object_id, force):
        if self.kind == "moved":
            self._once(lambda: self._move(object_id))
        return super().pick(object_id, force)

    def place(self, object_id, receptacle_id, force, any_type, turn):
        if self.kind == "taken":
            self._once(lambda: self._do("DropHandObject", forceAction=True))
        receptacle = self.engine.latest.snapshot.objects[receptacle_id]
        if self.kind == "closed" and receptacle.openable:
            self._once(lambda: self._do("CloseObject", objectId=receptacle_id, forceAction=True))
        return super().place(object_id, receptacle_id, force, any_type, turn)

    def _once(self, happening: Callable[[], bool]) -> None:
        if not self.happened:
            self.happened = happening()

    def _do(self, action: str, **arguments) -> bool:
        return self.engine.step(action, **arguments).success

    def _move(self, object_id: str) -> bool:
        """Put an object onto another open surface of the room."""
        objects = self.engine.latest.snapshot.objects
        here = objects[object_id].parent_receptacles
        places = [
            o.object_id
            for o in objects.values()
            if o.receptacle and not o.openable and not o.pickupable and o.object_id not in here
        ]
        self.generator.shuffle(places)
        for place in places:
            found = self.engine.step(
                "GetSpawnCoordinatesAboveReceptacle", objectId=place, anywhere=True
            )
            spots = list(found.action_return or ())
            self.generator.shuffle(spots)
            for spot in spots[:5]:
                if self._do("PlaceObjectAtPoint", objectId=object_id, position=spot):
                    return True
        return False


def disturbed(engine: Engine, planner: str, seed: int) -> tuple[bool, bool, str]:
    """Play one case; returns whether it was disturbed, whether it was finished, and a remark."""
    generator = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    tasks = [t for t in load_tasks("1.1") if t.tier >= 3 and t.task_id not in INFEASIBLE]
    task = generator.choice(tasks)
    goals = task.sub_goals()
    reset = engine.reset(task.scene)
    skills = DisturbedSkills(engine, kind, generator)
    runner = ReactiveRunner(
        make_planner(planner), skills, EngineObservations(engine), get_profile("strict")
    )
    outcome = runner.run(goals, reset.step)
    final = engine.latest.snapshot
    allowed = allowed_instances(goals, reset.snapshot)
    done = all(holds(g, final, a) for g, a in zip(goals, allowed, strict=True))
    finished = done and final.held_id is None
    remark = f"{task.task_id} {kind} {skills.happened}: {outcome.code} {outcome.message}"
    return skills.happened, finished, remark


@pytest.mark.parametrize("planner", ["behavior_tree", "htn"])
def test_the_agent_notices_and_finishes(engine, planner):
    cases, seed = [], 0
    while len(cases) < CASES:
        happened, finished, remark = engine.submit(
            lambda seed=seed: disturbed(engine, planner, seed)
        ).result()
        seed += 1
        if happened:
            cases.append((finished, remark))
        assert seed < 10 * CASES, "the disturbances don't happen"
    failures = [remark for finished, remark in cases if not finished]
    assert len(failures) <= CASES - NEEDED, failures
