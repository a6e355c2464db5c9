"""LookAt: turn the base and pitch the head until the camera looks at something."""

import math
from dataclasses import dataclass

from milo_core.error_codes import LookAtError
from milo_core.frames import to_unity
from milo_core.snapshot import Snapshot, Vector
from milo_sim_bridge.camera import CAMERA_HEIGHT
from milo_sim_bridge.path_planning import turn_between
from milo_sim_bridge.skill_run import (
    MAP_FRAME,
    Control,
    SkillEngine,
    SkillError,
    SkillResult,
    SkillRun,
    execute,
)

MIN_HORIZON, MAX_HORIZON = -30.0, 60.0
"""Degrees to which AI2-THOR's agent can pitch its head; positive looks down."""
_SMALLEST_TURN = 0.05
"""Degrees; what the engine would round away is not asked for."""
_ANGLE_TOLERANCE = math.radians(1.0)


@dataclass(frozen=True)
class LookAtGoal:
    """Goal of `look_at`; a point (metres) counts only without an object."""

    object_id: str = ""
    frame: str = ""
    point: Vector = (math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Gaze:
    """Where the camera looks: heading and horizon in Unity's degrees."""

    yaw: float
    horizon: float

    @property
    def axis(self) -> Vector:
        """The optical axis as a unit vector in Unity's frame."""
        yaw, horizon = math.radians(self.yaw), math.radians(self.horizon)
        level = math.cos(horizon)
        return (math.sin(yaw) * level, -math.sin(horizon), math.cos(yaw) * level)


def camera_at(agent: Vector, *, standing: bool) -> Vector:
    """Return where the camera is while the agent is at a position, Unity's frame."""
    x, y, z = agent
    return (x, y + (CAMERA_HEIGHT if standing else 0.0), z)


def _camera_now(snapshot: Snapshot) -> Vector:
    return camera_at(snapshot.agent_position, standing=snapshot.standing)


def gaze_at(camera: Vector, point: Vector, yaw: float) -> Gaze:
    """Return the gaze from a place to a point, both in Unity's frame.

    A point straight above or below leaves the heading as it is: `yaw`, in degrees.
    """
    dx, dy, dz = (p - c for p, c in zip(point, camera, strict=True))
    level = math.hypot(dx, dz)
    heading = math.degrees(math.atan2(dx, dz)) % 360.0 if level > 1e-6 else yaw
    return Gaze(heading, math.degrees(math.atan2(-dy, level)))


def reachable_gaze(gaze: Gaze) -> Gaze:
    """Return the nearest gaze that the head can take, in the engine's tenths of degrees."""
    return Gaze(gaze.yaw, round(min(max(gaze.horizon, MIN_HORIZON), MAX_HORIZON), 1))


def angle_to(camera: Vector, gaze: Gaze, point: Vector) -> float:
    """Return the radians between the optical axis and the line to a point."""
    line = tuple(p - c for p, c in zip(point, camera, strict=True))
    length = math.hypot(*line)
    if length < 1e-9:
        return 0.0
    cosine = sum(a * b for a, b in zip(gaze.axis, line, strict=True)) / length
    return math.acos(max(-1.0, min(1.0, cosine)))


def look_at(engine: SkillEngine, control: Control, goal: LookAtGoal) -> SkillResult:
    """Turn and pitch until the camera looks at an object's box centre, or at a point.

    Where the head can't pitch that far it goes as far as it can, as long as that brings the point
    into the picture.
    """

    def body(run: SkillRun) -> None:
        point = _point_of(run, goal)
        state = run.state()
        camera = _camera_now(state)
        wanted = gaze_at(camera, point, state.agent_yaw)
        gaze = reachable_gaze(wanted)
        if angle_to(camera, gaze, point) > math.radians(run.latest().field_of_view / 2):
            raise SkillError(
                LookAtError.OUT_OF_RANGE,
                f"The head would have to pitch to {wanted.horizon:.0f} degrees, and it can't pitch "
                f"beyond {MIN_HORIZON:g} and {MAX_HORIZON:g}; move the base away first.",
            )
        _turn(run, turn_between(state.agent_yaw, gaze.yaw))
        _pitch(run, gaze.horizon - state.camera_horizon)
        _check(run, point, angle_to(camera, gaze, point))

    return execute("LookAt", engine, control, body)


def _point_of(run: SkillRun, goal: LookAtGoal) -> Vector:
    if goal.object_id:
        target = run.require_object(goal.object_id)
        run.report.object_id = goal.object_id
        return target.box_center
    if goal.frame != MAP_FRAME:
        raise run.error(
            "INVALID_GOAL", f"Name an object_id, or a point in the frame '{MAP_FRAME}'."
        )
    if not all(map(math.isfinite, goal.point)):
        raise run.error("INVALID_GOAL", "The point needs finite numbers.")
    return to_unity(*goal.point)


def _turn(run: SkillRun, degrees: float) -> None:
    if abs(degrees) >= _SMALLEST_TURN:
        action = "RotateRight" if degrees > 0 else "RotateLeft"
        run.act("turning", action, degrees=abs(degrees))


def _pitch(run: SkillRun, degrees: float) -> None:
    degrees = round(degrees, 1)
    if abs(degrees) >= _SMALLEST_TURN:
        action = "LookDown" if degrees > 0 else "LookUp"
        run.act("pitching", action, degrees=abs(degrees))


def _check(run: SkillRun, point: Vector, expected: float) -> None:
    """Compare where the camera looks now with where it should."""
    after = run.state()
    gaze = Gaze(after.agent_yaw, after.camera_horizon)
    run.report.angle_error = angle_to(_camera_now(after), gaze, point)
    if run.report.angle_error > expected + _ANGLE_TOLERANCE:
        raise SkillError(
            LookAtError.NO_EFFECT,
            "The engine accepted the motion, but the camera looks "
            f"{math.degrees(run.report.angle_error):.1f} degrees past the point.",
        )
