"""From coloured solids to triangles: one surface for all parts of an object that look alike.

Drawing costs by the triangle and by the surface, so the parts of an object are merged into one
surface per finish, and each triangle finds its colour in a palette image that all share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from milo_sim.appearance.parts import Color, Part
from milo_sim.appearance.triangles import triangles
from milo_sim.geometry import FloatArray

IndexArray = npt.NDArray[np.int32]

PALETTE_LEVELS = 32
"""Steps per colour channel in the palette."""
PALETTE_WIDTH, PALETTE_HEIGHT = 256, 128

_PLACES = 2**21
"""Places along an axis that are told apart, in steps of 0.01 mm: 21 m."""
_SCATTER = 0x1E3779B97F4A7C15
"""Sets places of different solids apart; the number is large and odd, otherwise arbitrary."""
_CREASE = math.cos(math.radians(40.0))
"""Neighbouring faces that bend by less look like one round surface."""


class Finish(NamedTuple):
    """How a surface takes light, apart from its colour; numbers are in tenths or quarters."""

    opacity: int = 10
    emission: int = 0
    glossy: bool = False

    @property
    def name(self) -> str:
        """Name of the material."""
        return f"opacity{self.opacity}-emission{self.emission}-{'gloss' if self.glossy else 'matt'}"

    @property
    def clear(self) -> bool:
        """Whether one sees through it."""
        return self.opacity < 10


FINISHES = tuple(
    Finish(opacity, emission, glossy)
    for opacity in range(1, 11)
    for emission in range(5)
    for glossy in (False, True)
)


@dataclass(frozen=True, eq=False, slots=True)
class Surface:
    """Triangles in a right-handed frame (Unity's x, z, y), counter-clockwise seen from outside.

    Attributes:
        vertices: (n, 3) points [m].
        normals: (n, 3) unit normals.
        texture: (n, 2) texture coordinates.
        faces: (m, 3) indices into the others.
    """

    vertices: FloatArray
    normals: FloatArray
    texture: FloatArray
    faces: IndexArray


def finish_of(part: Part) -> Finish:
    """The finish of a part, in the steps that surfaces are merged by."""
    opacity = min(max(round(part.color[3] * 10), 1), 10)
    emission = min(max(round(part.emission * 4), 0), 4)
    return Finish(opacity, emission, part.specular > 0.45)


def palette() -> npt.NDArray[np.uint8]:
    """The palette image (height, width, 3)."""
    levels = np.linspace(0, 255, PALETTE_LEVELS).round().astype(np.uint8)
    index = np.arange(PALETTE_LEVELS**3)
    red, green, blue = index // PALETTE_LEVELS**2, index // PALETTE_LEVELS, index
    colors = np.stack([levels[c % PALETTE_LEVELS] for c in (red, green, blue)], axis=-1)
    return colors.reshape(PALETTE_HEIGHT, PALETTE_WIDTH, 3)


def palette_coordinate(color: Color) -> tuple[float, float]:
    """Texture coordinate (u, v) of the palette's entry nearest to a colour."""
    steps = [min(max(round(c * (PALETTE_LEVELS - 1)), 0), PALETTE_LEVELS - 1) for c in color[:3]]
    index = (steps[0] * PALETTE_LEVELS + steps[1]) * PALETTE_LEVELS + steps[2]
    row, column = divmod(index, PALETTE_WIDTH)
    return (column + 0.5) / PALETTE_WIDTH, (row + 0.5) / PALETTE_HEIGHT


def surfaces_of(parts: Iterable[Part]) -> dict[Finish, Surface]:
    """Surfaces of solids, merged by finish; the order of finishes is fixed."""
    groups: dict[Finish, list[Part]] = {}
    for part in parts:
        groups.setdefault(finish_of(part), []).append(part)
    return {finish: surface_of(groups[finish]) for finish in sorted(groups)}


def surface_of(parts: Sequence[Part]) -> Surface:
    """One surface of several solids."""
    meshes = [triangles(part) for part in parts]
    starts = np.cumsum([0, *(len(points) for points, _ in meshes[:-1])])
    points = np.concatenate([points for points, _ in meshes])
    faces = np.concatenate([f + start for (_, f), start in zip(meshes, starts, strict=True)])
    counts = [len(f) for _, f in meshes]
    corners, normals = shaded(points, faces, np.repeat(np.arange(len(parts)), counts))
    colors = np.array([palette_coordinate(part.color) for part in parts])
    return mirrored(corners, normals, np.repeat(colors, [3 * count for count in counts], axis=0))


def mirrored(points: FloatArray, normals: FloatArray, texture: FloatArray) -> Surface:
    """Surface of triangles in Unity's frame, whose corners (3 m, 3) stand one after the other."""
    faces = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    # Swapping y and z mirrors the space, so triangles turn round as well.
    return Surface(points[:, [0, 2, 1]], normals[:, [0, 2, 1]], texture, faces[:, ::-1])


def shaded(
    points: FloatArray, faces: npt.NDArray[np.integer[Any]], solids: npt.NDArray[np.integer[Any]]
) -> tuple[FloatArray, FloatArray]:
    """Corners and normals (3 m, 3) of m triangles; round where neighbours bend little.

    The normal of a corner is the area-weighted mean over the triangles there of the same solid,
    of which ``solids`` (m,) has the number, that bend little.
    """
    corners = points[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = area / np.maximum(np.linalg.norm(area, axis=1, keepdims=True), 1e-12)
    # Vertices at the same place count as one, however the mesh was put together.
    steps = np.rint(points * 1e5).astype(np.int64) + _PLACES // 2
    places = (steps[:, 0] * _PLACES + steps[:, 1]) * _PLACES + steps[:, 2]
    at = (places[faces] ^ (solids * _SCATTER)[:, None]).ravel()
    triangle = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(at, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(at[order]) > 0])
    counts = np.diff(np.r_[starts, len(at)])
    normals = flat[triangle].copy()
    for count in sorted(set(counts.tolist())):
        rows = order[starts[counts == count][:, None] + np.arange(count)]
        around = triangle[rows]
        bend = np.einsum("vik,vjk->vij", flat[around], flat[around])
        mean = np.einsum("vij,vjk->vik", (bend > _CREASE).astype(np.float64), area[around])
        normals[rows] = mean / np.maximum(np.linalg.norm(mean, axis=2, keepdims=True), 1e-12)
    return corners.reshape(-1, 3), normals
