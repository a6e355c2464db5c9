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
SKIN = 0.01
"""An object this little behind the structure is met first: the floor is both [m]."""


_INVALID = "InvalidOperationException"


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
    """First thing on a ray from (3,) along a unit vector (3,); glass is solid.

    The room's structure is not on record: it is the floor, walls and ceiling that pictures show.
    """
    nearest = _first_object(world, start, direction)
    structure = _structure_distance(world, start, direction)
    if structure is not None and (nearest is None or structure < nearest.distance - SKIN):
        return Hit(None, as_vector(start + direction * structure), structure)
    return nearest


def _first_object(world: World, start: FloatArray, direction: FloatArray) -> Hit | None:
    end = start + direction * RAY_LENGTH
    shapes = [(key, box) for key in world.objects for box in world.pick_parts(key)]
    entry = segments_hit_boxes(start[None], end[None], stack([box for _, box in shapes]))[0]
    entry = np.where(entry > 0.0, entry, np.inf)
    nearest = int(np.argmin(entry))
    if not np.isfinite(entry[nearest]):
        return None
    distance = float(entry[nearest]) * RAY_LENGTH
    return Hit(shapes[nearest][0], as_vector(start + direction * distance), distance)


def _structure_distance(world: World, start: FloatArray, direction: FloatArray) -> float | None:
    """Distance along a ray to the nearest wall, the floor or the ceiling [m]."""
    # Most sessions cast no such ray and start faster without this import.
    from milo_sim.interior.room import room_of

    room = room_of(world.scene)
    found = []
    if abs(direction[1]) > 1e-9:
        level = room.ceiling if direction[1] > 0.0 else room.floor
        found.append((level - start[1]) / direction[1])
    for a, b in room.outline.walls():
        along = b - a
        matrix = np.array([direction[[0, 2]], -along]).T
        if abs(np.linalg.det(matrix)) > 1e-12:
            distance, share = np.linalg.solve(matrix, a - start[[0, 2]])
            if 0.0 <= share <= 1.0:
                found.append(distance)
    ahead = [float(distance) for distance in found if distance > 1e-6]
    return min(ahead) if ahead else None


def coordinate(world: World, x: float, y: float) -> Vector:
    """The point that an image point shows; the origin if it shows nothing."""
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise ActionFailed(
            f"x and y must be in [0:1] not (x={x:g}, y={y:g}).",
            exception_type="ArgumentOutOfRangeException",
        )
    hit = first_hit(world, np.asarray(world.camera_position), image_ray(world, x, y))
    return (0.0, 0.0, 0.0) if hit is None else hit.point


def object_in_frame(world: World, x: float, y: float, must_be_visible: bool) -> str:
    """Id of the object that an image point shows, however far it is."""
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise ActionFailed("x/y must be in [0:1]", exception_type="ArgumentOutOfRangeException")
    hit = first_hit(world, np.asarray(world.camera_position), image_ray(world, x, y))
    if hit is None or hit.object_id is None:
        raise ActionFailed(f"no sim objects found at ({x:g},{y:g})", exception_type=_INVALID)
    if must_be_visible and not world.visibility()[hit.object_id].interactable:
        raise ActionFailed(
            f"target hit ({hit.object_id}) at ({x:g}, {y:g}) is not currently Visible to Agent",
            exception_type=_INVALID,
        )
    return hit.object_id


def between(world: World, origin: Vector, destination: Vector) -> Hit:
    """First object on the ray from one point through another."""
    way = np.subtract(destination, origin)
    length = float(np.linalg.norm(way))
    ends = " to ".join(
        f"({', '.join(f'{value:g}' for value in point)})" for point in (origin, destination)
    )
    hit = None if length == 0.0 else first_hit(world, np.array(origin), way / length)
    if hit is None:
        raise ActionFailed(f"Raycast from {ends} failed to hit any target object!")
    if hit.object_id is None:
        raise ActionFailed(f"Raycast from {ends} hit object, but not a SimObject!")
    return hit


def object_at(world: World, x: float, y: float, force: bool) -> str:
    """Id of the object at a screen point; x and y in [0, 1] from the top left corner."""
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise ActionFailed("x/y must be in [0:1]", exception_type="ArgumentOutOfRangeException")
    start = np.asarray(world.camera_position)
    hit = first_hit(world, start, image_ray(world, x, y))
    if hit is None or hit.object_id is None:
        raise ActionFailed(f"No SimObject found at (x: {x}, y: {y})", exception_type=_INVALID)
    limit = world.settings.visibility_distance
    if not force and float(np.hypot(*np.subtract(hit.point, start)[[0, 2]])) > limit:
        raise ActionFailed(
            f"Target sim object: ({hit.object_id}) at screen coordinate: ({x}, {y}) "
            f"is beyond your visibilityDistance: {limit}!",
            exception_type=_INVALID,
        )
    return hit.object_id
