"""What a ray meets first: an image point's target, a point in the room, the nearest surface."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milo_sim.agent import camera_matrix
from milo_sim.errors import ActionFailed
from milo_sim.geometry import FloatArray, Vector, as_vector, segments_hit_boxes, stack

if TYPE_CHECKING:
    from milo_sim.world import World

RAY_LENGTH = 100.0
"""Longer than any room [m]."""


class Hit(NamedTuple):
    """Where a ray ends: the object's id (None: structure), the point [m] and the distance [m]."""

    object_id: str | None
    point: Vector
    distance: float


def image_ray(world: World, x: float, y: float) -> FloatArray:
    """Direction (3,) of length 1 through an image point (0 to 1, from the top left corner)."""
    reach = math.tan(math.radians(world.settings.field_of_view / 2))
    local = np.array([(2 * x - 1) * reach * world.settings.aspect, (1 - 2 * y) * reach, 1.0])
    direction: FloatArray = camera_matrix(world) @ (local / np.linalg.norm(local))
    return direction


def first_hit(world: World, start: FloatArray, direction: FloatArray) -> Hit | None:
    """First object on a ray from (3,) along a unit vector (3,); glass is solid."""
    end = start + direction * RAY_LENGTH
    shapes = [(key, box) for key in world.objects for box in world.pick_parts(key)]
    entry = segments_hit_boxes(start[None], end[None], stack([box for _, box in shapes]))[0]
    entry = np.where(entry > 0.0, entry, np.inf)
    nearest = int(np.argmin(entry))
    if not np.isfinite(entry[nearest]):
        return None
    distance = float(entry[nearest]) * RAY_LENGTH
    return Hit(shapes[nearest][0], as_vector(start + direction * distance), distance)


def object_at(world: World, x: float, y: float, force: bool) -> str:
    """Id of the object at a screen point; x and y in [0, 1] from the top left corner."""
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise ActionFailed("x/y must be in [0:1]", exception_type="ArgumentOutOfRangeException")
    start = np.asarray(world.camera_position)
    hit = first_hit(world, start, image_ray(world, x, y))
    if hit is None or hit.object_id is None:
        raise ActionFailed(
            f"No SimObject found at (x: {x}, y: {y})", exception_type="InvalidOperationException"
        )
    limit = world.settings.visibility_distance
    if not force and float(np.hypot(*np.subtract(hit.point, start)[[0, 2]])) > limit:
        raise ActionFailed(
            f"Target sim object: ({hit.object_id}) at screen coordinate: ({x}, {y}) "
            f"is beyond your visibilityDistance: {limit}!",
            exception_type="InvalidOperationException",
        )
    return hit.object_id
