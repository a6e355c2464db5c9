"""What RandomizeMaterials, RandomizeColors and RandomizeLighting make of a scene's look."""

from __future__ import annotations

import colorsys
import random
import zlib
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from milo_sim.appearance.parts import Part
from milo_sim.geometry import FloatArray
from milo_sim.interior.style import recolored
from milo_sim.randomization import Restyling
from milo_sim.world import World


class Styling(NamedTuple):
    """What the shapes and pictures of a scene depend on, beside the scene; None: its own look."""

    material_seed: int | None = None
    room_types: frozenset[str] = frozenset()
    color_seed: int | None = None

    def seed(self, thing: str) -> int:
        """Number that picks the look of a thing."""
        drawn = "" if self.material_seed is None else f"|{self.material_seed}"
        return zlib.crc32(f"{thing}{drawn}".encode())


def styling_of(world: World) -> Styling:
    """The present styling of a world."""
    drawn = world.restyling
    return Styling(drawn.material_seed, drawn.room_types, drawn.color_seed)


def recolored_parts(parts: tuple[Part, ...], seed: int | None) -> tuple[Part, ...]:
    """Parts in other colours; None leaves them."""
    if seed is None:
        return parts
    return tuple(
        replace(part, color=(*recolored(part.color[:3], seed), part.color[3])) for part in parts
    )


def lit(lights: FloatArray, restyling: Restyling) -> tuple[FloatArray, FloatArray]:
    """Colours (n, 3) of n lights and factors (3,) of the light from all around.

    Lights that are not synchronized are drawn one by one, the one from all around last.
    """
    count = len(lights) + 1
    factors = np.ones((count, 3))
    if restyling.light is not None:
        factors *= restyling.light.brightness
        if restyling.light.color is not None:
            factors *= restyling.light.color
    elif restyling.light_seed is not None:
        generator = random.Random(restyling.light_seed)
        for index in range(count):
            brightness, hue, saturation = (
                generator.uniform(*pair) for pair in restyling.light_ranges
            )
            factors[index] = brightness
            if restyling.light_colored:
                factors[index] *= colorsys.hsv_to_rgb(hue, saturation, 1.0)
    return lights * factors[:-1], factors[-1]
