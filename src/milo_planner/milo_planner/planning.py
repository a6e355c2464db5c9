"""What every planner is: from a sub-goal and a world model to a validated plan."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

from milo_core.error_codes import RunTaskError
from milo_core.errors import MiloError
from milo_core.object_types import UnknownObjectTypeError, to_object_type
from milo_core.plan import Issue, PlannedStep, errors_of, validate
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel


class PlanningError(MiloError):
    """A sub-goal that a planner can't plan for."""

    code = RunTaskError.INVALID_GOAL


class UnsupportedGoalError(PlanningError):
    """A goal verb outside a planner's vocabulary."""

    code = RunTaskError.UNSUPPORTED_GOAL


class UnknownNameError(PlanningError):
    """A name that is neither a known instance nor an object type."""

    code = RunTaskError.UNKNOWN_OBJECT_TYPE


@dataclass(frozen=True)
class PlanningResult:
    """A plan, or why there is none."""

    planner: str
    sub_goal: SubGoal
    steps: tuple[PlannedStep, ...]
    issues: tuple[Issue, ...]
    errors: tuple[str, ...]
    """Why it is not valid, one sentence each; empty: the plan is valid."""
    latency: float
    """Seconds."""

    @property
    def success(self) -> bool:
        """Whether the plan is valid."""
        return not self.errors


class Planner(ABC):
    """A strategy that turns one sub-goal into a plan, on the world model alone."""

    name: str

    def plan(self, sub_goal: SubGoal, world: WorldModel) -> PlanningResult:
        """Generate the steps and validate them; never raises for a goal that can't be planned."""
        start = time.perf_counter()
        steps: tuple[PlannedStep, ...] = ()
        issues: tuple[Issue, ...] = ()
        try:
            self.check(sub_goal, world)
            steps = tuple(self.steps(sub_goal, world))
        except PlanningError as error:
            errors: tuple[str, ...] = (str(error),)
        else:
            issues = tuple(validate(steps, world, sub_goal))
            errors = tuple(errors_of(issues))
        latency = time.perf_counter() - start
        return PlanningResult(self.name, sub_goal, steps, issues, errors, latency)

    def check(self, sub_goal: SubGoal, world: WorldModel) -> None:
        """Refuse a goal that this planner can never plan for, before anything moves.

        Raises:
            PlanningError: a name is missing or unknown, or the verb is not supported.
        """
        for name in (sub_goal.object, sub_goal.target):
            if name and name not in world.objects:
                try:
                    to_object_type(name)
                except UnknownObjectTypeError as error:
                    raise UnknownNameError(str(error)) from error
        self.steps(sub_goal, world)

    @abstractmethod
    def steps(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        """Return the steps for a sub-goal.

        Raises:
            PlanningError: a name is missing or the verb is not supported.
        """
