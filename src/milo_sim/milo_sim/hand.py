"""Moving and turning what the hand holds, throwing it, pushing and touching other things."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milo_sim import dynamics, holding, raycast, visibility
from milo_sim.agent import camera_matrix
from milo_sim.errors import ActionFailed
from milo_sim.geometry import FloatArray, Vector, euler_to_matrix, yaw_matrix
from milo_sim.motion import pose_matrix
from milo_sim.state import Grip

if TYPE_CHECKING:
    from milo_sim.world import World

INVALID = "InvalidOperationException"
STRUCTURE = "not a sim object, a structure was touched"
SPILL_TILT = 95.0
"""A receptacle that leans farther loses its contents when RotateHeldObject sets its pose [deg]."""


class Touch(NamedTuple):
    """What TouchThenApplyForce reports."""

    touched: bool
    object_id: str
    distance: float


def move(world: World, right: float, up: float, ahead: float, stay_in_sight: bool) -> None:
    """Move the held object along the camera's axes [m]."""
    if world.held_id is None or world.grip is None:
        raise ActionFailed("Agent can only move hand if currently holding an item")
    grip = world.grip
    target = grip.offset + np.array([right, up, ahead])
    camera, eye = camera_matrix(world), np.asarray(world.camera_position)
    place = eye + camera @ target
    if float(np.hypot(*(place - eye)[[0, 2]])) > world.settings.visibility_distance:
        raise ActionFailed(
            "The target position is out of range- object cannot move outside of max "
            "visibility distance."
        )
    state = world.objects[world.held_id]
    shift = place - np.asarray(state.position)
    if not visibility.in_view(world, world.visibility_points(world.held_id) + shift).any():
        raise ActionFailed(
            "Target position is outside of the agent's viewport. The target position must be "
            "within the frustrum of the viewport."
        )
    hit = holding.first_overlap(world, world.held_id, place, pose_matrix(state))
    if hit is not None:
        name, held = world.scene_objects[hit].name, world.scene_objects[world.held_id].name
        raise ActionFailed(f"{name} is in Object In Hand's Path! Can't Move Hand holding {held}")
    world.grip = grip._replace(offset=target)
    holding.follow(world)
    if stay_in_sight and not world.visibility()[world.held_id].visible:
        world.grip = grip
        holding.follow(world)
        raise ActionFailed("The target position is not in the Area of the Agent's Viewport!")


def rotate_by(world: World, pitch: float, yaw: float, roll: float) -> None:
    """Turn the hand about the agent's axes; a positive roll leans it to the right."""
    held_id, grip = _held(world)
    agent, camera = yaw_matrix(world.agent.yaw), camera_matrix(world)
    turn = agent @ euler_to_matrix((pitch, yaw, -roll)) @ agent.T @ camera @ grip.turn
    _turn_to(world, held_id, camera.T @ turn, "Held object is coliding after rotation.")


def rotate_to(world: World, rotation: Vector) -> None:
    """Give the hand Euler angles relative to the camera."""
    held_id, _ = _held(world)
    message = "Object is unable to rotate in its current state!"
    _turn_to(world, held_id, euler_to_matrix(rotation), message)
    if pose_matrix(world.objects[held_id])[1, 1] < np.cos(np.radians(SPILL_TILT)):
        holding.lose_contents(world, held_id)


def _held(world: World) -> tuple[str, Grip]:
    if world.held_id is None or world.grip is None:
        raise ActionFailed(
            "Can't rotate held object since no object is being held.", exception_type=INVALID
        )
    return world.held_id, world.grip


def _turn_to(world: World, held_id: str, turn: FloatArray, message: str) -> None:
    """Turn the hand in the camera's frame, unless what it holds would meet something."""
    _, grip = _held(world)
    position = np.asarray(world.objects[held_id].position)
    item_turn = camera_matrix(world) @ turn @ grip.item
    if holding.first_overlap(world, held_id, position, item_turn) is not None:
        raise ActionFailed(message, exception_type=INVALID)
    world.grip = grip._replace(turn=turn)
    holding.follow(world)


def throw(world: World, magnitude: float, force: bool) -> Vector:
    """Let go of the held object with a force along the view [N]; returns where it rests."""
    held_id = world.held_id
    if held_id is None:
        raise ActionFailed("Nothing in Hand to Throw!", exception_type=INVALID)
    holding.let_go(world, force)
    dynamics.push(world, held_id, camera_matrix(world)[:, 2] * magnitude)
    _simulate(world)
    return world.objects[held_id].position


def push(world: World, object_id: str, direction: FloatArray, magnitude: float) -> Vector:
    """Push an object along a level unit vector (3,) [N]; returns where it rests."""
    dynamics.push(world, object_id, direction * magnitude)
    _simulate(world)
    return world.objects[object_id].position


def _simulate(world: World) -> None:
    """Let everything come to rest unless the client paused physics."""
    if not world.physics_paused:
        dynamics.come_to_rest(world)


def is_loose(world: World, object_id: str) -> bool:
    """Tell whether a force can move an object."""
    fixed = world.scene_objects[object_id]
    return fixed.has("pickupable") or fixed.has("moveable")


def touch(
    world: World, x: float, y: float, direction: Vector, magnitude: float, reach: float
) -> Touch:
    """Reach through an image point and push what is there; ``direction`` is the agent's."""
    ray = raycast.image_ray(world, x, y)
    eye = np.asarray(world.camera_position)
    hit = raycast.first_hit(world, eye, ray)
    touched = hit is not None and hit.distance <= reach
    end = np.array(hit.point) if hit is not None and touched else eye + ray * reach
    near = float(np.hypot(*(end - eye)[[0, 2]])) <= world.settings.visibility_distance
    if not near or not visibility.in_view(world, end[None])[0]:
        raise ActionFailed(
            "Object successfully hit, but it is outside of the Agent's interaction range"
        )
    if hit is None or not touched:
        return Touch(False, "", reach)
    if hit.object_id is None:
        return Touch(True, STRUCTURE, hit.distance)
    if is_loose(world, hit.object_id) and hit.object_id != world.held_id:
        way = yaw_matrix(world.agent.yaw) @ np.array(direction)
        push(world, hit.object_id, way, magnitude)
    return Touch(True, hit.object_id, hit.distance)
