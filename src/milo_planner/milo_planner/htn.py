"""The task-network planner: tasks are decomposed by methods, with backtracking."""

from collections.abc import Sequence

from milo_core.actions import Physics
from milo_core.error_codes import RunTaskError
from milo_core.plan import PlannedStep
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, AgendaStep
from milo_planner.htn_agenda import plan_items
from milo_planner.htn_network import Network, NoDecompositionError, State
from milo_planner.htn_published import PUBLISHED_METHODS, published_root
from milo_planner.memory import Memory
from milo_planner.planning import Planner, PlanningError


class InfeasibleGoalError(PlanningError):
    """A sub-goal that no decomposition brings about as the world is."""

    code = RunTaskError.NO_PLAN


class HtnPlanner(Planner):
    """Decomposes tasks into actions.

    A static plan decomposes one sub-goal under the published rules; an agenda is one network.
    """

    name = "htn"

    def check(self, sub_goal: SubGoal, world: WorldModel) -> None:
        """Refuse what can never be planned for; see Planner.check."""
        try:
            super().check(sub_goal, world)
        except InfeasibleGoalError:
            return  # The sub-goals before it may make it feasible.

    def steps(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        """Decompose one sub-goal; see Planner.steps.

        Raises:
            UnsupportedGoalError: the verb is not in the vocabulary.
            InfeasibleGoalError: every decomposition breaks a rule.
            PlanningError: a name is missing.
        """
        root = published_root(sub_goal)
        try:
            steps = Network(PUBLISHED_METHODS).solve(root, State(world, "published"))
        except NoDecompositionError as error:
            raise InfeasibleGoalError(f"No plan brings about '{sub_goal}': {error}.") from error
        return [PlannedStep(step.action, step.arguments) for step in steps]

    def plan_agenda(
        self,
        agenda: Sequence[AgendaItem],
        world: WorldModel,
        memory: Memory | None = None,
        physics: Physics = "physical",
    ) -> list[AgendaStep]:
        """Decompose a whole agenda; see Planner.plan_agenda.

        Raises:
            NoAgendaPlanError: no decomposition brings about everything; names the first item that
                can't be brought about by itself, else the one at which the search failed.
        """
        return plan_items(agenda, world, memory or Memory(), physics)
