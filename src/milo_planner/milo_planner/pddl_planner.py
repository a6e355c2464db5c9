"""The planner `pddl`: the action table as a planning problem, solved by an engine.

The problem is written with the library unified-planning, about the few objects that matter. In
reactive profiles it is the whole agenda; with static plans it is one sub-goal, on names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec

from milo_core.actions import ACTIONS, Action, Physics
from milo_core.error_codes import RunTaskError
from milo_core.plan import PlannedStep, errors_of, replay
from milo_core.predicates import PREDICATES
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, AgendaStep, Duty, Verb, unmet_items, verb_of
from milo_planner.memory import Memory
from milo_planner.pddl_engines import (
    NO_ENGINE,
    Assignment,
    EngineFailure,
    NoPlanFoundError,
    PddlEngineError,
    engine,
)
from milo_planner.pddl_mutex import exclusive_goals
from milo_planner.pddl_plan import Purposes, just_in_time, without_useless
from milo_planner.pddl_scope import agenda_scope
from milo_planner.pddl_task import Atom, GroundAction, Scope, Table, ground
from milo_planner.planning import Planner, PlanningError
from milo_planner.policy import NoAgendaPlanError

TIME_LIMIT = 5.0
"""Seconds that an engine may take for a plan."""
_BLAME_LIMIT = 1.0
"""Seconds that it may take for a part of an agenda for which it found none."""
_LOOSE = frozenset({"place", "pick_and_place"})
"""Verbs that don't insist on the inside of a container."""


class UnsolvedGoalError(PlanningError):
    """A sub-goal that no plan brings about as the world is."""

    code = RunTaskError.NO_PLAN


class _Impossible(Exception):
    """Goals that can't be true, alone or together."""

    def __init__(self, goals: Sequence[Atom]) -> None:
        super().__init__("; ".join(_sentence(goal) for goal in goals))
        self.goals = goals


class PddlPlanner(Planner):
    """Plans by an engine for PDDL.

    Args:
        engine_name: one of pddl_engines.ENGINES.
        time_limit: seconds that an engine may take for a plan.

    Raises:
        PddlEngineError: the engine is unknown or not installed.
    """

    name = "pddl"

    def __init__(self, engine_name: str = "auto", time_limit: float = TIME_LIMIT) -> None:
        if find_spec("unified_planning") is None:
            raise PddlEngineError(NO_ENGINE)
        self._engine = engine(engine_name)
        self._time_limit = time_limit

    def check(self, sub_goal: SubGoal, world: WorldModel) -> None:
        """Refuse what can never be planned for, without planning; see Planner.check."""
        self.check_reactive(sub_goal, world)
        if verb_of(sub_goal) is Verb.PICK_UP and not sub_goal.object:
            raise PlanningError(f"The goal '{sub_goal.goal}' needs its object; name one.")

    # -- one sub-goal, on names ----------------------------------------------------------------

    def steps(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        """Plan for the nearest instances under the published rules; see Planner.steps.

        For what is true already the robot only goes there.

        Raises:
            UnsupportedGoalError: the verb is not in the vocabulary.
            UnsolvedGoalError: there is no plan, or the engine found none.
            PlanningError: a name is missing.
        """
        self.check(sub_goal, world)
        verb = verb_of(sub_goal)
        assert verb is not None  # checked
        names: dict[str, str] = {}
        for name in (sub_goal.object, sub_goal.target):
            instance = world.nearest(name) if name else None
            if name and instance is None:
                raise UnsolvedGoalError(f"No instance of '{name}' is known.")
            if name and instance is not None:
                names.setdefault(instance.object_id, name)
        item = _item(verb, sub_goal, world)
        loose = sub_goal.goal.strip().lower() in _LOOSE
        assumed = world if loose else _closed_if_unknown(world)
        scope = agenda_scope([item], assumed, Memory())
        # Whatever is true already, the robot goes there.
        place = Atom(("near", item.target_id or item.object_id))
        scope = replace(scope, goals=tuple(dict.fromkeys([*scope.goals, place])))
        try:
            found = self._solve(scope, assumed, _PUBLISHED, self._time_limit)
        except (_Impossible, NoPlanFoundError, EngineFailure) as error:
            raise UnsolvedGoalError(
                f"No plan brings about '{sub_goal}': {str(error).rstrip('.')}."
            ) from error
        return [
            PlannedStep(s.action.name, {r: names.get(i, i) for r, i in s.arguments.items()})
            for s in just_in_time(found)
        ]

    # -- agendas -------------------------------------------------------------------------------

    def plan_agenda(
        self,
        agenda: Sequence[AgendaItem],
        world: WorldModel,
        memory: Memory | None = None,
        physics: Physics = "physical",
    ) -> list[AgendaStep]:
        """Plan for all items at once; see Planner.plan_agenda.

        What is closed is closed again in the end, what was switched off to be opened is on again,
        unless an item wants it otherwise.

        Raises:
            NoAgendaPlanError: there is no plan, or none was found in time; names the item that
                can't be brought about, if it is one.
            EngineFailure: the engine broke down.
        """
        _check_known(agenda, world)
        table, remembered = Table(physics=physics), memory or Memory()
        assumed = _closed_if_unknown(world)
        try:
            scope = agenda_scope(agenda, assumed, remembered)
            found = self._solve(scope, assumed, table, self._time_limit)
        except _Impossible as error:
            raise _explained(error, agenda, world) from error
        except NoPlanFoundError as error:
            culprit = self._culprit(agenda, assumed, remembered, table)
            about = f"'{culprit}'" if culprit is not None else "everything at once"
            raise NoAgendaPlanError(f"No plan brings about {about}: {error}.", culprit) from error
        goals = Purposes(found, agenda).goals()
        steps = [
            AgendaStep(step.action.name, step.arguments, goal)
            for step, goal in zip(found, goals, strict=True)
        ]
        _verify(steps, agenda, world, physics)
        return steps

    def _solve(
        self, scope: Scope, world: WorldModel, table: Table, limit: float
    ) -> list[GroundAction]:
        """Return a plan without useless steps.

        Raises:
            _Impossible: names goals that can't be true.
            NoPlanFoundError: the engine found none.
            EngineFailure: the engine broke down.
        """
        task = ground(scope, world, table)
        if task.impossible:
            raise _Impossible(task.impossible[:1])
        pair = exclusive_goals(task)
        if pair is not None:
            raise _Impossible(pair)
        if all((goal.fact in task.initial) is goal.value for goal in task.goals):
            return []
        known = {(a.action.name, tuple(a.arguments.values())): a for a in task.actions}
        steps = self._engine.solve(Assignment(scope, world, table, task), limit)
        # What is not among the actions of the task serves none of its goals.
        return without_useless([known[step] for step in steps if step in known], task)

    def _culprit(
        self, agenda: Sequence[AgendaItem], world: WorldModel, memory: Memory, table: Table
    ) -> AgendaItem | None:
        """Return the first item with which there is no plan any more; None: none was found."""
        items = sorted(agenda, key=lambda item: item.duty is Duty.CLOSE)
        for count in range(1, len(items)):
            try:
                scope = agenda_scope(items[:count], world, memory)
                self._solve(scope, world, table, _BLAME_LIMIT)
            except (NoPlanFoundError, _Impossible):
                return items[count - 1]
        return items[-1] if items else None


def _check_known(agenda: Sequence[AgendaItem], world: WorldModel) -> None:
    for item in agenda:
        for object_id in (item.object_id, item.target_id):
            if object_id is not None and object_id not in world.objects:
                text = f"No plan brings about '{item}': no instance is known of '{object_id}'."
                raise NoAgendaPlanError(text, item)


def _verify(
    steps: Sequence[AgendaStep],
    agenda: Sequence[AgendaItem],
    world: WorldModel,
    physics: Physics,
) -> None:
    """Replay a plan on the whole world.

    Raises:
        NoAgendaPlanError: it breaks a rule, or doesn't bring everything about.
    """
    issues, end = replay([step.planned for step in steps], world, physics)
    problems = errors_of(issues)
    if problems:
        raise NoAgendaPlanError(f"The engine's plan breaks a rule: {problems[0]}.")
    unmet = unmet_items(agenda, end)
    if unmet:
        text = f"The plan ends before '{unmet[0]}' is true."
        raise NoAgendaPlanError(text, unmet[0])


# -- rules and worlds --------------------------------------------------------------------------


def _closed_if_unknown(world: WorldModel) -> WorldModel:
    """Return a world in which containers of unknown state are closed, so that they are opened."""
    unknown = [b.object_id for b in world if b.openable and b.is_open is None]
    if not unknown:
        return world
    assumed = world.copy()
    for object_id in unknown:
        assumed.objects[object_id].is_open = False
    return assumed


def _approaching(action: Action) -> Action:
    """Return an action of the published rules that does not count on nearness to places left.

    Under those rules the robot is still near what it left, and need not be near the receptacle it
    fills; a plan that makes use of either could only be carried out by force.
    """
    near = tuple(p for p in action.physical_preconditions if p.literal.predicate == "near")
    leaving = tuple(e for e in action.physical_effects if e.literal.predicate == "near")
    return replace(
        action,
        preconditions=(*action.preconditions, *near),
        effects=(*leaving, *action.effects),
    )


_PUBLISHED = Table({name: _approaching(a) for name, a in ACTIONS.items()}, physics="published")


def _item(verb: Verb, sub_goal: SubGoal, world: WorldModel) -> AgendaItem:
    """Return a sub-goal on its nearest instances."""
    ids = [
        belief.object_id
        for name in (sub_goal.object, sub_goal.target)
        if name and (belief := world.nearest(name)) is not None
    ]
    if verb is Verb.FIND:
        verb = Verb.NAVIGATE  # Under the published rules to find something is to go there.
    both = verb in (Verb.STORE, Verb.DELIVER)
    return AgendaItem(0, verb, ids[0], ids[1] if both else None)


# -- explanations ------------------------------------------------------------------------------


def _sentence(goal: Atom) -> str:
    text = PREDICATES[goal.fact[0]].description.format(*goal.fact[1:])
    return f"nothing makes it {'true' if goal.value else 'untrue'} that {text}"


def _explained(
    error: _Impossible, agenda: Sequence[AgendaItem], world: WorldModel
) -> NoAgendaPlanError:
    """Return which item can't be brought about and why."""
    owners = [_owner(goal, agenda) for goal in error.goals]
    items = sorted((o for o in owners if o is not None), key=lambda o: o.duty is Duty.CLOSE)
    if not items:
        return NoAgendaPlanError(f"There is no plan: {error}.")
    culprit = items[-1]
    if len(items) > 1:
        text = f"'{culprit}' can't be true together with '{items[0]}'; drop one of them."
    elif len(error.goals) > 1:
        text = f"No plan brings about '{culprit}' and leaves everything else as it is."
    else:
        reason = _affordance(error.goals[0], world) or str(error)
        text = f"No plan brings about '{culprit}': {reason}."
    return NoAgendaPlanError(text, culprit)


def _owner(goal: Atom, agenda: Sequence[AgendaItem]) -> AgendaItem | None:
    for item in agenda:
        if any(Atom((name, *ids), value) == goal for name, ids, value in item.facts()):
            return item
    return None


def _affordance(goal: Atom, world: WorldModel) -> str:
    """Return what an object lacks for every action that could make a goal true; empty: nothing."""
    reasons: list[str] = []
    for action in ACTIONS.values():
        for effect in action.effects:
            literal = effect.literal
            if effect.for_each or (literal.predicate, literal.positive) != (
                goal.fact[0],
                goal.value,
            ):
                continue
            binding: Mapping[str, str] = dict(zip(literal.arguments, goal.fact[1:], strict=True))
            for condition in action.conditions("physical"):
                arguments = condition.literal.arguments
                known = condition.affordance and set(arguments) <= set(binding)
                if known and not condition.holds(world, binding):
                    reasons.append(f"{condition.sentence.format_map(binding)} ({condition.name})")
    return reasons[0] if reasons else ""
