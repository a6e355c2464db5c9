"""The solid shapes that rays and moving bodies meet.

Only boxes are on record. They are refined by what is known: an agent cell that is free proves that
the space around it is, so it is carved out of the boxes (an L-shaped counter keeps its L), and
furniture that stands on legs is solid at its top only.
"""

from __future__ import annotations

import numpy as np

from milo_sim.geometry import BoolArray, Box, FloatArray
from milo_sim.scene import Scene, SceneObject

AGENT_RADIUS = 0.2
AGENT_HEIGHT = 1.8
CARVE_RADIUS = 0.15
"""Free space around a known cell [m]: the agent's radius less the centimetres by which furniture
moved between the builds that the cells and the boxes come from."""
CARVE_STEP = 0.1
"""Edge of the columns that are carved out [m]."""

NO_SOLID_TYPES = frozenset({"Floor", "SinkBasin", "BathtubBasin", "StoveBurner", "Shelf"})
"""Inside another object, or (Shelf) a box around the space above a board."""
LEGGED_TYPES = frozenset(
    {"Chair", "CoffeeTable", "Desk", "DiningTable", "SideTable", "Stool", "TVStand"}
)
SLAB = 0.1
"""Thickness of the top of furniture on legs [m]."""
TRANSPARENT_TYPES = frozenset({"ShowerDoor", "ShowerGlass", "Window"})
"""Types that one can see through but not reach through."""


def body_box(obj: SceneObject) -> Box:
    """The object's box as the scene starts: oriented if known, else axis-aligned."""
    if obj.oobb is not None:
        return Box.from_corners(obj.oobb)
    return Box.axis_aligned(obj.aabb_center, obj.aabb_size)


def solid_boxes(obj: SceneObject, scene: Scene) -> list[Box]:
    """Solid parts of an object as the scene starts; empty for what is no obstacle of its own."""
    if obj.object_type in NO_SOLID_TYPES:
        return []
    box = body_box(obj)
    if obj.has("pickupable"):
        return [box]
    if obj.object_type in LEGGED_TYPES:
        box = _top_slab(box)
    return carved(box, scene)


def _top_slab(box: Box) -> Box:
    """The top of a box that is higher than a slab; boxes lying on their side stay whole."""
    if abs(box.axes[1, 1]) < 0.9 or 2 * box.half[1] <= SLAB:
        return box
    half = np.array([box.half[0], SLAB / 2, box.half[2]])
    up = box.axes[:, 1] * np.sign(box.axes[1, 1])
    return Box(box.center + up * (box.half[1] - SLAB / 2), box.axes, half)


def carved(box: Box, scene: Scene) -> list[Box]:
    """Split a box so that no part of it reaches into known free space."""
    low = box.center[1] - box.extent()[1]
    high = box.center[1] + box.extent()[1]
    if low > scene.floor_y + AGENT_HEIGHT or high < scene.floor_y + 0.05:
        return [box]
    if abs(box.axes[1, 1]) < 0.9:
        return [box]
    cells = np.column_stack(
        [scene.reachable[:, 0], np.full(len(scene.reachable), box.center[1]), scene.reachable[:, 1]]
    )
    local = box.to_local(cells)[:, [0, 2]]
    near = np.all(np.abs(local) < box.half[[0, 2]] + CARVE_RADIUS, axis=1)
    if not near.any():
        return [box]
    columns = _columns(box)
    solid = _outside_free_space(columns[0], columns[1], local[near])
    if solid.all():
        return [box]
    return [_part(box, columns, bounds) for bounds in _rectangles(solid)]


def _columns(box: Box) -> tuple[FloatArray, FloatArray]:
    """Edges of the columns along local x and z."""
    count_x = max(1, round(2 * box.half[0] / CARVE_STEP))
    count_z = max(1, round(2 * box.half[2] / CARVE_STEP))
    return (
        np.linspace(-box.half[0], box.half[0], count_x + 1),
        np.linspace(-box.half[2], box.half[2], count_z + 1),
    )


def _outside_free_space(edges_x: FloatArray, edges_z: FloatArray, cells: FloatArray) -> BoolArray:
    """Which columns (x, z) have their middle outside all free circles."""
    x = (edges_x[:-1] + edges_x[1:]) / 2
    z = (edges_z[:-1] + edges_z[1:]) / 2
    gap_x = x[:, None, None] - cells[None, None, :, 0]
    gap_z = z[None, :, None] - cells[None, None, :, 1]
    outside: BoolArray = np.all(gap_x**2 + gap_z**2 > CARVE_RADIUS**2, axis=2)
    return outside


def _rectangles(solid: BoolArray) -> list[tuple[int, int, int, int]]:
    """Cover the true cells by few rectangles (x0, x1, z0, z1), ends excluded, greedily."""
    left = solid.copy()
    found = []
    for x0 in range(left.shape[0]):
        z0 = 0
        while z0 < left.shape[1]:
            if not left[x0, z0]:
                z0 += 1
                continue
            z1 = z0
            while z1 < left.shape[1] and left[x0, z1]:
                z1 += 1
            x1 = x0 + 1
            while x1 < left.shape[0] and left[x1, z0:z1].all():
                x1 += 1
            left[x0:x1, z0:z1] = False
            found.append((x0, x1, z0, z1))
            z0 = z1
    return found


def _part(
    box: Box, columns: tuple[FloatArray, FloatArray], bounds: tuple[int, int, int, int]
) -> Box:
    x0, x1, z0, z1 = bounds
    low = np.array([columns[0][x0], -box.half[1], columns[1][z0]])
    high = np.array([columns[0][x1], box.half[1], columns[1][z1]])
    return Box(box.center + box.axes @ ((low + high) / 2), box.axes, (high - low) / 2)
