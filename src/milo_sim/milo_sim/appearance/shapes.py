"""Closed triangle meshes of simple solids.

Every function returns (vertices (n, 3), faces (m, 3)); triangles face outward in the sense of
``Part.faces``. Vertices are shared where a surface is smooth and doubled at its edges, so that the
mean of the adjacent face normals is the right shading normal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from milo_sim.appearance.parts import FloatArray, IntArray

Mesh = tuple[FloatArray, IntArray]
Point2 = tuple[float, float]
Point3 = tuple[float, float, float]
Axis = str

_CREASE = math.cos(math.radians(48.0))
"""Profile corners sharper than this are edges."""


def _cube() -> Mesh:
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            base = len(vertices)
            u, v = (axis + 1) % 3, (axis + 2) % 3
            for a, b in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)):
                point = [0.0, 0.0, 0.0]
                point[axis], point[u], point[v] = sign, a, b
                vertices.append(point)
            order = (0, 1, 2, 3) if sign > 0 else (0, 3, 2, 1)
            faces.append([base + order[0], base + order[1], base + order[2]])
            faces.append([base + order[0], base + order[2], base + order[3]])
    return np.array(vertices), np.array(faces, dtype=np.int32)


_CUBE = _cube()


def box(low: Point3, high: Point3) -> Mesh:
    """Axis-aligned box between two corners."""
    lo, hi = np.array(low), np.array(high)
    return _CUBE[0] * ((hi - lo) / 2.0) + (lo + hi) / 2.0, _CUBE[1]


@lru_cache(maxsize=256)
def _circle(count: int) -> FloatArray:
    """Unit circle (count, 2) as (x, z), turning so that revolved profiles face outward."""
    angle = np.arange(count) * (2.0 * math.pi / count)
    return np.stack([np.cos(angle), -np.sin(angle)], axis=1)


@lru_cache(maxsize=512)
def _bands(poles: tuple[bool, ...], joined: tuple[bool, ...], count: int) -> IntArray:
    """Faces between consecutive rings of ``count`` vertices.

    ``poles`` tells which rings are a point; ``joined[i]`` whether a band spans ring i and i + 1.
    """
    k = np.arange(count)
    k1 = (k + 1) % count
    faces = []
    for i, is_joined in enumerate(joined):
        if not is_joined:
            continue
        a, b = i * count, (i + 1) * count
        if not poles[i]:
            faces.append(np.stack([a + k, a + k1, b + (k if poles[i + 1] else k1)], axis=1))
        if not poles[i + 1]:
            faces.append(np.stack([a + k, b + k1, b + k], axis=1))
    return np.concatenate(faces).astype(np.int32)


def _expand(profile: Sequence[Point2]) -> tuple[list[Point2], list[bool]]:
    """Double the profile's corners; tell which consecutive rings are joined by a band."""
    rings: list[Point2] = [profile[0]]
    joined: list[bool] = []
    last = len(profile) - 1
    for i in range(1, last + 1):
        rings.append(profile[i])
        joined.append(True)
        if i < last and _is_corner(profile[i - 1], profile[i], profile[i + 1]):
            rings.append(profile[i])
            joined.append(False)
    return rings, joined


def _is_corner(a: Point2, b: Point2, c: Point2) -> bool:
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], c[0] - b[0], c[1] - b[1]
    length = math.hypot(ux, uy) * math.hypot(vx, vy)
    return length == 0.0 or (ux * vx + uy * vy) / length < _CREASE


@lru_cache(maxsize=2048)
def revolve(profile: tuple[Point2, ...], count: int = 16) -> Mesh:
    """Solid of revolution about y.

    ``profile`` has points (radius, y) with the solid on the left of the way: from the bottom's
    centre outward, up the outside, and back to the axis. A profile that doesn't start on the axis
    is closed to a ring-shaped solid.
    """
    points = list(profile)
    is_ring = points[0][0] > 0.0
    if is_ring:
        points.append(points[0])
    rings, joined = _expand(points)
    radius = np.array([r for r, _ in rings])
    height = np.array([y for _, y in rings])
    circle = _circle(count)
    vertices = np.empty((len(rings), count, 3))
    vertices[:, :, 0] = radius[:, None] * circle[:, 0]
    vertices[:, :, 1] = height[:, None]
    vertices[:, :, 2] = radius[:, None] * circle[:, 1]
    faces = _bands(tuple(r == 0.0 for r, _ in rings), tuple(joined), count)
    return vertices.reshape(-1, 3), faces


@lru_cache(maxsize=128)
def ball(count: int = 12, stacks: int = 6) -> Mesh:
    """Unit sphere."""
    angles = [math.pi * (i / stacks - 0.5) for i in range(1, stacks)]
    middle = [(math.cos(a), math.sin(a)) for a in angles]
    return revolve(((0.0, -1.0), *middle, (0.0, 1.0)), count)


@lru_cache(maxsize=128)
def pad(round_y: float = 0.5, round_xz: float = 0.5, count: int = 16, stacks: int = 6) -> Mesh:
    """Superellipsoid in the unit cube: exponents near 0 give a box, 1 an ellipsoid.

    ``round_y`` shapes the side view, ``round_xz`` the view from above (Barr, Superquadrics, 1981).
    """
    vertices, faces = ball(count, stacks)
    flat = np.hypot(vertices[:, 0], vertices[:, 2])
    safe = np.maximum(flat, 1e-12)
    cos_a, sin_a = vertices[:, 0] / safe, vertices[:, 2] / safe
    ring = flat**round_y
    points = np.stack(
        [
            ring * np.sign(cos_a) * np.abs(cos_a) ** round_xz,
            np.sign(vertices[:, 1]) * np.abs(vertices[:, 1]) ** round_y,
            ring * np.sign(sin_a) * np.abs(sin_a) ** round_xz,
        ],
        axis=1,
    )
    points[flat < 1e-9, 0] = 0.0
    points[flat < 1e-9, 2] = 0.0
    return points / np.abs(points).max(axis=0), faces


def explode(mesh: Mesh) -> Mesh:
    """The same mesh with flat faces: no triangle shares a vertex."""
    vertices, faces = mesh
    return vertices[faces.ravel()], np.arange(faces.size, dtype=np.int32).reshape(-1, 3)


def volume(mesh: Mesh) -> float:
    """Enclosed volume, positive when the faces point outward."""
    a, b, c = (mesh[0][mesh[1][:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def face_outward(mesh: Mesh) -> Mesh:
    """Reverse the triangles of a closed mesh that points inward."""
    return (mesh[0], mesh[1][:, ::-1]) if volume(mesh) < 0.0 else mesh


@lru_cache(maxsize=256)
def _loft_faces(rings: int, count: int, cap: str) -> IntArray:
    k = np.arange(count)
    k1 = (k + 1) % count
    faces = [_bands((False,) * rings, (True,) * (rings - 1), count)]
    start, end = rings * count, (rings + 1) * count
    if cap == "fan":
        faces.append(np.stack([start + k1, start + k, np.full(count, end + count)], axis=1))
        faces.append(np.stack([end + k, end + k1, np.full(count, end + count + 1)], axis=1))
    else:
        i = np.arange(count // 2 - 1)
        j = count - 1 - i
        for base, flip in ((start, True), (end, False)):
            first = np.stack([base + i, base + i + 1, base + j], axis=1)
            second = np.stack([base + i + 1, base + j - 1, base + j], axis=1)
            both = np.concatenate([first, second])
            faces.append(both[:, ::-1] if flip else both)
    return np.concatenate(faces).astype(np.int32)


def loft(rings: FloatArray, cap: str = "fan", smooth: bool = True) -> Mesh:
    """Skin over rings (r, n, 3) of corresponding points, closed by caps.

    ``cap`` is "fan" for outlines that are star-shaped about their mean, or "strip" for long thin
    ones, whose point i lies opposite point n - 1 - i.
    """
    count, points = len(rings), rings.shape[1]
    middle = [rings[0].mean(axis=0)[None], rings[-1].mean(axis=0)[None]] if cap == "fan" else []
    vertices = np.concatenate([rings.reshape(-1, 3), rings[0], rings[-1], *middle])
    mesh = (vertices, _loft_faces(count, points, cap))
    return face_outward(mesh if smooth else explode(mesh))


def prism(outline: Sequence[Point2], low: float, high: float, cap: str = "fan") -> Mesh:
    """Solid with the outline (x, z) between two heights y, with flat sides."""
    flat = np.array(outline)
    rings = np.empty((2, len(flat), 3))
    rings[:, :, 0], rings[:, :, 2] = flat[:, 0], flat[:, 1]
    rings[0, :, 1], rings[1, :, 1] = low, high
    return loft(rings, cap, smooth=False)


def tube(
    path: Sequence[Point3], radius: float | Sequence[float], count: int = 6, closed: bool = False
) -> Mesh:
    """Round bar along a path (n, 3); ``closed`` joins its ends."""
    points = np.array(path, dtype=np.float64)
    ahead = np.roll(points, -1, axis=0) - points
    behind = points - np.roll(points, 1, axis=0)
    if not closed:
        ahead[-1], behind[0] = behind[-1], ahead[0]
    tangent = _unit(_unit(ahead) + _unit(behind))
    side, up = _frames(tangent)
    radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), (len(points),))[:, None, None]
    circle = _circle(count)
    rings = points[:, None] + radii * (
        circle[None, :, :1] * side[:, None] + circle[None, :, 1:] * up[:, None]
    )
    if not closed:
        return loft(rings)
    faces = _bands((False,) * (len(points) + 1), (True,) * len(points), count)
    return face_outward((rings.reshape(-1, 3), faces % (len(points) * count)))


def _unit(vectors: FloatArray) -> FloatArray:
    length = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    result: FloatArray = vectors / length
    return result


def _frames(tangent: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two directions (n, 3) across each tangent that twist as little as possible."""
    first = tangent[0]
    guess = np.eye(3)[int(np.argmin(np.abs(first)))]
    side = np.empty_like(tangent)
    current = guess
    for i, direction in enumerate(tangent):
        current = current - direction * float(current @ direction)
        current = current / max(math.sqrt(float(current @ current)), 1e-12)
        side[i] = current
    return side, np.cross(tangent, side)


def along(mesh: Mesh, axis: Axis) -> Mesh:
    """Turn a mesh so that what pointed along y points along ``axis`` ("x", "y" or "z")."""
    vertices, faces = mesh
    if axis == "y":
        return mesh
    if axis == "z":
        return np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1), faces
    return np.stack([vertices[:, 1], -vertices[:, 0], vertices[:, 2]], axis=1), faces
