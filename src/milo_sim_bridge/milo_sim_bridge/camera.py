"""The robot's frames and its camera model, from the simulator's state.

Frames follow REP 103 and REP 105: `map` -> `odom` -> `base_link` (on the floor below the agent, x
ahead) -> `camera_link` (x along the optical axis) -> `camera_color_optical_frame` (z along the
optical axis, x to the right in the picture). Lengths in metres, angles in radians.
"""

import math
from dataclasses import dataclass

from milo_core.frames import (
    AGENT_CENTRE_HEIGHT,
    Quaternion,
    quaternion_from_yaw,
    to_map,
    yaw_to_map,
)
from milo_core.snapshot import Snapshot, Vector

ODOM_FRAME = "odom"
BASE_FRAME = "base_link"
CAMERA_FRAME = "camera_link"
OPTICAL_FRAME = "camera_color_optical_frame"

CAMERA_HEIGHT = 0.675
"""Metres from the agent's centre up to its camera while it stands; crouched: 0 (AI2-THOR 5.0.0)."""
OPTICAL_IN_CAMERA = Quaternion(-0.5, 0.5, -0.5, 0.5)
"""Orientation of the optical frame in `camera_link` (REP 103, suffix frames)."""
FAR_PLANE = 20.0
"""Depth in metres that AI2-THOR gives to what is farther than its camera sees."""


@dataclass(frozen=True)
class Intrinsics:
    """A camera without distortion; lengths in pixels.

    Pixel (0, 0) is the centre of the top left pixel, as in OpenCV and image_geometry, so that the
    middle of a picture of even size lies between two pixels.
    """

    width: int
    height: int
    focal_length: float

    @classmethod
    def from_vertical_fov(cls, width: int, height: int, degrees: float) -> "Intrinsics":
        """Return the camera with square pixels that has a vertical angle of view."""
        return cls(width, height, height / 2 / math.tan(math.radians(degrees) / 2))

    @property
    def centre(self) -> tuple[float, float]:
        """The principal point (x, y)."""
        return ((self.width - 1) / 2, (self.height - 1) / 2)


@dataclass(frozen=True)
class Pose2D:
    """A pose on the floor: metres, and radians anticlockwise from x."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def __matmul__(self, other: "Pose2D") -> "Pose2D":
        """Return `other`, which is given in this frame, in this frame's parent."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return Pose2D(
            self.x + c * other.x - s * other.y,
            self.y + s * other.x + c * other.y,
            math.remainder(self.yaw + other.yaw, math.tau),
        )

    def inverse(self) -> "Pose2D":
        """Return the parent's pose in this frame."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return Pose2D(-c * self.x - s * self.y, s * self.x - c * self.y, -self.yaw)


@dataclass(frozen=True)
class Transform:
    """Where a frame is in its parent."""

    parent: str
    child: str
    translation: Vector
    rotation: Quaternion


def floor_pose(snapshot: Snapshot) -> Pose2D:
    """Return the pose of base_link in the map frame."""
    x, y, _ = to_map(*snapshot.agent_position)
    return Pose2D(x, y, yaw_to_map(snapshot.agent_yaw))


def floor_height(snapshot: Snapshot) -> float:
    """Return the height of base_link over the map's origin."""
    return snapshot.agent_position[1] - AGENT_CENTRE_HEIGHT


def head_pitch(snapshot: Snapshot) -> float:
    """Return the pitch of the head; positive looks down."""
    return math.radians(snapshot.camera_horizon)


def camera_lift(snapshot: Snapshot) -> float:
    """Return how far the camera is above its lowest, crouched, place."""
    return CAMERA_HEIGHT if snapshot.standing else 0.0


def flat_transform(parent: str, child: str, pose: Pose2D, height: float = 0.0) -> Transform:
    """Return a pose on the floor as a transform."""
    return Transform(parent, child, (pose.x, pose.y, height), quaternion_from_yaw(pose.yaw))


def camera_transform(snapshot: Snapshot) -> Transform:
    """Return where camera_link is on the robot."""
    half = head_pitch(snapshot) / 2
    return Transform(
        BASE_FRAME,
        CAMERA_FRAME,
        (0.0, 0.0, AGENT_CENTRE_HEIGHT + camera_lift(snapshot)),
        Quaternion(0.0, math.sin(half), 0.0, math.cos(half)),
    )


def optical_transform() -> Transform:
    """Return where the optical frame is in camera_link."""
    return Transform(CAMERA_FRAME, OPTICAL_FRAME, (0.0, 0.0, 0.0), OPTICAL_IN_CAMERA)
