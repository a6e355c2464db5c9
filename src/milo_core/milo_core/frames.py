"""Between Unity's frame and the robot's map frame.

Unity: x right, y up, z forward, left-handed, yaw in degrees clockwise seen from above, horizon in
degrees with positive looking down. Map (REP 103): x forward, y left, z up, right-handed, yaw in
radians anticlockwise from x. A Unity position (x, y, z) is the map position (z, -x, y).
"""

import math
from dataclasses import dataclass

AGENT_CENTRE_HEIGHT = 0.9009991
"""Metres from the floor to the agent's `position`, the centre of its capsule (AI2-THOR 5.0.0)."""


@dataclass(frozen=True)
class Quaternion:
    """A unit quaternion."""

    x: float
    y: float
    z: float
    w: float


def to_map(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Unity position in metres -> map position in metres."""
    return z, -x, y


def to_unity(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Map position in metres -> Unity position in metres."""
    return -y, z, x


def yaw_to_map(degrees: float) -> float:
    """Unity yaw in degrees -> map yaw in radians, in (-pi, pi]."""
    return -math.radians((degrees + 180.0) % 360.0 - 180.0) + 0.0


def yaw_to_unity(radians: float) -> float:
    """Map yaw in radians -> Unity yaw in degrees, in [0, 360)."""
    return round(-math.degrees(radians), 9) % 360.0


def quaternion_from_yaw(yaw: float) -> Quaternion:
    """Map yaw in radians -> quaternion about z."""
    return Quaternion(0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))


def yaw_from_quaternion(q: Quaternion) -> float:
    """Quaternion -> map yaw in radians, in [-pi, pi]."""
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y**2 + q.z**2))


def quaternion_from_unity_euler(x: float, y: float, z: float) -> Quaternion:
    """Unity Euler angles in degrees (applied z, then x, then y) -> map quaternion.

    The change of frame maps the Unity axis (x, y, z) to (z, -x, y) and flips the handedness, so
    that a rotation about a mapped axis has the opposite sense.
    """
    hx, hy, hz = (math.radians(a) / 2 for a in (x, y, z))
    cx, sx, cy, sy, cz, sz = (f(h) for h in (hx, hy, hz) for f in (math.cos, math.sin))
    ux = cy * sx * cz + sy * cx * sz
    uy = sy * cx * cz - cy * sx * sz
    uz = cy * cx * sz - sy * sx * cz
    w = cy * cx * cz + sy * sx * sz
    return Quaternion(-uz, ux, -uy, w)
