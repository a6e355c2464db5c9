"""NavigateTo: the base moves to an object or to a pose, by teleport or along a path."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from milo_core.error_codes import NavigateToError
from milo_core.frames import Quaternion, to_unity, yaw_from_quaternion, yaw_to_unity
from milo_core.snapshot import Vector
from milo_sim_bridge import path_following
from milo_sim_bridge.skill_run import (
    MAP_FRAME,
    Control,
    EnginePose,
    SkillEngine,
    SkillError,
    SkillResult,
    SkillRun,
    execute,
)

MODE_TELEPORT = "teleport"
MODE_PATH = "path"


@dataclass(frozen=True)
class BasePose:
    """Where the robot should stand, metres."""

    frame: str
    position: Vector
    orientation: Quaternion


@dataclass(frozen=True)
class NavigateGoal:
    """Goal of `navigate_to`; a pose counts only without an object."""

    object_id: str = ""
    pose: BasePose | None = None
    mode: str = ""
    stop_distance: float = 0.0


def navigate_to(engine: SkillEngine, control: Control, goal: NavigateGoal) -> SkillResult:
    """Move the base to where an object can be interacted with, or to a pose.

    The mode `teleport` takes the engine's first interactable pose, `path` drives to the one that is
    cheapest to reach. With `stop_distance` the poses farther than that from the object's box
    centre (on the floor) are passed over. A pose is taken on the floor on which the robot stands:
    its height, roll and pitch don't matter, the camera keeps its pitch.
    """

    def body(run: SkillRun) -> None:
        _check_motion(run, goal)
        if goal.object_id:
            _navigate_to_object(run, goal)
        else:
            _navigate_to_pose(run, goal)

    return execute("NavigateTo", engine, control, body)


def _check_motion(run: SkillRun, goal: NavigateGoal) -> None:
    if goal.mode not in ("", MODE_TELEPORT, MODE_PATH):
        raise run.error(
            "INVALID_GOAL", f"'{goal.mode}' is no mode; use '{MODE_TELEPORT}' or '{MODE_PATH}'."
        )
    if not (math.isfinite(goal.stop_distance) and goal.stop_distance >= 0):
        raise run.error("INVALID_GOAL", "stop_distance must be a number of metres, 0 or more.")


def _navigate_to_object(run: SkillRun, goal: NavigateGoal) -> None:
    target = run.require_object(goal.object_id)
    path = goal.mode == MODE_PATH
    found = run.act(
        "querying_poses",
        "GetInteractablePoses",
        distance=target.distance,
        objectId=goal.object_id,
        # Driving happens in the grid's headings; by default the engine turns with the agent.
        **({"rotations": [0.0, 90.0, 180.0, 270.0]} if path else {}),
    ).action_return
    poses = list(found or ())
    if goal.stop_distance:
        poses = [p for p in poses if _floor_distance(p, target.box_center) <= goal.stop_distance]
    run.report.poses_found = len(poses)
    near = f" within {goal.stop_distance:g} m" if goal.stop_distance else ""
    missing = f"There is no pose{near} from which {goal.object_id} can be interacted with."
    if path:
        path_following.drive_to_object(run, target, [_engine_pose(p) for p in poses], missing)
    elif poses:
        _teleport(run, _engine_pose(poses[0]))
    else:
        raise SkillError(NavigateToError.NO_INTERACTABLE_POSE, missing)


def _engine_pose(pose: Mapping[str, Any]) -> EnginePose:
    return EnginePose(
        (pose["x"], pose["y"], pose["z"]), pose["rotation"], pose["horizon"], pose["standing"]
    )


def _teleport(run: SkillRun, pose: EnginePose) -> None:
    x, y, z = pose.position
    run.act(
        "moving",
        "TeleportFull",
        distance=_floor_distance({"x": x, "z": z}, run.state().agent_position),
        position={"x": x, "y": y, "z": z},
        rotation={"x": 0, "y": pose.yaw, "z": 0},
        horizon=pose.horizon,
        standing=pose.standing,
    )


def _navigate_to_pose(run: SkillRun, goal: NavigateGoal) -> None:
    pose = goal.pose
    if pose is None or pose.frame != MAP_FRAME:
        raise run.error("INVALID_GOAL", f"Name an object_id, or a pose in the frame '{MAP_FRAME}'.")
    facing = pose.orientation
    norm = math.hypot(facing.x, facing.y, facing.z, facing.w)
    if not (all(map(math.isfinite, pose.position)) and abs(norm - 1.0) < 0.01):
        raise run.error("INVALID_GOAL", "The pose needs finite numbers and a unit quaternion.")
    x, _, z = to_unity(*pose.position)
    here = run.state().agent_position
    yaw = yaw_to_unity(yaw_from_quaternion(facing))
    if goal.mode == MODE_PATH:
        path_following.drive_to_pose(run, (x, here[1], z), yaw)
        return
    position = {"x": x, "y": here[1], "z": z}
    run.act(
        "moving",
        "Teleport",
        distance=_floor_distance(position, here),
        position=position,
        rotation={"x": 0, "y": yaw, "z": 0},
    )


def _floor_distance(pose: Mapping[str, Any], point: Vector) -> float:
    """Metres on the floor between an engine pose and a point, both in Unity's frame."""
    return math.hypot(pose["x"] - point[0], pose["z"] - point[2])
