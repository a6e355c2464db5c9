"""Bodies in motion: pushed, thrown and dropped things until they rest.

A stand-in for the engine's rigid bodies, simple and the same in every run: a body is its box, flies
on a parabola, slides with friction, does not turn, stops at what stands fast and pushes what is
loose along (a perfectly inelastic collision). A force acts for one physics step, as in the engine.
Nothing breaks by an impact: the models' thresholds are not on record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from milo_sim import containment
from milo_sim.agent import agent_box
from milo_sim.geometry import BoolArray, Box, FloatArray, IndexArray, boxes_overlap
from milo_sim.motion import translate
from milo_sim.settling import Ground, let_down

if TYPE_CHECKING:
    from milo_sim.world import World

STEP = 0.02
"""Length of a physics step: Unity's fixedDeltaTime [s]."""
GRAVITY = 9.81
FRICTION = 0.3
"""Coefficient of friction: half of Unity's default for sliding, because most things roll, too."""
REST_SPEED = 0.02
"""Slower bodies that stand on something are at rest [m/s]."""
TIME_LIMIT = 10.0
"""The engine waits no longer for objects to come to rest [s]."""
DEFAULT_MASS = 1.0
"""Of what has none on record [kg]."""
TOUCHING = 0.005
"""Boxes that overlap by less are in contact only [m]."""
_AGENT = -1


def push(world: World, object_id: str, force: FloatArray) -> None:
    """Let a force (3,) in newtons act on an object for one physics step."""
    change = force * (STEP / (world.mass_of(object_id) or DEFAULT_MASS))
    world.velocities[object_id] = world.velocities.get(object_id, np.zeros(3)) + change
    _set_moving(world, object_id, True)


def release(world: World, object_id: str) -> None:
    """Let an object that nobody holds any more fall once time passes."""
    world.velocities.setdefault(object_id, np.zeros(3))
    _set_moving(world, object_id, True)


def come_to_rest(world: World) -> None:
    """Let time pass until everything is at rest, or for the time the engine waits."""
    advance(world, TIME_LIMIT)
    for object_id in list(world.velocities):
        _rest(world, object_id)


def advance(world: World, seconds: float) -> None:
    """Let some time pass for all moving bodies, less if they come to rest before."""
    if world.velocities:
        seconds = _Simulation(world).run(seconds)
    world.time += seconds


def _rest(world: World, object_id: str) -> None:
    """Bring a body to rest, on whatever is below it."""
    world.velocities.pop(object_id, None)
    _set_moving(world, object_id, False)
    let_down(world, object_id)


def _set_moving(world: World, object_id: str, moving: bool) -> None:
    world.objects[object_id].is_moving = moving
    world.objects[object_id].touch()


class _Simulation:
    """All bodies of a world for a while; the world follows when the while is over."""

    def __init__(self, world: World) -> None:
        self.world = world
        around = world.surroundings()
        body = agent_box(world)
        centers, axes, half = around.occluders.boxes
        self.ids = around.ids
        self.owners: IndexArray = np.append(around.occluders.owners, _AGENT)
        self.centers: FloatArray = np.concatenate([centers, body.center[None]])
        self.axes: FloatArray = np.concatenate([axes, body.axes[None]])
        self.half: FloatArray = np.concatenate([half, body.half[None]])
        self.bodies: dict[str, _Body] = {}
        for key, velocity in world.velocities.items():
            self.bodies[key] = _Body(self, key, velocity)

    def run(self, seconds: float) -> float:
        """Simulate; returns the time until the end or until all is at rest [s]."""
        steps = max(1, round(seconds / STEP))
        done = 0
        while done < steps and any(not body.resting for body in self.bodies.values()):
            for body in list(self.bodies.values()):
                body.step()
            done += 1
        for body in self.bodies.values():
            body.finish()
        for key, body in self.bodies.items():
            if body.resting:
                _rest(self.world, key)
            else:
                self.world.velocities[key] = body.velocity
                _set_moving(self.world, key, True)
        return done * STEP

    def met(self, box: Box, ignored: BoolArray) -> set[int]:
        """Owners of the solid boxes that a box reaches into."""
        hits = boxes_overlap(box, (self.centers, self.axes, self.half)) & ~ignored
        return set(self.owners[hits].tolist())

    def wake(self, index: int) -> _Body | None:
        """The body of an object that is pushed; None if it stands fast."""
        if index == _AGENT:
            return None
        key = self.ids[index]
        if key in self.bodies:
            return self.bodies[key]
        fixed = self.world.scene_objects[key]
        loose = fixed.has("pickupable") or fixed.has("moveable")
        if not loose or key in self.world.held_ids() or containment.closed_holders(self.world, key):
            return None
        body = _Body(self, key, np.zeros(3))
        # What is pushed has to make room before its pusher moves on.
        self.bodies = {key: body, **self.bodies}
        return body


class _Body:
    """One moving body."""

    def __init__(self, simulation: _Simulation, key: str, velocity: FloatArray) -> None:
        world = simulation.world
        self.velocity = velocity
        self.resting = False
        self._simulation = simulation
        self._world = world
        self._key = key
        self.mass = world.mass_of(key) or DEFAULT_MASS
        self._carried = world.with_carried(key)
        self._start = self._box = world.box(key)
        self._around = containment.closed_holders(world, key)
        self._ground = Ground(world, self._carried, self._around)
        own = [i for i, name in enumerate(simulation.ids) if name in self._carried]
        self._rows: BoolArray = np.isin(simulation.owners, own)
        # Coarse boxes often reach into each other where the real things only touch.
        solids = (simulation.centers, simulation.axes, simulation.half)
        self._ignored = self._rows | boxes_overlap(self._box.grown(-TOUCHING), solids)

    def step(self) -> None:
        """Move for one physics step."""
        if self.resting:
            return
        height, bump = self._ground.support(self._box)
        bottom = float(self._box.center[1] - self._box.extent()[1])
        supported = bump is None and bottom <= height + 1e-4 and self.velocity[1] <= 0.0
        if supported and float(np.hypot(self.velocity[0], self.velocity[2])) < REST_SPEED:
            self.resting = True
            return
        self._accelerate(supported)
        way = self.velocity * STEP
        self._move_level(np.array([way[0], 0.0, way[2]]))
        self._move_upright(float(way[1]), height)

    def push(self, velocity: FloatArray) -> None:
        """Take over a level velocity (3,)."""
        self.velocity = np.array([velocity[0], self.velocity[1], velocity[2]])
        self.resting = False

    def _accelerate(self, supported: bool) -> None:
        """Let gravity or friction act for a step."""
        velocity = self.velocity.copy()
        if not supported:
            velocity[1] -= GRAVITY * STEP
        else:
            velocity[1] = 0.0
            speed = float(np.hypot(velocity[0], velocity[2]))
            if speed > 0.0:
                velocity *= max(0.0, 1.0 - FRICTION * GRAVITY * STEP / speed)
        self.velocity = velocity

    def _move_level(self, way: FloatArray) -> None:
        if not way.any():
            return
        met = {_AGENT} if self._around else self._met_on(way)
        if met is None:
            self._shift(way)
            return
        pushed = [self._simulation.wake(index) for index in met]
        if not met or any(body is None for body in pushed):
            self.push(np.zeros(3))
            return
        bodies = [body for body in pushed if body is not None]
        share = self.mass / (self.mass + sum(body.mass for body in bodies))
        common = self.velocity * share
        for body in (self, *bodies):
            body.push(common)

    def _met_on(self, way: FloatArray) -> set[int] | None:
        """Owners of what a step leads into, empty for the room's end; None if the way is free."""
        steps = max(1, int(np.ceil(np.abs(way).max() / max(self._box.half.min(), 0.01))))
        room = self._world.scene
        center, half = np.array(room.bounds_center), np.array(room.bounds_size) / 2
        for i in range(1, steps + 1):
            box = self._box.moved(way * (i / steps)).grown(-TOUCHING)
            if np.any((np.abs(box.center - center) > half) & (way != 0.0)):
                return set()
            met = self._simulation.met(box, self._ignored)
            if met:
                return met
        return None

    def _move_upright(self, rise: float, height: float) -> None:
        if rise > 0.0 and self._met_on(np.array([0.0, rise, 0.0])) is not None:
            self.velocity[1] = rise = 0.0
        elif rise < 0.0:
            height = max(height, self._ground.support(self._box)[0])
            bottom = float(self._box.center[1] - self._box.extent()[1])
            if bottom + rise <= height:
                rise, self.velocity[1] = min(height - bottom, 0.0), 0.0
        self._shift(np.array([0.0, rise, 0.0]))

    def _shift(self, offset: FloatArray) -> None:
        self._box = self._box.moved(offset)
        self._simulation.centers[self._rows] += offset

    def finish(self) -> None:
        """Bring the object and what it carries to where the body is."""
        offset = self._box.center - self._start.center
        for key in self._carried:
            translate(self._world.objects[key], offset)
        self._world.objects[self._key].carrier = None
        containment.resettle(self._world, self._key, known=self._around)
