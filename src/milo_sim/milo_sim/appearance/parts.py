"""One coloured solid of an object's look.

Frame: the object's oriented box. Origin in its centre, Unity axes (left-handed: x right, y up,
z forward), metres. The front of an object (where a drawer slides to, where a fridge's door is)
is +z; a caller whose box is turned otherwise turns the box, not the parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

PartKind = Literal["box", "cylinder", "ellipsoid", "capsule", "mesh"]
Vector = tuple[float, float, float]
Color = tuple[float, float, float, float]
"""Red, green, blue, opacity; each 0 to 1."""
Matrix = tuple[Vector, Vector, Vector]
"""Rows of a rotation matrix; columns are the part's axes in the frame of the object's box."""
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]

IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A solid of one colour.

    A point p of the part's frame is at ``center + rotation @ p`` in the frame of the object's box.

    Attributes:
        kind: Shape. A cylinder or capsule stands along the part's y axis.
        center: Origin of the part's frame [m].
        half_size: Box and ellipsoid: half extents. Cylinder: (radius, radius, half length).
            Capsule: (radius, radius, half length without the caps). Mesh: half extents of the
            vertices' bounds [m].
        rotation: Proper rotation (determinant +1).
        color: Red, green, blue, opacity.
        vertices: (n, 3) points of a mesh in the part's frame [m], read-only.
        faces: (m, 3) triangles of a mesh, read-only. (b - a) x (c - a), computed from the numbers
            as they are, points outward; whoever mirrors an axis to get a right-handed frame
            reverses the order. Every mesh is closed and has volume.
        shininess: Sharpness of the highlight, 0 to 1.
        specular: Strength of the highlight, 0 to 1.
        emission: Share of the colour that needs no light, 0 to 1 (a lit screen or lamp).
    """

    kind: PartKind
    center: Vector
    half_size: Vector
    color: Color
    rotation: Matrix = IDENTITY
    vertices: FloatArray | None = None
    faces: IntArray | None = None
    shininess: float = 0.3
    specular: float = 0.2
    emission: float = 0.0
