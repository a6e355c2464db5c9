"""The room around the objects: floor, walls, ceiling, lamp, worktops and what they stand on.

None of it but the floor and the worktops is a simulator object. It follows from the outline of
what is on record (``outline``), from the worktops' boxes less the agent's free cells, and from
the burners, which stand on a stove that is not on record.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from milo_sim import opening
from milo_sim.appearance import palette
from milo_sim.appearance.look import Look
from milo_sim.appearance.model import Paint
from milo_sim.appearance.parts import FloatArray
from milo_sim.interior import textures
from milo_sim.interior.blocks import Bounds, difference_skin
from milo_sim.interior.outline import Outline, free_of_cells, room_outline
from milo_sim.interior.textures import Image, Rgb
from milo_sim.scene import Scene, SceneObject
from milo_sim.solids import AGENT_HEIGHT

WALL, CEILING, LAMP, STOVE, CARCASS = "Wall", "Ceiling", "CeilingLight", "Stove", "WallCabinetBody"
"""Names of the parts of a room in masks; AI2-THOR's StructureObjectTag has them."""

ROOM_TYPES = frozenset({"Floor", "CounterTop"})
"""Object types whose look is made here, because their boxes are far larger than they are."""

_PATCH = 0.8
"""Largest side of a piece of wall, floor or ceiling [m]; light is worked out at the corners."""
_LEAST_HEIGHT = 2.5
_HEADROOM = 0.04
_CARCASS_HEIGHTS = (0.55, 1.35)
"""Heights above the floor between which a worktop stands on cupboards [m]."""
_TOE = 0.08
_OVERHANG = 0.02
_STANDING_SPACE = 0.18
"""Half a square's side around an agent cell that no worktop reaches into: the agent's radius less
the centimetres by which furniture moved between the builds that cells and boxes come from [m]."""
_LEAST_DEPTH = 0.25
"""Narrower leftovers of a worktop's box are no worktop [m]."""
_BEFORE = 0.25
"""How far before a cupboard's front nothing of the worktop and its body may be [m]."""
_ROW_GAP, _ROW_OFFSET = 1.2, 0.06
"""Cupboards of one row are no farther apart, and their fronts no farther out of line [m]."""
_BURNER_GAP = 0.45
"""Burners nearer to each other than this belong to one stove [m]."""
_BURNER_MARGIN = 0.07


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
    boxes = [_bounds(o) for o in scene.objects if o.object_type != "Floor"]
    footprints = np.array([[b[0][0], b[1][0], b[0][2], b[1][2]] for b in boxes]).reshape(-1, 4)
    top = max((float(b[1][1]) for b in boxes), default=scene.floor_y)
    ceiling = max(top + _HEADROOM, scene.floor_y + _LEAST_HEIGHT)
    return Room(room_outline(scene.reachable, footprints), scene.floor_y, ceiling)


def panels(scene: Scene) -> Iterator[Panel]:
    """All surfaces of a scene's room."""
    room = room_of(scene)
    style = _Style(scene)
    yield from _floor(scene, room, style)
    yield _walls(room, style)
    yield _ceiling(room)
    yield from _lamp(room)
    yield from _worktops(scene, style)
    yield from _stoves(scene)


_WALLS: Mapping[str, Sequence[Rgb]] = {
    "kitchen": ((0.86, 0.80, 0.64), (0.80, 0.83, 0.80), (0.85, 0.84, 0.80), (0.74, 0.79, 0.83)),
    "living_room": (
        (0.86, 0.82, 0.70),
        (0.72, 0.74, 0.70),
        (0.82, 0.80, 0.77),
        (0.66, 0.72, 0.76),
    ),
    "bedroom": ((0.55, 0.52, 0.66), (0.78, 0.80, 0.84), (0.82, 0.76, 0.68), (0.60, 0.70, 0.66)),
    "bathroom": ((0.84, 0.83, 0.75), (0.80, 0.84, 0.84), (0.86, 0.84, 0.82)),
}
_TILES = ((0.62, 0.70, 0.76), (0.83, 0.82, 0.77), (0.68, 0.76, 0.70), (0.80, 0.74, 0.66))
_WOODS = ((0.52, 0.32, 0.19), (0.62, 0.44, 0.28), (0.42, 0.26, 0.17), (0.68, 0.54, 0.38))
_CARPETS = ((0.63, 0.57, 0.48), (0.50, 0.50, 0.52), (0.58, 0.50, 0.44))
_STONES = ((0.50, 0.48, 0.45), (0.32, 0.31, 0.31), (0.72, 0.69, 0.63), (0.44, 0.38, 0.33))


class _Style:
    """Colours of a room: of its type, picked by its name."""

    def __init__(self, scene: Scene) -> None:
        self.seed = zlib.crc32(scene.name.encode())
        self.kind = scene.room_type.lower().replace(" ", "_").removesuffix("s")
        random = np.random.default_rng(self.seed)
        walls = _WALLS.get(self.kind, _WALLS["living_room"])
        self.wall_color: Rgb = walls[int(random.integers(len(walls)))]
        self.tile_color: Rgb = _TILES[random.integers(len(_TILES))]
        self.wood_color: Rgb = _WOODS[random.integers(len(_WOODS))]
        self.carpet_color: Rgb = _CARPETS[random.integers(len(_CARPETS))]
        self.stone_color: Rgb = _STONES[random.integers(len(_STONES))]
        self.carpeted = self.kind == "living_room" and random.random() < 0.4
        self.tiled = self.kind == "bathroom" or (self.kind == "kitchen" and random.random() < 0.5)

    def floor(self) -> tuple[Image, float]:
        """Picture of the floor and the side of the square it covers [m]."""
        if self.carpeted:
            return textures.carpet(self.carpet_color, self.seed), 1.5
        if self.tiled:
            joint = np.asarray(self.tile_color) * 0.72
            return textures.tiles(self.tile_color, joint, self.seed), 1.6
        return textures.planks(self.wood_color, self.seed), 1.2

    def wall(self) -> Image:
        """Picture of a wall from floor to ceiling."""
        if self.kind == "bathroom":
            return textures.wall(self.wall_color, self.seed, self.tile_color, 0.5)
        return textures.wall(self.wall_color, self.seed)

    def stone(self) -> Image:
        """Picture of a worktop."""
        return textures.stone(self.stone_color, self.seed)

    def joinery(self) -> Paint:
        """Paint of fitted furniture; the cabinets' own builder picks the same."""
        return palette.joinery(Look("Cabinet", (1.0, 1.0, 1.0), seed=self.seed))


def _bounds(obj: SceneObject) -> Bounds:
    center, half = np.asarray(obj.aabb_center), np.asarray(obj.aabb_size) / 2
    return center - half, center + half


# --- Shell -------------------------------------------------------------------------------------


def _floor(scene: Scene, room: Room, style: _Style) -> Iterator[Panel]:
    image, side = style.floor()
    floors = [(o.object_id, _bounds(o)) for o in scene.objects if o.object_type == "Floor"]
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


def _walls(room: Room, style: _Style) -> Panel:
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


# --- Worktops ----------------------------------------------------------------------------------


def _worktops(scene: Scene, style: _Style) -> Iterator[Panel]:
    image = style.stone()
    for top in scene.objects:
        if top.object_type != "CounterTop":
            continue
        low, high = _bounds(top)
        plates = list(_plates(scene, low, high))
        holes = [*_sinks(scene, top), *_in_front(scene, low, _OVERHANG)]
        corners = difference_skin(plates, holes)
        if not len(corners):
            continue
        uv = _flat_coordinates(corners) / 0.8
        yield Panel(top.object_id, corners, None, ("worktop", image), uv)
        height = float(low[1]) - scene.floor_y
        if _CARCASS_HEIGHTS[0] < height < _CARCASS_HEIGHTS[1]:
            holes = [*_fittings(scene), *_in_front(scene, low, 0.0)]
            skin = difference_skin(list(_carcass(scene, plates)), holes)
            if len(skin):
                yield Panel(CARCASS, skin, style.joinery().scaled(0.9))


def _plates(scene: Scene, low: FloatArray, high: FloatArray) -> Iterator[Bounds]:
    """A worktop's box less where the agent can stand, so that an L keeps its shape."""
    if low[1] > scene.floor_y + AGENT_HEIGHT:
        yield low, high
        return
    found = free_of_cells(low[[0, 2]], high[[0, 2]], scene.reachable, _STANDING_SPACE, _LEAST_DEPTH)
    for x0, x1, z0, z1 in found:
        yield np.array([x0, low[1], z0]), np.array([x1, high[1], z1])


def _flat_coordinates(corners: FloatArray) -> FloatArray:
    """Texture coordinates (n, 4, 2) of rectangles along the axes, in metres."""
    extent = corners.max(axis=1) - corners.min(axis=1)
    flat = np.argmin(extent, axis=1)
    picked = np.array([[1, 2], [0, 2], [0, 1]])[flat]
    coordinates: FloatArray = np.take_along_axis(corners, picked[:, None, :], axis=2)
    return coordinates


def _sinks(scene: Scene, top: SceneObject) -> Iterator[Bounds]:
    """Holes that sinks make in a worktop."""
    low, high = _bounds(top)
    for obj in scene.objects:
        if obj.object_type not in ("Sink", "SinkBasin"):
            continue
        sink_low, sink_high = _bounds(obj)
        meets = sink_high[1] > low[1] - 0.15 and sink_low[1] < high[1]
        if (
            meets
            and np.all(sink_low[[0, 2]] < high[[0, 2]])
            and np.all(sink_high[[0, 2]] > low[[0, 2]])
        ):
            yield (
                np.array([sink_low[0], low[1] - 1.0, sink_low[2]]),
                np.array([sink_high[0], high[1] + 1.0, sink_high[2]]),
            )


def _carcass(scene: Scene, plates: Iterable[Bounds]) -> Iterator[Bounds]:
    """Cupboards under a worktop: a body, and a narrower foot."""
    for low, high in plates:
        foot = scene.floor_y + _TOE
        inset = np.array([_OVERHANG, 0.0, _OVERHANG])
        if np.any((high - low)[[0, 2]] < 4 * _OVERHANG):
            inset[:] = 0.0
        body_low, body_high = low + inset, high - inset
        yield (
            np.array([body_low[0], foot, body_low[2]]),
            np.array([body_high[0], low[1], body_high[2]]),
        )
        yield (
            np.array([body_low[0], scene.floor_y, body_low[2]]) + 2 * inset,
            np.array([body_high[0], foot, body_high[2]]) - 2 * inset,
        )


def _in_front(scene: Scene, worktop: FloatArray, gap: float) -> Iterator[Bounds]:
    """Space before the cupboards and drawers under a worktop of which the low corner is given.

    The worktop's box is known, but not where within it the cupboards end; they show that, and
    between two of one row as well.
    """
    rows: dict[tuple[float, ...], list[Bounds]] = {}
    for obj in scene.objects:
        if obj.object_type not in ("Cabinet", "Drawer"):
            continue
        low, high = _bounds(obj)
        if high[1] > worktop[1] + 0.02:
            continue
        front = np.rint(opening.front(obj, scene)[0])
        start = np.where(front > 0, high + gap, np.where(front < 0, low - gap - _BEFORE, low))
        end = np.where(front < 0, low - gap, np.where(front > 0, high + gap + _BEFORE, high))
        start[1], end[1] = scene.floor_y - 1.0, worktop[1] + 1.0
        rows.setdefault(tuple(front.tolist()), []).append((start, end))
    for front_of_row, spaces in rows.items():
        yield from spaces
        along = 0 if front_of_row[2] else 2
        spaces.sort(key=lambda space: float(space[0][along]))
        for here, following in pairwise(spaces):
            across = 2 - along
            if (
                following[0][along] - here[1][along] < _ROW_GAP
                and abs(following[0][across] - here[0][across]) < _ROW_OFFSET
            ):
                yield np.minimum(here[0], following[0]), np.maximum(here[1], following[1])


def _fittings(scene: Scene) -> Iterator[Bounds]:
    """Space that objects need for themselves."""
    for obj in scene.objects:
        if obj.object_type not in ROOM_TYPES and not obj.has("pickupable"):
            yield _bounds(obj)


# --- Stove -------------------------------------------------------------------------------------


def _stoves(scene: Scene) -> Iterator[Panel]:
    burners = [_bounds(o) for o in scene.objects if o.object_type == "StoveBurner"]
    knobs = [_bounds(o) for o in scene.objects if o.object_type == "StoveKnob"]
    for group in _groups(burners):
        low = np.min([b[0] for b in group], axis=0) - _BURNER_MARGIN
        high = np.max([b[1] for b in group], axis=0) + _BURNER_MARGIN
        top = min(float(b[0][1]) for b in group)
        near = [k for k in knobs if np.all(k[0] < high + 0.15) and np.all(k[1] > low - 0.15)]
        body_low = np.array([low[0], scene.floor_y, low[2]])
        body_high = np.array([high[0], top, high[2]])
        if _stands_on(scene, (low + high) / 2, top):
            body_low[1] = top - 0.015
        elif near:
            # The front, which the knobs are on, is where the knobs end.
            body_low = np.minimum(body_low, _flat(np.min([k[0] for k in near], axis=0), body_low))
            body_high = np.maximum(
                body_high, _flat(np.max([k[1] for k in near], axis=0), body_high)
            )
        others = list(_fittings(scene))
        skin = difference_skin([(body_low, body_high)], others)
        if len(skin):
            yield Panel(STOVE, skin, Paint(0.30, 0.30, 0.31, shininess=0.6, specular=0.5))


def _flat(point: FloatArray, height: FloatArray) -> FloatArray:
    return np.array([point[0], height[1], point[2]])


def _groups(boxes: Sequence[Bounds]) -> list[list[Bounds]]:
    """Groups of boxes whose middles lie near each other in the plan."""
    groups: list[list[Bounds]] = []
    for box in boxes:
        joined, apart = [box], []
        for group in groups:
            middles = [(b[0] + b[1])[[0, 2]] / 2 for b in group]
            gap = min(float(np.linalg.norm(m - (box[0] + box[1])[[0, 2]] / 2)) for m in middles)
            if gap < _BURNER_GAP:
                joined = group + joined
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups


def _stands_on(scene: Scene, point: FloatArray, height: float) -> bool:
    """Whether a worktop lies right under a point."""
    for obj in scene.objects:
        if obj.object_type != "CounterTop":
            continue
        for low, high in _plates(scene, *_bounds(obj)):
            inside = (low < point) & (point < high)
            if inside[0] and inside[2] and abs((low[1] + high[1]) / 2 - height) < 0.1:
                return True
    return False
