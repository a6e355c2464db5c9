"""Builds behaviour trees backwards from what is wanted, and only as far as a tick gets.

Every fact becomes a selector: its condition, and per action that brings it about a sequence of the
action's preconditions, each such a selector again, with the action at the end (M. Colledanchise,
D. Almeida, P. Ogren: Towards Blended Reactive Planning and Acting using Behavior Trees, ICRA 2019).
A selector makes an alternative when everything that it has has failed, so that a tree holds what
was needed so far and not every way to do everything.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from py_trees.behaviour import Behaviour
from py_trees.composites import Sequence as TreeSequence

from milo_core.actions import Action
from milo_core.predicates import PREDICATES
from milo_planner.agenda import AgendaItem, Duty, Verb
from milo_planner.backchain import Fact, achievers, contraries, preconditions, supports
from milo_planner.surfaces import is_surface, metres, takes
from milo_planner.tree_nodes import (
    Act,
    CandidateSequence,
    Check,
    GrowingSelector,
    ItemSelector,
    Permit,
    Situation,
)

OTHER_INSTANCES = 5
"""How many other instances than the bound ones are tried for a sub-goal within one tree."""
_SURFACES = 3
"""On how many surfaces the hand may be emptied before the object is dropped."""
_MOVES_OBJECT = (Verb.PICK_UP, Verb.DELIVER, Verb.STORE)

_Path = frozenset[Fact]
"""What is being brought about above a node; bringing it about below would go round in circles."""
_Make = Callable[[], Behaviour]


class TreeBuilder:
    """Makes the subtrees of one situation."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._physics = situation.context.physics

    def item(self, item: AgendaItem) -> ItemSelector:
        """Return the subtree of an agenda item."""
        check = Check(f"is '{item}' true?", lambda: self._missing(item))
        grow = _grower(lambda: self._candidates(item))
        return ItemSelector(item, self._situation, [check], grow)

    def _missing(self, item: AgendaItem) -> str:
        facts = [Fact(*fact) for fact in item.facts()]
        return next((text for fact in facts if (text := self._untrue(fact))), "")

    def _untrue(self, fact: Fact) -> str:
        world = self._situation.world
        unknown = next((id_ for id_ in fact.ids if id_ not in world.objects), None)
        if unknown is not None:
            return f"{unknown} is not known"
        if fact.holds(world):
            return ""
        return str(Fact(fact.predicate, fact.ids, not fact.value))

    def _candidates(self, item: AgendaItem) -> Iterator[tuple[object, _Make]]:
        """Yield the instances that can serve an item: the bound ones, then others."""
        yield item, lambda: self._candidate(item, [])
        if item.duty is not Duty.GOAL:
            return
        taken = {
            other.object_id
            for other in self._situation.agenda
            if other.goal != item.goal and other.duty is Duty.GOAL
        }
        for object_id, target_id in self._situation.candidates(item.goal)[: OTHER_INSTANCES + 1]:
            if (target_id is None) is not (item.target_id is None):
                continue
            if object_id in taken and item.verb in _MOVES_OBJECT:
                continue
            other = replace(item, object_id=object_id, target_id=target_id)
            if other != item:
                yield other, partial(self._other_candidate, other)

    def _eligible(self, candidate: AgendaItem) -> Check:
        pair = (candidate.object_id, candidate.target_id)
        situation = self._situation

        def test() -> str:
            allowed = pair in situation.candidates(candidate.goal)
            return "" if allowed else "it is no candidate any more"

        return Check(f"may '{candidate}' serve?", test)

    def _other_candidate(self, candidate: AgendaItem) -> CandidateSequence:
        return self._candidate(candidate, [self._eligible(candidate)])

    def _candidate(self, candidate: AgendaItem, checks: list[Behaviour]) -> CandidateSequence:
        facts = [Fact(*fact) for fact in candidate.facts()]
        parts = [self._achieve(fact, frozenset()) for fact in facts]
        return CandidateSequence(candidate, [*checks, *parts])

    def _achieve(self, fact: Fact, path: _Path) -> GrowingSelector:
        """Return the subtree that makes a fact true."""
        check = Check(f"is {fact}?", lambda: self._untrue(fact))
        below = path | {fact}
        return GrowingSelector(str(fact), [check], _grower(lambda: self._ways(fact, below)))

    def _ways(self, fact: Fact, path: _Path) -> Iterator[tuple[object, _Make]]:
        """Yield the ways to make a fact true in the present situation."""
        if PREDICATES[fact.predicate].definition:
            if not fact.value and self._situation.knows(fact):
                yield from self._against(fact, path)
            return
        for action, binding in achievers(fact, self._physics):
            for arguments in self._complete(action, binding):
                needs = self._needs(action, arguments)
                if not path.intersection(needs):
                    key = (action.name, *arguments.values())
                    yield key, self._maker(action, arguments, path)

    def _against(self, fact: Fact, path: _Path) -> Iterator[tuple[object, _Make]]:
        """Yield the ways to end what makes a derived fact untrue."""
        for binding in supports(fact, self._situation.world):
            for contrary in contraries(fact, binding):
                if contrary not in path:
                    key = (contrary, *binding.values())
                    yield key, self._ender(fact, binding, contrary, path)

    def _ender(self, fact: Fact, binding: Mapping[str, str], contrary: Fact, path: _Path) -> _Make:
        definition = PREDICATES[fact.predicate].definition
        parts = [Fact.of(literal, binding) for literal in definition]

        def test() -> str:
            return next((text for part in parts if (text := self._untrue(part))), "")

        def make() -> Behaviour:
            question = f"is {' and '.join(str(part) for part in parts)}?"
            children: list[Behaviour] = [Check(question, test), self._achieve(contrary, path)]
            return TreeSequence(f"by having {contrary}", memory=False, children=children)

        return make

    def _maker(self, action: Action, arguments: Mapping[str, str], path: _Path) -> _Make:
        def make() -> Behaviour:
            permit = Permit(action, arguments, self._situation)
            needs = [self._achieve(fact, path) for fact in self._needs(action, arguments)]
            act = Act(action, arguments, self._situation)
            children: list[Behaviour] = [permit, *needs, act]
            return TreeSequence(f"by {act.name}", memory=False, children=children)

        return make

    def _needs(self, action: Action, arguments: Mapping[str, str]) -> list[Fact]:
        conditions = preconditions(action, self._physics)
        return [Fact.of(condition.literal, arguments) for condition in conditions]

    def _complete(self, action: Action, binding: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """Yield the arguments of an action that an effect of it determines in part.

        Only what is in the hand can be put somewhere: that is the object where none is given.
        """
        held = self._situation.world.held_id
        roles = {role.name for role in action.roles}
        if roles <= binding.keys():
            yield dict(binding)
        elif held is not None and binding.get("object", held) == held:
            if "receptacle" not in roles - binding.keys():
                yield {"object": held}
                return
            for spot in self._spots(action, held):
                yield {"object": held, "receptacle": spot}

    def _spots(self, action: Action, held: str) -> Iterator[str]:
        """Yield where what is in the hand can go: where it is wanted, then free surfaces."""
        situation = self._situation
        for item in situation.agenda:
            wanted = item.verb is Verb.STORE and item.object_id == held
            if wanted and item.target_id is not None and not item.holds(situation.world):
                yield item.target_id
        thing = situation.world.objects[held]
        surfaces = (o for o in situation.world if is_surface(o) and takes(o, thing))
        allowed = [
            o
            for o in surfaces
            if not situation.objection(action, {"object": held, "receptacle": o.object_id})
        ]
        allowed.sort(key=lambda o: metres(o.distance))
        yield from (o.object_id for o in allowed[:_SURFACES])


def _grower(ways: Callable[[], Iterator[tuple[object, _Make]]]) -> Callable[[], Behaviour | None]:
    """Return what makes one alternative after the other, none of them twice."""
    made: set[object] = set()

    def grow() -> Behaviour | None:
        for key, make in ways():
            if key not in made:
                made.add(key)
                return make()
        return None

    return grow
