"""Backward reasoning on the action table: what brings a fact about, and what that undoes.

Everything is derived from milo_core.actions and milo_core.predicates.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from milo_core.actions import ACTIONS, Action, Effect, Physics, Precondition
from milo_core.predicates import PREDICATES, Literal
from milo_core.world_model import WorldModel

_PHRASES: Mapping[str, tuple[str, str]] = {
    "located": ("{0} located", "{0} not located"),
    "near": ("{0} near", "{0} not near"),
    "hand_empty": ("the hand empty", "the hand full"),
    "holding": ("{0} in hand", "{0} out of the hand"),
    "open": ("{0} open", "{0} not open"),
    "closed": ("{0} closed", "{0} not closed"),
    "on": ("{0} on", "{0} off"),
    "sliced": ("{0} sliced", "{0} whole"),
    "seen": ("{0} seen", "{0} unseen"),
    "inside": ("{0} in or on {1}", "{0} out of {1}"),
    "enclosed": ("{0} shut in", "{0} not shut in"),
    "running": ("{0} running", "{0} not running"),
    "door_open": ("{0} open, so that it can't be switched on", "{0} ready to be switched on"),
}
"""What people call a fact and its contrary."""


@dataclass(frozen=True)
class Fact:
    """A ground literal."""

    predicate: str
    ids: tuple[str, ...]
    value: bool = True

    @classmethod
    def of(cls, literal: Literal, binding: Mapping[str, str]) -> "Fact":
        """Ground a literal; the binding maps roles and variables to instance ids."""
        ids = tuple(binding[name] for name in literal.arguments)
        return cls(literal.predicate, ids, literal.positive)

    def holds(self, world: WorldModel) -> bool:
        """Return whether it is true; about an unknown instance nothing is."""
        if any(id_ not in world.objects for id_ in self.ids):
            return False
        return PREDICATES[self.predicate].holds(world, *self.ids) is self.value

    def __str__(self) -> str:
        default = PREDICATES[self.predicate].description
        positive, negative = _PHRASES.get(self.predicate, (default, f"not: {default}"))
        return (positive if self.value else negative).format(*self.ids)


def _bound(effect: Effect, fact: Fact) -> dict[str, str] | None:
    """Map an effect's roles to the ids of a fact it is about; None: it is about another one."""
    literal = effect.literal
    if literal.predicate != fact.predicate:
        return None
    binding: dict[str, str] = {}
    for name, id_ in zip(literal.arguments, fact.ids, strict=True):
        if name != effect.for_each and binding.setdefault(name, id_) != id_:
            return None
    return binding


def outcome(
    action: Action, arguments: Mapping[str, str], fact: Fact, physics: Physics
) -> bool | None:
    """Return whether the fact is true after the action; None: the action leaves it alone.

    Args:
        action: of the table.
        arguments: its roles, each with an instance id.
        fact: any; its `value` is what the truth is compared with.
        physics: the set of rules.
    """
    result: bool | None = None
    for effect in action.changes(physics):
        binding = _bound(effect, fact)
        if binding is not None and all(arguments[name] == id_ for name, id_ in binding.items()):
            result = effect.literal.positive is fact.value
    return result


def achievers(fact: Fact, physics: Physics) -> Iterator[tuple[Action, dict[str, str]]]:
    """Yield the actions that have a fact among their effects, with the roles it determines."""
    for action in ACTIONS.values():
        for effect in action.changes(physics):
            binding = _bound(effect, fact) if effect.literal.positive is fact.value else None
            if binding is not None:
                yield action, binding
                break


@cache
def _volatile(physics: Physics) -> frozenset[str]:
    """Return the predicates that some action makes false of every instance at once."""
    return frozenset(
        effect.literal.predicate
        for action in ACTIONS.values()
        for effect in action.changes(physics)
        if effect.for_each and not effect.literal.positive
    )


def preconditions(action: Action, physics: Physics) -> Sequence[Precondition]:
    """Return what actions can bring about of an action's preconditions, in the order to do it.

    What other actions undo for everything, like nearness when the robot drives on, comes last.
    """
    volatile = _volatile(physics)
    conditions = [p for p in action.conditions(physics) if not p.affordance]
    return sorted(conditions, key=lambda p: p.literal.predicate in volatile)


def supports(fact: Fact, world: WorldModel) -> Iterator[dict[str, str]]:
    """Yield the bindings for which the definition of a derived predicate is true now.

    Args:
        fact: a derived fact that is to become false; its argument is called `object`.
        world: where to look for the instances.
    """
    definition = PREDICATES[fact.predicate].definition
    variable = next((n for lit in definition for n in lit.arguments if n.startswith("?")), None)
    for object_id in world.objects if variable else fact.ids[:1]:
        binding = {"object": fact.ids[0]}
        if variable:
            binding[variable] = object_id
        if all(Fact.of(literal, binding).holds(world) for literal in definition):
            yield binding


def contraries(fact: Fact, binding: Mapping[str, str]) -> list[Fact]:
    """Return the facts each of which makes a derived predicate's definition false.

    What no action changes is left out; what is undone by moving things is the last resort.
    """
    facts: list[Fact] = []
    for literal in PREDICATES[fact.predicate].definition:
        predicate = PREDICATES[literal.predicate]
        if predicate.assign is not None or predicate.definition:
            part = Fact.of(literal, binding)
            facts.append(Fact(part.predicate, part.ids, not part.value))
    return sorted(facts, key=lambda f: f.predicate in _volatile("physical"))
