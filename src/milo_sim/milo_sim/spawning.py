"""InitialRandomSpawn: things get new places, drawn from a seed.

Follows AI2-THOR's ``PhysicsSceneManager.RandomSpawnRequiredSceneObjects`` (Apache-2.0); the random
numbers are not the engine's, so a seed gives another arrangement than there, but always the same.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from milo_core.object_types import OBJECT_TYPES
from milo_sim import containment, holding, placement, roster, settling
from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World


class TypeCount(NamedTuple):
    """How many objects of a type there shall be."""

    object_type: str
    number: int


@dataclass(frozen=True)
class Options:
    """Arguments of InitialRandomSpawn; None means all."""

    seed: int = 0
    in_sight: bool = False
    stationary: bool = True
    attempts: int = 5
    duplicates: Sequence[TypeCount] = ()
    excluded_receptacles: Collection[str] = ()
    excluded_ids: Collection[str] = ()
    ids: Collection[str] | None = None
    receptacle_ids: Collection[str] | None = None
    allow_floor: bool = False
    allow_moveable: bool = False
    generator: random.Random = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Seed the random numbers."""
        object.__setattr__(self, "generator", random.Random(self.seed))


def spawn(world: World, options: Options) -> None:
    """Give the scene's things new places; what finds none stays where it is."""
    _check(world, options)
    dropped = world.held_id
    holding.release(world)
    chosen = _chosen(world, options)
    copies = [copy for kind in options.duplicates for copy in _copies(world, kind, options)]
    queue = chosen + copies
    options.generator.shuffle(queue)
    receptacles = _receptacles(world, options)
    moved_holders: set[str] = set()
    left: list[str] = [] if dropped is None else [dropped]
    for key in queue:
        for content_id in world.objects[key].receptacle_object_ids or ():
            world.objects[content_id].carrier = None
        if _spawn_one(world, key, receptacles, options):
            moved_holders.add(key)
            left = [other for other in left if other != key]
        elif key in copies:
            roster.remove(world, key)
    _settle_left(world, moved_holders, left)


def _check(world: World, options: Options) -> None:
    if options.attempts <= 0:
        raise ActionFailed("numPlacementAttempts must be a positive integer.")
    for name in options.excluded_receptacles:
        if name not in OBJECT_TYPES:
            raise ActionFailed(f"invalid Object Type used in excludedReceptacles array: {name}")
    for key in options.excluded_ids:
        if key not in world.objects:
            raise ActionFailed(f"Cannot find sim object with id '{key}'")
    for kind in options.duplicates:
        if kind.object_type not in OBJECT_TYPES:
            raise ActionFailed(
                f"Requested value '{kind.object_type}' was not found.",
                exception_type="ArgumentException",
            )


def _chosen(world: World, options: Options) -> list[str]:
    """Ids of the things to move, of each type no more than asked for."""
    limits = {kind.object_type: kind.number for kind in options.duplicates}
    counts: dict[str, int] = {}
    found = []
    for key, fixed in world.scene_objects.items():
        loose = fixed.has("pickupable") or (options.allow_moveable and fixed.has("moveable"))
        if not loose or not world.objects[key].is_present or key in options.excluded_ids:
            continue
        if options.ids is not None and key not in options.ids:
            continue
        kind = fixed.object_type
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= limits.get(kind, counts[kind]):
            found.append(key)
    return found


def _copies(world: World, kind: TypeCount, options: Options) -> Iterator[str]:
    """Add the copies of a type that are missing, and yield their ids."""
    originals = [
        key
        for key, fixed in world.scene_objects.items()
        if fixed.object_type == kind.object_type and fixed.has("pickupable")
    ]
    if not originals:
        return
    for number in range(kind.number - len(originals)):
        source = options.generator.choice(originals)
        key = f"{source}_copy_{number}"
        if key not in world.objects:
            name = f"{world.scene_objects[source].name}_random_copy_{number}"
            roster.copy(world, source, key, name)
            yield key


def _receptacles(world: World, options: Options) -> dict[str, list[str]]:
    """Ids of the receptacles to use, by type."""
    found: dict[str, list[str]] = {}
    for key, fixed in world.scene_objects.items():
        kind = OBJECT_TYPES[fixed.object_type]
        if key not in world.home_triggers or not world.objects[key].is_present:
            continue
        # No egg in a plate in a cabinet: what can be picked up takes nothing.
        if fixed.has("pickupable") or fixed.object_type in options.excluded_receptacles:
            continue
        if fixed.object_type == "Floor" and not options.allow_floor:
            continue
        if options.in_sight and not kind.open_receptacle:
            continue
        if options.receptacle_ids is not None and key not in options.receptacle_ids:
            continue
        found.setdefault(fixed.object_type, []).append(key)
    return found


def _spawn_one(world: World, key: str, receptacles: dict[str, list[str]], options: Options) -> bool:
    """Put a thing into one of the receptacles that its type may be in; False if none has room."""
    allowed = OBJECT_TYPES[world.scene_objects[key].object_type].placement_restrictions or ()
    types = [kind for kind in receptacles if kind in allowed]
    options.generator.shuffle(types)
    for kind in types:
        candidates = list(receptacles[kind])
        options.generator.shuffle(candidates)
        for receptacle_id in candidates:
            spot = placement.random_spot(
                world, key, receptacle_id, options.generator, options.attempts
            )
            if spot is not None:
                placement.place(world, key, receptacle_id, spot, options.stationary)
                return True
    return False


def _settle_left(world: World, moved: Collection[str], left: Collection[str]) -> None:
    """Let fall what hung in the hand or lay in a thing that is elsewhere now."""
    orphans = [
        key
        for key, state in world.objects.items()
        if key not in moved and any(p in moved for p in state.parent_receptacles or ())
    ]
    for key in dict.fromkeys([*left, *orphans]):
        if key in world.objects and world.objects[key].is_present:
            containment.detach(world, key)
            settling.let_down(world, key)
