"""Robots like mock_robot, each with one fault and in the namespace that bears the fault's name.

A script: the faults are its arguments. All robots share one process and one thread.
"""

import signal
import sys
from collections.abc import Callable
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from milo_sim_bridge.mock_robot.messages import SkillServer
from milo_sim_bridge.mock_robot.node import MockRobot
from milo_sim_bridge.mock_robot.skills import Done, Progress, Refusal, Skill

COLOR, DEPTH = "camera/color/image_raw", "camera/depth/image_raw"
INFO = "camera/color/camera_info"
SMALL = {"width": 32, "height": 24, "rate": 10.0, "image_rate": 3.0}


def _set(path: str, value: Any) -> Callable[[Any], Any]:
    def change(message: Any) -> Any:
        *parents, last = path.split(".")
        target = message
        for name in parents:
            target = getattr(target, name)
        setattr(target, last, value)
        return message

    return change


def _without(child: str) -> Callable[[Any], Any]:
    def change(message: Any) -> Any:
        message.transforms = [t for t in message.transforms if t.child_frame_id != child]
        return message

    return change


def _going_back() -> Callable[[Any], Any]:
    seconds = [10**9]

    def change(message: Any) -> Any:
        seconds[0] -= 1
        message.header.stamp = Time(sec=seconds[0])
        return message

    return change


def _millimetres(message: Any) -> Any:
    import numpy as np

    depth = np.frombuffer(message.data, np.float32) * 1000.0
    message.data.frombytes(depth.tobytes())
    del message.data[: depth.nbytes]
    return message


def _every(number: int) -> Callable[[Any], Any]:
    count = [0]

    def change(message: Any) -> Any:
        count[0] += 1
        return message if count[0] % number == 1 else None

    return change


MESSAGES: dict[str, tuple[str, Callable[[], Callable[[Any], Any]]]] = {
    "wrong_frame": (COLOR, lambda: _set("header.frame_id", "camera_link")),
    "wrong_encoding": (COLOR, lambda: _set("encoding", "rgba8")),
    "stale_stamp": ("odom", lambda: _set("header.stamp", Time(sec=1_000_000))),
    "stamps_go_back": (DEPTH, _going_back),
    "wrong_camera_model": (INFO, lambda: _set("width", 640)),
    "broken_tree": ("tf", lambda: _without("base_link")),
    "millimetres": (DEPTH, lambda: _millimetres),
    "too_slow": (COLOR, lambda: _every(1000)),
}
"""Fault -> the topic whose messages it changes, and how."""
BEST_EFFORT = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.BEST_EFFORT,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class _Changing:
    """A publisher that changes what it publishes, or keeps it back."""

    def __init__(self, publisher: Any, change: Callable[[Any], Any]) -> None:
        self._publisher, self._change = publisher, change

    def publish(self, message: Any) -> None:
        changed = self._change(message)
        if changed is not None:
            self._publisher.publish(changed)

    def get_subscription_count(self) -> int:
        return int(self._publisher.get_subscription_count())


class FaultyRobot(MockRobot):
    """A mock robot with one fault."""

    def __init__(self, fault: str) -> None:
        self._fault = fault
        overrides = [Parameter(name, value=value) for name, value in SMALL.items()]
        super().__init__(namespace=fault, parameter_overrides=overrides)

    def create_publisher(self, kind: Any, name: str, qos: Any, **options: Any) -> Any:
        if (self._fault, name) == ("best_effort_facts", "object_states"):
            qos = BEST_EFFORT
        if (self._fault, name) == ("wrong_type", "odom"):
            self._wrong = super().create_publisher(PoseStamped, name, qos)
            name = "odom_elsewhere"
        publisher = super().create_publisher(kind, name, qos, **options)
        topic, change = MESSAGES.get(self._fault, ("", None))
        return _Changing(publisher, change()) if change and name == topic else publisher

    def _create_server(self, server: SkillServer) -> Any:
        if (self._fault, server.name) == ("missing_action", "pick"):
            return None
        return super()._create_server(server)

    def _begin(self, server: SkillServer, goal: Any) -> Skill:
        fault = (self._fault, server.name)
        if fault == ("accepts_garbage", "pick"):
            return _succeeding()
        if fault == ("code_without_reason", "place"):
            return _reworded(super()._begin(server, goal), "")
        if fault == ("never_answers", "set_open"):
            return _hanging()
        return super()._begin(server, goal)


def _succeeding() -> Skill:
    yield Progress("pretending")
    return Done()


def _hanging() -> Skill:
    while True:
        yield Progress("thinking")


def _reworded(skill: Skill, text: str) -> Skill:
    try:
        return (yield from skill)
    except Refusal as refusal:
        raise Refusal(refusal.code, text) from None


def main(faults: list[str]) -> None:
    """Run the robots until told to stop."""
    # rclpy's own handler ends the spinning; an exception could hit any line of the robots'.
    signal.signal(signal.SIGINT, lambda *_: None)
    rclpy.init(args=[])
    executor = SingleThreadedExecutor()
    try:
        for fault in faults:
            executor.add_node(FaultyRobot(fault))
        executor.spin()
    except Exception:
        # A shutdown in the middle of a call surfaces as an error of that call.
        if rclpy.ok():
            raise
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
