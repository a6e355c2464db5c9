"""Worktops with the cupboards they stand on, and stoves under the burners.

A worktop is an object, but its box spans a whole L or U: the agent's free cells and the fronts of
cupboards and drawers tell where it really is. Of a stove only burners and knobs are on record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from milo_sim import opening
from milo_sim.appearance.model import Paint
from milo_sim.appearance.parts import FloatArray
from milo_sim.interior.blocks import Bounds, difference_skin
from milo_sim.interior.outline import free_of_cells
from milo_sim.interior.panel import CARCASS, ROOM_TYPES, STOVE, Panel, bounds_of
from milo_sim.interior.style import RoomStyle
from milo_sim.scene import Scene, SceneObject
from milo_sim.solids import AGENT_HEIGHT

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


def worktops(scene: Scene, style: RoomStyle) -> Iterator[Panel]:
    """Worktops and the cupboards under them."""
    image = style.stone()
    for top in scene.objects:
        if top.object_type != "CounterTop":
            continue
        low, high = bounds_of(top)
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
    low, high = bounds_of(top)
    for obj in scene.objects:
        if obj.object_type not in ("Sink", "SinkBasin"):
            continue
        sink_low, sink_high = bounds_of(obj)
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
        low, high = bounds_of(obj)
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
            yield bounds_of(obj)


# --- Stove -------------------------------------------------------------------------------------


def stoves(scene: Scene) -> Iterator[Panel]:
    """Bodies of stoves; a thin plate where burners lie on a worktop."""
    burners = [bounds_of(o) for o in scene.objects if o.object_type == "StoveBurner"]
    knobs = [bounds_of(o) for o in scene.objects if o.object_type == "StoveKnob"]
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
        for low, high in _plates(scene, *bounds_of(obj)):
            inside = (low < point) & (point < high)
            if inside[0] and inside[2] and abs((low[1] + high[1]) / 2 - height) < 0.1:
                return True
    return False
