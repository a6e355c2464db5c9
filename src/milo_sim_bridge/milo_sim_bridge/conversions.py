"""Between the simulator's state and ROS messages.

Messages speak of the frame `map` (REP 103: x forward, y left, z up; metres, radians), in which the
robot's `base_link` stands on the floor. Unity's agent position is the centre of its capsule.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseStamped

from milo_core.frames import (
    AGENT_CENTRE_HEIGHT,
    Quaternion,
    quaternion_from_unity_euler,
    to_map,
    to_unity,
    yaw_from_quaternion,
    yaw_to_unity,
)
from milo_core.goals import Verdict
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_core.world_model import ObjectBelief
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
from milo_msgs.msg import GoalVerdict, ObjectState, SimMetadata
from milo_ros import conversions as common
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.looking import LookAtGoal
from milo_sim_bridge.navigation import BasePose, NavigateGoal
from milo_sim_bridge.skill_run import MAP_FRAME, EnginePose, SkillResult
from milo_sim_bridge.skills import (
    PickGoal,
    PlaceGoal,
    ReleaseGoal,
    SetOpenGoal,
    SetToggledGoal,
    SliceGoal,
)


def time_of(nanoseconds: int) -> Time:
    """Return a time as a message."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return Time(sec=seconds, nanosec=rest)


def robot_pose(snapshot: Snapshot) -> Pose:
    """Return the pose of base_link in the map frame."""
    return common.robot_pose(snapshot.agent_position, snapshot.agent_yaw)


def object_pose(obj: SnapshotObject) -> Pose:
    """Return the pose of an object's frame in the map frame."""
    return common.object_pose(obj.position, obj.rotation)


class MetadataWriter:
    """Writes the simulator's truth after each engine action as a message.

    Most objects rest while the robot works. Their messages are kept and get new values only where
    the robot's motion or the passing of time shows, so a written message is valid until the next
    one is written.
    """

    def __init__(self) -> None:
        self._objects: dict[str, tuple[tuple[object, ...], ObjectState]] = {}

    def write(self, result: StepResult, stamp: Time) -> SimMetadata:
        """Return the message of an engine action."""
        snapshot = result.snapshot
        objects = {o.object_id: self._object(o, stamp) for o in snapshot.objects.values()}
        self._objects = objects
        message = SimMetadata(
            step=result.step,
            episode=result.episode,
            scene=snapshot.scene,
            last_action=result.action,
            last_action_success=result.success,
            error_code=result.error_code,
            error_message=result.error_message,
            robot_pose=robot_pose(snapshot),
            camera_pitch=math.radians(snapshot.camera_horizon),
            standing=snapshot.standing,
            held_object_id=snapshot.held_id or "",
            objects=[message for _, message in objects.values()],
        )
        message.header.frame_id = MAP_FRAME
        message.header.stamp = stamp
        return message

    def _object(self, obj: SnapshotObject, stamp: Time) -> tuple[tuple[object, ...], ObjectState]:
        state = _resting_state(obj)
        known, message = self._objects.get(obj.object_id, (None, None))
        if message is None or known != state:
            orientation = common.quaternion(quaternion_from_unity_euler(*obj.rotation))
            message = common.object_state_msg(ObjectBelief.from_snapshot(obj, 0.0), orientation)
        message.distance = obj.distance
        message.visible = int(obj.visible)
        message.observed = stamp
        return state, message


def _resting_state(obj: SnapshotObject) -> tuple[object, ...]:
    """All facts but those that change with the robot's place: distance and visibility."""
    return (
        obj.object_type,
        obj.position,
        obj.rotation,
        obj.box_center,
        obj.box_size,
        obj.receptacle,
        obj.pickupable,
        obj.openable,
        obj.toggleable,
        obj.sliceable,
        obj.is_open,
        obj.openness,
        obj.is_picked_up,
        obj.is_toggled,
        obj.is_sliced,
        obj.parent_receptacles,
        obj.receptacle_object_ids,
    )


def verdict_message(verdict: Verdict) -> GoalVerdict:
    """Write a verdict."""
    return GoalVerdict(
        sub_goal=common.sub_goal_msg(verdict.sub_goal),
        satisfied=common.tri_state(verdict.satisfied),
        object_id=verdict.object_id or "",
        target_id=verdict.target_id or "",
        reason=verdict.reason,
    )


def engine_base_pose(pose: Mapping[str, Any]) -> Pose:
    """Return an interactable pose of the engine as a pose of base_link."""
    return common.robot_pose((pose["x"], pose["y"], pose["z"]), pose["rotation"])


def floor_points(positions: Iterable[Mapping[str, float]]) -> list[Point]:
    """Return agent positions of the engine as points on the floor of the map frame."""
    points = (to_map(p["x"], p["y"], p["z"]) for p in positions)
    return [Point(x=x, y=y, z=z - AGENT_CENTRE_HEIGHT) for x, y, z in points]


def navigate_goal(goal: NavigateTo.Goal) -> NavigateGoal:
    """Read a goal."""
    position, facing = goal.pose.pose.position, goal.pose.pose.orientation
    pose = BasePose(
        goal.pose.header.frame_id,
        (position.x, position.y, position.z),
        Quaternion(facing.x, facing.y, facing.z, facing.w),
    )
    excluded = tuple(_excluded_pose(pose) for pose in goal.excluded_poses)
    return NavigateGoal(goal.object_id, pose, goal.mode, goal.stop_distance, goal.purpose, excluded)


def _excluded_pose(pose: Pose) -> EnginePose:
    position, facing = pose.position, pose.orientation
    yaw = yaw_from_quaternion(Quaternion(facing.x, facing.y, facing.z, facing.w))
    return EnginePose(to_unity(position.x, position.y, position.z), yaw_to_unity(yaw))


def pick_goal(goal: Pick.Goal) -> PickGoal:
    """Read a goal."""
    return PickGoal(goal.object_id, goal.force)


def place_goal(goal: Place.Goal) -> PlaceGoal:
    """Read a goal."""
    return PlaceGoal(goal.receptacle_id, goal.object_id, goal.force, goal.any_type, goal.turn)


def set_open_goal(goal: SetOpen.Goal) -> SetOpenGoal:
    """Read a goal."""
    return SetOpenGoal(goal.object_id, goal.openness, goal.force)


def set_toggled_goal(goal: SetToggled.Goal) -> SetToggledGoal:
    """Read a goal."""
    return SetToggledGoal(goal.object_id, goal.toggled, goal.force)


def slice_goal(goal: Slice.Goal) -> SliceGoal:
    """Read a goal."""
    return SliceGoal(goal.object_id, goal.force)


def look_at_goal(goal: LookAt.Goal) -> LookAtGoal:
    """Read a goal."""
    point = goal.point.point
    return LookAtGoal(goal.object_id, goal.point.header.frame_id, (point.x, point.y, point.z))


def release_goal(goal: Release.Goal) -> ReleaseGoal:
    """Read a goal."""
    return ReleaseGoal(goal.object_id, goal.force)


def navigate_result(result: SkillResult, stamp: Time) -> NavigateTo.Result:
    """Write a result; a teleport has no path length."""
    message = NavigateTo.Result(
        poses_found=result.poses_found,
        path_length=result.path_length,
        shortest_length=result.shortest_length,
        viewing=result.viewing,
    )
    viewing = result.viewing_pose
    if viewing is not None:
        message.viewing_pose_valid = True
        message.viewing_pose = _stamped(common.robot_pose(viewing.position, viewing.yaw), stamp)
        message.viewing_camera_pitch = math.radians(viewing.horizon)
    if result.snapshot is not None:
        message.pose = _stamped(robot_pose(result.snapshot), stamp)
    return _with_outcome(message, result)


def pick_result(result: SkillResult, stamp: Time) -> Pick.Result:
    """Write a result."""
    held = result.snapshot.held_id if result.snapshot is not None else None
    return _with_outcome(Pick.Result(object_id=held or ""), result)


def place_result(result: SkillResult, stamp: Time) -> Place.Result:
    """Write a result."""
    message = Place.Result(type_forced=result.type_forced)
    placed = _moved(result)
    if placed is not None:
        message.pose = _stamped(object_pose(placed), stamp)
        message.receptacle_id = result.receptacle_id
    return _with_outcome(message, result)


def set_open_result(result: SkillResult, stamp: Time) -> SetOpen.Result:
    """Write a result; the openness is NaN while it is unknown."""
    obj = _moved(result)
    openness = obj.openness if obj is not None else math.nan
    return _with_outcome(SetOpen.Result(openness=openness), result)


def set_toggled_result(result: SkillResult, stamp: Time) -> SetToggled.Result:
    """Write a result; off where the state is unknown."""
    obj = _moved(result)
    return _with_outcome(SetToggled.Result(toggled=obj is not None and obj.is_toggled), result)


def slice_result(result: SkillResult, stamp: Time) -> Slice.Result:
    """Write a result."""
    return _with_outcome(Slice.Result(piece_ids=list(result.piece_ids)), result)


def look_at_result(result: SkillResult, stamp: Time) -> LookAt.Result:
    """Write a result; the angle is NaN where the robot did not look."""
    message = LookAt.Result(angle_error=result.angle_error)
    if result.snapshot is not None:
        message.pose = _stamped(robot_pose(result.snapshot), stamp)
        message.camera_pitch = math.radians(result.snapshot.camera_horizon)
    return _with_outcome(message, result)


def release_result(result: SkillResult, stamp: Time) -> Release.Result:
    """Write a result."""
    message = Release.Result()
    released = _moved(result)
    if released is not None:
        message.pose = _stamped(object_pose(released), stamp)
    return _with_outcome(message, result)


def _moved(result: SkillResult) -> SnapshotObject | None:
    if result.snapshot is None:
        return None
    return result.snapshot.objects.get(result.object_id)


def _stamped(pose: Pose, stamp: Time) -> PoseStamped:
    message = PoseStamped(pose=pose)
    message.header.frame_id = MAP_FRAME
    message.header.stamp = stamp
    return message


def _with_outcome(message: Any, result: SkillResult) -> Any:
    message.step = result.step
    message.error_code = result.error_code
    message.error_msg = result.error_msg
    return message
