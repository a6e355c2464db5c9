"""Planning times: ``python bench/planners.py [--planner htn ...] [--rounds 5]``.

Three tables: static plans of all sub-goals of v1.1 (profile milo); decisions of all its tasks as
they begin (profile strict: the first decision, which plans the whole task); and how both grow with
the number of objects. The worlds are the packaged scenes as they are after a reset. Prints Markdown
for docs/performance.md.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from milo_core.actions import Physics
from milo_core.tasks import SubGoal, load_tasks
from milo_core.world_model import WorldModel
from milo_planner.agenda_maker import AgendaMaker
from milo_planner.memory import Memory
from milo_planner.planning import Planner
from milo_planner.policy import PolicyContext
from milo_planner.registry import CONTROLS, PLANNERS, make_planner
from milo_sim_bridge.engine import Engine, EngineConfig

SIZES = (10, 30, 100, 300, 1000)
SCENE = "FloorPlan1"
GOALS = (SubGoal("store", "Spoon", "Fridge"), SubGoal("store", "Cup", "Cabinet"))
STRICT: Physics = "physical"


class Scenes:
    """Packaged scenes as world models, each loaded once."""

    def __init__(self) -> None:
        self._engine = Engine(EngineConfig(headless=True))
        self._worlds: dict[str, WorldModel] = {}

    def world(self, name: str) -> WorldModel:
        """Return a scene after its reset."""
        if name not in self._worlds:
            reset = self._engine.submit(lambda: self._engine.reset(name)).result()
            self._worlds[name] = WorldModel.from_snapshot(
                reset.snapshot, step=0, episode=0, stamp=0.0
            )
        return self._worlds[name].copy()

    def close(self) -> None:
        """Stop the simulator."""
        self._engine.close()


def crowd(world: WorldModel, size: int, keep: Sequence[str]) -> WorldModel:
    """Return a world with a given number of objects: fewer, or the same ones several times."""
    kept = [o for o in world if o.object_id in keep]
    others = [o for o in world if o.object_id not in keep]
    objects = [*kept, *others][:size]
    copies = 0
    while len(objects) < size:
        copies += 1
        for belief in others[: size - len(objects)]:
            parents = tuple(f"{p}~{copies}" for p in belief.parent_receptacles)
            objects.append(
                replace(
                    belief,
                    object_id=f"{belief.object_id}~{copies}",
                    parent_receptacles=parents,
                    distance=belief.distance + copies,
                )
            )
    known = {o.object_id for o in objects}
    for belief in objects:
        belief.parent_receptacles = tuple(p for p in belief.parent_receptacles if p in known)
    return replace(world, objects={o.object_id: o for o in objects})


def first_decision(planner: Planner, goals: Sequence[SubGoal], live: WorldModel) -> None:
    """Decide the first step of a task, which means planning all of it."""
    memory = Memory()
    maker = AgendaMaker(goals, live, memory, lambda _: None)
    context = PolicyContext(tuple(goals), memory, STRICT, maker.candidates)
    agenda = maker.agenda(live)
    planner.policy(context).decide(agenda, memory.belief(live))


def timed(call: Callable[[], object], rounds: int) -> list[float]:
    """Milliseconds of each of some calls."""
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        call()
        found.append((time.perf_counter() - begun) * 1e3)
    return found


def _percentiles(times: Sequence[float]) -> str:
    p50, p99 = np.percentile(times, (50, 99))
    return f"{p50:.1f} | {p99:.1f} | {max(times):.1f}"


def measure(name: str, scenes: Scenes, rounds: int) -> tuple[str, str, str]:
    """Return a planner's rows of the three tables."""
    planner = make_planner(name)
    tasks = load_tasks("1.1")
    static: list[float] = []
    strict: list[float] = []
    first_decision(planner, GOALS, scenes.world(SCENE))  # imports and servers are not planning
    for task in tasks:
        world = scenes.world(task.scene)
        for goal in task.sub_goals():
            if not planner.always_reactive:
                static += timed(lambda g=goal, w=world: planner.plan(g, w.copy()), rounds)
        goals = task.sub_goals()
        strict += timed(lambda g=goals, w=world: first_decision(planner, g, w), rounds)
    growth = []
    whole = scenes.world(SCENE)
    keep = _concerned(whole)
    for size in SIZES:
        world = crowd(whole, size, keep)
        growth.append(np.median(timed(lambda w=world: first_decision(planner, GOALS, w), rounds)))
    row = " | ".join(f"{ms:.1f}" for ms in growth)
    return (
        f"| {name} | {_percentiles(static)} |" if static else "",
        f"| {name} | {_percentiles(strict)} |",
        f"| {name} | {row} |",
    )


def _concerned(world: WorldModel) -> set[str]:
    """Return the nearest instances of the goals' names, and what they are in."""
    ids: set[str] = set()
    for goal in GOALS:
        for name in (goal.object, goal.target):
            nearest = world.nearest(name or "")
            if nearest is not None:
                ids |= {nearest.object_id, *nearest.parent_receptacles}
    return ids


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    choices = [name for name in PLANNERS if name not in CONTROLS]
    parser.add_argument("--planner", action="append", choices=choices, help="default: all")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions of each")
    options = parser.parse_args(arguments)
    scenes = Scenes()
    try:
        rows = [measure(name, scenes, options.rounds) for name in options.planner or choices]
    finally:
        scenes.close()
    head = "| planner | p50 ms | p99 ms | max ms |\n|---|---|---|---|"
    sizes = " | ".join(f"{size} objects" for size in SIZES)
    rule = "|---" * (len(SIZES) + 1)
    for title, header, column in (
        ("Static plans of the 63 sub-goals of v1.1", head, 0),
        ("First decision of the 54 tasks of v1.1, profile strict", head, 1),
        ("First decision on two store goals, median ms", f"| planner | {sizes} |\n{rule}|", 2),
    ):
        lines = [row[column] for row in rows if row[column]]
        print(f"\n{title}\n\n{header}", *lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
