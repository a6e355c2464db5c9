"""Between the simulator's state and ROS messages.

Messages speak of the frame `map` (REP 103: x forward, y left, z up; metres, radians), in which the
robot's `base_link` stands on the floor. Unity's agent position is the centre of its capsule.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseStamped, Vector3
from geometry_msgs.msg import Quaternion as QuaternionMsg

from milo_core.frames import (
    AGENT_CENTRE_HEIGHT,
    Quaternion,
    quaternion_from_unity_euler,
    quaternion_from_yaw,
    to_map,
    yaw_to_map,
)
from milo_core.goals import Verdict
from milo_core.snapshot import Snapshot, SnapshotObject, Vector
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief
from milo_msgs.action import NavigateTo, Pick, Place, Release, SetOpen
from milo_msgs.msg import GoalVerdict, ObjectState, SimMetadata
from milo_msgs.msg import SubGoal as SubGoalMsg
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.skills import (
    MAP_FRAME,
    BasePose,
    NavigateGoal,
    PickGoal,
    PlaceGoal,
    ReleaseGoal,
    SetOpenGoal,
    SkillResult,
)


def time_of(nanoseconds: int) -> Time:
    """Return a time as a message."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return Time(sec=seconds, nanosec=rest)


def _tri_state(value: bool | None) -> int:
    return ObjectState.UNKNOWN if value is None else int(value)


def _pose(position: Vector, facing: Quaternion) -> Pose:
    x, y, z = position
    return Pose(
        position=Point(x=x, y=y, z=z),
        orientation=QuaternionMsg(x=facing.x, y=facing.y, z=facing.z, w=facing.w),
    )


def base_pose(agent_position: Vector, yaw: float) -> Pose:
    """Return the pose of base_link.

    Args:
        agent_position: centre of the agent, Unity's frame, metres.
        yaw: Unity's, degrees.
    """
    x, y, z = to_map(*agent_position)
    return _pose((x, y, z - AGENT_CENTRE_HEIGHT), quaternion_from_yaw(yaw_to_map(yaw)))


def robot_pose(snapshot: Snapshot) -> Pose:
    """Return the pose of base_link in the map frame."""
    return base_pose(snapshot.agent_position, snapshot.agent_yaw)


def object_pose(obj: SnapshotObject) -> Pose:
    """Return the pose of an object's frame in the map frame."""
    return _pose(to_map(*obj.position), quaternion_from_unity_euler(*obj.rotation))


def object_state(obj: SnapshotObject, stamp: Time) -> ObjectState:
    """Return one object of the simulator's truth, observed at a time."""
    belief = ObjectBelief.from_snapshot(obj, stamp.sec + stamp.nanosec * 1e-9)
    center, size = belief.box_center, belief.box_size
    return ObjectState(
        object_id=belief.object_id,
        object_type=belief.object_type,
        pose=object_pose(obj),
        box_center=Point(x=center[0], y=center[1], z=center[2]),
        box_size=Vector3(x=size[0], y=size[1], z=size[2]),
        distance=belief.distance,
        receptacle=belief.receptacle,
        pickupable=belief.pickupable,
        openable=belief.openable,
        toggleable=belief.toggleable,
        sliceable=belief.sliceable,
        visible=_tri_state(belief.visible),
        is_open=_tri_state(belief.is_open),
        is_picked_up=_tri_state(belief.is_picked_up),
        is_toggled=_tri_state(belief.is_toggled),
        is_sliced=_tri_state(belief.is_sliced),
        openness=belief.openness,
        parent_receptacles=list(belief.parent_receptacles),
        receptacle_object_ids=list(belief.receptacle_object_ids),
        provenance=int(belief.provenance),
        observed=stamp,
    )


def sim_metadata(result: StepResult, stamp: Time) -> SimMetadata:
    """Return the simulator's truth after an engine action."""
    snapshot = result.snapshot
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
        objects=[object_state(obj, stamp) for obj in snapshot.objects.values()],
    )
    message.header.frame_id = MAP_FRAME
    message.header.stamp = stamp
    return message


def sub_goal(message: SubGoalMsg) -> SubGoal:
    """Read a sub-goal; empty texts mean none."""
    return SubGoal(message.goal, message.object or None, message.target or None)


def sub_goal_message(goal: SubGoal) -> SubGoalMsg:
    """Write a sub-goal."""
    return SubGoalMsg(goal=goal.goal, object=goal.object or "", target=goal.target or "")


def verdict_message(verdict: Verdict) -> GoalVerdict:
    """Write a verdict."""
    return GoalVerdict(
        sub_goal=sub_goal_message(verdict.sub_goal),
        satisfied=_tri_state(verdict.satisfied),
        object_id=verdict.object_id or "",
        target_id=verdict.target_id or "",
        reason=verdict.reason,
    )


def engine_base_pose(pose: Mapping[str, Any]) -> Pose:
    """Return an interactable pose of the engine as a pose of base_link."""
    return base_pose((pose["x"], pose["y"], pose["z"]), pose["rotation"])


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
    return NavigateGoal(goal.object_id, pose, goal.mode, goal.stop_distance)


def pick_goal(goal: Pick.Goal) -> PickGoal:
    """Read a goal."""
    return PickGoal(goal.object_id, goal.force)


def place_goal(goal: Place.Goal) -> PlaceGoal:
    """Read a goal."""
    return PlaceGoal(goal.receptacle_id, goal.object_id, goal.force)


def set_open_goal(goal: SetOpen.Goal) -> SetOpenGoal:
    """Read a goal."""
    return SetOpenGoal(goal.object_id, goal.openness, goal.force)


def release_goal(goal: Release.Goal) -> ReleaseGoal:
    """Read a goal."""
    return ReleaseGoal(goal.object_id, goal.force)


def navigate_result(result: SkillResult, stamp: Time) -> NavigateTo.Result:
    """Write a result; a teleport has no path length."""
    message = NavigateTo.Result(poses_found=result.poses_found)
    if result.snapshot is not None:
        message.pose = _stamped(robot_pose(result.snapshot), stamp)
    return _with_outcome(message, result)


def pick_result(result: SkillResult, stamp: Time) -> Pick.Result:
    """Write a result."""
    held = result.snapshot.held_id if result.snapshot is not None else None
    return _with_outcome(Pick.Result(object_id=held or ""), result)


def place_result(result: SkillResult, stamp: Time) -> Place.Result:
    """Write a result."""
    message = Place.Result()
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
