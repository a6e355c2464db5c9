"""Which receptacle holds what.

The engine reports an object as held by every receptacle whose trigger box its colliders reach. The
lists a scene starts with are kept; only what an action moves is looked up again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from milo_sim.geometry import boxes_overlap, stack
from milo_sim.motion import object_box
from milo_sim.opening import carried_ids

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


def find_parents(world: World, object_id: str) -> list[str]:
    """Ids of the receptacles whose trigger box the object reaches into, in scene order.

    Closed containers are left out: nothing gets into them, though their coarse boxes reach far. So
    are open surfaces that an object pokes through from below: their boxes span sinks and gaps.
    """
    own = world.with_carried(object_id)
    box = object_box(world.objects[object_id]).grown(-TOUCH)
    bottom = float(box.center[1] - box.extent()[1])
    triggers = [
        t
        for key, t in world.triggers().items()
        if key not in own and (world.is_accessible(key) if t.walled else bottom > t.bottom - SUNK)
    ]
    reached = boxes_overlap(box, stack([t.box for t in triggers]))
    return [t.receptacle_id for t, hit in zip(triggers, reached, strict=True) if hit]


def resettle(world: World, object_id: str, known: Iterable[str] = ()) -> None:
    """Look up again what holds an object that moved, and what holds its contents.

    ``known`` are receptacles that hold it for certain.
    """
    for moved in [object_id, *carried_ids(object_id, world.objects)]:
        holders = set(find_parents(world, moved))
        if moved == object_id:
            holders |= set(known)
        else:
            holders.add(object_id)
        detach(world, moved)
        attach(world, moved, holders)
