"""Vectors, rotations, boxes and rays in the Unity frame.

Unity's frame is left-handed with x right, y up, z forward. Euler angles (x, y, z) in degrees mean:
turn about z, then x, then y, all in the fixed frame. The matrix that maps left-handed coordinates
has the familiar entries, because both handedness and sense of rotation flip.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = tuple[float, float, float]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IndexArray = npt.NDArray[np.intp]

IDENTITY: FloatArray = np.eye(3)

_CORNER_SIGNS: FloatArray = np.array(
    [
        (x, y, z)
        for y in (-1.0, 1.0)
        for x, z in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))
    ]
)
"""Corner order of objectOrientedBoundingBox in the metadata."""


def as_vector(values: npt.ArrayLike) -> Vector:
    """Turn three numbers into a tuple of floats."""
    x, y, z = np.asarray(values, dtype=np.float64).tolist()
    return (x, y, z)


def euler_to_matrix(rotation: Vector) -> FloatArray:
    """Rotation matrix (3, 3) of Unity Euler angles in degrees."""
    x, y, z = (math.radians(a) for a in rotation)
    cx, sx, cy, sy, cz, sz = (
        math.cos(x),
        math.sin(x),
        math.cos(y),
        math.sin(y),
        math.cos(z),
        math.sin(z),
    )
    turn_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    turn_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    turn_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    matrix: FloatArray = turn_y @ turn_x @ turn_z
    return matrix


def matrix_to_euler(matrix: FloatArray) -> Vector:
    """Unity Euler angles in degrees, each in [0, 360), of a rotation matrix (3, 3)."""
    sin_x = -float(matrix[1, 2])
    if abs(sin_x) > 1.0 - 1e-9:
        # Looking straight up or down only y - z or y + z is defined; Unity reports z = 0.
        x = math.copysign(90.0, sin_x)
        y = math.degrees(math.atan2(-matrix[2, 0], matrix[0, 0]))
        z = 0.0
    else:
        x = math.degrees(math.asin(sin_x))
        y = math.degrees(math.atan2(matrix[0, 2], matrix[2, 2]))
        z = math.degrees(math.atan2(matrix[1, 0], matrix[1, 1]))
    return (wrap_degrees(x), wrap_degrees(y), wrap_degrees(z))


def wrap_degrees(angle: float) -> float:
    """Angle in [0, 360); values within 1e-6 of a whole turn are 0."""
    wrapped = math.fmod(angle, 360.0)
    if wrapped < 0.0:
        wrapped += 360.0
    return 0.0 if wrapped < 1e-6 or wrapped > 360.0 - 1e-6 else wrapped


@dataclass(frozen=True, slots=True)
class Box:
    """An oriented box: ``center`` (3,), ``half`` sizes (3,), ``axes`` (3, 3) as columns."""

    center: FloatArray
    axes: FloatArray
    half: FloatArray

    @staticmethod
    def axis_aligned(center: npt.ArrayLike, size: npt.ArrayLike) -> Box:
        """Box along the world axes from its centre and full size [m]."""
        return Box(
            np.asarray(center, dtype=np.float64), IDENTITY, np.asarray(size, dtype=np.float64) / 2
        )

    @staticmethod
    def from_corners(corners: FloatArray) -> Box:
        """Box from its (8, 3) corners in metadata order.

        The corners are rounded, so the axes are made orthogonal again; a box without extent along
        an axis keeps the world's axes.
        """
        edges = np.stack(
            [corners[0] - corners[1], corners[4] - corners[0], corners[0] - corners[3]], axis=1
        )
        lengths = np.sqrt(np.sum(edges * edges, axis=0))
        if lengths.min() < 1e-6:
            return Box(corners.mean(axis=0), IDENTITY, np.ptp(corners, axis=0) / 2)
        x = edges[:, 0] / lengths[0]
        y = edges[:, 1] - x * float(x @ edges[:, 1])
        y /= math.sqrt(float(y @ y))
        z = np.array(
            [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        )
        return Box(corners.mean(axis=0), np.stack([x, y, z], axis=1), lengths / 2)

    def corners(self) -> FloatArray:
        """The (8, 3) corners in metadata order."""
        points: FloatArray = self.center + (_CORNER_SIGNS * self.half) @ self.axes.T
        return points

    def extent(self) -> FloatArray:
        """Half size (3,) of the axis-aligned box around this box."""
        half: FloatArray = np.abs(self.axes) @ self.half
        return half

    def moved(self, offset: npt.ArrayLike) -> Box:
        """The same box elsewhere."""
        return Box(self.center + np.asarray(offset, dtype=np.float64), self.axes, self.half)

    def grown(self, margin: float) -> Box:
        """The box with each side moved outward by ``margin`` metres (negative: inward)."""
        return Box(self.center, self.axes, np.maximum(self.half + margin, 0.0))

    def to_local(self, points: FloatArray) -> FloatArray:
        """Points (..., 3) in the frame of the box."""
        local: FloatArray = (points - self.center) @ self.axes
        return local


def stack(boxes: list[Box]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Centres (n, 3), axes (n, 3, 3) and half sizes (n, 3) of n boxes."""
    if not boxes:
        return np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3))
    return (
        np.stack([b.center for b in boxes]),
        np.stack([b.axes for b in boxes]),
        np.stack([b.half for b in boxes]),
    )


def boxes_overlap(box: Box, others: tuple[FloatArray, FloatArray, FloatArray]) -> BoolArray:
    """Which of n boxes (as from ``stack``) share volume with ``box``: (n,) booleans.

    Separating-axis test over the 3 + 3 face normals and the 9 edge products of each pair
    (Gottschalk, Lin and Manocha, OBBTree, SIGGRAPH 1996). Touching is not overlapping.
    """
    centers, axes, half = others
    if len(centers) == 0:
        return np.zeros(0, dtype=np.bool_)
    rotation = np.einsum("ji,njk->nik", box.axes, axes)
    # Parallel edges give a null axis; the margin keeps rounding from reading it as a separation.
    absolute = np.abs(rotation) + 1e-9
    offset = (centers - box.center) @ box.axes
    reach_own = box.half + np.einsum("nij,nj->ni", absolute, half)
    separated = np.any(np.abs(offset) >= reach_own, axis=1)
    offset_other = np.einsum("ni,nij->nj", offset, rotation)
    reach_other = half + np.einsum("i,nij->nj", box.half, absolute)
    separated |= np.any(np.abs(offset_other) >= reach_other, axis=1)
    for i, j in itertools.product(range(3), range(3)):
        i1, i2, j1, j2 = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
        own = box.half[i1] * absolute[:, i2, j] + box.half[i2] * absolute[:, i1, j]
        other = half[:, j1] * absolute[:, i, j2] + half[:, j2] * absolute[:, i, j1]
        distance = np.abs(offset[:, i2] * rotation[:, i1, j] - offset[:, i1] * rotation[:, i2, j])
        separated |= distance >= own + other
    overlapping: BoolArray = ~separated
    return overlapping


def to_local_of_all(
    points: FloatArray, boxes: tuple[FloatArray, FloatArray, FloatArray]
) -> FloatArray:
    """Points (m, 3) in the frames of n boxes: (m, n, 3)."""
    centers, axes, _ = boxes
    local: FloatArray = _rotated(points, axes) - np.einsum("ni,nij->nj", centers, axes)
    return local


def _rotated(vectors: FloatArray, axes: FloatArray) -> FloatArray:
    """Components (m, n, 3) of vectors (m, 3) along the axes of n boxes, as one matrix product."""
    count = len(axes)
    flat = axes.transpose(1, 0, 2).reshape(3, 3 * count)
    components: FloatArray = (vectors @ flat).reshape(len(vectors), count, 3)
    return components


def segments_hit_boxes(
    starts: FloatArray, ends: FloatArray, boxes: tuple[FloatArray, FloatArray, FloatArray]
) -> FloatArray:
    """Where segments enter boxes: (segments, boxes) fractions of the length, inf for a miss.

    ``starts`` and ``ends`` are (m, 3). A segment that starts inside a box enters it at 0. The slab
    method of Kay and Kajiya (SIGGRAPH 1986).
    """
    half = boxes[2]
    offset = to_local_of_all(starts, boxes)
    direction = _rotated(ends - starts, boxes[1])
    # Along an axis the segment does not move on, a tiny number makes the slab all or nothing.
    direction = np.where(np.abs(direction) < 1e-12, 1e-12, direction)
    enter = np.zeros(offset.shape[:2])
    leave = np.ones(offset.shape[:2])
    for axis in range(3):
        inverse = 1.0 / direction[:, :, axis]
        middle = -offset[:, :, axis] * inverse
        reach = np.abs(inverse) * half[:, axis]
        np.maximum(enter, middle - reach, out=enter)
        np.minimum(leave, middle + reach, out=leave)
    return np.where(enter <= leave, enter, np.inf)


def fan_hits_boxes(
    start: FloatArray,
    ends: FloatArray,
    boxes: tuple[FloatArray, FloatArray, FloatArray],
    margin: float,
) -> tuple[FloatArray, BoolArray]:
    """As ``segments_hit_boxes`` for segments from one point (3,) to ``ends`` (m, 3).

    Also tells which boxes, grown by ``margin`` metres, surround the end points: (m, n).
    """
    centers, axes, half = boxes
    offset = np.einsum("i,nij->nj", start, axes) - np.einsum("ni,nij->nj", centers, axes)
    shape = (len(ends), len(centers))
    enter, leave = np.zeros(shape), np.ones(shape)
    surrounds = np.ones(shape, dtype=np.bool_)
    for axis in range(3):
        direction = (ends - start) @ axes[:, :, axis].T
        surrounds &= np.abs(direction + offset[:, axis]) < half[:, axis] + margin
        direction[np.abs(direction) < 1e-12] = 1e-12
        inverse = 1.0 / direction
        middle = -offset[:, axis] * inverse
        reach = np.abs(inverse) * half[:, axis]
        np.maximum(enter, middle - reach, out=enter)
        np.minimum(leave, middle + reach, out=leave)
    enter[enter > leave] = np.inf
    return enter, surrounds


def yaw_matrix(yaw: float) -> FloatArray:
    """Rotation matrix (3, 3) of a turn by ``yaw`` degrees about the vertical."""
    return euler_to_matrix((0.0, yaw, 0.0))


def footprint_in_yaw_frame(size: Vector, yaw: float) -> tuple[float, float]:
    """(x, z) sides of an upright box turned by ``yaw``, from the box along the world axes.

    Exact when the box is a cuboid that fills its axis-aligned box; near 45 degrees the two sides
    cannot be told apart and are taken as equal.
    """
    cos, sin = abs(math.cos(math.radians(yaw))), abs(math.sin(math.radians(yaw)))
    spread_x, spread_z = size[0], size[2]
    determinant = cos * cos - sin * sin
    if abs(determinant) < 0.2:
        side = (spread_x + spread_z) / (2.0 * (cos + sin))
        return side, side
    x = (cos * spread_x - sin * spread_z) / determinant
    z = (cos * spread_z - sin * spread_x) / determinant
    if min(x, z) <= 0.0:
        side = min(spread_x, spread_z) / (cos + sin)
        return side, side
    return x, z
