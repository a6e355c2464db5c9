"""Colours and pictures of a room's large surfaces."""

from __future__ import annotations

import colorsys
import random
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from milo_sim.appearance import palette
from milo_sim.appearance.look import Look
from milo_sim.appearance.model import Paint
from milo_sim.interior import textures
from milo_sim.interior.textures import Image, Rgb

_WALLS: Mapping[str, Sequence[Rgb]] = {
    "kitchen": ((0.86, 0.80, 0.64), (0.80, 0.83, 0.80), (0.85, 0.84, 0.80), (0.74, 0.79, 0.83)),
    "livingroom": (
        (0.86, 0.82, 0.70),
        (0.72, 0.74, 0.70),
        (0.82, 0.80, 0.77),
        (0.66, 0.72, 0.76),
    ),
    "bedroom": ((0.55, 0.52, 0.66), (0.78, 0.80, 0.84), (0.82, 0.76, 0.68), (0.60, 0.70, 0.66)),
    "bathroom": ((0.84, 0.83, 0.75), (0.80, 0.84, 0.84), (0.86, 0.84, 0.82)),
}
_TILES = ((0.62, 0.70, 0.76), (0.83, 0.82, 0.77), (0.68, 0.76, 0.70), (0.80, 0.74, 0.66))
_WOODS = ((0.52, 0.32, 0.19), (0.62, 0.44, 0.28), (0.42, 0.26, 0.17), (0.68, 0.54, 0.38))
_CARPETS = ((0.63, 0.57, 0.48), (0.50, 0.50, 0.52), (0.58, 0.50, 0.44))
_STONES = ((0.50, 0.48, 0.45), (0.32, 0.31, 0.31), (0.72, 0.69, 0.63), (0.44, 0.38, 0.33))


def recolored(color: Rgb, seed: int) -> tuple[float, float, float]:
    """Another colour of the same brightness; the seed and the colour decide on it."""
    generator = random.Random(f"{seed}|{tuple(color)}")
    _, saturation, value = colorsys.rgb_to_hsv(color[0], color[1], color[2])
    spread = max(saturation, generator.uniform(0.25, 0.7))
    return colorsys.hsv_to_rgb(generator.random(), spread, value)


class RoomStyle:
    """Colours of a room, picked by a number.

    Args:
        kinds: Room types in whose style it may be; None leaves it the style of its own.
        own: Type of the room, such as ``LivingRoom``.
        seed: The number.
        color_seed: Number that changes all colours, None to leave them.
    """

    def __init__(
        self, own: str, seed: int, kinds: Collection[str] = (), color_seed: int | None = None
    ) -> None:
        self.seed = seed
        self.kind = _plain(own)
        self._color_seed = color_seed
        draw = np.random.default_rng(seed)
        pool = sorted({_plain(kind) for kind in kinds} & _WALLS.keys()) or [self.kind]
        walls = _WALLS.get(pool[int(draw.integers(len(pool)))], _WALLS["livingroom"])
        self._wall = self._pick(walls, draw)
        self._tile = self._pick(_TILES, draw)
        self._wood = self._pick(_WOODS, draw)
        self._carpet = self._pick(_CARPETS, draw)
        self._stone = self._pick(_STONES, draw)
        self._carpeted = self.kind == "livingroom" and draw.random() < 0.4
        self._tiled = self.kind == "bathroom" or (self.kind == "kitchen" and draw.random() < 0.5)

    def _pick(self, colors: Sequence[Rgb], draw: np.random.Generator) -> Rgb:
        color = colors[int(draw.integers(len(colors)))]
        return color if self._color_seed is None else recolored(color, self._color_seed)

    def floor(self) -> tuple[Image, float]:
        """Picture of the floor and the side of the square it covers [m]."""
        if self._carpeted:
            return textures.carpet(self._carpet, self.seed), 1.5
        if self._tiled:
            return textures.tiles(self._tile, np.asarray(self._tile) * 0.72, self.seed), 1.6
        return textures.planks(self._wood, self.seed), 1.2

    def wall(self) -> Image:
        """Picture of a wall from floor to ceiling."""
        if self.kind == "bathroom":
            return textures.wall(self._wall, self.seed, self._tile, 0.5)
        return textures.wall(self._wall, self.seed)

    def stone(self) -> Image:
        """Picture of a worktop."""
        return textures.stone(self._stone, self.seed)

    def joinery(self) -> Paint:
        """Paint of fitted furniture; the cabinets' own builder picks the same."""
        paint = palette.joinery(Look("Cabinet", (1.0, 1.0, 1.0), seed=self.seed))
        if self._color_seed is None:
            return paint
        color = recolored((paint.red, paint.green, paint.blue), self._color_seed)
        return Paint(*color, specular=paint.specular)


def _plain(kind: str) -> str:
    return kind.lower().replace("_", "").replace(" ", "")
