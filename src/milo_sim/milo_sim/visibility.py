"""What the camera sees, and what the hand could reach.

AI2-THOR casts rays from the camera to an object's visibility points; the object is visible if one
of them is in view, near enough, and the first thing its ray meets is the object. The points are not
on record: here they are spread over the surface of the object's boxes. Occluders are the boxes of
``milo_sim.solids``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milo_sim.errors import ActionFailed
from milo_sim.geometry import (
    BoolArray,
    Box,
    FloatArray,
    IndexArray,
    Vector,
    segments_hit_boxes,
    stack,
    to_local_of_all,
)
from milo_sim.holding import camera_matrix
from milo_sim.solids import AGENT_HEIGHT, AGENT_RADIUS, TRANSPARENT_TYPES
from milo_sim.state import ObjectState, Visibility

if TYPE_CHECKING:
    from milo_sim.world import World

NEAR_PLANE = 0.01
POINT_SPACING = 0.3
"""Wanted distance of visibility points on a surface [m]."""
MIN_POINTS, MAX_POINTS = 2, 5
"""Fewest and most visibility points along one edge of a box."""
INSET = 0.8
"""Share of a face that its visibility points span."""
CONTAINED = 0.02
"""A box that surrounds a point by less than this may still hold it [m]."""
_EPSILON = 1e-6

FRONT_OPENING_TYPES = frozenset({"Cabinet", "Fridge", "Microwave", "Safe"})
"""Containers that one looks into from the front; into all others from above."""


class Occluders(NamedTuple):
    """All solid boxes of a moment: ``stack`` arrays, the owner of each box and whether of glass."""

    boxes: tuple[FloatArray, FloatArray, FloatArray]
    owners: list[str]
    glass: BoolArray


def occluders(world: World) -> Occluders:
    """The solid boxes of all objects as they are now."""
    boxes: list[Box] = []
    owners: list[str] = []
    for key in world.objects:
        parts = world.solid_parts(key)
        boxes.extend(parts)
        owners.extend([key] * len(parts))
    glass = np.array(
        [world.scene_objects[o].object_type in TRANSPARENT_TYPES for o in owners], dtype=np.bool_
    )
    return Occluders(stack(boxes), owners, glass)


def surface_points(boxes: list[Box]) -> FloatArray:
    """Visibility points (n, 3) on the surfaces of boxes."""
    return np.concatenate([_box_points(box) for box in boxes])


def _box_points(box: Box) -> FloatArray:
    """Grids on the six faces, none nearer to an edge than ``INSET`` allows."""
    counts = np.clip(np.ceil(2 * box.half / POINT_SPACING) + 1, MIN_POINTS, MAX_POINTS).astype(int)
    steps = [np.linspace(-INSET, INSET, n) for n in counts]
    faces = []
    for axis in range(3):
        sides = [np.array([-1.0, 1.0]) if i == axis else steps[i] for i in range(3)]
        faces.append(np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3))
    points: FloatArray = box.center + (np.concatenate(faces) * box.half) @ box.axes.T
    return points


class Sight(NamedTuple):
    """For each ray whether it reaches its target, with and without counting glass as solid."""

    open: BoolArray
    through_glass: BoolArray


def line_of_sight(
    world: World,
    target_id: str,
    starts: FloatArray,
    points: FloatArray,
    index: IndexArray,
    absent: Collection[str] = (),
) -> Sight:
    """Follow rays to points of one object.

    Ray i runs from ``starts[i]`` to ``points[index[i]]``; ``absent`` ids block nothing.
    """
    if len(starts) == 0 or is_enclosed(world, target_id):
        nothing = np.zeros(len(starts), dtype=np.bool_)
        return Sight(nothing, nothing)
    ends = points[index]
    shapes = _between(world.occluders(), starts, ends, absent)
    entry = segments_hit_boxes(starts, ends, shapes.boxes)
    own = np.array([owner == target_id for owner in shapes.owners], dtype=np.bool_)
    reached = np.min(entry[:, own], axis=1, initial=1.0)
    blocks = (entry > 0.0) & (entry < reached[:, None] - _EPSILON)
    blocks[:, own] = False
    blocks &= ~_ignored(world, target_id, shapes, points)[index]
    solid = _misses_opening(world, target_id, starts, ends)
    solid |= np.any(blocks[:, ~shapes.glass], axis=1)
    return Sight(~(solid | np.any(blocks[:, shapes.glass], axis=1)), ~solid)


def is_enclosed(world: World, object_id: str) -> bool:
    """Tell whether a closed container holds the object."""
    return any(
        world.triggers()[p].walled and not world.is_accessible(p)
        for p in world.objects[object_id].parent_receptacles or ()
    )


def _between(
    shapes: Occluders, starts: FloatArray, ends: FloatArray, absent: Collection[str]
) -> Occluders:
    """Those boxes which lie in the space that the rays cross and whose owner is there."""
    low = np.minimum(starts.min(axis=0), ends.min(axis=0))
    high = np.maximum(starts.max(axis=0), ends.max(axis=0))
    centers, axes, half = shapes.boxes
    extent = np.einsum("nij,nj->ni", np.abs(axes), half)
    keep = np.all((centers + extent >= low) & (centers - extent <= high), axis=1)
    keep &= np.array([owner not in absent for owner in shapes.owners], dtype=np.bool_)
    owners = [owner for owner, kept in zip(shapes.owners, keep, strict=True) if kept]
    return Occluders((centers[keep], axes[keep], half[keep]), owners, shapes.glass[keep])


def _ignored(world: World, target_id: str, shapes: Occluders, points: FloatArray) -> BoolArray:
    """(points, boxes) that do not count: what holds the target, and boxes around its point.

    A coarse box that spans the very point looked at is not solid there.
    """
    parents = world.objects[target_id].parent_receptacles or ()
    holds = np.array([owner in parents for owner in shapes.owners], dtype=np.bool_)
    local = to_local_of_all(points, shapes.boxes)
    around = np.all(np.abs(local) < shapes.boxes[2] + CONTAINED, axis=2)
    pickupable = np.array(
        [world.scene_objects[owner].has("pickupable") for owner in shapes.owners], dtype=np.bool_
    )
    ignored: BoolArray = holds[None, :] | (around & ~pickupable[None, :])
    return ignored


def _misses_opening(
    world: World, target_id: str, starts: FloatArray, ends: FloatArray
) -> BoolArray:
    """Which rays to something in an open container do not come in through its opening."""
    blocked = np.zeros(len(starts), dtype=np.bool_)
    for parent_id in world.objects[target_id].parent_receptacles or ():
        if not world.triggers()[parent_id].walled:
            continue
        box = world.body(parent_id)
        if world.scene_objects[parent_id].object_type in FRONT_OPENING_TYPES:
            normal = world.front_of(parent_id)
        else:
            normal = np.array([0.0, 1.0, 0.0])
        blocked |= _enters_elsewhere(box, normal, starts, ends)
    return blocked


def _enters_elsewhere(
    box: Box, normal: FloatArray, starts: FloatArray, ends: FloatArray
) -> BoolArray:
    """Which rays enter a box through another side than the one with the given outward normal."""
    entry = segments_hit_boxes(starts, ends, stack([box]))[:, 0]
    hit = np.isfinite(entry) & (entry > 0.0)
    fraction = np.where(hit, entry, 0.0)[:, None]
    point = starts + (ends - starts) * fraction
    local = box.to_local(point) / np.maximum(box.half, 1e-9)
    facing = box.axes.T @ normal
    axis = int(np.argmax(np.abs(facing)))
    through = local[:, axis] * np.sign(facing[axis]) > 1.0 - 1e-4
    elsewhere: BoolArray = hit & ~through
    return elsewhere


def in_view(world: World, points: FloatArray) -> BoolArray:
    """Which points (n, 3) the camera's picture shows, walls apart."""
    local = (points - np.asarray(world.camera_position)) @ camera_matrix(world)
    reach = math.tan(math.radians(world.settings.field_of_view / 2))
    depth = local[:, 2]
    inside: BoolArray = (
        (depth > NEAR_PLANE)
        & (np.abs(local[:, 1]) <= depth * reach)
        & (np.abs(local[:, 0]) <= depth * reach * world.settings.aspect)
    )
    return inside


def all_visibility(world: World) -> Mapping[str, Visibility]:
    """Visibility of every object from the current camera."""
    return {key: _object_visibility(world, key) for key in world.objects}


def _object_visibility(world: World, object_id: str) -> Visibility:
    limit = world.settings.visibility_distance
    points = world.visibility_points(object_id)
    if world.settings.visibility_scheme == "Distance":
        gap = points[:, [0, 2]] - np.asarray(world.camera_position)[[0, 2]]
        points = points[np.hypot(gap[:, 0], gap[:, 1]) < limit]
    elif not _in_capsule(world.objects[object_id], world.agent.position, limit):
        return Visibility(False, False)
    points = points[in_view(world, points)]
    if len(points) == 0:
        return Visibility(False, False)
    starts = np.broadcast_to(np.asarray(world.camera_position), points.shape)
    sight = line_of_sight(world, object_id, starts, points, np.arange(len(points)))
    return Visibility(bool(sight.through_glass.any()), bool(sight.open.any()))


def _in_capsule(state: ObjectState, agent: Vector, radius: float) -> bool:
    """Tell whether a box meets the agent's own capsule, widened to a radius and raised by it."""
    center, half = np.asarray(state.aabb_center), np.asarray(state.aabb_size) / 2
    low, high = center - half, center + half
    gap_x = max(low[0] - agent[0], agent[0] - high[0], 0.0)
    gap_z = max(low[2] - agent[2], agent[2] - high[2], 0.0)
    reach = AGENT_HEIGHT / 2 - AGENT_RADIUS
    gap_y = max(low[1] - (agent[1] + reach + radius), agent[1] - reach - high[1], 0.0)
    return float(gap_x**2 + gap_y**2 + gap_z**2) < radius**2


def object_at(world: World, x: float, y: float, force: bool) -> str:
    """Id of the object at a screen point; x and y in [0, 1] from the top left corner."""
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise ActionFailed("x/y must be in [0:1]", exception_type="ArgumentOutOfRangeException")
    reach = math.tan(math.radians(world.settings.field_of_view / 2))
    direction = np.array([(2 * x - 1) * reach * world.settings.aspect, (1 - 2 * y) * reach, 1.0])
    start = np.asarray(world.camera_position)
    length = 20.0
    end = start + camera_matrix(world) @ direction * (length / float(np.linalg.norm(direction)))
    found = _first_hit(world, start, end)
    if found is None:
        raise ActionFailed(
            f"No SimObject found at (x: {x}, y: {y})", exception_type="InvalidOperationException"
        )
    object_id, fraction = found
    limit = world.settings.visibility_distance
    point = start + (end - start) * fraction
    if not force and float(np.hypot(*(point - start)[[0, 2]])) > limit:
        raise ActionFailed(
            f"Target sim object: ({object_id}) at screen coordinate: ({x}, {y}) "
            f"is beyond your visibilityDistance: {limit}!",
            exception_type="InvalidOperationException",
        )
    return object_id


def _first_hit(world: World, start: FloatArray, end: FloatArray) -> tuple[str, float] | None:
    """Nearest object on a segment and the fraction of its length to it; glass is solid."""
    shapes = [(key, box) for key in world.objects for box in world.pick_parts(key)]
    entry = segments_hit_boxes(start[None], end[None], stack([box for _, box in shapes]))[0]
    entry = np.where(entry > 0.0, entry, np.inf)
    nearest = int(np.argmin(entry))
    if not np.isfinite(entry[nearest]):
        return None
    return shapes[nearest][0], float(entry[nearest])
