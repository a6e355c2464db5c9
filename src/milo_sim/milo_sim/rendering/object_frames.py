"""Where an object's look stands: the frame of its box, with +z as its front.

Objects with an oriented box bring their frame along. Of all others only the box along the world
axes is on record; in the recorded scenes it stands upright in the frame of the object's yaw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from milo_sim import opening
from milo_sim.geometry import (
    Box,
    FloatArray,
    Vector,
    as_vector,
    euler_to_matrix,
    footprint_in_yaw_frame,
    yaw_matrix,
)
from milo_sim.scene import Scene, SceneObject
from milo_sim.state import ObjectState

_FLAT = 0.5
"""A thing on a wall is thinner than this share of its width."""
_WALL_TYPES = frozenset(
    {"Blinds", "Curtains", "LightSwitch", "Mirror", "Painting", "Poster", "ShowerGlass", "Window"}
)
"""Static things that hang on a wall or stand as one; their models point either way."""
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, slots=True, eq=False)
class ObjectFrame:
    """The box of an object's body in the object's own frame.

    Attributes:
        size: Full size of the closed box along its own axes [m].
        offset: Centre (3,) of the closed box in the object's frame [m].
        turn: Axes (3, 3) of the box as columns, in the object's frame.
        closed_aabb: Size of the box along the world's axes while a door is closed, for what grows
            forward when it opens; None for all else.
    """

    size: Vector
    offset: FloatArray
    turn: FloatArray
    closed_aabb: Vector | None

    def size_now(self, state: ObjectState) -> Vector:
        """Full size of the box, which includes an open door [m]."""
        x, y, z = self.size
        return (x, y, z + self._swing(state))

    def box(self, state: ObjectState) -> Box:
        """The box where the object is now."""
        rotation = euler_to_matrix(state.rotation)
        axes = rotation @ self.turn
        center = np.asarray(state.position) + rotation @ self.offset
        center = center + axes[:, 2] * (self._swing(state) / 2)
        return Box(center, axes, np.asarray(self.size_now(state)) / 2)

    def _swing(self, state: ObjectState) -> float:
        """How far a door sticks out, as ``opening.apply_door`` has it [m].

        What a scene starts with open keeps its recorded box until it is first moved.
        """
        if self.closed_aabb is None or state.aabb_size == self.closed_aabb:
            return 0.0
        return opening.DOOR_SHARE * self.size[0] * math.sin(math.radians(90.0 * state.openness))


def object_frame(obj: SceneObject, scene: Scene) -> ObjectFrame:
    """Frame of an object of a scene."""
    box = Box.from_corners(obj.oobb) if obj.oobb is not None else _upright_box(obj, scene)
    inverse = euler_to_matrix(obj.rotation).T
    offset = inverse @ (box.center - np.asarray(obj.position))
    closed = obj.aabb_size if obj.object_type in opening.DOOR_TYPES else None
    return ObjectFrame(as_vector(2 * box.half), offset, inverse @ box.axes, closed)


def _upright_box(obj: SceneObject, scene: Scene) -> Box:
    axes = yaw_matrix(obj.rotation[1])
    x, z = footprint_in_yaw_frame(obj.aabb_size, obj.rotation[1])
    front = _front(obj, scene, axes, (x, z))
    if abs(float(front @ axes[:, 0])) > 0.5:
        x, z = z, x
    turned = np.stack([np.cross(_UP, front), _UP, front], axis=1)
    box = Box(np.asarray(obj.aabb_center), turned, np.array([x, obj.aabb_size[1], z]) / 2)
    # Near 45 degrees the sides are a guess; they must not leave what is on record.
    room = np.asarray(obj.aabb_size) / 2 / np.maximum(box.extent(), 1e-9)
    return Box(box.center, turned, box.half * min(1.0, float(room[[0, 2]].min())))


def _front(
    obj: SceneObject, scene: Scene, axes: FloatArray, sides: tuple[float, float]
) -> FloatArray:
    """Outward direction (3,) of the front."""
    if obj.object_type in opening.SLIDING_TYPES | opening.DOOR_TYPES:
        return opening.front(obj, scene)[0]
    normal: FloatArray = axes[:, 2]
    if obj.object_type in _WALL_TYPES:
        if sides[0] < _FLAT * sides[1]:
            normal = axes[:, 0]
        middle = scene.reachable.mean(axis=0) - np.asarray(obj.aabb_center)[[0, 2]]
        return normal if float(middle @ normal[[0, 2]]) >= 0.0 else -normal
    return normal
