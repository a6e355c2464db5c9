"""The mock robot: base, head, hand and eyes in its home; time is an argument. ROS-free."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from milo_core.snapshot import Vector
from milo_core.world_model import ObjectBelief
from milo_sim_bridge.mock_robot.home import Home
from milo_sim_bridge.mock_robot.motion import CELL, Base, FloorGrid, Point, angle_between
from milo_sim_bridge.mock_robot.state import Item, State, hit_distances

CAMERA: Vector = (0.1, 0.0, 1.3)
"""camera_link in base_link at pitch 0, metres."""
HAND: Vector = (0.3, 0.0, 0.9)
"""The gripper in base_link, metres."""
REACH = 0.9
"""How far the arm reaches from the middle of the base, on the floor, metres."""
SIGHT = 5.0
"""How far objects are recognised, metres."""
FIELD_OF_VIEW = math.radians(90.0)
"""Vertical and horizontal; the images are square."""
PITCH_LIMITS = (math.radians(-45.0), math.radians(60.0))
"""Of the head, radians; positive looks down."""
COMMAND_TIMEOUT = 0.5
"""Seconds after which the base stops that is not told its velocity again."""


class Robot:
    """The robot and its home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.state = State.of(home)
        self.base = Base(home.robot.x, home.robot.y, home.robot.yaw)
        self.start = Base(home.robot.x, home.robot.y, home.robot.yaw)
        self.pitch = math.radians(30.0)
        self.floor = FloorGrid(
            home.floor.min, home.floor.max, [piece.box for piece in self.state.furniture]
        )
        self.visible: dict[str, bool] = {}
        self._command = (0.0, 0.0, -math.inf)

    # -- space -------------------------------------------------------------------------------

    def get(self, item_id: str) -> Item | None:
        """Return an object that the robot knows; None: it knows no such object."""
        item = self.state.items.get(item_id)
        return item if item is not None and item.known else None

    def within_reach(self, item: Item) -> bool:
        """Whether the arm gets there from where the base stands."""
        return item.box.floor_distance(*self.base.position) <= REACH

    def free_places(self) -> list[Point]:
        """Return all cells on which the base fits."""
        cells = zip(*np.nonzero(self.floor.free), strict=True)
        return [self.floor.point((int(i), int(j))) for i, j in cells]

    def standing_places(self, item: Item) -> list[Point]:
        """Return the free cells from which an object can be reached; at its door, if it has one."""
        owner = self.state.items.get(item.parent)
        door = next((i for i in (item, owner) if i is not None and i.container), None)
        return [
            p
            for p in self.free_places()
            if item.box.floor_distance(*p) <= REACH - CELL and (door is None or _faces(door, p))
        ]

    def heading_to(self, target: Sequence[float]) -> float:
        """Return the yaw at which the base faces a point."""
        return math.atan2(target[1] - self.base.y, target[0] - self.base.x)

    def pitch_to(self, target: Vector) -> float:
        """Return the pitch at which the camera faces a point in front of it."""
        camera, _ = self.camera_pose()
        return math.atan2(camera[2] - target[2], math.dist(camera[:2], target[:2]))

    def camera_pose(self) -> tuple[Vector, NDArray[np.float64]]:
        """Return the camera's position, and its axes x, y, z as columns, in the map frame."""
        cos, sin = math.cos(self.base.yaw), math.sin(self.base.yaw)
        position = (
            self.base.x + cos * CAMERA[0] - sin * CAMERA[1],
            self.base.y + sin * CAMERA[0] + cos * CAMERA[1],
            CAMERA[2],
        )
        down, level = math.sin(self.pitch), math.cos(self.pitch)
        axes = np.array(
            [
                [cos * level, -sin, cos * down],
                [sin * level, cos, sin * down],
                [-down, 0.0, level],
            ]
        )
        return position, axes

    # -- time --------------------------------------------------------------------------------

    def command(self, forward: float, turning: float, now: float) -> None:
        """Take a velocity for the base, metres and radians a second."""
        self._command = (forward, turning, now)

    def advance(self, seconds: float, now: float, busy: bool) -> None:
        """Let time pass: obey the velocity, carry what is held, look around.

        Args:
            seconds: since the last call.
            now: seconds of the clock, the time of what is seen.
            busy: a skill moves the base; velocities are ignored.
        """
        forward, turning, at = self._command
        if not busy:
            stopped = now - at > COMMAND_TIMEOUT
            self._obey(*((0.0, 0.0) if stopped else (forward, turning)), seconds)
        self._carry()
        self.look(now)

    def halt(self) -> None:
        """Stop the base where it is."""
        self.base.speed = self.base.turning = 0.0

    def _obey(self, forward: float, turning: float, seconds: float) -> None:
        self.base.yaw = angle_between(0.0, self.base.yaw + turning * seconds)
        x = self.base.x + math.cos(self.base.yaw) * forward * seconds
        y = self.base.y + math.sin(self.base.yaw) * forward * seconds
        moves = forward != 0.0 and self.floor.is_free((x, y))
        if moves:
            self.base.driven += math.dist(self.base.position, (x, y))
            self.base.x, self.base.y = x, y
        self.base.speed, self.base.turning = (forward if moves else 0.0), turning

    def _carry(self) -> None:
        item = self.state.items.get(self.state.held)
        if item is not None:
            cos, sin = math.cos(self.base.yaw), math.sin(self.base.yaw)
            x, y = self.base.x + cos * HAND[0], self.base.y + sin * HAND[0]
            item.center = (x, y, HAND[2])

    # -- eyes --------------------------------------------------------------------------------

    def look(self, now: float) -> None:
        """Take note of what is in sight."""
        solids = self.state.solids()
        boxes = [box for _, box in solids]
        owners = [item.item_id for item, _ in solids]
        items = [i for i in self.state.items.values() if i.item_id in set(owners)]
        origin, axes = self.camera_pose()
        rays = np.array([item.center for item in items]) - np.array(origin)
        in_view = self._in_view(rays @ axes)
        distances = hit_distances(origin, rays, boxes)
        first = [owners[index] for index in np.argmin(distances, axis=0)]
        self.visible = {}
        for item, seen, hit in zip(items, in_view, first, strict=True):
            # An open container shows its walls; one is in sight when its middle is not hidden.
            sees = bool(seen) and (hit == item.item_id or self._is_inside(hit, item))
            self.visible[item.item_id] = sees
            if sees:
                item.known, item.seen = True, now

    def _is_inside(self, hit: str, item: Item) -> bool:
        """The first thing hit lies in the open container that was looked at."""
        return item.container and item.is_open and self.state.items[hit].parent == item.item_id

    @staticmethod
    def _in_view(rays: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether directions in the camera's body frame lie in its image and near enough."""
        forward = rays[:, 0]
        limit = forward * math.tan(FIELD_OF_VIEW / 2)
        inside = (np.abs(rays[:, 1]) < limit) & (np.abs(rays[:, 2]) < limit)
        result: NDArray[np.bool_] = inside & (np.linalg.norm(rays, axis=1) < SIGHT)
        return result

    def beliefs(self) -> list[ObjectBelief]:
        """Return what the robot knows of the objects."""
        return self.state.beliefs((self.base.x, self.base.y, 0.0), self.visible)


def _faces(item: Item, point: Point) -> bool:
    """Whether a point lies in front of the door."""
    axis = "xy".index(item.front[1])
    if item.front[0] == "-":
        return point[axis] < item.box.low[axis]
    return point[axis] > item.box.high[axis]
