"""Repeated pictures for the large surfaces of a room, drawn from a seed.

Each picture is (height, width, 3) red, green, blue and fits to itself at its edges. Row 0 is the
lower edge, as OpenGL has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from milo_sim.appearance.parts import FloatArray

Image = npt.NDArray[np.uint8]
Rgb = Sequence[float] | FloatArray

_SIDE = 256


def planks(color: Rgb, seed: int, rows: int = 8) -> Image:
    """Floor boards along u, each a little different; the picture is ``rows`` boards high."""
    random = np.random.default_rng(seed)
    shade = np.empty((_SIDE, _SIDE))
    height = _SIDE // rows
    for row in range(rows):
        board = slice(row * height, (row + 1) * height)
        joint = int(random.integers(_SIDE))
        tone = np.where(np.arange(_SIDE) < _SIDE // 2, random.uniform(0.82, 1.08), 0.0)
        tone = np.where(tone > 0.0, tone, random.uniform(0.82, 1.08))
        grain = _periodic_noise(random, (height, _SIDE), (3, 24)) * 0.07
        shade[board] = np.roll(tone, joint)[None, :] + grain
        shade[board.start] *= 0.62
        for edge in (joint, joint + _SIDE // 2):
            shade[board, edge % _SIDE] *= 0.62
    return _colored(color, shade)


def tiles(color: Rgb, joint: Rgb, seed: int, count: int = 4) -> Image:
    """Square tiles with joints, ``count`` x ``count`` in the picture."""
    random = np.random.default_rng(seed)
    side = _SIDE // count
    tone = random.uniform(0.93, 1.04, (count, count)).repeat(side, axis=0).repeat(side, axis=1)
    shade = tone + _periodic_noise(random, (_SIDE, _SIDE), (24, 24)) * 0.03
    image = _colored(color, shade).astype(np.float64)
    along = np.arange(_SIDE) % side < max(2, side // 24)
    image[along | np.zeros((_SIDE, 1), dtype=bool)] = np.asarray(joint) * 255
    image[along, :] = np.asarray(joint) * 255
    return image.round().astype(np.uint8)


def carpet(color: Rgb, seed: int) -> Image:
    """Even pile with fine noise."""
    random = np.random.default_rng(seed)
    shade = 1.0 + random.uniform(-0.09, 0.09, (_SIDE, _SIDE))
    return _colored(color, shade + _periodic_noise(random, (_SIDE, _SIDE), (40, 40)) * 0.05)


def stone(color: Rgb, seed: int) -> Image:
    """Speckled stone."""
    random = np.random.default_rng(seed)
    shade = 1.0 + _periodic_noise(random, (_SIDE, _SIDE), (20, 20)) * 0.12
    speckle = random.random((_SIDE, _SIDE))
    shade = np.where(speckle < 0.06, shade * 0.55, np.where(speckle > 0.95, shade * 1.25, shade))
    return _colored(color, shade)


def wall(color: Rgb, seed: int, tile: Rgb | None = None, tile_height: float = 0.0) -> Image:
    """A wall from floor to ceiling: skirting, paint or tiles up to a share of the height, cornice.

    The picture spans the whole height and is as wide as high.
    """
    random = np.random.default_rng(seed)
    image = _colored(color, 1.0 + _periodic_noise(random, (_SIDE, _SIDE), (6, 6)) * 0.015)
    if tile is not None:
        pattern = tiles(tile, np.minimum(np.asarray(tile) * 0.8, 1.0), seed, count=16)
        rows = round(_SIDE * tile_height / 16) * 16
        image[:rows] = pattern[:rows]
        image[rows - 5 : rows] = (np.asarray(tile) * 0.75 * 255).astype(np.uint8)
    else:
        image[:9] = (232, 230, 224)
        image[9] = (190, 188, 182)
    image[-4:] = (236, 234, 229)
    return image


def _colored(color: Rgb, shade: FloatArray) -> Image:
    tinted = np.asarray(color, dtype=np.float64) * shade[:, :, None] * 255
    return np.clip(tinted.round(), 0, 255).astype(np.uint8)


def _periodic_noise(
    random: np.random.Generator, shape: tuple[int, int], cells: tuple[int, int]
) -> FloatArray:
    """Smooth noise, about -1 to 1, that repeats; ``cells`` tells how many bumps per side."""
    rough = random.uniform(-1.0, 1.0, cells)
    for axis in (0, 1):
        place = np.arange(shape[axis]) * cells[axis] / shape[axis]
        left = place.astype(int)
        part = place - left
        part = part * part * (3 - 2 * part)
        after = np.take(rough, (left + 1) % cells[axis], axis=axis)
        weight = part[:, None] if axis == 0 else part[None, :]
        rough = np.take(rough, left, axis=axis) * (1 - weight) + after * weight
    return rough
