"""Between the mock robot and ROS messages: plain functions, one a message."""

import array
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import (
    Point,
    Pose,
    PoseStamped,
    Quaternion,
    Transform,
    TransformStamped,
    Vector3,
)
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Header

from milo_core import frames
from milo_core.error_codes import CODES_OF_ACTION
from milo_core.snapshot import Vector
from milo_msgs.action import (
    LookAt,
    NavigateTo,
    Pick,
    Place,
    Release,
    SetOpen,
    SetToggled,
    Slice,
)
from milo_msgs.msg import WorldState
from milo_ros import conversions as common
from milo_sim_bridge.mock_robot import skills
from milo_sim_bridge.mock_robot.camera import Camera
from milo_sim_bridge.mock_robot.motion import Base, angle_between
from milo_sim_bridge.mock_robot.robot import CAMERA, Robot
from milo_sim_bridge.mock_robot.skills import Done, Refusal, Skill

MAP, ODOM, BASE, CAMERA_LINK = "map", "odom", "base_link", "camera_link"
OPTICAL = "camera_color_optical_frame"
OPTICAL_IN_CAMERA = Quaternion(x=-0.5, y=0.5, z=-0.5, w=0.5)
"""From x forward, y left, z up to z forward, x right, y down (REP 103)."""
WORLD_SOURCE = "sensed"
HEAD_JOINT = "head_pitch_joint"
_UNIT_TOLERANCE = 0.01


@dataclass(frozen=True)
class SkillServer:
    """One action of the robot."""

    name: str
    action: Any
    start: Callable[[Robot, Any], Skill]
    """Begins the skill of a goal."""
    report: Callable[[Robot, Done, Time], Any]
    """Writes what it did as a result, without step and error code."""


def header(stamp: Time, frame: str) -> Header:
    """A header."""
    return Header(stamp=stamp, frame_id=frame)


def pose(position: Vector, yaw: float = 0.0) -> Pose:
    """A pose on the floor or of an upright object; metres and radians."""
    return Pose(
        position=common.point(position),
        orientation=common.quaternion(frames.quaternion_from_yaw(yaw)),
    )


def base_pose(base: Base) -> Pose:
    """The pose of base_link in the map frame."""
    return pose((base.x, base.y, 0.0), base.yaw)


def in_start(base: Base, start: Base) -> Base:
    """The base as its odometry has it: relative to where it started."""
    dx, dy = base.x - start.x, base.y - start.y
    cos, sin = math.cos(start.yaw), math.sin(start.yaw)
    yaw = angle_between(start.yaw, base.yaw)
    return Base(cos * dx + sin * dy, cos * dy - sin * dx, yaw, base.speed, base.turning)


def odometry(robot: Robot, stamp: Time) -> Odometry:
    """Pose and velocity of the base."""
    here = in_start(robot.base, robot.start)
    message = Odometry(header=header(stamp, ODOM), child_frame_id=BASE)
    message.pose.pose = base_pose(here)
    message.twist.twist.linear.x = float(here.speed)
    message.twist.twist.angular.z = float(here.turning)
    return message


def moving_frames(robot: Robot, stamp: Time) -> list[TransformStamped]:
    """The transforms that change: odom to base_link to camera_link."""
    here = in_start(robot.base, robot.start)
    head = Quaternion(x=0.0, y=math.sin(robot.pitch / 2), z=0.0, w=math.cos(robot.pitch / 2))
    return [
        _transform(ODOM, BASE, base_pose(here), stamp),
        _transform(BASE, CAMERA_LINK, Pose(position=common.point(CAMERA), orientation=head), stamp),
    ]


def fixed_frames(robot: Robot, stamp: Time) -> list[TransformStamped]:
    """The transforms that never change; this robot is localised once for ever."""
    return [
        _transform(MAP, ODOM, base_pose(robot.start), stamp),
        _transform(CAMERA_LINK, OPTICAL, Pose(orientation=OPTICAL_IN_CAMERA), stamp),
    ]


def _transform(parent: str, child: str, placed: Pose, stamp: Time) -> TransformStamped:
    at = placed.position
    return TransformStamped(
        header=header(stamp, parent),
        child_frame_id=child,
        transform=Transform(
            translation=Vector3(x=at.x, y=at.y, z=at.z), rotation=placed.orientation
        ),
    )


def image(pixels: NDArray[Any], encoding: str, stamp: Time) -> Image:
    """An image of the camera; (H, W) or (H, W, C)."""
    rows = np.ascontiguousarray(pixels)
    # The one form of bytes that rclpy takes without looking at every element.
    data = array.array("B")
    data.frombytes(rows.data.cast("B"))
    return Image(
        header=header(stamp, OPTICAL),
        height=rows.shape[0],
        width=rows.shape[1],
        encoding=encoding,
        step=rows.strides[0],
        data=data,
    )


def camera_info(camera: Camera, stamp: Time) -> CameraInfo:
    """The pinhole model of both images (REP 104)."""
    f, cx, cy = camera.focal, camera.width / 2, camera.height / 2
    return CameraInfo(
        header=header(stamp, OPTICAL),
        width=camera.width,
        height=camera.height,
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=[f, 0.0, cx, 0.0, f, cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[f, 0.0, cx, 0.0, 0.0, f, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    )


def joint_states(robot: Robot, stamp: Time) -> JointState:
    """The joint of the head; positive looks down."""
    return JointState(header=Header(stamp=stamp), name=[HEAD_JOINT], position=[robot.pitch])


def object_states(robot: Robot, step: int, stamp: Time) -> WorldState:
    """What the robot knows of the objects."""
    return WorldState(
        header=header(stamp, MAP),
        step=step,
        episode=1,
        scene=robot.home.name,
        world_source=WORLD_SOURCE,
        robot_pose=base_pose(robot.base),
        held_object_id=robot.state.held,
        objects=[common.object_state_msg(belief) for belief in robot.beliefs()],
    )


def diagnostics(name: str, busy: bool, stamp: Time) -> DiagnosticArray:
    """That the driver is well."""
    status = DiagnosticStatus(
        level=DiagnosticStatus.OK, name=name, message="busy" if busy else "idle"
    )
    return DiagnosticArray(header=Header(stamp=stamp), status=[status])


# -- skills ----------------------------------------------------------------------------------


def _start_navigation(robot: Robot, goal: NavigateTo.Goal) -> Skill:
    # Both modes name where the base shall be; how it gets there is the driver's business, and a
    # robot drives.
    if goal.mode not in ("", NavigateTo.Goal.MODE_TELEPORT, NavigateTo.Goal.MODE_PATH):
        raise _invalid(
            "NavigateTo", f"'{goal.mode}' is no mode; use 'path' or 'teleport', a robot drives."
        )
    if goal.object_id:
        excluded = [((p.position.x, p.position.y), _yaw_of(p)) for p in goal.excluded_poses]
        return skills.navigate_to_object(
            robot, goal.object_id, goal.stop_distance, goal.purpose, excluded
        )
    if goal.pose.header.frame_id != MAP:
        raise _invalid("NavigateTo", f"Name an object_id, or a pose in the frame '{MAP}'.")
    q = goal.pose.pose.orientation
    if abs(math.hypot(q.x, q.y, q.z, q.w) - 1.0) > _UNIT_TOLERANCE:
        raise _invalid("NavigateTo", "The pose needs a unit quaternion.")
    at = goal.pose.pose.position
    return skills.navigate_to_pose(robot, (at.x, at.y), _yaw_of(goal.pose.pose))


def _yaw_of(placed: Pose) -> float:
    q = placed.orientation
    return frames.yaw_from_quaternion(frames.Quaternion(q.x, q.y, q.z, q.w))


def _start_look(robot: Robot, goal: LookAt.Goal) -> Skill:
    if goal.object_id:
        return skills.look_at_object(robot, goal.object_id)
    if goal.point.header.frame_id != MAP:
        raise _invalid("LookAt", f"Name an object_id, or a point in the frame '{MAP}'.")
    p = goal.point.point
    return skills.look_at(robot, (p.x, p.y, p.z))


def _invalid(action: str, message: str) -> Refusal:
    return Refusal(CODES_OF_ACTION[action]["INVALID_GOAL"], message)


def _stamped(placed: Pose, stamp: Time) -> PoseStamped:
    return PoseStamped(header=header(stamp, MAP), pose=placed)


def _item_pose(robot: Robot, item_id: str, stamp: Time) -> PoseStamped:
    item = robot.state.items.get(item_id)
    if item is None:
        return PoseStamped()
    x, y, _ = item.center
    return _stamped(Pose(position=Point(x=x, y=y, z=item.box.low[2])), stamp)


def _navigated(robot: Robot, done: Done, stamp: Time) -> NavigateTo.Result:
    return NavigateTo.Result(
        pose=_stamped(base_pose(robot.base), stamp),
        path_length=float(done.path_length),
        shortest_length=float(done.shortest_length),
        poses_found=done.poses_found,
        viewing=done.viewing,
    )


def _looked(robot: Robot, done: Done, stamp: Time) -> LookAt.Result:
    return LookAt.Result(
        pose=_stamped(base_pose(robot.base), stamp),
        camera_pitch=robot.pitch,
        angle_error=done.value,
    )


SKILLS: tuple[SkillServer, ...] = (
    SkillServer("navigate_to", NavigateTo, _start_navigation, _navigated),
    SkillServer(
        "pick",
        Pick,
        lambda robot, goal: skills.pick(robot, goal.object_id),
        lambda robot, done, stamp: Pick.Result(object_id=robot.state.held),
    ),
    SkillServer(
        "place",
        Place,
        lambda robot, goal: skills.place(robot, goal.object_id, goal.receptacle_id, goal.turn),
        lambda robot, done, stamp: Place.Result(
            pose=_item_pose(robot, done.object_id, stamp), receptacle_id=done.receptacle_id
        ),
    ),
    SkillServer(
        "set_open",
        SetOpen,
        lambda robot, goal: skills.set_open(robot, goal.object_id, goal.openness),
        lambda robot, done, stamp: SetOpen.Result(openness=done.value),
    ),
    SkillServer(
        "set_toggled",
        SetToggled,
        lambda robot, goal: skills.set_toggled(robot, goal.object_id, goal.toggled),
        lambda robot, done, stamp: SetToggled.Result(toggled=done.value == 1.0),
    ),
    SkillServer(
        "slice",
        Slice,
        lambda robot, goal: skills.slice_object(robot, goal.object_id),
        lambda robot, done, stamp: Slice.Result(piece_ids=list(done.piece_ids)),
    ),
    SkillServer(
        "release",
        Release,
        lambda robot, goal: skills.release(robot, goal.object_id),
        lambda robot, done, stamp: Release.Result(pose=_item_pose(robot, done.object_id, stamp)),
    ),
    SkillServer("look_at", LookAt, _start_look, _looked),
)
"""All that the robot can do."""
