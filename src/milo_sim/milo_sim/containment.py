"""Which receptacle holds what.

The engine reports an object as held by every receptacle whose trigger box its colliders reach. The
lists a scene starts with are kept; only what an action moves is looked up again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import numpy as np

from milo_sim.geometry import Box, boxes_overlap, stack
from milo_sim.opening import carried_ids
from milo_sim.receptacles import TriggerBox

if TYPE_CHECKING:
    from milo_sim.world import World

TOUCH = 0.002
"""An object counts as reaching into a trigger box when it does by more than this [m]."""
SUNK = 0.05
"""What lies on a surface reaches no deeper below its recorded height than this [m]."""


def detach(world: World, object_id: str) -> None:
    """Take an object out of all receptacles' lists."""
    state = world.objects[object_id]
    for parent_id in state.parent_receptacles or ():
        parent = world.objects[parent_id]
        if parent.receptacle_object_ids and object_id in parent.receptacle_object_ids:
            parent.receptacle_object_ids.remove(object_id)
            parent.touch()
    state.parent_receptacles = None
    state.touch()


def attach(world: World, object_id: str, parents: Iterable[str]) -> None:
    """Put an object into the lists of receptacles."""
    state = world.objects[object_id]
    state.parent_receptacles = sorted(parents) or None
    for parent_id in state.parent_receptacles or ():
        parent = world.objects[parent_id]
        if parent.receptacle_object_ids is None:
            parent.receptacle_object_ids = []
        if object_id not in parent.receptacle_object_ids:
            parent.receptacle_object_ids.append(object_id)
            parent.touch()
    state.touch()


def closed_holders(world: World, object_id: str) -> list[str]:
    """Ids of the closed containers that an object is in."""
    return [
        key
        for key in world.objects[object_id].parent_receptacles or ()
        if world.home_triggers[key].walled and not world.is_accessible(key)
    ]


def find_parents(world: World, object_id: str, known: Collection[str] = ()) -> list[str]:
    """Ids of the receptacles whose trigger box the object reaches into, in scene order.

    Closed containers are left out: nothing gets into them, though their coarse boxes reach far. So
    are open surfaces that an object pokes through from below: their boxes span sinks and gaps. Of
    several things with doors or lids whose boxes overlap it is in one only: in that which is
    ``known`` to hold it or whose middle is nearest, and in what holds that.
    """
    if not world.objects[object_id].is_present:
        return []
    own = world.with_carried(object_id)
    box = world.box(object_id).grown(-TOUCH)
    bottom = float(box.center[1] - box.extent()[1])
    triggers = [
        t
        for key, t in world.triggers().items()
        if key not in own
        and world.objects[key].is_present
        and (world.is_accessible(key) if t.walled else bottom > t.bottom - SUNK)
    ]
    hits = boxes_overlap(box, stack([t.box for t in triggers]))
    reached = [t for t, hit in zip(triggers, hits, strict=True) if hit]
    with_doors = [t for t in reached if world.scene_objects[t.receptacle_id].has("openable")]
    if with_doors:
        chosen = _one_container(world, box, with_doors, known)
        reached = [t for t in reached if t not in with_doors or t.receptacle_id in chosen]
    return [t.receptacle_id for t in reached]


def _one_container(
    world: World, box: Box, candidates: list[TriggerBox], known: Collection[str]
) -> set[str]:
    """Ids of the container among several that holds a box, and of what holds the container."""
    holders = [i for i in known if world.scene_objects[i].has("openable")]
    if not holders:
        depth = [
            float(np.max(np.abs(t.box.to_local(box.center)) / np.maximum(t.box.half, 1e-6)))
            for t in candidates
        ]
        holders = [candidates[int(np.argmin(depth))].receptacle_id]
    around = (world.objects[i].parent_receptacles or () for i in holders)
    return {*holders, *(parent for parents in around for parent in parents)}


def resettle(world: World, object_id: str, known: Iterable[str] = ()) -> None:
    """Look up again what holds an object that moved, and what holds its contents.

    ``known`` are receptacles that hold it for certain.
    """
    for moved in [object_id, *carried_ids(object_id, world.objects)]:
        certain = set(known) if moved == object_id else {object_id}
        if not world.objects[moved].is_present:
            certain = set()
        holders = {*find_parents(world, moved, certain), *certain}
        detach(world, moved)
        attach(world, moved, holders)
