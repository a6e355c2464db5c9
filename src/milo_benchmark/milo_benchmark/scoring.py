"""From the traces of an episode to the numbers and words of its line."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from milo_benchmark.records import PlanRecord, StepRecord, VerdictRecord
from milo_core.error_codes import cause_code
from milo_core.tasks import SubGoal


@dataclass(frozen=True)
class StepCounts:
    """How many steps there were, and what became of them."""

    planned: int
    dispatched: int
    succeeded: int
    failed: int
    blocked: int
    skipped: int


def count_steps(plans: Sequence[PlanRecord]) -> StepCounts:
    """Count the steps of all sub-goals; dispatched are those that passed every check."""
    status = Counter(step.status for plan in plans for step in plan.steps)
    return StepCounts(
        planned=sum(status.values()),
        dispatched=status["succeeded"] + status["failed"] + status["canceled"],
        succeeded=status["succeeded"],
        failed=status["failed"],
        blocked=status["blocked"],
        skipped=status["skipped"],
    )


def _first_error(plan: PlanRecord) -> StepRecord | None:
    return next((step for step in plan.steps if step.error_msg), None)


def _plan_failure(plan: PlanRecord) -> str | None:
    """Return why a sub-goal's plan failed; None: it did not."""
    step = _first_error(plan)
    if step is not None:
        return step.error_msg
    if plan.status == "invalid":
        return "; ".join(plan.errors) or "planning failed"
    return None


@dataclass(frozen=True)
class Cause:
    """Why an episode failed."""

    code: str
    """Published failure code of the first cause; empty: none is published."""
    text: str | None
    """None: nothing failed but, in tiers 1 to 3, perhaps the goal itself."""


def find_cause(
    sub_goals: Sequence[SubGoal],
    plans: Sequence[PlanRecord],
    verdicts: Sequence[VerdictRecord],
    refusal: str,
) -> Cause:
    """Return the cause of failure as the published results word it.

    One sub-goal: the message of the first step with an error, else the planner's. Several: the
    same for each, behind its names, and the objects whose goal is not true in the end.

    Args:
        sub_goals: of the task.
        plans: one a sub-goal that was attempted.
        verdicts: one a sub-goal; empty: not judged.
        refusal: why the planner gave no plans at all; empty: it gave some.
    """
    failures = [(plan.sub_goal_index, text) for plan in plans if (text := _plan_failure(plan))]
    if not plans:
        failures = [(0, refusal or "planning failed")]
    code = cause_code(failures[0][1]) if failures else ""
    if len(sub_goals) == 1:
        return Cause(code, failures[0][1] if failures else None)
    parts = [f"[{sub_goals[i].object}->{sub_goals[i].target}] {text}" for i, text in failures]
    unmet = [
        str(goal.object)
        for goal, verdict in zip(sub_goals, verdicts, strict=False)
        if verdict.satisfied is not True
    ]
    if unmet:
        parts.append(f"goal predicate failed live for: {', '.join(unmet)}")
    return Cause(code, "; ".join(parts) or None)
