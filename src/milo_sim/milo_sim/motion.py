"""Moving objects rigidly: pose, boxes and what is carried along."""

from __future__ import annotations

import numpy as np

from milo_sim.geometry import Box, FloatArray, as_vector, euler_to_matrix, matrix_to_euler
from milo_sim.state import ObjectState


def pose_matrix(state: ObjectState) -> FloatArray:
    """Rotation matrix (3, 3) of an object."""
    return euler_to_matrix(state.rotation)


def object_box(state: ObjectState) -> Box:
    """The tightest box known: the oriented one, else the axis-aligned one."""
    if state.oobb is not None:
        return Box.from_corners(state.oobb)
    return Box.axis_aligned(state.aabb_center, state.aabb_size)


def translate(state: ObjectState, offset: FloatArray) -> None:
    """Shift an object by (3,) metres; its boxes keep their shape exactly."""
    state.position = as_vector(np.asarray(state.position) + offset)
    state.aabb_center = as_vector(np.asarray(state.aabb_center) + offset)
    if state.oobb is not None:
        state.oobb = state.oobb + offset
    state.touch()


def set_pose(state: ObjectState, position: FloatArray, rotation: FloatArray) -> None:
    """Place an object's pivot at (3,) with rotation matrix (3, 3).

    The axis-aligned box of a turned object is the one around its oriented box; the engine takes it
    around the colliders, which for round things is a little smaller.
    """
    old = pose_matrix(state)
    turn = rotation @ old.T
    if np.abs(turn - np.eye(3)).max() < 1e-9:
        translate(state, position - np.asarray(state.position))
        return
    pivot = np.asarray(state.position)
    if state.oobb is not None:
        state.oobb = (state.oobb - pivot) @ turn.T + position
        low, high = state.oobb.min(axis=0), state.oobb.max(axis=0)
        state.aabb_center, state.aabb_size = as_vector((low + high) / 2), as_vector(high - low)
    else:
        half = np.abs(turn) @ (np.asarray(state.aabb_size) / 2)
        center = turn @ (np.asarray(state.aabb_center) - pivot) + position
        state.aabb_center, state.aabb_size = as_vector(center), as_vector(2 * half)
    state.position = as_vector(position)
    state.rotation = matrix_to_euler(rotation)
    state.touch()


def relative_pose(state: ObjectState, base: ObjectState) -> tuple[FloatArray, FloatArray]:
    """Offset (3,) and rotation (3, 3) of an object in the frame of another."""
    frame = pose_matrix(base)
    offset = frame.T @ (np.asarray(state.position) - np.asarray(base.position))
    return offset, frame.T @ pose_matrix(state)
