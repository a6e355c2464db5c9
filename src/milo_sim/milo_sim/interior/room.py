"""The room around the objects: floor, walls, ceiling and lamp, and what is fitted in it.

None of it but the floor and the worktops is a simulator object. It follows from the outline of
what is on record (``outline``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from milo_sim.appearance.model import Paint
from milo_sim.appearance.parts import FloatArray
from milo_sim.interior.blocks import Bounds, difference_skin
from milo_sim.interior.doors import doors
from milo_sim.interior.kitchen import stoves, worktops
from milo_sim.interior.outline import Outline, room_outline
from milo_sim.interior.panel import CEILING, LAMP, WALL, Panel, bounds_of
from milo_sim.interior.style import RoomStyle
from milo_sim.scene import Scene

_PATCH = 0.8
"""Largest side of a piece of wall, floor or ceiling [m]; light is worked out at the corners."""
_LEAST_HEIGHT = 2.5
_HEADROOM = 0.04


@dataclass(frozen=True, eq=False, slots=True)
class Room:
    """The outer shape of a room.

    Attributes:
        outline: Its plan.
        floor: Height of the floor [m].
        ceiling: Height of the ceiling [m].
    """

    outline: Outline
    floor: float
    ceiling: float

    @property
    def middle(self) -> FloatArray:
        """(x, z) of the middle [m]."""
        inside = np.argwhere(self.outline.inside).mean(axis=0) + 0.5
        middle: FloatArray = inside * self.outline.cell + self.outline.origin
        return middle


@lru_cache(maxsize=8)
def room_of(scene: Scene) -> Room:
    """Outer shape of a scene's room."""
    boxes = [bounds_of(o) for o in scene.objects if o.object_type != "Floor"]
    footprints = np.array([[b[0][0], b[1][0], b[0][2], b[1][2]] for b in boxes]).reshape(-1, 4)
    top = max((float(b[1][1]) for b in boxes), default=scene.floor_y)
    ceiling = max(top + _HEADROOM, scene.floor_y + _LEAST_HEIGHT)
    return Room(room_outline(scene.reachable, footprints), scene.floor_y, ceiling)


def panels(scene: Scene, style: RoomStyle) -> Iterator[Panel]:
    """All surfaces of a scene's room."""
    room = room_of(scene)
    yield from _floor(scene, room, style)
    yield _walls(room, style)
    yield _ceiling(room)
    yield from _lamp(room)
    yield from worktops(scene, style)
    yield from stoves(scene)
    yield from doors(scene, room.outline)


def _floor(scene: Scene, room: Room, style: RoomStyle) -> Iterator[Panel]:
    image, side = style.floor()
    floors = [(o.object_id, bounds_of(o)) for o in scene.objects if o.object_type == "Floor"]
    for x0, x1, z0, z1 in room.outline.floor().tolist():
        whole = (np.array([x0, room.floor - 1.0, z0]), np.array([x1, room.floor, z1]))
        pieces = [(key, _common(whole, bounds)) for key, bounds in floors[:1]]
        # What sticks out of the floor's box is drawn all the same, but is not the floor object.
        rest = difference_skin([whole], [b for _, b in floors[:1]])
        top = rest[(rest[:, :, 1] == room.floor).all(axis=1)]
        for key, bounds in pieces:
            if bounds is not None:
                corners = _patches(_top(bounds, room.floor))
                yield Panel(key, corners, None, ("floor", image), corners[:, :, [0, 2]] / side)
        if len(top):
            yield Panel("Floor", top, None, ("floor", image), top[:, :, [0, 2]] / side)


def _common(a: Bounds, b: Bounds) -> Bounds | None:
    low, high = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
    return (low, high) if np.all(low[[0, 2]] < high[[0, 2]]) else None


def _top(bounds: Bounds, height: float) -> FloatArray:
    """Upward rectangle (1, 4, 3) over a box."""
    (x0, _, z0), (x1, _, z1) = bounds
    return np.array(
        [[[x0, height, z0], [x0, height, z1], [x1, height, z1], [x1, height, z0]]], dtype=np.float64
    )


def _walls(room: Room, style: RoomStyle) -> Panel:
    corners, coordinates = [], []
    height = room.ceiling - room.floor
    for (ax, az), (bx, bz) in room.outline.walls().tolist():
        length = abs(bx - ax) + abs(bz - az)
        quad = np.array(
            [
                [ax, room.floor, az],
                [ax, room.ceiling, az],
                [bx, room.ceiling, bz],
                [bx, room.floor, bz],
            ]
        )
        uv = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]) * [length / height, 1.0]
        pieces = _patches(np.concatenate([quad, uv], axis=1)[None])
        corners.append(pieces[:, :, :3])
        coordinates.append(pieces[:, :, 3:])
    return Panel(
        WALL, np.concatenate(corners), None, ("wall", style.wall()), np.concatenate(coordinates)
    )


def _ceiling(room: Room) -> Panel:
    quads = [
        [
            [x0, room.ceiling, z0],
            [x1, room.ceiling, z0],
            [x1, room.ceiling, z1],
            [x0, room.ceiling, z1],
        ]
        for x0, x1, z0, z1 in room.outline.floor().tolist()
    ]
    return Panel(CEILING, _patches(np.array(quads)), Paint(0.90, 0.89, 0.86, specular=0.0))


def _lamp(room: Room) -> Iterator[Panel]:
    x, z = room.middle
    low = np.array([x - 0.16, room.ceiling - 0.06, z - 0.16])
    skin = difference_skin([(low, np.array([x + 0.16, room.ceiling, z + 0.16]))], [])
    yield Panel(LAMP, skin, Paint(1.0, 0.96, 0.85, emission=1.0))


def _patches(quads: FloatArray) -> FloatArray:
    """Split rectangles (n, 4, k) with positions first into pieces of at most ``_PATCH`` a side."""
    pieces = []
    for a, b, c, d in quads:
        counts = [max(1, int(np.ceil(np.linalg.norm((q - a)[:3]) / _PATCH - 1e-6))) for q in (b, d)]
        u = np.linspace(0.0, 1.0, counts[0] + 1)[:, None, None]
        v = np.linspace(0.0, 1.0, counts[1] + 1)[None, :, None]
        grid = (1 - u) * ((1 - v) * a + v * d) + u * ((1 - v) * b + v * c)
        pieces.append(
            np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2).reshape(
                -1, 4, quads.shape[2]
            )
        )
    return np.concatenate(pieces)
