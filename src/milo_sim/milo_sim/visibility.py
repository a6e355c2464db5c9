"""What the camera sees, and what the hand could reach.

AI2-THOR casts rays from the camera to an object's visibility points; the object is visible if one
of them is in view, near enough, and the first thing its ray meets is the object. The points are not
on record: here they are spread over the surface of the object's boxes. Occluders are the boxes of
``milo_sim.solids``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milo_sim.agent import camera_matrix
from milo_sim.containment import closed_holders
from milo_sim.geometry import (
    BoolArray,
    Box,
    FloatArray,
    IndexArray,
    fan_hits_boxes,
    segments_hit_boxes,
    stack,
    to_local_of_all,
)
from milo_sim.solids import AGENT_HEIGHT, AGENT_RADIUS
from milo_sim.state import Visibility
from milo_sim.surroundings import Occluders, Surroundings

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
FIRST_POINTS = 2
"""As many nearest points of an object are tried before all others: most often they are seen."""
_EPSILON = 1e-6

FRONT_OPENING_TYPES = frozenset({"Cabinet", "Fridge", "Microwave", "Safe"})
"""Containers that one looks into from the front; into all others from above."""


def surface_points(boxes: list[Box]) -> FloatArray:
    """Visibility points (n, 3) on the surfaces of boxes."""
    return np.concatenate([_box_points(box) for box in boxes]) if boxes else np.zeros((0, 3))


def _box_points(box: Box) -> FloatArray:
    """Grids on the six faces, none nearer to an edge than ``INSET`` allows."""
    counts = np.clip(np.ceil(2 * box.half / POINT_SPACING) + 1, MIN_POINTS, MAX_POINTS)
    points: FloatArray = box.center + (_unit_points(*counts.tolist()) * box.half) @ box.axes.T
    return points


@lru_cache(maxsize=(MAX_POINTS - MIN_POINTS + 1) ** 3)
def _unit_points(*counts: float) -> FloatArray:
    """Points (n, 3) on the faces of the cube from -1 to 1, so many along each axis."""
    steps = [np.linspace(-INSET, INSET, int(n)) for n in counts]
    faces = []
    for axis in range(3):
        sides = [np.array([-1.0, 1.0]) if i == axis else steps[i] for i in range(3)]
        faces.append(np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3))
    return np.concatenate(faces)


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
    around = world.surroundings()
    shapes = _between(around.occluders, starts, ends)
    if absent:
        shapes = shapes.only(~np.isin(shapes.owners, [around.index[key] for key in absent]))
    entry = segments_hit_boxes(starts, ends, shapes.boxes)
    own = shapes.owners == around.index[target_id]
    reached = np.min(entry[:, own], axis=1, initial=1.0)
    blocks = (entry > 0.0) & (entry < reached[:, None] - _EPSILON)
    blocks[:, own] = False
    blocks &= ~_ignored(world, around, target_id, shapes, points)[index]
    solid = _misses_opening(world, target_id, starts, ends)
    solid |= np.any(blocks[:, ~shapes.glass], axis=1)
    return Sight(~(solid | np.any(blocks[:, shapes.glass], axis=1)), ~solid)


def is_enclosed(world: World, object_id: str) -> bool:
    """Tell whether a closed container holds the object."""
    return bool(closed_holders(world, object_id))


def _between(shapes: Occluders, starts: FloatArray, ends: FloatArray) -> Occluders:
    """Those boxes which lie in the space that the rays cross."""
    low = np.minimum(starts.min(axis=0), ends.min(axis=0))
    high = np.maximum(starts.max(axis=0), ends.max(axis=0))
    centers, axes, half = shapes.boxes
    extent = np.einsum("nij,nj->ni", np.abs(axes), half)
    return shapes.only(np.all((centers + extent >= low) & (centers - extent <= high), axis=1))


def _ignored(
    world: World, around: Surroundings, target_id: str, shapes: Occluders, points: FloatArray
) -> BoolArray:
    """(points, boxes) that do not count: what holds the target, and boxes around its point.

    A coarse box that spans the very point looked at is not solid there.
    """
    parents = world.objects[target_id].parent_receptacles or ()
    holds = np.isin(shapes.owners, [around.index[parent] for parent in parents])
    local = to_local_of_all(points, shapes.boxes)
    surrounds = np.all(np.abs(local) < shapes.boxes[2] + CONTAINED, axis=2)
    ignored: BoolArray = holds[None, :] | (surrounds & ~shapes.pickupable[None, :])
    return ignored


def _misses_opening(
    world: World, target_id: str, starts: FloatArray, ends: FloatArray
) -> BoolArray:
    """Which rays to something in an open container do not come in through its opening."""
    blocked = np.zeros(len(starts), dtype=np.bool_)
    for parent_id in world.objects[target_id].parent_receptacles or ():
        if not world.home_triggers[parent_id].walled:
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


def all_visibility(
    world: World, limit: float | None = None, scheme: str | None = None
) -> Mapping[str, Visibility]:
    """Visibility of every object from the current camera.

    ``limit`` [m] and ``scheme`` ("Collider" or "Distance") replace those of the settings.
    """
    limit = world.settings.visibility_distance if limit is None else limit
    scheme = world.settings.visibility_scheme if scheme is None else scheme
    around = world.surroundings()
    rays = _rays_in_view(world, around, limit, scheme)
    count = len(around.ids)
    seen, reached = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    if len(rays.points):
        eye = np.asarray(world.camera_position)
        shapes = _between(around.occluders, eye[None], rays.points)
        first = _rank(rays, eye) < FIRST_POINTS
        for turn in (first, ~first):
            chosen = turn & ~reached[rays.owners]
            owners = rays.owners[chosen]
            sight = _fan_sight(world, around, shapes, _Rays(rays.points[chosen], owners), eye)
            seen[owners[sight.through_glass]] = True
            reached[owners[sight.open]] = True
    return {
        key: Visibility(visible, interactable)
        for key, visible, interactable in zip(
            around.ids, seen.tolist(), reached.tolist(), strict=True
        )
    }


class _Rays(NamedTuple):
    """Rays from the camera: end points (n, 3) and the index of the object each belongs to (n,)."""

    points: FloatArray
    owners: IndexArray


def _rays_in_view(world: World, around: Surroundings, limit: float, scheme: str) -> _Rays:
    """Rays to all visibility points that are near, in view and not in closed containers."""
    points, owners = around.points, around.point_owners
    if scheme == "Distance":
        gap = points[:, [0, 2]] - np.asarray(world.camera_position)[[0, 2]]
        keep = np.hypot(gap[:, 0], gap[:, 1]) < limit
    else:
        keep = _in_capsule(world, around, limit)[owners]
    points, owners = points[keep], owners[keep]
    keep = in_view(world, points)
    points, owners = points[keep], owners[keep]
    enclosed = np.zeros(len(around.ids), dtype=np.bool_)
    for owner in np.flatnonzero(np.bincount(owners, minlength=1)):
        enclosed[owner] = is_enclosed(world, around.ids[owner])
    keep = ~enclosed[owners]
    return _Rays(points[keep], owners[keep])


def _in_capsule(world: World, around: Surroundings, radius: float) -> BoolArray:
    """Which objects' boxes meet the agent's capsule, widened to a radius and raised by it."""
    agent = np.asarray(world.agent.position)
    reach = AGENT_HEIGHT / 2 - AGENT_RADIUS
    bottom = agent - np.array([0.0, reach, 0.0])
    top = agent + np.array([0.0, reach + radius, 0.0])
    gap = np.maximum(np.maximum(around.low - top, bottom - around.high), 0.0)
    inside: BoolArray = around.present & (np.sum(gap * gap, axis=1) < radius**2)
    return inside


def _rank(rays: _Rays, eye: FloatArray) -> IndexArray:
    """Rank (n,) of each ray among those of its object, the nearest end first."""
    gap = rays.points - eye
    order = np.lexsort((np.sum(gap * gap, axis=1), rays.owners))
    firsts = np.concatenate([[0], np.cumsum(np.bincount(rays.owners))])
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order)) - firsts[rays.owners[order]]
    return rank


def _fan_sight(
    world: World, around: Surroundings, shapes: Occluders, rays: _Rays, eye: FloatArray
) -> Sight:
    """As ``line_of_sight``, for rays from one point to many objects."""
    if len(rays.points) == 0:
        return Sight(np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.bool_))
    entry, surrounds = fan_hits_boxes(eye, rays.points, shapes.boxes, CONTAINED)
    own = shapes.owners[None, :] == rays.owners[:, None]
    reached = np.min(np.where(own, entry, 1.0), axis=1, initial=1.0)
    blocks = (entry > 0.0) & (entry < reached[:, None] - _EPSILON) & ~own
    surrounds &= ~shapes.pickupable
    surrounds |= _holders(world, around, rays.owners)[:, shapes.owners]
    blocks &= ~surrounds
    solid = np.any(blocks[:, ~shapes.glass], axis=1)
    for owner in np.unique(rays.owners):
        parents = world.objects[around.ids[owner]].parent_receptacles
        if parents and any(world.home_triggers[parent].walled for parent in parents):
            row = np.flatnonzero(rays.owners == owner)
            starts = np.broadcast_to(eye, (len(row), 3))
            solid[row] |= _misses_opening(world, around.ids[owner], starts, rays.points[row])
    return Sight(~(solid | np.any(blocks[:, shapes.glass], axis=1)), ~solid)


def _holders(world: World, around: Surroundings, owners: IndexArray) -> BoolArray:
    """(rays, objects): which objects hold the target of each ray."""
    distinct, inverse = np.unique(owners, return_inverse=True)
    holds = np.zeros((len(distinct), len(around.ids)), dtype=np.bool_)
    for row, owner in enumerate(distinct):
        for parent in world.objects[around.ids[owner]].parent_receptacles or ():
            holds[row, around.index[parent]] = True
    table: BoolArray = holds[inverse]
    return table
