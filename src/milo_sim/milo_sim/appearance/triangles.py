"""Parts as plain triangles, for renderers, rays and tests."""

from __future__ import annotations

import numpy as np

from milo_sim.appearance import shapes
from milo_sim.appearance.parts import FloatArray, IntArray, Part

_ROUND = 14
"""Corners of a circle where a curved primitive becomes flat faces."""
_STACKS = 6


def triangles(part: Part) -> tuple[FloatArray, IntArray]:
    """Vertices (n, 3) [m] in the frame of the object's box and outward faces (m, 3) of a part."""
    vertices, faces = _own_mesh(part)
    placed = vertices @ np.array(part.rotation).T + np.array(part.center)
    return placed, faces


def _own_mesh(part: Part) -> tuple[FloatArray, IntArray]:
    """Mesh of a part in its own frame."""
    if part.vertices is not None and part.faces is not None:
        return part.vertices, part.faces
    half = np.array(part.half_size)
    if part.kind == "box":
        vertices, faces = shapes.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
        return vertices * half, faces
    if part.kind == "ellipsoid":
        vertices, faces = shapes.ball(_ROUND, _STACKS)
        return vertices * half, faces
    radius, _, length = part.half_size
    if part.kind == "cylinder":
        profile = ((0.0, -length), (radius, -length), (radius, length), (0.0, length))
        return shapes.revolve(profile, _ROUND)
    vertices, faces = shapes.ball(_ROUND, _STACKS)
    shift = np.where(vertices[:, 1:2] < 0.0, -length, length) * np.array([0.0, 1.0, 0.0])
    return vertices * radius + shift, faces


def vertex_normals(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """Unit shading normals (n, 3): the mean of the adjacent face normals, weighted by area."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    total = np.zeros_like(vertices)
    for i in range(3):
        np.add.at(total, faces[:, i], normal)
    result: FloatArray = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-15)
    return result
