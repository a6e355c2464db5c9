"""What a room is put together from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from milo_sim.appearance.model import Paint
from milo_sim.appearance.parts import FloatArray
from milo_sim.interior.blocks import Bounds
from milo_sim.interior.textures import Image
from milo_sim.scene import SceneObject

WALL, CEILING, LAMP, STOVE, CARCASS = "Wall", "Ceiling", "CeilingLight", "Stove", "WallCabinetBody"
DOOR = "Doorway"
"""Names of the parts of a room in masks; AI2-THOR's StructureObjectTag has them."""

ROOM_TYPES = frozenset({"Floor", "CounterTop"})
"""Object types whose look is made here, because their boxes are far larger than they are."""


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """Rectangles of one surface of the room.

    Attributes:
        owner: Object id, or one of the names above.
        corners: (n, 4, 3) points in Unity's frame [m]; (b - a) x (c - a) points outward.
        paint: Colour and finish, where there is no picture.
        picture: Name and picture on the surface.
        coordinates: (n, 4, 2) texture coordinates, where there is a picture.
    """

    owner: str
    corners: FloatArray
    paint: Paint | None = None
    picture: tuple[str, Image] | None = None
    coordinates: FloatArray | None = None


def bounds_of(obj: SceneObject) -> Bounds:
    """Corners of an object's box along the axes, as the scene starts."""
    center, half = np.asarray(obj.aabb_center), np.asarray(obj.aabb_size) / 2
    return center - half, center + half
