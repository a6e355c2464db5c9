"""Controls: planners that say what a score is worth.

`noop` does nothing, `random` does anything that is admissible, `oracle` does everything that the
symbolic planners can do, with more patience. None of them is an agent to compare with; they are
what an agent's score must be compared to.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from milo_core.admissible import admissible_actions
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, AgendaStep, Duty
from milo_planner.htn import HtnPlanner
from milo_planner.planning import Planner
from milo_planner.policy import Decision, NoAgendaPlanError, Policy, PolicyContext

BUDGET_FACTOR = 2
"""The random control may take this many times the steps of the oracle's plan."""
_FALLBACK_BUDGET = 20
"""Steps where the oracle has no plan."""


class NoopPlanner(Planner):
    """Does nothing: what it scores was true before, or the score asks for nothing."""

    name = "noop"
    always_reactive = True

    def policy(self, context: PolicyContext) -> Policy:
        """See Planner.policy."""
        return _Nothing()


class _Nothing(Policy):
    recovers = False

    def decide(self, agenda: Sequence[AgendaItem], world: WorldModel) -> Decision:
        return Decision()


class RandomPlanner(Planner):
    """Draws every step uniformly from the admissible ground actions.

    It never looks at the goals but for its budget, twice the steps of the oracle's first plan.
    """

    name = "random"
    always_reactive = True

    def policy(self, context: PolicyContext) -> Policy:
        """See Planner.policy."""
        return _AnyStep(context, random.Random(context.seed))


@dataclass
class _AnyStep(Policy):
    context: PolicyContext
    generator: random.Random
    _left: int | None = field(default=None, init=False)

    recovers = False

    def decide(self, agenda: Sequence[AgendaItem], world: WorldModel) -> Decision:
        if self._left is None:
            self._left = BUDGET_FACTOR * _oracle_steps(agenda, world)
        choices = admissible_actions(world, self.context.physics)
        if self._left == 0 or not choices:
            return Decision()
        self._left -= 1
        choice = self.generator.choice(choices)
        # No plan: nothing is meant by the step.
        return Decision(step=AgendaStep(choice.action, choice.arguments, 0))


def _oracle_steps(agenda: Sequence[AgendaItem], world: WorldModel) -> int:
    goals = [item for item in agenda if item.duty is Duty.GOAL]
    try:
        return len(OraclePlanner().plan_agenda(goals, world))
    except NoAgendaPlanError:
        return _FALLBACK_BUDGET


class OraclePlanner(HtnPlanner):
    """The task network with more patience, acting on the truth.

    It belongs on `world_source: simulated`; an agent that sees the world through a camera is no
    oracle.
    """

    name = "oracle"
    always_reactive = True
    thorough = True
