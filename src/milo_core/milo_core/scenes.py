"""iTHOR scene names, the room each number stands for, and the split each scene belongs to."""

import re
from collections.abc import Iterable
from typing import Literal, get_args

from milo_core.errors import MiloError

ROOM_RANGES: dict[str, range] = {
    "kitchen": range(1, 31),
    "living_room": range(201, 231),
    "bedroom": range(301, 331),
    "bathroom": range(401, 431),
}
"""Room type -> the numbers N of its scenes FloorPlanN."""


SCENES: tuple[str, ...] = tuple(
    f"FloorPlan{number}" for numbers in ROOM_RANGES.values() for number in numbers
)
"""All 120 iTHOR scenes, by number."""
Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
_GROUPS = {f"{room}s": room for room in ROOM_RANGES}
_TRAIN, _VAL = 20, 5
"""Of the 30 scenes of a room type, in order; the rest is for tests."""


class UnknownSceneError(MiloError):
    """A name that is no iTHOR scene, and no group of them."""


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


def split_of(scene: str) -> Split:
    """Return the split a scene belongs to by AI2-THOR's rule.

    Of the 30 scenes of each room type the first 20 are for training, the next 5 for validation and
    the last 5 for tests (AI2-THOR documentation, iTHOR, "Train/Val/Test splits").

    Raises:
        UnknownSceneError: not one of the 120 iTHOR scenes.
    """
    name = normalize_scene(scene)
    place = ROOM_RANGES[room_type(name)].index(int(name.removeprefix("FloorPlan")))
    if place < _TRAIN:
        return "train"
    return "val" if place < _TRAIN + _VAL else "test"


def select_scenes(words: Iterable[str]) -> tuple[str, ...]:
    """Return the scenes that some words name together, by number.

    Args:
        words: scenes, rooms (kitchens, living_rooms, bedrooms, bathrooms), splits (train, val,
            test), or `all`.

    Raises:
        UnknownSceneError: a word is none of these.
    """
    chosen: set[str] = set()
    for word in words:
        if word == "all":
            chosen.update(SCENES)
        elif word in _GROUPS:
            chosen.update(s for s in SCENES if room_type(s) == _GROUPS[word])
        elif word in SPLITS:
            chosen.update(s for s in SCENES if split_of(s) == word)
        elif word.startswith("FloorPlan"):
            chosen.add(normalize_scene(word))
        else:
            groups = ", ".join((*_GROUPS, *SPLITS))
            raise UnknownSceneError(
                f"'{word}' names no scenes; use FloorPlanN, all, or one of {groups}."
            )
    return tuple(scene for scene in SCENES if scene in chosen)
