"""Putting objects to places without the hand: by pose, at points, or all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milo_sim import containment, holding, navigation, roster, settling, visibility
from milo_sim.agent import agent_box
from milo_sim.errors import ActionFailed
from milo_sim.geometry import (
    Box,
    FloatArray,
    Vector,
    as_vector,
    boxes_overlap,
    euler_to_matrix,
    stack,
)
from milo_sim.motion import pose_matrix

if TYPE_CHECKING:
    from milo_sim.world import World

LIFT = 0.005
"""PlaceObjectAtPoint puts things this far above the surface [m]."""
ABOVE_GRID = 21
"""GetSpawnCoordinatesAboveReceptacle lays as many points along each side of a trigger box."""


class NamedPose(NamedTuple):
    """One entry of SetObjectPoses: an object's name, its pivot [m] and Euler angles [degrees]."""

    name: str
    position: Vector
    rotation: Vector


def first_collision(world: World, object_id: str, box: Box) -> str | None:
    """Id of what an object's box would overlap elsewhere ("Agent" for the agent), or None.

    The box of a receptacle spans the space it encloses, so a receptacle in or on which the middle
    of the box lies is no obstacle; a small one, such as a bowl, only if all of the box fits in.
    """
    own = world.with_carried(object_id)
    small = box.grown(-holding.CLEARANCE)
    if boxes_overlap(small, stack([agent_box(world)]))[0]:
        return "Agent"
    around = world.surroundings()
    hits = np.unique(around.occluders.owners[boxes_overlap(small, around.occluders.boxes)])
    for index in hits.tolist():
        key: str = around.ids[index]
        points = box.corners() if world.scene_objects[key].has("pickupable") else box.center
        if key not in own and not _over(world, key, points.reshape(-1, 3)):
            return key
    return None


def _over(world: World, receptacle_id: str, points: FloatArray) -> bool:
    """Tell whether points (n, 3) lie in or above a receptacle's trigger box."""
    trigger = world.triggers().get(receptacle_id)
    if trigger is None or (trigger.walled and not world.is_accessible(receptacle_id)):
        return False
    local = np.abs(trigger.box.to_local(points))[:, [0, 2]]
    above = points[:, 1] > trigger.bottom - holding.CLEARANCE
    return bool(above.all() and (local < trigger.box.half[[0, 2]]).all())


def _put(world: World, object_id: str, position: FloatArray, turn: FloatArray, stay: bool) -> None:
    """Put an object somewhere with what it carries, out of the hand if need be."""
    if world.held_id == object_id:
        holding.release(world)
    world.velocities.pop(object_id, None)
    world.objects[object_id].carrier = None
    holding.move_with_contents(world, object_id, position, turn)
    if stay or world.physics_paused:
        containment.resettle(world, object_id)
    else:
        settling.let_down(world, object_id)


def teleport(
    world: World,
    object_id: str,
    positions: Sequence[Vector],
    rotation: Vector,
    force: bool,
    stay: bool,
    out_of_hand: bool,
) -> Vector | None:
    """Put an object to the first place where it is free; returns where it rests, None if it stays.

    ``stay`` keeps it from falling.
    """
    if object_id not in world.objects:
        raise ActionFailed(f"Cannot find object with id {object_id}")
    if world.held_id == object_id and not out_of_hand:
        raise ActionFailed("Cannot teleport object in hand.")
    turn = euler_to_matrix(rotation)
    blocker: str | None = None
    for position in positions:
        box = holding.box_at(world.objects[object_id], np.array(position), turn)
        blocker = None if force else first_collision(world, object_id, box)
        if blocker is None:
            _put(world, object_id, np.array(position), turn, stay)
            return None if stay else world.objects[object_id].position
    raise ActionFailed(f"{object_id} is colliding with {blocker} after teleport.")


def place_at_point(
    world: World,
    object_id: str,
    positions: Sequence[Vector],
    rotation: Vector | None,
    stay: bool,
) -> Vector | None:
    """Put an object onto the surface below the first point that has room for it.

    Returns where it rests, None if ``stay`` keeps it just above the surface.
    """
    if object_id not in world.objects:
        raise ActionFailed(f"Cannot find object with id {object_id}.")
    state = world.objects[object_id]
    turn = pose_matrix(state) if rotation is None else euler_to_matrix(rotation)
    ground = settling.Ground(world, world.with_carried(object_id))
    failure = ActionFailed("positions must not be empty.")
    for position in positions:
        if not navigation.inside_bounds(world, position):
            failure = ActionFailed(_out_of_bounds(world, position))
            continue
        height, _ = ground.support(Box.axis_aligned(position, (0.0, 0.0, 0.0)))
        at_point = holding.box_at(state, np.array(position), turn)
        rise = position[1] - float(at_point.center[1] - at_point.extent()[1])
        place = np.array([position[0], height + rise + LIFT, position[2]])
        blocker = first_collision(world, object_id, holding.box_at(state, place, turn))
        if blocker is None:
            _put(world, object_id, place, turn, stay)
            return None if stay else state.position
        failure = ActionFailed(
            f"Spawn area not clear ({blocker}) is in the way), can't place object at that point"
        )
    raise failure


def _out_of_bounds(world: World, position: Vector) -> str:
    center = navigation.point_text(world.scene.bounds_center, 1)
    extents = as_vector(np.array(world.scene.bounds_size) / 2)
    return (
        f"Position coordinate ({navigation.point_text(position, 1)}) is not within scene bounds "
        f"(Center: {center}, Extents: {navigation.point_text(extents, 1)})"
    )


def points_above(world: World, receptacle_id: str, anywhere: bool) -> list[Vector]:
    """Points over the top of a receptacle's trigger box; unless ``anywhere``, those in reach."""
    if receptacle_id not in world.objects:
        raise ActionFailed("Object ID appears to be invalid.")
    if not anywhere and not world.visibility()[receptacle_id].visible:
        raise ActionFailed("No valid Receptacle found in view")
    trigger = world.triggers().get(receptacle_id)
    if trigger is None:
        return []
    box = trigger.box
    steps = np.linspace(-1.0, 1.0, ABOVE_GRID)
    x, z = np.meshgrid(steps * box.half[0], steps * box.half[2], indexing="ij")
    local = np.stack([x.ravel(), np.full(x.size, box.half[1]), z.ravel()], axis=1)
    points = box.center + local @ box.axes.T
    if not anywhere:
        points = points[world.points_in_reach(points)]
    return [as_vector(point) for point in points]


def set_poses(world: World, poses: Sequence[NamedPose], stay: bool) -> None:
    """Give all loose objects the poses listed; those not listed are removed from the scene.

    A name that comes twice makes a copy. Nothing changes if a name is wrong. Ids follow the new
    places, as in the engine; copies are named after their original.
    """
    by_name = {fixed.name: key for key, fixed in world.scene_objects.items()}
    for pose in poses:
        key = by_name.get(pose.name)
        if key is None:
            raise ActionFailed(
                f"No Pickupable or Moveable object of name {pose.name} found in scene."
            )
        if not _is_loose(world, key):
            raise ActionFailed(
                f"{pose.name} is not a Moveable or Pickupable object. SetObjectPoses only works "
                "with Moveable and Pickupable sim objects."
            )
    holding.release(world)
    listed = {by_name[pose.name] for pose in poses}
    for key in [k for k in world.objects if _is_loose(world, k)]:
        world.objects[key].carrier = None
        world.velocities.pop(key, None)
        if key not in listed:
            roster.remove(world, key)
    placed: dict[str, str] = {}
    for number, pose in enumerate(poses):
        key = by_name[pose.name]
        if key in placed:
            key = f"{key}_copy_{number}"
            roster.copy(world, by_name[pose.name], key, f"{pose.name}_copy_{number}")
        placed[key] = roster.id_at(world.scene_objects[key].object_type, pose.position)
        world.objects[key].is_present = True
        holding.move_with_contents(
            world, key, np.array(pose.position), euler_to_matrix(pose.rotation)
        )
    for key in placed:
        if stay:
            containment.resettle(world, key)
        else:
            settling.let_down(world, key)
    for key, new_id in placed.items():
        if "_copy_" not in key:
            roster.rename(world, key, new_id)


def _is_loose(world: World, object_id: str) -> bool:
    fixed = world.scene_objects[object_id]
    return fixed.has("pickupable") or fixed.has("moveable")


def visible_ids(world: World, limit: float | None, scheme: str | None) -> list[str]:
    """Ids of what is visible within a limit [m], the nearest first."""
    if scheme is not None and scheme.lower() not in ("collider", "distance"):
        raise ActionFailed(
            f"Visibility scheme {scheme.lower()} is not implemented. Must be 'distance' or "
            "'collider'.",
            exception_type="NotImplementedException",
        )
    name = None if scheme is None else scheme.capitalize()
    seen = visibility.all_visibility(world, limit, name)
    eye = np.asarray(world.camera_position)
    found = [key for key, view in seen.items() if view.visible]
    return sorted(found, key=lambda key: float(np.linalg.norm(eye - world.objects[key].position)))
