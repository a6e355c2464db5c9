"""Bodies in motion: pushed, thrown and dropped things until they rest.

A stand-in for the engine's rigid bodies, simple and the same in every run: a body is its box, flies
on a parabola, slides with friction, does not turn, and stops at what it meets. A force acts for one
physics step, as in the engine. Nothing breaks by an impact: the models' thresholds are not on
record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from milo_sim import containment
from milo_sim.agent import agent_box
from milo_sim.geometry import Box, FloatArray, boxes_overlap, stack
from milo_sim.motion import object_box, translate
from milo_sim.settling import Ground, let_down
from milo_sim.visibility import is_enclosed

if TYPE_CHECKING:
    from milo_sim.world import World

STEP = 0.02
"""Length of a physics step: Unity's fixedDeltaTime [s]."""
GRAVITY = 9.81
FRICTION = 0.5
"""Coefficient of sliding friction, Unity's default is 0.6; things that roll go a little farther."""
REST_SPEED = 0.02
"""Slower bodies that stand on something are at rest [m/s]."""
TIME_LIMIT = 10.0
"""The engine waits no longer for objects to come to rest [s]."""
DEFAULT_MASS = 1.0
TOUCHING = 0.005
"""Boxes that overlap by less are in contact only [m]."""


def push(world: World, object_id: str, force: FloatArray) -> None:
    """Let a force (3,) in newtons act on an object for one physics step."""
    state = world.objects[object_id]
    mass = world.scene_objects[object_id].mass if state.mass is None else state.mass
    change = force * (STEP / (mass if mass > 0.0 else DEFAULT_MASS))
    world.velocities[object_id] = world.velocities.get(object_id, np.zeros(3)) + change
    state.is_moving = True
    state.touch()


def release(world: World, object_id: str) -> None:
    """Let an object that nobody holds any more fall once time passes."""
    world.velocities.setdefault(object_id, np.zeros(3))
    world.objects[object_id].is_moving = True
    world.objects[object_id].touch()


def come_to_rest(world: World) -> None:
    """Let time pass until everything is at rest, or for the time the engine waits."""
    advance(world, TIME_LIMIT)
    for object_id in list(world.velocities):
        _stop(world, object_id)


def advance(world: World, seconds: float) -> None:
    """Let some time pass for all moving bodies, one after the other."""
    longest = 0.0
    for object_id in list(world.velocities):
        longest = max(longest, _Body(world, object_id).advance(seconds))
    world.time += longest


def _stop(world: World, object_id: str) -> None:
    """Bring a body to rest, on whatever is below it."""
    world.velocities.pop(object_id, None)
    world.objects[object_id].is_moving = False
    let_down(world, object_id)


class _Body:
    """One moving body among all others, which stand still meanwhile."""

    def __init__(self, world: World, object_id: str) -> None:
        self._world = world
        self._id = object_id
        self._carried = world.with_carried(object_id)
        self._box = object_box(world.objects[object_id])
        self._ground = Ground(world, self._carried)
        self._walls = self._blocking()
        self._trapped = is_enclosed(world, object_id)

    def _blocking(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Solid boxes that the body does not reach into already, as coarse boxes often do."""
        world = self._world
        boxes = [agent_box(world)]
        for key in world.objects:
            if key not in self._carried:
                boxes += world.solid_parts(key)
        solids = stack(boxes)
        free = ~boxes_overlap(self._box.grown(-TOUCHING), solids)
        return solids[0][free], solids[1][free], solids[2][free]

    def advance(self, seconds: float) -> float:
        """Move for some time, at most until at rest; returns the time that passed [s]."""
        world = self._world
        velocity = world.velocities[self._id]
        start = self._box
        for step in range(max(1, round(seconds / STEP))):
            height, bump = self._ground.support(self._box)
            bottom = float(self._box.center[1] - self._box.extent()[1])
            supported = bump is None and bottom <= height + 1e-4 and velocity[1] <= 0.0
            if supported and float(np.hypot(velocity[0], velocity[2])) < REST_SPEED:
                self._finish(start)
                _stop(world, self._id)
                return step * STEP
            velocity = self._after_step(velocity, supported)
            velocity = self._move(velocity, height)
        self._finish(start)
        world.velocities[self._id] = velocity
        return seconds

    def _after_step(self, velocity: FloatArray, supported: bool) -> FloatArray:
        """Velocity after gravity or friction acted for a step."""
        after = velocity.copy()
        if not supported:
            after[1] -= GRAVITY * STEP
            return after
        after[1] = 0.0
        speed = float(np.hypot(after[0], after[2]))
        if speed > 0.0:
            after *= max(0.0, 1.0 - FRICTION * GRAVITY * STEP / speed)
        return after

    def _move(self, velocity: FloatArray, height: float) -> FloatArray:
        """Move by one step as far as nothing is in the way; returns the velocity that is left."""
        velocity = velocity.copy()
        way = velocity * STEP
        level = np.array([way[0], 0.0, way[2]])
        if level.any():
            if self._trapped or self._blocked(level):
                velocity[0] = velocity[2] = 0.0
            else:
                self._box = self._box.moved(level)
        rise = way[1]
        if rise > 0.0:
            if self._blocked(np.array([0.0, rise, 0.0])):
                velocity[1] = rise = 0.0
        elif rise < 0.0:
            height = max(height, self._ground.support(self._box)[0])
            bottom = float(self._box.center[1] - self._box.extent()[1])
            if bottom + rise <= height:
                rise, velocity[1] = min(height - bottom, 0.0), 0.0
        self._box = self._box.moved([0.0, rise, 0.0])
        return velocity

    def _blocked(self, way: FloatArray) -> bool:
        """Tell whether a step would lead into something or out of the room."""
        steps = max(1, int(np.ceil(np.abs(way).max() / max(self._box.half.min(), 0.01))))
        room = self._world.scene
        for i in range(1, steps + 1):
            box = self._box.moved(way * (i / steps)).grown(-TOUCHING)
            gap = np.abs(box.center - np.array(room.bounds_center))
            if np.any((gap > np.array(room.bounds_size) / 2) & (way != 0.0)):
                return True
            if boxes_overlap(box, self._walls).any():
                return True
        return False

    def _finish(self, start: Box) -> None:
        """Bring the object and what it carries to where the body is."""
        offset = self._box.center - start.center
        for key in self._carried:
            translate(self._world.objects[key], offset)
        self._world.objects[self._id].carrier = None
        containment.resettle(self._world, self._id)
