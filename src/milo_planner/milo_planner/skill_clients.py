"""The skills of a driver over ROS 2 actions."""

from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import Point, Pose, Quaternion
from rclpy.action import ActionClient
from rclpy.node import Node

from milo_core.error_codes import EngineError, RunTaskError
from milo_core.frames import Quaternion as FrameQuaternion
from milo_core.frames import quaternion_from_yaw, yaw_from_quaternion
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
from milo_planner.execution import Interrupted, SkillOutcome, StepOptions
from milo_planner.interruption import TaskWaiter
from milo_planner.memory import BasePose
from milo_ros.waiting import call_in_executor

CANCEL_GRACE = 5.0
"""Seconds a driver gets to end a skill that was canceled."""


def _pose_msg(pose: BasePose) -> Pose:
    rotation = quaternion_from_yaw(pose.yaw)
    return Pose(
        position=Point(x=pose.x, y=pose.y),
        orientation=Quaternion(x=rotation.x, y=rotation.y, z=rotation.z, w=rotation.w),
    )


def _outcome(result: Any) -> SkillOutcome:
    """The result of any skill action -> SkillOutcome."""
    navigated = isinstance(result, NavigateTo.Result)
    return SkillOutcome(
        result.error_code,
        result.error_msg,
        result.step,
        pose=_base_pose(result.pose.pose) if navigated else None,
        viewing=navigated and result.viewing,
        type_forced=isinstance(result, Place.Result) and result.type_forced,
    )


def _base_pose(pose: Pose) -> BasePose:
    rotation = pose.orientation
    yaw = yaw_from_quaternion(FrameQuaternion(rotation.x, rotation.y, rotation.z, rotation.w))
    return BasePose(pose.position.x, pose.position.y, yaw)


@dataclass
class _Pending:
    """What is known of one goal so far; written by the node's thread, read by the task's."""

    handle: Any = None
    rejected: bool = False
    result: Any = None


class SkillClients:
    """Sends skill goals and waits for their results; implements execution.Skills.

    Called from the task's thread while the node spins in another.
    """

    def __init__(self, node: Node, waiter: TaskWaiter, server_timeout: float, skill_timeout: float):
        self._node = node
        self._waiter = waiter
        self._server_timeout = server_timeout
        self._skill_timeout = skill_timeout
        self._clients = {
            NavigateTo: ActionClient(node, NavigateTo, "navigate_to"),
            Pick: ActionClient(node, Pick, "pick"),
            Place: ActionClient(node, Place, "place"),
            SetOpen: ActionClient(node, SetOpen, "set_open"),
            SetToggled: ActionClient(node, SetToggled, "set_toggled"),
            Slice: ActionClient(node, Slice, "slice"),
            Release: ActionClient(node, Release, "release"),
            LookAt: ActionClient(node, LookAt, "look_at"),
        }

    def navigate(self, object_id: str, mode: str, options: StepOptions) -> SkillOutcome:
        """See execution.Skills."""
        goal = NavigateTo.Goal(object_id=object_id, mode=mode, purpose=options.purpose)
        goal.excluded_poses = [_pose_msg(pose) for pose in options.excluded_poses]
        return self._call(NavigateTo, goal)

    def pick(self, object_id: str, force: bool) -> SkillOutcome:
        """See execution.Skills."""
        return self._call(Pick, Pick.Goal(object_id=object_id, force=force))

    def place(
        self, object_id: str, receptacle_id: str, force: bool, any_type: bool, turn: float
    ) -> SkillOutcome:
        """See execution.Skills."""
        goal = Place.Goal(object_id=object_id, receptacle_id=receptacle_id, force=force)
        goal.any_type, goal.turn = any_type, turn
        return self._call(Place, goal)

    def set_open(self, object_id: str, openness: float, force: bool) -> SkillOutcome:
        """See execution.Skills."""
        goal = SetOpen.Goal(object_id=object_id, openness=openness, force=force)
        return self._call(SetOpen, goal)

    def set_toggled(self, object_id: str, toggled: bool, force: bool) -> SkillOutcome:
        """See execution.Skills."""
        goal = SetToggled.Goal(object_id=object_id, toggled=toggled, force=force)
        return self._call(SetToggled, goal)

    def slice(self, object_id: str, force: bool) -> SkillOutcome:
        """See execution.Skills."""
        return self._call(Slice, Slice.Goal(object_id=object_id, force=force))

    def look_at(self, object_id: str) -> SkillOutcome:
        """See execution.Skills."""
        return self._call(LookAt, LookAt.Goal(object_id=object_id))

    def release(self, object_id: str, force: bool) -> SkillOutcome:
        """See execution.Skills."""
        return self._call(Release, Release.Goal(object_id=object_id, force=force))

    def _call(self, kind: Any, goal: Any) -> SkillOutcome:
        self._waiter.check()
        client = self._clients[kind]
        if not client.wait_for_server(timeout_sec=self._server_timeout):
            text = (
                f"No driver serves the action {kind.__name__} within {self._server_timeout:g} s; "
                "is the bridge or robot driver running?"
            )
            return SkillOutcome(RunTaskError.DRIVER_UNAVAILABLE, text)
        pending = _Pending()
        call_in_executor(self._node, lambda: self._send(client, goal, pending))
        try:
            answered = self._waiter.wait(
                lambda: pending.rejected or pending.handle is not None, self._server_timeout
            )
            ended = answered and self._waiter.wait(
                lambda: pending.rejected or pending.result is not None, self._skill_timeout
            )
        except Interrupted:
            self._cancel(pending)
            raise
        if not answered:
            text = f"The driver did not answer the {kind.__name__} goal within "
            text += f"{self._server_timeout:g} s; is it overloaded or stuck?"
            return SkillOutcome(RunTaskError.DRIVER_UNAVAILABLE, text)
        if pending.rejected:
            return SkillOutcome(
                RunTaskError.DRIVER_UNAVAILABLE, f"The driver rejected the {kind.__name__} goal."
            )
        if not ended:
            self._cancel(pending)
            text = f"The driver did not finish {kind.__name__} within {self._skill_timeout:g} s."
            return SkillOutcome(EngineError.ENGINE_TIMEOUT, text)
        return _outcome(pending.result.result)

    def _send(self, client: Any, goal: Any, pending: _Pending) -> None:
        client.send_goal_async(goal).add_done_callback(
            lambda future: self._on_response(pending, future)
        )

    def _on_response(self, pending: _Pending, future: Any) -> None:
        handle = future.result()
        if handle is None or not handle.accepted:
            pending.rejected = True
            self._waiter.notify()
            return
        pending.handle = handle
        handle.get_result_async().add_done_callback(lambda done: self._on_result(pending, done))

    def _on_result(self, pending: _Pending, future: Any) -> None:
        pending.result = future.result()
        self._waiter.notify()

    def _cancel(self, pending: _Pending) -> None:
        """Cancel the goal and give the driver a moment to end it, so that nothing moves on."""
        if pending.handle is not None:
            call_in_executor(self._node, pending.handle.cancel_goal_async)
        self._waiter.wait(
            lambda: pending.rejected or pending.result is not None,
            CANCEL_GRACE,
            interruptible=False,
        )
