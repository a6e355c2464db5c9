"""`milo tasks check`: is a task worth playing, and what do the controls make of it?

Every task is played twice without ROS, by the rules of the profile strict: by the oracle, which
should solve it, and by noop, which should not. Both ends are judged by the published rule and by
the strict one; beside that stands what was true at the reset and which names mean several things.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from milo_benchmark.offline import OfflineEpisode, play_offline
from milo_core.error_codes import RunTaskError
from milo_core.errors import MiloError
from milo_core.failures import CLASS_OF_CODE, FailureClass
from milo_core.goals import all_satisfied, evaluate_all
from milo_core.profiles import get_profile
from milo_core.side_effects import side_effects
from milo_core.snapshot import Snapshot
from milo_core.strict_goals import Allowed, holds, instances_of
from milo_core.tasks import SubGoal, Task
from milo_planner.registry import make_planner
from milo_sim_bridge.engine import Engine, EngineConfig


class CheckError(MiloError):
    """A report that can't be written."""


@dataclass(frozen=True)
class Scores:
    """One episode by both rules."""

    milo: bool
    strict: bool


@dataclass(frozen=True)
class TaskCheck:
    """What was found out about one task."""

    task_id: str
    scene: str
    tier: int
    goals: tuple[str, ...]
    feasible: bool
    """The oracle solves it by the strict rule."""
    true_at_reset_milo: tuple[bool | None, ...]
    """Per sub-goal, by the published rule; None: the verb has no predicate there."""
    true_at_reset_strict: tuple[bool, ...]
    """Per sub-goal, of any instance, by the predicates of the strict rule; what is to be found
    counts as not found yet."""
    instances: dict[str, int]
    """Every name that means several instances of the scene, or none -> how many."""
    ambiguous_targets: int
    """Sub-goals whose target means several instances."""
    targets: int
    """Sub-goals with a target."""
    noop: Scores
    oracle: Scores
    oracle_steps: int
    oracle_code: int
    """Of RunTask; 0: the oracle counts it as done."""
    oracle_failure: str
    """Name of the code, and the class of failure; empty: solved."""
    oracle_message: str
    """Why the oracle failed, one sentence; empty: solved."""
    oracle_side_effects: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether the oracle solves it and noop does not, by the strict rule."""
        return self.feasible and not self.noop.strict

    def findings(self) -> Iterator[str]:
        """Yield what a reader should know, a few words each."""
        if not self.feasible:
            yield f"oracle fails: {self.oracle_failure}: {self.oracle_message}"
        elif None in self.true_at_reset_milo:
            yield "the MILO rule has no verdict"
        elif not self.oracle.milo:
            yield "oracle misses the MILO rule"
        if self.noop.strict:
            yield "noop meets the strict rule"
        if self.noop.milo:
            yield "noop meets the MILO rule"
        for rule, values in (
            ("MILO", self.true_at_reset_milo),
            ("strict", self.true_at_reset_strict),
        ):
            numbers = [str(n) for n, value in enumerate(values, 1) if value]
            if numbers:
                yield f"true at reset ({rule}): sub-goal {', '.join(numbers)}"
        for name, count in self.instances.items():
            yield f"{count} x {name}"
        for effect in self.oracle_side_effects:
            yield f"oracle leaves: {effect}"

    def line(self) -> str:
        """Return one line for people."""
        verdict = "ok  " if self.sound else "FAIL"
        return f"{verdict} {self.task_id:<20} {'; '.join([*self.goals, *self.findings()])}"


def check_task(engine: Engine, task: Task) -> TaskCheck:
    """Play one task with both controls.

    Raises:
        EngineFailure: the player died, hung or refused the scene.
    """
    goals = task.sub_goals()
    oracle, noop = _play(engine, task, "oracle"), _play(engine, task, "noop")
    start = oracle.initial
    failed = not oracle.judgement.satisfied
    return TaskCheck(
        task_id=task.task_id,
        scene=task.scene,
        tier=task.tier,
        goals=tuple(map(str, goals)),
        feasible=oracle.judgement.satisfied,
        true_at_reset_milo=tuple(verdict.satisfied for verdict in evaluate_all(goals, start)),
        true_at_reset_strict=tuple(_is_true(goal, start) for goal in goals),
        instances=_instances(goals, start),
        ambiguous_targets=sum(len(instances_of(goal.target, start)) > 1 for goal in goals),
        targets=sum(goal.target is not None for goal in goals),
        noop=_scores(goals, noop),
        oracle=_scores(goals, oracle),
        oracle_steps=sum(len(record.steps) for record in oracle.outcome.records),
        oracle_code=oracle.outcome.code,
        oracle_failure=_failure_words(oracle.outcome.code) if failed else "",
        oracle_message=(oracle.outcome.message or oracle.judgement.reason) if failed else "",
        oracle_side_effects=side_effects(goals, oracle.initial, oracle.final),
    )


def _play(engine: Engine, task: Task, planner: str) -> OfflineEpisode:
    profile = get_profile("strict")
    return engine.submit(
        lambda: play_offline(engine, task.scene, task.sub_goals(), make_planner(planner), profile)
    ).result()


def _is_true(goal: SubGoal, snapshot: Snapshot) -> bool:
    every = Allowed(
        instances_of(goal.object or goal.target, snapshot), instances_of(goal.target, snapshot)
    )
    return holds(goal, snapshot, every)


def _instances(goals: Sequence[SubGoal], snapshot: Snapshot) -> dict[str, int]:
    names = [name for goal in goals for name in (goal.object, goal.target) if name]
    counts = {name: len(instances_of(name, snapshot)) for name in names}
    return {name: count for name, count in counts.items() if count != 1}


def _scores(goals: Sequence[SubGoal], episode: OfflineEpisode) -> Scores:
    milo = all_satisfied(evaluate_all(goals, episode.final))
    return Scores(milo, episode.judgement.satisfied)


def _failure_words(code: int) -> str:
    """Return name and class of a code; without one the end was not what the oracle believed."""
    if not code:
        return f"{FailureClass.PLANNING}"
    known = {int(member): member.name for member in RunTaskError}
    name = known.get(code, str(code))
    return f"{name} ({CLASS_OF_CODE.get(code, FailureClass.HARNESS)})"


def check_tasks(
    tasks: Sequence[Task], on_task: Callable[[TaskCheck], None] = lambda _: None
) -> list[TaskCheck]:
    """Check tasks one after the other on one player.

    Raises:
        EngineFailure: the player died or hung.
    """
    engine = Engine(EngineConfig(headless=True))
    found: list[TaskCheck] = []
    try:
        for task in tasks:
            found.append(check_task(engine, task))
            on_task(found[-1])
    finally:
        engine.close()
    return found


def summary(checks: Sequence[TaskCheck]) -> list[str]:
    """Return the lines below all tasks."""

    def share(count: int) -> str:
        return f"{count}/{len(checks)}"

    targets = sum(check.targets for check in checks)
    lines = [
        f"oracle: strict {share(sum(c.oracle.strict for c in checks))}, "
        f"MILO rule {share(sum(c.oracle.milo for c in checks))}",
        f"noop:   strict {share(sum(c.noop.strict for c in checks))}, "
        f"MILO rule {share(sum(c.noop.milo for c in checks))}",
        f"sub-goals true at reset: strict {sum(sum(c.true_at_reset_strict) for c in checks)}, "
        f"MILO rule {sum(map(_count_true, checks))} "
        f"(without tier 1: {sum(_count_true(c) for c in checks if c.tier != 1)})",
        f"store targets that mean several instances: "
        f"{sum(check.ambiguous_targets for check in checks)} of {targets}",
        f"oracle leaves side effects in {share(sum(bool(c.oracle_side_effects) for c in checks))}",
    ]
    unsound = [check.task_id for check in checks if not check.sound]
    if unsound:
        classes = Counter(c.oracle_failure for c in checks if not c.feasible)
        words = ", ".join(f"{count} {name}" for name, count in sorted(classes.items()))
        lines.append(f"not sound: {', '.join(unsound)}" + (f"; {words}" if words else ""))
    return lines


def _count_true(check: TaskCheck) -> int:
    return sum(value is True for value in check.true_at_reset_milo)


def write_report(path: Path, checks: Sequence[TaskCheck]) -> None:
    """Write one line of JSON a task.

    Raises:
        CheckError: the file can't be written.
    """
    lines = [json.dumps(asdict(check) | {"sound": check.sound}) for check in checks]
    try:
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    except OSError as error:
        raise CheckError(f"Can't write {path} (--out): {error.strerror}.") from error
