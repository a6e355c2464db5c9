"""Driving along a planned path with the engine's discrete moves.

What a path may use is asked of the engine each time (GetReachablePositions), so that an opened
drawer counts. A move that the engine refuses is crossed off the map, and the rest is planned anew
from where the robot really is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from milo_core.error_codes import NavigateToError
from milo_core.snapshot import Snapshot, SnapshotObject, Vector
from milo_sim_bridge import viewpoints
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.path_planning import (
    Destination,
    GridMap,
    Node,
    Route,
    turn_between,
)
from milo_sim_bridge.skill_run import EnginePose, SkillError, SkillRun

POSTURE_COST = 0.05
"""Metres that crouching, standing up or tilting the head by 30 degrees counts: it decides between
poses that are equally far."""
_ON_CELL = 0.02
"""Metres by which a move may end beside its cell's centre."""
_SAME_ANGLE = 0.05
"""Degrees that need no turn."""


@dataclass(frozen=True)
class _End:
    """Where a drive may end: `destination` on the grid, `posture` there (None: as it is)."""

    destination: Destination
    posture: EnginePose | None


class _Blocked(Exception):
    """A move was refused; the map has lost it."""

    def __init__(self, result: StepResult) -> None:
        super().__init__(result.error_message)
        self.result = result


def drive_to_object(
    run: SkillRun,
    target: SnapshotObject,
    poses: Sequence[EnginePose],
    missing: str,
    *,
    close: bool = False,
    offer_view: bool = True,
) -> None:
    """Drive to the cheapest of an object's interactable poses.

    With `close`, poses near the object's middle that look at it are worth a detour.

    Raises:
        SkillError: UNREACHABLE (`missing`: the sentence for no pose at all), with `offer_view`
            with the nearest viewing pose in the report; BLOCKED: every way was found to be
            blocked.
    """
    grid = map_of(run)
    state = run.state()

    def extra_cost(pose: EnginePose) -> float:
        detour = viewpoints.closeness(pose, target) if close else 0.0
        return _posture_cost(state, pose) + detour

    ends = [
        _End(Destination(cell, pose.yaw, extra_cost(pose)), pose)
        for pose in poses
        if (cell := grid.cell_of(pose.position[0], pose.position[2])) in grid.cells
    ]
    try:
        _drive(run, grid, ends, missing if not poses else f"No way leads to {target.object_id}.")
    except SkillError as error:
        if offer_view and error.code == NavigateToError.UNREACHABLE:
            seen = viewpoints.viewing_poses(run, grid, target)
            # The result has no word for the posture, so the robot keeps its own.
            same = (pose for pose in seen if pose.standing == state.standing)
            run.report.viewing_pose = next(same, None)
        raise


def drive_to_view(run: SkillRun, grid: GridMap, pose: EnginePose) -> None:
    """Drive to a viewing pose.

    Raises:
        SkillError: UNREACHABLE or BLOCKED: no way leads there.
    """
    end = _End(Destination(grid.cell_of(pose.position[0], pose.position[2]), pose.yaw), pose)
    _drive(run, grid, [end], "No way leads to where the object could be seen.")


def drive_to_pose(run: SkillRun, position: Vector, yaw: float) -> None:
    """Drive to the cell of a position (Unity's frame) and turn to a heading in degrees.

    Raises:
        SkillError: UNREACHABLE: the robot can't get to that cell; BLOCKED: every way there was
            found to be blocked.
    """
    grid = map_of(run)
    cell = grid.cell_of(position[0], position[2])
    ends = [_End(Destination(cell, yaw), None)] if cell in grid.cells else []
    _drive(run, grid, ends, "The pose is not on a cell that the robot can reach.")


def map_of(run: SkillRun) -> GridMap:
    """Return the map of the cells that the robot can reach from where it stands."""
    found = run.act("planning", "GetReachablePositions").action_return
    positions = [(p["x"], p["z"]) for p in found or ()]
    here = run.state().agent_position
    return GridMap([(here[0], here[2]), *positions], run.grid_size)


def _posture_cost(state: Snapshot, pose: EnginePose) -> float:
    tilt = abs(pose.horizon - state.camera_horizon) / 30.0
    return POSTURE_COST * ((pose.standing != state.standing) + tilt)


def _drive(run: SkillRun, grid: GridMap, ends: Sequence[_End], unreachable: str) -> None:
    refusal: StepResult | None = None
    destinations = [end.destination for end in ends]
    lengths = grid.lengths_from(cell_now(run, grid))
    run.report.shortest_length = min(
        (lengths[d.cell] for d in destinations if d.cell in lengths), default=0.0
    )
    while True:
        route = grid.plan(cell_now(run, grid), run.state().agent_yaw, destinations)
        if route is None and refusal is not None:
            raise SkillError(NavigateToError.BLOCKED, refusal.error_message)
        if route is None:
            raise SkillError(NavigateToError.UNREACHABLE, unreachable)
        try:
            _follow(run, grid, route)
            end = ends[route.destination]
            _turn_to(run, end.destination.yaw)
            if end.posture is not None:
                _take_posture(run, end.posture)
            return
        except _Blocked as blocked:
            refusal = blocked.result


def cell_now(run: SkillRun, grid: GridMap) -> tuple[int, int]:
    """Return the cell on which the robot stands."""
    x, _, z = run.state().agent_position
    return grid.cell_of(x, z)


def _follow(run: SkillRun, grid: GridMap, route: Route) -> None:
    remaining = route.steps_ahead * grid.size
    _turn_to(run, route.nodes[0][1], remaining)
    for before, after in zip(route.nodes, route.nodes[1:], strict=False):
        if before[0] == after[0]:
            degrees = turn_between(before[1], after[1])
            _checked(run, grid, (before, after), _rotate(run, degrees, remaining))
        else:
            _ahead(run, grid, (before, after), remaining)
            remaining -= grid.size


def _rotate(run: SkillRun, degrees: float, distance: float) -> StepResult:
    action = "RotateRight" if degrees > 0 else "RotateLeft"
    return run.attempt("moving", action, distance=distance, degrees=abs(degrees))


def _checked(run: SkillRun, grid: GridMap, move: tuple[Node, Node], result: StepResult) -> None:
    if not result.success:
        grid.block(*move)
        raise _Blocked(result)


def _ahead(run: SkillRun, grid: GridMap, move: tuple[Node, Node], distance: float) -> None:
    x, _, z = run.state().agent_position
    result = run.attempt("moving", "MoveAhead", distance=distance)
    moved = result.snapshot.agent_position
    run.report.path_length += math.hypot(moved[0] - x, moved[2] - z)
    _checked(run, grid, move, result)
    centre = grid.centre_of(move[1][0])
    if math.hypot(moved[0] - centre[0], moved[2] - centre[1]) > _ON_CELL:
        grid.block(*move)
        raise _Blocked(result)


def _turn_to(run: SkillRun, yaw: float, distance: float = 0.0) -> None:
    degrees = turn_between(run.state().agent_yaw, yaw)
    if abs(degrees) < _SAME_ANGLE:
        return
    result = _rotate(run, degrees, distance)
    if not result.success:
        raise run.refusal(result)


def _take_posture(run: SkillRun, pose: EnginePose) -> None:
    state = run.state()
    if state.standing != pose.standing:
        run.act("moving", "Stand" if pose.standing else "Crouch", distance=0.0)
    tilt = round(pose.horizon - state.camera_horizon, 1)
    if abs(tilt) >= _SAME_ANGLE:
        action = "LookDown" if tilt > 0 else "LookUp"
        run.act("moving", action, distance=0.0, degrees=abs(tilt))
