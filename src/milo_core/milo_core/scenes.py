"""iTHOR scene names and the room each number stands for."""

import re

from milo_core.errors import MiloError

ROOM_RANGES: dict[str, range] = {
    "kitchen": range(1, 31),
    "living_room": range(201, 231),
    "bedroom": range(301, 331),
    "bathroom": range(401, 431),
}
"""Room type -> the numbers N of its scenes FloorPlanN."""


class UnknownSceneError(MiloError):
    """A name that is no iTHOR scene."""


def normalize_scene(name: str) -> str:
    """Return `FloorPlanN` for `FloorPlanN` or `FloorPlanN_physics`.

    Raises:
        UnknownSceneError: not one of the 120 iTHOR scenes.
    """
    match = re.fullmatch(r"FloorPlan(\d+)(_physics)?", name.strip())
    if match is None or not any(int(match[1]) in r for r in ROOM_RANGES.values()):
        raise UnknownSceneError(
            f"'{name}' is no iTHOR scene; use FloorPlanN with N in "
            "1-30, 201-230, 301-330 or 401-430."
        )
    return f"FloorPlan{int(match[1])}"


def room_type(scene: str) -> str:
    """Return kitchen, living_room, bedroom or bathroom.

    Raises:
        UnknownSceneError: not one of the 120 iTHOR scenes.
    """
    number = int(normalize_scene(scene).removeprefix("FloorPlan"))
    return next(room for room, numbers in ROOM_RANGES.items() if number in numbers)
