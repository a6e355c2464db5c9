"""The hand: picking up, carrying and dropping."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from milo_sim import containment, dynamics, settling
from milo_sim.agent import agent_box, camera_matrix
from milo_sim.errors import ActionFailed
from milo_sim.geometry import (
    IDENTITY,
    Box,
    FloatArray,
    Vector,
    as_vector,
    boxes_overlap,
    matrix_to_euler,
    stack,
    yaw_matrix,
)
from milo_sim.motion import object_box, pose_matrix, relative_pose, set_pose
from milo_sim.opening import carried_ids
from milo_sim.state import Grip, HandPose, ObjectState

if TYPE_CHECKING:
    from milo_sim.world import World

HAND_OFFSET = np.array([0.0, -0.16, 0.38])
"""The hand in the camera's frame [m]."""
MAX_TILT = 60.0
"""Contents stay in a receptacle that is picked up while it leans less than this [degrees]."""
CLEARANCE = 0.005
"""Overlap below this is contact, not collision [m]."""


def hand_pose(world: World) -> HandPose:
    """Pose of the hand; what it holds has the same pivot."""
    camera = camera_matrix(world)
    grip = default_grip(world) if world.grip is None else world.grip
    turn = camera @ grip.turn
    return HandPose(
        as_vector(np.asarray(world.camera_position) + camera @ grip.offset),
        matrix_to_euler(turn),
        as_vector(grip.offset),
        matrix_to_euler(grip.turn),
    )


def default_grip(world: World) -> Grip:
    """The hand at rest: in front of the camera, upright and turned as the agent."""
    item = IDENTITY if world.grip is None else world.grip.item
    return Grip(HAND_OFFSET, camera_matrix(world).T @ yaw_matrix(world.agent.yaw), item)


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
    position = np.asarray(world.camera_position) + camera @ world.grip.offset
    turn = camera @ world.grip.turn @ world.grip.item
    move_with_contents(world, world.held_id, position, turn)


def rest_hand(world: World) -> None:
    """Bring the hand back to rest, as the engine does after each step of the agent."""
    if world.grip is not None:
        world.grip = default_grip(world)
        follow(world)


def boxes_in_camera(world: World) -> list[Box]:
    """Boxes of the held object and its contents in the camera's frame, hand at its default."""
    if world.held_id is None or world.grip is None:
        return []
    camera = camera_matrix(world)
    shift = HAND_OFFSET - world.grip.offset
    boxes = [object_box(world.objects[key]) for key in sorted(world.with_carried(world.held_id))]
    eye = np.asarray(world.camera_position)
    return [
        Box(camera.T @ (box.center - eye) + shift, camera.T @ box.axes, box.half) for box in boxes
    ]


def pickup(world: World, object_id: str, force: bool, manual: bool = False) -> str:
    """Take an object into the hand; its pivot goes to the hand, its yaw becomes the agent's.

    With ``manual`` the hand goes to the object instead, which keeps its pose.
    """
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
    state = world.objects[object_id]
    grip = _manual_grip(world, state) if manual else default_grip(world)
    camera = camera_matrix(world)
    position = np.asarray(world.camera_position) + camera @ grip.offset
    turn = camera @ grip.turn @ grip.item
    if not (force or manual) and first_overlap(world, object_id, position, turn) is not None:
        raise ActionFailed(
            "Picking up object would cause it to collide and clip into something!",
            exception_type="InvalidOperationException",
        )
    containment.detach(world, object_id)
    world.velocities.pop(object_id, None)
    state.carrier = None
    state.is_moving = False
    move_with_contents(world, object_id, position, turn)
    for carried_id in carried_ids(object_id, world.objects):
        containment.detach(world, carried_id)
        carrier = world.objects[carried_id].carrier
        containment.attach(world, carried_id, [object_id] if carrier is None else [carrier])
    state.is_picked_up = True
    world.held_id = object_id
    world.grip = grip
    return object_id


def _manual_grip(world: World, state: ObjectState) -> Grip:
    """The hand at an object's pivot, turned as it is at rest."""
    camera = camera_matrix(world)
    offset = camera.T @ (np.asarray(state.position) - np.asarray(world.camera_position))
    turn = default_grip(world).turn
    return Grip(offset, turn, turn.T @ camera.T @ pose_matrix(state))


def _bind_contents(world: World, object_id: str) -> None:
    """Let what a pickupable receptacle holds move with it, unless it leans too far."""
    state = world.objects[object_id]
    up = pose_matrix(state)[1, 1]
    upright = up > np.cos(np.radians(MAX_TILT))
    for content_id in state.receptacle_object_ids or ():
        if not world.scene_objects[content_id].has("pickupable"):
            continue
        world.objects[content_id].carrier = object_id if upright else None


def first_overlap(
    world: World, object_id: str, position: FloatArray, turn: FloatArray
) -> str | None:
    """Id of what the object would overlap if it were held at (3,) with rotation (3, 3), or None.

    Only boxes of pickupable things count: those of furniture and structure are too coarse to
    refuse a grasp.
    """
    own = world.with_carried(object_id)
    box = box_at(world.objects[object_id], position, turn).grown(-CLEARANCE)
    others = [
        key
        for key, state in world.objects.items()
        if key not in own and state.is_present and world.scene_objects[key].has("pickupable")
    ]
    hits = boxes_overlap(box, stack([world.box(key) for key in others]))
    return next((key for key, hit in zip(others, hits, strict=True) if hit), None)


def box_at(state: ObjectState, position: FloatArray, turn: FloatArray) -> Box:
    """Box of an object if its pivot were at (3,) with rotation matrix (3, 3)."""
    box = object_box(state)
    frame = pose_matrix(state)
    offset = frame.T @ (box.center - np.asarray(state.position))
    return Box(position + turn @ offset, turn @ frame.T @ box.axes, box.half)


def drop(world: World, force: bool) -> Vector | None:
    """Let the held object fall to the next surface, where it comes to rest as it was turned.

    Returns where it rests; None while physics is paused, when it waits for time to pass.
    """
    held_id = let_go(world, force)
    if world.physics_paused:
        dynamics.release(world, held_id)
        return None
    settling.let_down(world, held_id)
    return world.objects[held_id].position


def let_go(world: World, force: bool) -> str:
    """Open the hand if what it holds is clear of everything; returns the object's id."""
    held_id = world.held_id
    if held_id is None:
        raise ActionFailed(
            "Nothing is in the agent's hand to drop!", exception_type="InvalidOperationException"
        )
    state = world.objects[held_id]
    place = (np.asarray(state.position), pose_matrix(state))
    if not force and (
        first_overlap(world, held_id, *place) is not None
        or boxes_overlap(object_box(state), stack([agent_box(world)]))[0]
    ):
        raise ActionFailed(
            f"{world.scene_objects[held_id].name} can't be dropped. "
            "It must be clear of all other collision first, including the Agent.",
            exception_type="InvalidOperationException",
        )
    release(world)
    return held_id


def lose_contents(world: World, object_id: str) -> None:
    """Let what a receptacle carries fall out of it."""
    for content_id in carried_ids(object_id, world.objects):
        if world.objects[content_id].carrier == object_id:
            containment.detach(world, content_id)
            settling.let_down(world, content_id)


def release(world: World) -> None:
    """Open the hand; the object stays where it is."""
    if world.held_id is None:
        return
    state = world.objects[world.held_id]
    state.is_picked_up = False
    state.touch()
    world.held_id = None
    world.grip = None
