"""Odometry from what really moved, and the correction that a teleport is.

REP 105: in the frame `odom` the robot moves continuously; jumps belong to `map` -> `odom`.
"""

from dataclasses import dataclass

from milo_sim_bridge.camera import Pose2D, floor_pose
from milo_sim_bridge.engine import StepResult

_JUMPS = ("Teleport", "TeleportFull", "Initialize", "SetRandomSeed")


@dataclass(frozen=True)
class Odometry:
    """Where the robot is after a step.

    `map_to_odom` is the pose of `odom` in `map`, `odom_to_base` that of base_link in `odom`, and
    `motion` what the step moved in the base's frame before it.
    """

    map_to_odom: Pose2D
    odom_to_base: Pose2D
    motion: Pose2D


class OdometryTracker:
    """Follows the robot from step to step; a reset makes the start pose the origin of `odom`."""

    def __init__(self) -> None:
        self._episode: int | None = None
        self._base = Pose2D()
        self._latest = Odometry(Pose2D(), Pose2D(), Pose2D())

    def follow(self, result: StepResult) -> Odometry:
        """Return the odometry after one more engine action."""
        base = floor_pose(result.snapshot)
        if result.episode != self._episode:
            self._episode = result.episode
            self._latest = Odometry(base, Pose2D(), Pose2D())
        elif result.action in _JUMPS:
            odom = self._latest.odom_to_base
            self._latest = Odometry(base @ odom.inverse(), odom, Pose2D())
        else:
            motion = self._base.inverse() @ base
            odom = self._latest.odom_to_base @ motion
            self._latest = Odometry(self._latest.map_to_odom, odom, motion)
        self._base = base
        return self._latest
