"""PutObject: the engine's search for a free spot in a receptacle.

Grid, order of orientations, overlap test and corner test follow AI2-THOR's
``InstantiatePrefabTest.PlaceObject`` (Apache-2.0). Its colliders are meshes; here they are boxes:

* oriented boxes of pickupable and moveable objects and axis-aligned boxes of static things that
  hold nothing are solid; static furniture is not, nor is what surrounds the receptacle, because
  such a box spans the space it encloses;
* the sides of a walled receptacle are solid: an orientation that comes within ``WALL_MARGIN`` of
  them counts as a collision, so the next orientation is tried, as with the engine's own walls.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milo_core.object_types import OBJECT_TYPES
from milo_sim import containment, holding, navigation
from milo_sim.agent import agent_box
from milo_sim.errors import ActionFailed
from milo_sim.geometry import (
    Box,
    FloatArray,
    Vector,
    boxes_overlap,
    euler_to_matrix,
    stack,
)
from milo_sim.motion import object_box, pose_matrix
from milo_sim.receptacles import GRID_POINTS, TriggerBox
from milo_sim.scene import SceneObject
from milo_sim.state import ObjectState

if TYPE_CHECKING:
    from milo_sim.world import World

LIFT = 0.005
"""Objects are placed this far above the surface [m]."""
WALL_MARGIN = 0.005
"""How near a wall a placed object may come [m]; 0 to 5 mm fit the recorded placements best."""
BOX_HEIGHTS_ABOVE = 10.0
"""A corner counts as above the receptacle within this many trigger-box heights."""
NO_ROOM = "No valid positions to place object found"

ATTACH_POINTS: dict[str, tuple[Vector, Vector | None]] = {
    "CoffeeMachine": ((0.0, 0.056, 0.206), None),
    "HandTowelHolder": ((0.0, -0.102, 0.038), (0.0, 0.0, 0.0)),
    "StoveBurner": ((0.0, 0.0, 0.0), None),
    "Toaster": ((0.0, 0.0, 0.0), None),
    "ToiletPaperHanger": ((-0.064, -0.087, 0.115), (0.0, 0.0, 270.0)),
    "TowelHolder": ((0.0, 0.014, 0.107), (0.0, 0.0, 0.0)),
}
"""Where holders take one object: offset of its pivot in the holder's frame [m] and its rotation
there; None: it stands upright on the holder's surface. Medians over what hangs or stands there as
the 120 scenes start (towels: equal to a millimetre in all; toaster: no sample, its middle)."""

_CORNERS_INSIDE = {"in": 8, "on": 4, "in_bottom_corners": 4}


class Spot(NamedTuple):
    """A pose of the held object's pivot: position (3,) and rotation matrix (3, 3)."""

    position: FloatArray
    rotation: FloatArray


def _orientations(always_upright: bool) -> list[FloatArray]:
    """Rotations relative to the receptacle in the engine's order.

    First the four yaws. Then, unless the type must stand upright, turns about local x and z: the
    engine continues from yaw 270 without going back, hence at yaws 0, 90 and 180 (all tilted
    recorded placements are at 0).
    """
    yaws = [euler_to_matrix((0.0, 90.0 * i, 0.0)) for i in range(4)]
    if always_upright:
        return yaws
    tilted = [
        yaws[i] @ euler_to_matrix((angle, 0.0, 0.0) if axis == 0 else (0.0, 0.0, angle))
        for i in range(3)
        for axis in (0, 2)
        for angle in (90.0, 180.0, 270.0, 360.0)
    ]
    return yaws + tilted


UPRIGHT_ORIENTATIONS = [np.round(m) for m in _orientations(always_upright=True)]
ALL_ORIENTATIONS = [np.round(m) for m in _orientations(always_upright=False)]


def put(
    world: World,
    receptacle_id: str,
    force: bool,
    place_stationary: bool,
    seed: int = 0,
    near: Vector | None = None,
) -> None:
    """Put the held object into or onto a receptacle, or say why not.

    ``seed`` other than 0 tries the points within reach in random order; ``near`` those nearest to
    a place (3,) first.
    """
    if world.held_id is None:
        raise ActionFailed("Can't place an object if Agent isn't holding anything")
    world.require_interactable(receptacle_id, force)
    held, receptacle = world.scene_objects[world.held_id], world.scene_objects[receptacle_id]
    kind = OBJECT_TYPES[receptacle.object_type]
    if not receptacle.has("receptacle"):
        raise ActionFailed("This target object is NOT a receptacle!")
    if kind.must_be_open and not world.objects[receptacle_id].is_open:
        raise ActionFailed(
            "Target openable Receptacle is CLOSED, can't place if target is not open!"
        )
    if kind.object_specific is not None:
        spot = _attach_point(world, held, receptacle, kind.object_specific)
    else:
        if receptacle_id in world.with_carried(held.object_id):
            raise ActionFailed(NO_ROOM)
        allowed = OBJECT_TYPES[held.object_type].placement_restrictions
        if not force and allowed is not None and receptacle.object_type not in allowed:
            raise ActionFailed(f"{held.name} cannot be placed in {receptacle.name}")
        found = find_spot(world, held.object_id, receptacle_id, force, seed, near)
        if found is None:
            raise ActionFailed(NO_ROOM)
        spot = found
    place(world, held.object_id, receptacle_id, spot, place_stationary)


def place(
    world: World, object_id: str, receptacle_id: str, spot: Spot, place_stationary: bool
) -> None:
    """Put an object, from the hand or from elsewhere, to a spot in a receptacle."""
    if world.held_id == object_id:
        holding.release(world)
    position = spot.position
    if not place_stationary:
        # Physics lets the object down by the few millimetres the search lifts it.
        position = position - np.array([0.0, LIFT, 0.0])
    holding.move_with_contents(world, object_id, position, spot.rotation)
    world.objects[object_id].carrier = receptacle_id
    containment.resettle(world, object_id, known=[receptacle_id])


def find_spot(
    world: World,
    held_id: str,
    receptacle_id: str,
    force: bool,
    seed: int = 0,
    near: Vector | None = None,
) -> Spot | None:
    """First free pose in the engine's order of points and orientations, or None.

    ``seed`` and ``near`` change the order of points as in ``put``.
    """
    points = world.triggers()[receptacle_id].grid()
    if not force and not OBJECT_TYPES[world.scene_objects[receptacle_id].object_type].all_points:
        points = points[world.points_in_reach(points)]
    if seed != 0 or near is not None:
        gap = points[:, [0, 2]] - np.asarray(world.agent.position)[[0, 2]]
        points = points[np.hypot(gap[:, 0], gap[:, 1]) < world.settings.visibility_distance]
    if near is not None:
        far = np.linalg.norm(points - np.asarray(near), axis=1)
        points = points[np.argsort(far, kind="stable")]
    elif seed != 0:
        order = list(range(len(points)))
        random.Random(seed).shuffle(order)
        points = points[order]
    upright = OBJECT_TYPES[world.scene_objects[held_id].object_type].always_upright
    return _first_free(world, held_id, receptacle_id, points, upright)


def random_spot(
    world: World, object_id: str, receptacle_id: str, generator: random.Random, attempts: int
) -> Spot | None:
    """Free pose at one of a number of random points of a receptacle, upright, or None."""
    fixed, receptacle = world.scene_objects[object_id], world.scene_objects[receptacle_id]
    takes = OBJECT_TYPES[receptacle.object_type].object_specific
    if takes is not None:
        try:
            return _attach_point(world, fixed, receptacle, takes)
        except ActionFailed:
            return None
    order = list(range(GRID_POINTS * GRID_POINTS))
    generator.shuffle(order)
    points = world.triggers()[receptacle_id].grid()[order[:attempts]]
    return _first_free(world, object_id, receptacle_id, points, upright=True)


def _first_free(
    world: World, object_id: str, receptacle_id: str, points: FloatArray, upright: bool
) -> Spot | None:
    """First free pose at points (n, 3), or None."""
    trigger = world.triggers()[receptacle_id]
    receptacle = world.scene_objects[receptacle_id]
    candidates = _Candidates(
        world.objects[object_id],
        trigger,
        UPRIGHT_ORIENTATIONS if upright else ALL_ORIENTATIONS,
    )
    solids = _near(_solids(world, object_id, receptacle_id), trigger, candidates)
    kind = OBJECT_TYPES[receptacle.object_type]
    needed = _CORNERS_INSIDE.get(kind.receptacle_kind or "", 0)
    for point in points:
        if not _supports(world, receptacle, trigger, point):
            continue
        free = candidates.free_at(point, solids)
        if free is not None and candidates.corners_fit(point, free, needed):
            return candidates.spot(point, free)
    return None


def _supports(
    world: World, receptacle: SceneObject, trigger: TriggerBox, point: FloatArray
) -> bool:
    """Tell whether known agent cells leave room for a surface at a point.

    Floor is where the agent can stand (static furniture is not solid here, but stands elsewhere);
    a table top or a seat is not where the agent can stand.
    """
    if receptacle.object_type == "Floor":
        return navigation.is_free(world, float(point[0]), float(point[2]))
    return trigger.walled or not world.over_free_cell(point, trigger.bottom)


class _Candidates:
    """The orientations of one object over one trigger box.

    All turns are quarter turns of the receptacle's frame, so in that frame the object's box is
    axis-aligned: ``extent`` (k, 3) half sizes, ``middle`` (k, 3) box centre from the grid point.
    """

    def __init__(
        self, held: ObjectState, trigger: TriggerBox, orientations: list[FloatArray]
    ) -> None:
        frame = pose_matrix(held)
        box = object_box(held)
        from_pivot = frame.T @ (box.center - np.asarray(held.position))
        half = np.abs(frame.T @ box.axes) @ box.half
        self.trigger = trigger
        self.orientations = orientations
        turns = np.stack(orientations)
        self.extent: FloatArray = np.abs(turns) @ half
        center = turns @ from_pivot
        self.rise: FloatArray = np.abs(center[:, 1] - self.extent[:, 1]) + LIFT
        self.middle: FloatArray = center + np.outer(self.rise, [0.0, 1.0, 0.0])

    def _local(self, point: FloatArray, index: int) -> FloatArray:
        """Box centre (3,) in the trigger box's frame."""
        center: FloatArray = self.trigger.box.to_local(point) + self.middle[index]
        return center

    def free_at(self, point: FloatArray, solids: tuple[FloatArray, ...]) -> int | None:
        """Index of the first orientation at a point that meets nothing solid."""
        centers, axes, half = solids
        box = self.trigger.box
        for index in range(len(self.orientations)):
            local = self._local(point, index)
            if self.trigger.walled and self._meets_wall(local, index):
                continue
            own = Box(box.center + box.axes @ local, box.axes, self.extent[index])
            if not boxes_overlap(own, (centers, axes, half)).any():
                return index
        return None

    def _meets_wall(self, local: FloatArray, index: int) -> bool:
        reach = np.abs(local) + self.extent[index]
        room = self.trigger.box.half - WALL_MARGIN
        return bool(reach[0] > room[0] or reach[2] > room[2])

    def corners_fit(self, point: FloatArray, index: int, needed: int) -> bool:
        """Enough corners strictly inside the trigger box, and all of them above or below it."""
        local, extent, half = self._local(point, index), self.extent[index], self.trigger.box.half
        low, high = local - extent, local + extent
        inside = (np.abs(low) < half).astype(int) + (np.abs(high) < half).astype(int)
        if int(np.prod(inside)) < needed:
            return False
        reach = np.maximum(np.abs(low), np.abs(high))
        limit = half * np.array([1.0, 2.0 * BOX_HEIGHTS_ABOVE, 1.0])
        return bool(np.all(reach < limit))

    def spot(self, point: FloatArray, index: int) -> Spot:
        """Pose of the pivot at a point."""
        axes = self.trigger.box.axes
        position = point + np.array([0.0, self.rise[index], 0.0])
        return Spot(position, axes @ self.orientations[index])


def _solids(world: World, held_id: str, receptacle_id: str) -> list[Box]:
    """Boxes that a placed object must not overlap."""
    own = {*world.with_carried(held_id), receptacle_id}
    around = set(world.objects[receptacle_id].parent_receptacles or ())
    middles = (
        world.home_triggers[receptacle_id].box.center,
        world.triggers()[receptacle_id].box.center,
    )
    found = [agent_box(world)]
    for key, state in world.objects.items():
        obj = world.scene_objects[key]
        if key in own or obj.object_type == "Floor" or not state.is_present:
            continue
        box = world.box(key)
        if obj.has("pickupable") or not (
            key in around
            or (obj.has("receptacle") and state.oobb is None)
            or any(np.all(np.abs(box.to_local(middle)) < box.half) for middle in middles)
        ):
            found.append(box)
    return found


def _near(
    boxes: list[Box], trigger: TriggerBox, candidates: _Candidates
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Those boxes which an object over the trigger box could meet."""
    size = float(np.linalg.norm(candidates.extent[0])) * 2
    reach = trigger.box.extent() + size
    return stack(
        [b for b in boxes if np.all(np.abs(b.center - trigger.box.center) < reach + b.extent())]
    )


def _attach_point(
    world: World, held: SceneObject, receptacle: SceneObject, takes: frozenset[str]
) -> Spot:
    """Pose on a burner, coffee machine, toaster, towel or paper holder."""
    state = world.objects[receptacle.object_id]
    occupied = any(
        world.scene_objects[i].has("pickupable") for i in state.receptacle_object_ids or ()
    )
    if occupied:
        raise ActionFailed(f"{receptacle.name} is full right now")
    if held.object_type not in takes:
        raise ActionFailed(
            f"{held.name} is not a valid Object Type to be placed in {receptacle.name}"
        )
    frame = pose_matrix(state)
    offset, turn = ATTACH_POINTS[receptacle.object_type]
    position = np.asarray(state.position) + frame @ np.array(offset)
    if turn is not None:
        return Spot(position, frame @ euler_to_matrix(turn))
    trigger = world.triggers()[receptacle.object_id]
    candidates = _Candidates(world.objects[held.object_id], trigger, UPRIGHT_ORIENTATIONS)
    position[1] = trigger.bottom
    own = holding.box_at(world.objects[held.object_id], *candidates.spot(position, 0))
    others = [
        world.box(key)
        for key, other in world.scene_objects.items()
        if other.has("pickupable")
        and world.objects[key].is_present
        and key not in world.with_carried(held.object_id)
    ]
    if boxes_overlap(own, stack(others)).any():
        raise ActionFailed("another object's collision is blocking held object from being placed")
    return candidates.spot(position, 0)
