"""The node mock_robot: parameters, topics and actions of the robot in `robot` and `skills`.

One thread, one timer: it lets time pass, drives the skill that runs, and publishes. A driver for a
real robot has the same outside; in place of the timer it has the robot's own controllers.
"""

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future
from sensor_msgs.msg import CameraInfo, Image, JointState
from tf2_msgs.msg import TFMessage

from milo_core.error_codes import CODES_OF_ACTION, NONE
from milo_msgs.msg import WorldState
from milo_ros.qos import LATCHED, SENSOR
from milo_sim_bridge.mock_robot import home, messages
from milo_sim_bridge.mock_robot.camera import Camera, load_images
from milo_sim_bridge.mock_robot.messages import SKILLS, SkillServer
from milo_sim_bridge.mock_robot.robot import Robot
from milo_sim_bridge.mock_robot.skills import Done, Faults, Progress, Refusal, Skill

_LONGEST_TICK = 0.5
"""Seconds; after a pause of the process the robot must not jump."""
_DIAGNOSTICS_PERIOD = 1.0
_TF_QOS = QoSProfile(depth=100)


def _number(low: float, high: float) -> dict[str, Any]:
    return {"floating_point_range": [FloatingPointRange(from_value=low, to_value=high)]}


def _count(low: int, high: int) -> dict[str, Any]:
    return {"integer_range": [IntegerRange(from_value=low, to_value=high)]}


PARAMETERS: tuple[tuple[str, Any, str, dict[str, Any]], ...] = (
    ("home", "", "YAML file of the home; empty: the one that comes with the package.", {}),
    (
        "image_folder",
        "",
        "Folder of PNG or JPEG files to show in place of the synthetic colour "
        "images, one after the other; empty: none.",
        {},
    ),
    ("width", 160, "Width of the images, pixels.", _count(8, 4096)),
    ("height", 120, "Height of the images, pixels.", _count(8, 4096)),
    ("image_rate", 5.0, "Images a second.", _number(0.1, 100.0)),
    ("rate", 20.0, "Ticks a second: motion, odometry, transforms.", _number(1.0, 1000.0)),
    ("facts_rate", 5.0, "Messages a second on object_states.", _number(0.1, 100.0)),
    ("speed_factor", 1.0, "How much faster than life the robot moves.", _number(0.01, 1000.0)),
    ("latency", 0.0, "Seconds that every goal waits before anything moves.", _number(0.0, 3600.0)),
    ("failure_rate", 0.0, "Share of the goals that fail on purpose.", _number(0.0, 1.0)),
    (
        "drop_rate",
        0.0,
        "Share of the goals that are accepted and never ended unless they are canceled.",
        _number(0.0, 1.0),
    ),
    ("seed", 0, "Of the random numbers that choose those goals.", _count(0, 2**31)),
)
"""Name, default, description and constraints of every parameter."""


@dataclass
class _Job:
    """A goal that was accepted."""

    server: SkillServer
    handle: ServerGoalHandle
    skill: Skill
    ended: Future
    begun: bool = False


class MockRobot(Node):
    """A robot that publishes what the contract asks for, and serves the skills, one at a time.

    Args:
        options: of rclpy's Node, e.g. its namespace.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("mock_robot", **options)
        self._values = self._declare()
        path = self._values["home"]
        self._robot = Robot(home.load(Path(path).expanduser() if path else None))
        self._camera = Camera(self._values["width"], self._values["height"])
        folder = self._values["image_folder"]
        size = (self._camera.width, self._camera.height)
        self._images = load_images(Path(folder).expanduser(), *size) if folder else []
        self._shown = 0
        names = ("latency", "failure_rate", "drop_rate", "seed")
        self._faults = Faults(**{name: self._values[name] for name in names})
        self._jobs: deque[_Job] = deque()
        self._step = 0
        self._last_tick = self._seconds()
        self._create_publishers()
        self.create_subscription(TwistStamped, "cmd_vel", self._on_velocity, 10)
        self._servers = [self._create_server(server) for server in SKILLS]
        self._publish_facts()
        self.create_timer(1.0 / self._values["rate"], self._tick)
        self.create_timer(1.0 / self._values["image_rate"], self._publish_images)
        self.create_timer(1.0 / self._values["facts_rate"], self._publish_facts)
        self.create_timer(_DIAGNOSTICS_PERIOD, self._publish_diagnostics)

    def _declare(self) -> dict[str, Any]:
        values = {}
        for name, default, description, constraints in PARAMETERS:
            descriptor = ParameterDescriptor(description=description, read_only=True, **constraints)
            values[name] = self.declare_parameter(name, default, descriptor).value
        return values

    def _create_publishers(self) -> None:
        make = self.create_publisher
        self._odometry = make(Odometry, "odom", SENSOR)
        self._color = make(Image, "camera/color/image_raw", SENSOR)
        self._depth = make(Image, "camera/depth/image_raw", SENSOR)
        self._info = make(CameraInfo, "camera/color/camera_info", SENSOR)
        self._facts = make(WorldState, "object_states", LATCHED)
        self._joints = make(JointState, "joint_states", 10)
        self._diagnostics = make(DiagnosticArray, "diagnostics", 10)
        # Relative, so that the frames of two robots in two namespaces don't meet.
        self._moving = make(TFMessage, "tf", _TF_QOS)
        self._fixed = make(TFMessage, "tf_static", LATCHED)
        self._fixed.publish(TFMessage(transforms=messages.fixed_frames(self._robot, self._stamp())))

    # -- time --------------------------------------------------------------------------------

    def _stamp(self) -> Time:
        return self.get_clock().now().to_msg()

    def _seconds(self) -> float:
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def _tick(self) -> None:
        now = self._seconds()
        passed = min(max(now - self._last_tick, 0.0), _LONGEST_TICK)
        passed *= self._values["speed_factor"]
        self._last_tick = now
        self._end_canceled()
        if self._jobs:
            self._advance_job(self._jobs[0], passed)
        self._robot.advance(passed, now, busy=bool(self._jobs))
        stamp = self._stamp()
        self._odometry.publish(messages.odometry(self._robot, stamp))
        self._joints.publish(messages.joint_states(self._robot, stamp))
        self._moving.publish(TFMessage(transforms=messages.moving_frames(self._robot, stamp)))

    # -- what is seen and known --------------------------------------------------------------

    def _publish_images(self) -> None:
        stamp = self._stamp()
        wanted = self._color.get_subscription_count() + self._depth.get_subscription_count()
        if wanted:
            picture = self._camera.look(self._robot)
            color = picture.color
            if self._images:
                color = self._images[self._shown % len(self._images)]
                self._shown += 1
            self._color.publish(messages.image(color, "rgb8", stamp))
            self._depth.publish(messages.image(picture.depth, "32FC1", stamp))
        self._info.publish(messages.camera_info(self._camera, stamp))

    def _publish_facts(self) -> None:
        self._step += 1
        self._facts.publish(messages.object_states(self._robot, self._step, self._stamp()))

    def _publish_diagnostics(self) -> None:
        message = messages.diagnostics(self.get_name(), bool(self._jobs), self._stamp())
        self._diagnostics.publish(message)

    def _on_velocity(self, message: TwistStamped) -> None:
        twist = message.twist
        self._robot.command(twist.linear.x, twist.angular.z, self._seconds())

    # -- skills ------------------------------------------------------------------------------

    def _create_server(self, server: SkillServer) -> ActionServer:
        async def execute(handle: ServerGoalHandle) -> Any:
            ended = Future(executor=self.executor)
            self._jobs.append(_Job(server, handle, self._begin(server, handle.request), ended))
            return await ended

        return ActionServer(
            self,
            server.action,
            server.name,
            execute,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def _begin(self, server: SkillServer, goal: Any) -> Skill:
        def skill() -> Skill:
            return (yield from server.start(self._robot, goal))

        return self._faults.applied(server.action.__name__, skill)

    def _advance_job(self, job: _Job, seconds: float) -> None:
        try:
            progress = job.skill.send(seconds) if job.begun else next(job.skill)
        except StopIteration as end:
            self._end(job, end.value, NONE, "")
        except Refusal as refusal:
            self._end(job, Done(), int(refusal.code), str(refusal))
        else:
            job.begun = True
            self._tell(job, progress)

    def _tell(self, job: _Job, progress: Progress) -> None:
        message = job.server.action.Feedback(stage=progress.stage)
        if hasattr(message, "distance_remaining"):
            message.distance_remaining = progress.distance
        job.handle.publish_feedback(message)

    def _end_canceled(self) -> None:
        for job in [job for job in self._jobs if job.handle.is_cancel_requested]:
            job.skill.close()
            name = job.server.action.__name__
            code = int(CODES_OF_ACTION[name]["CANCELED"])
            self._end(job, Done(), code, f"{name} was canceled.")

    def _end(self, job: _Job, done: Done, code: int, message: str) -> None:
        """End a job; what it changed is published before its result."""
        self._jobs.remove(job)
        self._robot.halt()
        self._robot.advance(0.0, self._seconds(), busy=True)
        self._publish_facts()
        result = job.server.report(self._robot, done, self._stamp())
        result.step, result.error_code, result.error_msg = self._step, code, message
        if code == NONE:
            job.handle.succeed()
        elif job.handle.is_cancel_requested:
            job.handle.canceled()
        else:
            job.handle.abort()
        job.ended.set_result(result)
