"""The topic `cmd_vel`: velocity commands become engine actions while no skill moves the robot."""

import time
from concurrent.futures import Future as JobFuture
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from milo_sim_bridge.engine import Engine
from milo_sim_bridge.errors import EngineFailure
from milo_sim_bridge.velocity import Move, Velocity, VelocityAccumulator, VelocityConfig

_PERIOD = 0.05
"""Seconds between looks at what is due while a command is followed."""


class VelocityFollower:
    """Follows `cmd_vel`; what really moved is reported by `odom`.

    Velocities are metres and radians per second of the wall clock.
    """

    def __init__(
        self, node: Node, engine: Engine, config: VelocityConfig, *, stamped: bool
    ) -> None:
        self._node = node
        self._engine = engine
        self._accumulator = VelocityAccumulator(config)
        self._job: JobFuture[None] | None = None
        kind: Any = TwistStamped if stamped else Twist
        node.create_subscription(kind, "cmd_vel", self._on_command, 10)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(_PERIOD, self._tick, clock=steady, autostart=False)

    def _on_command(self, message: Any) -> None:
        twist: Twist = message.twist if isinstance(message, TwistStamped) else message
        velocity = Velocity(twist.linear.x, twist.linear.y, twist.angular.z)
        try:
            self._accumulator.command(velocity, time.monotonic())
        except ValueError as error:
            self._node.get_logger().warning(str(error), throttle_duration_sec=5.0)
            return
        if self._timer.is_canceled():
            self._timer.reset()

    def _tick(self) -> None:
        now = time.monotonic()
        if self._job is not None and not self._job.done():
            return
        move = self._accumulator.next_move(now)
        if move is not None:
            self._job = self._engine.submit(lambda: self._do(move))
        elif self._accumulator.is_idle(now):
            self._timer.cancel()

    def _do(self, move: Move) -> None:
        """In the engine's thread."""
        try:
            result = self._engine.step(move.action, **move.arguments)
        except EngineFailure as failure:
            reason = str(failure)
        else:
            reason = result.error_message
        if reason and self._node.context.ok():
            self._node.get_logger().info(f"cmd_vel: {reason}", throttle_duration_sec=5.0)
