"""Ground planning tasks from the action table: facts, conditions and changes over a few objects.

This is what the table says, with roles and variables replaced by instances and everything left out
that is decided already: facts that never change, actions that can never be done and actions that
serve no goal. An engine that knows neither quantifiers nor effects on every object can take it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from milo_core.actions import ACTIONS, Action, Physics
from milo_core.predicates import PREDICATES, Literal, Predicate
from milo_core.world_model import WorldModel

Fact = tuple[str, ...]
"""A predicate's name and instance ids."""


@dataclass(frozen=True)
class Atom:
    """A fact is true, or false."""

    fact: Fact
    value: bool = True


@dataclass(frozen=True)
class Every:
    """All parts hold; none: true."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True)
class Some:
    """One part holds; none: false."""

    parts: "tuple[Condition, ...]"


Condition = Atom | Every | Some
TRUE, FALSE = Every(()), Some(())


@dataclass(frozen=True)
class GroundAction:
    """An action of the table on instances."""

    action: Action
    arguments: Mapping[str, str]
    """Role -> instance id."""
    condition: Condition
    changes: Mapping[Fact, bool]
    """What is true of each fact afterwards; later effects of the table overrule earlier ones."""

    @property
    def cost(self) -> int:
        """How much it is to be avoided."""
        return cost_of(self.action)

    def __str__(self) -> str:
        return f"{self.action.name}({', '.join(self.arguments.values())})"


def cost_of(action: Action) -> int:
    """Return how much an action is to be avoided: driving takes longest, letting go leaves a mess.

    Looking comes between the others and driving, so that what is approached anyway is not looked
    at as well.
    """
    return {"navigate": 5, "look": 2, "put_down": 20}.get(action.name, 1)


@dataclass(frozen=True)
class Table:
    """The rules that tasks are made from."""

    actions: Mapping[str, Action] = field(default_factory=lambda: ACTIONS)
    predicates: Mapping[str, Predicate] = field(default_factory=lambda: PREDICATES)
    physics: Physics = "physical"

    def is_static(self, name: str) -> bool:
        """Whether no action changes a predicate, which follows from no others either."""
        return not self.predicates[name].definition and name not in self.changed

    @property
    def changed(self) -> set[str]:
        """The predicates that some action changes."""
        return {
            effect.literal.predicate
            for action in self.actions.values()
            for effect in action.changes(self.physics)
        }


@dataclass(frozen=True)
class Scope:
    """What a task is about."""

    objects: tuple[str, ...]
    """Instance ids, without repetition."""
    goals: tuple[Atom, ...]
    pairs: frozenset[tuple[str, ...]]
    """Instances that an action of several roles may be about together, in the order of roles."""
    dropping: bool = False
    """Whether actions of last resort may be used."""


LAST_RESORT = frozenset({"put_down"})
"""Actions that leave a mess behind: only where nothing else is possible."""


@dataclass(frozen=True)
class GroundTask:
    """A planning task without variables."""

    initial: frozenset[Fact]
    """What is true at the beginning; everything else is false."""
    actions: tuple[GroundAction, ...]
    goals: tuple[Atom, ...]
    """What is still open or could become untrue."""
    impossible: tuple[Atom, ...] = ()
    """Goals that no sequence of actions brings about; empty: none is known to be impossible."""


def ground(scope: Scope, world: WorldModel, table: Table | None = None) -> GroundTask:
    """Return the task on the instances of a scope."""
    return _Grounder(scope, world, table or Table()).task()


class _Grounder:
    def __init__(self, scope: Scope, world: WorldModel, table: Table) -> None:
        self._scope, self._world, self._table = scope, world, table
        self._static = {name for name in table.predicates if table.is_static(name)}
        self._known: dict[Fact, bool] = {}

    def task(self) -> GroundTask:
        """Ground, then leave out what can't happen and what serves nothing."""
        actions = list(self._ground_all())
        truth = self._reachable(actions)
        constant = {fact: values.copy().pop() for fact, values in truth.items() if len(values) == 1}
        impossible = tuple(g for g in self._scope.goals if g.value not in self._values(truth, g))
        possible = []
        for action in actions:
            condition = simplify(action.condition, constant)
            changes = {f: v for f, v in action.changes.items() if constant.get(f) is not v}
            if condition != FALSE and changes:
                ground = GroundAction(action.action, action.arguments, condition, changes)
                possible.append(ground)
        goals = tuple(g for g in self._scope.goals if g.fact not in constant)
        if not impossible:
            possible = list(_serving(possible, goals))
        used = {g.fact for g in goals}.union(*(facts_of(a.condition) for a in possible))
        actions = [
            GroundAction(
                a.action,
                a.arguments,
                a.condition,
                {f: v for f, v in a.changes.items() if f in used},
            )
            for a in possible
        ]
        initial = frozenset(fact for fact in used if self._holds(fact))
        return GroundTask(initial, tuple(actions), goals, impossible)

    # -- grounding ---------------------------------------------------------------------------

    def _ground_all(self) -> Iterator[GroundAction]:
        for action in self._table.actions.values():
            if action.name in LAST_RESORT and not self._scope.dropping:
                continue
            roles = [role.name for role in action.roles]
            for ids in self._choices(len(roles)):
                arguments = dict(zip(roles, ids, strict=True))
                condition = self._condition(action, arguments)
                if condition != FALSE:
                    yield GroundAction(
                        action, arguments, condition, self._changes(action, arguments)
                    )

    def _choices(self, count: int) -> Iterable[tuple[str, ...]]:
        if count > 1:
            return sorted(pair for pair in self._scope.pairs if len(pair) == count)
        return product(self._scope.objects, repeat=count)

    def _condition(self, action: Action, arguments: Mapping[str, str]) -> Condition:
        parts: list[Condition] = []
        for precondition in action.conditions(self._table.physics):
            part = self._literal(precondition.literal, arguments)
            if part == FALSE:
                return FALSE
            parts.append(part)
        return simplify(Every(tuple(parts)), {})

    def _literal(self, literal: Literal, binding: Mapping[str, str]) -> Condition:
        """Ground one literal; what follows from other facts is replaced by them."""
        ids = tuple(binding[name] for name in literal.arguments)
        predicate = self._table.predicates[literal.predicate]
        if not predicate.definition:
            fact = (literal.predicate, *ids)
            if literal.predicate in self._static:
                return TRUE if self._holds(fact) is literal.positive else FALSE
            return Atom(fact, literal.positive)
        own = {"object": ids[0]} if ids else {}
        variables = sorted(
            {name for part in predicate.definition for name in part.arguments} - set(own)
        )
        cases: list[Condition] = []
        for values in product(self._scope.objects, repeat=len(variables)):
            inner = {**own, **dict(zip(variables, values, strict=True))}
            parts = tuple(self._literal(part, inner) for part in predicate.definition)
            cases.append(Every(parts))
        condition = simplify(Some(tuple(cases)), {})
        return condition if literal.positive else negation(condition)

    def _changes(self, action: Action, arguments: Mapping[str, str]) -> dict[Fact, bool]:
        changes: dict[Fact, bool] = {}
        for effect in action.changes(self._table.physics):
            bindings: Iterable[Mapping[str, str]] = (
                [{**arguments, effect.for_each: i} for i in self._scope.objects]
                if effect.for_each
                else [arguments]
            )
            for binding in bindings:
                ids = (binding[name] for name in effect.literal.arguments)
                fact = (effect.literal.predicate, *ids)
                changes.pop(fact, None)
                changes[fact] = effect.literal.positive
        return changes

    def _holds(self, fact: Fact) -> bool:
        if fact not in self._known:
            predicate = self._table.predicates[fact[0]]
            self._known[fact] = predicate.holds(self._world, *fact[1:])
        return self._known[fact]

    # -- what can happen ---------------------------------------------------------------------

    def _values(self, truth: Mapping[Fact, set[bool]], atom: Atom) -> set[bool]:
        return truth.get(atom.fact) or {self._holds(atom.fact)}

    def _reachable(self, actions: Sequence[GroundAction]) -> dict[Fact, set[bool]]:
        """Return the values that each fact may take if nothing ever is undone."""
        facts = {f for a in actions for f in (*a.changes, *facts_of(a.condition))}
        facts |= {goal.fact for goal in self._scope.goals}
        truth = {fact: {self._holds(fact)} for fact in facts}
        waiting, before = list(actions), -1
        while len(waiting) != before:
            before = len(waiting)
            rest = []
            for action in waiting:
                if _possible(action.condition, truth):
                    for fact, value in action.changes.items():
                        truth[fact].add(value)
                else:
                    rest.append(action)
            waiting = rest
        return truth


def _possible(condition: Condition, truth: Mapping[Fact, set[bool]]) -> bool:
    if isinstance(condition, Atom):
        return condition.value in truth[condition.fact]
    parts = (_possible(part, truth) for part in condition.parts)
    return all(parts) if isinstance(condition, Every) else any(parts)


def _serving(actions: Sequence[GroundAction], goals: Iterable[Atom]) -> Iterator[GroundAction]:
    """Yield the actions that may help towards the goals, be it through others."""
    wanted = {(goal.fact, goal.value) for goal in goals}
    chosen: set[int] = set()
    grown = True
    while grown:
        grown = False
        for index, action in enumerate(actions):
            if index not in chosen and not wanted.isdisjoint(action.changes.items()):
                chosen.add(index)
                wanted |= {(atom.fact, atom.value) for atom in atoms_of(action.condition)}
                grown = True
    yield from (action for index, action in enumerate(actions) if index in chosen)


# -- conditions --------------------------------------------------------------------------------


def atoms_of(condition: Condition) -> Iterator[Atom]:
    """Yield the atoms of a condition."""
    if isinstance(condition, Atom):
        yield condition
    else:
        for part in condition.parts:
            yield from atoms_of(part)


def facts_of(condition: Condition) -> Iterator[Fact]:
    """Yield the facts that a condition is about."""
    return (atom.fact for atom in atoms_of(condition))


def negation(condition: Condition) -> Condition:
    """Return the condition that holds where this one does not."""
    if isinstance(condition, Atom):
        return Atom(condition.fact, not condition.value)
    parts = tuple(negation(part) for part in condition.parts)
    return Some(parts) if isinstance(condition, Every) else Every(parts)


def simplify(condition: Condition, known: Mapping[Fact, bool]) -> Condition:
    """Return an equal condition without what is known and without needless nesting."""
    if isinstance(condition, Atom):
        value = known.get(condition.fact)
        return condition if value is None else TRUE if value is condition.value else FALSE
    kind = type(condition)
    neutral, decisive = (TRUE, FALSE) if kind is Every else (FALSE, TRUE)
    parts: dict[Condition, None] = {}
    for part in condition.parts:
        simple = simplify(part, known)
        if simple == decisive:
            return decisive
        if isinstance(simple, kind):
            parts.update(dict.fromkeys(simple.parts))
        elif simple != neutral:
            parts[simple] = None
    return next(iter(parts)) if len(parts) == 1 else kind(tuple(parts))
