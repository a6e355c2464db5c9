"""The robot's sensor topics: pictures, camera model, labels, odometry, transforms, joints.

All messages of one engine action carry its one stamp.
"""

from collections.abc import Callable, Iterable
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, TransformStamped, Twist, Vector3
from nav_msgs.msg import Odometry as OdometryMsg
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import CameraInfo, Image, JointState
from tf2_msgs.msg import TFMessage

from milo_core.snapshot import Snapshot
from milo_msgs.msg import InstanceLabel, InstanceLabels
from milo_ros import conversions as common
from milo_ros.qos import LATCHED, SENSOR
from milo_sim_bridge import camera
from milo_sim_bridge.camera import (
    BASE_FRAME,
    ODOM_FRAME,
    OPTICAL_FRAME,
    Intrinsics,
    Pose2D,
    Transform,
)
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.images import (
    LabelPainter,
    LabelTable,
    Picture,
    PixelBuffer,
    fill_color,
    fill_depth,
)
from milo_sim_bridge.odometry import Odometry, OdometryTracker
from milo_sim_bridge.skill_run import MAP_FRAME

JOINT_NAMES = ("head_pitch_joint", "torso_lift_joint")
"""Pitch of the head in radians, positive down; lift of the camera over its crouched place [m]."""


def transform_message(transform: Transform, stamp: Time) -> TransformStamped:
    """Write a transform."""
    message = TransformStamped(child_frame_id=transform.child)
    message.header.frame_id = transform.parent
    message.header.stamp = stamp
    x, y, z = transform.translation
    message.transform.translation = Vector3(x=x, y=y, z=z)
    message.transform.rotation = common.quaternion(transform.rotation)
    return message


def camera_info(intrinsics: Intrinsics, stamp: Time) -> CameraInfo:
    """Write a camera model without distortion (REP 104)."""
    f, (cx, cy) = intrinsics.focal_length, intrinsics.centre
    message = CameraInfo(
        width=intrinsics.width,
        height=intrinsics.height,
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=[f, 0.0, cx, 0.0, f, cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[f, 0.0, cx, 0.0, 0.0, f, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    )
    message.header.frame_id = OPTICAL_FRAME
    message.header.stamp = stamp
    return message


def odometry_message(odometry: Odometry, height: float, seconds: float, stamp: Time) -> OdometryMsg:
    """Write where the robot is in `odom`, and the mean velocity of the step that brought it there.

    Args:
        odometry: after the step.
        height: of base_link over the floor's zero, metres.
        seconds: how long the step took.
        stamp: of the step.
    """
    message = OdometryMsg(child_frame_id=BASE_FRAME)
    message.header.frame_id = ODOM_FRAME
    message.header.stamp = stamp
    message.pose.pose = _pose(odometry.odom_to_base, height)
    motion = odometry.motion
    # The twist is in the frame of the base where it is now.
    dx, dy = -motion.inverse().x, -motion.inverse().y
    message.twist.twist = Twist(
        linear=Vector3(x=dx / seconds, y=dy / seconds), angular=Vector3(z=motion.yaw / seconds)
    )
    return message


def _pose(pose: Pose2D, height: float) -> Pose:
    flat = camera.flat_transform("", "", pose, height)
    message = Pose(orientation=common.quaternion(flat.rotation))
    message.position.x, message.position.y, message.position.z = flat.translation
    return message


def joint_state(snapshot: Snapshot, stamp: Time) -> JointState:
    """Write the joints of head and torso."""
    positions = [camera.head_pitch(snapshot), camera.camera_lift(snapshot)]
    message = JointState(name=list(JOINT_NAMES), position=positions)
    message.header.stamp = stamp
    return message


class ImageStream:
    """One stream of pictures: its topic, its buffer and its message, used over and over."""

    def __init__(self, node: Node, topic: str, encoding: str, pixel_bytes: int) -> None:
        self._publisher: Publisher = node.create_publisher(Image, topic, SENSOR)
        self._pixel_bytes = pixel_bytes
        self._buffer = PixelBuffer()
        self._message = Image(encoding=encoding)
        self._message.header.frame_id = OPTICAL_FRAME

    @property
    def is_wanted(self) -> bool:
        """Whether anybody subscribes to it."""
        return self._publisher.get_subscription_count() > 0

    def publish(
        self, picture: Picture, fill: Callable[[PixelBuffer, Picture], None], stamp: Time
    ) -> None:
        """Write a picture with `fill` and send it."""
        fill(self._buffer, picture)
        message = self._message
        message.header.stamp = stamp
        message.height, message.width = picture.shape[:2]
        message.step = message.width * self._pixel_bytes
        message.data = self._buffer.data
        self._publisher.publish(message)


class CameraPublisher:
    """The topics below `camera/`."""

    def __init__(self, node: Node, streams: Iterable[str]) -> None:
        kinds = {
            "color": ("camera/color/image_raw", "rgb8", 3),
            "depth": ("camera/depth/image_raw", "32FC1", 4),
            "labels": ("camera/labels/image_raw", "16UC1", 2),
        }
        self._images = {name: ImageStream(node, *kinds[name]) for name in streams}
        # The three pictures are taken by one camera, so that one model fits all.
        self._infos = {
            name: node.create_publisher(CameraInfo, f"camera/{name}/camera_info", SENSOR)
            for name in self._images
        }
        self._table_publisher = node.create_publisher(
            InstanceLabels, "camera/labels/instances", LATCHED
        )
        self._table = LabelTable()
        self._painter = LabelPainter(self._table)
        self._episode = 0

    def wanted(self) -> frozenset[str]:
        """Return the streams that anybody subscribes to, or to their camera model (any thread)."""
        return frozenset(name for name in self._images if self._is_wanted(name))

    def _is_wanted(self, name: str) -> bool:
        info = self._infos[name]
        return self._images[name].is_wanted or info.get_subscription_count() > 0

    def publish(self, result: StepResult, stamp: Time) -> None:
        """Send what the camera saw after a step, and the labels that are new since."""
        self._learn(result, stamp)
        pictures = result.pictures
        colors = pictures.colors
        if pictures.color is None:
            return
        height, width = pictures.color.shape[:2]
        model = Intrinsics.from_vertical_fov(width, height, result.field_of_view)
        info = camera_info(model, stamp)
        shown: dict[str, tuple[Any, Callable[[PixelBuffer, Any], None]]] = {
            "color": (pictures.color, fill_color),
            "depth": (pictures.depth, fill_depth),
            "labels": (
                pictures.instances,
                lambda buffer, picture: self._painter.fill(buffer, picture, colors),
            ),
        }
        for name, stream in self._images.items():
            picture, fill = shown[name]
            if picture is not None and stream.is_wanted:
                stream.publish(picture, fill, stamp)
            if picture is not None:
                self._infos[name].publish(info)

    def _learn(self, result: StepResult, stamp: Time) -> None:
        if result.episode != self._episode:
            self._episode = result.episode
            self._table.clear()
        if self._table.learn(tuple(result.snapshot.objects)):
            self._table_publisher.publish(self._table_message(result, stamp))

    def _table_message(self, result: StepResult, stamp: Time) -> InstanceLabels:
        objects = result.snapshot.objects
        message = InstanceLabels(
            episode=result.episode,
            labels=[
                InstanceLabel(
                    label=label,
                    object_id=object_id,
                    object_type=objects[object_id].object_type if object_id in objects else "",
                )
                for object_id, label in self._table.labels.items()
            ],
        )
        message.header.frame_id = OPTICAL_FRAME
        message.header.stamp = stamp
        return message


class MotionPublisher:
    """`odom`, `joint_states`, `/tf` and `/tf_static`.

    The transforms have the absolute names that every tf2 listener subscribes to; a graph in a
    namespace remaps them, as Nav2 does.
    """

    def __init__(self, node: Node, step_seconds: float) -> None:
        self._seconds = step_seconds
        self._odometry = OdometryTracker()
        self._odom = node.create_publisher(OdometryMsg, "odom", 10)
        self._joints = node.create_publisher(JointState, "joint_states", 10)
        self._tf = node.create_publisher(TFMessage, "/tf", 100)
        self._tf_static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
        optical = transform_message(camera.optical_transform(), Time())
        self._tf_static.publish(TFMessage(transforms=[optical]))

    def publish(self, result: StepResult, stamp: Time) -> None:
        """Send where the robot and its parts are after a step."""
        odometry = self._odometry.follow(result)
        snapshot = result.snapshot
        height = camera.floor_height(snapshot)
        transforms = (
            camera.flat_transform(MAP_FRAME, ODOM_FRAME, odometry.map_to_odom),
            camera.flat_transform(ODOM_FRAME, BASE_FRAME, odometry.odom_to_base, height),
            camera.camera_transform(snapshot),
        )
        self._tf.publish(TFMessage(transforms=[transform_message(t, stamp) for t in transforms]))
        self._odom.publish(odometry_message(odometry, height, self._seconds, stamp))
        self._joints.publish(joint_state(snapshot, stamp))
