"""How a reactive planner decides: one step at a time, on what is observed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from milo_core.actions import Physics
from milo_core.errors import MiloError
from milo_core.plan import errors_of, replay
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, AgendaStep, unmet_items
from milo_planner.memory import Memory


class NodeStatus(IntEnum):
    """Status of a node of a behaviour tree; values as in TreeNode.msg."""

    INVALID = 0
    RUNNING = 1
    SUCCESS = 2
    FAILURE = 3


@dataclass(frozen=True)
class TreeNodeRecord:
    """One node of a behaviour tree after a tick."""

    parent: int
    """Index in the snapshot; -1: the root."""
    name: str
    kind: str
    """sequence, selector, condition, action, ..."""
    status: NodeStatus
    feedback: str = ""


@dataclass(frozen=True)
class TreeRecord:
    """A behaviour tree after a tick, nodes in depth-first order."""

    tick: int
    nodes: tuple[TreeNodeRecord, ...]


@dataclass(frozen=True)
class PolicyContext:
    """What a policy may know of its task beside the world."""

    goals: tuple[SubGoal, ...]
    memory: Memory
    physics: Physics
    candidates: Callable[[int], Sequence[tuple[str, str | None]]]
    """Sub-goal -> the (object, target) instances that may still serve it, best first; the first
    one is what the agenda binds it to."""
    seed: int = 0


@dataclass(frozen=True)
class Decision:
    """What a policy wants next."""

    step: AgendaStep | None = None
    stuck: str = ""
    """Why no step is known although something is unmet, one sentence; empty: it is not stuck."""
    culprit: AgendaItem | None = None
    """The item that can't be brought about, if it is one."""
    replanned: str = ""
    """Why the plan was made anew, one sentence; empty: it was not."""
    plan: tuple[AgendaStep, ...] = ()
    """What it intends to do for the sub-goals, the step first; empty: the step means nothing."""


class Policy(ABC):
    """Decides about one task."""

    recovers: bool = True
    """Refusals are answered by the recovery policy, and the task ends when its goals are
    achieved or given up; else the policy alone says when it is over."""

    @abstractmethod
    def decide(self, agenda: Sequence[AgendaItem], world: WorldModel) -> Decision:
        """Return the next step, or none when there is nothing left to do.

        Args:
            agenda: everything to bring about and to keep, also what is true already.
            world: Memory.belief of the newest observation.
        """

    def tree(self) -> TreeRecord | None:
        """Return the behaviour tree after the last decision; None: the policy has none."""
        return None


class NoAgendaPlanError(MiloError):
    """No plan for an agenda is known."""

    def __init__(self, message: str, culprit: AgendaItem | None = None) -> None:
        super().__init__(message)
        self.culprit = culprit


AgendaPlanner = Callable[[Sequence[AgendaItem], WorldModel], Sequence[AgendaStep]]
"""Returns ground steps that bring about an agenda and close what they open.

Raises NoAgendaPlanError.
"""


@dataclass
class PlanPolicy(Policy):
    """Follows a plan as long as the world is as the plan expects, else makes a new one."""

    plan_agenda: AgendaPlanner
    physics: Physics
    _plan: list[AgendaStep] = field(default_factory=list, init=False)
    _agenda: tuple[AgendaItem, ...] = field(default=(), init=False)

    def decide(self, agenda: Sequence[AgendaItem], world: WorldModel) -> Decision:
        """See Policy.decide."""
        reason = self._why_anew(tuple(agenda), world)
        same, replanned = tuple(agenda) == self._agenda, ""
        self._agenda = tuple(agenda)
        if reason is not None:
            # A new agenda is what the agent wanted; only another world is worth telling.
            replanned = reason if same else ""
            self._plan = []
            if not unmet_items(agenda, world):
                return Decision()
            try:
                self._plan = list(self.plan_agenda(agenda, world))
            except NoAgendaPlanError as error:
                return Decision(stuck=str(error), culprit=error.culprit, replanned=replanned)
            self._skip(world)
        if not self._plan:
            unmet = unmet_items(agenda, world)
            if not unmet:
                return Decision()
            text = f"The plan ends before '{unmet[0]}' is true."
            return Decision(stuck=text, culprit=unmet[0], replanned=replanned)
        plan = tuple(self._plan)
        return Decision(step=self._plan.pop(0), plan=plan, replanned=replanned)

    def _skip(self, world: WorldModel) -> None:
        while self._plan and self._plan[0].accomplished(world):
            self._plan.pop(0)

    def _why_anew(self, agenda: tuple[AgendaItem, ...], world: WorldModel) -> str | None:
        """Return why the plan can't be followed; None: it can, empty: it is the first."""
        if not self._agenda:
            return ""
        self._skip(world)
        issues, end = replay([step.planned for step in self._plan], world, self.physics)
        problems = errors_of(issues)
        if problems:
            return problems[0]
        unmet = unmet_items(agenda, end)
        return f"'{unmet[0]}' would not be true in the end" if unmet else None
