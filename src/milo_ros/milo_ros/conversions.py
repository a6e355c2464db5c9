"""Between MILO's messages and the ROS-free types of milo_core."""

import math
from collections.abc import Iterable

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3

from milo_core import frames
from milo_core.snapshot import Snapshot, Vector
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, Provenance, WorldModel
from milo_msgs.msg import ObjectState, WorldState
from milo_msgs.msg import SubGoal as SubGoalMsg


def time_msg(seconds: float) -> Time:
    """Seconds -> Time."""
    whole = math.floor(seconds)
    return Time(sec=whole, nanosec=min(999_999_999, round((seconds - whole) * 1e9)))


def seconds(stamp: Time) -> float:
    """Time -> seconds."""
    return float(stamp.sec + stamp.nanosec * 1e-9)


def tri_state(value: bool | None) -> int:
    """True, False, None -> YES, NO, UNKNOWN."""
    return ObjectState.UNKNOWN if value is None else int(value)


def from_tri_state(value: int) -> bool | None:
    """YES, NO, UNKNOWN -> True, False, None."""
    return None if value == ObjectState.UNKNOWN else bool(value)


def point(position: Vector) -> Point:
    """A position in metres -> Point."""
    return Point(x=position[0], y=position[1], z=position[2])


def quaternion(q: frames.Quaternion) -> Quaternion:
    """A quaternion -> Quaternion."""
    return Quaternion(x=q.x, y=q.y, z=q.z, w=q.w)


def robot_pose(agent_position: Vector, yaw_degrees: float) -> Pose:
    """The agent's Unity pose -> pose of base_link, on the floor below it, in the map frame."""
    x, y, z = frames.to_map(*agent_position)
    heading = frames.quaternion_from_yaw(frames.yaw_to_map(yaw_degrees))
    return Pose(
        position=Point(x=x, y=y, z=z - frames.AGENT_CENTRE_HEIGHT), orientation=quaternion(heading)
    )


def agent_pose(pose: Pose) -> tuple[Vector, float]:
    """Pose of base_link in the map frame -> the agent's Unity position and yaw in degrees."""
    height = pose.position.z + frames.AGENT_CENTRE_HEIGHT
    position = frames.to_unity(pose.position.x, pose.position.y, height)
    q = pose.orientation
    yaw = frames.yaw_from_quaternion(frames.Quaternion(q.x, q.y, q.z, q.w))
    return position, frames.yaw_to_unity(yaw)


def object_pose(position: Vector, rotation: Vector) -> Pose:
    """An object's Unity position and Euler angles in degrees -> pose in the map frame."""
    orientation = frames.quaternion_from_unity_euler(*rotation)
    return Pose(position=point(frames.to_map(*position)), orientation=quaternion(orientation))


def object_state_msg(belief: ObjectBelief, orientation: Quaternion | None = None) -> ObjectState:
    """A belief -> ObjectState; the model holds no orientation, so it is given apart."""
    pose = Pose(position=point(belief.position))
    if orientation is not None:
        pose.orientation = orientation
    size = belief.box_size
    return ObjectState(
        object_id=belief.object_id,
        object_type=belief.object_type,
        pose=pose,
        box_center=point(belief.box_center),
        box_size=Vector3(x=size[0], y=size[1], z=size[2]),
        distance=belief.distance,
        receptacle=belief.receptacle,
        pickupable=belief.pickupable,
        openable=belief.openable,
        toggleable=belief.toggleable,
        sliceable=belief.sliceable,
        visible=tri_state(belief.visible),
        is_open=tri_state(belief.is_open),
        is_picked_up=tri_state(belief.is_picked_up),
        is_toggled=tri_state(belief.is_toggled),
        is_sliced=tri_state(belief.is_sliced),
        openness=belief.openness,
        parent_receptacles=list(belief.parent_receptacles),
        receptacle_object_ids=list(belief.receptacle_object_ids),
        provenance=int(belief.provenance),
        observed=time_msg(belief.observed),
    )


def belief_from_msg(msg: ObjectState) -> ObjectBelief:
    """ObjectState -> a belief."""
    position, center, size = msg.pose.position, msg.box_center, msg.box_size
    return ObjectBelief(
        object_id=msg.object_id,
        object_type=msg.object_type,
        position=(position.x, position.y, position.z),
        box_center=(center.x, center.y, center.z),
        box_size=(size.x, size.y, size.z),
        distance=msg.distance,
        receptacle=msg.receptacle,
        pickupable=msg.pickupable,
        openable=msg.openable,
        toggleable=msg.toggleable,
        sliceable=msg.sliceable,
        visible=from_tri_state(msg.visible),
        is_open=from_tri_state(msg.is_open),
        openness=msg.openness,
        is_picked_up=from_tri_state(msg.is_picked_up),
        is_toggled=from_tri_state(msg.is_toggled),
        is_sliced=from_tri_state(msg.is_sliced),
        parent_receptacles=tuple(msg.parent_receptacles),
        receptacle_object_ids=tuple(msg.receptacle_object_ids),
        provenance=Provenance(msg.provenance),
        observed=seconds(msg.observed),
    )


def object_state_msgs(snapshot: Snapshot, stamp: float) -> list[ObjectState]:
    """All objects of a simulator snapshot -> ObjectState, provenance simulated."""
    return [
        object_state_msg(
            ObjectBelief.from_snapshot(obj, stamp),
            quaternion(frames.quaternion_from_unity_euler(*obj.rotation)),
        )
        for obj in snapshot.objects.values()
    ]


def world_model_from_msg(msg: WorldState) -> WorldModel:
    """WorldState -> the model that planners read."""
    position = msg.robot_pose.position
    beliefs: Iterable[ObjectBelief] = map(belief_from_msg, msg.objects)
    return WorldModel(
        scene=msg.scene,
        step=msg.step,
        episode=msg.episode,
        stamp=seconds(msg.header.stamp),
        objects={belief.object_id: belief for belief in beliefs},
        held_id=msg.held_object_id or None,
        robot_position=(position.x, position.y, position.z),
    )


def sub_goal_msg(sub_goal: SubGoal) -> SubGoalMsg:
    """A sub-goal -> SubGoal message."""
    return SubGoalMsg(
        goal=sub_goal.goal, object=sub_goal.object or "", target=sub_goal.target or ""
    )


def sub_goal_from_msg(msg: SubGoalMsg) -> SubGoal:
    """SubGoal message -> a sub-goal; an empty name is none."""
    return SubGoal(msg.goal, msg.object or None, msg.target or None)
