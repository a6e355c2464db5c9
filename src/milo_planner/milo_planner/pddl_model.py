"""Planning tasks as problems of the library unified-planning, which also writes them as PDDL.

`lifted_problem` is the action table as it stands, with variables and quantifiers; `ground_problem`
is the same task without either, for engines that know neither.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from unified_planning.environment import Environment
from unified_planning.io import PDDLWriter
from unified_planning.model import (
    Fluent,
    FNode,
    InstantaneousAction,
    Object,
    Problem,
    Variable,
)
from unified_planning.model.metrics import MinimizeActionCosts

from milo_core.actions import Action, Physics
from milo_core.predicates import Literal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem
from milo_planner.memory import Memory
from milo_planner.pddl_scope import agenda_scope
from milo_planner.pddl_task import (
    LAST_RESORT,
    Atom,
    Condition,
    Every,
    Fact,
    GroundTask,
    Scope,
    Table,
    cost_of,
)

CONSIDERED = "considered"
"""A fact of the problem that the world does not have: actions of several roles are about nothing
but the pairs of Scope.pairs."""


def environment() -> Environment:
    """Return an environment of unified-planning that prints no credits."""
    made = Environment()
    made.credits_stream = None
    return made


def ground_problem(task: GroundTask, env: Environment) -> Problem:
    """Return a task without variables; its actions are named by their index in the task."""
    problem, manager = Problem("milo", env), env.expression_manager
    fluents: dict[Fact, FNode] = {}

    def fluent(fact: Fact) -> FNode:
        if fact not in fluents:
            made = Fluent(" ".join(fact), env.type_manager.BoolType(), environment=env)
            problem.add_fluent(made, default_initial_value=fact in task.initial)
            fluents[fact] = manager.FluentExp(made)
        return fluents[fact]

    def expression(condition: Condition) -> FNode:
        if isinstance(condition, Atom):
            node = fluent(condition.fact)
            return node if condition.value else manager.Not(node)
        parts = [expression(part) for part in condition.parts]
        return manager.And(parts) if isinstance(condition, Every) else manager.Or(parts)

    for goal in task.goals:
        problem.add_goal(expression(goal))
    for index, action in enumerate(task.actions):
        made = InstantaneousAction(str(index), _env=env)
        whole = action.condition
        for part in whole.parts if isinstance(whole, Every) else (whole,):
            made.add_precondition(expression(part))
        for fact, value in action.changes.items():
            made.add_effect(fluent(fact), value)
        problem.add_action(made)
    return problem


def lifted_problem(scope: Scope, world: WorldModel, table: Table, env: Environment) -> Problem:
    """Return a task as the table says it."""
    return _Lifted(scope, table, env).problem_in(world)


class _Lifted:
    """Writes the table; objects and facts come from a world."""

    def __init__(self, scope: Scope, table: Table, env: Environment) -> None:
        self._scope, self._table = scope, table
        self._manager = env.expression_manager
        self._env = env
        self._thing = env.type_manager.UserType("thing")
        self._problem = Problem("milo", env)
        # The library wants different names for actions and fluents.
        self._fluents = {
            name: self._fluent(f"is_{name}" if name in table.actions else name, predicate.arity)
            for name, predicate in table.predicates.items()
            if not predicate.definition
        }
        costs = {}
        for action in table.actions.values():
            if scope.dropping or action.name not in LAST_RESORT:
                made = self._action(action)
                costs[made] = self._manager.Int(cost_of(action))
                self._problem.add_action(made)
        self._problem.add_quality_metric(MinimizeActionCosts(costs, environment=env))

    def problem_in(self, world: WorldModel) -> Problem:
        """Return the problem with the objects of the scope, what is true of them, and the goals."""
        objects = {i: Object(i, self._thing, self._env) for i in self._scope.objects}
        self._problem.add_objects(objects.values())
        for pair in sorted(self._scope.pairs):
            fluent = self._considered(len(pair))
            value = self._manager.FluentExp(fluent, [objects[i] for i in pair])
            self._problem.set_initial_value(value, True)
        for name, fluent in self._fluents.items():
            for ids in _tuples(self._scope.objects, fluent.arity):
                if self._table.predicates[name].holds(world, *ids):
                    value = self._manager.FluentExp(fluent, [objects[i] for i in ids])
                    self._problem.set_initial_value(value, True)
        for goal in self._scope.goals:
            node = self._literal(Literal(goal.fact[0], goal.fact[1:], goal.value), objects)
            self._problem.add_goal(node)
        return self._problem

    def _fluent(self, name: str, arity: int) -> Fluent:
        letters = {f"x{number}": self._thing for number in range(1, arity + 1)}
        boolean = self._env.type_manager.BoolType()
        fluent = Fluent(name, boolean, environment=self._env, **letters)
        self._problem.add_fluent(fluent, default_initial_value=False)
        return fluent

    def _considered(self, arity: int) -> Fluent:
        name = f"{CONSIDERED}_{arity}"
        if not self._problem.has_fluent(name):
            return self._fluent(name, arity)
        return self._problem.fluent(name)

    def _action(self, action: Action) -> InstantaneousAction:
        roles = {role.name: self._thing for role in action.roles}
        made = InstantaneousAction(action.name, _env=self._env, **roles)
        binding = {name: made.parameter(name) for name in roles}
        if len(roles) > 1:
            parameters = list(binding.values())
            fluent = self._considered(len(roles))
            made.add_precondition(self._manager.FluentExp(fluent, parameters))
        for precondition in action.conditions(self._table.physics):
            made.add_precondition(self._literal(precondition.literal, binding))
        for effect in action.changes(self._table.physics):
            variables = (
                [Variable(effect.for_each.lstrip("?"), self._thing, self._env)]
                if effect.for_each
                else []
            )
            bound = {**binding, **{f"?{v.name}": v for v in variables}}
            value = effect.literal.positive
            node = self._atom(effect.literal, bound)
            made.add_effect(node, value, forall=variables)
        return made

    def _atom(self, literal: Literal, binding: Mapping[str, Any]) -> FNode:
        arguments = [binding[name] for name in literal.arguments]
        return self._manager.FluentExp(self._fluents[literal.predicate], arguments)

    def _literal(self, literal: Literal, binding: Mapping[str, Any]) -> FNode:
        """Write a literal; what follows from other facts is replaced by them."""
        definition = self._table.predicates[literal.predicate].definition
        if not definition:
            node = self._atom(literal, binding)
        else:
            inner: dict[str, Any] = {"object": binding[literal.arguments[0]]}
            names = sorted({n for part in definition for n in part.arguments} - set(inner))
            variables = [Variable(name.lstrip("?"), self._thing, self._env) for name in names]
            inner |= dict(zip(names, variables, strict=True))
            node = self._manager.And([self._literal(part, inner) for part in definition])
            if variables:
                node = self._manager.Exists(node, *variables)
        return node if literal.positive else self._manager.Not(node)


def _tuples(objects: Sequence[str], arity: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for _ in range(arity):
        found = [(*ids, i) for ids in found for i in objects]
    return found


class PddlText:
    """A problem as the two texts that PDDL planners read."""

    def __init__(self, problem: Problem) -> None:
        self._writer = PDDLWriter(problem)
        self.domain: str = self._writer.get_domain()
        self.problem: str = self._writer.get_problem()

    def steps(self, plan: str) -> list[tuple[str, tuple[str, ...]]]:
        """Return the names of actions and instances that a plan file lists."""
        steps = []
        for line in plan.splitlines():
            words = line.strip().strip("()").split()
            if words and not words[0].startswith(";"):
                names = [self._writer.get_item_named(word).name for word in words]
                steps.append((names[0], tuple(names[1:])))
        return steps


def domain_text(table: Table | None = None) -> str:
    """Return the action table as a PDDL domain."""
    scope = Scope((), (), frozenset(), dropping=True)
    rules = table or Table()
    return PddlText(lifted_problem(scope, WorldModel(), rules, environment())).domain


def problem_text(
    agenda: Sequence[AgendaItem], world: WorldModel, physics: Physics = "physical"
) -> str:
    """Return planning for an agenda as a PDDL problem of the domain of `domain_text`."""
    scope = agenda_scope(agenda, world, Memory())
    problem = lifted_problem(scope, world, Table(physics=physics), environment())
    return PddlText(problem).problem
