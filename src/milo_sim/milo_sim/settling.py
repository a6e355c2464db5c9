"""Where a dropped object comes to rest: a stand-in for the engine's physics.

An object falls straight down without turning. It rests on receptacles, on flat things and on the
floor; from anything else, such as an apple, it rolls off to the side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from milo_sim.geometry import Box, FloatArray
from milo_sim.motion import object_box

if TYPE_CHECKING:
    from milo_sim.world import World

CLEARANCE = 0.005
"""A surface this much above the object's bottom still counts as below it [m]."""
MAX_ROLLS = 8
"""After so many things it rolled off, an object stays on the next."""


def fall(world: World, object_id: str, box: Box) -> FloatArray:
    """Displacement (3,) from where an object is let go to where it rests."""
    own = world.with_carried(object_id)
    moved = box
    for _ in range(MAX_ROLLS):
        height, bump = _support(world, own, moved)
        if bump is None:
            break
        moved = moved.moved(_roll(world, moved, bump))
    bottom = float(moved.center[1] - moved.extent()[1])
    offset = moved.center - box.center
    offset[1] -= max(bottom - height, 0.0)
    return offset


def _support(world: World, own: set[str], box: Box) -> tuple[float, Box | None]:
    """Height of the highest surface under the middle of a box, and the thing it rolls off."""
    bottom = float(box.center[1] - box.extent()[1])
    height = world.scene.floor_y
    for key, trigger in world.triggers().items():
        if key in own or (trigger.walled and not world.is_accessible(key)):
            continue
        local = trigger.box.to_local(box.center)
        over = abs(local[0]) < trigger.box.half[0] and abs(local[2]) < trigger.box.half[2]
        if not over or trigger.bottom > bottom + CLEARANCE or trigger.bottom <= height:
            continue
        if not world.over_free_cell(box.center, trigger.bottom):
            height = trigger.bottom
    bump: Box | None = None
    for key, state in world.objects.items():
        if key in own or not world.scene_objects[key].has("pickupable"):
            continue
        thing = object_box(state)
        top = float(thing.center[1] + thing.extent()[1])
        if top > bottom + CLEARANCE or top <= height or not _meet(thing, box):
            continue
        height, bump = top, None if _carries(thing, box) else thing
    return height, bump


def _meet(thing: Box, box: Box) -> bool:
    """Tell whether two boxes overlap seen from above."""
    reach = thing.extent() + box.extent()
    gap = np.abs(thing.center - box.center)
    return bool(gap[0] < reach[0] and gap[2] < reach[2])


def _carries(thing: Box, box: Box) -> bool:
    """Tell whether a thing is flat and the box's middle is over it."""
    extent = thing.extent()
    gap = np.abs(thing.center - box.center)
    over = gap[0] < extent[0] and gap[2] < extent[2]
    return bool(over and extent[1] <= min(extent[0], extent[2]) / 2)


def _roll(world: World, box: Box, bump: Box) -> FloatArray:
    """Horizontal way (3,) off a thing: away from its middle, from right on top to the agent."""
    away = box.center - bump.center
    away[1] = 0.0
    if float(np.linalg.norm(away)) < 0.01:
        away = np.asarray(world.agent.position) - bump.center
        away[1] = 0.0
    axis = 0 if abs(away[0]) >= abs(away[2]) else 2
    reach = float(box.extent()[axis] + bump.extent()[axis]) + 1e-3
    target = bump.center[axis] + (reach if away[axis] >= 0.0 else -reach)
    way = np.zeros(3)
    way[axis] = target - box.center[axis]
    return way
