"""What the mock robot can do. ROS-free.

A skill is a generator: it takes the seconds that have passed and yields its progress; its return
value says what it did. It raises `Refusal` with a numbered code when it can't go on, and closing
it stops the robot at once.
"""

import contextlib
import math
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from milo_core.error_codes import (
    CODES_OF_ACTION,
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.errors import MiloError
from milo_core.snapshot import Vector
from milo_sim_bridge.mock_robot.motion import Point, angle_between, drive, length_of, turn
from milo_sim_bridge.mock_robot.robot import PITCH_LIMITS, Robot
from milo_sim_bridge.mock_robot.state import Item

ARM_SECONDS = 1.0
"""How long a motion of the arm takes."""
PITCH_RATE = 1.0
"""Radians a second of the head."""
PURPOSES = ("", "interact", "place", "view")
"""What a goal of NavigateTo may be for."""
SAME_PLACE = 0.1
"""Metres within which a pose is one that was excluded."""
SAME_HEADING = math.radians(10.0)
"""Radians within which it is."""
_LOOK_TOLERANCE = math.radians(1.0)


class Refusal(MiloError):
    """A skill that can't be carried out.

    Attributes:
        code: its numbered error code.
    """

    def __init__(self, code: IntEnum, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Progress:
    """What a skill is doing."""

    stage: str
    distance: float = math.nan
    """Metres that remain; NaN: not a motion of the base."""


@dataclass(frozen=True)
class Done:
    """What a skill did; the fields that its action's result has."""

    path_length: float = 0.0
    shortest_length: float = 0.0
    poses_found: int = 0
    object_id: str = ""
    receptacle_id: str = ""
    value: float = math.nan
    """Openness, switch state, or angle that is missing."""
    piece_ids: tuple[str, ...] = ()
    viewing: bool = False
    """The base stands where the object is seen, out of reach."""


Skill = Generator[Progress, float, Done]


@dataclass
class Faults:
    """What goes wrong on purpose.

    Args:
        latency: seconds that every goal waits before anything moves.
        failure_rate: share of the skills that fail, 0 to 1.
        drop_rate: share of the goals that are accepted and then forgotten until they are canceled.
        seed: of the random numbers that decide.
    """

    latency: float = 0.0
    failure_rate: float = 0.0
    drop_rate: float = 0.0
    seed: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def applied(self, action: str, skill: Callable[[], Skill]) -> Skill:
        """Return a skill with its share of faults."""
        failing = self._random.random() < self.failure_rate
        dropped = self._random.random() < self.drop_rate
        waited = 0.0
        while dropped or waited < self.latency:
            waited += yield Progress("waiting")
        if failing:
            code = _FAILURES[action]
            raise Refusal(code, f"{action} failed on purpose (parameter failure_rate).")
        return (yield from skill())


_FAILURES: dict[str, IntEnum] = {
    "NavigateTo": NavigateToError.BLOCKED,
    "Pick": PickError.NO_EFFECT,
    "Place": PlaceError.NO_EFFECT,
    "SetOpen": SetOpenError.BLOCKED,
    "SetToggled": SetToggledError.NO_EFFECT,
    "Slice": SliceError.NO_EFFECT,
    "Release": ReleaseError.NO_EFFECT,
    "LookAt": LookAtError.NO_EFFECT,
}


def _require(robot: Robot, action: str, item_id: str, field_name: str = "object_id") -> Item:
    codes = CODES_OF_ACTION[action]
    if not item_id:
        raise Refusal(codes["INVALID_GOAL"], f"The goal names no {field_name}.")
    item = robot.get(item_id)
    if item is None:
        raise Refusal(codes["OBJECT_NOT_FOUND"], f"The robot knows no object '{item_id}'.")
    return item


def _require_reach(robot: Robot, action: str, item: Item) -> None:
    codes = CODES_OF_ACTION[action]
    if robot.state.is_shut_in(item):
        code = codes.__members__.get("CONTAINER_CLOSED", codes["NOT_VISIBLE"])
        raise Refusal(code, f"{item.item_id} is inside {item.parent}, which is closed.")
    if not robot.within_reach(item):
        distance = item.box.floor_distance(*robot.base.position)
        text = f"{item.item_id} is {distance:.2f} m away, out of the arm's reach; navigate to it."
        raise Refusal(codes["TOO_FAR"], text)


def _arm(stage: str) -> Generator[Progress, float, None]:
    passed = 0.0
    while passed < ARM_SECONDS:
        passed += yield Progress(stage)


def navigate_to_object(
    robot: Robot,
    object_id: str,
    stop_distance: float,
    purpose: str = "",
    excluded: Sequence[tuple[Point, float]] = (),
) -> Skill:
    """Drive to where an object can be reached, and face it.

    Args:
        robot: that drives.
        object_id: of the object.
        stop_distance: metres from its middle; 0: as far as the arm reaches.
        purpose: one of PURPOSES; with `view` seeing it is enough where it can't be reached.
        excluded: poses of the base that are not to be taken again, metres and radians.
    """
    item = _require(robot, "NavigateTo", object_id)
    if not (math.isfinite(stop_distance) and stop_distance >= 0):
        text = "stop_distance must be a number of metres, 0 or more."
        raise Refusal(NavigateToError.INVALID_GOAL, text)
    if purpose not in PURPOSES:
        text = f"'{purpose}' is no purpose; use {', '.join(PURPOSES[1:])}."
        raise Refusal(NavigateToError.INVALID_GOAL, text)
    places = robot.standing_places(item)
    if stop_distance:
        places = [p for p in places if math.dist(p, item.center[:2]) <= stop_distance]
    free = [p for p in places if not _is_excluded(p, item, excluded)]
    if not free and purpose == "view":
        return (yield from _view(robot, item, excluded))
    if not free:
        besides = f" ({len(places)} were excluded)" if places else ""
        text = f"There is no free place from which {object_id} can be reached{besides}."
        raise Refusal(NavigateToError.UNREACHABLE, text)
    done = yield from _go(robot, free)
    yield from _face(robot, item.center)
    return done


def _is_excluded(place: Point, item: Item, excluded: Sequence[tuple[Point, float]]) -> bool:
    """Whether the base would face an object from a pose that is not to be taken again."""
    yaw = math.atan2(item.center[1] - place[1], item.center[0] - place[0])
    return any(
        math.dist(place, other) <= SAME_PLACE and abs(angle_between(yaw, turned)) <= SAME_HEADING
        for other, turned in excluded
    )


def _view(robot: Robot, item: Item, excluded: Sequence[tuple[Point, float]]) -> Skill:
    """Drive to the nearest place that faces an object, and look whether it is seen."""
    places = [p for p in robot.free_places() if not _is_excluded(p, item, excluded)]
    places.sort(key=lambda place: math.dist(place, item.center[:2]))
    done = yield from _go(robot, places[:1])
    yield from _face(robot, item.center)
    yield Progress("looking")
    if not robot.visible.get(item.item_id, False):
        text = f"{item.item_id} can't be reached, and is not seen from nearby either."
        raise Refusal(NavigateToError.UNREACHABLE, text)
    return replace(done, poses_found=0, viewing=True)


def navigate_to_pose(robot: Robot, place: Point, yaw: float) -> Skill:
    """Drive to a pose of base_link in the map frame; metres and radians."""
    if not (all(map(math.isfinite, place)) and math.isfinite(yaw)):
        raise Refusal(NavigateToError.INVALID_GOAL, "The pose needs finite numbers.")
    if not robot.floor.is_free(place):
        text = f"The base does not fit at ({place[0]:.2f}, {place[1]:.2f})."
        raise Refusal(NavigateToError.UNREACHABLE, text)
    done = yield from _go(robot, [place])
    yield from _relay(turn(robot.base, yaw), "turning")
    return done


def _go(robot: Robot, places: list[Point]) -> Skill:
    yield Progress("planning")
    way = robot.floor.path(robot.base.position, places)
    if way is None:
        raise Refusal(NavigateToError.UNREACHABLE, "There is no way to where the base should be.")
    shortest = length_of(robot.base.position, way)
    before = robot.base.driven
    yield from _relay(drive(robot.base, way), "moving", in_metres=True)
    return Done(
        path_length=robot.base.driven - before,
        shortest_length=shortest,
        poses_found=len(places),
    )


def _relay(
    motion: Generator[float, float, None], stage: str, *, in_metres: bool = False
) -> Generator[Progress, float, None]:
    """Do a motion and tell how far it is."""
    with contextlib.suppress(StopIteration):
        rest = next(motion)
        while True:
            rest = motion.send((yield Progress(stage, rest if in_metres else math.nan)))


def _face(robot: Robot, target: Vector) -> Generator[Progress, float, None]:
    """Turn base and head towards a point, the head as far as it goes."""
    yield from _relay(turn(robot.base, robot.heading_to(target)), "turning")
    low, high = PITCH_LIMITS
    wanted = min(max(robot.pitch_to(target), low), high)
    while (rest := wanted - robot.pitch) != 0.0:
        step = PITCH_RATE * (yield Progress("pitching"))
        robot.pitch = wanted if abs(rest) <= step else robot.pitch + math.copysign(step, rest)


def pick(robot: Robot, object_id: str) -> Skill:
    """Take an object into the hand."""
    item = _require(robot, "Pick", object_id)
    if robot.state.held:
        raise Refusal(PickError.HAND_FULL, f"The hand holds {robot.state.held} already.")
    if not item.kind.pickupable or item.front or item.is_sliced:
        raise Refusal(PickError.NOT_PICKUPABLE, f"{object_id} can't be picked up.")
    _require_reach(robot, "Pick", item)
    yield from _arm("grasping")
    item.parent = ""
    robot.state.held = object_id
    return Done(object_id=object_id)


def place(robot: Robot, object_id: str, receptacle_id: str, turned: float = 0.0) -> Skill:
    """Put the held object into or onto furniture, turned by so many radians about the vertical."""
    if not math.isfinite(turned):
        raise Refusal(PlaceError.INVALID_GOAL, "turn must be a number of radians.")
    target = _require(robot, "Place", receptacle_id, "receptacle_id")
    held = _require_held(robot, "Place", object_id)
    if not (target.container or target.surface):
        text = f"Nothing can be put into or onto {receptacle_id}."
        raise Refusal(PlaceError.NOT_A_RECEPTACLE, text)
    _require_reach(robot, "Place", target)
    if target.container and not target.is_open:
        raise Refusal(PlaceError.RECEPTACLE_CLOSED, f"{receptacle_id} is closed; open it first.")
    size = held.size
    # Boxes stay along the axes of the map, so that only quarter turns show.
    if round(turned / (math.pi / 2)) % 2:
        held.size = (size[1], size[0], size[2])
    center = robot.state.free_place(held, target, robot.base.position)
    if center is None:
        held.size = size
        text = f"There is no room for {held.item_id} in or on {receptacle_id}."
        raise Refusal(PlaceError.NO_VALID_PLACEMENT, text)
    yield from _arm("placing")
    held.center, held.parent = center, receptacle_id
    robot.state.held = ""
    return Done(object_id=held.item_id, receptacle_id=receptacle_id)


def _require_held(robot: Robot, action: str, object_id: str) -> Item:
    codes = CODES_OF_ACTION[action]
    if object_id:
        _require(robot, action, object_id)
    held = robot.state.items.get(robot.state.held)
    if held is None:
        raise Refusal(codes["HAND_EMPTY"], "The hand holds nothing.")
    if object_id and held.item_id != object_id:
        text = f"The hand holds {held.item_id}, not {object_id}."
        raise Refusal(codes["OTHER_OBJECT_HELD"], text)
    return held


def set_open(robot: Robot, object_id: str, openness: float) -> Skill:
    """Open furniture to a degree, 0 (closed) to 1."""
    item = _require(robot, "SetOpen", object_id)
    if not 0.0 <= openness <= 1.0:  # false for NaN, too
        raise Refusal(SetOpenError.INVALID_GOAL, f"openness must be in 0..1, not {openness:g}.")
    if not item.container:
        raise Refusal(SetOpenError.NOT_OPENABLE, f"{object_id} can't be opened.")
    _require_reach(robot, "SetOpen", item)
    if openness > 0 and item.is_on and item.kind.must_be_closed_to_turn_on:
        raise Refusal(SetOpenError.TARGET_ON, f"{object_id} is on; switch it off first.")
    yield from _arm("opening" if openness > 0 else "closing")
    item.openness, item.is_open = openness, openness > 0
    return Done(object_id=object_id, value=openness)


def set_toggled(robot: Robot, object_id: str, toggled: bool) -> Skill:
    """Switch an object on or off."""
    item = _require(robot, "SetToggled", object_id)
    if not item.kind.toggleable:
        raise Refusal(SetToggledError.NOT_TOGGLEABLE, f"{object_id} has no switch.")
    _require_reach(robot, "SetToggled", item)
    if item.is_on == toggled:
        word = "on" if toggled else "off"
        raise Refusal(SetToggledError.ALREADY_IN_STATE, f"{object_id} is {word} already.")
    if toggled and item.is_open and item.kind.must_be_closed_to_turn_on:
        raise Refusal(SetToggledError.TARGET_OPEN, f"{object_id} is open; close it first.")
    yield from _arm("switching")
    item.is_on = toggled
    return Done(object_id=object_id, value=float(toggled))


def slice_object(robot: Robot, object_id: str) -> Skill:
    """Cut an object that lies somewhere into pieces."""
    item = _require(robot, "Slice", object_id)
    if item.kind.slices is None:
        raise Refusal(SliceError.NOT_SLICEABLE, f"{object_id} can't be cut.")
    if item.is_sliced:
        raise Refusal(SliceError.ALREADY_SLICED, f"{object_id} is cut already.")
    if robot.state.held == object_id:
        raise Refusal(SliceError.TARGET_IN_HAND, f"{object_id} is in the hand; put it down first.")
    _require_reach(robot, "Slice", item)
    yield from _arm("cutting")
    return Done(object_id=object_id, piece_ids=tuple(robot.state.cut(item)))


def release(robot: Robot, object_id: str) -> Skill:
    """Let go of the held object; it falls onto what is below the hand."""
    held = _require_held(robot, "Release", object_id)
    yield from _arm("releasing")
    x, y, _ = held.center
    below = [
        piece
        for piece in robot.state.furniture
        if piece.box.floor_distance(x, y) == 0.0 and piece.box.high[2] <= held.box.low[2] + 1e-6
    ]
    support = max(below, key=lambda piece: piece.box.high[2], default=None)
    height = support.box.high[2] if support is not None else 0.0
    held.center = (x, y, height + held.size[2] / 2)
    held.parent = support.item_id if support is not None and support.surface else ""
    robot.state.held = ""
    return Done(object_id=held.item_id)


def look_at(robot: Robot, target: Vector) -> Skill:
    """Turn base and head until the camera looks at a point in the map frame."""
    if not all(map(math.isfinite, target)):
        raise Refusal(LookAtError.INVALID_GOAL, "The point needs finite numbers.")
    yield from _face(robot, target)
    # Turning has moved the camera, which does not sit on the axis of the base.
    error = abs(robot.pitch_to(target) - robot.pitch)
    if error > _LOOK_TOLERANCE:
        text = f"The head can't pitch far enough; {math.degrees(error):.0f} degrees are missing."
        raise Refusal(LookAtError.OUT_OF_RANGE, text)
    return Done(value=error)


def look_at_object(robot: Robot, object_id: str) -> Skill:
    """Turn base and head until the camera looks at an object."""
    return (yield from look_at(robot, _require(robot, "LookAt", object_id).center))
