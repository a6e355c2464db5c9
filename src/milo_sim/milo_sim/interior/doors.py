"""Doors: a closed one beside each light switch, where the wall is bare and the floor free."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from milo_sim.appearance.model import Paint
from milo_sim.appearance.parts import FloatArray
from milo_sim.interior.blocks import Bounds, difference_skin
from milo_sim.interior.outline import Outline
from milo_sim.interior.panel import DOOR, Panel, bounds_of
from milo_sim.scene import Scene, SceneObject

_WIDTH, _HEIGHT = 0.86, 2.03
_FRAME = 0.07
_GAP = 0.12
"""Distance of a door's frame from the switch [m]."""
_DEPTH = 0.035
_NEAR_WALL = 0.3
"""A switch belongs to a wall no farther off, and a thing before the door hides it [m]."""
_WALK = 0.9
"""Free cells this near before it let one through the door [m]."""


def doors(scene: Scene, outline: Outline) -> Iterator[Panel]:
    """Doors of a room; at most one for each light switch."""
    for switch in scene.objects:
        if switch.object_type != "LightSwitch":
            continue
        for start, along, inward in _places(switch, outline):
            if _free(scene, start, along, inward):
                yield from _door(scene.floor_y, start, along, inward)
                break


def _places(
    switch: SceneObject, outline: Outline
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Where a door could be: its first corner (x, z), the direction along the wall, and inward."""
    middle = np.asarray(switch.aabb_center)[[0, 2]]
    half = max(switch.aabb_size[0], switch.aabb_size[2]) / 2
    outer = _WIDTH + 2 * _FRAME
    for a, b in outline.walls():
        length = float(np.linalg.norm(b - a))
        along = (b - a) / length
        inward = np.array([along[1], -along[0]])
        at = float((middle - a) @ along)
        if abs(float((middle - a) @ inward)) > _NEAR_WALL or not 0.0 <= at <= length:
            continue
        for begin in (at + half + _GAP, at - half - _GAP - outer):
            if begin >= 0.0 and begin + outer <= length:
                yield a + along * begin, along, inward


def _box(
    start: FloatArray, along: FloatArray, inward: FloatArray, sizes: FloatArray, low: float
) -> Bounds:
    """Box from a corner at the wall: ``sizes`` are along the wall, up and inward [m]."""
    corners = np.array([start, start + along * sizes[0] + inward * sizes[2]])
    x, z = corners[:, 0], corners[:, 1]
    return np.array([x.min(), low, z.min()]), np.array([x.max(), low + sizes[1], z.max()])


def _free(scene: Scene, start: FloatArray, along: FloatArray, inward: FloatArray) -> bool:
    outer = _WIDTH + 2 * _FRAME
    low, high = _box(
        start, along, inward, np.array([outer, _HEIGHT, _NEAR_WALL]), scene.floor_y + 0.02
    )
    for obj in scene.objects:
        if obj.object_type != "Floor":
            other_low, other_high = bounds_of(obj)
            if np.all(other_low < high) and np.all(other_high > low):
                return False
    before = start + along * (outer / 2)
    offset = scene.reachable - before
    return bool(np.any((np.abs(offset @ along) < _WIDTH / 2) & (np.abs(offset @ inward) < _WALK)))


def _door(
    floor: float, start: FloatArray, along: FloatArray, inward: FloatArray
) -> Iterator[Panel]:
    outer = np.array([_WIDTH + 2 * _FRAME, _HEIGHT + _FRAME, _DEPTH])
    inner = np.array([_WIDTH, _HEIGHT, 1.0])
    whole = _box(start, along, inward, outer, floor)
    leaf_start = start + along * _FRAME
    frame = difference_skin([whole], [_box(leaf_start, along, inward, inner, floor - 0.1)])
    yield Panel(DOOR, frame, Paint(0.93, 0.92, 0.89))
    leaf = _box(leaf_start, along, inward, np.array([_WIDTH, _HEIGHT, _DEPTH * 0.5]), floor)
    panes = [
        _box(
            leaf_start + along * (_WIDTH * left) + inward * (_DEPTH * 0.3),
            along,
            inward,
            np.array([_WIDTH * 0.34, _HEIGHT * height, 1.0]),
            floor + _HEIGHT * low,
        )
        for left in (0.11, 0.55)
        for low, height in ((0.08, 0.36), (0.54, 0.38))
    ]
    yield Panel(DOOR, difference_skin([leaf], panes), Paint(0.86, 0.84, 0.79))
    handle = _box(
        leaf_start + along * (_WIDTH * 0.90),
        along,
        inward,
        np.array([0.05, 0.05, _DEPTH * 1.8]),
        floor + 0.98,
    )
    yield Panel(DOOR, difference_skin([handle], []), Paint(0.75, 0.6, 0.3, specular=0.6))
