"""NavigateTo: the base moves to an object or to a pose, by teleport or along a path."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from milo_core.error_codes import NavigateToError
from milo_core.frames import Quaternion, to_unity, yaw_from_quaternion, yaw_to_unity
from milo_core.snapshot import SnapshotObject, Vector
from milo_sim_bridge import path_following, viewpoints
from milo_sim_bridge.path_planning import turn_between
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
PURPOSES = ("", "interact", "place", "view")
_VIEWS = 5
"""Viewing poses that are tried."""
_PASSED_OVER = (
    NavigateToError.UNREACHABLE,
    NavigateToError.BLOCKED,
    NavigateToError.HAND_COLLISION,
)
"""Where a viewing pose can't be taken for one of these, the next one is tried."""
_SAME_PLACE = 0.1
"""Metres within which a pose is one that was excluded."""
_SAME_HEADING = 10.0
"""Degrees within which it is."""


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
    purpose: str = ""
    excluded: tuple[EnginePose, ...] = ()
    """Not to be taken again; their horizon and posture don't matter."""


def navigate_to(engine: SkillEngine, control: Control, goal: NavigateGoal) -> SkillResult:
    """Move the base to where an object can be interacted with or seen, or to a pose.

    The mode `teleport` takes the engine's first interactable pose, `path` drives to the one that is
    cheapest to reach. The purpose `place` prefers poses close to the object that look at its
    middle; `view` is content with a pose that sees the object where none to interact with it can
    be had. With `stop_distance` the poses farther than that from the object's box
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
    if goal.purpose not in PURPOSES:
        purposes = ", ".join(f"'{purpose}'" for purpose in PURPOSES[1:])
        raise run.error("INVALID_GOAL", f"'{goal.purpose}' is no purpose; use {purposes}.")
    if not (math.isfinite(goal.stop_distance) and goal.stop_distance >= 0):
        raise run.error("INVALID_GOAL", "stop_distance must be a number of metres, 0 or more.")
    if not all(math.isfinite(v) for pose in goal.excluded for v in (*pose.position, pose.yaw)):
        raise run.error("INVALID_GOAL", "The excluded poses need finite numbers.")


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
    candidates = [pose for p in poses if not _is_excluded(pose := _engine_pose(p), goal)]
    run.report.poses_found = len(candidates)
    missing = _missing(goal, len(poses) - len(candidates))
    try:
        _approach(run, goal, target, candidates, missing)
    except SkillError as error:
        hopeless = (NavigateToError.UNREACHABLE, NavigateToError.NO_INTERACTABLE_POSE)
        if goal.purpose != "view" or error.code not in hopeless:
            raise
        _view(run, goal, target, error)


def _is_excluded(pose: EnginePose, goal: NavigateGoal) -> bool:
    x, _, z = pose.position
    return any(
        math.hypot(x - other.position[0], z - other.position[2]) <= _SAME_PLACE
        and abs(turn_between(pose.yaw, other.yaw)) <= _SAME_HEADING
        for other in goal.excluded
    )


def _missing(goal: NavigateGoal, excluded: int) -> str:
    near = f" within {goal.stop_distance:g} m" if goal.stop_distance else ""
    other = "no other pose" if excluded else "no pose"
    besides = f" ({excluded} were excluded)" if excluded else ""
    return f"There is {other}{near} from which {goal.object_id} can be interacted with{besides}."


def _approach(
    run: SkillRun,
    goal: NavigateGoal,
    target: SnapshotObject,
    candidates: Sequence[EnginePose],
    missing: str,
) -> None:
    """Move to one of the poses from which an object can be interacted with."""
    if goal.mode == MODE_PATH:
        path_following.drive_to_object(
            run,
            target,
            candidates,
            missing,
            close=goal.purpose == "place",
            offer_view=goal.purpose != "view",
        )
    elif not candidates:
        raise SkillError(NavigateToError.NO_INTERACTABLE_POSE, missing)
    elif goal.purpose == "place":
        _teleport(run, min(candidates, key=lambda pose: viewpoints.closeness(pose, target)))
    else:
        _teleport(run, candidates[0])


def _view(run: SkillRun, goal: NavigateGoal, target: SnapshotObject, reason: SkillError) -> None:
    """Move to where an object is in the picture, however far away.

    Raises:
        SkillError: UNREACHABLE: it is not seen from any of the best poses, and `reason` says why
            it can't be interacted with.
    """
    grid = path_following.map_of(run)
    lengths = grid.lengths_from(path_following.cell_now(run, grid))
    poses = viewpoints.viewing_poses(run, grid, target)
    for pose in islice((pose for pose in poses if not _is_excluded(pose, goal)), _VIEWS):
        try:
            if goal.mode == MODE_PATH:
                path_following.drive_to_view(run, grid, pose)
            else:
                _teleport(run, pose)
        except SkillError as error:
            if error.code not in _PASSED_OVER:
                raise
            continue
        if target.object_id in viewpoints.perceived(run.engine):
            run.report.viewing = True
            if goal.mode == MODE_PATH:
                # Of the whole way, which may have led past poses that did not see it.
                cell = grid.cell_of(pose.position[0], pose.position[2])
                run.report.shortest_length = lengths[cell]
            return
    raise SkillError(
        NavigateToError.UNREACHABLE,
        f"{str(reason).removesuffix('.')}, and no pose that sees it was found.",
    )


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
