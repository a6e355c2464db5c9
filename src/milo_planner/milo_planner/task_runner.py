"""Runs a task with static plans: its sub-goals one after the other, without recovery."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from milo_core.error_codes import EngineError, RunTaskError
from milo_core.profiles import Profile
from milo_core.tasks import SubGoal
from milo_planner.execution import (
    Executor,
    Interrupted,
    Observations,
    Skills,
    StaleWorldError,
    StepRecord,
    seeded_belief,
)
from milo_planner.planning import Planner, PlanningError
from milo_planner.task_records import SubGoalRecord, TaskOutcome


def _is_engine_failure(code: int) -> bool:
    return code in set(EngineError)


@dataclass
class TaskRunner:
    """Attempts the sub-goals in order; a failed one doesn't keep the next from being tried.

    Engine failures and interruptions end the task at once.
    """

    planner: Planner
    skills: Skills
    observations: Observations
    profile: Profile
    on_step: Callable[[StepRecord], None] = lambda _: None
    on_plan: Callable[[SubGoalRecord], None] = lambda _: None

    def run(self, goals: Sequence[SubGoal], min_step: int) -> TaskOutcome:
        """Plan and execute; never raises for what can go wrong with a task."""
        executor = Executor(
            self.skills, self.observations, self.profile, self.on_step, engine_step=min_step
        )
        records: list[SubGoalRecord] = []
        try:
            if not goals:
                raise PlanningError("The task has no goals; give at least one.")
            world = self.observations.current(min_step)
            for goal in goals:
                self.planner.check(goal, world)
            for index, goal in enumerate(goals):
                record = self._attempt(index, goal, executor)
                records.append(record)
                error = record.first_error
                if executor.interrupted is not None:
                    raise executor.interrupted
                if error is not None and _is_engine_failure(error.error_code):
                    return TaskOutcome(
                        records, error.error_code, error.error_msg, executor.engine_step
                    )
        except PlanningError as refusal:
            return TaskOutcome(records, refusal.code, str(refusal), executor.engine_step)
        except StaleWorldError as stale:
            code = RunTaskError.WORLD_STATE_STALE
            return TaskOutcome(records, code, str(stale), executor.engine_step)
        except Interrupted as interruption:
            return TaskOutcome(records, interruption.code, str(interruption), executor.engine_step)
        outcome = self._outcome(records, executor.engine_step)
        outcome.tree = self.planner.tree()
        return outcome

    def _attempt(self, index: int, goal: SubGoal, executor: Executor) -> SubGoalRecord:
        live = self.observations.current(executor.engine_step)
        belief = seeded_belief(live, self.profile)
        record = SubGoalRecord(index, self.planner.plan(goal, belief))
        self.on_plan(record)
        if record.planning.success:
            record.steps = executor.run(record.planning.steps, belief, index, self.planner.drive)
            self.on_plan(record)
        return record

    @staticmethod
    def _outcome(records: list[SubGoalRecord], engine_step: int) -> TaskOutcome:
        for record in records:
            if not record.planning.success:
                text = "; ".join(record.planning.errors)
                return TaskOutcome(records, RunTaskError.NO_PLAN, text, engine_step)
            error = record.first_error
            if error is not None:
                code = RunTaskError.EXECUTION_FAILED
                return TaskOutcome(records, code, error.error_msg, engine_step)
        return TaskOutcome(records, 0, "", engine_step)
