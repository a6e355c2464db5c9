"""What every planner is: from a sub-goal and a world model to a validated plan."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from milo_core.actions import Physics
from milo_core.error_codes import RunTaskError
from milo_core.errors import MiloError
from milo_core.object_types import UnknownObjectTypeError, to_object_type
from milo_core.plan import Issue, PlannedStep, errors_of, validate
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import VOCABULARY, AgendaItem, AgendaStep, Verb, verb_of
from milo_planner.memory import Memory
from milo_planner.policy import (
    NoAgendaPlanError,
    PlanPolicy,
    Policy,
    PolicyContext,
    TreeRecord,
)


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


def _check_names(sub_goal: SubGoal, world: WorldModel) -> None:
    for name in (sub_goal.object, sub_goal.target):
        if name and name not in world.objects:
            try:
                to_object_type(name)
            except UnknownObjectTypeError as error:
                raise UnknownNameError(str(error)) from error


class Planner:
    """A strategy, on the world model alone.

    Where the profile asks for a static plan it turns one sub-goal into steps; where the profile is
    reactive it decides step by step about the agenda of the whole task. A subclass overrides what
    it can do: `steps`, `plan_agenda`, or `policy` to decide without plans; the rest is refused.
    """

    name: str
    always_reactive: bool = False
    """It has no static plans, so that it decides step by step in every profile."""
    thorough: bool = False
    """It tries every instance and more poses before it gives up."""

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
        _check_names(sub_goal, world)
        self.steps(sub_goal, world)

    def check_reactive(self, sub_goal: SubGoal, world: WorldModel) -> None:
        """Refuse a goal that can never be put on an agenda, before anything moves.

        Raises:
            PlanningError: a name is missing or unknown, or no verb of the vocabulary.
        """
        _check_names(sub_goal, world)
        verb = verb_of(sub_goal)
        if verb is None:
            raise UnsupportedGoalError(
                f"No planner knows the goal '{sub_goal.goal}'; use one of {', '.join(VOCABULARY)}."
            )
        needs_both = verb in (Verb.STORE, Verb.DELIVER)
        if not (sub_goal.object or (sub_goal.target and not needs_both)):
            raise PlanningError(f"The goal '{sub_goal.goal}' needs its object; name one.")
        if needs_both and not sub_goal.target:
            raise PlanningError(f"The goal '{sub_goal.goal}' needs its target; name one.")

    def steps(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        """Return the static plan of a sub-goal, on names.

        Raises:
            PlanningError: a name is missing or the verb is not supported.
        """
        raise UnsupportedGoalError(f"The planner '{self.name}' makes no static plans.")

    def drive(self, steps: Sequence[PlannedStep], run_step: Callable[[int], bool]) -> None:
        """Have the steps of a static plan run, in order, until one fails.

        Args:
            steps: the plan.
            run_step: runs the step with a 0-based index; returns whether it succeeded.
        """
        for index in range(len(steps)):
            if not run_step(index):
                return

    def tree(self) -> TreeRecord | None:
        """Return the behaviour tree that drove the last static plan; None: there is none."""
        return None

    def plan_agenda(
        self,
        agenda: Sequence[AgendaItem],
        world: WorldModel,
        memory: Memory | None = None,
        physics: Physics = "physical",
    ) -> list[AgendaStep]:
        """Return ground steps that bring about an agenda and close what they open.

        Args:
            agenda: everything to bring about and to keep.
            world: what is believed.
            memory: of the task; where something was refused a place it is not put out of the way.
                None: nothing is remembered.
            physics: the rules that hold.

        Raises:
            NoAgendaPlanError: no plan is known; names the item that can't be brought about, if it
                is one.
        """
        raise NoAgendaPlanError(
            f"The planner '{self.name}' makes no plans for an agenda; use one that does."
        )

    def policy(self, context: PolicyContext) -> Policy:
        """Return what decides about one task; here, following the plans of `plan_agenda`."""
        planner = partial(self.plan_agenda, memory=context.memory, physics=context.physics)
        return PlanPolicy(planner, context.physics)
