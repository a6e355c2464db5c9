"""Opening and closing: sliding drawers, swinging doors and what moves with them.

Recorded with the real engine are two drawers (they slide 0.815 and 0.882 of their depth; 0.84 is
used for all) and one fridge, whose axis-aligned box grows forward by 0.80 of its width while the
pivot stays. Lids, covers and flaps change their state only: their open shapes are not on record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from milo_sim.geometry import FloatArray, as_vector, footprint_in_yaw_frame, yaw_matrix
from milo_sim.motion import translate
from milo_sim.scene import Scene, SceneObject
from milo_sim.state import ObjectState

if TYPE_CHECKING:
    from milo_sim.world import World

SLIDE_SHARE = 0.84
DOOR_SHARE = 0.80

SLIDING_TYPES = frozenset({"Drawer"})
DOOR_TYPES = frozenset({"Cabinet", "Fridge", "ShowerDoor"})
"""Static things with doors; the oriented boxes of moveable ones keep their closed shape."""

_STRIP = 0.3
"""Half width of the strip in which free cells are looked for in front of a side [m]."""
_NEAR = 1.0
"""A side with free cells this close can be the front [m]."""


def front(obj: SceneObject, scene: Scene) -> tuple[FloatArray, int]:
    """Outward direction (3,) of the front and its local axis (0 for x, 2 for z).

    The front of nearly all models is local +z; where no free cell lies before that side, it is
    the side which is nearest to one.
    """
    axes = yaw_matrix(obj.rotation[1])
    center = np.array(obj.aabb_center)
    sides = footprint_in_yaw_frame(obj.aabb_size, obj.rotation[1])
    candidates = [(2, 1.0), (0, 1.0), (0, -1.0), (2, -1.0)]
    gaps = []
    for axis, sign in candidates:
        direction = axes[:, axis] * sign
        gap = _gap(center, direction, scene.reachable) - sides[axis // 2] / 2
        gaps.append(gap)
        if axis == 2 and sign > 0 and gap < _NEAR:
            return direction, axis
    axis, sign = candidates[int(np.argmin(gaps))]
    return axes[:, axis] * sign, axis


def _gap(center: FloatArray, direction: FloatArray, cells: FloatArray) -> float:
    """Distance from a point to the nearest free cell in a strip along a direction."""
    offset = cells - center[[0, 2]]
    ahead = offset @ direction[[0, 2]]
    aside = np.abs(offset @ np.array([direction[2], -direction[0]]))
    found = ahead[(aside < _STRIP) & (ahead > 0.0)]
    return float(found.min()) if found.size else math.inf


def slide_offset(obj: SceneObject, scene: Scene, openness: float) -> FloatArray:
    """How far (3,) a sliding object stands from its closed place."""
    direction, axis = front(obj, scene)
    depth = footprint_in_yaw_frame(obj.aabb_size, obj.rotation[1])[axis // 2]
    return direction * (SLIDE_SHARE * depth * openness)


def apply_door(obj: SceneObject, scene: Scene, state: ObjectState, openness: float) -> None:
    """Give a thing with doors the axis-aligned box it has at an openness of 0 to 1."""
    if openness == 0.0:
        state.aabb_center, state.aabb_size = obj.aabb_center, obj.aabb_size
        return
    direction, axis = front(obj, scene)
    width = footprint_in_yaw_frame(obj.aabb_size, obj.rotation[1])[1 - axis // 2]
    reach = direction * (DOOR_SHARE * width * math.sin(math.radians(90.0 * openness)))
    center, half = np.array(obj.aabb_center), np.array(obj.aabb_size) / 2
    low = np.minimum(center - half, center - half + reach)
    high = np.maximum(center + half, center + half + reach)
    state.aabb_center, state.aabb_size = as_vector((low + high) / 2), as_vector(high - low)


def carried_ids(carrier_id: str, objects: Mapping[str, ObjectState]) -> list[str]:
    """Ids of what moves with a carrier, directly or through another carried object."""
    found: list[str] = []
    queue = [carrier_id]
    while queue:
        current = queue.pop(0)
        for object_id, state in objects.items():
            if state.carrier == current and object_id not in found:
                found.append(object_id)
                queue.append(object_id)
    return found


def open_to(world: World, object_id: str, openness: float) -> None:
    """Set how far something is open, and move what moves with it."""
    obj, state = world.scene_objects[object_id], world.objects[object_id]
    if obj.object_type in SLIDING_TYPES:
        _slide(world, obj, state, openness)
    elif obj.object_type in DOOR_TYPES:
        apply_door(obj, world.scene, state, openness)
    state.openness = openness
    state.is_open = openness != 0.0
    state.touch()


def _slide(world: World, obj: SceneObject, state: ObjectState, openness: float) -> None:
    """Slide a drawer with its contents; closing brings the drawer back exactly."""
    offset = slide_offset(obj, world.scene, openness)
    target = np.array(obj.position) + offset
    shift = target - np.asarray(state.position)
    _bind_contents(world, obj.object_id)
    for carried_id in carried_ids(obj.object_id, world.objects):
        translate(world.objects[carried_id], shift)
    state.position = as_vector(target)
    state.aabb_center = as_vector(np.array(obj.aabb_center) + offset)


def _bind_contents(world: World, object_id: str) -> None:
    """Let the loose things in a drawer move with it."""
    for content_id in world.objects[object_id].receptacle_object_ids or ():
        content = world.objects[content_id]
        if world.scene_objects[content_id].has("pickupable") and content.carrier is None:
            content.carrier = object_id
