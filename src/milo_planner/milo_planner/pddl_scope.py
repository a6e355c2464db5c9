"""Which of a world's objects a planning task has to be about, and what is to be true in the end."""

from collections.abc import Iterable, Iterator, Sequence

from milo_core.predicates import PREDICATES
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, Verb
from milo_planner.memory import Memory
from milo_planner.pddl_task import Atom, Scope
from milo_planner.surfaces import can_keep, is_surface, metres, takes

_ENDS_THERE = (Verb.NAVIGATE, Verb.DELIVER)
_NEEDS_HAND = (Verb.PICK_UP, Verb.DELIVER, Verb.STORE)


def agenda_scope(agenda: Sequence[AgendaItem], world: WorldModel, memory: Memory) -> Scope:
    """Return what planning for an agenda is about.

    Goals are the facts of all items, and for every object concerned: what is closed now is closed
    in the end, and what runs although it must be switched off to be opened runs in the end. What
    an item says otherwise goes first.
    """
    named = dict.fromkeys(
        i for item in agenda for i in (item.object_id, item.target_id) if i is not None
    )
    held = [world.held_id] if world.held_id and world.held_id in world.objects else []
    pairs = {
        (item.object_id, item.target_id)
        for item in agenda
        if item.verb is Verb.STORE and item.target_id and item.target_id != item.object_id
    }
    homeless = False
    for object_id in _movable(agenda, held):
        # One place, so that it is the best one.
        spot = next(_spots(object_id, world, memory), None)
        if spot is None:
            homeless = True
        else:
            pairs.add((object_id, spot))
    objects = with_containers([*held, *named, *sorted(spot for _, spot in pairs)], world)
    goals = dict.fromkeys(
        Atom((name, *ids), value) for item in agenda for name, ids, value in item.facts()
    )
    claimed = {goal.fact for goal in goals}
    kept = (atom for atom in _kept(agenda, objects, world) if atom.fact not in claimed)
    return Scope(tuple(objects), (*goals, *kept), frozenset(pairs), dropping=homeless)


def _movable(agenda: Sequence[AgendaItem], held: Sequence[str]) -> list[str]:
    """Return what may have to be put out of the way.

    That is what gets into the hand, unless it is there only until it is stored.
    """
    wanted = [item.object_id for item in agenda if item.verb in _NEEDS_HAND]
    stored = [item.object_id for item in agenda if item.verb is Verb.STORE]
    named = [item.object_id for item in agenda]
    return [
        object_id
        for object_id in dict.fromkeys([*held, *wanted])
        if object_id not in stored or named.count(object_id) > 1
    ]


def with_containers(ids: Iterable[str], world: WorldModel) -> list[str]:
    """Return instances and every container around them that may be closed, in a fixed order."""
    found: dict[str, None] = {}
    waiting = list(ids)[::-1]
    while waiting:
        object_id = waiting.pop()
        if object_id not in found:
            found[object_id] = None
            parents = _parents(object_id, world)
            waiting += [p for p in parents if world.objects[p].openable][::-1]
    return list(found)


def _parents(object_id: str, world: WorldModel) -> list[str]:
    return [p for p in world.objects[object_id].parent_receptacles if p in world.objects]


def _around(object_id: str, world: WorldModel) -> set[str]:
    """Return everything an object is in or on, also indirectly."""
    found: set[str] = set()
    waiting = [object_id]
    while waiting:
        for parent in _parents(waiting.pop(), world):
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


def _kept(agenda: Sequence[AgendaItem], ids: Iterable[str], world: WorldModel) -> Iterator[Atom]:
    """Yield what is to be again in the end as it is now."""
    stays_open = {item.object_id for item in agenda if item.verb is Verb.OPEN}
    for item in agenda:
        if item.verb in _ENDS_THERE:
            # What the robot is to stay near is not shut in.
            place = item.target_id if item.verb is Verb.DELIVER else item.object_id
            stays_open |= _around(place or item.object_id, world)
    for object_id in ids:
        belief = world.objects[object_id]
        if object_id in stays_open:
            continue
        if belief.is_open is False:
            yield Atom(("open", object_id), False)
        if PREDICATES["running"].holds(world, object_id):
            yield Atom(("on", object_id), True)


def _spots(object_id: str, world: WorldModel, memory: Memory) -> Iterator[str]:
    """Yield where something can be left: where it came from, near the robot, then the nearest."""
    held = world.objects[object_id]
    origin = (*memory.origin.get(object_id, ()), *held.parent_receptacles)
    surfaces = [spot for spot in world if is_surface(spot) and takes(spot, held)]
    surfaces.sort(key=lambda spot: (spot.object_id not in world.near, metres(spot.distance)))
    candidates = (
        *(spot for i in origin if (spot := world.objects.get(i)) is not None and can_keep(spot)),
        *surfaces,
    )
    for spot_id in dict.fromkeys(spot.object_id for spot in candidates):
        refused = (object_id, spot_id) in memory.no_room or spot_id in memory.unreachable
        if not refused and spot_id != object_id:
            yield spot_id
