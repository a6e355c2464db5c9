"""The order in which a behaviour tree takes the items of an agenda."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from milo_core.predicates import PREDICATES
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, Duty, Verb

_STAYS = (Verb.NAVIGATE, Verb.DELIVER)
"""Verbs that end with the robot near something."""


class _Turn(IntEnum):
    """When an item's turn comes."""

    CLOSE_HERE = 0
    """Closing what is needed no longer, before the robot leaves."""
    FREE_HAND = 1
    CLOSE_THERE = 2
    """The same, where the robot has left already."""
    IN_HAND = 3
    """What is in the hand already."""
    GOAL = 4
    KEEP_IN_HAND = 5
    STAY_NEAR = 6
    SHUT_LATER = 7
    """What shuts a container that is needed open until then."""


@dataclass
class Precedence:
    """Which item has to come before which, as learned from what undid what."""

    _after: dict[AgendaItem, set[AgendaItem]] = field(default_factory=dict)

    def allows(self, first: AgendaItem, second: AgendaItem) -> bool:
        """Return whether `first` may still be put before `second`, which is behind it."""
        return first not in self._behind(second) and second not in self._after.get(first, ())

    def add(self, first: AgendaItem, second: AgendaItem) -> None:
        """Have `first` come before `second`."""
        self._after.setdefault(first, set()).add(second)

    def _behind(self, item: AgendaItem) -> set[AgendaItem]:
        found: set[AgendaItem] = set()
        queue = [item]
        while queue:
            node = queue.pop()
            if node not in found:
                found.add(node)
                queue.extend(self._after.get(node, ()))
        return found

    def apply(self, order: Sequence[AgendaItem]) -> list[AgendaItem]:
        """Return the items in an order as near to the given one as is allowed."""
        result: list[AgendaItem] = []
        waiting = list(order)
        while waiting:
            item = next(i for i in waiting if not self._waits(i, waiting))
            waiting.remove(item)
            result.append(item)
        return result

    def _waits(self, item: AgendaItem, others: Sequence[AgendaItem]) -> bool:
        return any(item in self._after.get(other, ()) for other in others if other is not item)


def arrange(
    agenda: Sequence[AgendaItem],
    world: WorldModel,
    bound: Mapping[AgendaItem, AgendaItem],
    precedence: Precedence,
) -> list[AgendaItem]:
    """Return the items in the order in which to bring them about.

    Closing what nothing needs open any more comes first if the robot is still there, then what the
    hand holds needlessly, closings elsewhere, what is in the hand, the goals as given, what stays
    in the hand, where the robot is to stand, and at last what shuts something that is needed open
    until then. A duty to free the hand is left out while the hand holds another instance than the
    agenda's for a goal.

    Args:
        agenda: as a Policy gets it.
        world: the present belief.
        bound: item -> the same item on the instances that are pursued for it at present.
        precedence: what was learned; comes before everything else.
    """
    current = {item: bound.get(item, item) for item in agenda}
    needed = _needed_open(agenda, world, current)
    for_goals = {
        pursued.object_id
        for item, pursued in current.items()
        if pursued.object_id != item.object_id and not item.holds(world)
    }
    kept = [
        item
        for item in agenda
        if item.duty is not Duty.FREE_HAND or item.object_id not in for_goals
    ]
    kept.sort(key=lambda item: _turn(current[item], world, needed))
    return precedence.apply(kept)


def shuts_in(first: AgendaItem, second: AgendaItem, world: WorldModel) -> bool:
    """Return whether the first item shuts a container that the second has to reach into."""
    ids = {id_ for id_ in (second.object_id, second.target_id) if id_ and id_ != world.held_id}
    return _shuts(first, world) and any(first.object_id in _around(id_, world) for id_ in ids)


def _turn(item: AgendaItem, world: WorldModel, needed: set[str]) -> _Turn:
    if item.duty is Duty.FREE_HAND:
        return _Turn.FREE_HAND
    if item.object_id in needed and _shuts(item, world):
        return _Turn.SHUT_LATER
    if item.duty is Duty.CLOSE:
        return _Turn.CLOSE_HERE if item.object_id in world.near else _Turn.CLOSE_THERE
    if item.verb is Verb.PICK_UP:
        return _Turn.KEEP_IN_HAND
    if item.verb in _STAYS:
        return _Turn.STAY_NEAR
    return _Turn.IN_HAND if item.object_id == world.held_id else _Turn.GOAL


def _shuts(item: AgendaItem, world: WorldModel) -> bool:
    if item.verb is Verb.TURN_ON and item.object_id in world.objects:
        return PREDICATES["must_be_closed"].holds(world, item.object_id)
    return item.verb is Verb.CLOSE


def _needed_open(
    agenda: Sequence[AgendaItem], world: WorldModel, bound: Mapping[AgendaItem, AgendaItem]
) -> set[str]:
    """Return the containers that must be open for something that is not true yet.

    Also those around what the robot is to stay near, which it must leave to shut them.
    """
    needed: set[str] = set()
    for item in agenda:
        pursued = bound[item]
        done = item.holds(world) or pursued.holds(world)
        if done and item.verb not in _STAYS:
            continue
        if pursued.object_id != world.held_id:
            needed |= _around(pursued.object_id, world)
        if pursued.target_id is not None:
            needed |= _around(pursued.target_id, world)
            if pursued.verb is Verb.STORE:
                needed.add(pursued.target_id)
    return needed


def _around(object_id: str, world: WorldModel) -> set[str]:
    """Return everything that an object is in or on, directly or not."""
    found: set[str] = set()
    queue = [object_id]
    while queue:
        belief = world.objects.get(queue.pop())
        parents = belief.parent_receptacles if belief is not None else ()
        queue.extend(parent for parent in parents if parent not in found)
        found.update(parents)
    return found
