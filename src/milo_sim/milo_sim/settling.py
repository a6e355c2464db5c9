"""Where a dropped object comes to rest: a stand-in for the engine's physics.

An object falls straight down without turning. It rests on receptacles, on flat things and on the
floor; from anything else, such as an apple, it rolls off to the side.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from milo_sim import containment
from milo_sim.geometry import Box, FloatArray, stack
from milo_sim.motion import translate

if TYPE_CHECKING:
    from milo_sim.world import World

CLEARANCE = 0.005
"""A surface this much above the object's bottom still counts as below it [m]."""
MAX_ROLLS = 8
"""After so many things it rolled off, an object stays on the next."""


class Ground:
    """What an object can rest on, as of now.

    ``own`` ids are the object and what it carries, ``around`` closed containers that it is in.
    """

    def __init__(self, world: World, own: set[str], around: Collection[str] = ()) -> None:
        self._world = world
        open_triggers = [
            trigger
            for key, trigger in world.triggers().items()
            if key not in own
            and world.objects[key].is_present
            and (not trigger.walled or world.is_accessible(key) or key in around)
        ]
        self._surfaces = stack([trigger.box for trigger in open_triggers])
        self._bottoms = np.array([trigger.bottom for trigger in open_triggers])
        self._things = [
            world.box(key)
            for key, state in world.objects.items()
            if key not in own and state.is_present and world.scene_objects[key].has("pickupable")
        ]
        self._centers = np.array([box.center for box in self._things]).reshape(-1, 3)
        self._extents = np.array([box.extent() for box in self._things]).reshape(-1, 3)

    def support(self, box: Box) -> tuple[float, Box | None]:
        """Height of the highest surface under the middle of a box, and the thing it rolls off."""
        extent = box.extent()
        bottom = float(box.center[1] - extent[1])
        height = max(self._surface_under(box, bottom), self._world.scene.floor_y)
        tops = self._centers[:, 1] + self._extents[:, 1]
        gap = np.abs(self._centers - box.center)
        under = (tops <= bottom + CLEARANCE) & (tops > height)
        under &= np.all(gap[:, [0, 2]] < (self._extents + extent)[:, [0, 2]], axis=1)
        if not under.any():
            return height, None
        highest = int(np.argmax(np.where(under, tops, -np.inf)))
        thing = self._things[highest]
        return float(tops[highest]), None if _carries(thing, box) else thing

    def _surface_under(self, box: Box, bottom: float) -> float:
        centers, axes, half = self._surfaces
        local = np.einsum("ni,nij->nj", box.center - centers, axes)
        over = np.all(np.abs(local[:, [0, 2]]) < half[:, [0, 2]], axis=1)
        for height in sorted(self._bottoms[over & (self._bottoms <= bottom + CLEARANCE)])[::-1]:
            if not self._world.over_free_cell(box.center, float(height)):
                return float(height)
        return -np.inf


def fall(world: World, object_id: str, box: Box) -> FloatArray:
    """Displacement (3,) from where an object is let go to where it rests."""
    around = containment.closed_holders(world, object_id)
    ground = Ground(world, world.with_carried(object_id), around)
    moved = box
    for _ in range(MAX_ROLLS):
        height, bump = ground.support(moved)
        if bump is None:
            break
        moved = moved.moved(_roll(world, moved, bump))
    bottom = float(moved.center[1] - moved.extent()[1])
    offset = moved.center - box.center
    offset[1] -= max(bottom - height, 0.0)
    return offset


def let_down(world: World, object_id: str) -> None:
    """Let an object that nobody holds fall from where it is, with what it carries."""
    state = world.objects[object_id]
    around = containment.closed_holders(world, object_id)
    offset = fall(world, object_id, world.box(object_id))
    for key in world.with_carried(object_id):
        translate(world.objects[key], offset)
    state.carrier = None
    containment.resettle(world, object_id, known=around)


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
