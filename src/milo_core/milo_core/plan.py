"""Plans as data, and the validator that replays a plan on a model of the world."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from milo_core.actions import ACTIONS, Physics
from milo_core.goals import FIND_VERBS, PICK_VERBS, STORE_VERBS
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel


@dataclass(frozen=True)
class PlannedStep:
    """One action of a plan; arguments map the action's roles to names or instance ids."""

    action: str
    arguments: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.action}({', '.join(self.arguments.values())})"


class IssueCode(StrEnum):
    """What can be wrong with a plan."""

    UNKNOWN_ACTION = "unknown_action"
    MISSING_ARGUMENT = "missing_argument"
    UNKNOWN_ARGUMENT = "unknown_argument"
    OBJECT_UNKNOWN = "object_unknown"
    PRECONDITION_FAILED = "precondition_failed"
    DUPLICATE_STEP = "duplicate_step"
    GOAL_NOT_SATISFIED = "goal_not_satisfied"


@dataclass(frozen=True)
class Issue:
    """One finding of the validator."""

    code: IssueCode
    severity: Literal["error", "warning"]
    step: int | None
    """1-based; None: the plan as a whole."""
    message: str
    """One sentence."""


def bind(step: PlannedStep, world: WorldModel) -> dict[str, str] | None:
    """Map the step's roles to the nearest instances; None: a name has no known instance."""
    bound: dict[str, str] = {}
    for role, name in step.arguments.items():
        instance = world.nearest(name)
        if instance is None:
            return None
        bound[role] = instance.object_id
    return bound


def _argument_issues(number: int, step: PlannedStep) -> Iterable[Issue]:
    action = ACTIONS.get(step.action)
    if action is None:
        text = f"step {number} uses the unknown action '{step.action}'"
        yield Issue(IssueCode.UNKNOWN_ACTION, "error", number, text)
        return
    roles = {role.name for role in action.roles}
    for role in sorted(roles - set(step.arguments)):
        text = f"step {number}, {step.action}, lacks its argument '{role}'"
        yield Issue(IssueCode.MISSING_ARGUMENT, "error", number, text)
    for role in sorted(set(step.arguments) - roles):
        text = f"step {number}, {step.action}, has no argument '{role}'"
        yield Issue(IssueCode.UNKNOWN_ARGUMENT, "error", number, text)


def _replay(number: int, step: PlannedStep, world: WorldModel, physics: Physics) -> Iterable[Issue]:
    """Check a well-formed step and apply its effects when nothing speaks against it."""
    bound = bind(step, world)
    if bound is None:
        text = f"step {number}, {step}, names an object of which no instance is known"
        yield Issue(IssueCode.OBJECT_UNKNOWN, "error", number, text)
        return
    action = ACTIONS[step.action]
    unmet = action.unmet(world, bound, physics)
    for condition in unmet:
        sentence = condition.sentence.format_map(step.arguments)
        text = f"step {number}, {step}: {sentence} ({condition.name})"
        yield Issue(IssueCode.PRECONDITION_FAILED, "error", number, text)
    if not unmet:
        action.apply(world, bound, physics)


def goal_holds(sub_goal: SubGoal, world: WorldModel) -> bool | None:
    """Return whether a sub-goal is true in a model; None: the verb has no symbolic test.

    Mirrors milo_core.goals with one difference: to have found an object means to have located it.
    """
    verb = sub_goal.goal.strip().lower()
    name = sub_goal.object or sub_goal.target
    obj = world.nearest(name) if name else None
    target = world.nearest(sub_goal.target) if sub_goal.target else None
    if obj is None:
        return None if not name else False
    if verb in FIND_VERBS:
        return obj.object_id in world.located
    if verb in PICK_VERBS:
        return world.held_id == obj.object_id
    if verb in STORE_VERBS:
        stored = target is not None and target.object_id in obj.parent_receptacles
        return stored and world.held_id != obj.object_id
    if verb in ("open", "close"):
        return obj.is_open is (verb == "open")
    if verb in ("turn_on", "turn_off"):
        return obj.is_toggled is (verb == "turn_on")
    if verb == "slice":
        return obj.is_sliced is True
    if verb == "look_at":
        return obj.visible is True
    return None


def replay(
    steps: Sequence[PlannedStep], world: WorldModel, physics: Physics = "published"
) -> tuple[list[Issue], WorldModel]:
    """Replay a plan on a copy of the model; return what is wrong with it, and how it ends.

    The effects of a step that fails are not applied.
    """
    state = world.copy()
    issues: list[Issue] = []
    for number, step in enumerate(steps, start=1):
        if number > 1 and step == steps[number - 2]:
            text = f"step {number} repeats {step}"
            issues.append(Issue(IssueCode.DUPLICATE_STEP, "warning", number, text))
        malformed = list(_argument_issues(number, step))
        issues.extend(malformed or _replay(number, step, state, physics))
    return issues, state


def validate(
    steps: Sequence[PlannedStep],
    world: WorldModel,
    sub_goal: SubGoal | None = None,
    physics: Physics = "published",
) -> list[Issue]:
    """Replay a plan on a copy of the model and report everything that is wrong with it.

    A sub-goal whose verb has no symbolic test doesn't make a plan invalid.
    """
    issues, state = replay(steps, world, physics)
    if sub_goal is not None and goal_holds(sub_goal, state) is False:
        text = f"the plan does not bring about '{sub_goal}'"
        issues.append(Issue(IssueCode.GOAL_NOT_SATISFIED, "error", None, text))
    return issues


def errors_of(issues: Iterable[Issue]) -> list[str]:
    """Return the messages of the issues that make a plan invalid."""
    return [issue.message for issue in issues if issue.severity == "error"]
