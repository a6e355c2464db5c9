"""Random looks: materials, colours and lights drawn from a seed.

The state here says what was drawn; pictures follow from it. Rules of the splits and error texts are
AI2-THOR's (``BaseFPSAgentController.RandomizeMaterials`` and ``RandomizeLighting``, Apache-2.0).
How many materials the engine draws from is not on record.
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from milo_sim.errors import ActionFailed

if TYPE_CHECKING:
    from milo_sim.world import World

ROOM_TYPES = ("bedroom", "bathroom", "kitchen", "livingroom", "robothor")
_ARGUMENT = "ArgumentException"
_RANGE = "ArgumentOutOfRangeException"


class Light(NamedTuple):
    """Factors of the lights: brightness, and red, green, blue in [0, 1] (None: unchanged)."""

    brightness: float
    color: tuple[float, float, float] | None


@dataclass(frozen=True)
class Restyling:
    """What was drawn for a scene's look; seeds are None where nothing was.

    ``lights`` holds one entry if all lights share it, else it is the seed's business to give each
    light its own within ``light_ranges`` (brightness, hue, saturation); ``light_colored`` tells
    whether it has a colour.
    """

    material_seed: int | None = None
    room_types: frozenset[str] = field(default_factory=frozenset)
    color_seed: int | None = None
    light_seed: int | None = None
    light: Light | None = None
    light_ranges: tuple[tuple[float, float], ...] = ()
    light_colored: bool = False


def set_seed(world: World, seed: int) -> None:
    """Seed what is drawn from now on."""
    world.random.seed(seed)


def split_of(scene_name: str) -> str:
    """Material split of a scene: numbers modulo 100 up to 20 train, up to 25 val, else test.

    Scenes of one's own, which have no number, take the materials for training.
    """
    match = re.fullmatch(r"FloorPlan(\d+)", scene_name)
    number = int(match.group(1)) % 100 if match else 1
    if 1 <= number <= 20:
        return "train"
    return "val" if number <= 25 else "test"


def randomize_materials(
    world: World, splits: dict[str, bool | None], room_types: Sequence[str | None] | None
) -> dict[str, Any]:
    """Draw new materials.

    ``splits`` says for "train", "val", "test" and "external" whether their materials are used, None
    meaning the scene's default.
    """
    chosen = _room_types(world, room_types)
    own = split_of(world.scene.name)
    if splits[own] is False:
        title = own.capitalize()
        raise ActionFailed(
            f"Inside of RandomizeMaterials, cannot set use{title}Materials=false "
            f"inside of a {own} scene.",
            exception_type=_ARGUMENT,
        )
    defaults = {name: name == own for name in ("train", "val", "test")}
    defaults["external"] = own == "train"
    used = {name: defaults[name] if splits[name] is None else splits[name] for name in defaults}
    world.restyling = replace(
        world.restyling, material_seed=_draw(world), room_types=frozenset(chosen)
    )
    return {
        "chosenRoomTypes": list(chosen or ROOM_TYPES),
        **{f"use{name.capitalize()}Materials": bool(value) for name, value in used.items()},
    }


def _room_types(world: World, given: Sequence[str | None] | None) -> list[str]:
    if given is None:
        return []
    if not given:
        raise ActionFailed("inRoomTypes must have a non-zero length!", exception_type=_ARGUMENT)
    chosen = []
    for name in given:
        if name is None or name.lower() not in ROOM_TYPES:
            raise ActionFailed(
                f"inRoomTypes contains unknown room type: {name or ''}.\\n"
                'Valid room types include {"Bedroom", "Bathroom", "LivingRoom", "Kitchen", '
                '"RoboTHOR"}',
                exception_type=_ARGUMENT,
            )
        chosen.append(name.lower())
    own = world.scene.room_type.lower()
    if own not in chosen:
        raise ActionFailed(
            f'inRoomTypes must include "{own}" inside of a {own} scene: {world.scene.scene_name}.',
            exception_type=_ARGUMENT,
        )
    return list(dict.fromkeys(chosen))


def randomize_colors(world: World) -> None:
    """Draw new colours."""
    world.restyling = replace(world.restyling, color_seed=_draw(world))


def randomize_lighting(
    world: World,
    synchronized: bool,
    brightness: Sequence[float] | None,
    randomize_color: bool,
    hue: Sequence[float] | None,
    saturation: Sequence[float] | None,
) -> None:
    """Draw how bright the lights are and, with ``randomize_color``, of what colour.

    Ranges are pairs: brightness factor >= 0, hue and saturation in [0, 1].
    """
    for name, given in (("hue", hue), ("saturation", saturation)):
        if given is not None and not randomize_color:
            raise ActionFailed(
                f"Cannot pass in randomizeColor=False while also providing {name}={list(given)}.",
                exception_type=_ARGUMENT,
            )
    ranges = _ranges(brightness or (0.5, 1.5), hue or (0.0, 1.0), saturation or (0.5, 1.0))
    seed = _draw(world)
    shared = None
    if synchronized:
        factor = world.random.uniform(*ranges[0])
        shared = Light(factor, _color(world, ranges) if randomize_color else None)
    world.restyling = replace(
        world.restyling,
        light_seed=seed,
        light=shared,
        light_ranges=ranges,
        light_colored=randomize_color,
    )


def _ranges(*given: Sequence[float]) -> tuple[tuple[float, float], ...]:
    if any(len(pair) != 2 for pair in given):
        texts = [str(list(pair)) for pair in given]
        raise ActionFailed(
            "Ranges for hue, saturation, and brightness must each have 2 values. You gave "
            f"saturation={texts[2]}, hue={texts[1]}, brightness={texts[0]}.",
            exception_type=_ARGUMENT,
        )
    brightness, hue, saturation = given
    if min(brightness) < 0:
        raise ActionFailed(
            f"Each brightness must be >= 0, not brightness={list(brightness)}.",
            exception_type=_RANGE,
        )
    for name, pair in (("hue", hue), ("saturation", saturation)):
        if min(pair) < 0 or max(pair) > 1:
            raise ActionFailed(
                f"{name} range must be in [0:1], not {list(pair)}", exception_type=_RANGE
            )
    return tuple((float(min(pair)), float(max(pair))) for pair in given)


def _color(world: World, ranges: tuple[tuple[float, float], ...]) -> tuple[float, float, float]:
    hue, saturation = (world.random.uniform(*pair) for pair in ranges[1:])
    return colorsys.hsv_to_rgb(hue, saturation, 1.0)


def _draw(world: World) -> int:
    return world.random.getrandbits(31)


def reset_materials(world: World) -> None:
    """Bring back the scene's own materials."""
    world.restyling = replace(world.restyling, material_seed=None, room_types=frozenset())


def reset_colors(world: World) -> None:
    """Bring back the scene's own colours."""
    world.restyling = replace(world.restyling, color_seed=None)


def reset_lighting(world: World) -> None:
    """Bring back the scene's own lights."""
    world.restyling = replace(world.restyling, light_seed=None, light=None, light_ranges=())
