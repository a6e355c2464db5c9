"""Where receptacles hold things: their trigger boxes.

AI2-THOR marks the inside of a receptacle by an invisible trigger box. Its placement grid can be
recovered from recorded placements (see the data folder's README); where it is not on record, the
box follows from the receptacle's own box and kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from milo_core.object_types import OBJECT_TYPES
from milo_sim.geometry import (
    Box,
    FloatArray,
    euler_to_matrix,
    footprint_in_yaw_frame,
    yaw_matrix,
)
from milo_sim.scene import GridAxis, Scene, SceneObject
from milo_sim.state import ObjectState

GRID_POINTS = 9
"""The engine lays 9 x 9 points over the top of a trigger box."""

WALL_INSET = 0.010
"""Distance of a container's trigger box from its outer sides where it is not on record [m]."""
PIVOT_ABOVE_FLOOR = 0.010
"""How far the lowest recorded pivot lies above a container's floor [m]."""
CONTENT_ABOVE_FLOOR = 0.005
"""PutObject lets things stand this far above the floor of the trigger box [m]."""
BOTTOM_THICKNESS = 0.010
"""Thickness of a container's bottom where nothing is on record [m]."""
OPEN_HEIGHT = 0.10
"""Least height of the trigger box above an open surface [m]."""
CARTON_BODY = (0.547, 0.743)
"""Share (x, z) of an open carton's box that its body takes; the rest is flaps. Measured in one
carton (Box_1): 0.240 x 0.372 m in a box of 0.439 x 0.500 m."""

_WALLED_KINDS = frozenset({"in", "in_bottom_corners"})
_WALLED_TYPES = frozenset({"Safe"})
"""Containers for which PutObject counts no corners."""
_RIM_TYPES = frozenset({"Sink"})
"""No walls although PutObject has a corner rule for containers: what they hold as the scenes start
stands on the rim; the hollow is a SinkBasin of its own."""
_BASIN_TYPES = frozenset({"SinkBasin"})
"""Hollow as containers, but their trigger box spans the rim: in recorded placements what sticks out
of it fails by the footprint test, not by hitting a wall."""
_REGION_TYPES = frozenset({"Shelf"})
"""Their box is the space above the board: in the 120 scenes things stand on its bottom."""
_SEAT_TYPES = frozenset({"ArmChair", "Bed", "Chair", "Sofa"})
"""Their box includes a back, so the surface lies about half way up."""


@dataclass(frozen=True, slots=True)
class TriggerBox:
    """The inside of a receptacle.

    ``box`` is upright, its axes follow the receptacle's yaw, its bottom is the surface things
    stand on. ``walled`` receptacles have solid sides, so nothing may stick out of the box.
    """

    receptacle_id: str
    box: Box
    walled: bool

    @property
    def bottom(self) -> float:
        """Height of the surface things stand on [m]."""
        return float(self.box.center[1] - self.box.half[1])

    def moved(self, offset: npt.ArrayLike) -> TriggerBox:
        """The same trigger box elsewhere."""
        return replace(self, box=self.box.moved(offset))

    def grid(self) -> FloatArray:
        """The (81, 3) placement points on the bottom, in the engine's order.

        The outer loop runs along local -x from the (+x, +z) corner, the inner one along -z.
        """
        steps = np.linspace(1.0, -1.0, GRID_POINTS)
        x, z = np.meshgrid(steps * self.box.half[0], steps * self.box.half[2], indexing="ij")
        local = np.stack([x.ravel(), np.full(x.size, -self.box.half[1]), z.ravel()], axis=1)
        points: FloatArray = self.box.center + local @ self.box.axes.T
        return points


def is_walled(object_type: str) -> bool:
    """Tell whether a receptacle type has solid sides around its inside."""
    if object_type in _RIM_TYPES:
        return False
    kind = OBJECT_TYPES[object_type].receptacle_kind
    return kind in _WALLED_KINDS or object_type in _WALLED_TYPES


def trigger_boxes(scene: Scene) -> Mapping[str, TriggerBox]:
    """Trigger boxes of all receptacles of a scene as it starts, by object id."""
    by_id = {obj.object_id: obj for obj in scene.objects}
    return {
        obj.object_id: _floor_box(obj, scene, by_id)
        if obj.object_type == "Floor"
        else _trigger_box(obj, by_id)
        for obj in scene.objects
        if obj.has("receptacle")
    }


def _trigger_box(obj: SceneObject, by_id: Mapping[str, SceneObject]) -> TriggerBox:
    walled = is_walled(obj.object_type)
    axes = yaw_matrix(obj.rotation[1])
    outer = _outer_box(obj)
    sides = (2 * outer.half[0], 2 * outer.half[2])
    x_center, x_half = _along(obj, 0, float(sides[0]), walled)
    z_center, z_half = _along(obj, 1, float(sides[1]), walled)
    outer_bottom, outer_top = outer.center[1] - outer.half[1], outer.center[1] + outer.half[1]
    if walled or obj.object_type in _BASIN_TYPES:
        bottom, top = _container_floor(obj, by_id, float(outer_bottom)), float(outer_top)
        bottom = min(bottom, top - 1e-3)
    else:
        bottom = _surface(obj, by_id, outer)
        top = max(float(outer_top), bottom + OPEN_HEIGHT)
    center = outer.center + axes @ np.array([x_center, 0.0, z_center])
    center[1] = (bottom + top) / 2
    return TriggerBox(
        obj.object_id, Box(center, axes, np.array([x_half, (top - bottom) / 2, z_half])), walled
    )


def _outer_box(obj: SceneObject) -> Box:
    """Upright box around the receptacle in its yaw frame."""
    axes = yaw_matrix(obj.rotation[1])
    if obj.oobb is not None:
        own = Box.from_corners(obj.oobb)
        return Box(own.center, axes, np.abs(axes.T @ own.axes) @ own.half)
    x, z = footprint_in_yaw_frame(obj.aabb_size, obj.rotation[1])
    return Box(np.array(obj.aabb_center), axes, np.array([x, obj.aabb_size[1], z]) / 2)


def _along(obj: SceneObject, axis: int, side: float, walled: bool) -> tuple[float, float]:
    """Centre relative to the box centre and half length of the trigger box along x (0) or z (1)."""
    known = obj.lattice[axis] if obj.lattice else None
    if known is not None:
        return _lattice_center(known), known.side / 2
    if obj.object_type == "Box":
        return 0.0, side * CARTON_BODY[axis] / 2
    return 0.0, max(side / 2 - (WALL_INSET if walled else 0.0), 0.0)


def _lattice_center(axis: GridAxis) -> float:
    """Centre of the 9 grid points: of all ways to complete those seen, the most central one."""
    spare = max(GRID_POINTS - axis.slots, 0)
    centers = [axis.first + (GRID_POINTS // 2 - below) * axis.spacing for below in range(spare + 1)]
    return min(centers, key=abs)


def _content_bottoms(obj: SceneObject, by_id: Mapping[str, SceneObject]) -> list[float]:
    """Lowest points of the pickupable things the receptacle holds at the start, ascending."""
    contents = (by_id[i] for i in obj.receptacle_object_ids or () if i in by_id)
    return sorted(
        thing.aabb_center[1] - thing.aabb_size[1] / 2
        for thing in contents
        if thing.has("pickupable")
    )


def _container_floor(
    obj: SceneObject, by_id: Mapping[str, SceneObject], outer_bottom: float
) -> float:
    """Height of a container's floor: from recorded pivots, else contents, else its own bottom.

    Pivots were recorded in another build than the boxes, so the floor never lies below the
    container's bottom plate.
    """
    least = outer_bottom + BOTTOM_THICKNESS
    if obj.content_height is not None:
        return max(obj.content_height[0] - PIVOT_ABOVE_FLOOR, least)
    bottoms = _content_bottoms(obj, by_id)
    if bottoms and bottoms[0] > outer_bottom:
        return bottoms[0] - CONTENT_ABOVE_FLOOR
    return least


def _surface(obj: SceneObject, by_id: Mapping[str, SceneObject], outer: Box) -> float:
    """Height of an open surface: from contents, else recorded pivots, else its own box."""
    bottoms = _content_bottoms(obj, by_id)
    if bottoms:
        return bottoms[len(bottoms) // 2]
    if obj.object_type in _REGION_TYPES:
        return float(outer.center[1] - outer.half[1])
    if obj.content_height is not None:
        return obj.content_height[0] - PIVOT_ABOVE_FLOOR
    if obj.object_type in _SEAT_TYPES:
        return float(outer.center[1])
    return float(outer.center[1] + outer.half[1])


def _floor_box(obj: SceneObject, scene: Scene, by_id: Mapping[str, SceneObject]) -> TriggerBox:
    """The trigger box over the floor.

    Its height is not on record: it lies between the highest bottom of what the floor holds at the
    start and the lowest bottom of what stands above it and is not held.
    """
    half_x, half_z = obj.aabb_size[0] / 2, obj.aabb_size[2] / 2
    held = [
        by_id[i].aabb_center[1] - by_id[i].aabb_size[1] / 2
        for i in obj.receptacle_object_ids or ()
        if i in by_id
    ]
    free = [
        other.aabb_center[1] - other.aabb_size[1] / 2
        for other in scene.objects
        if other.object_id not in (obj.receptacle_object_ids or ())
        and (other.has("pickupable") or other.object_type in ("Drawer", "Cabinet"))
        and abs(other.aabb_center[0] - obj.aabb_center[0]) < half_x
        and abs(other.aabb_center[2] - obj.aabb_center[2]) < half_z
    ]
    highest = max([*held, scene.floor_y])
    lowest = min((bottom for bottom in free if bottom > highest), default=highest + OPEN_HEIGHT)
    top = max((highest + lowest) / 2, scene.floor_y + OPEN_HEIGHT / 2)
    center = np.array([obj.aabb_center[0], (scene.floor_y + top) / 2, obj.aabb_center[2]])
    half = np.array([half_x, (top - scene.floor_y) / 2, half_z])
    return TriggerBox(obj.object_id, Box(center, np.eye(3), half), walled=False)


def turned(home: TriggerBox, obj: SceneObject, state: ObjectState) -> TriggerBox:
    """Trigger box of a receptacle that was moved and turned since the start."""
    turn = euler_to_matrix(state.rotation) @ euler_to_matrix(obj.rotation).T
    center = turn @ (home.box.center - np.array(obj.position)) + np.array(state.position)
    return replace(home, box=Box(center, turn @ home.box.axes, home.box.half))
