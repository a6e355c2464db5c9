"""The robot's skills as sequences of engine actions, with numbered error codes.

Every skill checks its goal, acts, and compares the simulator's state afterwards with what it
should have become. The engine's own words are passed on unchanged as the error message.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

from milo_core.error_codes import (
    CODES_OF_ACTION,
    NONE,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    SetOpenError,
    classify_engine_message,
)
from milo_core.errors import MiloError
from milo_core.frames import Quaternion, to_unity, yaw_from_quaternion, yaw_to_unity
from milo_core.snapshot import Snapshot, SnapshotObject, Vector
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.errors import EngineFailure

MAP_FRAME = "map"
MODE_TELEPORT = "teleport"
MODE_PATH = "path"
_OPENNESS_TOLERANCE = 0.05


class SkillEngine(Protocol):
    """What a skill needs of the engine."""

    @property
    def latest(self) -> StepResult:
        """The result of the last engine action."""

    @property
    def step_count(self) -> int:
        """Number of the last engine action."""

    def step(self, action: str, **arguments: object) -> StepResult:
        """Do one engine action."""


@dataclass(frozen=True)
class Control:
    """The client's side of a running skill."""

    canceled: Callable[[], bool] = lambda: False
    feedback: Callable[[str, float], None] = lambda stage, distance: None
    """Takes the stage that begins and the metres that remain (NaN: not a motion)."""


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


@dataclass(frozen=True)
class PickGoal:
    """Goal of `pick`."""

    object_id: str
    force: bool = False


@dataclass(frozen=True)
class PlaceGoal:
    """Goal of `place`; no object: whatever is held."""

    receptacle_id: str
    object_id: str = ""
    force: bool = False


@dataclass(frozen=True)
class SetOpenGoal:
    """Goal of `set_open`."""

    object_id: str
    openness: float
    force: bool = False


@dataclass(frozen=True)
class ReleaseGoal:
    """Goal of `release`; no object: whatever is held."""

    object_id: str = ""
    force: bool = False


@dataclass(frozen=True)
class SkillResult:
    """How a skill ended."""

    error_code: int
    """0: none."""
    error_msg: str
    step: int
    """Number of the last engine action."""
    snapshot: Snapshot | None
    """The simulator's state afterwards; None: no scene is loaded."""
    object_id: str = ""
    """The object that was acted on; empty: none."""
    receptacle_id: str = ""
    """The receptacle that holds it now; empty: none."""
    poses_found: int = 0


class _SkillError(MiloError):
    def __init__(self, code: IntEnum, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Run:
    """One execution of a skill."""

    def __init__(self, action: str, engine: SkillEngine, control: Control) -> None:
        self._action = action
        self._codes = CODES_OF_ACTION[action]
        self._engine = engine
        self._control = control
        self.object_id = ""
        self.receptacle_id = ""
        self.poses_found = 0

    def error(self, name: str, message: str) -> _SkillError:
        """Return an error with a code that every skill has under the same name."""
        return _SkillError(self._codes[name], message)

    def state(self) -> Snapshot:
        """Return the simulator's present state."""
        return self._engine.latest.snapshot

    def require_object(self, object_id: str, field: str = "object_id") -> SnapshotObject:
        """Return the object with an id, or fail."""
        if not object_id:
            raise self.error("INVALID_GOAL", f"The goal names no {field}.")
        found = self.state().objects.get(object_id)
        if found is None:
            raise self.error("OBJECT_NOT_FOUND", f"There is no object '{object_id}' in the scene.")
        return found

    def act(
        self, stage: str, action: str, *, distance: float = math.nan, **arguments: object
    ) -> StepResult:
        """Do one engine action unless the goal was cancelled; fail when the engine refuses."""
        if self._control.canceled():
            raise self.error("CANCELED", f"{self._action} was cancelled before {action}.")
        self._control.feedback(stage, distance)
        result = self._engine.step(action, **arguments)
        if not result.success:
            message = result.error_message or f"The engine refused {action} without a reason."
            raise _SkillError(classify_engine_message(self._action, message), message)
        return result


def _execute(
    action: str, engine: SkillEngine, control: Control, body: Callable[[_Run], None]
) -> SkillResult:
    run = _Run(action, engine, control)
    code, message = NONE, ""
    try:
        body(run)
    except (_SkillError, EngineFailure) as error:
        code, message = int(error.code), str(error)
    try:
        snapshot: Snapshot | None = engine.latest.snapshot
    except EngineFailure:
        snapshot = None
    return SkillResult(
        error_code=code,
        error_msg=message,
        step=engine.step_count,
        snapshot=snapshot,
        object_id=run.object_id,
        receptacle_id=run.receptacle_id,
        poses_found=run.poses_found,
    )


def canceled(action: str, engine: SkillEngine) -> SkillResult:
    """Return the result of a skill that was cancelled before its turn."""

    def body(run: _Run) -> None:
        raise run.error("CANCELED", f"{action} was cancelled before it began.")

    return _execute(action, engine, Control(), body)


def navigate_to(engine: SkillEngine, control: Control, goal: NavigateGoal) -> SkillResult:
    """Teleport the base to an object's first interactable pose, or to a pose.

    With `stop_distance` the poses farther than that from the object's box centre (on the floor)
    are passed over. A pose is taken on the floor on which the robot stands: its height, roll and
    pitch don't matter, the camera keeps its pitch.
    """

    def body(run: _Run) -> None:
        _check_motion(run, goal)
        if goal.object_id:
            _navigate_to_object(run, goal)
        else:
            _navigate_to_pose(run, goal)

    return _execute("NavigateTo", engine, control, body)


def _check_motion(run: _Run, goal: NavigateGoal) -> None:
    if goal.mode == MODE_PATH:
        raise _SkillError(
            NavigateToError.MODE_UNSUPPORTED,
            "This driver can't follow a path; use the mode 'teleport'.",
        )
    if goal.mode not in ("", MODE_TELEPORT):
        raise run.error("INVALID_GOAL", f"'{goal.mode}' is no mode; use 'teleport'.")
    if not (math.isfinite(goal.stop_distance) and goal.stop_distance >= 0):
        raise run.error("INVALID_GOAL", "stop_distance must be a number of metres, 0 or more.")


def _navigate_to_object(run: _Run, goal: NavigateGoal) -> None:
    target = run.require_object(goal.object_id)
    found = run.act(
        "querying_poses",
        "GetInteractablePoses",
        distance=target.distance,
        objectId=goal.object_id,
    ).action_return
    poses = list(found or ())
    if goal.stop_distance:
        poses = [p for p in poses if _floor_distance(p, target.box_center) <= goal.stop_distance]
    run.poses_found = len(poses)
    if not poses:
        near = f" within {goal.stop_distance:g} m" if goal.stop_distance else ""
        raise _SkillError(
            NavigateToError.NO_INTERACTABLE_POSE,
            f"There is no pose{near} from which {goal.object_id} can be interacted with.",
        )
    pose = poses[0]
    run.act(
        "moving",
        "TeleportFull",
        distance=_floor_distance(pose, run.state().agent_position),
        position={axis: pose[axis] for axis in "xyz"},
        rotation={"x": 0, "y": pose["rotation"], "z": 0},
        horizon=pose["horizon"],
        standing=pose["standing"],
    )


def _navigate_to_pose(run: _Run, goal: NavigateGoal) -> None:
    pose = goal.pose
    if pose is None or pose.frame != MAP_FRAME:
        raise run.error("INVALID_GOAL", f"Name an object_id, or a pose in the frame '{MAP_FRAME}'.")
    facing = pose.orientation
    norm = math.hypot(facing.x, facing.y, facing.z, facing.w)
    if not (all(map(math.isfinite, pose.position)) and abs(norm - 1.0) < 0.01):
        raise run.error("INVALID_GOAL", "The pose needs finite numbers and a unit quaternion.")
    x, _, z = to_unity(*pose.position)
    here = run.state().agent_position
    position = {"x": x, "y": here[1], "z": z}
    run.act(
        "moving",
        "Teleport",
        distance=_floor_distance(position, here),
        position=position,
        rotation={"x": 0, "y": yaw_to_unity(yaw_from_quaternion(facing)), "z": 0},
    )


def _floor_distance(pose: Mapping[str, Any], point: Vector) -> float:
    """Metres on the floor between an engine pose and a point, both in Unity's frame."""
    return math.hypot(pose["x"] - point[0], pose["z"] - point[2])


def pick(engine: SkillEngine, control: Control, goal: PickGoal) -> SkillResult:
    """Take an object into the hand."""

    def body(run: _Run) -> None:
        run.require_object(goal.object_id)
        after = run.act("grasping", "PickupObject", objectId=goal.object_id, forceAction=goal.force)
        held = after.snapshot.held_id
        if held != goal.object_id:
            raise _SkillError(
                PickError.NO_EFFECT,
                f"The engine accepted PickupObject, but the hand holds {held or 'nothing'}.",
            )
        run.object_id = goal.object_id

    return _execute("Pick", engine, control, body)


def place(engine: SkillEngine, control: Control, goal: PlaceGoal) -> SkillResult:
    """Put the held object into or onto a receptacle."""

    def body(run: _Run) -> None:
        run.require_object(goal.receptacle_id, "receptacle_id")
        held = _require_held(run, goal.object_id)
        after = run.act(
            "placing", "PutObject", objectId=goal.receptacle_id, forceAction=goal.force
        ).snapshot
        where = _location(after, held)
        run.object_id = (held or "") if where else ""
        run.receptacle_id = where[0] if where else ""
        if goal.receptacle_id not in where:
            raise _SkillError(
                PlaceError.NO_EFFECT,
                f"The engine accepted PutObject, but {held or 'the object'} is "
                f"{_describe(after, held, where)}, not in or on {goal.receptacle_id}.",
            )
        run.receptacle_id = goal.receptacle_id

    return _execute("Place", engine, control, body)


def _require_held(run: _Run, object_id: str) -> str | None:
    """Return what the hand holds; fail when the goal names something else."""
    if object_id:
        run.require_object(object_id)
    held = run.state().held_id
    # An empty hand is left to the engine, which has its own words for it.
    if object_id and held not in (None, object_id):
        raise run.error("OTHER_OBJECT_HELD", f"The hand holds {held}, not {object_id}.")
    return held


def _location(snapshot: Snapshot, object_id: str | None) -> tuple[str, ...]:
    """Ids of the receptacles an object is in or on; empty while it is held."""
    obj = snapshot.objects.get(object_id or "")
    return () if obj is None or obj.is_picked_up else obj.parent_receptacles


def _describe(snapshot: Snapshot, object_id: str | None, where: tuple[str, ...]) -> str:
    if snapshot.held_id is not None and snapshot.held_id == object_id:
        return "still in the hand"
    return f"in or on {', '.join(where)}" if where else "nowhere to be found"


def set_open(engine: SkillEngine, control: Control, goal: SetOpenGoal) -> SkillResult:
    """Open an object to a degree, 0 (closed) to 1."""

    def body(run: _Run) -> None:
        run.require_object(goal.object_id)
        if not 0.0 <= goal.openness <= 1.0:  # false for NaN, too
            raise run.error("INVALID_GOAL", f"openness must be in 0..1, not {goal.openness:g}.")
        run.object_id = goal.object_id
        after = run.act(*_opening(goal.openness), **_opening_arguments(goal)).snapshot
        state = after.objects.get(goal.object_id)
        if state is None or not _is_open_as_wanted(state, goal.openness):
            measured = "gone" if state is None else f"open to {state.openness:g}"
            raise _SkillError(
                SetOpenError.NO_EFFECT,
                f"The engine accepted the action, but {goal.object_id} is {measured}, "
                f"not {goal.openness:g}.",
            )

    return _execute("SetOpen", engine, control, body)


def _opening(openness: float) -> tuple[str, str]:
    return ("opening", "OpenObject") if openness > 0 else ("closing", "CloseObject")


def _opening_arguments(goal: SetOpenGoal) -> dict[str, Any]:
    arguments = {"objectId": goal.object_id, "forceAction": goal.force}
    # Without an openness the engine opens fully.
    return arguments | ({"openness": goal.openness} if 0.0 < goal.openness < 1.0 else {})


def _is_open_as_wanted(state: SnapshotObject, openness: float) -> bool:
    near = abs(state.openness - openness) <= _OPENNESS_TOLERANCE
    return state.is_open == (openness > 0.0) and near


def release(engine: SkillEngine, control: Control, goal: ReleaseGoal) -> SkillResult:
    """Let go of the held object where the hand is."""

    def body(run: _Run) -> None:
        held = _require_held(run, goal.object_id)
        after = run.act("releasing", "DropHandObject", forceAction=goal.force).snapshot
        if after.held_id is not None:
            raise _SkillError(
                ReleaseError.NO_EFFECT,
                f"The engine accepted DropHandObject, but the hand still holds {after.held_id}.",
            )
        run.object_id = held or ""

    return _execute("Release", engine, control, body)
