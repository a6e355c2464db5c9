"""What an episode asks of the graph, and what it gets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from milo_benchmark.records import OutcomeRecord, PlanRecord, RecoveryRecord, TreeRecord
from milo_benchmark.records import VerdictRecord as Verdict
from milo_core.errors import MiloError
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel


class StageError(MiloError):
    """A state of an episode that failed for a reason that is not the agent's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class ResetOutcome:
    """The scene after its reset."""

    scene_digest: str
    step: int
    player: str


@dataclass(frozen=True)
class Evaluation:
    """All sub-goals judged on one snapshot by one rule."""

    verdicts: tuple[Verdict, ...]
    all_satisfied: bool
    reason: str = ""
    """Why the strict rule is not satisfied; empty: it is, or it is another rule."""
    held_at_reset: tuple[bool, ...] = ()
    """Strict rule: per sub-goal whether it was true right after the reset."""
    side_effects: tuple[str, ...] = ()
    """Strict rule: see milo_core.side_effects."""
    shortest_length: float | None = None
    """Metres; None: not asked for, or there is no way."""


@dataclass(frozen=True)
class TaskCall:
    """What a planner is to do."""

    goals: tuple[SubGoal, ...]
    profile: str
    min_step: int
    """Engine step that its WorldState must have reached."""
    time_limit: float
    """Seconds of wall clock."""
    max_steps: int
    """Actions it may send; 0: its own limit."""
    seed: int


@dataclass(frozen=True)
class TaskOutcome:
    """What the planner made of a task."""

    plans: tuple[PlanRecord, ...]
    plan_success: bool
    execution_success: bool
    step: int
    """Last engine step."""
    error_code: int
    error_msg: str
    planning_ms: tuple[float, ...] = ()
    steps_ms: tuple[tuple[float, ...], ...] = ()
    recoveries: tuple[RecoveryRecord, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    tree: TreeRecord | None = None


class Ports(Protocol):
    """What an episode asks of the graph.

    Calls with a timeout block for at most that many seconds, and raise StageError when they can't
    deliver, EpisodeStopped when someone wants them to stop.
    """

    def reset(self, scene: str, seed: int, timeout: float) -> ResetOutcome:
        """Load the scene in its default layout."""
        ...

    def evaluate(
        self,
        goals: Sequence[SubGoal],
        rule: str,
        timeout: float,
        *,
        with_shortest_length: bool = False,
    ) -> Evaluation:
        """Judge the sub-goals on the simulator's state."""
        ...

    def run_task(self, call: TaskCall, timeout: float, on_step: Callable[[], None]) -> TaskOutcome:
        """Plan and act; `on_step` is called when a step begins or ends."""
        ...

    def wait_for_step(self, step: int, timeout: float) -> None:
        """Wait until the graph has published everything up to that engine step."""
        ...

    def truth(self, step: int) -> WorldModel | None:
        """Return the simulator's state after an engine step; None: it is not kept."""
        ...

    def path_length(self, first: int, last: int) -> float:
        """Return how far the robot drove after engine step `first` up to `last`, metres."""
        ...
