"""What a task leaves behind: the plans of its sub-goals, what became of them, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from milo_planner.agenda import AgendaStep
from milo_planner.execution import StepRecord, StepStatus
from milo_planner.planning import PlanningResult
from milo_planner.policy import TreeRecord
from milo_planner.recovery import RecoveryRecord


@dataclass
class SubGoalRecord:
    """The plan of one sub-goal and what became of its steps."""

    index: int
    planning: PlanningResult
    steps: list[StepRecord] = field(default_factory=list)
    """A static plan's steps, or those that a reactive agent took, in order."""
    replans: int = 0
    """How often the plan was made anew because the world differed."""

    @property
    def executed(self) -> bool:
        """Whether the plan was valid and every step succeeded."""
        return self.planning.success and all(s.status is StepStatus.SUCCEEDED for s in self.steps)

    @property
    def first_error(self) -> StepRecord | None:
        """The first step with an error; it halted a static plan."""
        return next((s for s in self.steps if s.error_code), None)

    def expect(self, plan: Sequence[AgendaStep], duration: float) -> None:
        """Take the plan that a reactive agent has now; duration: seconds it took to decide."""
        done = [step.planned for step in self.steps]
        ahead = [step.planned for step in plan if step.goal == self.index]
        self.planning = replace(
            self.planning,
            steps=(*done, *ahead),
            latency=self.planning.latency + duration,
        )

    def deny(self, reason: str) -> None:
        """Note that a reactive agent never made a plan; reason: one sentence."""
        self.planning = replace(self.planning, errors=(reason,))


class OutcomeStatus(IntEnum):
    """How a sub-goal ended; values as in SubGoalOutcome.msg."""

    PENDING = 0
    ACHIEVED = 1
    HELD_ALREADY = 2
    ABANDONED = 3


@dataclass(frozen=True)
class SubGoalOutcome:
    """How a reactive agent left one sub-goal, in its own belief."""

    status: OutcomeStatus
    object_id: str = ""
    receptacle_id: str = ""
    error_code: int = 0
    error_msg: str = ""
    instances_tried: tuple[str, ...] = ()
    poses_tried: int = 0


@dataclass
class TaskOutcome:
    """What became of a task."""

    records: list[SubGoalRecord]
    code: int
    message: str
    """The first cause; empty: every sub-goal was achieved."""
    engine_step: int
    recoveries: Sequence[RecoveryRecord] = ()
    outcomes: Sequence[SubGoalOutcome] = ()
    """One a sub-goal; empty: the planner does not keep them."""
    tree: TreeRecord | None = None

    @property
    def plan_success(self) -> bool:
        """Whether every sub-goal got a valid plan, or needed none."""
        return bool(self.records) and all(r.planning.success for r in self.records)

    @property
    def execution_success(self) -> bool:
        """Whether every step of every static plan succeeded, or every sub-goal was achieved."""
        return self.code == 0
