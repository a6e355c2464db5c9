"""GetInteractablePoses: from where the agent could interact with an object."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from milo_sim import holding, navigation, visibility
from milo_sim.errors import ActionFailed
from milo_sim.geometry import (
    BoolArray,
    Box,
    FloatArray,
    Vector,
    euler_to_matrix,
    segments_hit_boxes,
    stack,
)
from milo_sim.state import CAMERA_HEIGHT, InteractablePose

if TYPE_CHECKING:
    from milo_sim.world import World

HORIZONS = (-30.0, 0.0, 30.0, 60.0)
STANDINGS = (False, True)
ROTATIONS = (0.0, 90.0, 180.0, 270.0)


def interactable_poses(
    world: World,
    object_id: str,
    positions: Sequence[Vector] | None,
    rotations: Sequence[float] | None,
    horizons: Sequence[float] | None,
    standings: Sequence[bool] | None,
    max_distance: float | None,
    max_poses: int | None,
) -> list[InteractablePose]:
    """All poses in the engine's order: horizon, then standing, then rotation, then position."""
    world.require_known(object_id)
    if max_poses is not None and max_poses <= 0:
        raise ActionFailed("maxPoses must be > 0.", exception_type="ArgumentOutOfRangeException")
    horizons = HORIZONS if horizons is None else horizons
    for horizon in horizons:
        if not navigation.MIN_HORIZON <= horizon <= navigation.MAX_HORIZON:
            raise ActionFailed(
                f"Each horizon must be in [{navigation.MIN_HORIZON:g}:{navigation.MAX_HORIZON:g}]. "
                f"You gave {horizon:g}.",
                exception_type="ArgumentException",
            )
    standings = STANDINGS if standings is None else standings
    if rotations is None:
        rotations = [(r + world.agent.yaw % 90.0) % 360.0 for r in ROTATIONS]
    if positions is None:
        positions = navigation.reachable_positions(world, None, None, relative=False)
    limit = world.settings.visibility_distance if max_distance is None else max_distance
    near = [p for p in positions if _within(world, object_id, p, limit)]
    if not near or visibility.is_enclosed(world, object_id):
        return []
    table = _seen(world, object_id, near, rotations, horizons, standings, limit)
    poses: list[InteractablePose] = []
    for h, s, r, p in np.argwhere(table):
        if max_poses is not None and len(poses) >= max_poses:
            break
        x, y, z = near[p]
        poses.append(
            InteractablePose(x, y, z, float(rotations[r]), bool(standings[s]), float(horizons[h]))
        )
    return poses


def _within(world: World, object_id: str, position: Vector, limit: float) -> bool:
    """Tell whether some point of the object's box is near enough on the ground plane."""
    state = world.objects[object_id]
    gap = [
        max(abs(position[i] - state.aabb_center[i]) - state.aabb_size[i] / 2, 0.0) for i in (0, 2)
    ]
    return math.hypot(*gap) < limit


def _seen(
    world: World,
    object_id: str,
    positions: Sequence[Vector],
    rotations: Sequence[float],
    horizons: Sequence[float],
    standings: Sequence[bool],
    limit: float,
) -> BoolArray:
    """(horizons, standings, rotations, positions) from where the object is interactable."""
    points = world.visibility_points(object_id)
    heights = np.array([CAMERA_HEIGHT if s else 0.0 for s in standings])
    cameras = np.asarray(positions)[None] + heights[:, None, None] * np.array([0.0, 1.0, 0.0])
    offsets = points[None, None] - cameras[:, :, None, :]
    clear = _clear(world, object_id, cameras, points, offsets, limit)
    reach = math.tan(math.radians(world.settings.field_of_view / 2))
    hand = holding.boxes_in_camera(world) if object_id != world.held_id else []
    table = np.zeros(
        (len(horizons), len(standings), len(rotations), len(positions)), dtype=np.bool_
    )
    for h, horizon in enumerate(horizons):
        for r, rotation in enumerate(rotations):
            local = offsets @ euler_to_matrix((float(horizon), float(rotation), 0.0))
            depth = local[..., 2]
            shown = (
                (depth > visibility.NEAR_PLANE)
                & (np.abs(local[..., 1]) <= depth * reach)
                & (np.abs(local[..., 0]) <= depth * reach * world.settings.aspect)
            )
            shown &= clear
            if hand:
                shown[shown] = ~_hidden(hand, local[shown])
            table[h, :, r, :] = np.any(shown, axis=2)
    return table


def _hidden(hand: list[Box], local: FloatArray) -> BoolArray:
    """Which points (n, 3) in the camera's frame the held things hide."""
    entry = segments_hit_boxes(np.zeros_like(local), local, stack(hand))
    hidden: BoolArray = np.any((entry > 0.0) & (entry < 1.0), axis=1)
    return hidden


def _clear(
    world: World,
    object_id: str,
    cameras: FloatArray,
    points: FloatArray,
    offsets: FloatArray,
    limit: float,
) -> BoolArray:
    """(standings, positions, points) whose ray is near enough and unblocked."""
    clear = np.hypot(offsets[..., 0], offsets[..., 2]) < limit
    s, p, q = np.nonzero(clear)
    # Where the held object is now does not matter: it would come along to each pose.
    held = set() if world.held_id is None else world.with_carried(world.held_id)
    sight = visibility.line_of_sight(world, object_id, cameras[s, p], points, q, held)
    clear[s, p, q] = sight.open
    return clear
