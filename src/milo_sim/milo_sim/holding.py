"""The hand: picking up, carrying and dropping."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from milo_sim import containment, settling
from milo_sim.errors import ActionFailed
from milo_sim.geometry import (
    Box,
    FloatArray,
    Vector,
    as_vector,
    boxes_overlap,
    euler_to_matrix,
    matrix_to_euler,
    stack,
    yaw_matrix,
)
from milo_sim.motion import object_box, pose_matrix, relative_pose, set_pose
from milo_sim.opening import carried_ids
from milo_sim.solids import AGENT_HEIGHT, AGENT_RADIUS
from milo_sim.state import HandPose, ObjectState

if TYPE_CHECKING:
    from milo_sim.world import World

HAND_OFFSET = np.array([0.0, -0.16, 0.38])
"""The hand in the camera's frame [m]."""
MAX_TILT = 60.0
"""Contents stay in a receptacle that is picked up while it leans less than this [degrees]."""
CLEARANCE = 0.005
"""Overlap below this is contact, not collision [m]."""


def camera_matrix(world: World) -> FloatArray:
    """Rotation matrix (3, 3) of the camera."""
    return euler_to_matrix((world.agent.horizon, world.agent.yaw, 0.0))


def hand_pose(world: World) -> HandPose:
    """Pose of the held object, or of the empty hand."""
    camera = camera_matrix(world)
    if world.held_id is None:
        position = np.asarray(world.camera_position) + camera @ HAND_OFFSET
        turn = camera
    else:
        held = world.objects[world.held_id]
        position, turn = np.asarray(held.position), pose_matrix(held)
    local = camera.T @ (position - np.asarray(world.camera_position))
    return HandPose(
        as_vector(position),
        matrix_to_euler(turn),
        as_vector(local),
        matrix_to_euler(camera.T @ turn),
    )


def move_with_contents(
    world: World, object_id: str, position: FloatArray, turn: FloatArray
) -> None:
    """Place an object at (3,) with rotation matrix (3, 3), with all it carries."""
    base = world.objects[object_id]
    carried = {
        i: relative_pose(world.objects[i], base) for i in carried_ids(object_id, world.objects)
    }
    set_pose(base, position, turn)
    frame = pose_matrix(base)
    for carried_id, (offset, relative) in carried.items():
        set_pose(world.objects[carried_id], position + frame @ offset, frame @ relative)


def follow(world: World) -> None:
    """Bring the held object to where the hand is now."""
    if world.held_id is None or world.grip is None:
        return
    camera = camera_matrix(world)
    offset, turn = world.grip
    move_with_contents(
        world, world.held_id, np.asarray(world.camera_position) + camera @ offset, camera @ turn
    )


def boxes_in_camera(world: World) -> list[Box]:
    """Boxes of the held object and its contents in the camera's frame, hand at its default."""
    if world.held_id is None or world.grip is None:
        return []
    camera = camera_matrix(world)
    shift = HAND_OFFSET - world.grip[0]
    boxes = [object_box(world.objects[key]) for key in sorted(world.with_carried(world.held_id))]
    eye = np.asarray(world.camera_position)
    return [
        Box(camera.T @ (box.center - eye) + shift, camera.T @ box.axes, box.half) for box in boxes
    ]


def reset_grip(world: World) -> None:
    """Bring the held object back to the middle of the hand, keeping how it is turned."""
    if world.grip is not None:
        world.grip = (HAND_OFFSET, world.grip[1])


def pickup(world: World, object_id: str, force: bool) -> str:
    """Take an object into the hand; its pivot goes to the hand, its yaw becomes the agent's."""
    world.require_interactable(object_id, force)
    scene_object = world.scene_objects[object_id]
    if not scene_object.has("pickupable"):
        raise ActionFailed(
            f"{object_id} must have the property CanPickup to be picked up.",
            exception_type="InvalidOperationException",
        )
    if world.held_id is not None:
        raise ActionFailed(
            "Agent hand has something in it already! Can't pick up anything else",
            exception_type="InvalidOperationException",
        )
    _bind_contents(world, object_id)
    camera = camera_matrix(world)
    position = np.asarray(world.camera_position) + camera @ HAND_OFFSET
    turn = yaw_matrix(world.agent.yaw)
    if not force and _held_box_collides(world, object_id, position, turn):
        raise ActionFailed(
            "Picking up object would cause it to collide and clip into something!",
            exception_type="InvalidOperationException",
        )
    containment.detach(world, object_id)
    state = world.objects[object_id]
    state.carrier = None
    move_with_contents(world, object_id, position, turn)
    for carried_id in carried_ids(object_id, world.objects):
        containment.detach(world, carried_id)
        carrier = world.objects[carried_id].carrier
        containment.attach(world, carried_id, [object_id] if carrier is None else [carrier])
    state.is_picked_up = True
    world.held_id = object_id
    world.grip = (HAND_OFFSET, camera.T @ turn)
    return object_id


def _bind_contents(world: World, object_id: str) -> None:
    """Let what a pickupable receptacle holds move with it, unless it leans too far."""
    state = world.objects[object_id]
    up = pose_matrix(state)[1, 1]
    upright = up > np.cos(np.radians(MAX_TILT))
    for content_id in state.receptacle_object_ids or ():
        if not world.scene_objects[content_id].has("pickupable"):
            continue
        world.objects[content_id].carrier = object_id if upright else None


def _held_box_collides(
    world: World, object_id: str, position: FloatArray, turn: FloatArray
) -> bool:
    """Tell whether the object would overlap another one when held.

    Only boxes of pickupable things count: those of furniture and structure are too coarse to
    refuse a grasp.
    """
    own = world.with_carried(object_id)
    box = box_at(world.objects[object_id], position, turn).grown(-CLEARANCE)
    others = [
        object_box(state)
        for key, state in world.objects.items()
        if key not in own and world.scene_objects[key].has("pickupable")
    ]
    return bool(boxes_overlap(box, stack(others)).any())


def box_at(state: ObjectState, position: FloatArray, turn: FloatArray) -> Box:
    """Box of an object if its pivot were at (3,) with rotation matrix (3, 3)."""
    box = object_box(state)
    frame = pose_matrix(state)
    offset = frame.T @ (box.center - np.asarray(state.position))
    return Box(position + turn @ offset, turn @ frame.T @ box.axes, box.half)


def drop(world: World, force: bool) -> Vector:
    """Let the held object fall to the next surface, where it comes to rest as it was turned."""
    if world.held_id is None:
        raise ActionFailed("Nothing is in the agent's hand to drop!")
    held_id = world.held_id
    state = world.objects[held_id]
    turn = pose_matrix(state)
    if not force and (
        _held_box_collides(world, held_id, np.asarray(state.position), turn)
        or boxes_overlap(object_box(state), stack([agent_box(world)]))[0]
    ):
        raise ActionFailed(
            f"{world.scene_objects[held_id].name} can't be dropped. "
            "It must be clear of all other collision first, including the Agent."
        )
    offset = settling.fall(world, held_id, object_box(state))
    release(world)
    move_with_contents(world, held_id, np.asarray(state.position) + offset, turn)
    containment.resettle(world, held_id)
    return state.position


def release(world: World) -> None:
    """Open the hand; the object stays where it is."""
    if world.held_id is None:
        return
    state = world.objects[world.held_id]
    state.is_picked_up = False
    state.touch()
    world.held_id = None
    world.grip = None


def agent_box(world: World) -> Box:
    """Upright box with the agent capsule's height and the area of its cross-section."""
    side = AGENT_RADIUS * float(np.sqrt(np.pi))
    return Box.axis_aligned(world.agent.position, (side, AGENT_HEIGHT, side))
