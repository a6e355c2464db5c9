"""The rule-based planner: one template per goal verb.

Templates and step counts are those of MILO Benchmark v1.x; turn_on, turn_off, slice and look_at,
which it plans without carrying them out, act here.
"""

from collections.abc import Callable, Sequence

from milo_core.actions import Physics
from milo_core.goals import FIND_VERBS
from milo_core.plan import PlannedStep
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, AgendaStep
from milo_planner.memory import Memory
from milo_planner.planning import Planner, PlanningError, UnsupportedGoalError
from milo_planner.templates import expand

_Template = Callable[["RuleBasedPlanner", SubGoal, WorldModel], list[PlannedStep]]


def _step(action: str, name: str) -> PlannedStep:
    return PlannedStep(action, {"object": name})


def _approach(name: str) -> list[PlannedStep]:
    return [_step("locate", name), _step("navigate", name)]


def _acquire(name: str) -> list[PlannedStep]:
    return [*_approach(name), _step("pickup", name)]


def _required(sub_goal: SubGoal, role: str) -> str:
    name: str | None = getattr(sub_goal, role)
    if not name:
        raise PlanningError(f"The goal '{sub_goal.goal}' needs its {role}; name one.")
    return name


def _reference(sub_goal: SubGoal) -> str:
    name = sub_goal.object or sub_goal.target
    if not name:
        raise PlanningError(f"The goal '{sub_goal.goal}' needs an object or a target; name one.")
    return name


class RuleBasedPlanner(Planner):
    """Expands the template of the goal's verb."""

    name = "rule_based"

    def plan_agenda(
        self,
        agenda: Sequence[AgendaItem],
        world: WorldModel,
        memory: Memory | None = None,
        physics: Physics = "physical",
    ) -> list[AgendaStep]:
        """Expand the templates one after the other; see Planner.plan_agenda.

        They put nothing out of the way that the agenda gives no place, so memory changes nothing.
        """
        return expand(agenda, world, physics)

    def steps(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        """Expand the template; see Planner.steps."""
        template = _TEMPLATES.get(sub_goal.goal.strip().lower())
        if template is None:
            raise UnsupportedGoalError(
                f"The rule-based planner has no template for the goal '{sub_goal.goal}'; use one "
                f"of {', '.join(sorted(_TEMPLATES))}."
            )
        return template(self, sub_goal, world)

    def _find(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        return _approach(_reference(sub_goal))

    def _pick_up(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        return _acquire(_required(sub_goal, "object"))

    def _fetch(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        steps = _acquire(_required(sub_goal, "object"))
        return steps + (_approach(sub_goal.target) if sub_goal.target else [])

    def _deliver(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        return _acquire(_required(sub_goal, "object")) + _approach(_required(sub_goal, "target"))

    def _open(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        name = _reference(sub_goal)
        return [*_approach(name), _step("open", name)]

    def _close(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        name = _reference(sub_goal)
        return [*_approach(name), _step("close", name)]

    def _turn_on(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        name = _reference(sub_goal)
        return [*_approach(name), _step("toggle_on", name)]

    def _turn_off(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        name = _reference(sub_goal)
        return [*_approach(name), _step("toggle_off", name)]

    def _slice(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        name = _reference(sub_goal)
        return [*_approach(name), _step("slice", name)]

    def _look_at(self, sub_goal: SubGoal, _: WorldModel) -> list[PlannedStep]:
        name = _reference(sub_goal)
        return [*_approach(name), _step("look", name)]

    def _store(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        return self._acquire_and_deposit(sub_goal, world, into_container=True)

    def _place(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        return self._acquire_and_deposit(sub_goal, world, into_container=False)

    def _acquire_and_deposit(
        self, sub_goal: SubGoal, world: WorldModel, *, into_container: bool
    ) -> list[PlannedStep]:
        obj, target = _required(sub_goal, "object"), _required(sub_goal, "target")
        place = PlannedStep("place", {"object": obj, "receptacle": target})
        steps = [*_acquire(obj), *_approach(target)]
        if _needs_opening(target, world, into_container):
            # Closed again only because this plan opens it; what was found open stays open.
            return [*steps, _step("open", target), place, _step("close", target)]
        return [*steps, place]


def _needs_opening(name: str, world: WorldModel, into_container: bool) -> bool:
    """Whether the receptacle must be opened before placing.

    A receptacle of unknown state is opened when something is stored *in* it; shelves and tables
    are known not to be openable.
    """
    receptacle = world.nearest(name)
    if receptacle is None or not receptacle.openable or receptacle.is_open is True:
        return False
    return into_container or receptacle.is_open is False


_TEMPLATES: dict[str, _Template] = {
    **dict.fromkeys(FIND_VERBS, RuleBasedPlanner._find),
    **dict.fromkeys(("navigate_to", "follow", "return_to"), RuleBasedPlanner._find),
    "pick_up": RuleBasedPlanner._pick_up,
    "fetch": RuleBasedPlanner._fetch,
    "deliver": RuleBasedPlanner._deliver,
    "store": RuleBasedPlanner._store,
    "put_away": RuleBasedPlanner._store,
    "place": RuleBasedPlanner._place,
    "pick_and_place": RuleBasedPlanner._place,
    "open": RuleBasedPlanner._open,
    "close": RuleBasedPlanner._close,
    "turn_on": RuleBasedPlanner._turn_on,
    "turn_off": RuleBasedPlanner._turn_off,
    "slice": RuleBasedPlanner._slice,
    "look_at": RuleBasedPlanner._look_at,
}
