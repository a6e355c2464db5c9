"""From the traces of an episode to the numbers and words of its line."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from milo_benchmark.records import OutcomeRecord, PlanRecord, StepRecord, VerdictRecord
from milo_core.error_codes import cause_code
from milo_core.goals import STATE_VERBS
from milo_core.tasks import SubGoal

STRICT = "strict"
"""The rule of milo_core.strict_goals."""


def goal_rule(goals: Sequence[SubGoal]) -> str:
    """Return the rule of milo_core.goals that says most about a task.

    It is the published one, `milo`, unless a verb has a predicate in `extended` alone.
    """
    verbs = {goal.goal.strip().lower() for goal in goals}
    return "extended" if verbs & STATE_VERBS else "milo"


def goal_share(goals: Sequence[SubGoal], verdicts: Sequence[VerdictRecord]) -> float:
    """Return the fraction of sub-goals that are true, 0..1; not judged counts as false."""
    return sum(verdict.satisfied is True for verdict in verdicts) / len(goals)


def path_weighted_success(
    success: bool, shortest: float | None, driven: float | None
) -> float | None:
    """Return the success weighted by path length of one episode, 0..1.

    SPL of Anderson et al. 2018, "On Evaluation of Embodied Navigation Agents" (arXiv:1807.06757,
    section 4): S * l / max(p, l). Where no way was needed at all (l = 0), it is S.

    Args:
        success: S, by the strict rule.
        shortest: l, metres; None: not known.
        driven: p, metres; None: the robot doesn't drive.
    """
    if shortest is None or driven is None:
        return None
    if not success or shortest == 0:
        return float(success)
    return shortest / max(driven, shortest)


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
    outcomes: Sequence[OutcomeRecord] = (),
) -> Cause:
    """Return the cause of failure as the published results word it.

    One sub-goal: the message of the first step with an error, else the planner's. Several: the
    same for each, behind its names, and the objects whose goal is not true in the end. An agent
    that recovers from errors says itself why it gave a sub-goal up.

    Args:
        sub_goals: of the task.
        plans: one a sub-goal that was attempted.
        verdicts: one a sub-goal; empty: not judged.
        refusal: why the planner ended the task; empty: it came to its end.
        outcomes: one a sub-goal, of an agent that recovers; empty: of another one.
    """
    if outcomes:
        given_up = [(i, outcome.error_msg) for i, outcome in enumerate(outcomes)]
        failures = [(i, text) for i, text in given_up if text] or [(0, refusal)] * bool(refusal)
    else:
        failures = [(p.sub_goal_index, text) for p in plans if (text := _plan_failure(p))]
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
