"""Where the agent's body and camera are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from milo_sim.geometry import Box, FloatArray, euler_to_matrix
from milo_sim.solids import AGENT_HEIGHT, AGENT_RADIUS

if TYPE_CHECKING:
    from milo_sim.world import World


def camera_matrix(world: World) -> FloatArray:
    """Rotation matrix (3, 3) of the camera."""
    return euler_to_matrix((world.agent.horizon, world.agent.yaw, 0.0))


def agent_box(world: World) -> Box:
    """Upright box with the agent capsule's height and the area of its cross-section."""
    side = AGENT_RADIUS * math.sqrt(math.pi)
    return Box.axis_aligned(world.agent.position, (side, AGENT_HEIGHT, side))
