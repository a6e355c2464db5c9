"""Where the agent can stand and go.

Walls are not on record, and boxes are no walls: every ninth known cell lies inside one that is
grown by the agent's radius. Known free cells therefore carve the solids: freedom (0 or 1) is
interpolated between the points of the 0.25 m lattice, a place is free where it is at least one half
and nothing that moved since stands there.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container, Set
from typing import TYPE_CHECKING

import numpy as np

from milo_sim import holding
from milo_sim.errors import ActionFailed
from milo_sim.geometry import Box, Vector, wrap_degrees
from milo_sim.solids import AGENT_HEIGHT, AGENT_RADIUS

if TYPE_CHECKING:
    from milo_sim.world import World

CELL = 0.25
"""Spacing of the lattice of known cells [m]."""
FREE = 0.5 - 1e-9
"""Least interpolated freedom of a place where the agent can stand."""
SWEEP_STEP = 0.05
"""A straight move is checked this often [m]."""
MAX_Y_CHANGE = 0.05
MIN_HORIZON, MAX_HORIZON = -30.0, 60.0
DEFAULT_MAX_STEPS = 10_000

_DIRECTIONS = {"right": 90.0, "ahead": 0.0, "left": 270.0, "back": 180.0}
_SEARCH_ORDER = ("right", "ahead", "left", "back")


def cell_of(x: float, z: float) -> tuple[int, int]:
    """Lattice cell of a place."""
    return (round(x / CELL), round(z / CELL))


def freedom(cells: Set[tuple[int, int]], x: float, z: float) -> float:
    """Bilinear interpolation between lattice points, of which free ones count 1."""
    column, row = math.floor(x / CELL + 1e-9), math.floor(z / CELL + 1e-9)
    right, ahead = x / CELL - column, z / CELL - row
    return (
        ((column, row) in cells) * (1 - right) * (1 - ahead)
        + ((column + 1, row) in cells) * right * (1 - ahead)
        + ((column, row + 1) in cells) * (1 - right) * ahead
        + ((column + 1, row + 1) in cells) * right * ahead
    )


def is_free(world: World, x: float, z: float) -> bool:
    """Tell whether the agent could stand at a place as the scene starts."""
    return freedom(world.free_cells, x, z) >= FREE


class Obstacles:
    """What keeps the agent from standing somewhere, as of now.

    ``ignored`` ids are no obstacles.
    """

    def __init__(self, world: World, ignored: Container[str] = ()) -> None:
        self._cells = world.free_cells
        low, high = world.scene.floor_y + 0.02, world.scene.floor_y + AGENT_HEIGHT
        self._moved: list[tuple[str, Box]] = []
        for key in world.moved_ids():
            box = world.body(key)
            middle, reach = float(box.center[1]), float(box.extent()[1])
            if key not in ignored and middle + reach >= low and middle - reach <= high:
                self._moved.append((key, box))

    def moved_at(self, x: float, z: float) -> list[str]:
        """Ids of what was moved and now meets the agent's capsule at a place."""
        return [key for key, box in self._moved if _ground_gap(box, x, z) < AGENT_RADIUS]

    def block(self, x: float, z: float) -> bool:
        """Tell whether the agent cannot stand at a place."""
        return freedom(self._cells, x, z) < FREE or bool(self.moved_at(x, z))

    def block_way(
        self, x: float, z: float, step: tuple[float, float]
    ) -> tuple[float, float] | None:
        """First blocked place on a straight way from a place by a step (x, z), or None."""
        count = max(1, math.ceil(math.hypot(*step) / SWEEP_STEP - 1e-9))
        for i in range(1, count + 1):
            place = (x + step[0] * i / count, z + step[1] * i / count)
            if self.block(*place):
                return place
        return None


def _ground_gap(box: Box, x: float, z: float) -> float:
    """Distance of a vertical line from a box [m]."""
    local = box.to_local(np.array([x, box.center[1], z]))
    gap = np.maximum(np.abs(local) - box.half, 0.0)
    return float(np.linalg.norm(gap))


def blocker_name(world: World, obstacles: Obstacles, x: float, z: float) -> str:
    """Id of what blocks a place: a moved object, the nearest furniture, else "Structure"."""
    moved = obstacles.moved_at(x, z)
    return moved[0] if moved else _box_at(world, x, z) or "Structure"


def _box_at(world: World, x: float, z: float) -> str | None:
    """Id of the furniture nearest to a place within the agent's radius, for messages."""
    around = world.surroundings()
    centers, axes, half = around.occluders.boxes
    point = np.array([x, world.agent.position[1], z])
    local = np.einsum("ni,nij->nj", point - centers, axes)
    distance = np.linalg.norm(np.maximum(np.abs(local) - half, 0.0), axis=1)
    near = np.flatnonzero(distance < 2 * AGENT_RADIUS)
    owners = around.occluders.owners
    found = [(float(distance[i]), around.ids[owners[i]]) for i in near]
    return min(found)[1] if found else None


def inside_bounds(world: World, position: Vector) -> bool:
    """Tell whether a place is within the scene's bounds."""
    center, size = world.scene.bounds_center, world.scene.bounds_size
    return all(abs(p - c) <= s / 2 for p, c, s in zip(position, center, size, strict=True))


def snap(value: float, grid: float) -> float:
    """Nearest multiple of the grid size."""
    return round(value / grid) * grid


def _step(yaw: float, length: float) -> tuple[float, float]:
    """Displacement (x, z); exact along the axes."""
    x, z = math.sin(math.radians(yaw)) * length, math.cos(math.radians(yaw)) * length
    return (0.0 if abs(x) < 1e-9 else x, 0.0 if abs(z) < 1e-9 else z)


def point_text(values: tuple[float, ...], digits: int) -> str:
    """A vector as Unity prints it."""
    return "(" + ", ".join(f"{v:.{digits}f}" for v in values) + ")"


def move(world: World, direction: str, magnitude: float | None, manual: bool = False) -> None:
    """Walk straight; the position is snapped to the grid afterwards.

    With ``manual``, here and below, the hand stays where the client put it.
    """
    length = world.settings.grid_size if magnitude is None else magnitude
    if length <= 0.0:
        raise ActionFailed("moveMagnitude must be > 0", exception_type="InvalidOperationException")
    agent = world.agent
    x, y, z = agent.position
    step_x, step_z = _step(agent.yaw + _DIRECTIONS[direction], length)
    target = (x + step_x, y, z + step_z)
    if not inside_bounds(world, target):
        raise ActionFailed(f"Scene bounds do not contain target position: {point_text(target, 1)}")
    # As in the engine, what already touches the agent (an opened drawer) does not hold it.
    obstacles = Obstacles(world, ignored=Obstacles(world).moved_at(x, z))
    blocked = obstacles.block_way(x, z, (step_x, step_z))
    if blocked is not None:
        blocker = blocker_name(world, obstacles, *blocked)
        name = world.scene_objects[blocker].name if blocker in world.scene_objects else blocker
        offset = point_text((step_x, 0.0, step_z), 4)
        raise ActionFailed(f"{name} is blocking Agent 0 from moving by {offset}.")
    if world.settings.snap_to_grid:
        grid = world.settings.grid_size
        target = (snap(target[0], grid), y, snap(target[2], grid))
    agent.position = target
    _take_hand_along(world, manual)


def _take_hand_along(world: World, manual: bool) -> None:
    if manual:
        holding.follow(world)
    else:
        holding.rest_hand(world)


def rotate(world: World, degrees: float, manual: bool = False) -> None:
    """Turn about the vertical, clockwise for positive angles."""
    if degrees == 0.0:
        raise ActionFailed(
            "Cannot rotate by 0 degrees as this previously defaulted to rotating by "
            "a diferent amount.",
            exception_type="InvalidOperationException",
        )
    world.agent.yaw = wrap_degrees(world.agent.yaw + degrees)
    _take_hand_along(world, manual)


def look(world: World, degrees: float, manual: bool = False) -> None:
    """Tilt the camera, downwards for positive angles."""
    horizon = world.agent.horizon + degrees
    if horizon > MAX_HORIZON + 1e-4:
        raise ActionFailed(
            "can't look down beyond 60 degrees below the forward horizon", "LookDownCantExceedMin"
        )
    if horizon < MIN_HORIZON - 1e-4:
        raise ActionFailed(
            "can't look up beyond 30 degrees above the forward horizon", "LookDownCantExceedMin"
        )
    world.agent.horizon = horizon
    _take_hand_along(world, manual)


def teleport(
    world: World,
    position: Vector | None,
    rotation: Vector | float | None,
    horizon: float | None,
    standing: bool | None,
    force: bool,
) -> None:
    """Put the agent elsewhere; what is None stays.

    A held object's collision at the new place (``Cannot teleport due to hand object collision.`` in
    the engine) is not checked: the boxes of sofas and armchairs would refuse free poses.
    """
    agent = world.agent
    target = agent.position if position is None else position
    angles = (0.0, agent.yaw, 0.0) if rotation is None else _euler(rotation)
    tilt = agent.horizon if horizon is None else horizon
    if not force:
        _check_teleport(world, target, angles, tilt)
        change = abs(target[1] - agent.position[1])
        if change > MAX_Y_CHANGE:
            raise ActionFailed(
                "After teleporting and adjusting agent position to floor, there was too large a "
                f"change({change} > {MAX_Y_CHANGE}) in the y component. Consider using "
                "`forceAction=true` if you'd like to teleport anyway.",
                exception_type="InvalidOperationException",
            )
    x, z = target[0], target[2]
    if world.settings.snap_to_grid and not force:
        x, z = snap(x, world.settings.grid_size), snap(z, world.settings.grid_size)
    # The engine brings the hand to rest first; then it moves and tilts with the camera.
    holding.rest_hand(world)
    agent.position = (x, agent.position[1], z)
    agent.yaw = wrap_degrees(angles[1])
    agent.horizon = tilt
    if standing is not None:
        agent.standing = standing
    holding.follow(world)


def _euler(rotation: Vector | float) -> Vector:
    return rotation if isinstance(rotation, tuple) else (0.0, float(rotation), 0.0)


def _check_teleport(world: World, target: Vector, angles: Vector, horizon: float) -> None:
    """The engine's checks before it lets the agent down to the floor."""
    out_of_range = "ArgumentOutOfRangeException"
    if any(abs(wrap_degrees(a + 180.0) - 180.0) > 1e-3 for a in (angles[0], angles[2])):
        raise ActionFailed(
            "No agents currently can change in pitch or roll. So, you must set "
            f"rotation(x=0, y=yaw, z=0). You gave {point_text(angles, 6)}.",
            exception_type=out_of_range,
        )
    if not MIN_HORIZON - 1e-4 <= horizon <= MAX_HORIZON + 1e-4:
        raise ActionFailed(
            f"Each horizon must be in [{MIN_HORIZON:g}:{MAX_HORIZON:g}]. You gave {horizon:g}.",
            exception_type=out_of_range,
        )
    if not inside_bounds(world, target):
        raise ActionFailed(
            f"Teleport position {point_text(target, 6)} out of scene bounds! "
            "Ignore this by setting forceAction=true.",
            exception_type=out_of_range,
        )
    grid = world.settings.grid_size
    if world.settings.snap_to_grid and any(abs(snap(v, grid) - v) > 1e-3 for v in target[::2]):
        raise ActionFailed(
            f"Teleport position {point_text(target, 6)} is not on the grid of size {grid:g}.",
            exception_type="ArgumentException",
        )
    stays = math.hypot(target[0] - world.agent.position[0], target[2] - world.agent.position[2])
    obstacles = Obstacles(world)
    if stays > 1e-3 and obstacles.block(target[0], target[2]):
        blocker = blocker_name(world, obstacles, target[0], target[2])
        raise ActionFailed(f"Collided with: {blocker}.", exception_type="InvalidOperationException")


def set_standing(world: World, standing: bool) -> None:
    """Crouch or stand up."""
    if world.agent.standing == standing:
        word = "standing" if standing else "crouching"
        raise ActionFailed(f"Already {word}.")
    world.agent.standing = standing
    holding.follow(world)


def reachable_positions(
    world: World,
    grid_size: float | None,
    max_steps: int | None,
    relative: bool,
) -> list[Vector]:
    """Breadth-first search over steps to the right, ahead, left and back.

    Positions come in order of discovery, all at the agent's present height. The axes are the
    world's or, when ``relative``, the agent's.
    """
    grid = world.settings.grid_size if grid_size is None else grid_size
    if grid <= 0.0:
        raise ActionFailed("gridSize must be > 0", exception_type="ArgumentOutOfRangeException")
    limit = DEFAULT_MAX_STEPS if max_steps is None else max_steps
    base = world.agent.yaw if relative else 0.0
    steps = [_step(base + _DIRECTIONS[name], grid) for name in _SEARCH_ORDER]
    start_x, y, start_z = world.agent.position
    obstacles = Obstacles(world, ignored=Obstacles(world).moved_at(start_x, start_z))
    seen = {(0, 0)}
    queue = deque([(0, 0)])
    found: list[Vector] = []
    while queue:
        right, ahead = queue.popleft()
        x = start_x + right * steps[0][0] + ahead * steps[1][0]
        z = start_z + right * steps[0][1] + ahead * steps[1][1]
        found.append((x, y, z))
        if len(found) > limit / (grid * grid):
            raise ActionFailed("Too many steps taken in GetReachablePositions.")
        for (move_right, move_ahead), step in zip(
            ((1, 0), (0, 1), (-1, 0), (0, -1)), steps, strict=True
        ):
            following = (right + move_right, ahead + move_ahead)
            if following in seen:
                continue
            inside = inside_bounds(world, (x + step[0], y, z + step[1]))
            if inside and obstacles.block_way(x, z, step) is None:
                seen.add(following)
                queue.append(following)
    return found
